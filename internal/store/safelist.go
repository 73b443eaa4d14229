package store

import (
	"context"
	"database/sql"

	"tocsin"
)

// SafelistEntry is what a safelist says of a subject, or has said last.
type SafelistEntry struct {
	Category string
	Ended    bool         // it was taken off
	Changed  *tocsin.Time // when it was added, changed or taken off last; nil if that is not known
}

// SafelistEntry returns the entry of a safelist about a subject or a name above it; nil for none. One that was taken
// off longer ago than [Keep.History] is forgotten.
func (db *DB) SafelistEntry(
	ctx context.Context, list string, subject tocsin.Subject,
) (found *SafelistEntry, err error) {
	named, args := whereNamed(3, subject.SelfAndParents())
	args = append([]any{list, db.historyBegins()}, args...)
	err = db.read(ctx, replica, func(s *conn) error {
		found = nil
		return s.each(ctx, `SELECT l.category, l.withdrawn IS NOT NULL, coalesce(max(e.at), l.withdrawn, l.recorded)
			FROM subject s JOIN listing l ON l.subject = s.id JOIN list ON list.id = l.list
				LEFT JOIN event e ON e.subject = l.subject AND e.list = l.list AND e.kind = 'safe'
			WHERE list.name = $1 AND l.kind = 'safe' AND (l.withdrawn IS NULL OR l.withdrawn > $2) AND (`+named+`)
			GROUP BY l.subject, l.list, l.chain, l.kind ORDER BY 2, 3 DESC LIMIT 1`, args, func(rows *sql.Rows) error {
			var changed sql.NullInt64
			found = &SafelistEntry{}
			err := rows.Scan(&found.Category, &found.Ended, &changed)
			found.Changed = timeOf(changed)
			return err
		})
	})
	return found, err
}
