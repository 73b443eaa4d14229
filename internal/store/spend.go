package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
)

// quotaQueue collects the free calls that the next commit will charge. The
// calls of one agent are charged in one statement, however many they are.
type quotaQueue struct {
	mu   sync.Mutex
	next *quotaBatch // nil if no call is waiting
}

// quotaBatch is what one commit charges.
type quotaBatch struct {
	day     int64
	charges map[quotaKey][]*charge // in the order in which they came
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

// close lets later calls begin another batch.
func (q *quotaQueue) close(b *quotaBatch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == b {
		q.next = nil
	}
}

// Spend takes one free call of today if fewer than limit are used. It returns
// how many are used then, and whether the call was granted. The count is exact
// for any number of concurrent calls in any number of processes, and survives a
// crash of this one.
func (db *DB) Spend(ctx context.Context, c *Caller, limit int) (used int, ok bool, err error) {
	if err := ctx.Err(); err != nil || limit <= 0 {
		return 0, false, err
	}
	call, key, today := &charge{}, quotaKey{c.id, limit}, day(db.Now())
	db.quota.mu.Lock()
	b := db.quota.next
	first := b == nil || b.day != today
	if first {
		b = &quotaBatch{day: today, charges: map[quotaKey][]*charge{}, done: make(chan struct{})}
		db.quota.next = b
	}
	b.charges[key] = append(b.charges[key], call)
	db.quota.mu.Unlock()
	if first { // the first caller submits the batch; the others wait for it
		b.err = db.write(context.WithoutCancel(ctx), accounts, false, func(ctx context.Context, s *conn) error {
			db.quota.close(b) // later calls wait for the next commit
			return b.commit(ctx, s)
		})
		db.quota.close(b) // a transaction that cannot begin has not done so
		close(b.done)
	} else {
		<-b.done
	}
	if b.err == nil && !call.granted {
		c.exhaust(b.day, limit)
	}
	return call.used, call.granted, b.err
}

// commit grants as many calls as are left. One statement reads the count,
// compares it with the limit, and raises it: what other processes write at the
// same time cannot come in between. The rows are changed in order, so that the
// batches of two processes cannot deadlock.
func (b *quotaBatch) commit(ctx context.Context, s *conn) error {
	keys := slices.SortedFunc(maps.Keys(b.charges), func(a, b quotaKey) int {
		return cmp.Or(cmp.Compare(a.agent, b.agent), cmp.Compare(a.limit, b.limit))
	})
	keys, err := s.dialect.charge(ctx, s, b, keys)
	if err != nil {
		return err
	}
	for _, k := range keys {
		calls := b.charges[k]
		changed, err := affected(s.exec(ctx, `INSERT INTO usage (agent, day, used, granted) VALUES ($1, $2, $3, $3)
			ON CONFLICT (agent, day) DO UPDATE SET
				granted = CASE WHEN usage.used + $4 <= $5 THEN $4 ELSE $5 - usage.used END,
				used = CASE WHEN usage.used + $4 <= $5 THEN usage.used + $4 ELSE $5 END
			WHERE usage.used < $5`, k.agent, b.day, min(len(calls), k.limit), len(calls), k.limit))
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
	return nil
}

// grant gives the first calls of an agent what was granted; used is the count then.
func (b *quotaBatch) grant(k quotaKey, used, granted int) {
	for i, call := range b.charges[k] {
		call.granted = i < granted
		call.used = min(used, used-granted+i+1)
	}
}
