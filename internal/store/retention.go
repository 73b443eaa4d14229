package store

import (
	"context"
	"time"

	"tocsin"
)

// Keep is how long a process that serves keeps what is over. It looks when it starts, and at midnight UTC.
type Keep struct {
	Usage    time.Duration // the calls of a key by the day; then as one number. 0 for good
	Payments time.Duration // settled payments, at least until their answers are deleted; 0 for good
}

// prunedPayments is how many of the oldest payments are looked at in a day, so that calls need not wait for it.
const prunedPayments = 10_000

// enforce deletes what is older. A row of usage of day 0, which no quota was ever of, has the calls of all days that
// are over.
func (k Keep) enforce(ctx context.Context, s *conn, now tocsin.Time) error {
	if k.Usage > 0 {
		first := day(tocsin.TimeOf(now.Std().Add(-k.Usage)))
		// The number of all calls of an agent stays (Account).
		if _, err := s.exec(ctx, `INSERT INTO usage (agent, day, used)
			SELECT agent, 0, sum(used) FROM usage WHERE day > 0 AND day < $1 GROUP BY agent
			ON CONFLICT (agent, day) DO UPDATE SET used = usage.used + excluded.used`, first); err != nil {
			return err
		}
		if _, err := s.exec(ctx, "DELETE FROM usage WHERE day > 0 AND day < $1", first); err != nil {
			return err
		}
	}
	if k.Payments == 0 {
		return nil
	}
	_, err := s.exec(ctx, `DELETE FROM claim WHERE seq IN (SELECT seq FROM claim ORDER BY seq LIMIT $1)
		AND state = 'settled' AND created < $2`, prunedPayments,
		now.Std().Add(-max(k.Payments, keepLateAnswer)).UnixMicro())
	return err
}

// deleteExpired deletes what must not be kept longer than it is needed: the salts of
// the days before yesterday with the hashes under them, the memory of filings over a day old, sessions
// that have ended, and what is older than [Keep] says.
func (db *DB) deleteExpired(ctx context.Context, s *conn) error {
	now := db.Now()
	today := day(now)
	return db.transact(ctx, s, accounts, false, func() error {
		if _, err := s.exec(
			ctx,
			"DELETE FROM meta WHERE name LIKE '"+metaSalt+"%' AND name NOT IN ($1, $2)",
			salt(today),
			salt(today-1),
		); err != nil {
			return err
		}
		if _, err := s.exec(ctx, "DELETE FROM origin WHERE day < $1", today-1); err != nil {
			return err
		}
		if _, err := s.exec(ctx, "UPDATE origin SET earlier = NULL WHERE day < $1", today); err != nil {
			return err
		}
		if _, err := s.exec(ctx, "DELETE FROM session WHERE expires <= $1", now.Micro()); err != nil {
			return err
		}
		if _, err := s.exec(ctx, "DELETE FROM filing WHERE at <= $1", now.Micro()-filingMemory.Microseconds()); err != nil {
			return err
		}
		return db.keep.enforce(ctx, s, now)
	})
}
