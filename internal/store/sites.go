package store

import (
	"context"
	"database/sql"

	"tocsin"
)

// ListedSite is what a list says of a domain.
type ListedSite struct {
	Domain   string // canonical
	Kind     tocsin.ListingKind
	Category string
	Since    *tocsin.Time // nil: unknown
}

// ListedSites calls visit with each domain that a list names, once for each list, in no order. What was withdrawn or
// hidden is left out.
func (db *DB) ListedSites(ctx context.Context, visit func(ListedSite)) error {
	return db.read(ctx, replica, func(s *conn) error {
		return s.each(ctx, `SELECT s.value, l.kind, l.category, l.since FROM listing l JOIN subject s ON s.id = l.subject
			WHERE s.kind = $1 AND l.withdrawn IS NULL AND NOT l.hidden`, []any{tocsin.DNS}, func(rows *sql.Rows) error {
			var site ListedSite
			var since sql.NullInt64
			if err := rows.Scan(&site.Domain, &site.Kind, &site.Category, &since); err != nil {
				return err
			}
			if since.Valid {
				at := tocsin.MicroTime(since.Int64)
				site.Since = &at
			}
			visit(site)
			return nil
		})
	})
}
