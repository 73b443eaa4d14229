package store

import (
	"context"
	"database/sql"

	"tocsin"
)

// ListEntry is one entry of a list.
type ListEntry struct {
	Subject  string             `json:"subject"`
	Kind     tocsin.ListingKind `json:"kind"`
	Category string             `json:"category"`
	Name     string             `json:"name"`
	Since    *tocsin.Time       `json:"since"` // nil: it was there when the list was first read
}

// Entries returns all entries of a list, by subject: for lists as short as those of an operator.
func (db *DB) Entries(ctx context.Context, list string) (all []ListEntry, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		return s.each(ctx, `SELECT s.kind, s.value, l.kind, l.category, l.name, l.since FROM listing l
			JOIN subject s ON s.id = l.subject JOIN list ON list.id = l.list
			WHERE list.name = $1 AND l.withdrawn IS NULL ORDER BY s.value, s.kind`, []any{list},
			func(rows *sql.Rows) error {
				var subject tocsin.Subject
				var l ListEntry
				var since sql.NullInt64
				if err := rows.Scan(&subject.Kind, &subject.Value, &l.Kind, &l.Category, &l.Name, &since); err != nil {
					return err
				}
				l.Subject = subject.String()
				if since.Valid {
					at := tocsin.MicroTime(since.Int64)
					l.Since = &at
				}
				all = append(all, l)
				return nil
			})
	})
	return all, err
}
