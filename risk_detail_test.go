package tocsin

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// details returns what the factors of an assessment say, by their codes.
func details(a Assessment) map[string]string {
	found := map[string]string{}
	for _, f := range a.Factors {
		found[f.Code] = f.Detail
	}
	return found
}

func TestAFactorSaysWhatItCounts(t *testing.T) {
	groups := slices.Concat(keys(6, 1, 0), []ReporterGroup{anonymous(1, 400)})
	groups[2].Since, groups[3].Since = ago(31), ago(3000)
	groups[4].Reports = 3
	for i := range groups[:6] {
		groups[i].Oldest, groups[i].Newest = ago(900), ago(800+float64(i))
	}
	list := Listing{List: "b list", Family: "b", Kind: Risk}
	twice := Listing{List: "a list", Family: "a", Kind: Risk, Chain: "eip155:1"}
	copied := Listing{List: "a copy", Family: "a", Kind: Risk}
	good := Listing{List: "good", Kind: Safe}
	got := details(assess(groups, list, twice, twice, copied, good, good, Listing{List: "best", Kind: Shared}))
	for code, want := range map[string]string{
		"reports":           "8 reports by 6 independent keys (0 proven, 2 settled, 4 new)",
		"reports_age":       "these reports are old; the newest is from 2024-03-23",
		"anonymous_reports": "1 report without a key, counted together as one weak source",
		"anonymous_age":     "the newest is from 2025-04-27",
		"list":              "named by a copy, a list",
		"list_again":        "also named, independently, by b list",
		"safelisted":        "on the safelist best, good",
	} {
		if got[code] != want {
			t.Errorf("%s says %q, not %q", code, got[code], want)
		}
	}
	known := Listing{List: "good", Kind: Safe, Category: TopSite} // by a list that vouches for it as well
	if got := details(assess(nil, list, good, known))["safelisted"]; got != "on the safelist good" {
		t.Errorf("a list that says both is named in %q", got)
	}
	ofac := Listing{List: "ofac", Kind: Sanction}
	got = details(assess(keys(1, 1, 0), ofac, Listing{List: "eu", Kind: Sanction}, ofac))
	const one = "1 report by 1 independent key (1 proven, 0 settled, 0 new)"
	if got["sanctioned"] != "sanctioned: eu, ofac" || got["reports"] != one {
		t.Errorf("%q", got)
	}
}

func TestAnonymousReportsAreAsOldAsTheNewest(t *testing.T) {
	a := assess([]ReporterGroup{anonymous(3, 800), anonymous(2, 10), anonymous(4, 1000)})
	if b := assess([]ReporterGroup{anonymous(9, 10)}); a.Score != b.Score {
		t.Errorf("nine reports in three groups give %d, in one %d", a.Score, b.Score)
	}
}

func TestAGroupWithoutReportsCountsNothing(t *testing.T) {
	empty := keys(1, 1, 0)
	empty[0].Reports = 0
	if a := assess(append(empty, anonymous(0, 0))); a.Score != 0 || len(a.Factors) != 0 || a.Confidence != 0 {
		t.Errorf("%+v", a)
	}
}

// TestTheDetailOfAFactorSaysWhatItsFieldsHold, and no field is set that it does not say.
func TestTheDetailOfAFactorSaysWhatItsFieldsHold(t *testing.T) {
	lists := regexp.MustCompile(`^(?:named by|also named, independently, by|on the safelist|sanctioned:|` +
		`a well-known site, by) (.+?)(?:: held.*)?$`)
	newest := regexp.MustCompile(`(?:the newest is from | ago \(|today \()(\d{4}-\d\d-\d\d)`)
	forAll(t, func(r *rand.Rand) string {
		for _, f := range Assess(anyEvidence(r, true, true, everyKind...), now).Factors {
			said := []string{"", ""}
			for i, pattern := range []*regexp.Regexp{lists, newest} {
				if m := pattern.FindStringSubmatch(f.Detail); m != nil {
					said[i] = m[1]
				}
			}
			day := ""
			if f.Newest != (Time{}) {
				day = f.Newest.Std().Format(time.DateOnly)
			}
			if strings.Join(f.Lists, ", ") != said[0] || day != said[1] {
				return fmt.Sprintf("%+v", f)
			}
		}
		return ""
	})
}
