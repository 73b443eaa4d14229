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
	Removed  bool         // by `safelist remove`: nothing else that ends an entry is a decision about it
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
		var of tocsin.Subject
		var recorded int64
		err := s.each(ctx, `SELECT s.kind, s.value, l.category, l.withdrawn IS NOT NULL, coalesce(l.withdrawn, l.recorded),
				coalesce(l.recorded, 0)
			FROM subject s JOIN listing l ON l.subject = s.id
			WHERE l.list = (SELECT id FROM list WHERE name = $1) AND l.kind = 'safe'
				AND (l.withdrawn IS NULL OR l.withdrawn > $2) AND (`+named+`)
			ORDER BY 4, l.recorded DESC LIMIT 1`, args, func(rows *sql.Rows) error {
			var changed sql.NullInt64
			found = &SafelistEntry{}
			err := rows.Scan(&of.Kind, &of.Value, &found.Category, &found.Ended, &changed, &recorded)
			found.Changed = timeOf(changed)
			return err
		})
		if err != nil || found == nil {
			return err
		}
		var at int64
		var did Action
		if err := s.row(ctx, lastSafe, []any{of.String()}, &at, &did); missing(err) {
			return nil
		} else if err != nil {
			return err
		}
		found.Removed = found.Ended && did == RemovedSafe && at >= recorded // and not one that came later
		if found.Changed == nil || at > found.Changed.Micro() {             // the words of an entry change, too
			acted := tocsin.MicroTime(at)
			found.Changed = &acted
		}
		return nil
	})
	return found, err
}
