package web

import (
	"context"
	"strings"

	"tocsin"
)

// entry is a report in a row of them.
type entry struct {
	tocsin.Report
	First *tocsin.Subject // what it names first; nil where the page is about that
	Level tocsin.Level    // of First now; "" where the page does not say

	sought []needle // to be marked in its texts
}

// Kind is the crime type.
func (e entry) Kind() string { return e.CrimeType.Name() }

// By says who told it.
func (e entry) By() string {
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
func (e entry) Lost() string {
	if e.AmountLost == nil || *e.AmountLost == 0 {
		return ""
	}
	return money(*e.AmountLost)
}

// Heading is the title.
func (e entry) Heading() []stretch { return marked(e.Title, e.sought) }

// Excerpt is how the story begins, or what stands around the words sought.
func (e entry) Excerpt() []stretch { return marked(excerpt(e.Description, e.sought), e.sought) }

// Exhibits says what backs it.
func (e entry) Exhibits() string {
	var parts []string
	if n := len(e.Evidence.URLs); n > 0 {
		parts = append(parts, plural(n, "link"))
	}
	if n := len(e.Evidence.TransactionHashes); n > 0 {
		parts = append(parts, plural(n, "transaction"))
	}
	return strings.Join(parts, ", ")
}

func entries(reports []tocsin.Report, named bool) []entry {
	list := make([]entry, len(reports))
	for i, r := range reports {
		list[i].Report = r
		if subjects := r.Subjects(); named && len(subjects) > 0 {
			list[i].First = &subjects[0]
		}
	}
	return list
}

// weigh says of each entry how loud the bell is for its first subject now.
func (s *Site) weigh(ctx context.Context, list []entry) error {
	for i := range list {
		if list[i].First == nil {
			continue
		}
		f, err := s.judge(ctx, *list[i].First, "")
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
