package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// importTerm is how long the lease of an import lasts without renewal: so much later another process can take it over
// from one that was killed.
const importTerm = time.Minute

// ErrImporting is the error of a lease that another process holds.
var ErrImporting = errors.New("another process imports this list")

// ErrOvertaken is the error of an import that was silent for so long that another process has taken it over.
var ErrOvertaken = errors.New("another process has taken over the import of this list")

// ImportLease is the right of one process to import a list. It is valid as long as the row of the lease has its token:
// each transaction of the import looks at it ([Importing.Under]), so that one that was overtaken changes nothing.
type ImportLease struct {
	db    *DB
	list  string
	token int64 // random

	stop  func()
	ended sync.WaitGroup // the renewal
}

// LeaseImport takes the lease of a list, and renews it until it is released. The error is [ErrImporting] if another
// process, or this one, holds it.
func (db *DB) LeaseImport(ctx context.Context, list string) (*ImportLease, error) {
	fresh, err := db.newLease()
	if err != nil {
		return nil, err
	}
	l := &ImportLease{db: db, list: list, token: fresh.token}
	var held bool
	// Of the evidence: a lease does not pass from one holder to the next in the middle of a transaction of an import.
	err = db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		old, _, err := readImportLease(ctx, s, list)
		now := db.leaseNow()
		if held = err == nil && old.holds(now) && old.token != l.token; err != nil || held {
			return err
		}
		return setMeta(ctx, s, metaLease+list, l.row(now))
	})
	if err != nil {
		return nil, err
	}
	if held {
		return nil, ErrImporting
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	l.ended.Go(func() { l.renew(renewing) })
	return l, nil
}

// holds reports whether a lease of an import has not ended. One that would end later than a new one is of a clock that
// was ahead.
func (l lease) holds(now int64) bool {
	return now < l.until && l.until <= now+importTerm.Microseconds()
}

// row is the value of the lease in the database.
func (l *ImportLease) row(now int64) []byte {
	return fmt.Appendf(nil, "%d %d", l.token, now+importTerm.Microseconds())
}

// readImportLease returns the lease of a list, which has ended if there is none, and its row.
func readImportLease(ctx context.Context, s *conn, list string) (l lease, row []byte, err error) {
	row, err = getMeta(ctx, s, metaLease+list)
	if missing(err) {
		return l, nil, nil
	}
	if err != nil {
		return l, nil, err
	}
	return parseImportLease(row), row, nil
}

// parseImportLease reads the row of a lease. One that cannot be read has ended.
func parseImportLease(row []byte) (l lease) {
	if _, err := fmt.Sscanf(string(row), "%d %d", &l.token, &l.until); err != nil {
		return lease{}
	}
	return l
}

// renew renews the lease until the context ends.
func (l *ImportLease) renew(ctx context.Context) {
	tick := time.NewTicker(importTerm / 6)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.extend(ctx) // after an error the next tick tries again
		case <-ctx.Done():
			return
		}
	}
}

// extend renews the lease once, if nobody has taken it over. It does not wait for writes of evidence, which may be
// many.
func (l *ImportLease) extend(ctx context.Context) error {
	return l.replace(ctx, func(s *conn, old []byte) error {
		_, err := s.exec(ctx, "UPDATE meta SET value = $1 WHERE name = $2 AND value = $3",
			l.row(l.db.leaseNow()), metaLease+l.list, old)
		return err
	})
}

// replace calls do with the row of the lease, if it is still held. What do changes must be conditional on that row.
func (l *ImportLease) replace(ctx context.Context, do func(s *conn, old []byte) error) error {
	return l.db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		is, old, err := readImportLease(ctx, s, l.list)
		if err != nil || is.token != l.token {
			return err
		}
		return do(s, old)
	})
}

// Release ends the lease. If that cannot be written, it ends by itself a minute later.
func (l *ImportLease) Release(ctx context.Context) error {
	l.stop()
	l.ended.Wait()
	ctx = context.WithoutCancel(ctx)
	return l.replace(ctx, func(s *conn, old []byte) error {
		_, err := s.exec(ctx, "DELETE FROM meta WHERE name = $1 AND value = $2", metaLease+l.list, old)
		return err
	})
}

// check fails with [ErrOvertaken] if another process has taken the lease over. A nil lease is not checked.
func (l *ImportLease) check(ctx context.Context, s *conn) error {
	if l == nil {
		return nil
	}
	is, _, err := readImportLease(ctx, s, l.list)
	if err == nil && is.token != l.token {
		err = ErrOvertaken
	}
	return err
}
