package tocsin

import (
	"slices"
	"time"
)

// Result is what was found, in a word. That nothing was found does not make a
// subject safe.
type Result string

// The results of a screening.
const (
	Caution   Result = "caution"    // a report, a list or a sanction speaks against the subject
	NoReports Result = "no_reports" // nothing on record: unknown, not cleared
)

// Recommendation is one word for an agent to act on; see [Recommend].
type Recommendation string

// The recommendations.
const (
	Block   Recommendation = "block"
	Review  Recommendation = "review"
	Proceed Recommendation = "proceed"
)

// Recommend is the published rule: block from HIGH up; review whatever else is
// on record, unless a safelist knows the subject; otherwise proceed, with the
// care that an unknown counterparty deserves.
func Recommend(level Level, found Result, safelisted bool) Recommendation {
	switch {
	case level == High || level == Critical:
		return Block
	case found == NoReports || safelisted:
		return Proceed
	}
	return Review
}

// Match says by which name on record a domain was found.
type Match struct {
	Domain      string `json:"domain"`
	Match       string `json:"match"` // "exact" or "parent"
	ReportCount int    `json:"reportCount"`
}

// Dossier is everything on record about a subject: what the store answers.
type Dossier struct {
	Evidence
	ReportCount int
	CrimeTypes  []CrimeType // of the reports
	First, Last Time        // dates of the first and the last report; zero without reports
	Matches     []Match     // of a domain
	Reports     []Report    // one page, newest first
	NextCursor  string      // "" on the last page
}

// Screening is the answer about one subject. Its fields are those of the
// schema Screening in internal/contract/openapi.yaml.
type Screening struct {
	RiskScore       int            `json:"riskScore"`
	RiskLevel       Level          `json:"riskLevel"`
	Result          Result         `json:"result"`
	Recommendation  Recommendation `json:"recommendation"`
	Confidence      float64        `json:"confidence"`
	CrimeTypes      []CrimeType    `json:"crimeTypes"`
	Factors         []Factor       `json:"factors"`
	Listings        []Listing      `json:"listings"`
	Sanctions       []SanctionHit  `json:"sanctions"`
	Safelisted      bool           `json:"safelisted"`
	ReportCount     int            `json:"reportCount"`
	FirstReportedAt *Time          `json:"firstReportedAt"`
	LastReportedAt  *Time          `json:"lastReportedAt"`
	ScoreVersion    string         `json:"scoreVersion"`
	AsOf            Time           `json:"asOf"`
}

// Screen judges a dossier as of now.
func Screen(d *Dossier, now time.Time) Screening {
	a := Assess(d.Evidence, now)
	s := Screening{
		RiskScore:    a.Score,
		RiskLevel:    LevelOf(a.Score),
		Result:       NoReports,
		Confidence:   a.Confidence,
		CrimeTypes:   slices.Clone(d.CrimeTypes),
		Factors:      a.Factors,
		Listings:     []Listing{},
		Sanctions:    []SanctionHit{},
		Safelisted:   a.Safelisted,
		ReportCount:  d.ReportCount,
		ScoreVersion: ScoreVersion,
		AsOf:         TimeOf(now),
	}
	if d.ReportCount > 0 {
		s.Result = Caution
		s.FirstReportedAt, s.LastReportedAt = &d.First, &d.Last
	}
	for _, l := range d.Listings {
		switch l.Kind {
		case Sanction:
			s.Result = Caution
			s.Sanctions = append(s.Sanctions, SanctionHit{l.List, l.Name, l.Program, l.URL})
			continue
		case Risk:
			s.Result = Caution
			if c, err := ParseCrimeType(l.Category); err == nil {
				s.CrimeTypes = append(s.CrimeTypes, c)
			}
		}
		s.Listings = append(s.Listings, l)
	}
	s.Recommendation = Recommend(s.RiskLevel, s.Result, s.Safelisted)
	slices.Sort(s.CrimeTypes)
	if s.CrimeTypes = slices.Compact(s.CrimeTypes); s.CrimeTypes == nil {
		s.CrimeTypes = []CrimeType{}
	}
	if s.Factors == nil {
		s.Factors = []Factor{}
	}
	return s
}

// Record is what stands on record under one name.
type Record struct {
	Subject  Subject
	Listings []Listing // in force
	Reports  int       // published ones that name it
}

// ApplicableRecords returns those of the records that bear on the subject, given its own
// and those of its parents, nearest first:
//   - a parent that is a shared service says nothing about those below it;
//   - a parent's good name protects those below it until a list names one of
//     them; mere reports do not take it away.
func ApplicableRecords(subject Subject, records []Record) []Record {
	var bearing []Record
	listed := false
	for _, r := range records {
		parent := r.Subject != subject
		if parent && slices.ContainsFunc(r.Listings, func(l Listing) bool { return l.Kind == Shared }) {
			continue
		}
		if parent && listed {
			r.Listings = slices.DeleteFunc(slices.Clone(r.Listings), func(l Listing) bool { return l.Kind == Safe })
		}
		listed = listed || slices.ContainsFunc(r.Listings, func(l Listing) bool { return l.Kind == Risk })
		if r.Reports > 0 || len(r.Listings) > 0 {
			bearing = append(bearing, r)
		}
	}
	return bearing
}
