package web

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// keeps holds that a form still has what was typed into it.
func (p *response) keeps(form fields) {
	p.t.Helper()
	for name, typed := range form {
		if name == publishField {
			continue // which is no field
		}
		want(p.t, p.about+": "+name, p.value(name), strings.ReplaceAll(strings.TrimSpace(typed), "\r\n", "\n"))
	}
}

// sites are such that no other report of the test names.
type sites struct{ n int }

func (s *sites) next() string {
	s.n++
	return fmt.Sprintf("fresh-%d.example", s.n)
}

func TestAReportIsFiledAsItWasTyped(t *testing.T) {
	s := start(t)
	v := s.visitor()
	p := v.post("/report", aForm.with(fields{thingsField: "https://one.example/claim?ref=1\n" + nobody +
		"\ntelegram: @thief1\n+1 555 0100\nthief@mail.example", amountField: "12,400", currencyField: "usdt",
		dateField: "2026-01-31", hashField: aHash,
		linkField: "https://news.example/story", projectField: "Claim One",
		whoseField: "theirs +15550100\ntheirs thief@mail.example"}))
	want(t, "filed", []any{p.status, p.title()},
		[]any{200, "Your report is public – A page took my approval – Tocsin"})
	token := rawText(p.id("manage"))
	want(t, "the token", []any{secret.MatchString(token), strings.Count(p.html, token), p.header.Get("Cache-Control"),
		p.header.Get("Content-Encoding")}, []any{true, 1, "no-store", ""})
	one := s.storedReport(p)
	want(t, "where it is", slices.Contains(p.links(), s.base+"/reports/"+one.ID), true)
	want(t, "subjects", []any{one.ScammerAddresses, one.ReportedDomains}, []any{[]string{nobody}, []string{"one.example"}})
	want(t, "facts", []any{one.AmountLost, one.Currency, one.IncidentDate, one.SubjectProjectName},
		[]any{12400, "USDT", "2026-01-31", "Claim One"})
	want(t, "evidence", []any{one.Evidence.URLs, one.Evidence.TransactionHashes},
		[]any{[]string{"https://news.example/story", "https://one.example/claim?ref=1"}, []string{aHash}})
	want(t, "accounts", one.ReportedHandles, []string{"telegram:thief1", "phone:+15550100", "email:thief@mail.example"})
	if strings.Contains(v.get("/reports/"+one.ID).html, token) {
		t.Error("the token is shown twice")
	}
}

func TestTheSameReportTwiceIsFiledOnce(t *testing.T) {
	s := start(t)
	v := s.visitor()
	first, second := v.post("/report", aForm), s.visitor().post("/report", aForm)
	want(t, "statuses", []int{first.status, second.status}, []int{200, 200})
	second.says("We have this report already.", "Nothing was filed twice.")
	shown := []any{
		s.storedReport(second).ID,
		strings.Contains(second.html, `id="manage"`),
		secret.MatchString(second.html),
	}
	again := v.do(http.MethodPost, "/report", aForm).header.Get("Set-Cookie")
	want(t, "for ten minutes", []bool{strings.HasPrefix(again, "again=1; "), strings.Contains(again, "; Max-Age=600; ")},
		[]bool{true, true})
	want(t, "it is the same, without its token", shown, []any{s.storedReport(first).ID, false, false})
	if err := s.db.Hide(t.Context(), store.Operator{}, s.storedReport(first).ID); err != nil {
		t.Fatal(err)
	}
	third := v.post("/report", aForm)
	want(t, "hidden since", []any{third.status, third.h1(), strings.Contains(third.html, aForm[titleField])},
		[]any{200, "We have this report already", false})
	third.says("does not show it")
}

func TestWhatPeoplePasteIsUnderstood(t *testing.T) {
	s := start(t)
	v := s.visitor()
	var fresh sites
	for about, c := range map[string]struct {
		things string
		wanted []string
		sites  int
	}{
		"a link to a block explorer": {"https://etherscan.io/address/" + nobody + "#code", []string{nobody}, 0},
		"a token on one": {"https://basescan.org/token/" + strings.ToLower(nobody),
			[]string{nobody}, 0},
		"several on a line": {nobody + ", " + other + ";" + strings.ToLower(nobody),
			[]string{nobody, other}, 0},
		"labels beside them": {"Wallet 1: " + nobody + " (USDT)\n- \"" + other + "\".",
			[]string{nobody, other}, 0},
		"without 0x":                           {strings.ToLower(nobody[2:]), []string{nobody}, 0},
		"with its chain":                       {"eip155:1:" + nobody, []string{nobody}, 0},
		"a link to a site":                     {"https://SITE/claim", nil, 1},
		"a bare site":                          {nobody + "\nSITE", []string{nobody}, 1},
		"an address and a site on a line":      {nobody + " SITE", []string{nobody}, 1},
		"a defanged site":                      {"hxxps://SITE[.]com/x,y", nil, 1},
		"sites in a sentence":                  {"I met him on SITE.", nil, 1},
		"a port":                               {"SITE:8443", nil, 1},
		"an address in the question of a site": {"https://SITE/claim?ref=" + nobody, nil, 1},
		"an address in the path of a site":     {"https://SITE/claim/" + nobody, nil, 1},
		"lines as a browser ends them":         {nobody + "\r\n" + other + "\r\nSITE\r\n", []string{nobody, other}, 1},
		"a non-breaking space":                 {nobody + "\u00a0" + other, []string{nobody, other}, 0},
	} {
		one := fresh.next()
		p := v.post("/report", aForm.with(fields{titleField: about, thingsField: strings.ReplaceAll(c.things, "SITE", one)}))
		if p.status != http.StatusOK {
			t.Errorf("%s: %s", about, p.main())
			continue
		}
		var named []string
		for _, site := range s.storedReport(p).ReportedDomains {
			named = append(named, strings.TrimSuffix(site, ".com"))
		}
		want(t, about, []any{s.storedReport(p).ScammerAddresses, named}, []any{c.wanted, []string{one}[:c.sites]})
	}

	var hashes []string
	for _, digit := range []string{"1", "2", "3"} {
		hashes = append(hashes, "0x"+strings.Repeat(digit, 64))
	}
	p := v.post("/report", aForm.with(fields{thingsField: fresh.next() + "\nhttps://etherscan.io/tx/" +
		hashes[0], hashField: "Tx: https://arbiscan.io/tx/" + hashes[1], linkField: hashes[2] + "\nnews.example/a (x)"}))
	evidence := s.storedReport(p).Evidence
	slices.Sort(evidence.TransactionHashes)
	want(t, "transactions, from whichever box", evidence.TransactionHashes, hashes)
	want(t, "a link without its scheme", evidence.URLs, []string{"https://news.example/a"})
}

func TestWhatIsWrongIsSaidWhereItWasTyped(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	var many []string
	for n := range 101 {
		many = append(many, fmt.Sprintf("0x%040d", n))
	}
	api := regexp.MustCompile(
		`evidence\.urls|socialMedia|scammerAddresses|reportedDomains|crimeType|[Ss]end (?:a|0x|one|an) `)
	for about, c := range map[string]struct {
		form           fields
		at             string
		summary, thing string
	}{
		"no kind": {fields{crimeField: ""}, crimeField, "Kind of fraud: choose one",
			"Choose what comes closest"},
		"another kind": {fields{crimeField: "nonsense"}, crimeField, "Kind of fraud: choose one",
			"Choose what comes closest"},
		"no title": {fields{titleField: " "}, titleField, "In one line: it is empty", "Say in one line"},
		"no story": {fields{storyField: ""}, storyField, "What happened: it is empty", "a sentence or two"},
		"an address of their own": {fields{thingsField: "my wallet " + nobody}, thingsField,
			"What you have: whose address is it?", "Take your own address out"},
		"a number in a sentence": {fields{thingsField: "evil.example, whatsapp 55 9876 54321"}, thingsField,
			"a number without its country", "55 9876 54321"},
		"nobody named": {fields{thingsField: ""}, thingsField, "What you have: it names nothing of theirs",
			"Write at least one thing of theirs"},
		"41 digits": {fields{thingsField: nobody + "\n" + other + "1"}, thingsField,
			"What you have, line 2: one digit too many",
			"Line 2: This has 41 digits after 0x; an address has 40. Was the last “1” meant"},
		"39 digits": {fields{thingsField: other[:41]}, thingsField, "What you have: one digit too few",
			"This has 39 digits"},
		"20 digits": {fields{thingsField: other[:22]}, thingsField, "What you have: 20 digits, not 40",
			"This has 20 digits"},
		"a wrong letter": {fields{thingsField: strings.Replace(other, "F2", "G2", 1)}, thingsField,
			"a character that no address has", "the character “G”"},
		"a wrong checksum": {fields{thingsField: "\n" + strings.Replace(other, "dA", "Da", 1)}, thingsField,
			"a digit may be mistyped", "perhaps a character was changed"},
		"cut short": {fields{thingsField: "0xd8dA6BF2…A96045"}, thingsField, "the middle is missing",
			"is cut short"},
		"nothing of theirs but a transaction": {fields{thingsField: aHash}, thingsField, "it names nothing of theirs",
			"copy the address that it went to"},
		"two in a link": {fields{thingsField: "https://etherscan.io/token/" + nobody + "?a=" + other}, thingsField,
			"more than one address", "Paste the one that is theirs"},
		"Bitcoin": {fields{thingsField: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdr"}, thingsField,
			"an address with a mistake", "its checksum does not hold: at least one character is wrong"},
		"Solana": {fields{thingsField: "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"}, thingsField,
			"an address of Solana?", "write solana: before it"},
		"no country": {fields{thingsField: "020 7946 0958"}, thingsField, "a number without its country", "such as +44"},
		"a name of ENS": {fields{thingsField: "thief.eth"}, thingsField, "a name, not an address",
			"is an ENS name: "},
		"words": {fields{thingsField: "growing gold"}, thingsField, "nothing that we know", "“growing” is none of them"},
		"a shared host": {fields{thingsField: "x.example\nhttps://t.me"}, thingsField,
			"What you have, line 2: t.me belongs to many", "unrelated people have pages"},
		"an IP address": {fields{thingsField: "http://192.0.2.1/x"}, thingsField, "a number, not a name", "192.0.2.1."},
		"a bare IP address": {fields{thingsField: "192.0.2.1"}, thingsField, "a number, not a name",
			"the number of a computer"},
		"a known site": {fields{thingsField: "claim-two.example\nuniswap.org"}, thingsField,
			"What you have, line 2: uniswap.org is a well-known site", "many honest people use"},
		"two readings": {fields{amountField: "12.400"}, amountField, "Amount: it is not clear",
			"Choose what you mean"},
		"no number":      {fields{amountField: "a lot"}, amountField, "Amount", "Write a number"},
		"a minus":        {fields{amountField: "-5"}, amountField, "Amount", "without a minus"},
		"too much":       {fields{amountField: "99999999999999999999999"}, amountField, "Amount", "a trillion"},
		"no currency":    {fields{currencyField: "US dollars"}, currencyField, "What was lost", "short name"},
		"tomorrow":       {fields{dateField: "2999-01-01"}, dateField, "When: it lies in the future", "future"},
		"an unclear day": {fields{dateField: "1/2/2026"}, dateField, "When: not a date", "2026-01-31"},
		"a short hash": {fields{hashField: aHash + "\n0x12"}, hashField, "Transactions, line 2: 2 digits, not 64",
			"Line 2: This has 2 digits"},
		"an address for a hash": {fields{hashField: nobody}, hashField, "an address, not a transaction",
			"into the first field"},
		"a hash or a key": {fields{thingsField: nobody + "\n" + aHash[2:]}, thingsField,
			"line 2: a transaction or a private key?", "both look the same"},
		"a link for a hash": {fields{hashField: "https://x.example/y"}, hashField, "a link without a transaction",
			"Put it under links"},
		"words for a hash": {fields{hashField: "none"}, hashField, "no transaction", "“none” is not one"},
		"no link":          {fields{linkField: "ask my brother"}, linkField, "Links: no link", "“ask” is not one"},
		"another scheme": {fields{linkField: "javascript://x/alert(1)"}, linkField, "Links: no link",
			"not an http or https URL"},
		"a long title": {fields{titleField: strings.Repeat("x", 201)}, titleField, "too long",
			"201 characters, 200 are allowed"},
		"a long story":   {fields{storyField: strings.Repeat("x", 10_001)}, storyField, "too long", "Shorten it"},
		"a long project": {fields{projectField: strings.Repeat("x", 201)}, projectField, "Project", "200 are allowed"},
		"too many": {fields{thingsField: strings.Join(many, " ")}, thingsField, "What you have",
			"100 are allowed"},
		"far too many": {fields{thingsField: strings.Repeat("a.example ", 1001)}, thingsField,
			"more than we can read", "more than we can read at once"},
		"many wrong lines": {fields{thingsField: strings.Repeat("0x12\n", 8) + "x"}, thingsField, "What you have: 4 more",
			"And 4 more."},
	} {
		form := aForm.with(c.form)
		p := v.post("/report", form)
		errors := p.id("errors")
		title, _, _ := strings.Cut(p.title(), " – ")
		want(t, about, []any{p.status, attr(errors, "role"), strings.HasSuffix(p.title(), " – Report a scam – Tocsin"),
			textOf(below(errors, "h2")...)}, []any{422, "alert", true, title})
		if !regexp.MustCompile(`^(?:1 thing needs|\d+ things need) another look$|^We cannot publish this yet$`).
			MatchString(title) {
			t.Errorf("%s: %s", about, title)
		}
		if summary := textOf(errors); !strings.Contains(summary, c.summary) {
			t.Errorf("%s: the summary says %s", about, summary)
		}
		if thing := textOf(p.id(c.at + "-e")); !strings.Contains(thing, c.thing) {
			t.Errorf("%s: at the box stands %s", about, thing)
		}
		field := p.id(c.at)
		want(t, about, []any{attr(field, "aria-invalid"), strings.Fields(attr(field, "aria-describedby"))[0],
			slices.ContainsFunc(below(errors, "a"), func(a *html.Node) bool { return attr(a, "href") == "#"+c.at })},
			[]any{"true", c.at + "-e", true})
		if found := api.FindString(p.main()); found != "" {
			t.Errorf("%s: the page has a word of the API: %s", about, found)
		}
		if about == "another kind" {
			form[crimeField] = ""
		}
		p.keeps(form)
	}
	p := v.post("/report", aForm.with(fields{titleField: "pay\u202Elive\u0007 \u200Bnow", crimeField: ""}))
	want(t, "what cannot be seen", p.value(titleField), "paylive now")
}

func TestAReportNamesAnyAccountOrHandle(t *testing.T) {
	const tron = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	for things, names := range map[string][]any{
		tron:                                 {"scammerAccounts", "tron:728126428:" + tron},
		"eip155:1:" + thief:                  {"scammerAddresses", thief},
		"https://t.me/Thief":                 {"reportedHandles", "telegram:thief"},
		"Lena@Example.com":                   {"reportedHandles", "email:Lena@example.com"},
		"Telegram @Thief_1":                  {"reportedHandles", "telegram:thief_1"},
		"WhatsApp: +44 20 7946 0958":         {"reportedHandles", "whatsapp:+442079460958"},
		"+44 20 7946 0958, tg lena_trades88": {"reportedHandles", "phone:+442079460958", "telegram:lena_trades88"},
		"@lena_trades88":                     {"reportedHandles", "name:@lena_trades88"},
		"Name: Lena Fischer of Growing Gold": {"reportedHandles", "name:Lena Fischer of Growing Gold"},
	} {
		s := start(t)
		p := s.visitor().post("/report", aForm.with(fields{thingsField: things, platformField: "",
			whoseField: "theirs Lena@example.com\ntheirs +442079460958"}))
		reports, err := s.db.Reports(t.Context(), store.Filter{Page: store.Page{Limit: 5}})
		tocsintest.Must(t, err)
		if p.status >= 400 || len(reports.Reports) != 1 {
			t.Errorf("%s: %d %s", things, p.status, textOf(p.id("errors")))
			continue
		}
		r := reports.Reports[0]
		named := map[string][]string{"scammerAccounts": r.ScammerAccounts, "scammerAddresses": r.ScammerAddresses,
			"reportedHandles": r.ReportedHandles}[names[0].(string)]
		want(t, things, named, names[1:])
	}
}

func TestAmountsAsPeopleWriteThem(t *testing.T) {
	s := start(t)
	v := s.visitor()
	var fresh sites
	for typed, dollars := range map[string]float64{"12,400": 12400, "$1,250.50": 1250.5, "12.400,50": 12400.5,
		"1250.5": 1250.5, "12,50": 12.5, "about 1 234 567 USD": 1234567, "12'400.05": 12400.05,
		"1,25,000": 125000, "1.250.500": 1250500, "0": 0, "US$ 10": 10, "0.50": 0.5} {
		p := v.post("/report", aForm.with(fields{titleField: typed, amountField: typed, thingsField: fresh.next()}))
		want(t, typed, []any{p.status, s.storedReport(p).AmountLost}, []any{200, dollars})
	}
	for _, typed := range []string{"12.400", "1,2,3", "12,400.505", "1e6", "5 of 7", "12,40,0", "1.2.3", "12.",
		"−5", "$", "1 USD 2"} {
		want(t, typed, v.post("/report", aForm.with(fields{amountField: typed})).status, 422)
	}
	for typed, currency := range map[string]string{"2 ETH": "ETH", "€ 4.000,50": "EUR", "0,05123 btc": "BTC",
		"85,000.50 MXN": "MXN", "100 mil pesos": "PESOS"} {
		r := s.storedReport(v.post("/report", aForm.with(fields{amountField: typed, thingsField: fresh.next()})))
		want(t, typed, []any{r.AmountLost, r.Currency, r.Description},
			[]any{0.0, currency, aForm[storyField] + "\n\nAmount lost: " + typed})
	}
}

func TestASecretIsRefusedAndNotShownAgain(t *testing.T) {
	s := start(t)
	v := s.visitor()
	phrase := aPhrase
	digits := strings.Repeat("ab", 32)
	for _, typed := range []string{phrase, strings.ReplaceAll(phrase, " ", "\n"),
		"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "my private key: " + aHash, digits} {
		for _, field := range newForm(english(), nil).Fields {
			if slices.Contains(choices, field.Name) || field.Name == storyField || typed != phrase &&
				!slices.Contains([]string{thingsField, hashField, linkField}, field.Name) || typed == digits &&
				field.Name == hashField { // there it is the hash of a transaction
				continue
			}
			form := aForm.with(fields{field.Name: "So " + typed + " it is"})
			p := v.post("/report", form)
			want(t, field.Name+": "+typed, []any{p.status, p.value(field.Name)}, []any{422, ""})
			p.says("There was a recovery phrase or a private key in it.")
			for _, part := range strings.Fields(typed) {
				if len(part) > 4 && part != "private" && part != "thank" && strings.Contains(p.html, part) {
					t.Errorf("%s shows %q", field.Name, part)
				}
			}
			delete(form, field.Name)
			p.keeps(form)
			s.addSecrets(typed) // and none is in the log
		}
	}
	p := v.post("/report", aForm.with(fields{linkField: "https://x.example/?p=" + strings.ReplaceAll(phrase, " ", "+"),
		thingsField: "https://x.example/" + strings.ReplaceAll(phrase, " ", "-")}))
	want(t, "in links", []any{p.status, strings.HasPrefix(p.title(), "2 things"), strings.Contains(p.html, "sausage")},
		[]any{422, true, false})
	want(t, "nothing was filed", len(v.get("/reports").class("entry")), 0)
}

func TestNothingIsLostWhenTooManyWereFiled(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Filings = 1 })
	v := s.visitor()
	want(t, "the first", v.post("/report", aForm).status, 200)
	s.Sleep(time.Second)
	second := aForm.with(fields{titleField: "Another title that I wrote", amountField: "77"})
	p := v.post("/report", second)
	wait := 0
	fmt.Sscan(p.header.Get("Retry-After"), &wait)
	want(t, "the second", []any{p.status, wait > 0 && wait <= 3600,
		strings.HasPrefix(p.title(), "Your report was not filed yet")}, []any{429, true, true})
	p.says("Nothing is lost: all that you typed is below. Send it again in 60 minutes.")
	p.keeps(second)
	p = v.post("/report", aForm) // a lost response can be had again
	want(t, "the first again", []any{p.status, strings.Contains(p.main(), "We have this report already")},
		[]any{200, true})
	s.Sleep(time.Hour)
	want(t, "an hour later", v.post("/report", second).status, 200)
}

func TestWhoIsSignedInFilesUnderTheKey(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.get("/report").says("No account, no wallet, no fee.")
	v.post("/report", written(nil)).says("Your network address. We keep a hash of it", "By anonymous")
	v.signIn(tocsintest.NewAccount(t))
	v.get("/report").says("You are signed in, so the report counts for more. It will show no name.")
	v.post("/report", written(nil)).says("Your wallet.", "By a reporter with a key")
	p := v.post("/report", aForm)
	one := s.storedReport(p)
	want(t, "filed", []any{p.status, strings.HasPrefix(one.Reporter.ID, "agt_"), one.Reporter.Name}, []any{200, true, ""})
	p.says("By a reporter with a key")

	a := tocsintest.NewAccount(t)
	s.key(a.Address, "<b>Watchdog</b>", nil)
	v.signIn(a)
	v.get("/report").says("It will show your name, <b>Watchdog</b>.")
	p = v.post("/report", aForm)
	want(t, "another, of somebody else", []any{p.status, s.storedReport(p).Reporter.Name}, []any{200, "<b>Watchdog</b>"})
	p.says("By <b>Watchdog</b>")
	v.post("/account", fields{"do": "signout"})
	want(t, "signed out", s.storedReport(v.post("/report", aForm)).Reporter.ID, "")
}
