package store

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func claimOf(id, request byte) *Claim {
	return &Claim{
		ID:      [32]byte{id},
		Request: [32]byte{request},
		PaymentTerms: PaymentTerms{
			Operation: "screenAddress",
			Network:   "eip155:8453",
			Asset:     "0xa",
			Amount:    10_000,
			Payer:     "0xb",
			PayTo:     "0xc",
		},
		Payment: []byte("order"),
	}
}

// claims claims a payment on one of two databases that are one file.
func claims(t *testing.T, db *DB, c *Claim, want ClaimResult) *Claim {
	t.Helper()
	if got, err := db.Claim(t.Context(), c, true); err != nil || got != want {
		t.Errorf("claim %d for %d: got %d, %v, want %d", c.ID[0], c.Request[0], got, err, want)
	}
	return c
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func settle(t *testing.T, db *DB, c *Claim) bool {
	t.Helper()
	held, err := db.BeginSettlement(t.Context(), c)
	do(t, err)
	return held
}

func TestAPaymentIsHeldByOneInWhicheverProcess(t *testing.T) {
	a := fresh(t)
	b := open(t, a.path, a.ahead)
	var held atomic.Int32
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			result, err := []*DB{a.DB, b}[i%2].Claim(t.Context(), claimOf(1, byte(i%4)), true)
			if err != nil {
				t.Error(err)
			}
			if result == Acquired {
				held.Add(1)
			}
		})
	}
	all.Wait()
	if held.Load() != 1 {
		t.Errorf("%d hold it", held.Load())
	}
	if result, err := a.Claim(t.Context(), claimOf(9, 1), false); result != Unknown || err != nil {
		t.Errorf("a payment that may not begin: %d, %v", result, err)
	}
}

func TestAPaymentIsFreeUntilItIsSent(t *testing.T) {
	s := fresh(t)
	c := claims(t, s.DB, claimOf(1, 1), Acquired)
	claims(t, s.DB, claimOf(1, 1), InProgress)
	claims(t, s.DB, claimOf(1, 2), UsedElsewhere)
	do(t, s.Release(t.Context(), c))
	s.Unlock(c)
	other := open(t, s.path, s.ahead)
	dead := claims(t, other, claimOf(1, 1), Acquired)
	s.sleep(leaseTTL * 3 / 4)
	eventually(t, "the lease is renewed", func() bool { return len(other.leases.ending(other.leaseNow())) == 0 })
	s.sleep(leaseTTL * 3 / 4)
	claims(t, s.DB, claimOf(1, 1), InProgress) // whoever holds it lives
	do(t, other.Close())
	s.sleep(2 * leaseTTL)
	c = claims(t, s.DB, claimOf(1, 1), Acquired)
	c.Answer = []byte("answer")
	if settle(t, s.DB, dead) {
		t.Error("it is sent by who held it no longer")
	}
	do(t, s.Release(t.Context(), dead))
	if !settle(t, s.DB, c) {
		t.Error("it cannot be sent by who holds it")
	}
}

func TestAPaymentThatWasSentIsNotFreeUntilItsEndIsKnown(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path, s.ahead)
	c := claims(t, other, claimOf(1, 1), Acquired)
	c.Answer = []byte("answer")
	settle(t, other, c)
	claims(t, s.DB, claimOf(1, 1), InProgress)
	due := func(n int) []*Claim {
		t.Helper()
		list, err := s.DueClaims(t.Context(), 10)
		if err != nil || len(list) != n {
			t.Fatalf("%d are due, %v, want %d", len(list), err, n)
		}
		return list
	}
	due(0)
	do(t, other.Close()) // as if it were killed
	s.sleep(2 * leaseTTL)
	claims(t, s.DB, claimOf(1, 2), UsedElsewhere)
	resumed := claims(t, s.DB, due(1)[0], Resumed)
	if string(resumed.Payment) != "order" || string(resumed.Answer) != "answer" || resumed.Tries != 2 {
		t.Errorf("resumed: %+v", resumed)
	}
	resumed.Reason, resumed.Transaction = "settlement_pending", "0xabc"
	do(t, s.Postpone(t.Context(), resumed, time.Hour))
	s.Unlock(resumed)
	due(0)
	do(t, s.Release(t.Context(), c)) // by who held it before
	again := claims(t, s.DB, claimOf(1, 1), Resumed)
	if again.Tries != 3 || again.Reason != "settlement_pending" || again.Transaction != "0xabc" {
		t.Errorf("again: %+v", again)
	}
	s.Settled(t.Context(), again, func(err error) { t.Error(err) })
	if got := claims(t, s.DB, claimOf(1, 1), Replayed); string(got.Answer) != "answer" || got.Transaction != "0xabc" {
		t.Errorf("answered: %+v", got)
	}
	claims(t, s.DB, claimOf(1, 2), UsedElsewhere)
	s.sleep(70 * time.Hour) // it took several settlements, so its payer may come late
	do(t, s.PruneClaims(t.Context()))
	claims(t, s.DB, claimOf(1, 1), Replayed)
	s.sleep(2 * time.Hour)
	do(t, s.PruneClaims(t.Context()))
	claims(t, s.DB, claimOf(1, 1), UsedElsewhere)
}

func TestWhatADeadHolderLeftBehind(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path, s.ahead)
	named := func(id byte) *Claim {
		c := claimOf(id, 1)
		c.Identifier = "a-name-of-its-own"
		return c
	}
	claims(t, other, named(1), Acquired)
	claims(t, s.DB, named(2), IdentifierReused)
	do(t, other.Close()) // as if it were killed
	s.sleep(2 * leaseTTL)
	claims(t, s.DB, claimOf(1, 2), UsedElsewhere) // it may have been sent, for another request
	resigned := claimOf(1, 1)
	resigned.Payload[0] = 1
	claims(t, s.DB, resigned, UsedElsewhere)
	late := claimOf(1, 1)
	if result, err := s.Claim(t.Context(), late, false); result != Acquired || err != nil || !late.MayHaveBeenSent || string(late.Payment) != "order" {
		t.Errorf("too late to begin: %d, %v, %+v", result, err, late)
	}
	s.Unlock(late)
	s.sleep(2 * leaseTTL)
	if c := claims(t, s.DB, named(1), Acquired); !c.MayHaveBeenSent {
		t.Error("whoever died may have sent it")
	} else {
		do(t, s.Release(t.Context(), c))
		s.Unlock(c)
	}
	if c := claims(t, s.DB, named(2), Acquired); c.MayHaveBeenSent {
		t.Error("nobody has sent it")
	}
}

func TestWhatWasTakenIsAddedUpByDay(t *testing.T) {
	s := fresh(t)
	start := s.Now()
	for i := range byte(5) {
		c := claims(t, s.DB, claimOf(i, i), Acquired)
		if i < 3 {
			settle(t, s.DB, c)
		}
		if i < 2 {
			s.Settled(t.Context(), c, func(err error) { t.Error(err) })
		}
	}
	s.sleep(24 * time.Hour)
	c := claims(t, s.DB, claimOf(6, 6), Acquired)
	settle(t, s.DB, c)
	s.Settled(t.Context(), c, func(err error) { t.Error(err) })
	claims(t, s.DB, claimOf(6, 6), UsedElsewhere) // behind what nobody waited for
	states := ""
	takings, err := s.Payments(t.Context(), start, func(p Payment) error { states += p.State + " "; return nil })
	if err != nil || states != "settled settled settling claimed claimed settled " {
		t.Errorf("%s, %v", states, err)
	}
	if len(takings) != 2 || takings[0].Payments != 2 || takings[0].Amount != 20_000 || takings[1].Amount != 10_000 || takings[0].Day >= takings[1].Day {
		t.Errorf("takings: %+v", takings)
	}
}
