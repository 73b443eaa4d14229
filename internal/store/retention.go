package store

import (
	"context"
	"time"

	"tocsin"
)

// Keep sets how long a serving process keeps old records. They are deleted when it starts, and at midnight UTC.
type Keep struct {
	Usage    time.Duration // the calls of a key by the day; then as one number. 0 for good
	Payments time.Duration // settled payments, at least until their answers are deleted; 0 for good
	// History is what reports said that were withdrawn or that their lists have no longer, and what the log of changes has
	// but that a report was filed and a subject listed, at least a day; 0 for good.
	History time.Duration
}

// How many of the oldest payments, and events, are looked at in a day, so that calls need not wait for it.
const (
	prunedPayments = 10_000
	prunedEvents   = 50_000
)

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
	if k.History > 0 {
		if err := forget(ctx, s, now.Std().Add(-max(k.History, minHistory)).UnixMicro()); err != nil {
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

// minHistory is how long history is kept at least: what is cited by its number in a day is still there.
const minHistory = 24 * time.Hour

// forget goes on through the log of changes, up to a time. Reports that have left it since then, by the will of their
// reporter or of their list, become empty. Their subjects keep their names, unlike after [DB.Erase]: what an agent has
// named goes on counting for it. Of the log only the beginnings stay, since [DB.Check], Erase and [DB.ListHistory] need
// them, and the last event, from which others go on.
func forget(ctx context.Context, s *conn, until int64) error {
	done, err := getMetaNumber(ctx, s, metaForgotten)
	if err != nil {
		return err
	}
	var last int64
	if err := s.row(ctx, `SELECT coalesce(max(seq), 0) FROM (SELECT seq, at FROM event WHERE seq > $1
		ORDER BY seq LIMIT $2) oldest WHERE at < $3`, []any{done, prunedEvents, until}, &last); err != nil || last == 0 {
		return err
	}
	for _, statement := range []string{
		`UPDATE report SET body = '{}', manage = NULL WHERE status IN ('withdrawn', 'gone')
			AND seq IN (SELECT report FROM event WHERE seq > $1 AND seq <= $2 AND op IN ('withdrawn', 'gone'))`,
		`DELETE FROM event WHERE seq > $1 AND seq <= $2 AND op NOT IN ('filed', 'listed', 'relisted')
			AND seq < (SELECT max(seq) FROM event)`,
	} {
		if _, err := s.exec(ctx, statement, done, last); err != nil {
			return err
		}
	}
	return setMetaNumber(ctx, s, metaForgotten, last)
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

// shrink gives a part of the space that is not used back, and reports whether there is more to do. An error is reported
// ([Options.Failed]), and it is tried again the next day.
func (db *DB) shrink(ctx context.Context, s *conn, first bool) (more bool) {
	if db.keep == (Keep{}) {
		return false // a command: it is over soon
	}
	err := db.transact(ctx, s, accounts, false, func() (err error) {
		more, err = db.dialect.shrink(ctx, s, first)
		return err
	})
	if err != nil {
		db.failed("give unused space of the database back", err)
	}
	return err == nil && more
}
