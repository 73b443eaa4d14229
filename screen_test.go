package tocsin

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// recorded returns the dossier of a subject that these listings name.
func recorded(listings ...Listing) *Dossier { return &Dossier{Evidence: Evidence{Listings: listings}} }

func TestASubjectThatOnlyASanctionNamesAnswersCaution(t *testing.T) {
	want := SanctionHit{List: "ofac", Name: "LAZARUS", Program: "DPRK3", URL: "https://ofac.example"}
	named := Listing{List: want.List, Kind: Sanction, Name: want.Name, Program: want.Program, URL: want.URL}
	s := Screen(recorded(named), now)
	if s.Result != Caution || s.Recommendation != Block || s.RiskScore != 100 || s.RiskLevel != Critical {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(s.Sanctions, []SanctionHit{want}) || len(s.Listings) != 0 || s.Listings == nil {
		t.Errorf("%+v, %+v", s.Sanctions, s.Listings)
	}
}

func TestTheResultOfAScreeningSaysWhatSpeaksAgainstTheSubject(t *testing.T) {
	first, last := ago(9), ago(2)
	reported := &Dossier{ReportCount: 3, First: first, Last: last, CrimeTypes: []CrimeType{Scam}}
	for about, c := range map[string]struct {
		d      *Dossier
		result Result
		advice Recommendation
	}{
		"nothing":               {recorded(), NoReports, Proceed},
		"a list":                {recorded(listed("a")...), Caution, Block},
		"a safelist":            {recorded(Listing{List: "good", Kind: Safe}), NoReports, Proceed},
		"a shared service":      {recorded(Listing{List: "good", Kind: Shared}), NoReports, Review},
		"stories without score": {reported, Caution, Review},
	} {
		s := Screen(c.d, now)
		if s.Result != c.result || s.Recommendation != c.advice {
			t.Errorf("%s: %s, %s", about, s.Result, s.Recommendation)
		}
		if len(s.Listings) != len(c.d.Listings) || s.ReportCount != c.d.ReportCount ||
			(s.FirstReportedAt != nil) != (c.d.ReportCount > 0) {
			t.Errorf("%s: %+v", about, s)
		}
		if s.Factors == nil || s.CrimeTypes == nil || s.Listings == nil || s.Sanctions == nil {
			t.Errorf("%s: what is empty must be [] in JSON, not null: %+v", about, s)
		}
		safelisted := c.result == NoReports && len(c.d.Listings) > 0
		if s.ScoreVersion != ScoreVersion || s.AsOf != TimeOf(now) || s.Safelisted != safelisted {
			t.Errorf("%s: %+v", about, s)
		}
	}
	if s := Screen(reported, now); *s.FirstReportedAt != first || *s.LastReportedAt != last {
		t.Errorf("reported from %v to %v", s.FirstReportedAt, s.LastReportedAt)
	}
}

func TestWhatNobodyShouldPayIsForReview(t *testing.T) {
	said := func(kind ListingKind, category string, at Subject) Listing {
		return Listing{List: "good " + category, Kind: kind, Category: category, Subject: at}
	}
	account, site := Subject{Kind: Solana, Value: "s"}, Subject{Kind: DNS, Value: "token.example"}
	for about, c := range map[string]struct {
		listings []Listing
		factors  string
		score    int
		advice   Recommendation
	}{
		"a token": {
			[]Listing{said(Safe, "exchange", account), said(Safe, "token", account)}, "token_contract", 0, Review},
		"a burn address": {[]Listing{said(Safe, "token", account), said(Safe, "burn", account)}, "burn_address", 0, Review},
		"an exchange":    {[]Listing{said(Safe, "exchange", account)}, "", 0, Proceed},
		"a site":         {[]Listing{said(Safe, "token", site)}, "", 0, Proceed},
		"one that a list warns of": {
			append(listed("a"), said(Safe, "token", account)), "token_contract list safelisted", 24, Review},
		"one that is sanctioned": {
			[]Listing{{List: "ofac", Kind: Sanction}, said(Safe, "token", account)}, "token_contract sanctioned", 100, Block},
		"what a list only warns of": {[]Listing{said(Risk, "token", account)}, "list", 68, Block},
	} {
		s := Screen(recorded(c.listings...), now)
		var factors []string
		sum := 0
		for _, f := range s.Factors {
			factors, sum = append(factors, f.Code), sum+f.Points
		}
		if strings.Join(factors, " ") != c.factors || s.RiskScore != c.score || sum != c.score ||
			s.Recommendation != c.advice {
			t.Errorf("%s: %s, %d, %s", about, factors, s.RiskScore, s.Recommendation)
		}
	}
}

// TestASharedHostIsForReview, whether its name or a list says that it is shared: nothing speaks against it, and nothing
// says whose page is meant.
func TestASharedHostIsForReview(t *testing.T) {
	shared := Listing{List: "hosts", Family: "hosts", Kind: Shared}
	for about, c := range map[string]struct {
		ev      Evidence
		factors string
		result  Result
		advice  Recommendation
	}{
		"by its name":  {Evidence{Name: &NameFindings{Shared: true}}, "shared_host", NoReports, Review},
		"by a list":    {Evidence{Listings: []Listing{shared}}, "shared_host", NoReports, Review},
		"another name": {Evidence{Name: &NameFindings{}}, "", NoReports, Proceed},
		"that a list names": {
			Evidence{Listings: append(listed("a"), shared)}, "shared_host list safelisted", Caution, Review},
		"that is sanctioned": {Evidence{Listings: []Listing{{List: "ofac", Kind: Sanction}, shared}},
			"shared_host sanctioned", Caution, Block},
	} {
		s := Screen(&Dossier{Evidence: c.ev}, now)
		var factors []string
		for _, f := range s.Factors {
			factors = append(factors, f.Code)
		}
		if got := strings.Join(factors, " "); got != c.factors || s.Recommendation != c.advice || s.Result != c.result ||
			got != "" && s.Factors[0].Points != 0 {
			t.Errorf("%s: %s, %s, %s", about, got, s.Result, s.Recommendation)
		}
	}
}

func TestAScreeningHoldsItsWholeAssessment(t *testing.T) {
	for _, ev := range []Evidence{
		{Listings: listed("a", "b")},
		{Listings: append(listed("a"), Listing{List: "top", Kind: Safe, Category: TopSite}), Reporters: keys(3, 1, 2)},
		{Listings: append(listed("a"), Listing{List: "good", Kind: Safe}), Reporters: keys(3, 0, 700)},
	} {
		a, s := Assess(ev, now), Screen(&Dossier{Evidence: ev, ReportCount: 3}, now)
		got := Assessment{Score: s.RiskScore, Confidence: s.Confidence, Factors: s.Factors, Safelisted: s.Safelisted,
			Held: s.Held}
		if fmt.Sprint(got) != fmt.Sprint(a) || a.Confidence == 0 || s.RiskLevel != LevelOf(a.Score) || s.ReportCount != 3 {
			t.Errorf("%+v is shown as %+v", a, s)
		}
	}
}

func TestTheCrimeTypesOfAScreeningAreSortedWithoutRepeats(t *testing.T) {
	d := &Dossier{CrimeTypes: []CrimeType{Scam, Hack}, ReportCount: 2}
	for _, category := range []string{"phishing", "scam", "unheard_of"} {
		d.Listings = append(d.Listings, Listing{List: category, Family: category, Kind: Risk, Category: category})
	}
	d.Listings = append(d.Listings, Listing{List: "ofac", Kind: Sanction, Category: "ransomware"},
		Listing{List: "good", Kind: Safe, Category: "romance_scam"})
	if s := Screen(d, now); !slices.Equal(s.CrimeTypes, []CrimeType{Hack, Phishing, Scam}) || len(s.Listings) != 4 {
		t.Errorf("%v, %+v", s.CrimeTypes, s.Listings)
	}
	d.Listings = nil // with nothing to add, the screening must still not sort the dossier's own
	if s := Screen(d, now); !slices.Equal(s.CrimeTypes, []CrimeType{Hack, Scam}) || d.CrimeTypes[0] != Scam {
		t.Errorf("%v, the dossier became %v", s.CrimeTypes, d.CrimeTypes)
	}
}

func TestOnlyAScoreWithReportsAges(t *testing.T) {
	lists := &Dossier{Evidence: Evidence{Listings: listed("a", "b")}}
	if later := Screen(lists, now.Add(20*365*day)); later.RiskScore != Screen(lists, now).RiskScore {
		t.Errorf("lists age: %+v", later)
	}
	for _, groups := range [][]ReporterGroup{keys(1, 1, 0), {anonymous(1, 0)}} {
		d := &Dossier{Evidence: Evidence{Listings: listed("a"), Reporters: groups}, ReportCount: 1}
		if Screen(d, now.Add(4*365*day)).RiskScore >= Screen(d, now).RiskScore {
			t.Errorf("reports do not age: %+v", Screen(d, now.Add(4*365*day)))
		}
	}
}

func TestWhichRecordsOfParentsApply(t *testing.T) {
	self, parent, top := Subject{DNS, "a.b.evil.example"}, Subject{DNS, "b.evil.example"}, Subject{DNS, "evil.example"}
	record := func(s Subject, reports int, kinds ...ListingKind) Record {
		r := Record{Subject: s, Reports: reports}
		for _, k := range kinds {
			l := Listing{List: string(k), Family: string(k), Kind: k, Subject: s}
			switch k { // short for these tests
			case "known":
				l.Kind, l.Category = Safe, TopSite
			case "risk2":
				l.Kind = Risk
			}
			r.Listings = append(r.Listings, l)
		}
		return r
	}
	for about, c := range map[string]struct {
		records []Record
		want    string // the names that apply, and the kinds of their listings
	}{
		"nothing on record": {[]Record{record(self, 0), record(parent, 0)}, ""},
		"reports of a parent": {[]Record{record(self, 0), record(parent, 2), record(top, 1)},
			"b.evil.example() evil.example()"},
		"a shared parent": {[]Record{record(self, 1), record(parent, 5, Risk, Shared), record(top, 0, Risk)},
			"a.b.evil.example() evil.example(risk)"},
		"shared itself": {[]Record{record(self, 0, Shared)}, "a.b.evil.example(shared)"},
		"listed below a safe grandparent": {[]Record{record(self, 0), record(parent, 0, Risk), record(top, 0, Safe)},
			"b.evil.example(risk) evil.example(safe)"},
		"listed by two families below a safe grandparent": {
			[]Record{record(self, 0, "risk2"), record(parent, 0, Risk), record(top, 0, Safe)},
			"a.b.evil.example(risk2) b.evil.example(risk)"},
		"listed twice by one family below a safe grandparent": {
			[]Record{record(self, 0, Risk), record(parent, 0, Risk), record(top, 0, Safe)},
			"a.b.evil.example(risk) b.evil.example(risk) evil.example(safe)"},
		"listed below a known parent": {[]Record{record(self, 0, Risk), record(parent, 0, "known")},
			"a.b.evil.example(risk)"},
		"reported below a known parent": {[]Record{record(self, 1), record(parent, 0, "known")},
			"a.b.evil.example() b.evil.example(known)"},
		"listed and safe at once": {[]Record{record(self, 0, Risk, Safe), record(parent, 0, Safe, Risk)},
			"a.b.evil.example(risk safe) b.evil.example(safe risk)"},
		"reported below a safe parent": {[]Record{record(self, 9), record(parent, 0, Safe)},
			"a.b.evil.example() b.evil.example(safe)"},
		"sanctioned below a safe parent": {[]Record{record(self, 0, Sanction), record(parent, 0, Safe)},
			"a.b.evil.example(sanction) b.evil.example(safe)"},
		"safe below a safe and listed parent": {[]Record{record(self, 0, Safe), record(parent, 0, Safe, Risk)},
			"a.b.evil.example(safe) b.evil.example(safe risk)"},
		"listed below a safe and reported parent": {[]Record{record(self, 0, Risk), record(parent, 3, Safe)},
			"a.b.evil.example(risk) b.evil.example(safe)"},
	} {
		before := fmt.Sprint(c.records)
		got := ""
		for _, r := range ApplicableRecords(self, c.records) {
			kinds := ""
			for _, l := range r.Listings {
				kinds += " " + l.List
			}
			got += " " + r.Subject.Value + "(" + strings.TrimSpace(kinds) + ")"
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s: %s, not %s", about, got, c.want)
		}
		if fmt.Sprint(c.records) != before {
			t.Errorf("%s: the records of the caller were changed", about)
		}
	}
}
