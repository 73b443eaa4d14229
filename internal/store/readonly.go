package store

import (
	"context"

	"tocsin/internal/health"
)

// halt is the error of what is not recorded while the database is read-only.
var halt = &Outage{health.Mode, health.Halted}

// ReadOnly reports whether the database is read-only, for all processes or for this one ([Options.ReadOnly]).
func (db *DB) ReadOnly(ctx context.Context) (is bool, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		is, err = db.readOnlyNow(ctx, s)
		return err
	})
	return is, err
}

func (db *DB) readOnlyNow(ctx context.Context, s *conn) (bool, error) {
	if db.readOnly {
		return true, nil
	}
	_, err := getMeta(ctx, s, metaReadOnly)
	if missing(err) {
		return false, nil
	}
	return err == nil, err
}

// harmed is the error of what is not recorded once the database is known to be damaged: a sound copy replaces it, in
// which the record would not be.
var harmed = &Outage{health.Database, health.Corrupt}

// refusal returns why a transaction must not record anything, nil if it may: the database is damaged or read-only.
func (db *DB) refusal(ctx context.Context, s *conn, l lane) (refusal, err error) {
	if db.damage.Load() != nil {
		return harmed, nil
	}
	return db.halted(ctx, s, l)
}

// halted returns the error of what a transaction must not record, nil if it may. The database does not become read-only
// before the transaction ends.
func (db *DB) halted(ctx context.Context, s *conn, l lane) (refusal, err error) {
	if l == accounts { // those of evidence follow each other anyway, and the change is one of them
		if err := db.dialect.holdReadOnly(ctx, s, false); err != nil {
			return nil, err
		}
	}
	is, err := db.readOnlyNow(ctx, s)
	if is {
		refusal = halt
	}
	return refusal, err
}

// SetReadOnly makes the database read-only for all processes, or takes that back. It reports whether that changed
// anything. Once it returns, nothing that somebody relies on is recorded: no report, list, key, sign-in, payment or act
// of an operator; such writes get an [*Outage]. Counts of calls are, and what becomes of the payments that were begun
// before.
func (db *DB) SetReadOnly(ctx context.Context, by Operator, on bool) (changed bool, err error) {
	object := map[bool]string{true: "on", false: "off"}[on]
	err = db.await(&job{ctx: ctx, lane: evidence, durable: true, always: true,
		do: func(ctx context.Context, s *conn) error {
			if err := db.dialect.holdReadOnly(ctx, s, true); err != nil {
				return err
			}
			is, err := db.readOnlyNow(ctx, s)
			if changed = is != on; err != nil || !changed {
				return err
			}
			if on {
				err = setMeta(ctx, s, metaReadOnly, []byte(object))
			} else {
				_, err = s.exec(ctx, "DELETE FROM meta WHERE name = $1", metaReadOnly)
			}
			if err == nil {
				_, err = (&act{by: by, action: ChangedReadOnly}).log(ctx, s, db.Now(), object)
			}
			return err
		}})
	return changed, err
}

// holdReadOnly has nothing to do: one transaction writes at a time.
func (d *sqliteDialect) holdReadOnly(context.Context, *conn, bool) error { return nil }

// holdReadOnly takes a lock that all may have at once who do not change whether the database is read-only.
func (d *postgresDialect) holdReadOnly(ctx context.Context, s *conn, change bool) error {
	lock := "SELECT pg_advisory_xact_lock_shared($1)"
	if change {
		lock = "SELECT pg_advisory_xact_lock($1)"
	}
	_, err := s.exec(ctx, lock, d.lock+readOnlyLock)
	return err
}
