package store

import (
	"context"
	"testing"
	"time"
)

func TestAClaimIsOfThePaymentAsItWasSent(t *testing.T) {
	all, clock := handles(t, 1)
	db := all[0]
	c := claims(t, db, claimOf(1, 1), Acquired)
	settle(t, db, c)
	other := func(change func(c *Claim)) *Claim {
		c := claimOf(1, 1)
		change(c)
		return c
	}
	misfit := map[string]*Claim{
		"in other words":  other(func(c *Claim) { c.Whole[0]++ }),
		"another request": other(func(c *Claim) { c.Request[0]++ }),
	}
	for about, m := range misfit {
		if c := claims(t, db, m, UsedElsewhere); !c.Misfit {
			t.Errorf("%s: it fits", about)
		}
	}
	do(t, db.Return(t.Context(), c))
	db.Unlock(c)
	clock.sleep(time.Second)
	again := claims(t, db, claimOf(1, 1), Resumed)
	if again.Misfit || again.Tries != 2 {
		t.Errorf("the same: %+v", again)
	}
	do(t, db.write(t.Context(), accounts, false, func(ctx context.Context, s *conn) error {
		_, err := s.exec(ctx, "UPDATE claim SET whole = NULL, lease_until = 0") // by a program from before
		return err
	}))
	db.Unlock(again)
	claims(t, db, misfit["in other words"], Resumed)
}

// TestAPaymentWhoseAnswerWasErasedIsAnsweredAnew as long as its answer would have been kept.
func TestAPaymentWhoseAnswerWasErasedIsAnsweredAnew(t *testing.T) {
	all, clock := handles(t, 1)
	db := all[0]
	c := claims(t, db, claimOf(1, 1), Acquired)
	settle(t, db, c)
	db.Settled(t.Context(), c, func(err error) { t.Error(err) })
	db.Unlock(c)
	start := clock.now()
	for _, at := range []struct {
		age  time.Duration
		want ClaimResult
	}{{keepAnswer - time.Minute, Replayed}, {keepAnswer + time.Minute, UsedElsewhere}} {
		clock.sleep(start.Add(at.age).Sub(clock.now()))
		claims(t, db, claimOf(1, 1), at.want)
	}
}
