package store

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"tocsin"
)

// maxBatch is how many writes share a commit at most.
const maxBatch = 128

// lane says which other writes a write must not overlap.
type lane int

const (
	// accounts are keys, quotas, sessions and payments. Each write is correct
	// beside any other by its statements alone: conditional updates, unique keys.
	accounts lane = iota
	// evidence are reports, lists and the log of events. Its writes run one after
	// the other in all processes: what a write reads stays true until it commits,
	// and rows are numbered in the order of their commits.
	evidence
)

// job is one write that waits for its commit.
type job struct {
	ctx     context.Context
	lane    lane
	durable bool
	record  bool // of accounts: it makes what must not be lost, see [DB.writeRecord]
	always  bool // it is done though the database is read-only
	do      func(ctx context.Context, s *conn) error
	filing  *pending    // instead of do
	err     error       // why this job alone has not been done
	ended   func(error) // called once, by the writer unless the database is closed
}

var errClosed = errors.New("the database is closed")

// write runs do in a transaction and returns when it is committed: on disk if
// durable, otherwise handed to the operating system, which survives the death
// of the process but not of the machine.
//
// Callers that wait while a commit is in progress share the next one: under load
// a commit costs each of them little. The rules for do:
//   - A fault of the caller (a tocsin.Error) is returned before anything is
//     written; it touches nobody else.
//   - Any other error rolls the whole group back, and its writes are run again
//     one by one, unless it is nobody's fault: another transaction was in the way
//     for too long, or it is not known whether the commit was done. So do may run
//     twice, and must leave nothing behind outside the database but its results.
//
// SQLite has one writer, so that both lanes go through it and share commits. On
// PostgreSQL each lane has its own, so that an import elsewhere, which holds the
// lock of the evidence, does not hold up quotas and payments.
//
// Evidence is not written while the clock is doubted, since all of it has a date. Of accounts, what makes a record with
// a date asks [DB.dated] itself.
func (db *DB) write(
	ctx context.Context, l lane, durable bool, do func(ctx context.Context, s *conn) error,
) error {
	return db.await(&job{ctx: ctx, lane: l, durable: durable, do: do})
}

// writeRecord is write for what somebody relies on: it is refused while the database is read-only ([DB.SetReadOnly]).
// All writes of evidence are; of accounts, counts of calls and the payments that were begun before are not.
func (db *DB) writeRecord(
	ctx context.Context, l lane, durable bool, do func(ctx context.Context, s *conn) error,
) error {
	return db.await(&job{ctx: ctx, lane: l, durable: durable, record: true, do: do})
}

// records reports whether the write is refused while the database is read-only.
func (j *job) records() bool { return (j.record || j.lane == evidence) && !j.always }

// writeFiling is write for a filing. Those that share a commit are recorded together, see [DB.record].
func (db *DB) writeFiling(ctx context.Context, f *pending) error {
	return db.await(&job{ctx: ctx, lane: evidence, durable: true, filing: f})
}

func (db *DB) await(j *job) (err error) {
	defer func() {
		db.reportWrite(err)
		err = withRemedy(err)
	}()
	ctx := j.ctx
	if j.lane == evidence {
		if err := db.dated(ctx); err != nil {
			return err
		}
	}
	db.waiting.Add(1)
	defer db.waiting.Add(-1)
	done := make(chan error, 1)
	j.ended = func(err error) { done <- err }
	select {
	case db.jobs[j.lane] <- j:
		// From here on the write may happen, so its end is awaited, come what may.
		return <-done
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closed:
		return errClosed
	}
}

// writeLater is write for who does not wait: ended is called with the result, before the writer goes on. Whatever is
// written afterwards finds it done.
func (db *DB) writeLater(
	ctx context.Context, l lane, ended func(error), do func(ctx context.Context, s *conn) error,
) {
	select {
	case db.jobs[l] <- &job{ctx: ctx, lane: l, do: do, ended: ended}:
	case <-db.closed:
		ended(errClosed)
	}
}

// followInterval is how often a process looks whether another one has written.
const followInterval = 200 * time.Millisecond

// runWriter commits what write brings for a lane until the database is closed.
// With a ticker it looks in between whether others have written: the memory of
// keys is emptied when others may have changed some. It also renews leases, gives
// back the calls that were reserved and not used, and the space of what is over.
func (db *DB) runWriter(ctx context.Context, s *conn, l lane, tick *time.Ticker) {
	defer s.close()
	var ticks <-chan time.Time
	if tick != nil {
		defer tick.Stop()
		ticks = tick.C
	}
	today, reported := day(db.Now()), int64(0)
	first, shrinking := true, true // what was deleted when the database was opened
	for {
		select {
		case first := <-db.jobs[l]:
			db.runBatch(ctx, s, first)
		case <-ticks:
			db.quota.ticks.Add(1)
			if db.usable() != nil {
				continue
			}
			if db.dialect.othersWrote(ctx, s) {
				db.callers.invalidate()
			}
			db.renewLeases(ctx, s)
			db.returnCalls(ctx, s, false)
			if now := day(db.Now()); now != today && db.dated(ctx) == nil {
				if err := db.deleteExpired(ctx, s); err == nil {
					today = now
					first, shrinking = true, true
				} else if now != reported { // it is tried again at once
					reported = now
					db.failed("delete what is kept no longer", err)
				}
			}
			if shrinking {
				shrinking, first = db.shrink(ctx, s, first), false
			}
			db.noteTime(ctx, s)
		case <-db.closed:
			if tick != nil && db.usable() == nil {
				db.returnCalls(ctx, s, true)
			}
			return
		}
	}
}

// yieldsBeforeCommit is how often the writer lets everybody else run before it begins. A
// commit costs more than all else about a call, so it is worth sharing with
// callers that are about to write. If there are none, nobody waits. Where many wait for a processor, one turn of all
// others takes long and brings enough writers: there is no other one after yieldsFor.
const (
	yieldsBeforeCommit = 4
	yieldsFor          = 100 * time.Microsecond
)

// runBatch commits a write together with whatever else is waiting.
func (db *DB) runBatch(ctx context.Context, s *conn, first *job) {
	began := db.now()
	for i := 0; i < yieldsBeforeCommit && db.now().Sub(began) < yieldsFor; i++ {
		runtime.Gosched()
	}
	batch := append(make([]*job, 0, maxBatch), first)
	for waiting := true; waiting && len(batch) < maxBatch; {
		select {
		case j := <-db.jobs[first.lane]:
			batch = append(batch, j)
		default:
			waiting = false
		}
	}
	err := db.commit(ctx, s, batch)
	db.groups.Add(1)
	db.writesEnded.Add(uint64(len(batch)))
	var lost error // what must be on disk is not said to be there before the file was looked at
	if err == nil && slices.ContainsFunc(batch, func(j *job) bool { return j.durable }) {
		lost = db.kept()
	}
	for _, j := range batch {
		switch {
		case err == nil:
			j.ended(cmp.Or(j.err, lost))
		case len(batch) == 1:
			j.ended(err)
		case inDoubt(err), waitedInVain(err):
			j.ended(err) // it may have been done, or each would wait as long again
		default:
			if err := db.commit(ctx, s, []*job{j}); err != nil {
				j.ended(err)
			} else {
				j.ended(cmp.Or(j.err, db.kept()))
			}
		}
	}
}

// commit runs a batch in one transaction. Before anybody hears of it, the memory
// has forgotten what it changed.
func (db *DB) commit(ctx context.Context, s *conn, batch []*job) error {
	if err := db.usable(); err != nil {
		return err
	}
	l, durable := accounts, false
	for _, j := range batch {
		l, durable = max(l, j.lane), durable || j.durable
	}
	var changes newEvents
	err := db.transact(ctx, s, l, durable, func() error {
		s.written = written{}
		var halted error
		if slices.ContainsFunc(batch, (*job).records) {
			var err error
			if halted, err = db.refusal(ctx, s, l); err != nil {
				return err
			}
		}
		var filings []*pending
		for _, j := range batch {
			if j.err = j.ctx.Err(); j.err != nil {
				continue // its caller has gone before it began
			}
			if halted != nil && j.records() {
				j.err = halted
				continue
			}
			if j.filing != nil { // none was answered, so they may come last
				filings = append(filings, j.filing)
				continue
			}
			j.err = j.do(ctx, s)
			var fault *tocsin.Error
			if j.err != nil && !errors.As(j.err, &fault) {
				return j.err
			}
		}
		if l == accounts {
			return nil
		}
		if err := db.record(ctx, s, filings); err != nil {
			return err
		}
		for _, j := range batch {
			if j.filing != nil && j.err == nil {
				j.err = j.filing.refused
			}
		}
		var known bool
		if changes, known = s.written.since(db.log.at()); known {
			return nil
		}
		var err error
		changes, err = db.readEvents(ctx, s) // here it costs no transaction of its own
		return err
	})
	if err == nil {
		db.follow(changes)
	}
	return err
}
