package store

import (
	"context"

	"tocsin"
)

// FilingState returns from whom reports are taken. It is what any process has set last.
func (db *DB) FilingState(ctx context.Context) (state tocsin.FilingState, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		state, err = readFilingState(ctx, s)
		return err
	})
	return state, err
}

func readFilingState(ctx context.Context, s *conn) (tocsin.FilingState, error) {
	value, err := getMeta(ctx, s, metaFiling)
	if missing(err) {
		return tocsin.FilingOpen, nil
	}
	return tocsin.FilingState(value), err
}

// SetFiling opens or closes filing for all processes on the database at once. It
// reports whether that changed anything.
func (db *DB) SetFiling(ctx context.Context, by Operator, to tocsin.FilingState) (changed bool, err error) {
	a := &act{by: by, action: ChangedFiling}
	err = db.carry(ctx, a, func(ctx context.Context, s *conn, _ tocsin.Time) ([]string, error) {
		changed = false
		state, err := readFilingState(ctx, s)
		if err != nil || state == to {
			return nil, err
		}
		if err := setMeta(ctx, s, metaFiling, []byte(to)); err != nil {
			return nil, err
		}
		changed = true
		return []string{string(to)}, nil
	})
	return changed, err
}
