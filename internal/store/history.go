package store

import (
	"context"
	"database/sql"

	"tocsin"
)

// DatedListing is what a list says of a subject, or has said.
type DatedListing struct {
	tocsin.Listing
	Recorded *tocsin.Time // when an import found it, the last time that it came; nil if that is not known
	Dropped  *tocsin.Time // when an import found that the list has it no longer; nil while it is in force
}

// ListHistory returns what lists of risk and sanctions say of a subject and of its parents, and what they have said and
// dropped since, no longer ago than [Keep.History]. What the operator has hidden is left out.
func (db *DB) ListHistory(ctx context.Context, subject tocsin.Subject) (all []DatedListing, err error) {
	var after int64
	if db.keep.History > 0 {
		after = db.Now().Std().Add(-max(db.keep.History, minHistory)).UnixMicro()
	}
	names := subject.SelfAndParents()
	var values []string
	for _, name := range names {
		values = append(values, name.Value)
	}
	in, args := placeholdersFrom(3, values)
	err = db.read(ctx, replica, func(s *conn) error {
		all = nil
		return s.each(ctx, `SELECT s.value, list.name, list.family, l.chain, l.kind, l.category, l.url, l.name, l.program,
				l.since, l.recorded, l.withdrawn
			FROM subject s JOIN listing l ON l.subject = s.id JOIN list ON list.id = l.list
			WHERE s.kind = $1 AND s.value IN (`+in+`) AND NOT l.hidden AND l.kind IN ('risk', 'sanction')
				AND (l.withdrawn IS NULL OR l.withdrawn > $2)
			ORDER BY l.withdrawn DESC, list.name, l.chain`, append([]any{string(subject.Kind), after}, args...),
			func(rows *sql.Rows) error {
				l := DatedListing{Listing: tocsin.Listing{Subject: tocsin.Subject{Kind: subject.Kind}}}
				var since, recorded, dropped sql.NullInt64
				err := rows.Scan(&l.Subject.Value, &l.List, &l.Family, &l.Chain, &l.Kind, &l.Category, &l.URL, &l.Name,
					&l.Program, &since, &recorded, &dropped)
				l.Since, l.Recorded, l.Dropped = timeOf(since), timeOf(recorded), timeOf(dropped)
				all = append(all, l)
				return err
			})
	})
	return all, err
}

// timeOf is the time of a column, nil for NULL.
func timeOf(micros sql.NullInt64) *tocsin.Time {
	if !micros.Valid {
		return nil
	}
	at := tocsin.MicroTime(micros.Int64)
	return &at
}
