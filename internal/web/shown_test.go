package web

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

func TestTheHomePageShowsTheThreeNewestReports(t *testing.T) {
	s := start(t)
	for n := range 4 {
		s.file(draft{"title": fmt.Sprint("Report ", n), "reportedDomains": []string{fmt.Sprintf("home-%d.example", n)}})
		s.Sleep(time.Minute)
	}
	var titles []string
	p := s.visitor().get("/")
	for _, n := range p.class("entry") {
		titles = append(titles, textOf(below(n, "a")[0]))
	}
	same(t, "titles", titles, "Report 3", "Report 2", "Report 1")
	want(t, "where programs find out more", p.header.Get("Link") != "", true)
}

func TestALevelIsShownBesideASubjectThatHasOne(t *testing.T) {
	s := start(t)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "listed.example")
	one := s.file(draft{"reportedDomains": []string{"low.example", "listed.example"}})
	v := s.visitor()
	v.get("/screen/low.example")
	v.get("/screen/listed.example")
	p := v.get("/reports/" + one.ID)
	var levels []string
	for _, n := range p.class("level") {
		levels = append(levels, textOf(n))
	}
	same(t, "on the page of a report", levels, "Low", "High")
	var rows []reportRow
	for _, name := range []string{"low.example", "listed.example", "unknown.example"} {
		subject, _ := tocsin.ParseSubject(name)
		rows = append(rows, reportRow{Report: tocsin.Report{Source: "a-list"}, First: &subject})
	}
	req := &request{Request: httptest.NewRequest(http.MethodGet, "/", nil)}
	if err := s.site.loadLevels(req, append(rows, reportRow{})); err != nil {
		t.Fatal(err)
	}
	want(t, "in a list", []tocsin.Level{rows[0].Level, rows[1].Level, rows[2].Level},
		[]tocsin.Level{tocsin.Low, tocsin.High, ""})
}

func TestAPageOfASubjectLeadsToTheSameForPrograms(t *testing.T) {
	s := start(t)
	for path, manual := range map[string]string{
		"/screen/" + nobody: "/docs/screen-address", "/screen/one.example": "/docs/check-domain",
	} {
		p := s.visitor().get(path)
		var docs []string
		for _, to := range p.links() {
			if strings.HasPrefix(to, "/docs/screen") || strings.HasPrefix(to, "/docs/check") {
				docs = append(docs, to)
			}
		}
		same(t, path, docs, manual)
		want(t, "its address", textOf(p.class("print")[0]), s.base+path)
	}
	pages := s.site.Pages()
	same(t, "pages for search engines", pages[:6], "/", "/reports", "/bulk", "/leaderboard", "/status", "/docs")
	want(t, "the documentation", []bool{slices.Contains(pages, "/docs/keys"), slices.Contains(pages, "/docs/"),
		len(pages) > 20}, []bool{true, false, true})
}

func TestTheFormKnowsItsDayAndItsCrimeTypes(t *testing.T) {
	s := start(t)
	s.Sleep(22 * time.Hour) // ten in the morning: the next day begins on the Line Islands
	form := s.site.formPage(&request{lang: english()}, newForm(english(), nil), 0).Body.(*form)
	want(t, "the last day", form.LastDay, "2026-03-06")
	named := map[tocsin.CrimeType]string{}
	for _, c := range form.Choices() {
		named[c.Type] = c.Name
	}
	for _, crime := range tocsin.CrimeTypes() {
		want(t, string(crime), named[crime], crime.Name()+": "+crime.Description())
	}
	v := s.visitor()
	theme := func(p *response) int { return len(p.class("theme")) }
	want(t, "the choices of theme, which would lose an answer to a form, and of language, which takes the form along",
		[]int{theme(v.get("/report")), theme(v.post("/report", fields{})), theme(v.post("/report", written(nil)))},
		[]int{2, 1, 0})
}

func TestAFormIsReadLineByLine(t *testing.T) {
	draft := newForm(english(), url.Values{currencyField: {"$USDC"}, thingsField: {"one.example\ntwo.example"}}).parse(now)
	want(t, "a short name", draft.Currency, "USDC")
	for typed, said := range map[string][]string{
		"0x12\n" + nobody: {"What you have, line 1: 2 digits, not 40: " +
			"Line 1: This has 2 digits after 0x; an address has 40."},
		nobody + "\n0x12": {"What you have, line 2: 2 digits, not 40: " +
			"Line 2: This has 2 digits after 0x; an address has 40."},
		"0x12": {"What you have: 2 digits, not 40: This has 2 digits after 0x; an address has 40."},
	} {
		f := newForm(english(), url.Values{thingsField: {typed}})
		f.parse(now)
		field, got := f.Field(thingsField), []string{}
		for _, p := range field.Problems {
			got = append(got, field.Location(p)+": "+p.Brief+": "+p.Text)
		}
		same(t, typed, got, said...)
	}
	f := newForm(english(), url.Values{thingsField: {"192.0.2.1"}, titleField: {"t"}, storyField: {"s"},
		crimeField: {"hack"}})
	f.parse(now)
	want(t, "a website explains why there is no subject", []int{f.ProblemCount(), f.Field(thingsField).problemCount()},
		[]int{1, 1})
}

func TestASharedHostFarAboveALinkIsSeen(t *testing.T) {
	s := start(t)
	s.list("hosts", "hosts", tocsin.Shared, "hosting", "m.many.example", "o.f.few.example")
	s.list("sites", "sites", tocsin.Safe, "site", "many.example", "e.example", "few.example")
	for name, known := range map[string]bool{
		"a.b.c.d.m.many.example": false, "a.m.many.example": false, "many.example": true, "a.b.c.d.e.example": true,
		"a.b.c.o.f.few.example": false, // three names above it are looked at, from the registrable one down
	} {
		domain, fault := tocsin.ParseDomain(name)
		if fault != nil {
			t.Fatal(fault)
		}
		why, err := s.site.whyNoLink(aRequest(), domain)
		want(t, name, []any{why == "", err}, []any{known, nil})
	}
}

func TestADatabaseThatIsBusyIsTriedAgain(t *testing.T) {
	s := start(t)
	var err error
	at := filepath.Join(t.TempDir(), "locked.db")
	for range 2 { // of two connections the second finds it locked
		db, fault := sql.Open("sqlite", at)
		if fault != nil {
			t.Fatal(fault)
		}
		defer db.Close()
		_, err = db.Exec("BEGIN IMMEDIATE")
	}
	if !store.Unavailable(err) {
		t.Fatal(err)
	}
	req := aRequest()
	p := s.site.errorPageOf(req, errors.Join(errors.New("filing"), err))
	want(t, "busy", []any{p.Status, p.Title, req.header.Get("Retry-After")},
		[]any{503, "Tocsin is busy at the moment", "5"})
	want(t, "in the log", strings.Contains(s.log.String(), `msg="database unavailable"`), true)
}

// TestAFullDiskIsCalledThat: what was sent is not recorded, and it will not be in a few seconds.
func TestAFullDiskIsCalledThat(t *testing.T) {
	s := start(t)
	db, err := sql.Open("sqlite", ":memory:")
	tocsintest.Must(t, err)
	defer db.Close()
	_, full := db.Exec("PRAGMA max_page_count = 1; CREATE TABLE a (b)")
	req := aRequest()
	p := s.site.errorPageOf(req, errors.Join(errors.New("filing"), full))
	want(t, "full", []any{p.Status, p.Title, p.Body.(failedPage).Text, req.header.Get("Retry-After")},
		[]any{503, "Nothing is recorded at the moment", "The disk of this service is full. Nothing was recorded. Go back, " +
			"keep what you have typed, and send it again later. Look-ups work.", "5"})
	want(t, "in the log", strings.Contains(s.log.String(), `msg="database unavailable"`), true)
}

// TestADatabaseThatMustNotBeUsedIsNotCalledBusy: what is wrong lasts, and what was sent is not recorded.
func TestADatabaseThatMustNotBeUsedIsNotCalledBusy(t *testing.T) {
	s := start(t)
	for fault, says := range map[store.Outage]string{
		{Part: health.Database, Reason: health.Missing}: "Nothing can be looked up or recorded until the " +
			"operator has corrected it. The page /status says what is wrong, and when it works again.",
		{Part: health.Clock, Reason: health.JumpedAhead}: "New reports, keys, sign-ins and payments are not taken " +
			"until the operator has corrected it; look-ups work. The page /status says what is wrong, and when it works again.",
	} {
		req := aRequest()
		p := s.site.errorPageOf(req, fmt.Errorf("filing: %w", &fault))
		want(t, string(fault.Reason), []any{p.Status, p.Title, p.Body.(failedPage).Text, req.header.Get("Retry-After")},
			[]any{503, "Tocsin does not work at the moment", says, "5"})
	}
	want(t, "the log", s.log.String(), "")
}

func TestDomainsAndLinksAreMadeHarmless(t *testing.T) {
	for in, want := range map[string]string{"evil.com": "evil[.]com", "a.b.evil.co.uk": "a.b.evil.co[.]uk",
		"localhost": "localhost"} {
		if got := defang(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"https://evil.com/a.b?c=d.e": "hxxps://evil[.]com/a.b?c=d.e", "http://evil.com": "hxxp://evil[.]com",
		"https://u@evil.com:8443#x.y": "hxxps://u@evil[.]com:8443#x.y",
	} {
		if got := defangURL(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestANameInPunycodeIsShownAsABrowserMayShowIt, beside the one that decides.
func TestANameInPunycodeIsShownAsABrowserMayShowIt(t *testing.T) {
	s := start(t)
	const name = "xn--80ak6aa92e.com"
	one := s.file(draft{"reportedDomains": []string{name}})
	v := s.visitor()
	p := v.get("/screen/" + name)
	p.says("xn--80ak6aa92e[.]com a browser may show it as аррӏе[.]com")
	for _, path := range []string{"/reports", "/reports/" + one.ID} {
		v.get(path).says("xn--80ak6aa92e[.]com", "аррӏе[.]com")
	}
	list := v.post("/bulk", fields{"subjects": name + "\nfine.example", "do": "screen"})
	list.says("xn--80ak6aa92e[.]com (аррӏе[.]com)")
	v.get(asking("https://uniswap.org@" + name)).says("leads to xn--80ak6aa92e[.]com (аррӏе[.]com). Do not open it.")
	want(t, "a name in ASCII", defang("evil.example"), "evil[.]example")
}

// TestWhereImitationsAreLookedForIsSaid: nobody must take silence about a Tron address for an answer.
func TestWhereImitationsAreLookedForIsSaid(t *testing.T) {
	v := start(t).visitor()
	v.get("/screen/" + nobody).says("No known address has the same beginning and end.")
	for account, chain := range map[string]string{"TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj": "Tron",
		"solana:7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU": "Solana",
		"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq":          "Bitcoin"} {
		p := v.get(asking(account))
		v.get(p.header.Get("Location")).says("imitations of known addresses on EVM chains only, not on " + chain + ".")
	}
	lacks(t, v.get("/screen/fine.example"), "imitations of known")
}
