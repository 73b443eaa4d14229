package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/front"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestOfTheEvidenceFiveSitesAreLookedUp: a report is free to file, and may have fifty links.
func TestOfTheEvidenceFiveSitesAreLookedUp(t *testing.T) {
	s := start(t)
	var sites, links, linked []string
	for n := range 7 {
		sites = append(sites, fmt.Sprintf("site-%d.example", n))
		links = append(links, "https://"+sites[n]+"/x")
	}
	s.list("sites", "sites", tocsin.Safe, "site", sites...)
	links = append(links, "https://site-0.example/again", "https://site-4.example/again")
	found, err := s.site.evidenceLinks(aRequest(), links, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range found {
		if link.Reason == "" {
			linked = append(linked, link.URL)
		} else {
			want(t, link.URL, string(link.Reason), "We look up the first few sites only, so it is no link.")
		}
	}
	want(t, "links", linked, append(slices.Clone(links[:5]), links[7:]...))
	for _, host := range strings.Fields(`arbiscan.io basescan.org blockchair.com blockscout.com bscscan.com etherscan.io
		ftmscan.com gnosisscan.io lineascan.build mempool.space optimistic.etherscan.io polygonscan.com scrollscan.com
		snowtrace.io solscan.io tronscan.org`) {
		found, err := s.site.evidenceLinks(aRequest(), []string{"https://" + host + "/tx"}, nil)
		want(t, host, []any{string(found[0].Reason), found[0].Host, err}, []any{"", host, nil})
	}
}

// TestARowOfAReportIsTheSameOnEveryPage, and says whom it names, since when, by whom, and what was lost.
func TestARowOfAReportIsTheSameOnEveryPage(t *testing.T) {
	s := start(t)
	s.file(everything(), "x-api-key: "+s.key(tocsintest.NewAccount(t).Address, "night watch", nil))
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", nobody)
	for _, path := range []string{"/", "/reports", "/reports?crimeType=investment_scam", "/reports?q=growing",
		"/reports?q=everything&crimeType=investment_scam"} {
		v := s.visitor()
		v.get("/screen/" + nobody) // or there is no level
		rows := v.get(path).class("entry")
		want(t, path, len(rows), 1)
		row := textOf(rows[0])
		begin := "Investment scamtoday, 12:00night watch Everything that a report can hold "
		if strings.HasPrefix(path, "/reports") && !strings.Contains(path, "q=") { // the day is above it
			begin = "Investment scam12:00 UTCnight watch Everything that a report can hold "
		}
		end := " 0x5aAeb605…1BeAed Critical3 links, 1 transaction lost about 1,000,000,000,000 USD"
		if !strings.HasPrefix(row, begin) || !strings.HasSuffix(row, end) {
			t.Errorf("%s: %s", path, row)
		}
	}
}

func TestTheTableOfAReportSaysHowManyKnowEachSubject(t *testing.T) {
	s := start(t)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "listed.example")
	s.list("fine", "fine", tocsin.Safe, "exchange", "fine.example")
	one := s.file(draft{"reportedDomains": []string{"low.example", "listed.example"}})
	v := s.visitor()
	v.get("/screen/low.example")
	v.get("/screen/listed.example")
	rows := func(p *response) (list []string) {
		for _, n := range below(p.all("tbody")[0], "tr") {
			list = append(list, textOf(n))
		}
		return list
	}
	shown := []string{"low[.]example this report alone Low", "listed[.]example 1 list, this report High"}
	same(t, "on its page", rows(v.get("/reports/"+one.ID)), shown...)
	same(t, "after a wrong token", rows(v.post("/reports/"+one.ID+"/withdraw", fields{"token": "x"})), shown...)
	gone := v.post("/reports/"+one.ID+"/withdraw", fields{"token": one.ManageToken, sureField: "yes"})
	want(t, "withdrawn", []any{gone.status, gone.title()}, []any{200, "Your report is withdrawn – Tocsin"})
}

func TestTheTitleOfTheFormSaysHowItStands(t *testing.T) {
	v := start(t).visitor()
	want(t, "empty", v.get("/report").title(), "Report a scam – Tocsin")
	want(t, "one problem", v.post("/report", aForm.with(fields{titleField: ""})).title(),
		"1 thing needs another look – Report a scam – Tocsin")
	want(t, "two problems", v.post("/report", aForm.with(fields{titleField: "", storyField: ""})).title(),
		"2 things need another look – Report a scam – Tocsin")
}

// TestTheNumbersOfTheServiceAreOnItsPages compares what pages show with what the database counts.
func TestTheNumbersOfTheServiceAreOnItsPages(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "a.example", "b.example", "c.example")
	s.file(draft{"reportedDomains": []string{"a.example"}})
	s.file(draft{"reportedDomains": []string{"new.example"}})
	s.Sleep(26 * time.Hour)
	st, err := s.db.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	figures := func(path, class string) string { return textOf(s.visitor().get(path).class(class)[0]) }
	want(t, "on the status", figures("/status", "figures"), fmt.Sprintf("reports on record %s reports filed here 2 "+
		"addresses and sites named %s public lists read 2", number(st.Reports), number(st.Subjects)))
	want(t, "on the first page", figures("/", "record"), fmt.Sprintf("%s reports %s addresses and sites named "+
		"2 of 2 public lists fresh, the oldest of 4 Mar 2026", number(st.Reports), number(st.Subjects)))
	var rows []string
	for _, n := range s.visitor().get("/status").all("tbody") {
		for _, row := range below(n, "tr") {
			rows = append(rows, textOf(row))
		}
	}
	for _, row := range []string{"ScamSniffer 3 0 1 day 2 h ago", "Community reports 0 2 now"} {
		want(t, row, slices.Contains(rows, row), true)
	}
	for _, l := range st.Lists {
		name := feed.Title(l.Name) + map[bool]string{false: " not a public list"}[l.Public()]
		row := fmt.Sprintf("%s %s %s 1 day 2 h ago", name, number(l.Listings), number(l.Reports))
		want(t, row, slices.Contains(rows, row), true)
	}
}

func TestTheNavigationShowsWhereOneIs(t *testing.T) {
	s := start(t)
	one := s.file(draft{"reportedDomains": []string{"one.example"}})
	for path, current := range map[string]string{
		"/": "Look up", "/reports": "Reports", "/reports/" + one.ID: "Reports", "/leaderboard": "Leaderboard",
		"/help": "Get help", "/docs": "Docs", "/docs/keys": "Docs", "/account": "Account", "/report": "Report a scam",
		"/screen/one.example": "", "/status": "",
		"/reportsx": "",
	} {
		var got []string
		for _, n := range below(s.visitor().get(path).class("top")[0], "a") {
			if attr(n, "aria-current") == "page" {
				got = append(got, textOf(n))
			}
		}
		want(t, path, strings.Join(got, ", "), current)
	}
}

func TestTheLeaderboardShowsTheShareThatWasConfirmed(t *testing.T) {
	s := start(t)
	keys := map[string]string{}
	for _, name := range []string{"Ada", "Bob"} {
		keys[name] = "x-api-key: " + s.key(tocsintest.NewAccount(t).Address, name, nil)
	}
	s.Sleep(31 * 24 * time.Hour) // only settled keys confirm
	for n := range 3 {
		s.file(draft{"reportedDomains": []string{fmt.Sprintf("ada-%d.example", n)}}, keys["Ada"])
	}
	s.Sleep(time.Hour)
	for n := range 2 {
		s.file(draft{"reportedDomains": []string{fmt.Sprintf("ada-%d.example", n)}}, keys["Bob"])
	}
	s.Sleep(time.Hour)
	p := s.visitor().get("/leaderboard")
	row := regexp.MustCompile(`^1 Ada agt_\w+ 2 3 66 %$`)
	if got := textOf(below(p.all("tbody")[0], "tr")[0]); !row.MatchString(got) {
		t.Errorf("the first is %s", got)
	}
	p.says("Reporters with a confirmed report: 1. Shown: 1.")
}

// TestWhatTheFrontDoorRefusesHasAPage with the headers of all pages.
func TestWhatTheFrontDoorRefusesHasAPage(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		err    error
		status int
		says   string
	}{
		{fmt.Errorf("a form: %w", front.ErrBusy), 503, "Tocsin is busy at the moment"},
		{front.TooFast{Wait: 7 * time.Second}, 429, "Very many requests come from your network."},
		{fmt.Errorf("%w: it is not", front.ErrForeign), 403, "This did not come from our own pages"},
		{fmt.Errorf("a page: %w", front.ErrPathTooLong), 200, "Look before you send."},
		{errors.New("anything else"), 500, "tell the operator this number: abc-1"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r = r.WithContext(front.With(t.Context(), &front.Request{ID: "abc-1"}))
		s.site.ServeError(w, r, c.err)
		want(t, c.says, []any{w.Code, strings.Contains(w.Body.String(), c.says), w.Header().Get("Cache-Control"),
			w.Header().Get("Content-Security-Policy"), w.Header().Get("Content-Type")},
			[]any{c.status, true, "private, no-cache", pagePolicy, "text/html; charset=utf-8"})
	}
}

func TestCookiesAreForHTTPSAloneWhereTheSiteIs(t *testing.T) {
	for base, cookie := range map[string]string{
		"http://tocsin.example": "theme=light; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax",
		https:                   "theme=light; Path=/; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax",
	} {
		s := start(t, func(c *setup) { c.BaseURL = base })
		want(t, base, s.visitor().post("/theme", fields{"theme": "light"}).header.Get("Set-Cookie"), cookie)
		want(t, "a receipt", s.receiptCookies(), map[string]bool{"secure": base == https, "days": true})
	}
}

// receiptCookies files a report, and says whether the cookies of its receipt are for https alone, and last a day.
func (s *service) receiptCookies() map[string]bool {
	p := s.visitor().do(http.MethodPost, "/report", aForm)
	c := p.cookies[0]
	return map[string]bool{"secure": c.Secure, "days": c.MaxAge == 86_400 && len(p.cookies) == 1}
}

// TestWhoHasLostAKeyIsToldThatAReportIsAnonymous: the session lives on, and the report counts for nobody.
func TestWhoHasLostAKeyIsToldThatAReportIsAnonymous(t *testing.T) {
	s := start(t)
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	const anonymous = "It is anonymous."
	own := v.post("/report", aForm)
	want(t, "with a key", []any{own.status, strings.Contains(own.main(), anonymous)}, []any{200, false})
	v.post("/account", fields{"do": "revoke", "confirm": "yes", "key": key[:12]})
	v.post("/report", aForm.with(fields{thingsField: "claim-two.example"})).says(anonymous, "withdraw this report")
	stranger := s.visitor().post("/report", aForm.with(fields{thingsField: "claim-three.example"}))
	want(t, "of a stranger", []any{stranger.status, strings.Contains(stranger.main(), anonymous)}, []any{200, false})
}

// TestEachFormIsAFilingOfItsOwn by a hidden field that nobody can guess.
func TestEachFormIsAFilingOfItsOwn(t *testing.T) {
	v := start(t).visitor()
	seen := map[string]bool{}
	for range 3 {
		once := v.get("/report").hidden(onceField)
		seen[once] = true
		want(t, "its length", len(once) >= 16, true)
	}
	want(t, "forms", len(seen), 3)
	again := v.post("/report", aForm.with(fields{titleField: "", onceField: "0123456789abcdef"}))
	want(t, "kept while it is corrected", again.hidden(onceField), "0123456789abcdef")
}

func TestTextsAreShortAndWhole(t *testing.T) {
	terms, fault := tocsin.ParseQuery("drainer")
	if fault != nil {
		t.Fatal(fault)
	}
	long := strings.Repeat("x", 300)
	for text, want := range map[string]string{
		"A drainer took it":                               "A drainer took it",
		long + "-drainer took it":                         "… drainer took it",
		strings.Repeat("word ", 60) + "a drainer took it": "… " + strings.Repeat("word ", 11) + "a drainer took it",
		strings.Repeat("word ", 43) + "drainer took it":   "… " + strings.Repeat("word ", 11) + "drainer took it",
		strings.Repeat("word ", 60):                       strings.TrimSpace(strings.Repeat("word ", 44)) + "…",
		long:                                              long[:220] + "…",
		strings.Repeat("y", 100) + ", " + long:            strings.Repeat("y", 100) + ", " + long[:118] + "…",
		strings.Repeat("y", 120) + ", " + long:            strings.Repeat("y", 120) + "…",
	} {
		if got := excerpt(text, searchTerms(terms)); got != want {
			t.Errorf("%q\nbecomes %q\nnot     %q", text, got, want)
		}
	}
	named, fault := searchFor("@lena_trades88")
	if fault != nil {
		t.Fatal(fault)
	}
	text := strings.Repeat("word ", 60) + "@lena_trades88_vip, not "
	want(t, "of another account", strings.Contains(excerpt(text, searchTerms(named)), "vip"), false)
	want(t, "of the account", strings.Contains(excerpt(text+"@lena_trades88.", searchTerms(named)), "not @lena"), true)
	same(t, "paragraphs", paragraphs("\n a \n\n \n\n b\nc\t\n\n"), " a", " b\nc")
}

func TestAReportOfAListLinksToTheList(t *testing.T) {
	s := start(t)
	const page = "https://lists.example/partner"
	im, err := s.db.Import(t.Context(), tocsin.List{Name: "partner", Family: "partner", URL: page})
	tocsintest.Must(t, err)
	draft, err := tocsin.Draft{CrimeType: tocsin.Hack, Title: "By a partner", Description: "It took all.",
		ReportedDomains: []string{"partner-says.example"}}.Parse(now)
	tocsintest.Must(t, err)
	tocsintest.Must(t, im.Add(tocsin.Entry{Report: &draft, Key: "1"}))
	_, err = im.Finish(t.Context(), true, nil)
	tocsintest.Must(t, err)
	v := s.visitor()
	p := v.get(attr(below(v.get("/reports").class("entry")[0], "a")[0], "href"))
	for _, n := range below(p.class("facts")[0], "a") {
		want(t, "the source", []any{attr(n, "href"), textOf(n), attr(n, "rel")},
			[]any{page, "partner", "nofollow noreferrer"})
	}
	want(t, "links", slices.Contains(p.links(), page), true)
	want(t, "the facts", textOf(p.class("facts")[0]),
		"Published date unknown On our record since 4 Mar 2026 Source partner")
}

// TestTheLeaderboardShowsAHundredAndTheVisitorBehindThem at the right place.
func TestTheLeaderboardShowsAHundredAndTheVisitorBehindThem(t *testing.T) {
	const others = 101
	s := start(t)
	v, a := s.visitor(), tocsintest.NewAccount(t)
	names := []string{"known.example"}
	s.list("list", "list", tocsin.Risk, "phishing", names...)
	file := func(made store.NewKey, err error) {
		tocsintest.Must(t, err)
		by, err := s.db.Caller(t.Context(), made.Key)
		tocsintest.Must(t, err)
		names = append(names, fmt.Sprintf("site-%d.example", len(names)))
		d, err := tocsin.Draft{CrimeType: tocsin.Scam, Title: "T", Description: "D", ReportedDomains: names[len(names)-1:]}.
			Parse(s.Now())
		tocsintest.Must(t, err)
		_, err = s.db.FileReport(t.Context(), store.Filing{Draft: d, By: by})
		tocsintest.Must(t, err)
	}
	for range others {
		file(s.db.CreateKey(t.Context(), nil, "", nil))
		s.Sleep(time.Second) // ties go to the older key
	}
	v.signIn(a)
	file(s.db.RenewKey(t.Context(), a.Address))
	s.Sleep(time.Hour)
	s.list("list", "list", tocsin.Risk, "phishing", names...)
	for who, want := range map[*visitor]string{
		v: "100 102 102. Shown: 101.", s.visitor(): "99 100 102. Shown: 100.",
	} {
		p := who.get("/leaderboard")
		rows := below(p.all("tbody")[0], "tr")
		last := rows[len(rows)-2:]
		place := func(i int) string { place, _, _ := strings.Cut(textOf(last[i]), " "); return place }
		p.says("Reporters with a confirmed report: " + strings.Join(strings.Fields(want)[2:], " "))
		same(t, "the last two places", []string{place(0), place(1)}, strings.Fields(want)[:2]...)
	}
}
