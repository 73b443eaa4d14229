package limits

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
)

// fill takes slots for a network until there are no more for it.
func fill(s *Slots, network netip.Prefix, shares Shares) (leave []func()) {
	for {
		l, ok := s.try(network, shares)
		if !ok {
			return leave
		}
		leave = append(leave, l)
	}
}

// TestAFewNetworksLeavePlacesToEveryOther: each network takes all that it gets, of each pot.
func TestAFewNetworksLeavePlacesToEveryOther(t *testing.T) {
	for name, pot := range map[string]struct {
		shares   Shares
		networks int // that it takes to fill it
	}{
		"paid calls":       {paidShares, 4 + 64},
		"unverified calls": {unverifiedShares, 32 + 64},
		"contract wallets": {walletShares, 3 + 8},
		"large messages":   {messageShares, 2 + 8},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSlots(pot.shares)
			var all []func()
			for n := range pot.networks {
				taken := fill(s, networkOf(n), pot.shares)
				if len(taken) == 0 || len(taken) > pot.shares.Network {
					t.Fatalf("network %d of %d has %d places", n, pot.networks, len(taken))
				}
				all = append(all, taken...)
			}
			if taken := fill(s, networkOf(5000), pot.shares); len(taken) != 0 || len(all) != pot.shares.All {
				t.Errorf("%d places are taken, of %d, and then %d more", len(all), pot.shares.All, len(taken))
			}
			all[0]()
			all[0]() // which does nothing
			if taken := fill(s, networkOf(5000), pot.shares); len(taken) != 1 {
				t.Errorf("one place was left, and %d are taken", len(taken))
			} else {
				taken[0]()
			}
			for _, leave := range all {
				leave()
			}
			if s.taken != 0 || len(s.of) != 0 {
				t.Errorf("%d places of %d networks are taken in the end", s.taken, len(s.of))
			}
		})
	}
}

// TestWhoPaysHasMorePlaces: others that have not paid cannot take those.
func TestWhoPaysHasMorePlaces(t *testing.T) {
	p := NewPaidCalls()
	enter := func(network, earned, calls int) (entered int) {
		for range calls {
			if p.EnterNetwork(networkOf(network), earned) != nil {
				entered++
			}
		}
		return entered
	}
	if n := enter(1, 0, 1000); n != 128 {
		t.Errorf("a network that never paid has %d calls in progress", n)
	}
	for n := range 10 {
		enter(2+n, 0, 1000)
	}
	if n := enter(20, 100, 1000); n != 108 {
		t.Errorf("one that has paid has %d beside many that have not", n)
	}
	if n := enter(30, 0, 5); n != 5 {
		t.Errorf("a new one has %d of five", n)
	}
	if n := (NewPaidCalls()); n.EnterNetwork(networkOf(1), 0) == nil {
		t.Error("the first call has no place")
	}
	p = NewPaidCalls()
	if n := enter(1, 5000, 1000); n != 512 {
		t.Errorf("one that has paid often has %d", n)
	}
}

func TestEachSettledPaymentEarnsAPlace(t *testing.T) {
	for _, limit := range []int{0, 10} {
		v := NewVerifications(limit, newClock().now)
		if v.Earned(networkOf(1)) != 0 {
			t.Error("a new network has earned places")
		}
		for range 3 {
			v.Settled(networkOf(1))
		}
		if n := v.Earned(networkOf(1)); n != 3 || v.Earned(networkOf(2)) != 0 {
			t.Errorf("limit %d: %d places for three payments", limit, n)
		}
	}
}

// TestNetworksThatWaitTakeTurns: one has ten waiting before another comes.
func TestASlotThatIsLeftAdmitsAllThatMayEnterThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(Shares{All: 4, Network: 3, Sure: 1})
		leave, _ := s.Try(networkOf(1))
		s.Try(networkOf(2)) // half of the places are taken: each of the two has what it surely has
		for _, network := range []int{2, 1} {
			go s.Wait(t.Context(), networkOf(network))
			synctest.Wait()
		}
		if len(s.waiting) != 2 {
			t.Fatalf("%d wait, not 2", len(s.waiting))
		}
		leave() // to the second place of network 2, and to the only one of network 1
		if len(s.waiting) != 0 || s.taken != 3 {
			t.Errorf("%d wait beside %d of 4 taken places", len(s.waiting), s.taken)
		}
	})
}

// TestASlotForOneThatHasGoneIsGivenBack: its turn comes when it has just given up.
func TestASlotForOneThatHasGoneIsGivenBack(t *testing.T) {
	s := NewSlots(Shares{All: 1, Network: 1, Sure: 1})
	for range 200 {
		leave, ok := s.Try(networkOf(0))
		if !ok {
			t.Fatal("the slot is lost")
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if leave, err := s.Wait(ctx, networkOf(1)); err == nil {
				leave()
			}
		}()
		for waits := false; !waits; runtime.Gosched() {
			s.mu.Lock()
			waits = len(s.waiting) > 0
			s.mu.Unlock()
		}
		cancel()
		leave()
		<-ended
	}
}

func TestNetworksThatWaitTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(freeSearchShares)
		var served []string
		wait := func(network int, name string) {
			leave, err := s.Wait(t.Context(), networkOf(network))
			if err != nil {
				t.Error(err)
				return
			}
			served = append(served, name)
			leave()
		}
		first, _ := s.Try(networkOf(1))
		for i := range 10 {
			go wait(1, fmt.Sprint("a", i))
			synctest.Wait()
		}
		go wait(2, "b0")
		synctest.Wait()
		go wait(2, "b1")
		synctest.Wait()
		gone, leave := context.WithCancel(t.Context())
		go func() {
			if _, err := s.Wait(gone, networkOf(3)); err != context.Canceled {
				t.Errorf("one who has gone: %v", err)
			}
		}()
		synctest.Wait()
		leave()
		synctest.Wait()
		first()
		synctest.Wait()
		if len(served) != 12 || !slices.Equal(served[:4], []string{"a0", "b0", "a1", "b1"}) {
			t.Errorf("served: %v", served)
		}
		if s.taken != 0 || len(s.of) != 0 || len(s.waiting) != 0 || len(s.turns) != 0 {
			t.Errorf("in the end: %+v", s)
		}
		if _, err := s.Wait(gone, networkOf(1)); err != context.Canceled {
			t.Errorf("one who had gone before: %v", err)
		}
	})
}
