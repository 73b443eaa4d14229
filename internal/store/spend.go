package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// quotaQueue collects the free calls that the next commit will charge. The
// calls of one agent are charged in one statement, however many they are. It
// also holds the calls that are charged already, and were not made yet.
type quotaQueue struct {
	ticks atomic.Int64 // grows by one each followInterval

	mu       sync.Mutex
	next     *quotaBatch        // nil if no call is waiting
	reserves map[int64]*reserve // by agent
	unused   map[agentDay]int   // calls that the next commit gives back
	closed   bool               // nothing is reserved any more
}

// quotaBatch is what one commit charges and gives back.
type quotaBatch struct {
	day     int64
	charges map[quotaKey][]*charge // in the order in which they came
	refills map[quotaKey]*refill   // nil before the commit has begun
	unused  map[agentDay]int       // is given back
	done    chan struct{}          // closed when err and the charges are final
	err     error
}

// quotaKey is what the calls of one statement share.
type quotaKey struct {
	agent int64
	limit int
}

// charge is one call.
type charge struct {
	used    int // calls of the agent on that day, with this one if it is granted
	granted bool
}

// Spend takes one free call of today if fewer than limit are used. It returns
// how many are used then, and whether the call was granted. No more than limit
// are granted, for any number of concurrent calls in any number of processes,
// and whatever crashes.
//
// A call of a large quota may have been charged ahead, see [reserve]. What
// another process holds in reserve is not granted here until it is given back.
func (db *DB) Spend(ctx context.Context, c *Caller, limit int) (used int, ok bool, err error) {
	if err := ctx.Err(); err != nil || limit <= 0 {
		return 0, false, err
	}
	if err := db.usable(); err != nil {
		return 0, false, err
	}
	call, key, today := &charge{}, quotaKey{c.id, limit}, day(db.Now())
	b, first := db.quota.take(key, today, call)
	switch {
	case b == nil: // charged ahead
		c.learn(today, limit, call, db.quota.ticks.Load())
		return call.used, true, nil
	case first: // the first caller submits the batch
		// The writer settles it, so that it finds all reserves when it gives them back at its end.
		db.writeLater(context.WithoutCancel(ctx), accounts, func(err error) {
			db.reportWrite(err)
			b.err = err
			db.quota.settle(b, err)
			close(b.done)
		}, func(ctx context.Context, s *conn) error { return db.charge(ctx, s, b) })
	}
	if <-b.done; b.err == nil {
		c.learn(b.day, limit, call, db.quota.ticks.Load())
	}
	return call.used, call.granted, b.err
}

// take grants a call from the reserve of its agent. If there is none, the call
// joins the batch that is returned; first says that it is the first of it.
func (q *quotaQueue) take(key quotaKey, today int64, call *charge) (b *quotaBatch, first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		r := q.reserves[key.agent]
		if r != nil && (r.limit != key.limit || r.day != today) {
			q.drop(key.agent) // the quota has changed, or it is another day
			r = nil
		}
		if r != nil && r.left > 0 {
			r.left--
			call.used, call.granted = r.used-r.left, true
			return nil, false
		}
		if r == nil || r.refilled == nil {
			break
		}
		refilled := r.refilled
		q.mu.Unlock()
		<-refilled
		q.mu.Lock()
	}
	b = q.next
	first = b == nil || b.day != today
	if first {
		b = &quotaBatch{day: today, charges: map[quotaKey][]*charge{}, done: make(chan struct{})}
		q.next = b
	}
	b.charges[key] = append(b.charges[key], call)
	return b, first
}

// charge grants as many calls as are left. One statement reads the count,
// compares it with the limit, and raises it: what other processes write at the
// same time cannot come in between. The rows are changed in order, so that the
// charges of two processes cannot deadlock. Calls are given back first, in an
// order of their own: a deadlock with those is ended by PostgreSQL, and the
// transaction is tried again.
func (db *DB) charge(ctx context.Context, s *conn, b *quotaBatch) error {
	db.quota.begin(b)
	if len(b.unused) > 0 {
		if err := s.dialect.giveBack(ctx, s, b.unused); err != nil {
			return err
		}
	}
	keys := slices.SortedFunc(maps.Keys(b.charges), func(a, b quotaKey) int {
		return cmp.Or(cmp.Compare(a.agent, b.agent), cmp.Compare(a.limit, b.limit))
	})
	keys, err := s.dialect.charge(ctx, s, b, keys)
	if err != nil {
		return err
	}
	for _, k := range keys {
		calls := b.calls(k)
		changed, err := affected(s.exec(ctx, `INSERT INTO usage (agent, day, used, granted) VALUES ($1, $2, $3, $3)
			ON CONFLICT (agent, day) DO UPDATE SET
				granted = CASE WHEN usage.used + $4 <= $5 THEN $4 ELSE $5 - usage.used END,
				used = CASE WHEN usage.used + $4 <= $5 THEN usage.used + $4 ELSE $5 END
			WHERE usage.used < $5`, k.agent, b.day, min(calls, k.limit), calls, k.limit))
		if err != nil {
			return err
		}
		// The row is locked by now. Reading it costs SQLite less than RETURNING.
		var used, granted int
		if err := s.row(ctx, "SELECT used, granted FROM usage WHERE agent = $1 AND day = $2",
			[]any{k.agent, b.day}, &used, &granted); err != nil {
			return err
		}
		if changed == 0 { // none is left
			granted = 0
		}
		b.grant(k, used, granted)
	}
	db.quota.expect(b)
	return nil
}

// calls is how many calls of an agent are charged, with those that are reserved.
func (b *quotaBatch) calls(k quotaKey) int {
	n := len(b.charges[k])
	if f := b.refills[k]; f != nil {
		n += f.calls
	}
	return n
}

// grant gives the first calls of an agent what was granted, and its reserve the
// rest; used is the count then.
func (b *quotaBatch) grant(k quotaKey, used, granted int) {
	calls := b.charges[k]
	for i, call := range calls {
		call.granted = i < granted
		call.used = min(used, used-granted+i+1)
	}
	if f := b.refills[k]; f != nil {
		f.used, f.granted = used, max(0, granted-len(calls))
	}
}
