package tocsin

import (
	"slices"
	"time"
)

// Result says whether anything on record warns of a subject. If nothing does, the subject may still be unsafe.
type Result string

// The results of a screening.
const (
	Caution Result = "caution" // a report, a list or a sanction names the subject
	// Suspicious: nothing is on record, and the subject looks like those of fraud.
	Suspicious Result = "suspicious"
	NoReports  Result = "no_reports" // nothing is on record, which does not clear the subject
)

// Recommendation is what an agent should do; see [Recommend].
type Recommendation string

// The recommendations.
const (
	Block   Recommendation = "block"
	Review  Recommendation = "review"
	Proceed Recommendation = "proceed"
)

// Recommend is the rule that docs/risk.md publishes: block from HIGH up; review if anything else is on record, or
// the subject is suspicious, and it is not on a safelist, or if it is unclear: what is sent to it is lost, or
// anyone can have a page there; proceed otherwise, with the care that an unknown counterparty deserves.
func Recommend(level Level, found Result, safelisted, unclear bool) Recommendation {
	switch {
	case level == High || level == Critical:
		return Block
	case unclear:
		return Review
	case found == NoReports || safelisted:
		return Proceed
	}
	return Review
}

// Match is a name with evidence that applies to a domain: the domain itself or a parent.
type Match struct {
	Domain      string `json:"domain"`
	Match       string `json:"match"` // "exact" or "parent"
	ReportCount int    `json:"reportCount"`
}

// Dossier is everything on record about a subject, as the store returns it.
type Dossier struct {
	Evidence
	ReportCount int
	CrimeTypes  []CrimeType // of the reports
	First, Last Time        // dates of the first and the last report; zero without a report whose date is known
	Matches     []Match     // of a domain
	Reports     []Report    // one page, newest first; those without a date last
	NextCursor  string      // "" on the last page
	Lists       ListDates   // on record, whether they name the subject or not; other dossiers share them
}

// ReportedNames returns the subject of the dossier, and the names above it whose reports are in the dossier.
func (d *Dossier) ReportedNames(subject Subject) []Subject {
	names := []Subject{subject}
	for _, m := range d.Matches {
		if m.Match != "exact" && m.ReportCount > 0 {
			names = append(names, Subject{Kind: DNS, Value: m.Domain})
		}
	}
	return names
}

// Screening is the answer about one subject. Its fields are those of the schema Screening in
// internal/contract/openapi.yaml.
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
	Held            bool           `json:"-"` // see [Assessment]; the API has it as the factors
	Unpayable       string         `json:"-"` // likewise
	Shared          bool           `json:"-"` // likewise
	ReportCount     int            `json:"reportCount"`
	FirstReportedAt *Time          `json:"firstReportedAt"`
	LastReportedAt  *Time          `json:"lastReportedAt"`
	// SanctionsListDate is the date of the list of sanctions, whether it names the subject or not; nil if not known.
	SanctionsListDate  *Time  `json:"sanctionsListDate"`
	SanctionsOutOfDate bool   `json:"sanctionsOutOfDate"` // see [ListDates.SanctionsOutOfDate]
	ScoreVersion       string `json:"scoreVersion"`
	*NameFindings             // of a domain; nil of accounts
	*AddressFindings          // of an account; nil of domains
	AsOf               Time   `json:"asOf"`
}

// Screen returns the screening of a dossier at the given time.
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
		Held:         a.Held,
		Unpayable:    a.Unpayable,
		Shared:       a.Shared,
		ReportCount:  d.ReportCount,
		ScoreVersion: ScoreVersion,
		NameFindings: d.Name.shown(now),
		AsOf:         TimeOf(now),

		AddressFindings:    d.Address,
		SanctionsListDate:  d.Lists.Dates[SanctionsList],
		SanctionsOutOfDate: d.Lists.SanctionsOutOfDate(TimeOf(now)),
	}
	switch {
	case d.ReportCount > 0:
		s.Result = Caution
	case a.Suspicious:
		s.Result = Suspicious
	}
	if d.First != (Time{}) {
		s.FirstReportedAt, s.LastReportedAt = &d.First, &d.Last
	}
	for _, l := range d.Listings {
		l.ListDate = d.Lists.Dates[l.List]
		switch l.Kind {
		case Sanction:
			s.Result = Caution
			s.Sanctions = append(s.Sanctions, SanctionHit{List: l.List, Name: l.Name, Program: l.Program, URL: l.URL,
				Currency: l.Category, ListDate: l.ListDate})
			continue
		case Risk:
			s.Result = Caution
			if c, err := ParseCrimeType(l.Category); err == nil {
				s.CrimeTypes = append(s.CrimeTypes, c)
			}
		}
		s.Listings = append(s.Listings, l)
	}
	s.Recommendation = Recommend(s.RiskLevel, s.Result, s.Safelisted, s.Unpayable != "" || s.Shared)
	slices.Sort(s.CrimeTypes)
	if s.CrimeTypes = slices.Compact(s.CrimeTypes); s.CrimeTypes == nil {
		s.CrimeTypes = []CrimeType{}
	}
	if s.Factors == nil {
		s.Factors = []Factor{}
	}
	return s
}

// Record is what is on record under one name.
type Record struct {
	Subject  Subject
	Listings []Listing // in force
	Reports  int       // published ones that name it
}

// ApplicableRecords returns the records that apply to the subject, out of its own and those of its parents, nearest
// first:
//   - the records of a parent that is a shared service do not apply to the names below it;
//   - a safelisted parent protects the names below it, until lists of two independent families name one of them as
//     fraudulent, or one family if nobody vouches for the parent ([Listing.Vouches]); reports do not end that
//     protection.
func ApplicableRecords(subject Subject, records []Record) []Record {
	var applicable []Record
	families := map[string]bool{} // that name the subject, or a parent nearer than the one at hand
	for _, r := range records {
		parent := r.Subject != subject
		if parent && slices.ContainsFunc(r.Listings, func(l Listing) bool { return l.Kind == Shared }) {
			continue
		}
		if parent && len(families) > 0 {
			r.Listings = slices.DeleteFunc(slices.Clone(r.Listings), func(l Listing) bool {
				return l.Kind == Safe && (!l.Vouches() || len(families) >= heldUntil)
			})
		}
		for _, l := range r.Listings {
			if l.Kind == Risk {
				families[l.Family] = true
			}
		}
		if r.Reports > 0 || len(r.Listings) > 0 {
			applicable = append(applicable, r)
		}
	}
	return applicable
}
