package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"tocsin/internal/limits"
)

// Ledger holds what all processes on a PostgreSQL database have counted: see [limits.Ledger]. It is used by one
// goroutine at a time.
type Ledger struct {
	db      *DB
	dialect *postgresDialect
	change  int64 // the last one that was read; 0 to read everything
	lost    int64 // how many connections were lost by then
	tidied  int64 // when what has ended was deleted, in microseconds
}

// tidyInterval is how often a process deletes what has ended.
const tidyInterval = time.Minute

// Ledger returns the ledger of the database and the secret of its keys. It is nil with SQLite: its processes are on
// one machine, and each counts for itself.
func (db *DB) Ledger(ctx context.Context) (ledger *Ledger, secret []byte, err error) {
	d, ok := db.dialect.(*postgresDialect)
	if !ok {
		return nil, nil, nil
	}
	secret, err = db.secret(ctx, &db.networkSecret, metaNetworks)
	return &Ledger{db: db, dialect: d}, secret, err
}

// Exchange implements [limits.Ledger]. It borrows a connection of the readers.
//
// Changes are numbered under a lock, which is held until the commit. So the numbers ascend in the order of commits, and
// nothing with a lower number appears later.
func (l *Ledger) Exchange(ctx context.Context, learn func(limits.Count), tell func() []limits.Count) (err error) {
	if err := l.db.usable(); err != nil {
		return err
	}
	var s *conn
	select {
	case s = <-l.db.readers:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.db.closed:
		return errClosed
	}
	defer func() { l.db.readers <- s }()
	change, lost, now := int64(0), int64(0), l.db.leaseNow()
	begun := func() {
		// A server to which connections were lost may have lost its last changes as well, and give their numbers again.
		if lost = l.dialect.lost.Load(); lost == l.lost {
			change = l.change
		}
	}
	due := now-l.tidied >= tidyInterval.Microseconds()
	if tell == nil && !due {
		err = l.dialect.read(ctx, s, func() error {
			begun()
			return l.read(ctx, s, &change, learn)
		})
	} else {
		err = l.dialect.transact(ctx, s, l.dialect.beginLedger(), func() error {
			begun()
			if err := l.read(ctx, s, &change, learn); err != nil {
				return err
			}
			if tell != nil {
				if err := l.add(ctx, s, &change, tell()); err != nil {
					return err
				}
			}
			if due {
				_, err := s.exec(ctx, "DELETE FROM used WHERE ends <= $1", now)
				return err
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("exchange counts: %w", err)
	}
	if l.change, l.lost = change, lost; due {
		l.tidied = now
	}
	return nil
}

// beginLedger begins a transaction beside which there is no other of its kind. One whose process hangs is ended
// soon, since others wait for it.
func (d *postgresDialect) beginLedger() string {
	return fmt.Sprintf("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = 10000; "+
		"SET LOCAL idle_in_transaction_session_timeout = 5000; SET LOCAL synchronous_commit = off; "+
		"SELECT pg_advisory_xact_lock(%d)", d.lock+ledgerLock)
}

// read passes on what has changed since the last change that was read.
func (l *Ledger) read(ctx context.Context, s *conn, change *int64, learn func(limits.Count)) error {
	return s.each(ctx, "SELECT budget, key, slot, events, change FROM used WHERE change > $1", []any{*change},
		func(rows *sql.Rows) error {
			var c limits.Count
			var key []byte
			var at int64
			if err := rows.Scan(&c.Budget, &key, &c.Slot, &c.Events, &at); err != nil {
				return err
			}
			*change, c.Key = max(*change, at), string(key)
			learn(c)
			return nil
		})
}

// add adds counts.
func (l *Ledger) add(ctx context.Context, s *conn, change *int64, counts []limits.Count) error {
	n := len(counts)
	if n == 0 {
		return nil
	}
	budgets, keys := make([]string, n), make([][]byte, n)
	slots, events, ends := make([]int64, n), make([]int64, n), make([]int64, n)
	for i, c := range counts {
		budgets[i], keys[i], slots[i], events[i], ends[i] = c.Budget, []byte(c.Key), c.Slot, c.Events, c.Ends.UnixMicro()
	}
	return s.row(ctx, `WITH told AS (
			INSERT INTO used (budget, key, slot, events, ends, change)
			SELECT t.budget, t.key, t.slot, t.events, t.ends, c.number
			FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[])
				AS t (budget, key, slot, events, ends), (SELECT nextval('used_changes') AS number) c
			ON CONFLICT (budget, key, slot)
			DO UPDATE SET events = used.events + excluded.events, change = excluded.change
			RETURNING change)
		SELECT max(change) FROM told`, []any{budgets, keys, slots, events, ends}, change)
}
