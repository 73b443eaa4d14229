package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

// same compares what a table expects, line by line.
func same(t *testing.T, about string, got []string, lines ...string) {
	t.Helper()
	if !slices.Equal(got, lines) {
		t.Errorf("%s:\n%s\nwant\n%s", about, strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

func TestTicksAreTheCallsThatWereUsed(t *testing.T) {
	want(t, "one of three is left", accountPage{Quota: 3, Numbers: store.Account{Used: 2}}.Ticks(),
		[]bool{true, true, false})
	want(t, "none was used", accountPage{Quota: 2}.Ticks(), []bool{false, false})
	want(t, "at most thirty are drawn", []int{len(accountPage{Quota: 30}.Ticks()), len(accountPage{Quota: 31}.Ticks())},
		[]int{30, 0})
}

func TestConfidenceIsSaidInWords(t *testing.T) {
	for confidence, head := range map[float64]string{
		1: "Very sure", 0.95: "Very sure", 0.94: "Sure", 0.8: "Sure", 0.79: "Fairly sure", 0.4: "Fairly sure",
		0.39: "Not sure", 0.01: "Not sure", 0: "Not at all",
	} {
		sc := about(aSite, nil)
		sc.Confidence, sc.Result = confidence, tocsin.Caution
		got := sc.confidenceText()
		want(t, "confidence", got.Head, head)
		sc.Safelisted = true
		want(t, "against a good name", sc.confidenceText().Head, "Sure that a safelist knows it")
		sc.Listings = []tocsin.Listing{{Kind: tocsin.Safe, Category: "search", Subject: sc.subject}}
		want(t, "against who is vouched for", sc.confidenceText().Head, "Sure that it is the known site")
		sc.Safelisted, sc.Held = false, true
		want(t, "against a known site", sc.confidenceText().Head, "Sure that it is a known site")
		sc.Sanctions = []tocsin.SanctionHit{{List: "ofac"}}
		want(t, "by an authority", sc.confidenceText().Head, "Very sure")
	}
}

func TestTheEvidenceIsNamedInItsOrder(t *testing.T) {
	anonymous := func(n int) tocsin.ReporterGroup { return tocsin.ReporterGroup{Reports: n} }
	other := tocsin.Listing{List: "forta", Family: "forta", Kind: tocsin.Risk, Category: "other"}
	shared := tocsin.Listing{List: "starter", Family: "starter", Kind: tocsin.Shared, Category: "hosting"}
	for _, c := range []struct {
		facts                  screening
		lead, head, text, todo string
	}{
		{about(anAddress, []tocsin.Listing{sanction, sniffed}, anonymous(2)),
			"It is on a sanctions list (OFAC SDN), and ScamSniffer warns of it as well.", "1 sanctions entry, 1 list, 2 reports",
			"The last report is of 20 Nov 2026.", "such a payment is illegal."},
		{about(anAddress, []tocsin.Listing{sanction}, anonymous(2)),
			"It is on a sanctions list (OFAC SDN), and 2 reports name it.", "1 sanctions entry, 2 reports",
			"The last report is of 20 Nov 2026.", "such a payment is illegal."},
		{about(anAddress, []tocsin.Listing{sanction}), "It is on a sanctions list: OFAC SDN.", "1 sanctions entry",
			"Nobody has reported it here yet.", "such a payment is illegal."},
		{about(aSite, []tocsin.Listing{sniffed, polkadot, copied}),
			"Phantom blocklist and 2 more lists warn of it: Phishing.", "3 lists",
			"Nobody has reported it here yet.", "move what is left to a new wallet."},
		{about(aSite, []tocsin.Listing{other}), "Forta labels warns of it.", "1 list",
			"Nobody has reported it here yet.", "Never type a recovery phrase into a web page."},
		{about(anAddress, nil, anonymous(1)), "No list names it. One anonymous report. On its own that counts for little.",
			"1 report", "The report is of 20 Nov 2026.", "It can also be the first."},
		{about(aSite, []tocsin.Listing{shared}),
			"Nobody has reported evil.example itself, a service that unrelated people share (Tocsin starter set).",
			"Nothing against it", "No sanctions entry, no list of scams, no report.", "for example someone.evil.example."},
		{about(aSite, nil), "Most scam sites are days old", "Nothing", "No safelist knows it either.",
			"Do them before you go on."},
	} {
		v := c.facts.verdict()
		if !strings.HasPrefix(v.Lead, c.lead) || v.Found.Head != c.head || !strings.HasSuffix(v.Found.Text, c.text) ||
			!strings.Contains(v.ToDo.Text, c.todo) {
			t.Errorf("lead %q\nfound %q %q\ndo %q", v.Lead, v.Found.Head, v.Found.Text, v.ToDo.Text)
		}
	}
	unproven := tocsin.ReporterGroup{Agent: "x", Reports: 5}
	proven := tocsin.ReporterGroup{ProvenUntil: tocsin.TimeOf(now.AddDate(0, 1, 0)), Reports: 1}
	for title, groups := range map[string][]tocsin.ReporterGroup{
		"Several reports warn of this site. Wait.":                                {unproven, unproven},
		"Somebody whose earlier reports were confirmed warns of this site. Wait.": {proven, unproven, unproven},
		"Reporters whose earlier reports were confirmed warn of this site. Wait.": {proven, unproven, proven},
	} {
		sc := about(aSite, nil, groups...)
		sc.RiskLevel = tocsin.Medium
		want(t, "at Medium", sc.verdict().Title, title)
	}
}

func TestTheStepsAreDrawnToTheLargest(t *testing.T) {
	draw := func(sc screening) (lines []string) {
		for _, s := range sc.steps() {
			lines = append(lines, fmt.Sprint(s.Name, " ", s.Signed(), " ", s.Width, "% ", s.Class))
		}
		return lines
	}
	same(t, "a sanction", draw(about(anAddress, []tocsin.Listing{sniffed, sanction})),
		"Sanctions +32 47% critical", "Named by a list +68 100% ")
	same(t, "a good name", draw(about(aSite, []tocsin.Listing{sniffed, polkadot, good})),
		"Named by a list +68 100% ", "Named by another list, independently +17 25% ", "Known as good −61 0% less")
}

func TestAListSaysWhatItCallsTheSubject(t *testing.T) {
	shared := tocsin.Listing{List: "hosts", Family: "hosts", Kind: tocsin.Shared, Category: "hosting"}
	named := sniffed
	named.Name = "Fake_Phishing7"
	var lines []string
	for _, r := range listingRows(english(), []tocsin.Listing{good, shared, sanction, named, copied, origin}) {
		lines = append(lines, r.List+": "+r.Says+": "+r.Counts)
	}
	same(t, "lists", lines,
		"eth-phishing-detect: Phishing: yes",
		"hosts: a service that unrelated people share: holds the score down",
		"phantom: Phishing: no, same origin",
		"scamsniffer: Phishing (Fake_Phishing7): yes",
		"starter: a well-known site (USD Coin): holds the score down")
}

func TestHowManyNameASubjectIsCounted(t *testing.T) {
	for said, sc := range map[string]screening{
		"":                               about(aSite, nil),
		"this report alone":              about(aSite, nil, tocsin.ReporterGroup{Reports: 1}),
		"2 reports":                      about(aSite, nil, tocsin.ReporterGroup{Reports: 2}),
		"1 sanctions entry, this report": about(aSite, []tocsin.Listing{sanction, good}, tocsin.ReporterGroup{Reports: 1}),
		"1 sanctions entry, 1 list":      about(aSite, []tocsin.Listing{sanction, sniffed}),
		"3 lists, 12 reports": about(aSite, []tocsin.Listing{sniffed, polkadot, copied},
			tocsin.ReporterGroup{Reports: 12}),
		"1 list": about(aSite, []tocsin.Listing{sniffed, sniffed}),
	} {
		want(t, "sources", sc.sourceCount(), said)
	}
	evidence := reportRow{lang: english()}
	evidence.Evidence.URLs, evidence.Evidence.TransactionHashes = []string{"a"}, []string{"b", "c"}
	want(t, "evidence", evidence.EvidenceCount(), "1 link, 2 transactions")
	name, cent := "Ada", tocsin.USD(1)
	by := func(r tocsin.Report) string { return reportRow{lang: english(), Report: r}.By() }
	want(t, "by", []string{
		by(tocsin.Report{Source: tocsin.Community, Reporter: &tocsin.Reporter{Name: &name}}),
		by(tocsin.Report{Source: tocsin.Community, Reporter: &tocsin.Reporter{}}),
		by(tocsin.Report{Source: tocsin.Community}), by(tocsin.Report{Source: "scamsniffer"}),
	}, []string{"Ada", "a reporter with a key", "anonymous", "ScamSniffer"})
	lost := reportRow{lang: english(), Report: tocsin.Report{Draft: tocsin.Draft{AmountLost: &cent}}}
	want(t, "a cent", lost.Lost(), "0.01 USD")
}

func TestCrimeTypesAreFilteredByTheMostFrequent(t *testing.T) {
	st := store.Stats{Reports: 9, ByCrime: map[tocsin.CrimeType]int{tocsin.Scam: 2, tocsin.Phishing: 4, tocsin.Hack: 3}}
	draw := func(c reportsPage) (lines []string) {
		for _, f := range crimeFilters(st, c) {
			lines = append(lines, fmt.Sprint(f.Name, " ", f.Count, " ", f.Current, " ", f.Link))
		}
		return lines
	}
	same(t, "all", draw(reportsPage{lang: english()}),
		"All kinds 9 true /reports", "Phishing 4 false /reports?crimeType=phishing",
		"Hack 3 false /reports?crimeType=hack", "Scam 2 false /reports?crimeType=scam")
	same(t, "one that has none, in a search", draw(reportsPage{lang: english(), Crime: tocsin.RugPull, Query: "x",
		Search: true}),
		"All kinds 0 false /reports?q=x", "Phishing 0 false /reports?crimeType=phishing&q=x",
		"Hack 0 false /reports?crimeType=hack&q=x", "Scam 0 false /reports?crimeType=scam&q=x",
		"Rug pull 0 true /reports?crimeType=rug_pull&q=x")
	c := reportsPage{lang: english(), Crime: tocsin.Hack, Query: "a b"}
	same(t, "paths", []string{c.Start(), c.Unsearched(), c.AllKinds(), c.Name(), c.Label()},
		"/reports?crimeType=hack&q=a+b", "/reports?crimeType=hack", "/reports?q=a+b", "Reports: Hack",
		"Search in this kind: Hack")
}

func TestAPublicListIsOldAfterThreeDays(t *testing.T) {
	list := func(name string, age time.Duration) store.ListStats {
		return store.ListStats{Name: name, Imported: tocsin.TimeOf(now.Add(-age))}
	}
	const days = 3 * 24 * time.Hour
	same(t, "old", staleLists(store.Stats{Lists: []store.ListStats{list("scamsniffer", days), list("starter", 2*days),
		list("safelist", 2*days), list("polkadot", days+time.Second), list("partner", 2*days)}}, tocsin.TimeOf(now)),
		"Polkadot phishing list", "partner")
}

func TestDaysAreNamedInUTC(t *testing.T) {
	for at, said := range map[string]string{
		"2026-11-20T11:59:00Z": "today, 11:59", "2026-11-20T00:00:00Z": "today",
		"2026-11-19T23:59:59Z": "yesterday, 23:59", "2026-11-19T00:00:00Z": "yesterday",
		"2026-11-18T23:59:59Z": "18 November 2026", "2026-11-20T00:30:00+01:00": "yesterday, 23:30",
	} {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		want(t, at, english().When(moment, now), said)
	}
	for d, said := range map[time.Duration]string{25 * time.Hour: "1 day 1 h", 48 * time.Hour: "2 days",
		47*time.Hour + 59*time.Minute: "1 day 23 h", 71 * time.Hour: "2 days 23 h", 73 * time.Hour: "3 days",
		time.Minute: "1 min", 59 * time.Second: "under a minute", 61 * time.Minute: "1 h 1 min"} {
		want(t, "a while", english().Span(d), said)
	}
	for u, said := range map[tocsin.USD]string{5: "0.05 USD", 1250: "12.50 USD", 10_001: "100.01 USD",
		99_999: "999.99 USD", 100_000: "1,000 USD", 100_049: "1,000 USD", 100_050: "1,001 USD"} {
		want(t, "money", money(english(), u), said)
	}
}
