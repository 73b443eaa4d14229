package store

import (
	"context"
	"errors"
	"time"

	"tocsin"
	"tocsin/internal/health"
)

// Outage is why the database must not be used at the moment. What it would keep is lost, or what it would answer is
// not what is on record.
type Outage struct {
	// health.Database: nothing is read or written, or, with health.Corrupt, nothing is recorded; health.Events: nothing is
	// answered from memory; health.Clock: no new record is made; health.Mode: the same, by the operator.
	Part   health.Part
	Reason health.Reason
}

// Error implements error.
func (f *Outage) Error() string {
	if f.Reason == health.Corrupt {
		return "the database is damaged. " + health.Damaged
	}
	t := f.trouble()
	return t.String() + ". " + t.Remedy()
}

// Public says to callers, in two sentences without the last full stop, what is wrong and what does not work meanwhile.
func (f *Outage) Public() string {
	if f.Reason == health.Corrupt {
		return "The database is damaged. Nothing was recorded"
	}
	works := "Nothing can be looked up or recorded until that is corrected"
	switch f.Part {
	case health.Events:
		works = "Nothing can be looked up until that is corrected"
	case health.Mode:
		works = "New reports, keys, sign-ins and payments are not taken meanwhile, and nothing is changed or withdrawn; " +
			"look-ups and free calls work. Try again later"
	case health.Clock:
		works = "New reports, keys, sign-ins and payments are not taken until that is corrected; look-ups and free calls work"
	}
	return f.trouble().String() + ". " + works
}

// RetryAfter returns after how many seconds a client should try again: longer if an operator has switched something off
// than if a repair may end at any moment.
func (f *Outage) RetryAfter() int {
	if f.Part == health.Mode || f.Reason == health.Corrupt {
		return 30
	}
	return 5
}

func (f *Outage) trouble() health.Trouble { return health.Trouble{Part: f.Part, Reason: f.Reason} }

// Reported reports whether an error is that of an [Outage], of which the board of [Options] was told when it began: it
// need not be logged each time.
func Reported(err error) bool { return errors.As(err, new(*Outage)) }

// watchInterval is how often the file and the clock are looked at.
const watchInterval = 200 * time.Millisecond

// watch looks at the file and the clock until the end, and reports what it finds.
func (db *DB) watch(ctx context.Context, end <-chan struct{}) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-end:
			return
		case <-tick.C:
		}
		db.setFileFault(db.dialect.check(ctx, db.log.at()))
		db.checkClock(ctx)
		db.checkLog()
		if n%10 == 0 {
			db.checkDisk()
		}
	}
}

// setFileFault records what is wrong with the file; "" means nothing.
func (db *DB) setFileFault(reason health.Reason) {
	before := db.fileFault.Load()
	switch {
	case reason == "":
		if before != nil {
			db.log.outOfReach.Store(int64(db.monotonic())) // until now: to ask a server that hangs takes seconds
			if db.failing.Swap(false) {
				db.health.Works(health.Writes)
			}
		}
		db.fileFault.Store(nil)
	case before == nil || before.Reason != reason:
		db.fileFault.Store(&Outage{health.Database, reason})
	}
	if reason != "" && before == nil {
		db.dossiers.clear() // what is in memory is not what is on record any more
		db.callers.invalidate()
		db.summary.stale.Store(true)
		db.board.stale.Store(true)
	}
	db.health.Set(health.Database, reason)
}

// usable returns the fault of the file, if there is one.
func (db *DB) usable() error {
	if f := db.fileFault.Load(); f != nil {
		return f
	}
	return nil
}

// kept returns an error if what was just committed went to a file that is not the database any more.
func (db *DB) kept() error {
	if reason := db.dialect.moved(); reason != "" && db.usable() == nil {
		db.setFileFault(reason)
	}
	return db.usable()
}

// checkDisk reports whether the file system of the database is nearly full.
func (db *DB) checkDisk() {
	free, known := db.FreeDisk()
	switch {
	case known && free < lowDisk:
		db.health.Set(health.Disk, health.Low)
	case known && free > lowDisk+lowDisk/4: // what cannot be measured is as it was
		db.health.Set(health.Disk, "")
	}
}

// lowDisk is how many bytes should be free: what the write-ahead log may need, several times over.
const lowDisk = 256 << 20

// FreeDisk returns how many bytes the database can still grow by, if the operating system says so.
func (db *DB) FreeDisk() (bytes int64, known bool) {
	path := db.dialect.path()
	if path == "" {
		return 0, false
	}
	return freeDisk(path)
}

// damagedError is the error of a damaged database, with what the operator does about it.
type damagedError struct{ error }

// Error implements error.
func (e damagedError) Error() string { return e.error.Error() + ". " + health.Damaged }

// Unwrap returns the error of the engine.
func (e damagedError) Unwrap() error { return e.error }

// withRemedy adds to the error of a damaged database what the operator does about it.
func withRemedy(err error) error {
	if !damaged(err) || errors.As(err, new(damagedError)) {
		return err
	}
	return damagedError{err}
}

// reportRead reports a read that has found the database damaged. Other failures of reads are those of their callers, or
// the watch finds them.
func (db *DB) reportRead(err error) error {
	if damaged(err) {
		db.damage.Store(&err)
		db.health.Count(health.Database, health.Corrupt, 1)
	}
	return withRemedy(err)
}

// reportWrite reports a write that failed and was not the caller's fault, and that writes work again.
func (db *DB) reportWrite(err error) {
	var fault *tocsin.Error
	var own *Outage
	switch {
	case err == nil, errors.As(err, &fault):
		if db.failing.Load() && db.failing.Swap(false) {
			db.health.Works(health.Writes)
		}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case errors.As(err, &own) && own.Part == health.Mode: // it is meant
	case errors.As(err, &own) && own.Reason == health.Corrupt:
		db.failing.Store(true)
		db.health.Count(health.Writes, health.Corrupt, 1)
	case errors.As(err, &own):
		db.failing.Store(true)
		db.health.Count(health.Writes, health.Refused, 1)
	default:
		if damaged(err) {
			db.damage.Store(&err)
		}
		db.failing.Store(true)
		db.health.Count(health.Writes, classOf(err), 1)
	}
}
