package web

import (
	"context"
	"strings"

	"tocsin"
)

// entry is a report in a row of them.
type reportRow struct {
	tocsin.Report
	First *tocsin.Subject // what it names first; nil where the page is about that
	Level tocsin.Level    // of First now; "" where the page does not say

	terms []searchTerm // to be marked in its texts
}

// Kind is the crime type.
func (e reportRow) CrimeName() string { return e.CrimeType.Name() }

// By says who told it.
func (e reportRow) By() string {
	switch {
	case e.Reporter != nil && e.Reporter.Name != nil:
		return *e.Reporter.Name
	case e.Reporter != nil:
		return "a reporter with a key"
	case e.Source == tocsin.Community:
		return "anonymous"
	}
	return listTitle(e.Source)
}

// Lost is the amount, "" if none is told.
func (e reportRow) Lost() string {
	if e.AmountLost == nil || *e.AmountLost == 0 {
		return ""
	}
	return money(*e.AmountLost)
}

// Heading is the title.
func (e reportRow) TitleSegments() []segment { return highlight(e.Title, e.terms) }

// Excerpt is how the story begins, or what stands around the words sought.
func (e reportRow) Excerpt() []segment { return highlight(excerpt(e.Description, e.terms), e.terms) }

// Exhibits says what backs it.
func (e reportRow) EvidenceCount() string {
	var parts []string
	if n := len(e.Evidence.URLs); n > 0 {
		parts = append(parts, plural(n, "link"))
	}
	if n := len(e.Evidence.TransactionHashes); n > 0 {
		parts = append(parts, plural(n, "transaction"))
	}
	return strings.Join(parts, ", ")
}

func reportRows(reports []tocsin.Report, named bool) []reportRow {
	list := make([]reportRow, len(reports))
	for i, r := range reports {
		list[i].Report = r
		if subjects := r.Subjects(); named && len(subjects) > 0 {
			list[i].First = &subjects[0]
		}
	}
	return list
}

// weigh says of each entry how loud the bell is for its first subject now.
func (s *Site) loadLevels(ctx context.Context, list []reportRow) error {
	for i := range list {
		if list[i].First == nil {
			continue
		}
		f, err := s.screening(ctx, *list[i].First, "")
		if err != nil {
			return err
		}
		// The word of the lowest level is "No reports", which stands beside no report.
		if list[i].Level = f.RiskLevel; f.RiskLevel == tocsin.Clean {
			list[i].Level = ""
		}
	}
	return nil
}
