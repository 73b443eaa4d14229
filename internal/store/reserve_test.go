package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// charged returns how many calls of a day the database has counted.
func charged(t *testing.T, db *DB, c *Caller, day int64) (used int) {
	t.Helper()
	do(t, db.read(t.Context(), primary, func(s *conn) error {
		return s.row(t.Context(), "SELECT coalesce(max(used), 0) FROM usage WHERE agent = $1 AND day = $2",
			[]any{c.id, day}, &used)
	}))
	return used
}

// reserves makes calls until the process holds some ahead, and returns how many it has made.
func reserves(t *testing.T, db *DB, c *Caller, limit int) (made int) {
	t.Helper()
	eventually(t, "calls are reserved", func() bool {
		for range 20 {
			if _, ok := spend(t, db, c, limit); !ok {
				t.Fatal("a call was refused")
			}
			made++
		}
		return db.quota.unusedOf(c.id, day(db.Now())) > 2
	})
	return made
}

func TestCallsOfALargeQuotaAreChargedAhead(t *testing.T) {
	s := fresh(t)
	c := s.agent(t)
	var writes atomic.Int64
	do(t, s.write(t.Context(), accounts, false, func(context.Context, *conn) error { // nothing else is written meanwhile
		s.writes = func(bool) { writes.Add(1) }
		return nil
	}))
	const calls = 4000
	for n := range calls {
		used, ok := spend(t, s.DB, c, 1_000_000)
		equal(t, "used", []any{used, ok}, []any{n + 1, true})
	}
	if n := writes.Load(); n > calls/4 {
		t.Errorf("%d transactions for %d calls", n, calls)
	}
}

func TestALargeQuotaIsNeverExceededAndAllOfItIsGrantedInTheEnd(t *testing.T) {
	all, _ := handles(t, 3)
	c := caller(t, all[0])
	const limit = 3000
	var granted atomic.Int64
	var group sync.WaitGroup
	for i := range 3 * 16 {
		db := all[i%3]
		group.Go(func() {
			for refused := 0; refused < 3; {
				if rand.IntN(100) == 0 {
					db.callers.invalidate() // as a change of keys does
				}
				if _, ok := spend(t, db, c, limit); ok {
					granted.Add(1)
				} else {
					refused++
				}
			}
		})
	}
	group.Wait()
	if n := granted.Load(); n > limit || n < limit-3*limit/reserveShare {
		t.Fatalf("%d of %d were granted", n, limit)
	}
	eventually(t, "the rest is granted", func() bool {
		for _, db := range all {
			if _, ok := spend(t, db, c, limit); ok {
				granted.Add(1)
			}
		}
		return granted.Load() >= limit
	})
	for _, db := range all {
		_, ok := spend(t, db, c, limit)
		equal(t, "one more", ok, false)
	}
	equal(t, "granted", granted.Load(), int64(limit))
	equal(t, "charged", charged(t, all[0], c, day(all[0].Now())), limit)
}

// TestAProcessTakesAtMostAHundredthOfAQuotaWithIt: what is charged and not used is lost if the process is killed now.
func TestAProcessTakesAtMostAHundredthOfAQuotaWithIt(t *testing.T) {
	all, _ := handles(t, 2)
	here, there := all[0], all[1]
	for _, limit := range []int{10, 99, 100, 1000, 20_000} {
		c := caller(t, here)
		for n := range min(limit, 2000) {
			if _, ok := spend(t, here, c, limit); !ok {
				t.Fatalf("call %d of %d was refused", n, limit)
			}
			if n%5 > 0 && limit > 100 {
				continue
			}
			made, ahead := n+1, (limit-n)/reserveShare
			if used := charged(t, there, c, day(there.Now())); used < made || used > made+ahead {
				t.Fatalf("%d of %d calls were made, %d charged", made, limit, used)
			}
		}
	}
}

func TestReservedCallsAreGivenBackWhenTheKeyIsIdle(t *testing.T) {
	all, _ := handles(t, 2)
	here, there := all[0], all[1]
	c, today := caller(t, here), day(here.Now())
	made := reserves(t, here, c, 100_000)
	eventually(t, "charged is what was used", func() bool { return charged(t, there, c, today) == made })
	used, ok := spend(t, there, c, 100_000)
	equal(t, "in another process", []any{used, ok}, []any{made + 1, true})
}

func TestReservedCallsAreGivenBackWhenAProcessEnds(t *testing.T) {
	all, _ := handles(t, 2)
	here, there := all[0], all[1]
	c := caller(t, here)
	made := reserves(t, here, c, 100_000)
	do(t, here.Close())
	equal(t, "charged", charged(t, there, c, day(there.Now())), made)
	_, _, err := here.Spend(context.Background(), c, 100_000)
	equal(t, "nothing is granted by a closed database", errors.Is(err, errClosed), true)
}

// TestCallsThatAreReservedWhileTheStoreClosesAreGivenBack: the statement has begun before.
func TestCallsThatAreReservedWhileTheStoreClosesAreGivenBack(t *testing.T) {
	all, _ := handles(t, 2)
	here, there := all[0], all[1]
	c := caller(t, here)
	made := reserves(t, here, c, 100_000)
	charging, closing := make(chan struct{}), make(chan struct{})
	do(t, here.write(t.Context(), accounts, false, func(_ context.Context, s *conn) error {
		var once sync.Once
		s.ran = func(query string) error {
			if strings.HasPrefix(query, "INSERT INTO usage") {
				once.Do(func() { close(charging); <-closing })
			}
			return nil
		}
		return nil
	}))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if _, ok, err := here.Spend(context.Background(), c, 100_000); err != nil || !ok {
				return
			}
			made++
		}
	}()
	<-charging
	go func() { <-here.closed; close(closing) }()
	do(t, here.Close())
	<-ended
	equal(t, "charged", charged(t, there, c, day(there.Now())), made)
}

// TestCallsThatAreReservedForAReserveThatHasEndedAreGivenBack: the quota changes while the statement runs.
func TestCallsThatAreReservedForAReserveThatHasEndedAreGivenBack(t *testing.T) {
	s := fresh(t)
	c, today := s.agent(t), day(s.Now())
	made := reserves(t, s.DB, c, 100_000)
	refilled := func() (exists, refilled bool) {
		s.quota.mu.Lock()
		defer s.quota.mu.Unlock()
		r := s.quota.reserves[c.id]
		return r != nil, r != nil && r.refilled != nil
	}
	charging, ended := make(chan struct{}), make(chan struct{})
	var once sync.Once
	do(t, s.write(t.Context(), accounts, false, func(_ context.Context, w *conn) error {
		w.ran = func(query string) error {
			if _, now := refilled(); now && strings.HasPrefix(query, "INSERT INTO usage") {
				once.Do(func() { close(charging); <-ended })
			}
			return nil
		}
		return nil
	}))
	var calls sync.WaitGroup
	calls.Go(func() {
		for begun := false; !begun; {
			spend(t, s.DB, c, 100_000)
			made++
			select {
			case <-charging:
				begun = true
			default:
			}
		}
	})
	<-charging
	calls.Go(func() { spend(t, s.DB, c, 90_000) })
	eventually(t, "the reserve has ended", func() bool { exists, _ := refilled(); return !exists })
	close(ended)
	calls.Wait()
	made++
	eventually(t, "charged is what was used", func() bool { return charged(t, s.DB, c, today) == made })
}

func TestReservedCallsAreOfTheirDay(t *testing.T) {
	all, clock := handles(t, 2)
	here, there := all[0], all[1]
	c, today := caller(t, here), day(here.Now())
	made := reserves(t, here, c, 100_000)
	clock.sleep(12 * time.Hour)
	used, ok := spend(t, here, c, 100_000)
	equal(t, "the first of the next day", []any{used, ok}, []any{1, true})
	eventually(t, "the rest of yesterday is given back", func() bool { return charged(t, there, c, today) == made })
	equal(t, "of today", charged(t, there, c, today+1), 1)
}

// TestCallsAreNotGivenBackToAnotherRow: the one of a day to come was deleted when the clock was put right.
func TestCallsAreNotGivenBackToAnotherRow(t *testing.T) {
	s := fresh(t)
	c, today := s.agent(t), day(s.Now())
	reserves(t, s.DB, c, 100_000)
	write := func(do func(ctx context.Context, w *conn) error) error {
		return s.write(t.Context(), accounts, false, do)
	}
	do(t, write(func(ctx context.Context, w *conn) error {
		_, err := w.exec(ctx, "UPDATE usage SET used = 2, granted = 1 WHERE agent = $1", c.id)
		return err
	}))
	eventually(t, "they are to be given back", func() bool { return s.quota.unusedOf(c.id, today) == 0 })
	do(t, write(func(context.Context, *conn) error { return nil })) // behind it
	equal(t, "charged", charged(t, s.DB, c, today), 2)
}

func TestABanEndsReservedCalls(t *testing.T) {
	s := fresh(t)
	made, err := s.CreateKey(t.Context(), nil, "", nil)
	do(t, err)
	c, err := s.Caller(t.Context(), made.Key)
	do(t, err)
	calls := reserves(t, s.DB, c, 100_000)
	_, err = s.Ban(t.Context(), Operator{}, made.Agent.ID)
	do(t, err)
	if again, err := s.Caller(t.Context(), made.Key); err == nil {
		t.Errorf("%v may call", again.Agent)
	}
	eventually(t, "they are given back", func() bool { return charged(t, s.DB, c, day(s.Now())) == calls })
}

func TestAQuotaThatChangesIsExactAtOnce(t *testing.T) {
	all, _ := handles(t, 1)
	db := all[0]
	c := caller(t, db)
	made := reserves(t, db, c, 100_000)
	for n := range 3 {
		used, ok := spend(t, db, c, made+3)
		equal(t, "of three more", []any{used, ok}, []any{made + n + 1, true})
	}
	_, ok := spend(t, db, c, made+3)
	equal(t, "the fourth", ok, false)
}

// try makes a call as the API does, and reports whether it was granted.
func try(t *testing.T, db *DB, c *Caller, limit int) bool {
	t.Helper()
	if !db.Begin(c, limit) {
		return false
	}
	_, ok := spend(t, db, c, limit)
	c.End(ok)
	return ok
}

// TestCallsThatOthersGiveBackAreFound: a process that was told that a quota is used up asks again.
func TestCallsThatOthersGiveBackAreFound(t *testing.T) {
	all, _ := handles(t, 2)
	here, there := all[0], all[1]
	c := caller(t, here)
	theirs, err := there.callerOf(t.Context(), c.key)
	do(t, err)
	const limit = 2000
	made := reserves(t, here, c, limit)
	for try(t, there, theirs, limit) {
		made++
	}
	eventually(t, "the others are granted", func() bool {
		if try(t, there, theirs, limit) {
			made++
		}
		return made >= limit
	})
	equal(t, "granted", []any{made, there.Used(theirs)}, []any{limit, limit})
	equal(t, "charged", charged(t, here, c, day(here.Now())), limit)
}

// TestASmallerQuotaIsGrantedInTheEnd: another process had reserved calls under the larger one before.
func TestASmallerQuotaIsGrantedInTheEnd(t *testing.T) {
	all, _ := handles(t, 2)
	here, there := all[0], all[1]
	c := caller(t, here)
	made := reserves(t, here, c, 100_000)
	theirs, err := there.callerOf(t.Context(), c.key)
	do(t, err)
	eventually(t, "the last one is granted", func() bool { return try(t, there, theirs, made+1) })
	for range 3 {
		equal(t, "one more", try(t, there, theirs, made+1), false)
	}
	equal(t, "charged", charged(t, here, c, day(here.Now())), made+1)
}

func TestAnAgentSeesTheCallsThatItHasMade(t *testing.T) {
	s := fresh(t)
	c := s.agent(t)
	for n := range 200 {
		used, _ := spend(t, s.DB, c, 100_000)
		account, err := s.Account(t.Context(), c.Agent)
		do(t, err)
		equal(t, "shown", []int{used, account.Used, account.Calls}, []int{n + 1, n + 1, n + 1})
		if n%50 == 0 {
			s.callers.invalidate()
		}
	}
}

// TestAnAgentThatGoesOnCallingIsShownNoMoreAndNoFewerCalls than it has made: a reserve is charged at any moment.
func TestAnAgentThatGoesOnCallingIsShownNoMoreAndNoFewerCalls(t *testing.T) {
	s := fresh(t)
	made, err := s.CreateKey(t.Context(), nil, "", nil)
	do(t, err)
	c, err := s.Caller(t.Context(), made.Key)
	do(t, err)
	var begun, ended atomic.Int64
	var stop atomic.Bool
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for !stop.Load() {
				begun.Add(1)
				spend(t, s.DB, c, 1_000_000_000)
				ended.Add(1)
			}
		})
	}
	for range volume(2000, 200) {
		before := int(ended.Load())
		account, err := s.Account(t.Context(), c.Agent)
		do(t, err)
		if n := int(begun.Load()); account.Used < before || account.Used > n {
			t.Errorf("of %d to %d calls, %d are shown", before, n, account.Used)
		}
		s.callers.invalidate()
		before = int(ended.Load())
		again, err := s.Caller(t.Context(), made.Key)
		do(t, err)
		if n := int(begun.Load()); s.Used(again) < before || s.Used(again) > n {
			t.Errorf("of %d to %d calls, %d are known", before, n, s.Used(again))
		}
	}
	stop.Store(true)
	group.Wait()
}

func TestCallsThatCouldNotBeGivenBackAreLater(t *testing.T) {
	s := fresh(t)
	c := s.agent(t)
	made := 0
	for n := range 3 { // the beginning of the transaction, the statement, its end
		made += reserves(t, s.DB, c, 100_000)
		failed := s.sabotage(t, n+1, func() {
			end := s.quota.ticks.Load() + 2*reserveTicks
			eventually(t, "they are to be given back", func() bool { return s.quota.ticks.Load() >= end })
		})
		equal(t, "statement failed", failed, true)
		eventually(t, "later", func() bool { return charged(t, s.DB, c, day(s.Now())) == made })
	}
}
