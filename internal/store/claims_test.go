package store

import (
	"fmt"
	"math/bits"
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

// claims claims a payment and checks the result.
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
	all, _ := handles(t, 2)
	var held atomic.Int32
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			result, err := all[i%2].Claim(t.Context(), claimOf(1, byte(i%4)), true)
			if err != nil {
				t.Error(err)
			}
			if result == Acquired {
				held.Add(1)
			}
		})
	}
	group.Wait()
	if held.Load() != 1 {
		t.Errorf("%d hold it", held.Load())
	}
	if result, err := all[0].Claim(t.Context(), claimOf(9, 1), false); result != Unknown || err != nil {
		t.Errorf("a payment that may not begin: %d, %v", result, err)
	}
}

func TestAPaymentIsFreeUntilItIsSent(t *testing.T) {
	all, clock := handles(t, 2)
	db, other := all[0], all[1]
	c := claims(t, db, claimOf(1, 1), Acquired)
	claims(t, db, claimOf(1, 1), InProgress)
	claims(t, db, claimOf(1, 2), UsedElsewhere)
	do(t, db.Release(t.Context(), c))
	db.Unlock(c)
	dead := claims(t, other, claimOf(1, 1), Acquired)
	clock.sleep(leaseTTL * 3 / 4)
	first := leaseOf(t, db, dead)
	eventually(t, "the lease is renewed", func() bool { return leaseOf(t, db, dead).until > first.until })
	clock.sleep(leaseTTL * 3 / 4)
	claims(t, db, claimOf(1, 1), InProgress) // whoever holds it lives
	do(t, other.Close())
	clock.sleep(2 * leaseTTL)
	c = claims(t, db, claimOf(1, 1), Acquired)
	c.Answer = []byte("answer")
	if settle(t, db, dead) {
		t.Error("it is sent by who held it no longer")
	}
	do(t, db.Release(t.Context(), dead))
	if !settle(t, db, c) {
		t.Error("it cannot be sent by who holds it")
	}
}

func TestAPaymentThatWasSentIsNotFreeUntilItsEndIsKnown(t *testing.T) {
	all, clock := handles(t, 2)
	db, other := all[0], all[1]
	c := claims(t, other, claimOf(1, 1), Acquired)
	c.Answer = []byte("answer")
	settle(t, other, c)
	claims(t, db, claimOf(1, 1), InProgress)
	due := func(n int) []*Claim {
		t.Helper()
		list, err := db.DueClaims(t.Context(), 10)
		if err != nil || len(list) != n {
			t.Fatalf("%d are due, %v, want %d", len(list), err, n)
		}
		return list
	}
	due(0)
	do(t, other.Close()) // as if it were killed
	clock.sleep(2 * leaseTTL)
	claims(t, db, claimOf(1, 2), UsedElsewhere)
	resumed := claims(t, db, due(1)[0], Resumed)
	if string(resumed.Payment) != "order" || string(resumed.Answer) != "answer" || resumed.Tries != 2 {
		t.Errorf("resumed: %+v", resumed)
	}
	resumed.Reason, resumed.Transaction = "settlement_pending", "0xabc"
	do(t, db.Postpone(t.Context(), resumed, time.Hour))
	db.Unlock(resumed)
	due(0)
	do(t, db.Release(t.Context(), c)) // by who held it before
	again := claims(t, db, claimOf(1, 1), Resumed)
	if again.Tries != 3 || again.Reason != "settlement_pending" || again.Transaction != "0xabc" {
		t.Errorf("again: %+v", again)
	}
	db.Settled(t.Context(), again, func(err error) { t.Error(err) })
	if got := claims(t, db, claimOf(1, 1), Replayed); string(got.Answer) != "answer" || got.Transaction != "0xabc" {
		t.Errorf("answered: %+v", got)
	}
	claims(t, db, claimOf(1, 2), UsedElsewhere)
	clock.sleep(70 * time.Hour) // it took several settlements, so its payer may come late
	do(t, db.PruneClaims(t.Context()))
	claims(t, db, claimOf(1, 1), Replayed)
	clock.sleep(2 * time.Hour)
	do(t, db.PruneClaims(t.Context()))
	claims(t, db, claimOf(1, 1), UsedElsewhere)
}

func TestWhatADeadHolderLeftBehind(t *testing.T) {
	all, clock := handles(t, 2)
	db, other := all[0], all[1]
	named := func(id byte) *Claim {
		c := claimOf(id, 1)
		c.Identifier = "a-name-of-its-own"
		return c
	}
	claims(t, other, named(1), Acquired)
	claims(t, db, named(2), IdentifierReused)
	do(t, other.Close()) // as if it were killed
	clock.sleep(2 * leaseTTL)
	claims(t, db, claimOf(1, 2), UsedElsewhere) // it may have been sent, for another request
	resigned := claimOf(1, 1)
	resigned.Payload[0] = 1
	claims(t, db, resigned, UsedElsewhere)
	late := claimOf(1, 1)
	result, err := db.Claim(t.Context(), late, false)
	if result != Acquired || err != nil || !late.MayHaveBeenSent || string(late.Payment) != "order" {
		t.Errorf("too late to begin: %d, %v, %+v", result, err, late)
	}
	db.Unlock(late)
	clock.sleep(2 * leaseTTL)
	if c := claims(t, db, named(1), Acquired); !c.MayHaveBeenSent {
		t.Error("whoever died may have sent it")
	} else {
		equal(t, "its settlement", []any{settle(t, db, c), c.Tries}, []any{true, 2})
		do(t, db.Release(t.Context(), c))
		db.Unlock(c)
	}
	if c := claims(t, db, named(2), Acquired); c.MayHaveBeenSent {
		t.Error("nobody has sent it")
	}
}

func TestWhatWasTakenIsAddedUpByDay(t *testing.T) {
	all, clock := handles(t, 1)
	db := all[0]
	start := db.Now()
	for i := range byte(5) {
		c := claims(t, db, claimOf(i, i), Acquired)
		if i < 3 {
			settle(t, db, c)
		}
		if i < 2 {
			c.Transaction = "0xfeed"
			db.Settled(t.Context(), c, func(err error) { t.Error(err) })
		}
	}
	unproven := claims(t, db, claimOf(5, 5), Acquired)
	settle(t, db, unproven)
	db.Settled(t.Context(), unproven, func(err error) { t.Error(err) })
	clock.sleep(24 * time.Hour)
	c := claims(t, db, claimOf(6, 6), Acquired)
	settle(t, db, c)
	c.Transaction = "0xbeef"
	db.Settled(t.Context(), c, func(err error) { t.Error(err) })
	claims(t, db, claimOf(6, 6), Replayed) // behind what nobody waited for
	states := ""
	takings, err := db.Payments(t.Context(), start, func(p Payment) error { states += p.State + " "; return nil })
	if err != nil || states != "settled settled settling claimed claimed settled settled " {
		t.Errorf("%s, %v", states, err)
	}
	total := takings.Settled
	if len(total) != 2 || total[0].Payments != 2 || total[0].Amount != 20_000 || total[1].Amount != 10_000 ||
		total[0].Day >= total[1].Day {
		t.Errorf("revenue: %+v", total)
	}
	if total = takings.Unproven; len(total) != 1 || total[0].Payments != 1 || total[0].Amount != 10_000 {
		t.Errorf("settled without a transaction: %+v", total)
	}
}

func TestAnIdentifierIsOfOnePayer(t *testing.T) {
	all, _ := handles(t, 1)
	named := func(id byte, payer string) *Claim {
		c := claimOf(id, id)
		c.Payer, c.Identifier = payer, "order-1"
		return c
	}
	claims(t, all[0], named(1, "0xb"), Acquired)
	claims(t, all[0], named(2, "0xb"), IdentifierReused)
	claims(t, all[0], named(3, "0xc"), Acquired)
	for payer, want := range map[string]ClaimResult{"0xb": IdentifierReused, "0xd": Unknown} {
		got, err := all[0].Claim(t.Context(), named(4, payer), false)
		equal(t, payer+" may not begin", []any{got, err}, []any{want, nil})
	}
}

func TestHowLongClaimsAreKept(t *testing.T) {
	all, clock := handles(t, 1)
	db := all[0]
	start := clock.now()
	settled := func(id byte, tries int) *Claim {
		c := claims(t, db, claimOf(id, 1), Acquired)
		c.Answer = []byte("answer")
		settle(t, db, c)
		c.Tries = tries
		db.Settled(t.Context(), c, func(err error) { t.Error(err) })
		db.Unlock(c)
		return c
	}
	settled(1, 1)
	settled(2, 2)
	db.Unlock(claims(t, db, claimOf(3, 1), Acquired)) // never sent
	sent := claims(t, db, claimOf(4, 1), Acquired)
	settle(t, db, sent)
	do(t, db.Postpone(t.Context(), sent, 0))
	db.Unlock(sent)
	at := func(age time.Duration, want ...ClaimResult) {
		t.Helper()
		clock.sleep(start.Add(age).Sub(clock.now()))
		do(t, db.PruneClaims(t.Context()))
		for i, result := range want {
			c := claimOf(byte(i+1), 1)
			err := db.read(t.Context(), primary, func(s *conn) (err error) { // without taking it over
				got, err := find(t.Context(), s, c, db.leaseNow(), false)
				equal(t, fmt.Sprintf("claim %d after %s", i+1, age), []any{got, err, c.Answer != nil},
					[]any{result, nil, result == Replayed})
				return err
			})
			do(t, err)
		}
	}
	at(20*time.Minute, Replayed, Replayed, Acquired, Resumed)
	at(20*time.Minute+time.Microsecond, UsedElsewhere, Replayed, Acquired, Resumed)
	at(48*time.Hour+leaseTTL, UsedElsewhere, Replayed, Acquired, Resumed)
	at(48*time.Hour+leaseTTL+time.Microsecond, UsedElsewhere, Replayed, Unknown, Resumed)
	at(72*time.Hour, UsedElsewhere, Replayed, Unknown, Resumed)
	at(72*time.Hour+time.Microsecond, UsedElsewhere, UsedElsewhere, Unknown, Resumed)
}

// TestAPaymentIsShownAsItWasMade to the operator, with the sums of those that are settled.
func TestAPaymentIsShownAsItWasMade(t *testing.T) {
	all, clock := handles(t, 1)
	db := all[0]
	var want []Payment
	sums := map[Revenue]int64{}
	for i := range 24 {
		c := claimOf(byte(i), 1)
		c.Operation, c.Network, c.Asset = fmt.Sprint("op", i%2), fmt.Sprint("net", i/2%2), fmt.Sprint("asset", i/4%2)
		c.Amount = int64(1) << i
		claims(t, db, c, Acquired)
		p := Payment{ID: paymentName(c.ID[:]), At: c.Created, State: "claimed", PaymentTerms: c.PaymentTerms}
		if i%9 != 7 {
			p.State = "settling"
			settle(t, db, c)
		}
		switch c.Transaction, c.Reason = fmt.Sprint("0x", i), fmt.Sprint("because ", i); {
		case i%9 == 7:
		case i%9 == 8:
			p.Transaction, p.Reason = c.Transaction, c.Reason
			do(t, db.Postpone(t.Context(), c, time.Hour))
		default:
			p.State, p.Transaction = "settled", c.Transaction
			db.Settled(t.Context(), c, func(err error) { t.Error(err) })
		}
		db.Unlock(c)
		want = append(want, p)
		clock.sleep(time.Hour - time.Microsecond) // midnight comes within the thirteenth
	}
	claims(t, db, claimOf(23, 2), UsedElsewhere) // behind what nobody waited for
	for _, from := range []int{0, 5} {
		clear(sums)
		for _, p := range want[from:] {
			if p.State == "settled" {
				r := Revenue{Day: p.At.Std().Format(time.DateOnly), Network: p.Network, Asset: p.Asset, Operation: p.Operation}
				sums[r] += p.Amount // each is another power of two
			}
		}
		var got []Payment
		takings, err := db.Payments(t.Context(), want[from].At, func(p Payment) error { got = append(got, p); return nil })
		do(t, err)
		total := takings.Settled
		equal(t, "payments", got, want[from:])
		equal(t, "sums", len(total), len(sums))
		last := ""
		for _, r := range total {
			n, amount := r.Payments, r.Amount
			r.Payments, r.Amount = 0, 0
			equal(t, fmt.Sprint(r), []any{amount, n}, []any{sums[r], bits.OnesCount64(uint64(amount))})
			if line := fmt.Sprint(r); line <= last {
				t.Errorf("%s comes after %s", line, last)
			} else {
				last = line
			}
		}
	}
}

func TestClaimsAreDueInTheirOrderUnlessSomebodyIsAtWork(t *testing.T) {
	all, clock := handles(t, 1)
	db := all[0]
	due := func(limit int, want ...byte) {
		t.Helper()
		list, err := db.DueClaims(t.Context(), limit)
		do(t, err)
		var got []byte
		for _, c := range list {
			got = append(got, c.ID[0])
			equal(t, "request and payload", []any{c.Request, c.Payload}, []any{[32]byte{c.ID[0] + 1}, [32]byte{c.ID[0] + 2}})
		}
		equal(t, fmt.Sprintf("due after %s", time.Duration(clock.passed.Load())), got, want)
	}
	for id, delay := range []time.Duration{3 * time.Minute, time.Minute, 2 * time.Minute, 0} {
		c := claimOf(byte(id), byte(id+1))
		c.Payload[0] = byte(id + 2)
		claims(t, db, c, Acquired)
		settle(t, db, c)
		due(9) // somebody is at work
		do(t, db.Postpone(t.Context(), c, delay))
		db.Unlock(c)
	}
	claims(t, db, claimOf(9, 9), Acquired) // nothing was sent
	clock.sleep(time.Minute - time.Microsecond)
	due(9)
	clock.sleep(time.Microsecond)
	due(9, 1)
	clock.sleep(2 * time.Minute)
	due(9, 1, 2, 0)
	due(2, 1, 2)
	c := claimOf(1, 2)
	c.Payload[0] = 3
	claims(t, db, c, Resumed)
	due(9, 2, 0)
	do(t, db.Postpone(t.Context(), c, time.Hour))
	due(9, 2, 0)
}

func TestTheEndOfOneClaimDoesNotEndTheNextOfThePayment(t *testing.T) {
	all, clock := handles(t, 1)
	first := claims(t, all[0], claimOf(1, 1), Acquired)
	do(t, all[0].Release(t.Context(), first))
	next := claims(t, all[0], claimOf(1, 1), Acquired)
	all[0].Unlock(first)
	clock.sleep(leaseTTL * 3 / 4)
	renew(all[0])
	equal(t, "renewed", leaseOf(t, all[0], next).until, all[0].leaseNow()+leaseTTL.Microseconds())
	equal(t, "lease", leaseOf(t, all[0], next).token != first.token, true)
}
