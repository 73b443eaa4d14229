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
		var of tocsin.Subject
		err := s.each(ctx, `SELECT s.kind, s.value, l.category, l.withdrawn IS NOT NULL, coalesce(l.withdrawn, l.recorded)
			FROM subject s JOIN listing l ON l.subject = s.id
			WHERE l.list = (SELECT id FROM list WHERE name = $1) AND l.kind = 'safe'
				AND (l.withdrawn IS NULL OR l.withdrawn > $2) AND (`+named+`)
			ORDER BY 4, l.recorded DESC LIMIT 1`, args, func(rows *sql.Rows) error {
			var changed sql.NullInt64
			found = &SafelistEntry{}
			err := rows.Scan(&of.Kind, &of.Value, &found.Category, &found.Ended, &changed)
			found.Changed = timeOf(changed)
			return err
		})
		if err != nil || found == nil {
			return err
		}
		var acted sql.NullInt64 // which changes the words of an entry, too
		err = s.row(ctx, `SELECT max(act.at) FROM act_object o JOIN act ON act.seq = o.act
			WHERE o.object = $1 AND act.op IN ('safelist add', 'safelist remove')`, []any{of.String()}, &acted)
		if at := timeOf(acted); at != nil && (found.Changed == nil || at.Std().After(found.Changed.Std())) {
			found.Changed = at
		}
		return err
	})
	return found, err
}
