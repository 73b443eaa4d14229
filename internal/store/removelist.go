package store

import (
	"context"
	"database/sql"

	"tocsin"
)

// ListRemoval is of a list that the operator has taken out, and that was not imported since.
type ListRemoval struct {
	Name string      `json:"list"`
	At   tocsin.Time `json:"removedAt"`

	Files []tocsin.ListFile `json:"files"` // of the version that was removed; empty if they are not known
}

// listRemovals returns them by their names, the last one of each list, no longer ago than [Keep.History].
func (db *DB) listRemovals(ctx context.Context, s *conn) (removed []ListRemoval, err error) {
	err = s.each(ctx, `SELECT list.name, act.at, `+versionAt("files", "act.at")+`
		FROM list JOIN act_object o ON o.object = list.name JOIN act ON act.seq = o.act
		WHERE list.imported IS NULL AND act.op = $1 AND act.at > $2 ORDER BY list.name, act.seq`,
		[]any{string(RemovedList), db.historyBegins()}, func(rows *sql.Rows) error {
			var l ListRemoval
			var at int64
			files := listFiles{}
			err := rows.Scan(&l.Name, &at, &files)
			l.At, l.Files = tocsin.MicroTime(at), files
			if n := len(removed); n > 0 && removed[n-1].Name == l.Name {
				removed = removed[:n-1]
			}
			removed = append(removed, l)
			return err
		})
	return removed, err
}

// RemoveList takes a whole list out, as an act of an operator who holds its lease: its entries are withdrawn as if they
// had left it, so that nothing of it counts, and it is as if it had never been imported. What it said is kept as
// history ([Keep]). If it is interrupted, repeating it goes on. Of a list that was never read, which a mistyped command
// has named, the failed imports are forgotten. The error is NotFound if no list has that name.
func (db *DB) RemoveList(
	ctx context.Context, by Operator, lease *ImportLease, progress func(done, total int),
) (counts Counts, err error) {
	list := tocsin.List{Name: lease.list}
	err = db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT family, url FROM list WHERE name = $1", []any{list.Name}, &list.Family, &list.URL)
	})
	if missing(err) {
		return counts, db.forgetTries(ctx, act{by: by, action: RemovedList}, lease)
	}
	if err != nil {
		return counts, err
	}
	im, err := db.Import(ctx, list)
	if err != nil {
		return counts, err
	}
	defer im.Close()
	im.Under(lease)
	im.removal, im.byHand = true, &act{by: by, action: RemovedList}
	return im.Finish(ctx, true, progress)
}

// forgetTries removes what is on record of the imports of a list that was never read.
func (db *DB) forgetTries(ctx context.Context, a act, lease *ImportLease) error {
	return db.carry(ctx, &a, func(ctx context.Context, s *conn, _ tocsin.Time) ([]string, error) {
		if err := lease.check(ctx, s); err != nil {
			return nil, err
		}
		n, err := affected(s.exec(ctx, "DELETE FROM meta WHERE name = $1", metaImport+lease.list))
		if err == nil && n == 0 {
			err = notFound("there is no list %.50q on record", lease.list)
		}
		return []string{lease.list}, err
	})
}

// forgetList removes what is on record of the imports of a list that was taken out.
func (im *Importing) forgetList(ctx context.Context, s *conn) error {
	for _, row := range []string{metaImport, metaValidators} {
		if _, err := s.exec(ctx, "DELETE FROM meta WHERE name = $1", row+im.list.Name); err != nil {
			return err
		}
	}
	_, err := s.exec(ctx, "UPDATE list SET imported = NULL, listings = 0 WHERE id = $1", im.id)
	return err
}
