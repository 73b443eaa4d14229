package answer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestWhichWordsAreSaidOfWhichFacts holds the words about an address and a site for each combination of sanctions,
// lists and reports. Each text has a number, and each case lists the numbers of its texts.
func TestWhichWordsAreSaidOfWhichFacts(t *testing.T) {
	known := tocsin.Listing{List: "misp-warninglists", Family: "misp", Kind: tocsin.Safe, Category: tocsin.TopSite}
	shared := tocsin.Listing{List: "starter", Family: "starter", Kind: tocsin.Shared, Category: "hosting", Name: "A host"}
	other := tocsin.Listing{List: "forta", Family: "forta", Kind: tocsin.Risk, Category: "other"}
	until := tocsin.TimeOf(now.AddDate(0, 1, 0))
	proven := func(id string) tocsin.ReporterGroup {
		return tocsin.ReporterGroup{Agent: id, ProvenUntil: until, Network: int(id[0]), Reports: 1}
	}
	lists := map[string][]tocsin.Listing{
		"0 none": nil, "1 one": {sniffed}, "2 two": {polkadot, sniffed}, "3 other crime": {other},
		"4 copies": {copied, origin}, "5 good": {good}, "6 good and one": {sniffed, good},
		"7 good and two": {sniffed, polkadot, good}, "8 known": {known},
		"9 known and one": {sniffed, known}, "a known and two": {sniffed, polkadot, known}, "b shared": {shared},
		"c shared and one": {sniffed, shared},
	}
	reporters := map[string][]tocsin.ReporterGroup{
		"0": nil, "1": {{Reports: 1}}, "3": {{Reports: 3}}, "key": {{Agent: "a", Network: 1, Reports: 1}},
		"keys": {{Agent: "a", Network: 1, Reports: 2}, {Agent: "b", Network: 2, Reports: 1}}, "proven": {proven("a")},
		"two proven": {proven("a"), proven("b")}, "three proven": {proven("a"), proven("b"), proven("c")},
	}
	texts := map[string]int{}
	var cases, words strings.Builder
	say := func(sc Answer) {
		v, numbers := sc.Verdict(), []int{}
		for _, text := range []string{v.Title, v.Lead, v.Found.Head + " | " + v.Found.Text, v.Sure.Head + " | " + v.Sure.Text,
			v.ToDo.Head + " | " + v.ToDo.Text} {
			if texts[text] == 0 {
				texts[text] = len(texts) + 1
				fmt.Fprintf(&words, "%d %s\n", texts[text], text)
			}
			numbers = append(numbers, texts[text])
		}
		fmt.Fprintf(&cases, "%s %s %v\n", sc.RiskLevel, sc.Result, numbers)
	}
	for _, subject := range []string{anAddress, aSite} {
		for sanctions := range 3 {
			for _, list := range sortedKeys(lists) {
				for _, by := range sortedKeys(reporters) {
					if sanctions > 0 && (list > "4" || len(by) > 1) { // they decide
						continue
					}
					for _, dated := range []bool{true, false} {
						listings := slices.Concat(slices.Repeat([]tocsin.Listing{sanction}, sanctions), lists[list])
						sc := about(subject, listings, slices.Clone(reporters[by])...)
						if !dated {
							if by == "0" || list > "2" {
								continue
							}
							sc.Dossier.First, sc.Dossier.Last = tocsin.Time{}, tocsin.Time{}
							sc.Screening = tocsin.Screen(sc.Dossier, now)
						}
						fmt.Fprintf(&cases, "%s, %d sanctions, list %s, reports %s, dated %t: ",
							map[bool]string{true: "address", false: "site"}[sc.Subject.IsAddress()], sanctions, list, by, dated)
						say(sc)
					}
				}
			}
		}
	}
	cases.WriteString("a page below a site that a list vouches for, and one that a list warns of: ")
	below := about(aSite, []tocsin.Listing{good}, tocsin.ReporterGroup{Reports: 1})
	below.Dossier.Listings[0].Subject = tocsin.Subject{Kind: tocsin.DNS, Value: "example"}
	below.Screening = tocsin.Screen(below.Dossier, now)
	say(below)
	lately, away := tocsin.TimeOf(now.Add(-3*24*time.Hour)), false
	names := map[string]tocsin.NameFindings{
		"is new": {Near: true, Signals: &tocsin.Signals{RegisteredAt: &lately}},
		"predicts and is new": {Near: true, Prediction: &tocsin.Prediction{Level: tocsin.Elevated},
			Signals: &tocsin.Signals{FirstCertificateAt: &lately, Resolves: &away}},
		"imitates": {Lookalike: &tocsin.Lookalike{Of: "metamask.io", Method: "homoglyph", Sure: true}},
		"predicts": {Prediction: &tocsin.Prediction{Level: tocsin.Elevated}},
	}
	for _, name := range sortedKeys(names) {
		says := names[name]
		for _, by := range []string{"0", "1"} {
			cases.WriteString("site, its name " + name + ", reports " + by + ": ")
			sc := about(aSite, nil, slices.Clone(reporters[by])...)
			sc.Dossier.Name = &says
			sc.Screening = tocsin.Screen(sc.Dossier, now)
			say(sc)
		}
	}
	tocsintest.Golden(t, "testdata/verdicts.txt", cases.String()+words.String())
}

func sortedKeys[T any](of map[string]T) []string {
	var keys []string
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
