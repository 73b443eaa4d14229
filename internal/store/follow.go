package store

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
	"time"

	"tocsin"
	"tocsin/internal/health"
)

// This file follows the log of events: what is in memory must not outlive what it rests on.

// eventLog says how far the log was followed.
type eventLog struct {
	mu       sync.Mutex
	followed int64 // the last event that the memory has taken into account

	following sync.Mutex // held while events are followed

	// When the log was last read, by DB.monotonic and by DB.now: memory has all that was committed before.
	readMonotonic atomic.Int64
	readAt        atomic.Pointer[time.Time]

	outOfReach atomic.Int64 // by DB.monotonic, when the database was found to be out of reach last
}

func (l *eventLog) at() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.followed
}

func (l *eventLog) followedTo(seq int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followed = max(l.followed, seq)
}

const (
	// lagAllowed is how long ago the log may have been read for an answer to be called one of this moment.
	lagAllowed = 250 * time.Millisecond
	// maxLag is how long ago it may have been read for an answer to be given.
	maxLag = 3 * time.Second
)

// lag is how long ago the log was read; 0 if it is no longer than lagAllowed.
func (db *DB) lag() time.Duration {
	// Elapsed may be a system call, and is asked only if the log was read long ago by the clock of the machine or by the
	// monotonic clock of the process, which come together without one. The first may be set back, the second leaves out
	// suspension.
	read, now := *db.log.readAt.Load(), db.now()
	ago := now.UnixMicro() - read.UnixMicro()
	if ago >= 0 && ago <= lagAllowed.Microseconds() && now.Sub(read) <= lagAllowed {
		return 0
	}
	return db.monotonic() - time.Duration(db.log.readMonotonic.Load())
}

// logRead records when the log was read, by both clocks.
func (db *DB) logRead(monotonic time.Duration, at time.Time) {
	db.log.readMonotonic.Store(int64(monotonic))
	db.log.readAt.Store(&at)
}

// AsOf returns the moment for an answer from memory: everything that was recorded more than 250 ms before it is taken
// into account. It is now, except in a process that has not heard of the others for longer.
func (db *DB) AsOf(now time.Time) time.Time {
	if lag := db.lag(); lag > lagAllowed {
		return now.Add(-lag)
	}
	return now
}

// current returns an error if what is in memory may be too old, or is not what is on record.
func (db *DB) current() error {
	if err := db.usable(); err != nil {
		return err
	}
	if db.lag() > maxLag {
		return &Outage{health.Events, health.Unread}
	}
	return nil
}

// checkLog reports whether the log is followed. While the database is out of reach, that is reported instead; when
// it is back, the log has as long to be read as ever.
func (db *DB) checkLog() {
	if db.usable() != nil {
		db.log.outOfReach.Store(int64(db.monotonic()))
	}
	reason := health.Reason("")
	if back := time.Duration(db.log.outOfReach.Load()); db.lag() > maxLag && db.monotonic()-back > maxLag {
		reason = health.Unread
	}
	db.health.Set(health.Events, reason)
}

// followLog reads the log again and again, until the database is closed. It has a connection of its own, so that
// neither a write that waits for another process nor reads that take long keep it waiting.
func (db *DB) followLog(ctx context.Context, s *conn) {
	defer s.close()
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-db.closed:
			return
		}
		if db.usable() != nil {
			continue
		}
		begun, at := db.monotonic(), db.now()
		var n newEvents
		var lists *listDates
		err := db.dialect.readStatement(ctx, s, func() (err error) {
			if n, err = db.readEvents(ctx, s); err == nil {
				lists, err = readListDates(ctx, s, db.lists.current.Load())
			}
			return err
		})
		if err == nil {
			db.followLists(lists)
			db.follow(n)
			db.logRead(begun, at)
		} else {
			db.dossiers.clear() // what is not known to be true is dropped
		}
	}
}

// maxFollowed is how many new events are read to be followed one by one; after
// more than that, as of a list's family or of an import by another process, all
// dossiers in memory are dropped. A commit of this process knows its own events,
// and drops what they touch, however many they are: one filing has up to 200.
const maxFollowed = 10_000

// newEvents are events that the memory has not taken into account yet.
type newEvents struct {
	last     int64 // event
	subjects []tocsin.Subject
	all      bool // there are more than maxFollowed
}

// written are the events of a transaction, as far as they are known without
// reading them again.
type written struct {
	newEvents
	unknown bool // there are others, which a statement has selected
}

// since returns what is new since the event followed, if the transaction's own
// events are all there is.
func (w *written) since(followed int64) (n newEvents, ok bool) {
	n = w.newEvents
	return n, n.last > 0 && !w.unknown && n.last-followed == int64(len(n.subjects))
}

// readEvents reads the events since the memory was last brought up to date, of
// this process and of others.
func (db *DB) readEvents(ctx context.Context, s *conn) (n newEvents, err error) {
	n.last = db.log.at()
	err = s.each(ctx, `SELECT e.seq, e.op, s.kind, s.value FROM event e JOIN subject s ON s.id = e.subject
		WHERE e.seq > $1 ORDER BY e.seq LIMIT $2`, []any{n.last, maxFollowed + 1}, func(rows *sql.Rows) error {
		var op Op
		var subject tocsin.Subject
		err := rows.Scan(&n.last, &op, &subject.Kind, &subject.Value)
		n.subjects = append(n.subjects, subject)
		n.all = n.all || op == ReportErased // its subjects may have no names any more
		return err
	})
	if n.all = n.all || len(n.subjects) > maxFollowed; err == nil && len(n.subjects) > maxFollowed {
		err = s.row(ctx, "SELECT max(seq) FROM event", nil, &n.last)
	}
	return n, err
}

// follow drops from memory what rests on evidence that has changed: after each commit of evidence, before its caller
// is answered, and in between for the commits of other processes.
func (db *DB) follow(n newEvents) {
	if len(n.subjects) == 0 {
		return
	}
	db.log.following.Lock()
	defer db.log.following.Unlock()
	if n.last <= db.log.at() {
		return // somebody else has read them as well: what is kept by now rests on them
	}
	// The model comes first: a dossier that is made of it now is not kept, because others are forgotten afterwards.
	db.model.follow(n)
	if n.all {
		db.dossiers.clear()
	} else {
		db.dossiers.forget(n.subjects)
	}
	db.log.followedTo(n.last)
	db.summary.stale.Store(true)
	db.board.stale.Store(true)
}
