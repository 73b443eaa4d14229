package store

import (
	"context"
	"sync"
	"time"

	"tocsin/internal/health"
)

const (
	// clockTolerance is how far the clock may be off before nothing is dated by it.
	clockTolerance = 5 * time.Minute
	// maxGap is how long a database may rest before the clock, rather than the rest, is doubted. The server notes the
	// time every hour (see [DB.noteTime]), so that only one that was off counts as resting.
	maxGap = 180 * 24 * time.Hour
)

// wallClock judges the clock, which an operator, a firmware or a time server may set, by what is on record and by a
// clock that nobody sets.
//
// What is dated wrongly stays wrong: a report from the future is the newest for as long, and every later one is dated
// after it. So new records are refused while the clock is doubted; reading goes on. Restarting the server after a
// pause of its virtual machine, or after a correction of the clock, is enough. Times are in microseconds since 1970.
type wallClock struct {
	mu      sync.Mutex
	trusted bool
	offset  int64 // of the clock to the other, while it is trusted
}

// judge says why the clock is doubted; "" if it is not. Now is what it shows, elapsed what the other clock shows,
// newest the newest date on record, 0 for none. Once the clock agrees with what is on record, only jumps are looked
// for.
func (c *wallClock) judge(now int64, elapsed time.Duration, newest int64) health.Reason {
	if !c.trusted {
		switch {
		case now < newest-clockTolerance.Microseconds():
			return health.Behind
		case newest > 0 && now > newest+maxGap.Microseconds():
			return health.Ahead
		}
		c.trust(now, elapsed)
	}
	switch jump := now - elapsed.Microseconds() - c.offset; {
	case jump > clockTolerance.Microseconds():
		return health.JumpedAhead
	case jump < -clockTolerance.Microseconds():
		return health.JumpedBack
	}
	return ""
}

// trust begins to measure at what the clock shows now.
func (c *wallClock) trust(now int64, elapsed time.Duration) {
	c.trusted, c.offset = true, now-elapsed.Microseconds()
}

// checkClock looks at the clock and records what is wrong with it.
func (db *DB) checkClock(ctx context.Context) *Outage {
	db.clock.mu.Lock()
	defer db.clock.mu.Unlock()
	now, elapsed, newest := db.Now().Micro(), time.Duration(0), int64(0)
	switch {
	case !db.clock.trusted:
		if err := db.read(ctx, primary, func(s *conn) (err error) {
			newest, err = newestDate(ctx, s)
			return err
		}); err != nil {
			return db.clockFault.Load()
		}
	case db.elapsed == nil:
		return nil
	}
	if db.elapsed != nil {
		elapsed = db.elapsed()
	}
	reason := db.clock.judge(now, elapsed, newest)
	fault := db.clockFault.Load()
	if reason == "" {
		fault = nil
	} else if fault == nil || fault.Reason != reason {
		fault = &Outage{health.Clock, reason}
	}
	db.clockFault.Store(fault)
	db.health.Set(health.Clock, reason)
	return fault
}

// newestDate returns the newest date on record that this program has set, in microseconds.
func newestDate(ctx context.Context, s *conn) (newest int64, err error) {
	noted, err := getMetaNumber(ctx, s, metaClock)
	if err != nil {
		return 0, err
	}
	var imported int64
	err = s.row(ctx, `SELECT coalesce((SELECT max(created) FROM report), 0),
		coalesce((SELECT max(imported) FROM list), 0)`, nil, &newest, &imported)
	return max(newest, imported, noted), err
}

// dated returns an error while the clock is doubted. It is for what is about to be recorded with a date.
func (db *DB) dated(ctx context.Context) error {
	fault := db.clockFault.Load()
	if fault != nil || db.elapsed != nil { // look now, rather than when the watch does
		fault = db.checkClock(ctx)
	}
	if fault != nil {
		return fault
	}
	return nil
}

// noteInterval is how often the time is noted.
const noteInterval = time.Hour

// noteTime records what the clock shows once an hour, for the next start to compare with. Only a process that watches
// the clock does.
func (db *DB) noteTime(ctx context.Context, s *conn) {
	now := db.Now()
	if db.elapsed == nil || db.clockFault.Load() != nil || now.Std().Sub(db.noted.Std()).Abs() < noteInterval {
		return
	}
	err := db.transact(ctx, s, accounts, false, func() error {
		return setMetaTime(ctx, s, metaClock, now)
	})
	if err == nil {
		db.noted = now
	}
}
