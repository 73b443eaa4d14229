package answer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/feed"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// about makes the facts of an address or a site, of listings and of who reported it.
func about(subject string, listings []tocsin.Listing, origins ...tocsin.ReporterGroup) Answer {
	s, fault := tocsin.ParseSubject(subject)
	if fault != nil {
		panic(fault)
	}
	listings = slices.Clone(listings)
	for i := range listings {
		listings[i].Subject = s
	}
	d := &tocsin.Dossier{Evidence: tocsin.Evidence{Listings: listings, Reporters: origins}}
	for i := range origins {
		o := &d.Reporters[i]
		d.ReportCount += o.Reports
		o.Since, o.Oldest, o.Newest = tocsin.TimeOf(now.AddDate(-1, 0, 0)), tocsin.TimeOf(now.AddDate(0, 0,
			-3)), tocsin.TimeOf(now)
		d.First, d.Last = o.Oldest, o.Newest
	}
	return New(english(), s, d, now)
}

const (
	anAddress = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
	aSite     = "evil.example"
)

var (
	sanction = tocsin.Listing{List: "ofac", Family: "ofac", Kind: tocsin.Sanction, Name: "LAZARUS GROUP"}
	sniffed  = tocsin.Listing{List: "scamsniffer", Family: "scamsniffer", Kind: tocsin.Risk, Category: "phishing"}
	polkadot = tocsin.Listing{List: "polkadot", Family: "polkadot", Kind: tocsin.Risk, Category: "phishing"}
	copied   = tocsin.Listing{List: "phantom", Family: "ethereum-community", Kind: tocsin.Risk, Category: "phishing"}
	origin   = tocsin.Listing{List: "eth-phishing-detect", Family: "ethereum-community", Kind: tocsin.Risk,
		Category: "phishing"}
	good = tocsin.Listing{List: "starter", Family: "starter", Kind: tocsin.Safe, Category: "token", Name: "USD Coin"}
)

func TestTheWordsSayWhatIsOnRecordAndNoMore(t *testing.T) {
	anonymous := func(n int) tocsin.ReporterGroup { return tocsin.ReporterGroup{Reports: n} }
	proven := func(id string) tocsin.ReporterGroup {
		until := tocsin.TimeOf(now.AddDate(0, 1, 0))
		return tocsin.ReporterGroup{Agent: id, ProvenUntil: until, Network: int(id[0]), Reports: 1}
	}
	for _, c := range []struct {
		name  string
		facts Answer
		level tocsin.Level
		title string
		found string
		sure  string
		lead  string // part of it
	}{
		{"nothing", about(anAddress, nil), tocsin.Clean, "Nobody has reported this address. That is not the same as safe.",
			"Nothing", "We do not know", "Most scam addresses"},
		{"no site", about(aSite, nil), tocsin.Clean, "Nobody has reported this site. That is not the same as safe.",
			"Nothing", "We do not know", "Most scam sites"},
		{"known as good", about(anAddress, []tocsin.Listing{good}), tocsin.Clean,
			"Do not send to this address: it is the contract of USD Coin, not a person.", "No warning of fraud",
			"Known, not checked", "Source: Tocsin starter set."},
		{"one anonymous report", about(anAddress, nil, anonymous(1)), tocsin.Low,
			"One person warns of this address. Nobody has confirmed it.", "1 report", "Not sure",
			"No list names it. One anonymous report."},
		{"fifty anonymous reports", about(aSite, nil, anonymous(50)), tocsin.Low,
			"A few reports warn of this site. Nobody has confirmed them.", "50 reports", "Not sure",
			"No list names it. 50 anonymous reports."},
		{"a proven reporter", about(anAddress, nil, proven("a")), tocsin.Medium,
			"Somebody whose earlier reports were confirmed warns of this address. Wait.", "1 report", "Fairly sure",
			"No list names it."},
		{"three proven reporters at once", about(aSite, nil, proven("a"), proven("b"), proven("c")), tocsin.High,
			"Reporters whose earlier reports were confirmed warn of this site. Pay nothing, and connect no wallet.",
			"3 reports", "Sure", "No list names it."},
		{"a list", about(anAddress, []tocsin.Listing{sniffed}), tocsin.High,
			"ScamSniffer calls this address fraudulent. Do not send anything.",
			"1 list", "Sure", "ScamSniffer warns of it: Phishing."},
		{"two lists", about(aSite, []tocsin.Listing{sniffed, polkadot}), tocsin.Critical, "Stay away from this site.",
			"2 lists", "Sure", "Polkadot phishing list and 1 more list warn of it: Phishing."},
		{"a sanction", about(anAddress, []tocsin.Listing{sanction}), tocsin.Critical,
			"Do not send anything to this address.", "1 sanctions entry", "Very sure", "OFAC SDN"},
		{"a sanction against a good name", about(anAddress, []tocsin.Listing{sanction, good}), tocsin.Critical,
			"Do not send anything to this address.", "1 sanctions entry", "Very sure", "OFAC SDN"},
		{"a list against a good name", about(anAddress, []tocsin.Listing{sniffed, good}), tocsin.Low,
			"This address is on a safelist, and somebody warns of it.", "1 list", "", "ScamSniffer warns of it"},
	} {
		w := c.facts.Verdict()
		if c.facts.RiskLevel != c.level || w.Title != c.title || w.Found.Head != c.found || c.sure != "" &&
			w.Sure.Head != c.sure || !strings.Contains(w.Lead, c.lead) {
			t.Errorf("%s: %s %q\n found %q\n sure %q\n lead %q", c.name, c.facts.RiskLevel, w.Title, w.Found.Head, w.Sure.Head,
				w.Lead)
		}
		for _, p := range []Message{w.Found, w.Sure, w.ToDo} {
			if p.Head == "" || p.Text == "" {
				t.Errorf("%s: a question is not answered: %+v", c.name, w)
			}
		}
	}
}

func TestTheStepsAddUpAndNameTheirLists(t *testing.T) {
	sc := about(aSite, []tocsin.Listing{sniffed, polkadot, origin, copied, good}, tocsin.ReporterGroup{Reports: 2})
	sum := 0
	for _, s := range sc.Steps() {
		sum += s.Points
		if s.Name == "" || s.Detail == "" || strings.Contains(s.Detail, "scamsniffer") {
			t.Errorf("step %+v", s)
		}
	}
	if sum != sc.RiskScore {
		t.Errorf("the steps sum to %d, the score is %d", sum, sc.RiskScore)
	}
	counts := map[string]string{}
	for _, r := range sc.ListRows() {
		counts[r.List] = r.Counts
	}
	for list, want := range map[string]string{"scamsniffer": "yes", "eth-phishing-detect": "yes",
		"phantom": "no, same origin", "starter": "holds the score down"} {
		if counts[list] != want {
			t.Errorf("%s counts %q, want %q", list, counts[list], want)
		}
	}
}

// TestEachFactorHasItsNameAndItsText holds both for each code of docs/risk.md.
func TestEachFactorHasItsNameAndItsText(t *testing.T) {
	day := tocsin.TimeOf(now.AddDate(0, -1, 0))
	a := about(aSite, nil, tocsin.ReporterGroup{Reports: 2}, tocsin.ReporterGroup{Agent: "a", Reports: 3})
	a.NameFindings = &tocsin.NameFindings{Lookalike: &tocsin.Lookalike{Of: "MetaMask", Sure: true}}
	for code, want := range map[string]string{
		"reports": "Reports by accounts: 3 reports from one account. It has not been proved right before.",
		"anonymous_reports": "Anonymous reports: 2 anonymous reports. All of them may be by one person, " +
			"so they count for little.",
		"reports_age":      "Age of the reports: These reports are old; the newest is of 20 Oct 2026.",
		"anonymous_age":    "Age of the anonymous reports: The newest is of 20 Oct 2026.",
		"reports_unproven": "Not confirmed yet: Reports alone count for little until reporters who were right before agree.",
		"reports_cap":      "Reports alone stay below Critical: Several reports, but no public list yet.",
		"list":             "Named by a list: Named by ScamSniffer, OFAC SDN.",
		"list_again": "Named by another list: Also named by ScamSniffer, OFAC SDN. Lists that copy each other " +
			"count once.",
		"cap":        "Only a sanctioned subject can reach 100: Nobody has sanctioned it.",
		"safelisted": "Known as good: On the safelist ScamSniffer, OFAC SDN.",
		"known_site": "A well-known site: It is known to ScamSniffer, OFAC SDN: the score is held " +
			"until a second independent list agrees.",
		"poisoning": "Looks like another address: It begins and ends like another address. Nobody has " +
			"reported it for that.",
		"lookalike": "Resembles MetaMask: It resembles the name. Nobody has looked at the site itself.",
		"prediction": "A name like those of scams: It is composed like the names on the lists. Nobody " +
			"has looked at the site itself.",
		"sanctioned": "Sanctions: Sanctioned: ScamSniffer, OFAC SDN. One entry lifts any score to 100.",
		"another":    "another: In the words of the API.",
	} {
		x := tocsin.Factor{Code: code, Detail: "in the words of the API", Newest: day, Lists: []string{"scamsniffer", "ofac"}}
		if got := a.factorName(x) + ": " + a.factorText(x); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", code, got, want)
		}
	}
	both := a.factorText(tocsin.Factor{Code: "safelisted", Lists: []string{feed.Safelist, "starter"}})
	want(t, "a safelist beside the operator's", strings.Contains(both, ListTitle(a.Lang, "starter")), true)
}

// TestAListAloneIsNamedByItsHeadline: what it says is its claim. Of a family of lists it is one that somebody keeps.
func TestAListAloneIsNamedByItsHeadline(t *testing.T) {
	hacked, unkept := sniffed, origin
	hacked.Category, unkept.List = "hack", feed.Unkept
	someone := tocsin.ReporterGroup{Reports: 1}
	for said, a := range map[string]Answer{
		"ScamSniffer calls this site a scam. Pay nothing, and connect no wallet.": about(aSite,
			[]tocsin.Listing{sniffed}, someone),
		"ScamSniffer calls this address fraudulent. Do not send anything.":    about(anAddress, []tocsin.Listing{sniffed}),
		"ScamSniffer warns of this site. Pay nothing, and connect no wallet.": about(aSite, []tocsin.Listing{hacked}),
		"ScamSniffer warns of this address. Do not send anything.":            about(anAddress, []tocsin.Listing{hacked}),
		"Phantom blocklist calls this site a scam. Pay nothing, and connect no wallet.": about(aSite,
			[]tocsin.Listing{unkept, copied}),
	} {
		want(t, "level", a.RiskLevel, tocsin.High)
		want(t, "headline", a.Verdict().Title, said)
	}
}

// TestListsOfOneTimeMayHaveOneSource: that two lists are not copies of each other in general does not show that they
// had this entry each by itself.
func TestListsOfOneTimeMayHaveOneSource(t *testing.T) {
	apart := Message{"Very sure", "Sources that do not copy each other agree."}
	maybe := Message{"Sure", "Lists that are made separately name it. We do not know whether they had it from one source."}
	dated := func(l tocsin.Listing, days int) tocsin.Listing {
		at := tocsin.TimeOf(now.AddDate(0, 0, -days))
		l.Since = &at
		return l
	}
	until := tocsin.TimeOf(now.AddDate(0, 1, 0))
	for _, c := range []struct {
		about string
		facts Answer
		sure  Message
	}{
		{"undated", about(aSite, []tocsin.Listing{sniffed, polkadot}), maybe},
		{"one is dated", about(aSite, []tocsin.Listing{dated(sniffed, 90), polkadot}), maybe},
		{"within a fortnight", about(aSite, []tocsin.Listing{dated(sniffed, 90), dated(polkadot, 76)}), maybe},
		{"later", about(aSite, []tocsin.Listing{dated(sniffed, 90), dated(polkadot, 75)}), apart},
		{"copies later", about(aSite, []tocsin.Listing{dated(copied, 90), dated(polkadot, 90), dated(origin, 1)}), maybe},
		{"and a proven reporter", about(aSite, []tocsin.Listing{sniffed, polkadot},
			tocsin.ReporterGroup{Agent: "a", ProvenUntil: until, Reports: 1}), apart},
	} {
		want(t, c.about, c.facts.Verdict().Sure, c.sure)
		want(t, c.about, c.facts.RiskLevel, tocsin.Critical)
	}
}

// TestAListOfTheOperatorIsNotCalledCurated: nobody but the operator knows how it is kept.
func TestAListOfTheOperatorIsNotCalledCurated(t *testing.T) {
	own := tocsin.Listing{List: "desk", Family: "desk", Kind: tocsin.Risk, Category: "phishing"}
	const headline = "The operator of this service warns of this site. Before you have checked, pay nothing and connect " +
		"no wallet."
	alone := about(aSite, []tocsin.Listing{own}).Verdict()
	want(t, "alone", alone.Sure, Message{"Not confirmed", "No list but the operator’s own names it."})
	want(t, "headline", alone.Title, headline)
	want(t, "found", strings.Contains(alone.Found.Text, "curated"), false)
	reported := about(aSite, []tocsin.Listing{own}, tocsin.ReporterGroup{Reports: 1}).Verdict()
	want(t, "with a report", reported.Sure,
		Message{"Not confirmed", "No list but the operator’s own names it. Nobody has confirmed what was reported here."})
	want(t, "its headline", reported.Title, headline)
	want(t, "with a public list", about(aSite, []tocsin.Listing{own, sniffed}).Verdict().Sure.Head, "Sure")
}

// TestAScamThatNoListNamesIsNotClaimed: a label says that an issuer has frozen the account, or a list warns of
// something that it does not name.
func TestAScamThatNoListNamesIsNotClaimed(t *testing.T) {
	frozen := tocsin.Listing{List: "eth-labels", Family: "a", Kind: tocsin.Risk, Category: tocsin.Frozen}
	copied, unsaid := frozen, frozen
	copied.List, unsaid.Category = "etherscan-labels", "other"
	const label = "Label “blocked”: the issuer of USDC or USDT has frozen it"
	for name, a := range map[string]Answer{"a label": about(anAddress, []tocsin.Listing{frozen}),
		"its copies": about(anAddress, []tocsin.Listing{frozen, copied})} {
		v := a.Verdict()
		want(t, name, v.Title, "A list names this address as frozen by the issuer of a stablecoin. Do not send anything.")
		want(t, name+" is sure", v.Sure.Text,
			"A list copies the label from a block explorer. Why the issuer froze it, the label does not say.")
		want(t, name+" says", a.ListRows()[0].Says, label)
		if len(a.CrimeTypes) > 0 || !strings.Contains(v.Lead, label) || !strings.Contains(a.Because(), label) ||
			strings.Contains(v.Found.Text, "scam") {
			t.Errorf("%s: %v, %q, %q, %q", name, a.CrimeTypes, v.Lead, a.Because(), v.Found.Text)
		}
	}
	want(t, "an address", about(anAddress, []tocsin.Listing{unsaid}).Verdict().Title,
		"A list warns of this address, without saying why. Do not send anything.")
	want(t, "a site", about(aSite, []tocsin.Listing{unsaid}).Verdict().Title,
		"A list warns of this site, without saying why. Pay nothing, and connect no wallet.")
	told := about(anAddress, []tocsin.Listing{unsaid})
	told.ReportCount = 1 // the list publishes a report, which says why
	want(t, "with a report", told.Verdict().Title, "eth-labels warns of this address. Do not send anything.")
}

// TestAListThatNobodyKeepsIsNoReasonToBeSure by itself, nor with a report that nobody has confirmed; with another list
// it is one of several.
func TestAListThatNobodyKeepsIsNoReasonToBeSure(t *testing.T) {
	left := tocsin.Listing{List: feed.Unkept, Family: "a", Kind: tocsin.Risk, Category: "phishing"}
	dated := left
	day := tocsin.TimeOf(now)
	dated.Since = &day
	want(t, "without a date", about(aSite, []tocsin.Listing{left}).Verdict().Sure,
		Message{"Not sure", "One list says so. Nobody keeps it any more, and the entry has no date."})
	want(t, "the headline of a site", about(aSite, []tocsin.Listing{left}).Verdict().Title,
		"One old list warns of this site. Before you have checked, pay nothing and connect no wallet.")
	want(t, "of an address", about(anAddress, []tocsin.Listing{dated}).Verdict().Title,
		"One old list warns of this address. Send nothing before you have checked.")
	want(t, "with another list", about(aSite, []tocsin.Listing{left, sniffed}).Verdict().Title,
		"Stay away from this site.")
	want(t, "with one", about(aSite, []tocsin.Listing{dated}).Verdict().Sure,
		Message{"Not sure", "One list says so, and nobody keeps it any more."})
	for subject, todo := range map[string]string{anAddress: "Send nothing yet",
		aSite: "Pay nothing yet, connect nothing"} {
		a := about(subject, []tocsin.Listing{left})
		want(t, "what to do", []any{a.Unconfirmed(), a.Verdict().ToDo.Head}, []any{true, todo})
	}
	want(t, "another list is checked", about(aSite, []tocsin.Listing{sniffed}).Unconfirmed(), false)
	want(t, "with another list", about(aSite, []tocsin.Listing{left, sniffed}).Verdict().Sure.Head, "Sure")
	reported := about(aSite, []tocsin.Listing{dated}, tocsin.ReporterGroup{Reports: 1}).Verdict()
	want(t, "with a report", reported.Sure, Message{"Not sure", "One list says so, and nobody keeps it any more. " +
		"Nobody has confirmed what was reported here."})
	want(t, "its headline", reported.Title,
		"One old list warns of this site. Before you have checked, pay nothing and connect no wallet.")
}

// TestWhatWasTakenBackLeavesNoSuspicion: that it may imitate another is said of what was never on record alone.
func TestWhatWasTakenBackLeavesNoSuspicion(t *testing.T) {
	a := about(anAddress, nil)
	want(t, "never named", strings.Contains(a.Verdict().Sure.Text, "imitate"), true)
	a.Lapsed = true
	want(t, "named once", a.Verdict().Sure, Message{"We do not know", "Nothing is on record, for it or against it."})
}

// TestTheHeadOfAnAnswerIsNoGoAhead: not of an account to which nobody should send, nor of a first warning.
func TestTheHeadOfAnAnswerIsNoGoAhead(t *testing.T) {
	token := good
	token.Category = tocsin.TokenContract
	a := about(anAddress, []tocsin.Listing{token})
	want(t, "a token", []any{a.State(), a.Scored(), a.Verdict().Found.Head},
		[]any{"Do not send", false, "No warning of fraud"})
	a = about(aSite, nil, tocsin.ReporterGroup{Reports: 1})
	want(t, "a first warning", []any{a.RiskLevel, a.State(), a.Word()}, []any{tocsin.Low, "Low, one warning", "Low"})
	want(t, "more of one person", about(aSite, nil, tocsin.ReporterGroup{Reports: 3}).State(), "Low, unconfirmed warnings")
	want(t, "a known site", about(aSite, []tocsin.Listing{good}).State(), "Known")
}

// TestWhatIsNotDoneOnASiteFitsIt: nobody connects a wallet to a bank.
func TestWhatIsNotDoneOnASiteFitsIt(t *testing.T) {
	for use, says := range map[tocsin.SiteUse]string{
		tocsin.Connects:  "Pay nothing, connect nothing: its name resembles sparkasse.de.",
		tocsin.SignsIn:   "Do not log in, and pay nothing: its name resembles sparkasse.de.",
		tocsin.Authority: "Do not log in, and pay nothing: its name resembles sparkasse.de.",
	} {
		name := tocsin.NameFindings{Use: use,
			Lookalike: &tocsin.Lookalike{Of: "sparkasse.de", Method: "brand-with-lure", Sure: true}}
		a := about(aSite, nil)
		a.Dossier.Name = &name
		a.Screening = tocsin.Screen(a.Dossier, now)
		want(t, "a look-alike", a.Verdict().Title, says)
		a = about(aSite, []tocsin.Listing{sniffed})
		a.Dossier.Name = &name
		a.Screening = tocsin.Screen(a.Dossier, now)
		want(t, "that a list names", strings.Contains(a.Verdict().Title, "log in"), use != tocsin.Connects)
	}
}

// TestAWordIsTheNameOfAnotherSite, which is said and no more.
func TestAWordIsTheNameOfAnotherSite(t *testing.T) {
	a := about(aSite, nil)
	a.Dossier.Name = &tocsin.NameFindings{SameWord: "kraken.com"}
	a.Screening = tocsin.Screen(a.Dossier, now)
	want(t, "said", []any{a.AboutName(), a.Warns(), a.Verdict().ToDo.Text}, []any{
		"The site that we know by this name is kraken.com. This is another one.", false,
		"If you want kraken.com, type its name. Other checks that take a minute are below."})
}
