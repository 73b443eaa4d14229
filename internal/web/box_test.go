package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestWhatMayBeATransactionIsNoMistake, and what to do if it is a private key is said before any link.
func TestWhatMayBeATransactionIsNoMistake(t *testing.T) {
	v := start(t).visitor()
	for _, typed := range []string{aHash[2:], strings.ToUpper(aHash[2:]), strings.Repeat("5", 88)} {
		p := v.get("/screen?q=" + typed)
		p.says("This looks like a transaction", "A private key looks the same.",
			"looked in the reports for its first ten characters alone.", "Copy the address behind “To”.")
		want(t, typed, []any{p.status, strings.HasPrefix(p.title(), "This looks like a transaction"),
			strings.Contains(p.title(), typed)}, []any{200, true, false})
	}
	links := v.get("/screen?q=" + aHash[2:]).links()
	for _, to := range []string{"https://tronscan.org/#/transaction/", "https://mempool.space/tx/"} {
		want(t, to, slices.Contains(links, to+aHash[2:]), true)
	}
	for _, typed := range []string{"my key " + aHash[2:], "private key: " + aHash[2:]} {
		want(t, typed, v.get("/screen?q="+url.QueryEscape(typed)).status, 400)
	}
}

func TestATransactionOfAnotherChainIsFiledOnceItIsSaidToBeOne(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{thingsField: "evil.example\n" + aHash[2:]})
	p := v.post("/report", form)
	want(t, "at first", []any{p.status, len(p.class("pick"))}, []any{422, 1})
	p = v.post("/report", form.with(fields{hashesField: "tx"}))
	want(t, "then", []any{p.status, s.storedReport(p).Evidence.TransactionHashes}, []any{200, []string{aHash[2:]}})
	p = v.get("/report?" + url.Values{"typed": {"tx " + aHash[2:]}}.Encode())
	want(t, "from the box", p.value(thingsField), "tx "+aHash[2:])
}

func TestAnAmountThatCanBeReadInTwoWaysIsChosen(t *testing.T) {
	s := start(t)
	v := s.visitor()
	for _, c := range []struct {
		accepted, typed, meant string
		choices                int
		dollars                float64
		currency               string
	}{
		{"en", "4.000", "400000", 2, 4000, "USD"},
		{"en", "4.000", "400", 2, 4, "USD"},
		{"de", "4.000", "", 0, 4000, "USD"},
		{"de", "4,000", "400000", 2, 4000, "USD"},
		{"es", "12 400 USDT", "", 0, 12400, "USDT"},
		{"es", "4 000,50 USDT", "", 0, 4000.5, "USDT"},
	} {
		about := c.typed + " in " + c.accepted
		form := aForm.with(fields{amountField: c.typed, titleField: about + c.meant})
		if c.choices > 0 {
			p := v.post("/report", form, "Accept-Language: "+c.accepted)
			want(t, about, []any{p.status, len(p.class("pick"))}, []any{422, c.choices})
		}
		p := v.post("/report", form.with(fields{meantField: c.meant}), "Accept-Language: "+c.accepted)
		stored := s.storedReport(p)
		want(t, about, []any{p.status, stored.AmountLost, stored.Currency}, []any{200, c.dollars, c.currency})
	}
	p := v.post("/report", aForm.with(fields{amountField: "4.000", meantField: "500"}))
	want(t, "a choice of another amount", p.status, 422)
}

// TestAnAmountOfAnotherCurrencyIsKeptAsItWasTyped, in the story: nobody else can convert it.
func TestAnAmountOfAnotherCurrencyIsKeptAsItWasTyped(t *testing.T) {
	s := start(t)
	v := s.visitor()
	for typed, currency := range map[string]string{"4.000 €": "EUR", "4000 euros": "EUR", "0,5 BTC": "BTC", "£50": "GBP"} {
		p := v.post("/report", aForm.with(fields{amountField: typed, titleField: typed}), "Accept-Language: es")
		stored := s.storedReport(p)
		want(t, typed, []any{p.status, stored.AmountLost, stored.Currency}, []any{200, 0, currency})
		p.says("Lost " + typed)
		want(t, typed+" in the story", strings.HasSuffix(stored.Description, "\n\nImporte perdido: "+typed), true)
	}
	both := v.post("/report", aForm.with(fields{titleField: "both", amountField: "4000 USDT", currencyField: "usdc"}))
	want(t, "what was chosen counts", s.storedReport(both).Currency, "USDC")
	p := v.post("/report", aForm.with(fields{amountField: "4 000,50 USDT"}), "Accept-Language: es")
	p.says("4,000.50 USD, in USDT")
	p = v.post("/report", aForm.with(fields{amountField: "mucho"}), "Accept-Language: es")
	p.says("250,50")
}

func TestAnAccountWithAMistakeIsNamedWithItsChain(t *testing.T) {
	v := start(t).visitor()
	p := v.post("/report", aForm.with(fields{thingsField: "ton:UQDKbjIc"}))
	want(t, "an account", p.status, 422)
	p.says("This looks like an address of TON, and is not one:")
}

func TestANameForWalletsIsNoDomain(t *testing.T) {
	v := start(t).visitor()
	for name, chain := range map[string]string{"lena.trx": "Tron", "Lena.SOL": "Solana", "lena.ton": "TON",
		"lena.btc": "Bitcoin", "lena.bnb": "BNB Chain", "lena.crypto": ""} {
		p := v.get("/screen?q=" + name)
		want(t, name, p.status, 200)
		p.says(name+" is a name for wallets", "This server cannot look that up.")
		if chain != "" {
			p.says("an address of " + chain)
		}
	}
	want(t, "in a report", v.post("/report", aForm.with(fields{thingsField: "lena.sol"})).status, 422)
}

func TestTheHomePageLooksUpWhatItsAddressAsksFor(t *testing.T) {
	v := start(t).visitor()
	want(t, "a site", v.get("/?q=evil.example").header.Get("Location"), "/screen/evil.example?asked=1")
	want(t, "nothing", v.get("/?q=+").status, 200)
}

// TestNamesOfAReportAreShown where the report was found by one of them, and with what the report is about.
func TestNamesOfAReportAreShown(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.post("/report", aForm.with(fields{thingsField: "evil.example\ntelegram: lena_trades88"}))
	p := v.get("/reports?q=%40lena_trades88")
	p.says("Telegram: lena_trades88")
	p = v.get("/screen/evil.example")
	p.says("People who reported this also named these.", "Telegram: lena_trades88")
	path := "/reports?asked=1&handle=telegram%3Alena_trades88&q=%40lena_trades88"
	want(t, "its search", slices.Contains(p.links(), path), true)
	v.get(path).says("1 report mentions “@lena_trades88”")
}

// TestASiteAndItsAddressAreAnsweredTogether, the worst first; each counts as on its own page.
func TestASiteAndItsAddressAreAnsweredTogether(t *testing.T) {
	s := alarms(t, 2)
	v := s.visitor()
	const link = "sec-fetch-site: same-origin"
	both := func(texts ...string) *response { return v.get("/?q="+url.QueryEscape(strings.Join(texts, " ")), link) }
	p := both("https://fine-1.example/pay", "bad-1.example")
	p.says("Stop: we warn of one of these.", "Close it: pay nothing, connect nothing.", "bad-1[.]example",
		"fine-1[.]example")
	first := strings.Index(p.html, `href="/screen/bad-1.example"`)
	second := strings.Index(p.html, `href="/screen/fine-1.example"`)
	want(t, "the worst first", []any{p.status, 0 < first && first < second}, []any{200, true})
	both("fine-2.example", "bad-2.example").says("fine-2[.]example", "Nobody has reported this site")
	p = both("fine-3.example", "bad-3.example")
	p.says("bad-3[.]example", "No look-up was left for it.",
		"Warnings of Medium and above are shown all the same")
	want(t, "what was shown stays free", v.get("/screen/fine-2.example").status, 200)
	want(t, "what was not stays shut", v.get("/screen/fine-3.example").status, 429)
}

// TestASecretIsAnsweredWithWhatToDo, and is not repeated.
func TestASecretIsAnsweredWithWhatToDo(t *testing.T) {
	v := start(t).visitor()
	p := v.get(asking(aPhrase))
	want(t, "answer", []any{p.status, p.h1()}, []any{400, "Is this your recovery phrase?"})
	p.says("We kept nothing and do not show it again.", "make a new wallet with a new phrase")
	lacks(t, p, aPhrase, "transaction", "write tx before it")
	digits := strings.Repeat("4c0883a6", 8)
	for _, key := range []string{"my private key " + digits, digits} {
		v.post("/screen", fields{"q": key}).says("private key", "transaction")
	}
}

// TestASecretInASearchFieldIsInNoAddress: it is posted, and answered without a redirect. What is no secret has a page.
func TestASecretInASearchFieldIsInNoAddress(t *testing.T) {
	v := start(t).visitor()
	p := v.post("/screen", fields{"q": aPhrase})
	want(t, "a phrase", []any{p.status, p.h1()}, []any{400, "Is this your recovery phrase?"})
	lacks(t, p, aPhrase)
	lacks(t, p, "what you typed is in its address")
	v.get(asking(aPhrase)).says("what you typed is in its address")
	key := strings.Repeat("0123456789abcdef", 4)
	want(t, "what may be a key", v.post("/screen", fields{"q": key}).status, 200)
	want(t, "a key as wallets write it", v.post("/screen", fields{"q": "0x" + key}).status, 200)
	p = v.post("/screen", fields{"q": strings.Repeat("He wrote to me. ", 150) + aPhrase})
	want(t, "at the end of a long chat", []any{p.status, p.header.Get("Location")}, []any{400, ""})
	p = v.post("/screen", fields{"q": strings.Repeat("他给我写信。", 50)})
	want(t, "too long for a header", len(p.header.Get("Location")) < 2000, true)
	p = v.post("/screen", fields{"q": key + " one.example"})
	want(t, "beside a site", []any{p.status, p.header.Get("Location")}, []any{303, "/screen/one.example?beside=1&asked=1"})
	p = v.post("/screen", fields{"q": " one.example two.example "})
	want(t, "no secret", []any{p.status, p.header.Get("Location")}, []any{303, findPath("one.example two.example")})
	want(t, "from elsewhere", v.post("/screen", fields{"q": aPhrase}, "sec-fetch-site: cross-site").status, 403)
}

func TestAPaymentPageIsThatOfItsHostWithWww(t *testing.T) {
	v := start(t).visitor()
	v.get(asking("www.paypal.me/johnsmith")).says("Anyone can take payments on paypal.me: who gets it?")
	v.get("/screen/www.paypal.me").says("anyone can take payments here")
}

// TestASpaceInTheNameOfASiteIsAskedAbout, in the box and in the form.
func TestASpaceInTheNameOfASiteIsAskedAbout(t *testing.T) {
	v := start(t).visitor()
	p := v.get(asking("lena-invest. vip"))
	want(t, "the box", []any{p.status, p.h1()}, []any{200, "Did you mean lena-invest.vip?"})
	p = v.post("/report", aForm.with(fields{thingsField: "lena-invest. vip"}))
	want(t, "the form", p.status, 422)
	p.says("Did you mean lena-invest.vip? Then write it without the space.")
	handle := v.get(asking("insta: lena.gold")).header.Get("Location")
	want(t, "a handle", handle, "/reports?asked=1&handle=instagram%3Alena.gold&q=%40lena.gold")
}

// TestWhoCannotGetTheirMoneyOutIsWarned before they pay a fee for it.
func TestWhoCannotGetTheirMoneyOutIsWarned(t *testing.T) {
	v := start(t).visitor()
	for text, says := range map[string]string{
		"I sent money to a man called Daniel and now I cannot withdraw, is it a scam?": "It sounds as if you cannot get " +
			"your money out. Pay no fee.",
		"no puedo retirar": "Pay no fee.",
		"Dear customer, your account is ready. Please pay the 15% tax to unlock the withdrawal of your profit today": "A " +
			"fee or tax to pay out is how this fraud works.",
	} {
		p := v.get("/screen?" + url.Values{"q": {text}}.Encode())
		if at := p.header.Get("Location"); at != "" {
			p = v.get(at)
		}
		p.says(says, "What to do now")
	}
}

// TestAWordIsNoAccount: an account that no report names is not as notorious as the word in its name.
func TestAWordIsNoAccount(t *testing.T) {
	s := start(t)
	s.file(draft{"title": "My MetaMask wallet was drained", "reportedDomains": []string{"evil.example"}})
	s.file(draft{"title": "A false support drained my MetaMask", "reportedDomains": []string{"evil2.example"}})
	v := s.visitor()
	for _, typed := range []string{"@MetaMask", "https://t.me/MetaMask"} {
		p := v.types(typed)
		want(t, typed, strings.ToLower(p.h1()), "no report names the account @metamask")
		p.says("2 reports contain the word “", "they may be about other things.", "It may still be a scam.",
			"A false support drained my MetaMask")
	}
	v.get("/screen?q=" + url.QueryEscape("@MetaMask https://a.example")).says("No report mentions it.")
	s.file(draft{"title": "Telegram fraud", "reportedHandles": []string{"telegram:metamask"}})
	p := v.types("@MetaMask")
	want(t, "named", p.h1(), "1 report mentions “@MetaMask”")
	want(t, "others", strings.Contains(p.main(), "A false support"), false)
}
