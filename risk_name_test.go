package tocsin

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// anyName makes what a name may say by itself, half of the time nothing.
func anyName(r *rand.Rand) *NameFindings {
	if r.IntN(2) == 0 {
		return nil
	}
	n := &NameFindings{}
	if r.IntN(2) == 0 {
		n.Lookalike = &Lookalike{Of: "brand.example", Method: "typo", Sure: r.IntN(2) == 0}
	}
	if r.IntN(3) > 0 {
		level := []PredictionLevel{NoPrediction, LowPrediction, Elevated}[r.IntN(3)]
		n.Prediction = &Prediction{Score: r.Float64(), Level: level,
			Reasons: []PredictionReason{{Kind: "letters", Text: "claim", Share: 0.6}, {Kind: "shape", Share: 0.4}}}
	}
	return n
}

// TestANameNeverScoresMoreThanTheFirstPointOfMedium, whatever else is known, and never less than without it.
func TestANameNeverScoresMoreThanTheFirstPointOfMedium(t *testing.T) {
	first := int(published(t, `it lifts a score below (\d+) to \d+, the first point of MEDIUM`)[0])
	if LevelOf(first) != Medium || LevelOf(first-1) != Low {
		t.Fatalf("%d is not the first point of MEDIUM", first)
	}
	lifted := 0
	forAll(t, func(r *rand.Rand) string {
		ev := anyEvidence(r, true, true, everyKind...)
		ev.Name = nil
		without := Assess(ev, now)
		ev.Name = anyName(r)
		with := Assess(ev, now)
		want := without.Score
		if with.Suspicious && want < first {
			want = first
			lifted++
		}
		if with.Score != want || with.Confidence != without.Confidence || with.Safelisted != without.Safelisted ||
			with.Held != without.Held {
			return fmt.Sprintf("%+v: %+v, and without the name %+v", ev, with, without)
		}
		if with.Suspicious != (ev.Name.Suspicious() && !known(ev)) {
			return fmt.Sprintf("%+v: suspicious %v", ev, with.Suspicious)
		}
		if points(with, "reports") != points(without, "reports") || points(with, "list") != points(without, "list") {
			return "the name has changed what reports or lists score"
		}
		alone := Assess(Evidence{Name: ev.Name}, now).Score
		if alone != 0 && alone != first {
			return fmt.Sprintf("the name alone scores %d", alone)
		}
		return ""
	})
	if lifted < cases/100 {
		t.Errorf("only %d cases were lifted", lifted)
	}
}

func known(ev Evidence) bool {
	for _, l := range ev.Listings {
		if l.Kind == Safe || l.Kind == Shared {
			return true
		}
	}
	return false
}

func TestASuspiciousNameIsToBeReviewed(t *testing.T) {
	sure := &NameFindings{Lookalike: &Lookalike{Of: "metamask.io", Method: "brand-with-lure", Sure: true}}
	elevated := &NameFindings{Prediction: &Prediction{Level: Elevated, Reasons: []PredictionReason{
		{Kind: "letters", Text: "claim-", Share: 0.8}, {Kind: "words", Share: 0.2}}}}
	low := &NameFindings{Prediction: &Prediction{Level: LowPrediction}}
	doubtful := &NameFindings{Lookalike: &Lookalike{Of: "uniswap.org", Method: "typo"}}
	good, site := Listing{List: "good", Kind: Safe}, Listing{List: "rank", Kind: Safe, Category: TopSite}
	for about, c := range map[string]struct {
		name     *NameFindings
		listings []Listing
		result   Result
		advice   Recommendation
		level    Level
		detail   string
	}{
		"a sure look-alike": {sure, nil, Suspicious, Review, Medium,
			"lookalike: the name imitates metamask.io (brand-with-lure); this is no report"},
		"an elevated prediction": {elevated, nil, Suspicious, Review, Medium,
			"prediction: the name is composed like those of fraud (letters claim-, words); this is no report"},
		"a low prediction":    {low, nil, NoReports, Proceed, Clean, ""},
		"a doubtful one":      {doubtful, nil, NoReports, Proceed, Clean, ""},
		"a list beside it":    {sure, listed("a"), Caution, Block, High, ""},
		"a safelist":          {sure, []Listing{good}, NoReports, Proceed, Clean, ""},
		"a known site":        {elevated, []Listing{site}, NoReports, Proceed, Clean, ""},
		"known and on a list": {elevated, append(listed("a"), site), Caution, Review, Low, ""},
	} {
		d := recorded(c.listings...)
		d.Name = c.name
		s, said := Screen(d, now), ""
		for _, f := range s.Factors {
			if f.Code == "lookalike" || f.Code == "prediction" {
				said = f.Code + ": " + f.Detail
			}
		}
		if s.Result != c.result || s.Recommendation != c.advice || s.RiskLevel != c.level || said != c.detail {
			t.Errorf("%s: %s, %s, %s, %q", about, s.Result, s.Recommendation, s.RiskLevel, said)
		}
		if s.NameFindings != c.name || s.ReportCount != 0 {
			t.Errorf("%s: %+v", about, s)
		}
	}
}
