package web

import (
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
)

// reportRow is a report in a list of reports.
type reportRow struct {
	tocsin.Report
	First *tocsin.Subject // the first subject it names; nil if the page is about that
	Level tocsin.Level    // the present level of First; "" if it is not shown
	InDay bool            // its day is shown above it

	lang  *locale.Printer
	terms []searchTerm // to highlight
}

// CrimeName is the name of the crime type.
func (e reportRow) CrimeName() string { return answer.CrimeName(e.lang, e.CrimeType) }

// By is the name of the reporter or of the list.
func (e reportRow) By() string {
	switch {
	case e.Reporter != nil && e.Reporter.Name != nil:
		return *e.Reporter.Name
	case e.Reporter != nil:
		return e.lang.Text("a reporter with a key")
	case e.Source == tocsin.Community:
		return e.lang.Text("anonymous")
	}
	return answer.ListTitle(e.lang, e.Source)
}

// Lost is the amount lost; "" if it is zero or unknown.
func (e reportRow) Lost() string {
	if e.AmountLost == nil || *e.AmountLost == 0 {
		return ""
	}
	return e.lang.Dollars(int64(*e.AmountLost))
}

// Clock is the time of day when it was published, in UTC; "" if its source tells the day only.
func (e reportRow) Clock() string {
	if e.PublishedAt == nil {
		return ""
	}
	at := e.PublishedAt.Std().UTC()
	if at.Equal(at.Truncate(24 * time.Hour)) {
		return ""
	}
	return at.Format("15:04") + " UTC"
}

// TitleSegments is the title, with search terms highlighted.
func (e reportRow) TitleSegments() []segment { return highlight(e.Title, e.terms) }

// Excerpt is the beginning of the description, or the part of it with the search terms.
func (e reportRow) Excerpt() []segment { return highlight(excerpt(e.Description, e.terms), e.terms) }

// MatchedHandles are the handles of the report that the search has found, with the search terms highlighted.
func (e reportRow) MatchedHandles() (found [][]segment) {
	for _, h := range e.ReportedHandles {
		if text := handleText(e.lang, h); len(e.terms) > 0 && len(matches(text, e.terms)) > 0 {
			found = append(found, highlight(text, e.terms))
		}
	}
	return found
}

// EvidenceCount is how many links and transactions the report has as evidence.
func (e reportRow) EvidenceCount() string {
	var parts []string
	if n := len(e.Evidence.URLs); n > 0 {
		parts = append(parts, e.lang.Text("%d links", n))
	}
	if n := len(e.Evidence.TransactionHashes); n > 0 {
		parts = append(parts, e.lang.Text("%d transactions", n))
	}
	return e.lang.List(parts...)
}

// reportRows makes the rows of reports. With named, each shows the first subject.
func reportRows(p *locale.Printer, reports []tocsin.Report, named bool) []reportRow {
	list := make([]reportRow, len(reports))
	for i, r := range reports {
		list[i].Report, list[i].lang = r, p
		if subjects := r.Subjects(); named && len(subjects) > 0 {
			list[i].First = &subjects[0]
		}
	}
	return list
}

// reportDay is the reports of one day in UTC, in the order of a list of them.
type reportDay struct {
	At      *tocsin.Time // when the first of them was published; nil if they have no date
	Reports []reportRow
}

// reportDays divides rows in the order of their dates by day.
func reportDays(rows []reportRow) (days []reportDay) {
	dayOf := func(t *tocsin.Time) string {
		if t == nil {
			return ""
		}
		return t.Std().UTC().Format(time.DateOnly)
	}
	for _, r := range rows {
		if n := len(days); n == 0 || dayOf(days[n-1].At) != dayOf(r.PublishedAt) {
			days = append(days, reportDay{At: r.PublishedAt})
		}
		last := &days[len(days)-1]
		r.InDay = true
		last.Reports = append(last.Reports, r)
	}
	return days
}

// mayShow reports whether a page that costs nothing may show the present level of a subject that a report names.
// Anybody can file a report about anything, so that must be no way to screen for free: a community report shows what
// its reader has looked up today. What a list publishes cannot be chosen.
func (s *Site) mayShow(req *request, r tocsin.Report, subject tocsin.Subject) bool {
	return r.Source != tocsin.Community || s.hasLookedUp(req, subject)
}

// loadLevels sets the present level of the first subject of each row that the visitor may see.
func (s *Site) loadLevels(req *request, list []reportRow) error {
	for i := range list {
		if list[i].First == nil || !s.mayShow(req, list[i].Report, *list[i].First) {
			continue
		}
		sc, err := s.judge(req, *list[i].First)
		if err != nil {
			return err
		}
		// The label of the lowest level is "No reports", which would be wrong beside a report.
		if list[i].Level = sc.RiskLevel; sc.RiskLevel == tocsin.Clean {
			list[i].Level = ""
		}
	}
	return nil
}
