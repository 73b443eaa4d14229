package tocsin

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// anyName makes what a name may say by itself, half of the time nothing, and what services say beside it.
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
	if n.Near = n.Suspicious() || r.IntN(2) == 0; n.Near && r.IntN(2) == 0 {
		n.Signals = &Signals{}
		for _, date := range []**Time{&n.Signals.RegisteredAt, &n.Signals.FirstCertificateAt} {
			if at := ago(r.Float64() * 60); r.IntN(2) == 0 {
				*date = &at
			}
		}
		if yes := r.IntN(2) == 0; r.IntN(2) == 0 {
			n.Signals.Resolves = &yes
		}
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
		if with.Suspicious != ((ev.Name.Suspicious() || ev.Name.IsNew(now)) && !known(ev)) {
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
		"a sanction":          {sure, []Listing{{List: "ofac", Kind: Sanction}}, Caution, Block, Critical, ""},
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

// TestANewSiteUnderANameNearThoseOfFraudIsSuspicious for so many days after its registration or, only if that is not
// known, after its first certificate.
func TestANewSiteUnderANameNearThoseOfFraudIsSuspicious(t *testing.T) {
	days := published(t, `is one too if its domain was registered within the last (\d+) days`)[0]
	day := func(age float64) *Time { at := ago(age); return &at }
	yes, no := true, false
	sure := &Lookalike{Of: "metamask.io", Method: "brand-with-lure", Sure: true}
	const tail = ", and the name is near those of fraud; this is no report"
	for about, c := range map[string]struct {
		name NameFindings
		want string
	}{
		"today": {NameFindings{Near: true, Signals: &Signals{RegisteredAt: day(0.5)}},
			"suspicious 25 registered +25 registered today (2026-06-01)" + tail},
		"three days ago": {NameFindings{Near: true, Signals: &Signals{RegisteredAt: day(3), Resolves: &yes}},
			"suspicious 25 registered +25 registered 3 days ago (2026-05-29)" + tail},
		"on its last day": {NameFindings{Near: true, Signals: &Signals{RegisteredAt: day(days - 0.01)}},
			"suspicious 25 registered"},
		"no longer new": {NameFindings{Near: true, Signals: &Signals{RegisteredAt: day(days)}}, "no_reports 0"},
		"by another clock": {NameFindings{Near: true, Signals: &Signals{RegisteredAt: day(-0.9)}},
			"suspicious 25 registered +25 registered today"},
		"in the future":   {NameFindings{Near: true, Signals: &Signals{RegisteredAt: day(-1.1)}}, "no_reports 0"},
		"not near":        {NameFindings{Signals: &Signals{RegisteredAt: day(3)}}, "no_reports 0"},
		"not known yet":   {NameFindings{Near: true, Signals: &Signals{}}, "no_reports 0"},
		"nobody is asked": {NameFindings{Near: true}, "no_reports 0"},
		"a first certificate": {NameFindings{Near: true, Signals: &Signals{FirstCertificateAt: day(1)}},
			"suspicious 25 first_certificate +25 first certificate logged 1 day ago (2026-05-31), the day of registration " +
				"is not known" + tail},
		"an old name with a first certificate": {NameFindings{Near: true, Signals: &Signals{RegisteredAt: day(900),
			FirstCertificateAt: day(1)}}, "no_reports 0"},
		"without an address": {NameFindings{Near: true, Signals: &Signals{Resolves: &no}}, "no_reports 0"},
		"all of it": {NameFindings{Near: true, Lookalike: sure, Signals: &Signals{RegisteredAt: day(3), Resolves: &no}},
			"suspicious 25 lookalike +25 the name imitates metamask.io (brand-with-lure); this is no report " +
				"registered +0 registered 3 days ago (2026-05-29)" + tail + " unresolved +0 the name has no IP address at present"},
	} {
		d := recorded()
		d.Name = &c.name
		s := Screen(d, now)
		said := fmt.Sprint(s.Result, " ", s.RiskScore)
		for _, f := range s.Factors {
			said += fmt.Sprintf(" %s +%d %s", f.Code, f.Points, f.Detail)
		}
		if said != c.want && !(len(c.want) < 60 && strings.HasPrefix(said, c.want) && s.RiskScore > 0) {
			t.Errorf("%s: %s, want %s", about, said, c.want)
		}
	}
}
