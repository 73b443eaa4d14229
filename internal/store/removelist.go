package store

import (
	"context"

	"tocsin"
)

// RemoveList takes a whole list out, as an act of an operator who holds its lease: its entries are withdrawn as if they
// had left it, so that nothing of it counts, and it is as if it had never been imported. What it said is kept as
// history ([Keep]). The error is NotFound if no list has that name. If it is interrupted, repeating it goes on.
func (db *DB) RemoveList(
	ctx context.Context, by Operator, lease *ImportLease, progress func(done, total int),
) (counts Counts, err error) {
	list := tocsin.List{Name: lease.list}
	err = db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT family, url FROM list WHERE name = $1", []any{list.Name}, &list.Family, &list.URL)
	})
	if missing(err) {
		return counts, notFound("there is no list %.50q on record", list.Name)
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
