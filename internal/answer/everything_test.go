package answer

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// naming is which texts were written out.
type naming map[string]bool

// text is the name of a text, which is made of its characters, and the text where it is said first.
func (n naming) text(text string) string {
	hash := fnv.New32a()
	hash.Write([]byte(text))
	name := fmt.Sprintf("#%08x", hash.Sum32())
	if n[text] {
		return name
	}
	n[text] = true
	return name + " " + text
}

// TestWhatIsSaidOfAllThatCanBeKnown holds the words about every category of safelists, every factor of the score, every
// way to look like another, and each number of reporters. A text is written out where it is said first, and has a name
// made of its characters by which it is said again: a new one changes no other line.
func TestWhatIsSaidOfAllThatCanBeKnown(t *testing.T) {
	var all strings.Builder
	named := naming{}
	say := func(about string, texts ...any) {
		fmt.Fprintf(&all, "%s:", about)
		for _, text := range texts {
			all.WriteString(" | " + named.text(fmt.Sprint(text)))
		}
		all.WriteByte('\n')
	}
	flags := func(a Answer) string {
		return fmt.Sprintf("misplaced %t, warns %t, scored %t, above %t, %+v", a.Misplaced(), a.Warns(), a.Scored(),
			a.AboveToo(), a.Layers())
	}
	date := tocsin.TimeOf(now.AddDate(0, 0, -9))
	for _, list := range []string{"starter", "misp-warninglists", "safelist"} {
		for _, subject := range []string{anAddress, aSite, "xn--e1afmkfd.example", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"} {
			categories := strings.Fields("token exchange dex bridge contract project burn other")
			if subject != anAddress {
				categories = strings.Fields(tocsin.TopSite + " " + tocsin.TokenSite + " authority bank dapp exchange explorer " +
					"project software university wallet other")
			}
			for _, category := range categories {
				for _, kind := range []tocsin.ListingKind{tocsin.Safe, tocsin.Shared} {
					if kind == tocsin.Shared && category != "other" || strings.HasPrefix(subject, "r") && category != "exchange" {
						continue
					}
					known := tocsin.Listing{List: list, Family: list, Kind: kind, Category: category, Name: "A name"}
					if category == "bank" || category == "burn" || category == "bridge" {
						known.Name = ""
					}
					a := about(subject, []tocsin.Listing{known})
					a.Dossier.Lists = tocsin.ListDates{Dates: map[string]*tocsin.Time{list: &date}}
					v, row := a.Verdict(), a.ListRows()[0]
					say(fmt.Sprintf("%s %s %s %.9s", list, kind, category, subject), v.Title, v.Lead, v.Found, v.Sure, v.ToDo,
						a.Word(),
						a.Because(), row.Says, row.Counts, row.ListDate, a.Names(), a.Chain(), flags(a))
				}
			}
		}
	}
	lately := tocsin.TimeOf(now.AddDate(0, 0, -3))
	for _, code := range strings.Fields("reports reports_age anonymous_reports anonymous_age reports_unproven " +
		"reports_cap list " +
		"list_again cap safelisted known_site prediction registered first_certificate unresolved poisoning lookalike " +
		"sanctioned unheard_of") {
		proven := tocsin.ReporterGroup{Agent: "a", ProvenUntil: tocsin.TimeOf(now.AddDate(0, 1, 0)), Reports: 2}
		a := about(aSite, []tocsin.Listing{sniffed, sanction, good, polkadot}, proven, tocsin.ReporterGroup{Reports: 3})
		for _, lists := range [][]string{{"scamsniffer", "polkadot"}, {"ofac"}, {"starter"}, {"safelist"}} {
			a.Factors = []tocsin.Factor{{Code: "list", Points: 50, Lists: []string{"scamsniffer"}},
				{Code: "cap", Points: 0}, {Code: code, Points: -25, Lists: lists, Newest: lately, Detail: "in English"}}
			say(code, fmt.Sprintf("%+v", a.Steps()[2]), a.Because(), a.liftedByName(), a.liftedByDigits())
			a.Factors[2].Points = 1
			say(code, a.Because(), a.Steps()[0].Points, a.Steps()[2].Width)
		}
	}
	for proven := range 4 {
		for accounts := range 4 {
			for anonymous := range 3 {
				var by []tocsin.ReporterGroup
				for i := range accounts {
					g := tocsin.ReporterGroup{Agent: fmt.Sprint("agent", i), Reports: i + 1}
					if i < proven {
						g.ProvenUntil = tocsin.TimeOf(now.AddDate(0, 1, 0))
					}
					by = append(by, g)
				}
				if anonymous > 0 {
					by = append(by, tocsin.ReporterGroup{Reports: anonymous})
				}
				a := about(anAddress, nil, by...)
				say(fmt.Sprint(proven, accounts, anonymous), a.reportersText(), a.SourceCount(), a.OneReport(), a.Verdict().Title,
					a.Verdict().ToDo, flags(a), a.WithoutReports(), a.reportDates())
			}
		}
	}
	name := "Kraken"
	for _, status := range []tocsin.ResembledStatus{tocsin.KnownGood, tocsin.Reported, tocsin.OwnContact} {
		for _, called := range []*string{nil, &name} {
			for i, listings := range [][]tocsin.Listing{nil, {sniffed}, nil} {
				differ := 27
				if i == 2 {
					differ = 1
				}
				a := about("0xd8da6bf200000000000000000000000007a96045", listings)
				a.Dossier.Address = &tocsin.AddressFindings{Poisoning: &tocsin.Poisoning{Resembles: anAddress, Name: called,
					Status: status, SharedPrefix: 8, SharedSuffix: 5, Differ: differ, Strength: "strong", Source: tocsin.FromLists}}
				a.Screening = tocsin.Screen(a.Dossier, now)
				v, other := a.Verdict(), a.Resembled()
				say(fmt.Sprint(status, called != nil, len(listings), differ), v, other.Says, other.Subject, fmt.Sprintf("%+v",
					other.Alike),
					flags(a), a.Because(), a.NameAlone())
			}
		}
	}
	for _, domain := range []string{aSite, "uniswap-claim.example", "app.uniswap.org.claim-x.example"} {
		for _, n := range []tocsin.NameFindings{{Known: "evil.example.com"}, {Known: "evil.example.com", Nearly: true},
			{Known: "evil.example.com", Use: tocsin.Authority}, {Known: "evil.example.com", Use: tocsin.Banks, Called: "Bank"},
			{Lookalike: &tocsin.Lookalike{Of: "uniswap.org", Method: "containing"}},
			{Lookalike: &tocsin.Lookalike{Of: "uniswap.org", Method: "homoglyph", Sure: true}},
			{Host: "vercel.app", Known: "uniswap.org"},
			{Lookalike: &tocsin.Lookalike{Of: "uniswap.org", Method: "domain-in-front", Sure: true,
				Evidence: tocsin.LookalikeEvidence{Part: "uniswap.org", Brand: "uniswap.org"}}},
			{Near: true, Signals: &tocsin.Signals{RegisteredAt: &lately}},
			{Prediction: &tocsin.Prediction{Level: tocsin.Elevated, Reasons: []tocsin.PredictionReason{
				{Kind: "letters", Text: "claim", Share: .3}, {Kind: "subdomain", Text: "x", Share: .2},
				{Kind: "suffix", Text: ".xyz", Share: .155}, {Kind: "shape", Share: .1}, {Kind: "brand", Text: "y", Share: .1},
				{Kind: "words", Text: "z", Share: .004}}}},
		} {
			for _, by := range [][]tocsin.ReporterGroup{nil, {{Reports: 1}}} {
				a := about(domain, nil, by...)
				a.Dossier.Name = &n
				a.Screening = tocsin.Screen(a.Dossier, now)
				say("name "+domain, a.Verdict(), a.AboutName(), a.Clues(), flags(a), a.Because(), a.NameAlone())
			}
		}
	}
	for _, level := range []tocsin.Level{tocsin.Clean, tocsin.Low, tocsin.Medium, tocsin.High, tocsin.Critical} {
		say("level", level, LevelName(level), WhatToDo(level))
	}
	say("worth", fmt.Sprintf("%+v", ReportWorth(now)))
	tocsintest.Golden(t, "testdata/everything.txt", all.String())
}

// TestWhatListsHaveSaidIsSaidOnceOfEach, the latest, and not if they say it now.
func TestWhatListsHaveSaidIsSaidOnceOfEach(t *testing.T) {
	a := about(anAddress, []tocsin.Listing{sniffed})
	at := func(days int) *tocsin.Time { at := tocsin.TimeOf(now.AddDate(0, 0, -days)); return &at }
	dated := func(l tocsin.Listing, dropped *tocsin.Time) tocsin.DatedListing {
		l.Subject = a.Subject
		return tocsin.DatedListing{Listing: l, Dropped: dropped}
	}
	other := dated(copied, at(1))
	other.Subject = tocsin.Subject{Kind: tocsin.EVM, Value: "0x" + strings.Repeat("1", 40)}
	asSanction := sniffed
	asSanction.Kind = tocsin.Sanction
	history := []tocsin.DatedListing{dated(sniffed, at(1)), dated(polkadot, at(2)), dated(polkadot, at(3)),
		dated(origin, nil), other, dated(asSanction, at(4))}
	iso := func(at time.Time) string { return at.Format(time.DateOnly) }
	same(t, "former", a.FormerTexts(history, Was, iso), "on record here from Polkadot phishing list until 2026-11-18",
		"on record here from ScamSniffer until 2026-11-16")
	back := dated(sniffed, nil)
	back.Recorded = at(0)
	same(t, "again, on a list of risk", a.FormerTexts([]tocsin.DatedListing{back, dated(sniffed, at(1))}, Was, iso),
		"on record here from ScamSniffer until 2026-11-19 and again since 2026-11-20")
	removed := dated(sniffed, at(1))
	removed.Removed = true
	same(t, "again, since the operator imported its list again", a.FormerTexts([]tocsin.DatedListing{back, removed}, Was,
		iso))
	want(t, "sanctioned once", a.FormerlySanctioned(history), true)
	want(t, "never", a.FormerlySanctioned(history[:5]), false)
	now := about(anAddress, []tocsin.Listing{sanction})
	want(t, "and now", now.FormerlySanctioned(history), false)
}

// TestABarIsAsLongAsItsNumber, and no line of time is crowded.
func TestABarIsAsLongAsItsNumber(t *testing.T) {
	bars := []Bar{{N: 1000}, {N: 1}, {N: 0}, {N: 500}, {N: 9}}
	scale(bars)
	want(t, "bars", bars, []Bar{{N: 1000, Width: 100}, {N: 1, Width: 1}, {}, {N: 500, Width: 50}, {N: 9, Width: 1}})
	none := []Bar{{}}
	scale(none)
	want(t, "no bar", none, []Bar{{}})
	want(t, "years", yearBars(map[int]int{2024: 2, 2026: 1}), []Bar{{"2024", 2, 0}, {"2025", 0, 0}, {"2026", 1, 0}})
	for first, n := range map[int]int{2015: 12, 2014: 12, 2016: 11} {
		want(t, "so many years", len(yearBars(map[int]int{first: 1, 2026: 1})), n)
	}
	want(t, "no year", len(yearBars(nil)), 0)
	for days, labels := range map[int]string{30: "", 400: "2026", 700: "2026", 800: "2025 2026",
		2300: "2022 2023 2024 2025"} {
		var got []string
		for _, l := range about(anAddress, nil, tocsin.ReporterGroup{Reports: 2}).Timeline(outlines(days, 1)).Labels {
			got = append(got, l.Text)
		}
		want(t, fmt.Sprint(days, " days"), strings.Join(got, " "), labels)
	}
	line := about(anAddress, nil, tocsin.ReporterGroup{Reports: 9}).Timeline(outlines(10, 1, 29, 29, 29, 29))
	want(t, "a short line", fmt.Sprintf("%+v", line.Ticks), "[{At:4% Height:14} {At:65.5% Height:8} {At:94.5% Height:8}]")
}

// TestTwoAccountsAreSetAgainstEachOther, character by character, with those that differ marked.
func TestTwoAccountsAreSetAgainstEachOther(t *testing.T) {
	const usdt, other = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre"
	for pair, alike := range map[[2]string]string{
		{anAddress, strings.ToLower(anAddress)}: "true false 40 40 0 0xd8da6bf26964/0xd8da6bf26964 " +
			"af9d7eed9e03e5/af9d7eed9e03e5 3415d37aa96045/3415d37aa96045",
		{anAddress, "0xd8da6bf26964af9d7eed9e03e53415d37aa96046"}: "false false 39 0 1 0xd8da6bf26964/0xd8da6bf26964 " +
			"af9d7eed9e03e5/af9d7eed9e03e5 3415d37aa9604[5]/3415d37aa9604[6]",
		{anAddress, usdt}: "false false 0 0 42 [0xd8dA6BF26964]/[TR7NHqjeKQxGTC] [aF9D7eEd9e03E5]/[i8q8ZY4pL8otSz] " +
			"[3415D37aA96045]/[gjLj6t]",
		{usdt, other}: "false false 0 0 31 T[R7NH]q[jeKQxGTC]/T[BHTJ]q[Ay4DhHhm] [i8q8ZY4pL8ot]S[z]/[T3dNceJYNRz4]S[d] " +
			"[gjLj6t]/[LofLre]",
	} {
		a, _ := tocsin.ParseAccount(pair[0])
		b, _ := tocsin.ParseAccount(pair[1])
		c := Compare(a, b)
		var blocks []string
		for _, block := range c.Blocks {
			blocks = append(blocks, marked(block.Above)+"/"+marked(block.Below))
		}
		want(t, fmt.Sprint(pair), fmt.Sprint(c.Same, c.LooksAlike, c.First, c.Last, c.Differ, " ", strings.Join(blocks,
			" ")), alike)
	}
}
