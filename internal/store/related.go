package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tocsin"
)

// Related is a subject that reports name together with another.
type Related struct {
	tocsin.Subject
	Reports int // published ones that name both
}

// maxRelatedReports is how many reports of a subject are read for what else they name. They are read whole, since
// what a report names is not indexed by report.
const maxRelatedReports = 500

// RelatedTo returns the subjects that published reports name together with a subject, those in most reports first,
// at most limit of them. Of a subject with very many reports it reads the newest 500.
func (db *DB) RelatedTo(ctx context.Context, subject tocsin.Subject, limit int) ([]Related, error) {
	if err := db.current(); err != nil {
		return nil, err
	}
	count := map[tocsin.Subject]int{}
	err := db.read(ctx, replica, func(s *conn) error {
		return s.each(ctx, `SELECT body FROM report WHERE seq IN (
			SELECT rs.report FROM report_subject rs JOIN subject s ON s.id = rs.subject
			WHERE s.kind = $1 AND s.value = $2 ORDER BY rs.published DESC, rs.report DESC LIMIT $3)`,
			[]any{string(subject.Kind), subject.Value, maxRelatedReports},
			func(rows *sql.Rows) error {
				var body []byte
				var d tocsin.Draft
				if err := rows.Scan(&body); err != nil {
					return err
				}
				if err := json.Unmarshal(body, &d); err != nil {
					return err
				}
				for _, named := range d.Subjects() {
					count[named]++
				}
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("read related subjects: %w", err)
	}
	delete(count, subject)
	related := make([]Related, 0, len(count))
	for s, n := range count {
		related = append(related, Related{s, n})
	}
	slices.SortFunc(related, func(a, b Related) int {
		return cmp.Or(b.Reports-a.Reports, strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Value, b.Value))
	})
	return related[:min(limit, len(related))], nil
}
