package store

import (
	"context"
	"time"
)

// reserve are free calls of an agent that this process has charged ahead: to the database they are used, and they are
// granted here without a write. Decision 35 says why, and what others are shown meanwhile.
//
// A key that is called again within growTicks gets a reserve, and each further statement doubles it, until it lasts
// longer than that. What is not used within reserveTicks is given back. A process that is killed gives nothing back.
type reserve struct {
	day   int64
	limit int
	used  int   // calls of that day with the reserved ones, when the database was asked last
	left  int   // calls that are reserved
	size  int   // how many the last statement was to reserve
	asked int64 // when that was, in ticks

	coming int // calls that a statement has reserved whose transaction is not settled

	refilled <-chan struct{} // closed at the end of the statement in progress; nil if there is none
}

const (
	// reserveShare is which part of the calls that are left to a key a process reserves at most.
	reserveShare = 100
	// maxReserve is how many calls of a key a process reserves at most.
	maxReserve = 1000

	growTicks    = int64(400 * time.Millisecond / followInterval)
	reserveTicks = int64(time.Second / followInterval)
)

// reservable reports whether calls of a quota are reserved at all, in some process.
func reservable(limit int) bool { return limit >= reserveShare }

// next returns how many calls are to be reserved by the next statement.
func (r *reserve) next(ticks int64) int {
	size := r.size
	if ticks-r.asked < growTicks {
		size = max(1, 2*size)
	}
	return min(size, maxReserve, (r.limit-r.used)/reserveShare)
}

// refill is what a batch reserves for an agent.
type refill struct {
	reserve *reserve
	calls   int // that are asked for

	used    int // of the day, then
	granted int
}

// agentDay names a row of usage.
type agentDay struct{ agent, day int64 }

// drop ends a reserve. What is left of it is given back with the next commit.
func (q *quotaQueue) drop(agent int64) {
	r := q.reserves[agent]
	delete(q.reserves, agent)
	q.giveBack(agent, r.day, r.left)
}

// giveBack has the next commit give calls back.
func (q *quotaQueue) giveBack(agent, day int64, calls int) {
	if calls == 0 {
		return
	}
	if q.unused == nil {
		q.unused = map[agentDay]int{}
	}
	q.unused[agentDay{agent, day}] += calls
}

// begin fixes what a batch charges, reserves and gives back: later calls join another one. It may be called again,
// when a transaction is tried again.
func (q *quotaQueue) begin(b *quotaBatch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == b {
		q.next = nil
	}
	for row, calls := range q.unused {
		if b.unused == nil {
			b.unused = map[agentDay]int{}
		}
		b.unused[row] += calls
	}
	q.unused = nil
	if b.refills != nil {
		return
	}
	b.refills = map[quotaKey]*refill{}
	for k := range b.charges {
		r := q.reserves[k.agent]
		if r == nil || r.day != b.day || r.limit != k.limit || r.refilled != nil {
			continue
		}
		if calls := r.next(q.ticks.Load()) - r.left; calls > 0 {
			r.refilled = b.done
			b.refills[k] = &refill{reserve: r, calls: calls}
		}
	}
}

// settle takes over what has become of a batch.
func (q *quotaQueue) settle(b *quotaBatch, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == b { // a transaction that cannot begin has not done so
		q.next = nil
	}
	if err != nil && !inDoubt(err) {
		for row, calls := range b.unused {
			q.giveBack(row.agent, row.day, calls)
		}
	}
	for k, f := range b.refills {
		r := f.reserve
		r.refilled, r.coming = nil, 0
		switch {
		case err != nil:
		case q.reserves[k.agent] != r: // it was dropped meanwhile
			q.giveBack(k.agent, b.day, f.granted)
		default:
			r.used, r.size, r.asked = f.used, r.left+f.granted, q.ticks.Load()
			r.left = r.size
		}
	}
	for k, calls := range b.charges {
		last := calls[len(calls)-1]
		if err != nil || b.refills[k] != nil || q.closed || !last.granted || !reservable(k.limit) {
			continue
		}
		if q.reserves == nil {
			q.reserves = map[int64]*reserve{}
		}
		if q.reserves[k.agent] == nil {
			q.reserves[k.agent] = &reserve{day: b.day, limit: k.limit}
		}
		r := q.reserves[k.agent]
		if r.day == b.day && r.limit == k.limit && r.left == 0 { // or another batch has settled before this one
			r.used, r.asked = last.used, q.ticks.Load()
		}
	}
}

// expect notes what the transaction of a batch has reserved: from here on the writer sees it in the database.
func (q *quotaQueue) expect(b *quotaBatch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, f := range b.refills {
		f.reserve.coming = f.granted
	}
}

// expire drops the reserves that have ended, or all of them for good. It reports whether there is something to give
// back.
func (q *quotaQueue) expire(today int64, all bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = q.closed || all
	now := q.ticks.Load()
	for agent, r := range q.reserves {
		if all || r.day != today || r.refilled == nil && now-r.asked >= reserveTicks {
			q.drop(agent)
		}
	}
	return len(q.unused) > 0
}

// unusedOf returns how many calls of an agent on a day are charged, but not used: by this process, as the writer sees
// the database.
func (q *quotaQueue) unusedOf(agent, day int64) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.unused[agentDay{agent, day}]
	if r := q.reserves[agent]; r != nil && r.day == day {
		n += r.left + r.coming
	}
	return n
}

// usedOf returns how many calls of a day an agent has used, of those that the database had counted a moment ago. If
// calls were reserved since, it is what this process knew before.
func (q *quotaQueue) usedOf(agent, day int64, counted int) int {
	used := counted - q.unusedOf(agent, day)
	q.mu.Lock()
	defer q.mu.Unlock()
	if r := q.reserves[agent]; r != nil && r.day == day {
		return max(used, r.used-r.left)
	}
	return max(used, 0)
}

// returnCalls gives back what was reserved and is not used any more. With all it ends the reserves for good.
func (db *DB) returnCalls(ctx context.Context, s *conn, all bool) {
	if !db.quota.expire(day(db.Now()), all) {
		return
	}
	b := &quotaBatch{}
	err := db.transact(ctx, s, accounts, false, func() error { return db.charge(ctx, s, b) })
	db.quota.settle(b, err) // after an error the next tick tries again
}
