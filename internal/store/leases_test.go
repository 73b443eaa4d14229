package store

import (
	"context"
	"sync"
	"testing"
	"time"
)

// leaseOf reads the lease of a claim from the database.
func leaseOf(t *testing.T, db *DB, c *Claim) (l lease) {
	t.Helper()
	err := db.read(t.Context(), primary, func(s *conn) error {
		return s.row(t.Context(), "SELECT lease_token, lease_until FROM claim WHERE id = $1",
			[]any{c.ID[:]}, &l.token, &l.until)
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// renew renews the leases of a process at once, rather than with the next tick.
func renew(db *DB) {
	s := <-db.readers
	db.renewLeases(context.Background(), s)
	db.readers <- s
}

func TestOfManyProcessesOneTakesALeaseOver(t *testing.T) {
	all, clock := handles(t, 4)
	dead := claims(t, all[3], claimOf(1, 1), Acquired)
	all[3].Unlock(dead) // as after a crash, it is not renewed
	clock.sleep(leaseTTL - time.Microsecond)
	claims(t, all[0], claimOf(1, 1), InProgress)
	clock.sleep(time.Microsecond)
	var mu sync.Mutex
	results := map[ClaimResult]int{}
	var group sync.WaitGroup
	for i := range 3 * 16 {
		group.Go(func() {
			result, err := all[i%3].Claim(t.Context(), claimOf(1, 1), i%2 == 0)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			results[result]++
			mu.Unlock()
		})
	}
	group.Wait()
	equal(t, "results", results, map[ClaimResult]int{Acquired: 1, InProgress: 47})
}

func TestAnOldHolderOfALeaseChangesNothing(t *testing.T) {
	all, clock := handles(t, 2)
	a, b := all[0], all[1]
	crash := func(c *Claim) { // before what c has was sent
		a.Unlock(c)
		clock.sleep(leaseTTL)
	}
	old := claims(t, a, claimOf(1, 1), Acquired)
	crash(old)
	current := claimOf(1, 1)
	result, err := b.Claim(t.Context(), current, false) // at the very end of the lease
	equal(t, "taken over", []any{result, err}, []any{Acquired, nil})
	lost := leaseOf(t, b, current)
	clock.sleep(time.Second)

	a.leases.add(old.ID, lease{token: old.token, until: a.leaseNow()})
	renew(a)
	equal(t, "renewed", leaseOf(t, b, current), lost)
	a.Unlock(old)

	equal(t, "sent by the old holder", settle(t, a, old), false)
	do(t, a.Release(t.Context(), old))
	do(t, a.Postpone(t.Context(), old, time.Minute))
	equal(t, "lease before it is sent", leaseOf(t, b, current), lost)
	current.Answer = []byte("answer")
	equal(t, "sent by the new holder", settle(t, b, current), true)

	do(t, a.Release(t.Context(), old))
	do(t, a.Postpone(t.Context(), old, time.Minute))
	equal(t, "lease after it was sent", leaseOf(t, b, current), lost)

	// In the same microsecond, so that the time tells nobody apart.
	do(t, b.Postpone(t.Context(), current, 0))
	b.Unlock(current)
	resumed := claims(t, a, claimOf(1, 1), Resumed)
	do(t, b.Postpone(t.Context(), current, 0))
	do(t, b.Release(t.Context(), current))
	claims(t, b, claimOf(1, 1), InProgress)

	// That money was moved is true whoever says so, and once it is recorded nothing changes it.
	fail := func(err error) { t.Error(err) }
	current.Transaction = "0xabc"
	b.Settled(t.Context(), current, fail)
	if got := claims(t, b, claimOf(1, 1), Replayed); string(got.Answer) != "answer" || got.Transaction != "0xabc" {
		t.Errorf("settled: %+v", got)
	}
	a.Settled(t.Context(), resumed, fail)
	do(t, a.Postpone(t.Context(), resumed, time.Minute))
	do(t, a.Release(t.Context(), resumed))
	if got := claims(t, a, claimOf(1, 1), Replayed); got.Transaction != "0xabc" {
		t.Errorf("settled again: %+v", got)
	}
}

func TestALeaseIsRenewedWhileItsHolderLives(t *testing.T) {
	all, clock := handles(t, 2)
	c := claims(t, all[0], claimOf(1, 1), Acquired)
	for range 5 {
		clock.sleep(leaseTTL * 3 / 4)
		renew(all[0])
		equal(t, "to be renewed again", len(all[0].leases.ending(all[0].leaseNow())), 0)
		equal(t, "ends", leaseOf(t, all[0], c).until, all[0].leaseNow()+leaseTTL.Microseconds())
	}
	claims(t, all[1], claimOf(1, 1), InProgress)
	settle(t, all[0], c)
	do(t, all[0].Postpone(t.Context(), c, 0))
	clock.sleep(leaseTTL)
	renew(all[0])
	equal(t, "after it was given up", leaseOf(t, all[0], c).until, 0)
}

func TestAPaymentHasOneHolderInAProcessThatCouldNotRenewItsLease(t *testing.T) {
	all, clock := handles(t, 1)
	claims(t, all[0], claimOf(1, 1), Acquired)
	clock.sleep(leaseTTL)
	claims(t, all[0], claimOf(1, 1), InProgress)
}

func TestARenewalThatWaitsStopsNobody(t *testing.T) {
	all, clock := handles(t, 2)
	c := claims(t, all[0], claimOf(1, 1), Acquired)
	clock.sleep(leaseTTL * 3 / 4)
	err := all[1].write(t.Context(), accounts, false, func(ctx context.Context, s *conn) error {
		if _, err := s.exec(ctx, "UPDATE claim SET updated = updated"); err != nil {
			return err
		}
		done := make(chan struct{})
		go func() { renew(all[0]); close(done) }() // it waits for this write
		for range 20 {
			time.Sleep(time.Millisecond) // until it does
			all[0].leases.heldHere(c.ID)
		}
		select {
		case <-done:
			t.Error("the leases of a process could not be read while they were renewed")
		default:
		}
		return nil
	})
	do(t, err)
}
