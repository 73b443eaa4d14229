package answer

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/tocsintest"
)

// english is the printer of English. To read a language takes longer than most tests.
var english = sync.OnceValue(func() *locale.Printer {
	all, err := locale.Load("en")
	if err != nil {
		panic(err)
	}
	return all.English()
})

// want compares what a text is with what it should be.
func want(t *testing.T, about string, got, want any) {
	t.Helper()
	tocsintest.Want(t, about, got, want)
}

// same compares what a table expects, line by line.
func same(t *testing.T, about string, got []string, lines ...string) {
	t.Helper()
	if !slices.Equal(got, lines) {
		t.Errorf("%s:\n%s\nwant\n%s", about, strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
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
		sc.Listings = []tocsin.Listing{{List: "starter", Kind: tocsin.Safe, Category: "search", Subject: sc.Subject}}
		want(t, "against who is vouched for", sc.confidenceText().Head, "Sure that it is the known site")
		sc.Listings[0].List = "safelist"
		want(t, "against whom the operator vouches for", sc.confidenceText().Head, "The operator vouches for it")
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
		facts                  Answer
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
		{about(aSite, []tocsin.Listing{other}), "Forta label list warns of it.", "1 list",
			"Nobody has reported it here yet.", "Never type a recovery phrase into a web page"},
		{about(anAddress, nil, anonymous(1)), "No list names it. One anonymous report. On its own that counts for little.",
			"1 report", "The report is of 20 Nov 2026.", "It can also be the first."},
		{about(aSite, []tocsin.Listing{shared}),
			"Nobody has reported evil.example itself, a service that unrelated people share (Tocsin starter set).",
			"Nothing against it", "No sanctions entry, no list of scams, no report.", "for example someone.evil.example."},
		{about(aSite, nil), "Most scam sites are days old", "Nothing", "No safelist knows it either.",
			"Do them before you go on."},
	} {
		v := c.facts.Verdict()
		if !strings.HasPrefix(v.Lead, c.lead) || v.Found.Head != c.head || !strings.HasSuffix(v.Found.Text, c.text) ||
			!strings.Contains(v.ToDo.Text, c.todo) {
			t.Errorf("lead %q\nfound %q %q\ndo %q", v.Lead, v.Found.Head, v.Found.Text, v.ToDo.Text)
		}
		says := func(kind string) bool { return strings.Contains(c.head, kind) }
		drawn := Layers{Reports: says("report"), Lists: says("list"), Sanctions: says("sanctions")}
		if c.facts.Layers() != drawn {
			t.Errorf("%q is drawn as %+v", c.head, c.facts.Layers())
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
		want(t, "at Medium", sc.Verdict().Title, title)
	}
}

// TestASanctionSaysWhatItLifts: it is the last in the sum, and the first reason in a row.
func TestASanctionSaysWhatItLifts(t *testing.T) {
	both := about(anAddress, []tocsin.Listing{sniffed, sanction})
	want(t, "beside a list", both.Steps()[1].Detail, "Sanctioned: OFAC SDN. This lifts the score from 68 to 100.")
	want(t, "the reason", both.Because(), "OFAC SDN: sanctioned, LAZARUS GROUP (+32); ScamSniffer: Phishing (+68)")
	want(t, "alone", about(anAddress, []tocsin.Listing{sanction}).Steps()[0].Detail,
		"Sanctioned: OFAC SDN. One entry lifts any score to 100.")
}

func TestTheStepsAreDrawnToTheLargest(t *testing.T) {
	draw := func(sc Answer) (lines []string) {
		for _, s := range sc.Steps() {
			lines = append(lines, fmt.Sprint(s.Name, " ", s.Signed(), " ", s.Width, "% ", s.Class))
		}
		return lines
	}
	same(t, "a sanction", draw(about(anAddress, []tocsin.Listing{sniffed, sanction})),
		"Named by a list +68 100% ", "Sanctions +32 47% critical")
	same(t, "a good name", draw(about(aSite, []tocsin.Listing{sniffed, polkadot, good})),
		"Named by a list +68 100% ", "Named by another list +17 25% ", "Known as good −61 0% less")
}

// TestTheReasonSaysWhatEachListCallsTheSubject: in words, with the label that the list gives, of a sanction the party
// and the program, and with points that sum to the score.
func TestTheReasonSaysWhatEachListCallsTheSubject(t *testing.T) {
	program, labelled, many := sanction, sniffed, []tocsin.Listing(nil)
	program.Program = "DPRK3"
	labelled.Name = "Fake_Phishing7"
	for _, name := range []string{"One", "Two", "One", "Three", "Four"} {
		token := good
		token.Name = name
		many = append(many, token)
	}
	same(t, "in a few words", []string{about(anAddress, []tocsin.Listing{program, sniffed}).Because(),
		about(anAddress, []tocsin.Listing{sanction}).Because(), about(aSite, []tocsin.Listing{good}).Because(),
		about(aSite, []tocsin.Listing{labelled, polkadot, good}).Because(), about(aSite, many).Because()},
		"OFAC SDN: sanctioned, LAZARUS GROUP (DPRK3) (+32); ScamSniffer: Phishing (+68)",
		"OFAC SDN: sanctioned, LAZARUS GROUP (+100)", "Tocsin starter set: a well-known site, USD Coin",
		"Polkadot phishing list: Phishing (+68); ScamSniffer: Phishing, Fake_Phishing7 (+17); Tocsin starter set: a "+
			"well-known site, USD Coin (−61)",
		"Tocsin starter set: a well-known site, One, Two, Three, …")
}

func TestAListSaysWhatItCallsTheSubject(t *testing.T) {
	shared := tocsin.Listing{List: "hosts", Family: "hosts", Kind: tocsin.Shared, Category: "hosting"}
	named := sniffed
	named.Name = "Fake_Phishing7"
	var lines []string
	for _, r := range about(aSite, []tocsin.Listing{good, shared, sanction, named, copied, origin}).ListRows() {
		lines = append(lines, r.List+": "+r.Says+": "+r.Counts)
	}
	same(t, "lists", lines,
		"eth-phishing-detect: Phishing: yes",
		"hosts: a service that unrelated people share: does not count: a sanction outweighs it",
		"phantom: Phishing: no, same origin",
		"scamsniffer: Phishing (Fake_Phishing7): yes",
		"starter: a well-known site (USD Coin): does not count: a sanction outweighs it")
}

// TestWhatTheOperatorLooksIntoIsNotCalledChecked, whether something speaks against it still or not, and only as long as
// nobody else vouches for it.
func TestWhatTheOperatorLooksIntoIsNotCalledChecked(t *testing.T) {
	const undecided = "The operator holds the level at Low while an objection is looked into. Nothing has been decided."
	review := tocsin.Listing{List: "safelist", Family: "safelist", Kind: tocsin.Safe,
		Category: tocsin.UnderReview}
	held := about(aSite, []tocsin.Listing{sniffed, review})
	v := held.Verdict()
	same(t, "held", []string{v.Title, v.Sure.Head, v.Sure.Text, held.ListRows()[0].Says},
		"Somebody warns of this site. The operator looks into an objection.", "Under review", undecided,
		"under review by the operator")
	last := held.Steps()[len(held.Steps())-1]
	same(t, "in the sum", []string{last.Name, last.Detail}, "Under review", undecided)
	v = about(aSite, []tocsin.Listing{review}).Verdict()
	same(t, "unnamed", []string{v.Title, v.Lead, v.Sure.Head, v.Sure.Text},
		"Nothing on record warns of it now. The operator looks into an objection.", undecided, "Under review", undecided)
	v = about(aSite, []tocsin.Listing{sniffed, review, good}).Verdict()
	same(t, "known to others", []string{v.Sure.Head}, "Sure that it is the known site")
}

func TestHowManyNameASubjectIsCounted(t *testing.T) {
	for said, sc := range map[string]Answer{
		"":                               about(aSite, nil),
		"this report alone":              about(aSite, nil, tocsin.ReporterGroup{Reports: 1}),
		"2 reports":                      about(aSite, nil, tocsin.ReporterGroup{Reports: 2}),
		"1 sanctions entry, this report": about(aSite, []tocsin.Listing{sanction, good}, tocsin.ReporterGroup{Reports: 1}),
		"1 sanctions entry, 1 list":      about(aSite, []tocsin.Listing{sanction, sniffed}),
		"3 lists, 12 reports": about(aSite, []tocsin.Listing{sniffed, polkadot, copied},
			tocsin.ReporterGroup{Reports: 12}),
		"1 list": about(aSite, []tocsin.Listing{sniffed, sniffed}),
	} {
		want(t, "sources", sc.SourceCount(), said)
	}
}

// TestAKnownSiteThatOneListNamesIsLeftOpen: nobody vouches for it, and no second list agrees.
func TestAKnownSiteThatOneListNamesIsLeftOpen(t *testing.T) {
	top := tocsin.Listing{List: "misp-warninglists", Family: "misp", Kind: tocsin.Safe, Category: tocsin.TopSite}
	v := about(aSite, []tocsin.Listing{sniffed, top}).Verdict()
	want(t, "title", v.Title, "This site is well known. One list warns of it, and no other.")
	want(t, "to do", v.ToDo.Head, "Read what is said against it")
	want(t, "how sure", []any{v.Sure.Head, strings.HasSuffix(v.Sure.Text, "for such sites is mostly a mistake.")},
		[]any{"Sure that it is a known site", true})
	v = about(aSite, []tocsin.Listing{sniffed, polkadot, top}).Verdict()
	want(t, "when a second one agrees", strings.Contains(v.Title, "knows"), false)
	words := map[string]string{}
	for _, level := range []tocsin.Level{tocsin.Clean, tocsin.Low, tocsin.Medium, tocsin.High, tocsin.Critical} {
		words[string(level)] = string(LevelName(level))
	}
	want(t, "the levels in words", words, map[string]string{"CLEAN": "No reports", "LOW": "Low", "MEDIUM": "Medium",
		"HIGH": "High", "CRITICAL": "Critical"})
}

// TestTheNamesOfListsAreFirst: what warns comes before what a safelist says, and a list of sanctions speaks alone.
func TestTheNamesOfListsAreFirst(t *testing.T) {
	thief := sniffed
	thief.Name = "Ronin Bridge Exploiter"
	again := thief
	again.Name, again.List = "RONIN bridge exploiter", "forta"
	same(t, "names", about(anAddress, []tocsin.Listing{good, thief, again}).Names(), "Ronin Bridge Exploiter", "USD Coin")
	same(t, "of a sanctioned one", about(anAddress, []tocsin.Listing{good, sanction, thief}).Names(), "Lazarus Group")
	want(t, "short words may be abbreviations", unshout("SUEX OTC, S.R.O. GARANTEX"), "Suex OTC, S.R.O. Garantex")
	below := about(aSite, []tocsin.Listing{thief})
	below.Dossier.Listings[0].Subject.Value = "example"
	same(t, "of a parent", below.Names())
	own := good
	own.List = "safelist"
	for name, of := range map[string][]tocsin.Listing{"own": {own}, "public": {good}, "both": {own, good},
		"own, and a warning": {own, thief}} {
		want(t, name, about(anAddress, of).CalledByOperator(), name == "own")
	}
}

// TestAnAnswerLinksToItsExplorer, each by the address as the explorer has it, and never to a reported site.
func TestAnAnswerLinksToItsExplorer(t *testing.T) {
	on := func(subject, chain string) (urls []string) {
		l := sniffed
		l.Chain = chain
		for _, e := range about(subject, []tocsin.Listing{l, l}).Links() {
			urls = append(urls, e.URL)
		}
		return urls
	}
	same(t, "an EVM address", on(anAddress, "eip155:56"), "https://etherscan.io/address/"+anAddress,
		"https://bscscan.com/address/"+anAddress, "https://blockscan.com/address/"+anAddress)
	same(t, "a site", on(aSite, ""), "https://urlscan.io/domain/evil.example",
		"https://web.archive.org/web/*/evil.example")
	for address, page := range map[string]string{
		"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa":                  "https://mempool.space/address/",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t":                  "https://tronscan.org/#/address/",
		"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh":                  "https://xrpscan.com/account/",
		"solana:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": "https://solscan.io/account/",
	} {
		_, bare, found := strings.Cut(address, ":")
		if !found {
			bare = address
		}
		same(t, address, on(address, ""), page+bare)
	}
}

func TestPointsHaveTheirSign(t *testing.T) {
	same(t, "points", []string{Step{}.Signed(), Step{Points: 5}.Signed(), Step{Points: -3}.Signed()}, "0", "+5", "−3")
	want(t, "a factor without a name", about(aSite, nil).factorName(tocsin.Factor{Code: "new_factor"}), "new_factor")
}
