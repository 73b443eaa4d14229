package api

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// imports imports a list of its own date whose entries differ in each field, and whose stories have texts and dates of
// their own.
func (s *service) imports(list tocsin.List, dated string, kind tocsin.ListingKind, categories, subjects []string) {
	s.t.Helper()
	im, err := s.db.Import(s.t.Context(), list)
	tocsintest.Must(s.t, err)
	defer im.Close()
	at, _, fault := tocsin.ParseDay(dated)
	if fault != nil {
		s.t.Fatal(fault)
	}
	im.Version(tocsin.ListVersion{
		Date: &at, Entries: len(subjects) + 1, Refused: map[string]int{"no address": len(list.Name), "not a row": 1},
		Files: []tocsin.ListFile{{Name: list.Name + ".csv", SHA256: strings.Repeat("5a", 32)}},
	})
	for i, text := range subjects {
		subject, fault := tocsin.ParseSubject(text)
		if fault != nil {
			s.t.Fatal(fault)
		}
		since := tocsin.TimeOf(at.Std().Add(-time.Duration(i+1) * 25 * time.Hour))
		e := tocsin.Entry{Listing: &tocsin.Listing{
			Kind: kind, Category: categories[i], Subject: subject, Since: &since, Chain: fmt.Sprint("eip155:", i+1),
			Name: fmt.Sprint("Name ", i), Program: fmt.Sprint("PROGRAM", i), URL: fmt.Sprint(list.URL, "/", i),
		}}
		if kind == tocsin.Risk {
			d := tocsin.Draft{CrimeType: tocsin.CrimeType(categories[i]), Title: fmt.Sprint("Of ", list.Name, " ", i),
				Description: "Told by a list.", ReportedDomains: []string{"told.example"}}
			d, fault := d.Parse(s.Now())
			if fault != nil {
				s.t.Fatal(fault)
			}
			d.SourceDate, e.Report, e.Key = since, &d, cmp.Or(text, "key")
		}
		tocsintest.Must(s.t, im.Add(e))
	}
	_, err = im.Finish(s.t.Context(), true, nil)
	tocsintest.Must(s.t, err)
}

// TestEachAnswerAboutEvidenceIsTheSameWordByWord fills every field that an answer about evidence can have, with another
// value each, and compares the answers with testdata/evidence.txt.
func TestEachAnswerAboutEvidenceIsTheSameWordByWord(t *testing.T) {
	tr := &transcript{names: map[string]string{}, counts: map[string]int{}}
	s := start(t, func(c *Config) {
		c.Names = lookalike.NewDetector(tocsintest.Brands(), tocsintest.NameModel(t, "first"))
		c.Limits.Filings, c.Limits.NetworkCalls = 40, 400
	})
	quota := 1000
	var keys []string
	for _, name := range []string{"First", "Second"} {
		made, err := s.db.CreateKey(t.Context(), nil, name, &quota)
		tocsintest.Must(t, err)
		keys = append(keys, "x-api-key: "+string(made.Key))
	}
	const day = 24 * time.Hour
	const bitcoin = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
	do := func(method, path string, body any, key ...string) {
		t.Helper()
		a := s.do(method, path, body, append(key, keys[0])[:1]...)
		clear(a.header)
		tr.add(method+" "+path, a)
	}
	file := func(f map[string]any, key ...string) {
		t.Helper()
		if a := s.file(f, key...); a.status != 201 {
			t.Fatal(a.status, string(a.raw))
		}
		s.Sleep(time.Hour)
	}
	file(filing("title", "By nobody", "crimeType", "hack", "amountLost", 1.25, "currency", "usdt"))
	file(filing("title", "By the first", "scammerAddresses", []string{thief, another},
		"scammerAccounts", []string{tronUSDT, bitcoin}, "reportedDomains", []string{"https://www.evil.com/a",
			"told.example"}), keys[0])
	file(filing("title", "By the second", "crimeType", "impersonation", "scammerAddresses", []string{another},
		"reportedHandles", []string{"telegram:lena_88", "phone:+44 20 7946 0958"}, "reportedDomains",
		[]string{"uniswaap.org"}), keys[1])
	file(filing("title", "Again by the first", "scammerAddresses", []string{nobody}), keys[0])
	s.Sleep(40 * day)
	risk := tocsin.List{Name: "scamsniffer", Family: "sniffed", URL: "https://lists.example/sniffer"}
	s.imports(risk, "2026-03-01", tocsin.Risk, []string{"hack", "phishing", "other"},
		[]string{thief, "evil.com", tronUSDT})
	other := tocsin.List{Name: "polkadot", Family: "dotted", URL: "https://lists.example/dot"}
	s.imports(other, "2026-04-10", tocsin.Risk, []string{"phishing"}, []string{"evil.com"})
	s.imports(tocsin.List{Name: tocsin.SanctionsList, Family: "ofac",
		URL: "https://lists.example/ofac"}, "2026-04-09",
		tocsin.Sanction, []string{"", ""}, []string{bitcoin, another})
	s.imports(tocsin.List{Name: "known", Family: "known", URL: "https://lists.example/known"}, "2026-04-08",
		tocsin.Safe, []string{"exchange", tocsin.TopSite}, []string{exchange, "popular.example"})
	s.Sleep(3*day + time.Second)
	s.imports(other, "2026-04-11", tocsin.Risk, []string{"phishing", "rug_pull"}, []string{"evil.com", "worse.example"})
	next := tocsin.TimeOf(s.db.Now().Std().Add(time.Hour))
	for _, try := range []store.ImportTry{{List: "polkadot", Unchanged: true, Next: &next},
		{List: "scamsniffer", Reason: store.FailedShrunk, Failures: 3, Next: &next}} {
		lease, err := s.db.LeaseImport(t.Context(), try.List)
		tocsintest.Must(t, err)
		tocsintest.Must(t, lease.End(t.Context(), try))
		tocsintest.Must(t, lease.Release(t.Context()))
		s.Sleep(time.Minute)
	}

	for _, view := range []string{"", "?view=compact", "?limit=1"} {
		do("GET", "/screen/"+another+view, nil)
		do("GET", "/domains/check/evil.com"+view, nil)
		do("GET", "/accounts/"+tronUSDT+view, nil)
	}
	do("GET", "/screen/"+imitator, nil)
	do("GET", "/screen/"+imitator+"?context="+url.QueryEscape(imitator[:10]+strings.Repeat("1", 28)+imitator[38:]),
		nil)
	do("GET", "/domains/check/www.popular.example", nil)
	do("GET", "/domains/check/uniswaap.org", nil)
	do("GET", "/accounts/"+bitcoin, nil)
	do("POST", "/check", map[string]any{"addresses": []string{another, exchange, imitator, nobody}})
	do("POST", "/domains/check", map[string]any{"domains": []string{"worse.example", "metamask-login.io",
		"a.evil.com"}})
	do("POST", "/subjects/check", map[string]any{"subjects": []string{tronUSDT, "telegram:lena_88",
		thief, "told.example"}})
	do("GET", "/subjects/"+thief+"/related?limit=2", nil)
	do("GET", "/community-reports?source=scamsniffer&limit=2", nil)
	do("GET", "/community-reports?crimeType=impersonation", nil)
	do("GET", "/community-reports/search?q=told+list&limit=1", nil)
	do("GET", "/community-reports/search?q=telegram:lena_88&view=compact", nil)
	do("GET", "/leaderboard", nil)
	do("GET", "/me", nil, keys[1])
	do("GET", "/stats", nil)
	do("GET", "/status", nil)
	// What the machine, the list of brands and the training decide, and what only a server of PostgreSQL knows of others.
	changing := regexp.MustCompile(
		`("freeBytes|"brands|"innocent)": (\d+|null)|("score|"share)": 0\.\d+|("nextTryAt)": (null|"[^"]*")`)
	tocsintest.Golden(t, "testdata/evidence.txt", changing.ReplaceAllString(tr.text.String(), `$1$3$4": …`))
}
