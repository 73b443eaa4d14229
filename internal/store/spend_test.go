package store

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"
)

// caller creates a key with the server's quota and returns its caller.
func caller(t *testing.T, db *DB) *Caller {
	t.Helper()
	made, err := db.CreateKey(t.Context(), nil, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Caller(t.Context(), made.Key)
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	return c
}

func spend(t *testing.T, db *DB, c *Caller, limit int) (used int, ok bool) {
	t.Helper()
	used, ok, err := db.Spend(context.Background(), c, limit)
	if err != nil {
		t.Error(err)
	}
	return used, ok
}

func TestTheQuotaIsExactAcrossProcesses(t *testing.T) {
	all, _ := handles(t, 3)
	c := caller(t, all[0])
	const limit = 100
	var mu sync.Mutex
	var counts []int
	var group sync.WaitGroup
	for i := range 3 * 16 {
		group.Go(func() {
			for range 5 {
				if used, ok := spend(t, all[i%3], c, limit); ok {
					mu.Lock()
					counts = append(counts, used)
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	slices.Sort(counts)
	var want []int
	for n := range limit {
		want = append(want, n+1)
	}
	equal(t, "each count is granted once", counts, want)
	used, ok := spend(t, all[1], c, limit)
	equal(t, "the next", []any{used, ok}, []any{limit, false})
	used, ok = spend(t, all[2], c, limit+1)
	equal(t, "with one more", []any{used, ok}, []any{limit + 1, true})
	used, ok = spend(t, all[2], c, limit/2)
	equal(t, "with a lower limit than was used", []any{used, ok}, []any{limit + 1, false})
}

// TestTheQuotaOfManyKeysIsExactAcrossProcesses: commits charge the calls of several keys together.
func TestTheQuotaOfManyKeysIsExactAcrossProcesses(t *testing.T) {
	all, _ := handles(t, 3)
	const keys, limit = 12, 9
	callers := make([]*Caller, keys)
	for i := range callers {
		callers[i] = caller(t, all[0])
	}
	var mu sync.Mutex
	counts := make([][]int, keys)
	var group sync.WaitGroup
	for i := range 3 * keys * 4 {
		group.Go(func() {
			for n := range 4 {
				k := (i + n) % keys
				if used, ok := spend(t, all[i%3], callers[k], limit); ok {
					mu.Lock()
					counts[k] = append(counts[k], used)
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	for k := range counts {
		slices.Sort(counts[k])
		equal(t, "each count is granted once", counts[k], []int{1, 2, 3, 4, 5, 6, 7, 8, 9})
	}
}

func TestOneCommitGrantsWhatIsLeft(t *testing.T) {
	all, _ := handles(t, 1)
	db := all[0]
	c, other := caller(t, db), caller(t, db)
	spend(t, db, c, 10)
	few, more, others := make([]*charge, 4), make([]*charge, 4), make([]*charge, 3)
	for _, calls := range [][]*charge{few, more, others} {
		for i := range calls {
			calls[i] = &charge{}
		}
	}
	b := &quotaBatch{day: day(db.Now()), charges: map[quotaKey][]*charge{
		{c.id, 6}: more, {c.id, 3}: few, {other.id, 2}: others,
	}}
	for range 2 { // a failed commit is run again, with other results
		if err := db.write(t.Context(), accounts, false, func(ctx context.Context, s *conn) error {
			return db.charge(ctx, s, b)
		}); err != nil {
			t.Fatal(err)
		}
		show := func(calls []*charge) (shown []any) {
			for _, call := range calls {
				shown = append(shown, call.used, call.granted)
			}
			return shown
		}
		if few[0].granted {
			equal(t, "limit 3", show(few), []any{2, true, 3, true, 3, false, 3, false})
			equal(t, "limit 6", show(more), []any{4, true, 5, true, 6, true, 6, false})
			equal(t, "another agent", show(others), []any{1, true, 2, true, 2, false})
			continue
		}
		equal(t, "again, limit 3", show(few), []any{6, false, 6, false, 6, false, 6, false})
		equal(t, "again, limit 6", show(more), []any{6, false, 6, false, 6, false, 6, false})
		equal(t, "again, another agent", show(others), []any{2, false, 2, false, 2, false})
	}
	equal(t, "none is granted again", few[0].granted, false)
}

func TestNoMoreCallsAreInProgressThanAreLeft(t *testing.T) {
	all, clock := handles(t, 1)
	db := all[0]
	c := caller(t, db)
	begin := func() bool { return db.Begin(c, 3) }
	equal(t, "three of three", []bool{begin(), begin(), begin(), begin()}, []bool{true, true, true, false})
	c.End(false)
	equal(t, "one was not charged", []bool{begin(), begin()}, []bool{true, false})
	_, ok := spend(t, db, c, 3)
	c.End(ok)
	equal(t, "one was charged", []any{begin(), db.Used(c)}, []any{false, 1})
	c.End(false)
	c.End(false)
	equal(t, "two are left", []bool{begin(), begin(), begin()}, []bool{true, true, false})
	clock.sleep(12 * time.Hour) // midnight
	equal(t, "two are in progress, none is used", []any{begin(), begin(), db.Used(c)}, []any{true, false, 0})
}

func TestARefusedCallerIsExhaustedUntilMidnight(t *testing.T) {
	all, clock := handles(t, 2)
	here, there := all[0], all[1]
	c := caller(t, here)
	for range 2 {
		spend(t, there, c, 2)
	}
	equal(t, "admitted, since nothing is known", here.Begin(c, 2), true)
	_, ok := spend(t, here, c, 2)
	c.End(ok)
	equal(t, "refused, then not admitted", []bool{ok, here.Begin(c, 2)}, []bool{false, false})
	equal(t, "used", here.Used(c), 2)
	clock.sleep(12 * time.Hour)
	equal(t, "tomorrow", here.Begin(c, 2), true)
	c.learn(day(here.Now())-1, 2, &charge{}, 0)
	equal(t, "a late refusal of yesterday", here.Used(c), 0)
	_, ok = spend(t, here, c, 2)
	equal(t, "charged", ok, true)
}

func TestACallAfterMidnightIsNotChargedToTheDayBefore(t *testing.T) {
	all, _ := handles(t, 1)
	db := all[0]
	c := caller(t, db)
	waiting := &quotaBatch{day: day(db.Now()) - 1, charges: map[quotaKey][]*charge{}, done: make(chan struct{})}
	close(waiting.done)
	db.quota.next = waiting // from before midnight, its commit is still to come
	used, ok := spend(t, db, c, 10)
	equal(t, "after midnight", []any{used, ok}, []any{1, true})
	equal(t, "before midnight", len(waiting.charges), 0)
}

func TestAChargeThatFailedDoesNotStopTheNext(t *testing.T) {
	s := fresh(t)
	c := s.agent(t)
	charge := func() (err error) { _, _, err = s.Spend(t.Context(), c, 10); return err }
	for n := range 4 { // the beginning of the transaction, its statements, its end
		equal(t, "failed", s.sabotage(t, n+1, func() {
			if charge() == nil {
				t.Errorf("statement %d: it was charged", n+1)
			}
		}), true)
		if err := charge(); err != nil {
			t.Errorf("after statement %d had failed: %v", n+1, err)
		}
	}

	equal(t, "charged", count(t, s.DB, "usage", "used = 4"), 1)
}

// TestCallsThatAreGivenBackWhileATransactionIsTriedAgainAreAddedToIt, and wait for another one if it fails.
func TestCallsThatAreGivenBackWhileATransactionIsTriedAgainAreAddedToIt(t *testing.T) {
	var q quotaQueue
	b := &quotaBatch{}
	for _, calls := range []int{3, 4} {
		q.giveBack(1, 5, calls)
		q.begin(b)
	}
	equal(t, "given back", []any{b.unused, q.unusedOf(1, 5)}, []any{map[agentDay]int{{1, 5}: 7}, 0})
	q.giveBack(1, 5, 2)
	q.settle(b, errClosed)
	equal(t, "waiting", q.unusedOf(1, 5), 9)
}

// TestCallsOfOneAgentUnderTwoLimitsMayShareACommit: the quota has just been changed.
func TestCallsOfOneAgentUnderTwoLimitsMayShareACommit(t *testing.T) {
	s := fresh(t)
	c := s.agent(t)
	spend(t, s.DB, c, 10)
	calls := []*charge{{}, {}, {}}
	b := &quotaBatch{day: day(s.Now()), charges: map[quotaKey][]*charge{
		{c.id, 10}: calls[:1], {c.id, 20}: calls[1:2], {s.agent(t).id, 10}: calls[2:]}}
	do(t, s.write(t.Context(), accounts, false, func(ctx context.Context, w *conn) error { return s.charge(ctx, w, b) }))
	equal(t, "granted", []charge{*calls[0], *calls[1], *calls[2]}, []charge{{2, true}, {3, true}, {1, true}})
	equal(t, "charged", charged(t, s.DB, c, b.day), 3)
}
