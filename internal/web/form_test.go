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
	p := v.post("/report", aForm.with(fields{domainField: "https://one.example/claim?ref=1", addressField: nobody,
		amountField: "12,400", currencyField: "usdt", dateField: "2026-01-31", hashField: aHash,
		linkField:     "https://news.example/story",
		telegramField: "@thief", whatsappField: "+1 555 0100", facebookField: "thief",
		otherField: "thief@mail.example", projectField: "Claim One"}))
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
	want(t, "accounts", one.SocialMedia, map[string]string{"whatsapp": "+1 555 0100", "telegram": "@thief",
		"facebook": "thief", "other": "thief@mail.example"})
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
	want(t, "it is the same, without its token", shown, []any{s.storedReport(first).ID, false, false})
	if err := s.db.Hide(t.Context(), store.Operator{}, s.storedReport(first).ID); err != nil {
		t.Fatal(err)
	}
	third := v.post("/report", aForm)
	want(t, "hidden since", []any{third.status, third.h1(), strings.Contains(third.html, aForm[titleField])},
		[]any{200, "We have this report already", false})
	third.says("does not show it")
}

func TestALinkToTheFormNamesTheSubject(t *testing.T) {
	v := start(t).visitor()
	for query, boxes := range map[string][2]string{
		"": {}, "?subject=" + strings.ToLower(nobody): {nobody, ""}, "?subject=https://Evil.example/x&subject=nonsense": {"",
			"evil.example"},
		"?subject=" + nobody + "&subject=evil.example&subject=" + other: {nobody + "\n" + other, "evil.example"},
		"?subject=%3Cscript%3E": {},
	} {
		p := v.get("/report" + query)
		want(t, p.about, [2]string{p.value(addressField), p.value(domainField)}, boxes)
	}
}

func TestWhatPeoplePasteIsUnderstood(t *testing.T) {
	s := start(t)
	v := s.visitor()
	var fresh sites
	for about, c := range map[string]struct {
		addresses, domains string
		wanted             []string
		sites              int
	}{
		"a link to a block explorer": {"https://etherscan.io/address/" + nobody + "#code", "", []string{nobody}, 0},
		"a token on one": {"https://basescan.org/token/" + strings.ToLower(nobody), "",
			[]string{nobody}, 0},
		"several on a line": {nobody + ", " + other + ";" + strings.ToLower(nobody), "",
			[]string{nobody, other}, 0},
		"labels beside them": {"Wallet 1: " + nobody + " (USDT)\n- \"" + other + "\".", "",
			[]string{nobody, other}, 0},
		"without 0x":                           {strings.ToLower(nobody[2:]), "", []string{nobody}, 0},
		"with its chain":                       {"eip155:1:" + nobody, "", []string{nobody}, 0},
		"a site among the addresses":           {"https://SITE/claim", "", nil, 1},
		"a bare site among the addresses":      {nobody + "\nSITE", "", []string{nobody}, 1},
		"an address among the sites":           {"", nobody + " SITE", []string{nobody}, 1},
		"a defanged site":                      {"", "hxxps://SITE[.]com/x,y", nil, 1},
		"sites in a sentence":                  {"", "I met him on SITE.", nil, 1},
		"a port":                               {"", "SITE:8443", nil, 1},
		"an address in the question of a site": {"", "https://SITE/claim?ref=" + nobody, nil, 1},
		"lines as a browser ends them":         {nobody + "\r\n" + other + "\r\n", "SITE\r\n", []string{nobody, other}, 1},
		"a non-breaking space":                 {nobody + "\u00a0" + other, "", []string{nobody, other}, 0},
	} {
		one := fresh.next()
		p := v.post("/report", aForm.with(fields{titleField: about, addressField: strings.ReplaceAll(c.addresses, "SITE",
			one), domainField: strings.ReplaceAll(c.domains, "SITE", one)}))
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
	p := v.post("/report", aForm.with(fields{domainField: fresh.next(), addressField: "https://etherscan.io/tx/" +
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
		"no kind": {fields{crimeField: ""}, crimeField, "What happened: choose one",
			"Choose what comes closest"},
		"another kind": {fields{crimeField: "nonsense"}, crimeField, "What happened: choose one",
			"Choose what comes closest"},
		"no title": {fields{titleField: " "}, titleField, "In one line: it is empty", "Say in one line"},
		"no story": {fields{storyField: ""}, storyField, "in your words: it is empty", "a sentence or two"},
		"nobody named": {fields{domainField: ""}, addressField, "it names nothing of theirs",
			"Name at least one"},
		"41 digits": {fields{addressField: nobody + "\n" + other + "1"}, addressField,
			"Addresses, line 2: one digit too many", "Line 2 has 41 digits after 0x; an address has 40. Was the last “1” meant"},
		"39 digits": {fields{addressField: other[:41]}, addressField, "Addresses: one digit too few",
			"This has 39 digits"},
		"20 digits": {fields{addressField: other[:22]}, addressField, "Addresses: 20 digits, not 40",
			"This has 20 digits"},
		"a wrong letter": {fields{addressField: strings.Replace(other, "F2", "G2", 1)}, addressField,
			"a character that no address has", "the character “G”"},
		"a wrong checksum": {fields{addressField: "\n" + strings.Replace(other, "dA", "Da", 1)}, addressField,
			"a digit may be mistyped", "its capital letters are a checksum"},
		"cut short": {fields{addressField: "0xd8dA6BF2…A96045"}, addressField, "the middle is missing",
			"is cut short"},
		"a bare hash": {fields{addressField: aHash}, addressField, "a transaction, not an address",
			"64 digits after 0x"},
		"two in a link": {fields{addressField: "https://etherscan.io/token/" + nobody + "?a=" + other}, addressField,
			"more than one address", "Paste the one that is theirs"},
		"whose address": {fields{addressField: "https://claim.example/?wallet=" + other}, addressField,
			"whose address is it", "may be your own"},
		"Bitcoin": {fields{addressField: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdr"}, addressField,
			"an address with a mistake", "the checksum of this address of Bitcoin does not hold"},
		"Solana": {fields{addressField: "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"}, addressField,
			"an address of Solana?", "write solana: before it"},
		"a handle": {fields{domainField: "@thief"}, domainField, "a name in a chat", "their Telegram"},
		"a name of ENS": {fields{addressField: "thief.eth"}, addressField, "a name, not an address",
			"is an ENS name: "},
		"words":   {fields{addressField: "I do not know"}, addressField, "no address", "“I” is not one"},
		"no site": {fields{domainField: "growing gold"}, domainField, "no website", "“growing” is not one"},
		"a shared host": {fields{domainField: "x.example\nhttps://t.me"}, domainField,
			"Websites, line 2: t.me belongs to many", "unrelated people have pages"},
		"an IP address": {fields{domainField: "http://192.0.2.1/x"}, domainField, "a number, not a name", "192.0.2.1."},
		"a bare IP address": {fields{domainField: "192.0.2.1"}, domainField, "a number, not a name",
			"the number of a computer"},
		"a known site": {fields{domainField: "claim-two.example\nuniswap.org"}, domainField,
			"Websites, line 2: uniswap.org is a well-known site", "many honest people use"},
		"two readings": {fields{amountField: "12.400"}, amountField, "Amount: it is not clear",
			"Write 12400 if it was thousands, or 12.40"},
		"another currency": {fields{amountField: "2 ETH"}, amountField, "Amount", "worth in US dollars that day"},
		"no number":        {fields{amountField: "a lot"}, amountField, "Amount", "Write a number"},
		"a minus":          {fields{amountField: "-5"}, amountField, "Amount", "without a minus"},
		"too much":         {fields{amountField: "99999999999999999999999"}, amountField, "Amount", "a trillion"},
		"no currency":      {fields{currencyField: "US dollars"}, currencyField, "What was lost", "short name"},
		"tomorrow":         {fields{dateField: "2999-01-01"}, dateField, "When: it lies in the future", "future"},
		"an unclear day":   {fields{dateField: "1/2/2026"}, dateField, "When: not a date", "2026-01-31"},
		"a short hash": {fields{hashField: aHash + "\n0x12"}, hashField, "Transactions, line 2: 2 digits, not 64",
			"Line 2 has 2 digits"},
		"an address for a hash": {fields{hashField: nobody}, hashField, "an address, not a transaction",
			"under their addresses"},
		"a hash without its 0x": {fields{hashField: aHash[2:]}, hashField, "the 0x is missing", "lacks the 0x"},
		"a link for a hash": {fields{hashField: "https://x.example/y"}, hashField, "a link without a transaction",
			"Put it under links"},
		"words for a hash": {fields{hashField: "none"}, hashField, "no transaction", "“none” is not one"},
		"no link":          {fields{linkField: "ask my brother"}, linkField, "Links: no link", "“ask” is not one"},
		"another scheme": {fields{linkField: "javascript://x/alert(1)"}, linkField, "Links: no link",
			"not an http or https URL"},
		"a long title": {fields{titleField: strings.Repeat("x", 201)}, titleField, "too long",
			"201 characters, 200 are allowed"},
		"a long story": {fields{storyField: strings.Repeat("x", 10_001)}, storyField, "too long", "Shorten it"},
		"a long handle": {fields{telegramField: strings.Repeat("x", 201)}, telegramField, "Telegram",
			"200 are allowed"},
		"a long project": {fields{projectField: strings.Repeat("x", 201)}, projectField, "Project", "200 are allowed"},
		"too many": {fields{addressField: strings.Join(many, " ")}, addressField, "Addresses",
			"100 are allowed"},
		"far too many": {fields{domainField: strings.Repeat("a.example ", 1001)}, domainField,
			"more than we can read", "more than we can read at once"},
		"many wrong lines": {fields{addressField: strings.Repeat("0x12\n", 8) + "x"}, addressField, "Addresses: 4 more",
			"And 4 more."},
	} {
		form := aForm.with(c.form)
		p := v.post("/report", form)
		errors := p.id("errors")
		title, _, _ := strings.Cut(p.title(), " – ")
		want(t, about, []any{p.status, attr(errors, "role"), strings.HasSuffix(p.title(), " – Report a scam – Tocsin"),
			textOf(below(errors, "h2")...)}, []any{422, "alert", true, title})
		if !regexp.MustCompile(`^(?:1 thing needs|\d+ things need) another look$`).MatchString(title) {
			t.Errorf("%s: %s", about, title)
		}
		if summary := textOf(errors); !strings.Contains(summary, c.summary) {
			t.Errorf("%s: the summary says %s", about, summary)
		}
		if thing := textOf(p.id(c.at + "-e")); !strings.Contains(thing, c.thing) {
			t.Errorf("%s: at the box stands %s", about, thing)
		}
		field := p.id(c.at)
		if c.at == crimeField {
			field = p.class("picks")[0]
		}
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
	for about, c := range map[string]struct {
		typed fields
		names []any
	}{
		"an address of Tron": {fields{addressField: tron}, []any{"scammerAccounts", "tron:728126428:" + tron}},
		"of an EVM chain":    {fields{addressField: "eip155:1:" + thief}, []any{"scammerAddresses", thief}},
		"a link to a chat":   {fields{domainField: "https://t.me/Thief"}, []any{"reportedHandles", "telegram:thief"}},
		"a mail address":     {fields{addressField: "Lena@Example.com"}, []any{"reportedHandles", "email:Lena@example.com"}},
		"a name in Telegram": {fields{telegramField: "@Thief_1"}, []any{"reportedHandles", "telegram:thief_1"}},
		"a number":           {fields{whatsappField: "+44 20 7946 0958"}, []any{"reportedHandles", "whatsapp:+442079460958"}},
		"an account of a kind": {fields{otherField: "Lena Fischer, on a dating site"},
			[]any{"reportedHandles", "name:Lena Fischer, on a dating site"}},
	} {
		s := start(t)
		p := s.visitor().post("/report", aForm.with(fields{addressField: "", domainField: ""}).with(c.typed))
		reports, err := s.db.Reports(t.Context(), store.Filter{Page: store.Page{Limit: 5}})
		tocsintest.Must(t, err)
		if p.status >= 400 || len(reports.Reports) != 1 {
			t.Errorf("%s: %d %s", about, p.status, textOf(p.id("errors")))
			continue
		}
		r := reports.Reports[0]
		named := map[string][]string{"scammerAccounts": r.ScammerAccounts, "scammerAddresses": r.ScammerAddresses,
			"reportedHandles": r.ReportedHandles}[c.names[0].(string)]
		want(t, about, named, c.names[1:])
	}
}

func TestAmountsAsPeopleWriteThem(t *testing.T) {
	s := start(t)
	v := s.visitor()
	var fresh sites
	for typed, dollars := range map[string]float64{"12,400": 12400, "$1,250.50": 1250.5, "12.400,50": 12400.5,
		"1250.5": 1250.5, "12,50": 12.5, "about 1 234 567 USD": 1234567, "12'400.05": 12400.05,
		"1,25,000": 125000, "1.250.500": 1250500, "0": 0, "US$ 10": 10, "0.50": 0.5} {
		p := v.post("/report", aForm.with(fields{titleField: typed, amountField: typed, domainField: fresh.next()}))
		want(t, typed, []any{p.status, s.storedReport(p).AmountLost}, []any{200, dollars})
	}
	for _, typed := range []string{"12.400", "1,2,3", "12,400.505", "1e6", "5 million", "€50", "12,40,0", "1.2.3", "12.",
		"−5", "$", "1 USD 2"} {
		want(t, typed, v.post("/report", aForm.with(fields{amountField: typed})).status, 422)
	}
}

func TestASecretIsRefusedAndNotShownAgain(t *testing.T) {
	s := start(t)
	v := s.visitor()
	phrase := aPhrase
	digits := strings.Repeat("ab", 32)
	for _, typed := range []string{phrase, strings.ReplaceAll(phrase, " ", "\n"),
		"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "my private key: " + aHash, digits} {
		for _, field := range newForm(nil).Fields {
			if field.Name == crimeField || typed != phrase &&
				!slices.Contains([]string{addressField, storyField, hashField, linkField, telegramField},
					field.Name) || typed == digits && field.Name == hashField { // there it is a hash that lacks its 0x
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
		addressField: "https://x.example/" + strings.ReplaceAll(phrase, " ", "-")}))
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
	v.get("/report").says("No account, no wallet, no fee.", "we keep a hash of it")
	v.signIn(tocsintest.NewAccount(t))
	v.get("/report").says("You are signed in: the report will stand under your key, without a name", "Not your wallet.")
	p := v.post("/report", aForm)
	one := s.storedReport(p)
	want(t, "filed", []any{p.status, strings.HasPrefix(one.Reporter.ID, "agt_"), one.Reporter.Name}, []any{200, true, ""})
	p.says("By a reporter with a key")

	a := tocsintest.NewAccount(t)
	s.key(a.Address, "<b>Watchdog</b>", nil)
	v.signIn(a)
	v.get("/report").says("under your name, <b>Watchdog</b>, and count for more", "the name that you gave your key")
	p = v.post("/report", aForm)
	want(t, "by somebody else, it is another", []any{p.status, s.storedReport(p).Reporter.Name},
		[]any{200, "<b>Watchdog</b>"})
	p.says("By <b>Watchdog</b>")
	v.post("/account", fields{"do": "signout"})
	want(t, "signed out", s.storedReport(v.post("/report", aForm)).Reporter.ID, "")
}
