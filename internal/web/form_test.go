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

	"tocsin/internal/tocsintest"
)

// keeps holds that a form still has what was typed into it.
func (p *got) keeps(form fields) {
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
	p := v.post("/report", aForm.with(fields{domainBox: "https://one.example/claim?ref=1", addressBox: nobody, amountBox: "12,400", currencyBox: "usdt", dateBox: "2026-01-31", hashBox: aHash, linkBox: "https://news.example/story",
		telegramBox: "@thief", whatsappBox: "+1 555 0100", facebookBox: "thief", elsewhereBox: "thief@mail.example", projectBox: "Claim One"}))
	want(t, "filed", []any{p.status, p.title()}, []any{201, "Your report is public – A page took my approval – Tocsin"})
	token := verbatim(p.id("manage"))
	want(t, "the token", []any{secret.MatchString(token), strings.Count(p.html, token), p.header.Get("Cache-Control"), p.header.Get("Content-Encoding")}, []any{true, 1, "no-store", ""})
	one := s.stored(p)
	want(t, "where it is", []any{p.header.Get("Location"), slices.Contains(p.links(), s.base+"/reports/"+one.ID)}, []any{"/reports/" + one.ID, true})
	want(t, "subjects", []any{one.ScammerAddresses, one.ReportedDomains}, []any{[]string{nobody}, []string{"one.example"}})
	want(t, "facts", []any{one.AmountLost, one.Currency, one.IncidentDate, one.SubjectProjectName}, []any{12400, "USDT", "2026-01-31", "Claim One"})
	want(t, "evidence", []any{one.Evidence.URLs, one.Evidence.TransactionHashes}, []any{[]string{"https://news.example/story", "https://one.example/claim?ref=1"}, []string{aHash}})
	want(t, "accounts", one.SocialMedia, map[string]string{"whatsapp": "+1 555 0100", "telegram": "@thief", "facebook": "thief", "other": "thief@mail.example"})
	if strings.Contains(v.get(p.header.Get("Location")).html, token) {
		t.Error("the token is shown twice")
	}
}

func TestTheSameReportTwiceIsFiledOnce(t *testing.T) {
	s := start(t)
	v := s.visitor()
	first, second := v.post("/report", aForm), v.post("/report", aForm)
	want(t, "statuses", []int{first.status, second.status}, []int{201, 200})
	second.says("We have this report already.", "Nothing was filed twice.")
	want(t, "it is the same, without its token", []any{s.stored(second).ID, strings.Contains(second.html, `id="manage"`), secret.MatchString(second.html)}, []any{s.stored(first).ID, false, false})
	if err := s.db.Hide(t.Context(), s.stored(first).ID); err != nil {
		t.Fatal(err)
	}
	third := v.post("/report", aForm)
	want(t, "hidden since", []any{third.status, third.h1(), strings.Contains(third.html, aForm[titleBox])}, []any{200, "We have this report already", false})
	third.says("does not show it")
}

func TestALinkToTheFormNamesTheSubject(t *testing.T) {
	v := start(t).visitor()
	for query, boxes := range map[string][2]string{
		"": {}, "?subject=" + strings.ToLower(nobody): {nobody, ""}, "?subject=https://Evil.example/x&subject=nonsense": {"", "evil.example"},
		"?subject=" + nobody + "&subject=evil.example&subject=" + other: {nobody + "\n" + other, "evil.example"}, "?subject=%3Cscript%3E": {},
	} {
		p := v.get("/report" + query)
		want(t, p.about, [2]string{p.value(addressBox), p.value(domainBox)}, boxes)
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
		"a link to a block explorer":           {"https://etherscan.io/address/" + nobody + "#code", "", []string{nobody}, 0},
		"a token on one":                       {"https://basescan.org/token/" + strings.ToLower(nobody), "", []string{nobody}, 0},
		"several on a line":                    {nobody + ", " + other + ";" + strings.ToLower(nobody), "", []string{nobody, other}, 0},
		"labels beside them":                   {"Wallet 1: " + nobody + " (USDT)\n- \"" + other + "\".", "", []string{nobody, other}, 0},
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
		p := v.post("/report", aForm.with(fields{titleBox: about, addressBox: strings.ReplaceAll(c.addresses, "SITE", one), domainBox: strings.ReplaceAll(c.domains, "SITE", one)}))
		if p.status != http.StatusCreated {
			t.Errorf("%s: %s", about, p.main())
			continue
		}
		var named []string
		for _, site := range s.stored(p).ReportedDomains {
			named = append(named, strings.TrimSuffix(site, ".com"))
		}
		want(t, about, []any{s.stored(p).ScammerAddresses, named}, []any{c.wanted, []string{one}[:c.sites]})
	}

	var hashes []string
	for _, digit := range []string{"1", "2", "3"} {
		hashes = append(hashes, "0x"+strings.Repeat(digit, 64))
	}
	p := v.post("/report", aForm.with(fields{domainBox: fresh.next(), addressBox: "https://etherscan.io/tx/" + hashes[0], hashBox: "Tx: https://arbiscan.io/tx/" + hashes[1], linkBox: hashes[2] + "\nnews.example/a (x)"}))
	evidence := s.stored(p).Evidence
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
	api := regexp.MustCompile(`evidence\.urls|socialMedia|scammerAddresses|reportedDomains|crimeType|[Ss]end (?:a|0x|one|an) `)
	for about, c := range map[string]struct {
		form           fields
		at             string
		summary, thing string
	}{
		"no kind":               {fields{crimeBox: ""}, crimeBox, "What happened: choose one", "Choose what comes closest"},
		"another kind":          {fields{crimeBox: "nonsense"}, crimeBox, "What happened: choose one", "Choose what comes closest"},
		"no title":              {fields{titleBox: " "}, titleBox, "In one line: it is empty", "Say in one line"},
		"no story":              {fields{storyBox: ""}, storyBox, "in your words: it is empty", "a sentence or two"},
		"nobody named":          {fields{domainBox: ""}, addressBox, "neither an address nor a website", "Name at least one"},
		"41 digits":             {fields{addressBox: nobody + "\n" + other + "1"}, addressBox, "Addresses, line 2: one digit too many", "Line 2 has 41 digits after 0x; an address has 40. Was the last “1” meant"},
		"39 digits":             {fields{addressBox: other[:41]}, addressBox, "Addresses: one digit too few", "This has 39 digits"},
		"20 digits":             {fields{addressBox: other[:22]}, addressBox, "Addresses: 20 digits, not 40", "This has 20 digits"},
		"a wrong letter":        {fields{addressBox: strings.Replace(other, "F2", "G2", 1)}, addressBox, "a character that no address has", "the character “G”"},
		"a wrong checksum":      {fields{addressBox: "\n" + strings.Replace(other, "dA", "Da", 1)}, addressBox, "a digit may be mistyped", "its capital letters are a checksum"},
		"cut short":             {fields{addressBox: "0xd8dA6BF2…A96045"}, addressBox, "the middle is missing", "is cut short"},
		"a bare hash":           {fields{addressBox: aHash}, addressBox, "a transaction, not an address", "64 digits after 0x"},
		"two in a link":         {fields{addressBox: "https://etherscan.io/token/" + nobody + "?a=" + other}, addressBox, "more than one address", "Paste the one that is theirs"},
		"whose address":         {fields{addressBox: "https://claim.example/?wallet=" + other}, addressBox, "whose address is it", "may be your own"},
		"Bitcoin":               {fields{addressBox: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}, addressBox, "another chain", "like an address of Bitcoin"},
		"Tron":                  {fields{addressBox: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"}, addressBox, "another chain", "like an address of Tron"},
		"Solana":                {fields{addressBox: "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"}, addressBox, "another chain", "Solana"},
		"a mail address":        {fields{addressBox: "thief@mail.example"}, addressBox, "a mail address", "another account"},
		"a handle":              {fields{domainBox: "@thief"}, domainBox, "a name in a chat", "their Telegram"},
		"a name of ENS":         {fields{addressBox: "thief.eth"}, addressBox, "a name, not an address", "its owner can point elsewhere"},
		"words":                 {fields{addressBox: "I do not know"}, addressBox, "no address", "“I” is none"},
		"no site":               {fields{domainBox: "growing gold"}, domainBox, "no website", "“growing” is none"},
		"a shared host":         {fields{domainBox: "x.example\nhttps://t.me/thief"}, domainBox, "Websites, line 2: t.me belongs to many", "strangers have pages"},
		"an IP address":         {fields{domainBox: "http://192.0.2.1/x"}, domainBox, "no website", "IP address"},
		"a bare IP address":     {fields{domainBox: "192.0.2.1"}, domainBox, "a number, not a name", "the number of a computer"},
		"a known site":          {fields{domainBox: "claim-two.example\nuniswap.org"}, domainBox, "Websites, line 2: uniswap.org is a well-known site", "many honest people use"},
		"two readings":          {fields{amountBox: "12.400"}, amountBox, "Amount: it is not clear", "Write 12400 if it was thousands, or 12.40"},
		"another currency":      {fields{amountBox: "2 ETH"}, amountBox, "Amount", "worth in US dollars that day"},
		"no number":             {fields{amountBox: "a lot"}, amountBox, "Amount", "Write a number"},
		"a minus":               {fields{amountBox: "-5"}, amountBox, "Amount", "without a minus"},
		"too much":              {fields{amountBox: "99999999999999999999999"}, amountBox, "Amount", "a trillion"},
		"no currency":           {fields{currencyBox: "US dollars"}, currencyBox, "What was lost", "short name"},
		"tomorrow":              {fields{dateBox: "2999-01-01"}, dateBox, "When: it lies in the future", "future"},
		"an unclear day":        {fields{dateBox: "1/2/2026"}, dateBox, "When: not a date", "2026-01-31"},
		"a short hash":          {fields{hashBox: aHash + "\n0x12"}, hashBox, "Transactions, line 2: 2 digits, not 64", "Line 2 has 2 digits"},
		"an address for a hash": {fields{hashBox: nobody}, hashBox, "an address, not a transaction", "under their addresses"},
		"a hash without its 0x": {fields{hashBox: aHash[2:]}, hashBox, "the 0x is missing", "lacks the 0x"},
		"a link for a hash":     {fields{hashBox: "https://x.example/y"}, hashBox, "a link without a transaction", "Put it under links"},
		"words for a hash":      {fields{hashBox: "none"}, hashBox, "no transaction", "“none” is none"},
		"no link":               {fields{linkBox: "ask my brother"}, linkBox, "Links: no link", "“ask” is none"},
		"another scheme":        {fields{linkBox: "javascript://x/alert(1)"}, linkBox, "Links: no link", "not an http or https URL"},
		"a long title":          {fields{titleBox: strings.Repeat("x", 201)}, titleBox, "too long", "201 characters, 200 are allowed"},
		"a long story":          {fields{storyBox: strings.Repeat("x", 10_001)}, storyBox, "too long", "Shorten it"},
		"a long handle":         {fields{telegramBox: strings.Repeat("x", 201)}, telegramBox, "Telegram", "200 are allowed"},
		"a long project":        {fields{projectBox: strings.Repeat("x", 201)}, projectBox, "Project", "200 are allowed"},
		"too many":              {fields{addressBox: strings.Join(many, " ")}, addressBox, "Addresses", "100 are allowed"},
		"far too many":          {fields{domainBox: strings.Repeat("a.example ", 1001)}, domainBox, "more than we can read", "more than we can read at once"},
		"many wrong lines":      {fields{addressBox: strings.Repeat("0x12\n", 8) + "x"}, addressBox, "Addresses: 4 more", "And 4 more."},
	} {
		form := aForm.with(c.form)
		p := v.post("/report", form)
		errors := p.id("errors")
		title, _, _ := strings.Cut(p.title(), " – ")
		want(t, about, []any{p.status, attr(errors, "role"), strings.HasSuffix(p.title(), " – Report a scam – Tocsin"), textOf(below(errors, "h2")...)}, []any{422, "alert", true, title})
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
		if c.at == crimeBox {
			field = p.class("picks")[0]
		}
		want(t, about, []any{attr(field, "aria-invalid"), strings.Fields(attr(field, "aria-describedby"))[0], slices.ContainsFunc(below(errors, "a"), func(a *html.Node) bool { return attr(a, "href") == "#"+c.at })}, []any{"true", c.at + "-e", true})
		if found := api.FindString(p.main()); found != "" {
			t.Errorf("%s: the page has a word of the API: %s", about, found)
		}
		if about == "another kind" {
			form[crimeBox] = ""
		}
		p.keeps(form)
	}
	p := v.post("/report", aForm.with(fields{titleBox: "pay\u202Elive\u0007 \u200Bnow", crimeBox: ""}))
	want(t, "what cannot be seen", p.value(titleBox), "paylive now")
}

func TestAmountsAsPeopleWriteThem(t *testing.T) {
	s := start(t)
	v := s.visitor()
	var fresh sites
	for typed, dollars := range map[string]float64{"12,400": 12400, "$1,250.50": 1250.5, "12.400,50": 12400.5, "1250.5": 1250.5, "12,50": 12.5, "about 1 234 567 USD": 1234567, "12'400.05": 12400.05,
		"1,25,000": 125000, "1.250.500": 1250500, "0": 0, "US$ 10": 10, "0.50": 0.5} {
		p := v.post("/report", aForm.with(fields{titleBox: typed, amountBox: typed, domainBox: fresh.next()}))
		want(t, typed, []any{p.status, s.stored(p).AmountLost}, []any{201, dollars})
	}
	for _, typed := range []string{"12.400", "1,2,3", "12,400.505", "1e6", "5 million", "€50", "12,40,0", "1.2.3", "12.", "−5", "$", "1 USD 2"} {
		want(t, typed, v.post("/report", aForm.with(fields{amountBox: typed})).status, 422)
	}
}

func TestASecretIsRefusedAndNotShownAgain(t *testing.T) {
	s := start(t)
	v := s.visitor()
	phrase := aPhrase
	digits := strings.Repeat("ab", 32)
	for _, typed := range []string{phrase, strings.ReplaceAll(phrase, " ", "\n"), "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "my private key: " + aHash, digits} {
		for _, b := range newForm(nil).Boxes {
			if b.Name == crimeBox || typed != phrase && !slices.Contains([]string{addressBox, storyBox, hashBox, linkBox, telegramBox}, b.Name) || typed == digits && b.Name == hashBox { // there it is a hash that lacks its 0x
				continue
			}
			form := aForm.with(fields{b.Name: "So " + typed + " it is"})
			p := v.post("/report", form)
			want(t, b.Name+": "+typed, []any{p.status, p.value(b.Name)}, []any{422, ""})
			p.says("There was a recovery phrase or a private key in it.")
			for _, part := range strings.Fields(typed) {
				if len(part) > 4 && part != "private" && part != "thank" && strings.Contains(p.html, part) {
					t.Errorf("%s shows %q", b.Name, part)
				}
			}
			delete(form, b.Name)
			p.keeps(form)
			s.keep(typed) // and none is in the log
		}
	}
	p := v.post("/report", aForm.with(fields{linkBox: "https://x.example/?p=" + strings.ReplaceAll(phrase, " ", "+"), addressBox: "https://x.example/" + strings.ReplaceAll(phrase, " ", "-")}))
	want(t, "in links", []any{p.status, strings.HasPrefix(p.title(), "2 things"), strings.Contains(p.html, "sausage")}, []any{422, true, false})
	want(t, "nothing was filed", len(v.get("/reports").class("entry")), 0)
}

func TestNothingIsLostWhenTooManyWereFiled(t *testing.T) {
	s := start(t, func(c *setup) { c.Filings = 1 })
	v := s.visitor()
	want(t, "the first", v.post("/report", aForm).status, 201)
	s.Sleep(time.Second)
	second := aForm.with(fields{titleBox: "Another title that I wrote", amountBox: "77"})
	p := v.post("/report", second)
	wait := 0
	fmt.Sscan(p.header.Get("Retry-After"), &wait)
	want(t, "the second", []any{p.status, wait > 0 && wait <= 3601, strings.HasPrefix(p.title(), "Your report was not filed yet")}, []any{429, true, true})
	p.says("Nothing is lost: all that you typed is below. Send it again in 60 minutes.")
	p.keeps(second)
	p = v.post("/report", aForm) // whoever lost the answer still gets to the report
	want(t, "the first again", []any{p.status, strings.Contains(p.main(), "We have this report already")}, []any{200, true})
	s.Sleep(time.Hour)
	want(t, "an hour later", v.post("/report", second).status, 201)
}

func TestWhoIsSignedInFilesUnderTheKey(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.get("/report").says("No account, no wallet, no fee.", "we keep a hash of it")
	v.signIn(tocsintest.NewAccount(t))
	v.get("/report").says("You are signed in: the report will stand under your key, without a name", "Not your wallet.")
	p := v.post("/report", aForm)
	one := s.stored(p)
	want(t, "filed", []any{p.status, strings.HasPrefix(one.Reporter.ID, "agt_"), one.Reporter.Name}, []any{201, true, ""})
	p.says("By a reporter with a key")

	a := tocsintest.NewAccount(t)
	s.key(a.Address, "<b>Watchdog</b>", nil)
	v.signIn(a)
	v.get("/report").says("under your name, <b>Watchdog</b>, and count for more", "the name that you gave your key")
	p = v.post("/report", aForm)
	want(t, "by somebody else, it is another", []any{p.status, s.stored(p).Reporter.Name}, []any{201, "<b>Watchdog</b>"})
	p.says("By <b>Watchdog</b>")
	v.post("/account", fields{"do": "signout"})
	want(t, "signed out", s.stored(v.post("/report", aForm)).Reporter.ID, "")
}
