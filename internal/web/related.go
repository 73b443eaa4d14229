package web

import "tocsin"

// maxRelated is how many subjects are shown that reports name together with one. The API has more of them.
const maxRelated = 5

// relatedRow is a subject that reports name together with another. Its level is not shown: anybody may file a report.
type relatedRow struct {
	Subject tocsin.Subject
	Path    string // of its page
	Reports int    // that name both
}

func relatedRows(related []tocsin.Related) (rows []relatedRow) {
	for _, r := range related[:min(maxRelated, len(related))] {
		rows = append(rows, relatedRow{r.Subject, screenPath(r.Subject), r.Reports})
	}
	return rows
}
