package answer

import (
	"fmt"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/feed"
)

func TestHighAndCriticalAreAlarms(t *testing.T) {
	for _, c := range []struct {
		facts Answer
		alarm bool
	}{
		{about(aSite, nil), false}, {about(aSite, nil, tocsin.ReporterGroup{Reports: 1}), false},
		{about(aSite, []tocsin.Listing{sniffed}), true}, {about(aSite, []tocsin.Listing{sniffed, polkadot}), true},
	} {
		want(t, string(c.facts.RiskLevel), c.facts.Alarm(), c.alarm)
	}
}

// TestATokenInAListIsNotToBePaid: its line says so, and the sum of its score has no step of it.
func TestATokenInAListIsNotToBePaid(t *testing.T) {
	said := func(kind tocsin.ListingKind, category string) tocsin.Listing {
		return tocsin.Listing{List: "starter", Kind: kind, Category: category, Family: "starter"}
	}
	for category, todo := range map[string]string{
		"token":    "Do not send tokens to the contract itself",
		"burn":     "Send nothing to it",
		"exchange": "A list knows it, and nobody warns of it. Your other checks go on.",
	} {
		a := about(anAddress, []tocsin.Listing{said(tocsin.Safe, category)})
		if a.ToDo() != todo || len(a.Steps()) != 0 {
			t.Errorf("%s: %s, %v", category, a.ToDo(), a.Steps())
		}
	}
	warned := about(anAddress, []tocsin.Listing{said(tocsin.Safe, "token"), said(tocsin.Risk, "phishing")})
	if len(warned.Steps()) != 2 || !strings.HasPrefix(warned.Because(), "Do not send tokens to the contract itself; ") {
		t.Errorf("%v, %s", warned.Steps(), warned.Because())
	}
}

// TestAPageOnASharedHostIsToBeLookedInto: nothing is known of it, also where no list has the host.
func TestAPageOnASharedHostIsToBeLookedInto(t *testing.T) {
	a := about(aSite, nil)
	a.Shared = true
	want(t, "what to do", a.ToDo(),
		"Find out whose page it is: anyone can have one there. Your other checks go on.")
	want(t, "why", a.Because(), "Anyone can have a page there, and no page was looked at; Nothing on record, which does "+
		"not make it safe")
}

// TestAReportThatCallsNothingBadIsToBeRead, and what a list knows is not taken for it.
func TestAReportThatCallsNothingBadIsToBeRead(t *testing.T) {
	named := about(aSite, nil)
	named.Result = tocsin.Caution
	want(t, "what to do", named.ToDo(),
		"A report names it, without calling it bad. Read the report before you go on.")
	named.Safelisted = true
	want(t, "of a known one", named.ToDo(), "A list knows it, and a report names it. Read the report before you go on.")
	warned := about(aSite, []tocsin.Listing{sniffed, good})
	want(t, "a list warns of it, and another knows it", []any{warned.Safelisted, warned.ToDo()},
		[]any{true, warned.Lang.Text(WhatToDo(tocsin.Low))})
}

// TestAKnownSubjectHasTheNameThatPeopleWrite: that of our own list, wherever it comes in the order.
func TestAKnownSubjectHasTheNameThatPeopleWrite(t *testing.T) {
	ours, theirs, nameless := good, good, good
	ours.List, theirs.List, theirs.Name, nameless.List, nameless.Name = feed.StarterList, "misp", "USDC_2", "misp", ""
	for title, listings := range map[string][]tocsin.Listing{
		"Do not send to this address: it is the contract of USD Coin, not a person.": {theirs, ours},
		"Do not send to this address: it is the contract of USDC_2, not a person.":   {nameless, theirs, theirs},
		"Do not send to this address: it is the contract of a token, not a person.":  {nameless},
	} {
		want(t, "title", about(anAddress, listings).Verdict().Title, title)
	}
	want(t, "in the other order", about(anAddress, []tocsin.Listing{ours, theirs}).Verdict().Title,
		"Do not send to this address: it is the contract of USD Coin, not a person.")
}

func TestAtMostThreeNamesOfASubjectAreGiven(t *testing.T) {
	var listings []tocsin.Listing
	for _, name := range []string{"First", " ", "Second", "", "Third", "Fourth"} {
		l := sniffed
		l.Name = name
		listings = append(listings, l)
	}
	same(t, "names", about(anAddress, listings).Names(), "First", "Second", "Third")
}

func TestWhereNoListLooksIsSaid(t *testing.T) {
	for subject, text := range map[string]string{
		anAddress: "None of our lists has such addresses.", aSite: "None of our lists has sites.",
		"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh": "None of our lists has XRP Ledger addresses.",
	} {
		want(t, subject, about(subject, nil).NoListsText(), "No report names it. "+text)
	}
}

// TestASanctionIsNamedOnce: lists have one party in several rows.
func TestASanctionIsNamedOnce(t *testing.T) {
	sc := about(anAddress, []tocsin.Listing{sanction, sniffed, sanction})
	want(t, "who is sanctioned", sc.Because(), "OFAC SDN: sanctioned, LAZARUS GROUP (+32); ScamSniffer: Phishing (+68)")
	want(t, "sanctions", len(sc.SanctionListings()), 2)
	want(t, "of a subject without any", len(about(anAddress, []tocsin.Listing{sniffed, good}).SanctionListings()), 0)
}

func TestAGoodListingHoldsTheScoreOnlyIfThereIsOne(t *testing.T) {
	shared := tocsin.Listing{List: "hosts", Family: "hosts", Kind: tocsin.Shared, Category: "hosting"}
	for _, r := range about(aSite, []tocsin.Listing{good, shared}).ListRows() {
		want(t, r.List, r.Counts, "no points")
	}
}

// TestTheListsThatHoldAScoreAreNamedOnce: those that know a subject only if no other vouches for it.
func TestTheListsThatHoldAScoreAreNamedOnce(t *testing.T) {
	knows, own := good, good
	knows.List, knows.Family, knows.Category, own.List, own.Family = "top", "top", tocsin.TopSite, "mine", "mine"
	named := func(listings ...tocsin.Listing) string {
		sc := about(aSite, listings)
		var all []string
		for _, h := range sc.Holds() {
			all = append(all, fmt.Sprint(h.List, " ", h.Vouches, " ", h.Own))
		}
		return strings.Join(all, ", ")
	}
	want(t, "one that vouches", named(sniffed, knows, good, good), good.List+" true false")
	want(t, "two that vouch", named(sniffed, own, knows, good), "mine true true, "+good.List+" true false")
	want(t, "one that knows it", named(sniffed, knows), "top false true")
	want(t, "nothing speaks against it", named(good), "")
	want(t, "sanctioned", named(good, sniffed, sanction), "")
}

// TestReportsOfPublicListsAreToldApart from those that were filed here.
func TestReportsOfPublicListsAreToldApart(t *testing.T) {
	listed := func(n int, by ...tocsin.ReporterGroup) string {
		sc := about(aSite, nil, by...)
		sc.ReportCount += n
		return sc.reportersText()
	}
	one := tocsin.ReporterGroup{Reports: 1}
	anonymous := "One anonymous report. On its own that counts for little."
	for n, texts := range [][2]string{
		{"", anonymous},
		{"All reports come from public lists.", anonymous + " 1 report comes from public lists."},
		{"All reports come from public lists.", anonymous + " 2 reports come from public lists."},
	} {
		want(t, fmt.Sprint(n, " of lists"), listed(n), texts[0])
		want(t, fmt.Sprint(n, " of lists, one filed"), listed(n, one), texts[1])
	}
}

func TestTheReportsOfOneDayHaveOneDate(t *testing.T) {
	for days, text := range map[int]string{0: "The reports are of 20 Nov 2026.", 1: "The last report is of 20 Nov 2026."} {
		sc := about(aSite, nil, tocsin.ReporterGroup{Reports: 2})
		first, last := tocsin.TimeOf(now.AddDate(0, 0, -days)), tocsin.TimeOf(now)
		sc.FirstReportedAt, sc.LastReportedAt = &first, &last
		want(t, "dates", sc.reportDates(), text)
	}
}

func TestAReportThatScoresNothingIsToBeRead(t *testing.T) {
	sc := about(aSite, nil)
	sc.Result, sc.ReportCount = tocsin.Caution, 1
	v := sc.Verdict()
	want(t, "title", v.Title, "This site is named in a report that does not call it bad.")
	want(t, "to do", v.ToDo.Head, "Read the report")
}

// TestTheLineOfTimeBeginsWithTheFirstReport, whether or not its outline was read, and lists of one day share a flag.
func TestTheLineOfTimeBeginsWithTheFirstReport(t *testing.T) {
	var listings []tocsin.Listing
	for days, l := range map[int]tocsin.Listing{500: sniffed, 501: polkadot, 20: copied} {
		since := tocsin.TimeOf(now.AddDate(0, 0, -days))
		l.Since = &since
		listings = append(listings, l)
	}
	sc := about(anAddress, listings, tocsin.ReporterGroup{Reports: 9})
	first := tocsin.TimeOf(now.AddDate(0, 0, -1000))
	sc.FirstReportedAt = &first
	line := sc.Timeline(outlines(1, 2))
	want(t, "first", line.First, first)
	var flags []string
	for _, f := range line.Flags {
		flags = append(flags, fmt.Sprintf("%v %v", f.At, f.Left))
	}
	same(t, "lists", flags, "49.4% false", "96.06% true")
	want(t, "in words", strings.Count(line.Says, "since"), 3)
}

func TestKindsOfEqualNumberAreInTheOrderOfTheirNames(t *testing.T) {
	list := outlines(1, 2, 3, 4, 5, 6)
	list[1].CrimeType, list[2].CrimeType, list[3].CrimeType = tocsin.Hack, tocsin.Hack, tocsin.Hack
	sum := about(aSite, nil, tocsin.ReporterGroup{Reports: 6}).Sums(list)
	want(t, "kinds", sum.Kinds, []Bar{{"Hack", 3, 100}, {"Phishing", 3, 100}})
}

// TestTheLineOfTimeSaysHowManyReportsItHas if it has not all, and leaves out lists without a date.
func TestTheLineOfTimeSaysHowManyReportsItHas(t *testing.T) {
	sc := about(anAddress, []tocsin.Listing{sniffed, polkadot}, tocsin.ReporterGroup{Reports: 3})
	all, some := sc.Timeline(outlines(1, 2, 3)), sc.Timeline(outlines(1, 2))
	want(t, "how many", []int{all.Newest, some.Newest, len(all.Flags)}, []int{0, 2, 0})
	want(t, "all, one without a date", sc.Timeline(outlines(1, 2, 0)).Newest, 0)
}

// TestTheHeadlineAndTheReasonNameTheSameListFirst: also where one by whose title it would be another is kept no more.
func TestTheHeadlineAndTheReasonNameTheSameListFirst(t *testing.T) {
	unkept := sniffed
	unkept.List = feed.Unkept
	v := about(aSite, []tocsin.Listing{unkept, polkadot}).Verdict()
	want(t, "the reason", strings.HasPrefix(v.Lead, "Polkadot phishing list and 1 more list warn of it"), true)
}

// TestTheCrimeIsThatOfTheListThatIsNamed, which is the first by its title.
func TestTheCrimeIsThatOfTheListThatIsNamed(t *testing.T) {
	other, hacked := polkadot, sniffed
	other.Category, hacked.Category = "other", "hack"
	for lead, listings := range map[string][]tocsin.Listing{
		"Polkadot phishing list and 1 more list warn of it.":           {hacked, other},
		"Polkadot phishing list and 1 more list warn of it: Phishing.": {hacked, polkadot},
		"Polkadot phishing list warns of it.":                          {other},
	} {
		if got := about(aSite, listings).Verdict().Lead; !strings.HasPrefix(got, lead) {
			t.Errorf("%s", got)
		}
	}
	chains := sniffed
	chains.Chain = "eip155:987654321"
	want(t, "an explorer of a chain that nobody knows", len(about(anAddress, []tocsin.Listing{chains}).Links()),
		len(about(anAddress, nil).Links()))
}

// TestTheOperatorsLabelIsNoNameOnAList: a sanctioned account has the names of the list of sanctions alone, and what the
// operator's own safelist calls an account does not stand beside the name on a list.
func TestTheOperatorsLabelIsNoNameOnAList(t *testing.T) {
	account := about(anAddress, nil).Subject
	own := tocsin.Listing{List: feed.Safelist, Kind: tocsin.Safe, Name: "Deposit wallet", Subject: account}
	sdn := tocsin.Listing{List: feed.OFAC, Kind: tocsin.Sanction, Name: "Hyon Sop SIM", Subject: account}
	warned := tocsin.Listing{List: "scamsniffer", Kind: tocsin.Risk, Name: "Drainer", Subject: account}
	for _, c := range []struct {
		listings []tocsin.Listing
		says     string
	}{
		{[]tocsin.Listing{own, warned, sdn}, "[Hyon Sop SIM] OFAC SDN false"},
		{[]tocsin.Listing{own, warned}, "[Drainer]  false"},
		{[]tocsin.Listing{own}, "[Deposit wallet]  true"},
	} {
		a := about(anAddress, c.listings)
		want(t, "the names", fmt.Sprint(a.Names(), " ", a.SanctionsTitle(), " ", a.CalledByOperator()), c.says)
	}
}
