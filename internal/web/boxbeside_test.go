package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

const ronins = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"

// TestATransactionHidesNoAlarm: the number is set aside and is in no address of ours, and the address is answered.
func TestATransactionHidesNoAlarm(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	hash := aHash[2:]
	for _, typed := range []string{ronins + " " + hash, "tx " + hash + " " + ronins,
		"envié a " + ronins + " hash " + hash, ronins + " https://tronscan.org/#/transaction/" + hash,
		ronins + "\n" + aHash} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		to := "/screen/" + ronins + "?beside=1&asked=1"
		want(t, typed, []any{p.status, p.header.Get("Location")}, []any{303, to})
		p = v.get(p.header.Get("Location"))
		p.says("Critical", "The long number beside it was left out.", "A private key looks the same.")
		want(t, "is the number there", strings.Contains(p.html, hash), false)
	}
	p := v.get("/screen?q=" + url.QueryEscape("@lena_trades88 "+ronins+" "+hash))
	p.says("Stop: we warn of one of these.", "Critical", "@lena_trades88", "No report mentions it.",
		"The long number beside it was left out.")
	want(t, "is the number there", strings.Contains(p.html, hash), false)
	p = v.get("/screen?q=" + url.QueryEscape("tx "+hash+" "+strings.Replace(ronins, "B8A", "b8A", 1)))
	p.says("perhaps a character was changed")
	want(t, "is the number there", strings.Contains(p.html, hash), false)
	want(t, "a key that is said to be one", v.get("/screen?q="+url.QueryEscape("private key "+hash+" "+ronins)).status,
		http.StatusBadRequest)
}

func TestEachHandleInATextIsSearchedFor(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.post("/report", aForm.with(fields{thingsField: "evil.example\ntelegram: lena_trades88", titleField: "One"}))
	v.post("/report", aForm.with(fields{thingsField: "bad.example\n+44 7700 900123", titleField: "Two",
		whoseField: "theirs +447700900123"}))
	for _, typed := range []string{"@lena_trades88 +44 7700 900123", "@lena_trades88\n+44 7700 900123",
		"Hola, me escribe @lena_trades88 desde +44 7700 900123, es de confianza?"} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		p.says("What the reports say of these", "@lena_trades88", "+447700900123", "1 report mentions it.")
		titles, _ := rowsOf(p)
		slices.Sort(titles)
		want(t, typed, titles, []string{"One", "Two"})
	}
	p := v.get("/screen?q=" + url.QueryEscape("@nobody_here_1 +44 7700 900999"))
	p.says("No report mentions any of these", "It may still be a scam.", "Already sent something?")
	p = v.get("/screen?q=" + url.QueryEscape("me escribe @lena_trades88, es de confianza?"))
	v.get(p.header.Get("Location")).says("1 report mentions “@lena_trades88”")
	p = v.get("/screen?q=" + url.QueryEscape("fine.example me escribe @lena_trades88"))
	p.says("Reports name one of these. Send nothing yet.", "fine[.]example", "@lena_trades88",
		"1 report mentions it.", "Where to get help")
	v.get("/screen?q=" + url.QueryEscape("evil.example me escribe @lena_trades88")).
		says("Reports name 2 of these. Send nothing yet.")
	report := linkOf(t, p, "Report them")
	want(t, "the form has all of it", v.get(report).value(thingsField), "fine.example\n@lena_trades88")
}

// TestASiteBehindAnEMailAddressIsAnAlarmBesideOthers: an invoice is looked up by its address, and its sender is not.
func TestASiteBehindAnEMailAddressIsAnAlarmBesideOthers(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	unknown := strings.Replace(ronins, "098B716B8A", "1111111111", 1)
	invoice := "Pay to: " + strings.ToLower(unknown) + "\nQuestions? billing@"
	p := v.get("/screen?q=" + url.QueryEscape(invoice+"metamask-login.com"))
	p.says("metamask-login[.]com", "This is the site behind the e-mail address.", "billing@metamask-login.com")
	p = v.get("/screen?q=" + url.QueryEscape(invoice+"fine.example"))
	p.says("billing@fine.example")
	want(t, "a site that nobody warns of", strings.Contains(p.html, "fine[.]example"), false)
}

func TestADividedAddressIsOne(t *testing.T) {
	v := start(t).visitor()
	const whole = "TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre"
	for _, typed := range []string{whole[:12] + " " + whole[12:], whole[:12] + "\n" + whole[12:],
		"TBHT JqAy 4DhH hmT3 dNce JYNR z4Sd LofL re"} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		want(t, typed, strings.HasSuffix(strings.TrimSuffix(p.header.Get("Location"), "?asked=1"), whole), true)
	}
	p := v.get("/screen?q=" + url.QueryEscape(whole[12:]))
	p.says("This looks like a piece of an address", "Search the reports for it")
	want(t, "a piece", p.status, 200)
}

// TestTheWayToFirstAidIsOnEveryAnswer, and what stops the loss comes first there.
func TestTheWayToFirstAidIsOnEveryAnswer(t *testing.T) {
	v := start(t).visitor()
	for _, path := range []string{"/screen/fine.example", "/screen?q=" + aHash[2:], "/screen?q=" + aHash,
		"/reports?asked=1&q=nothinglikethis", "/reports?q=nothinglikethis"} {
		want(t, path, linkOf(t, v.get(path), "Already sent something? What to do now"), "/help")
	}
	help := v.get("/help").main()
	at := 0
	for _, step := range []string{"Somebody has your recovery phrase", "call your bank", "You sent from an exchange",
		"Then tell the police", "If you connected a wallet"} {
		next := strings.Index(help[at:], step)
		want(t, step, next > 0, true)
		at += max(next, 0)
	}
}

func TestABareHashInAListIsCalledAsInTheBox(t *testing.T) {
	p := start(t).visitor().post("/bulk", fields{bulkField: "evil.example\n" + aHash[2:]})
	p.says("a transaction or a private key?", "This looks like a transaction.", "A private key looks the same.")
	want(t, "is the number there", strings.Contains(p.html, aHash[2:]), false)
}

func TestAMistypedLinkIsUnderstood(t *testing.T) {
	v := start(t).visitor()
	for typed, site := range map[string]string{"https//lena-btc-pro.top": "lena-btc-pro.top",
		"https:/lena-btc-pro.top/pay": "lena-btc-pro.top", "www.lena-btc-pro,top": "lena-btc-pro.top"} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		p.says("Did you mean")
		want(t, typed, linkOf(t, p, "Look up "), findPath(site))
	}
	v.get("/screen?q="+url.QueryEscape("fine.example,evil.example")).says(
		"Nobody warns of these. That is not the same as safe.", "If one of them is bad, trust none of them.")
	v.get("/screen?q=" + url.QueryEscape("fine.example,berliner-volksbank.de")).says("Several answers")
	for _, typed := range []string{"fine.example,thief", "https://fine.example/a,bc"} {
		want(t, typed, v.get("/screen?q="+url.QueryEscape(typed)).header.Get("Location"), "/screen/fine.example?asked=1")
	}
}

// TestThePlatformOfANameIsAskedForOnce, and the name is found by any service that somebody searches for.
func TestThePlatformOfANameIsAskedForOnce(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{thingsField: "evil.example\n@lena_trades88"})
	p := v.post("/report", form)
	p.says("On which platform is @lena_trades88?", "Not public yet")
	want(t, "asked", p.status, 422)
	p = v.post("/report", form.with(fields{platformField: ""}))
	want(t, "unknown", []any{p.status, s.storedReport(p).ReportedHandles}, []any{200, []string{"name:@lena_trades88"}})
	p.says("Keep two things: the link brings you back to the report, and the code corrects or removes it.")
	p = v.get("/screen?q=" + url.QueryEscape("telegram: lena_trades88"))
	v.get(p.header.Get("Location")).says("1 report mentions “@lena_trades88”")
	v.get("/reports?q=" + url.QueryEscape("telegram: lena_trades88")).says("1 report contain")
}
