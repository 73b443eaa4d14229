package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/paste"
	"tocsin/internal/sheet"
	"tocsin/internal/tocsintest"
)

// TestAFormThatNoBrowserSendsIsRefused, and says what to do.
func TestAFormThatNoBrowserSendsIsRefused(t *testing.T) {
	s := start(t)
	v := s.visitor()
	for _, body := range []string{"theme=%zz", "theme=a;b"} {
		res, err := v.client.Post(s.base+"/theme", "application/x-www-form-urlencoded", strings.NewReader(body))
		tocsintest.Must(t, err)
		res.Body.Close()
		want(t, body, res.StatusCode, http.StatusBadRequest)
	}
	p := v.do(http.MethodPost, "/theme", nil, "Accept-Language: es", "Content-Type: multipart/form-data")
	p.says("El formulario no se envió como lo envía un navegador.")
}

// TestWhatIsPastedIntoAPathIsFound as in a search field.
func TestWhatIsPastedIntoAPathIsFound(t *testing.T) {
	v := start(t).visitor()
	for text, to := range map[string]string{
		"My address is " + thief:           "/screen/" + thief,
		"send it to evil.example, now":     "/screen/evil.example",
		strings.ToLower(thief):             "/screen/" + thief,
		"HTTPS://Evil.example:443/a?b=c#d": "/screen/evil.example",
	} {
		p := v.get("/screen/" + url.PathEscape(text))
		want(t, text, []any{p.status, p.header.Get("Location")}, []any{http.StatusSeeOther, to})
	}
}

// TestPagesOfUsersAreNoLinks, on a well-known site or below it.
func TestPagesOfUsersAreNoLinks(t *testing.T) {
	links := []evidenceLink{{Host: "github.com"}, {Host: "gist.github.com"}, {Host: "notgithub.com"},
		{Host: "gist.github.com", Reason: warnedOf}, {Host: "gist.github.com", Reason: notVouched}}
	unlinkUsers(links)
	var reasons []string
	for _, l := range links {
		reasons = append(reasons, string(l.Reason))
	}
	want(t, "reasons", reasons, []string{ofStrangers, ofStrangers, "", ofStrangers, notVouched})
	for _, host := range strings.Fields(`bitbucket.org discord.com discord.gg facebook.com fb.me github.com gitlab.com
		instagram.com linkedin.com lnkd.in medium.com opensea.io reddit.com redd.it tiktok.com twitter.com whatsapp.com x.com
		youtu.be youtube.com`) {
		want(t, host, []bool{tocsin.OfUsers(host), tocsin.OfUsers("m." + host), tocsin.OfUsers("no" + host)},
			[]bool{true, true, false})
	}
}

// TestWordsForWhatIsNotUsual are still words.
func TestWordsForWhatIsNotUsual(t *testing.T) {
	want(t, "a URL without a scheme", defangURL("evil.example"), "evil[.]example")
	want(t, "a search for nothing", len(searchTerms([]tocsin.Term{{Text: "?!"}, {Text: "a"}})), 1)
	long := newForm(english(), url.Values{onceField: {strings.Repeat("x", 65)}})
	kept := newForm(english(), url.Values{onceField: {strings.Repeat("x", 64)}})
	want(t, "tickets", []int{len(long.Once), len(kept.Once)}, []int{0, 64})
}

// TestATagIsSaidToBeNoPartOfTheAccount: it is dropped, and the page does not drop it in silence.
func TestATagIsSaidToBeNoPartOfTheAccount(t *testing.T) {
	const says = "A destination tag is not part of the account."
	v := start(t).visitor()
	at := v.get("/screen?q=rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY-495").header.Get("Location")
	v.get(at).says(says)
	want(t, "of another chain", strings.Contains(v.get("/screen/"+nobody).main(), says), false)
}

// TestAWrongChecksumSaysWhichAddressIsMeant: one that lists name has all characters but one.
func TestAWrongChecksumSaysWhichAddressIsMeant(t *testing.T) {
	s := start(t)
	s.list("known", "known", tocsin.Safe, "exchange", exchange)
	page := s.visitor().get("/screen?q=please+pay+" + exchange[:41] + "1+today")
	want(t, "status", page.status, http.StatusBadRequest)
	page.says("Its capital and small letters do not fit together", "One character differs from the address of", exchange)
}

// TestAnAccountOfTONIsShownInBothForms: who typed the one that begins with EQ looks for it on the page.
func TestAnAccountOfTONIsShownInBothForms(t *testing.T) {
	v := start(t).visitor()
	const bounceable = "EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2"
	at := v.get("/screen?q=" + bounceable).header.Get("Location")
	v.get(at).says("also written "+bounceable, "UQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p9dz")
}

// TestAPathThatSaysTheSameSubjectIsNotSentOn: a client that escapes what need not be escaped gets the page.
func TestAPathThatSaysTheSameSubjectIsNotSentOn(t *testing.T) {
	v := start(t).visitor()
	const escaped = "/screen/solana%3A5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp%3A4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
	want(t, "escaped colons", v.get(escaped).status, http.StatusOK)
}

// TestTheTitleOfSeveralPartsSaysWhatMattersMost of what is left: that nothing could be read, or who reported it.
func TestTheTitleOfSeveralPartsSaysWhatMattersMost(t *testing.T) {
	s := start(t)
	s.file(draft{"reportedHandles": []string{"telegram:thief_of_all"}})
	v := s.visitor()
	for typed, title := range map[string]string{
		"lena.trx nobody.eth": "None of these can be looked up",
		"https://t.me/nobody_at_all https://x.com/nobody_else": "No report mentions any of these",
		"lena.trx https://t.me/nobody_at_all":                  "No report mentions any of these",
		"lena.trx https://t.me/thief_of_all":                   "What the reports say of these",
		"lena.trx one.example":                                 "Several answers",
	} {
		want(t, typed, v.get("/screen?q="+url.QueryEscape(typed)).h1(), title)
	}
}

// TestAHeadRequestTakesNoSearch of those that a network has.
func TestAHeadRequestTakesNoSearch(t *testing.T) {
	v := start(t).visitor()
	for range 100 {
		want(t, "HEAD", v.do(http.MethodHead, "/reports?q=x", nil).status, http.StatusOK)
	}
	want(t, "GET", v.get("/reports?q=x").status, http.StatusOK)
}

// TestAMessageOfNobodyNamesNoAccount: the form by hand is shown again without an address that nobody has typed.
func TestAMessageOfNobodyNamesNoAccount(t *testing.T) {
	s := start(t)
	v, a := s.visitor(), tocsintest.NewAccount(t)
	p := v.post("/account/sign-in", fields{"by": "hand", "message": "Hello", "signature": a.Sign("Hello")})
	want(t, "refused", p.status, http.StatusBadRequest)
	lacks(t, p, tocsin.Address{}.String())
}

// TestRowsOutOfAnyTableAreLeftOut: their numbers are what a form says.
func TestRowsOutOfAnyTableAreLeftOut(t *testing.T) {
	last := strconv.Itoa(maxNumber)
	for about, c := range map[string]struct {
		rows []string
		text string
	}{
		"in another order":         {[]string{"3 c", "1 a"}, "a\n\nc"},
		"no number":                {[]string{"x a", "", "2 b"}, "\nb"},
		"the number of no line":    {[]string{"0 a", "-1 b", "1 c"}, "c"},
		"more than a list has":     {[]string{"1 a", strconv.Itoa(maxNumber+1) + " b"}, "a"},
		"the last that a list has": {[]string{last + " b"}, strings.Repeat("\n", maxNumber-1) + "b"},
		"a line of a long list":    {[]string{"9999 a"}, strings.Repeat("\n", 9998) + "a"},
		"in small letters":         {[]string{"1l " + nobody}, strings.ToLower(nobody)},
		"nothing":                  {nil, ""},
	} {
		want(t, about, typedRows(c.rows) == c.text, true)
	}
}

// TestWhyALineHasNoSubjectInAFewWords: a secret is no longer there, so the line itself cannot say that it was one.
func TestWhyALineHasNoSubjectInAFewWords(t *testing.T) {
	line := func(text string) bulkLine { return bulkLine{Line: sheet.Line{Text: text}} }
	for about, c := range map[string]struct {
		line        bulkLine
		brief, name string
	}{
		"a secret that was taken out": {bulkLine{Secret: true}, "it held a recovery phrase or a private key", ""},
		"a hash or a key":             {bulkLine{Secret: true, Hash: true}, "a transaction or a private key?", ""},
		"64 digits":                   {line(strings.Repeat("4c0883a6", 8)), "a transaction or a private key?", ""},
		"64 digits after 0x":          {line("0x" + strings.Repeat("4c0883a6", 8)), "a transaction, not an address", ""},
		"a phrase":                    {line(aPhrase), "it held a recovery phrase or a private key", ""},
		"nothing":                     {line(" "), "an empty cell", ""},
		"an e-mail address":           {line("eve@a.example"), "an e-mail address", "email:eve@a.example"},
		"a phone number":              {line("+49 170 1234567"), "a phone number", "phone:+491701234567"},
		"an account":                  {line("https://t.me/thief_of_all"), "a handle", "telegram:thief_of_all"},
		"a mistyped address":          {line("0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), "a digit may be mistyped", ""},
		"two sites":                   {line("one.example two.example"), "more than one address or site", ""},
		"words":                       {line("nothing to see"), "no address", ""},
	} {
		brief, handle := c.line.brief(english())
		want(t, about, []string{brief, handle}, []string{c.brief, c.name})
	}
}

// TestWhatIsTypedIntoTheBoxGoesToThePageOfMany: subjects, what could not be read, and handles, but no request to
// connect, which has a key in it.
func TestWhatIsTypedIntoTheBoxGoesToThePageOfMany(t *testing.T) {
	subject, _ := tocsin.ParseSubject("one.example")
	want(t, "its path", bulkPath(paste.Box{Subjects: []tocsin.Subject{subject}, Handles: []string{"telegram:lena_1"},
		Parts: []paste.Part{{Subject: subject, Text: "x"}, {Problem: &paste.Problem{Kind: paste.ConnectRequest}, Text: "wc:"},
			{Problem: &paste.Problem{Kind: paste.CutShort}, Text: "0x12"}}}),
		"/bulk?subjects=one.example%0A0x12%0Atelegram%3Alena_1")
}

// TestThePageToSignInSaysWhatAKeyIsFor: how many calls a day it has.
func TestThePageToSignInSaysWhatAKeyIsFor(t *testing.T) {
	s := start(t, func(c *setup) { c.Quota, c.Limits.Lookups = 37, 23 })
	s.visitor().get("/account").says("You get 37 calls a day.", "Looking up 23 subjects a day")
}

// TestAFormOfManySaysWhichColumnsWereRead, so that another choice is not taken for the same.
func TestAFormOfManySaysWhichColumnsWereRead(t *testing.T) {
	const table = "note,site,where\nx,evil.example,bad.example\ny,fine.example,ok.example\n"
	for shown, columns := range map[string][]int{"false 1": {1}, "false 2": {2}, "false 1 2": {1, 2}} {
		layout := sheet.Read(table, 10, sheet.Options{Columns: columns}).Layout
		want(t, "columns", bulkPage{Layout: layout}.shown(), shown)
	}
	want(t, "as addresses of Solana", bulkPage{AsSolana: true}.shown(), "true")
}

// TestOfTheHandlesOfAReportThoseAreShownThatASearchHasFound.
func TestOfTheHandlesOfAReportThoseAreShownThatASearchHasFound(t *testing.T) {
	row := reportRow{lang: english()}
	row.ReportedHandles = []string{"telegram:thief_of_all", "email:eve@mail.example"}
	found := func(words ...string) int {
		row.terms = nil
		for _, w := range words {
			row.terms = append(row.terms, searchTerms([]tocsin.Term{{Text: w}})...)
		}
		return len(row.MatchedHandles())
	}
	want(t, "found", []int{found(), found("thief_of_all"), found("nobody"), found("thief_of_all", "eve@mail.example")},
		[]int{0, 1, 0, 2})
}
