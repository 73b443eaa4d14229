package limits

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// refuseAll takes every place of a network for a payment that is refused.
func refuseAll(t *testing.T, v *Verifications, network int) (refused int) {
	t.Helper()
	for {
		leave, ok := v.Try(networkOf(network))
		if !ok {
			return refused
		}
		leave(true)
		refused++
	}
}

func TestANetworkHasALimitOfRefusedPaymentsAtOnceAndThenAMinute(t *testing.T) {
	c := newClock()
	v := NewVerifications(10, c.now)
	if n := refuseAll(t, v, 1); n != 10 {
		t.Errorf("%d refused payments at once", n)
	}
	leave, wait, err := v.Wait(t.Context(), networkOf(1))
	if leave != nil || wait != 6*time.Second || err != nil {
		t.Errorf("after them: wait %v, %v", wait, err)
	}
	c.advance(6*time.Second - 1)
	if _, ok := v.Try(networkOf(1)); ok {
		t.Error("a place is free too early")
	}
	c.advance(1)
	for range 3 { // one each six seconds
		if n := refuseAll(t, v, 1); n != 1 {
			t.Errorf("%d more after six seconds", n)
		}
		c.advance(6 * time.Second)
	}
	if n := refuseAll(t, v, 2); n != 10 {
		t.Errorf("another network has %d", n)
	}
	c.advance(time.Hour)
	if n := refuseAll(t, v, 1); n != 10 {
		t.Errorf("%d after an hour", n)
	}
	c.advance(-time.Hour)
	if n := refuseAll(t, v, 1); n != 0 {
		t.Errorf("%d more when the clock goes back", n)
	}
}

func TestWhoPaysMayHaveMoreVerificationsInProgress(t *testing.T) {
	v := NewVerifications(2, newClock().now)
	inProgress := func() (leave []func(bool)) {
		for {
			l, ok := v.Try(networkOf(1))
			if !ok {
				return leave
			}
			leave = append(leave, l)
		}
	}
	all := inProgress()
	if len(all) != 2 {
		t.Errorf("%d at once", len(all))
	}
	for _, leave := range all {
		leave(false)
	}
	for range 1000 {
		v.Settled(networkOf(1))
	}
	all = inProgress()
	if len(all) != 2+maxEarned {
		t.Errorf("%d at once after a thousand payments", len(all))
	}
	for _, leave := range all { // a facilitator that fails on all of them
		leave(true)
	}
	if n := len(inProgress()); n != 0 {
		t.Fatalf("%d places are left", n) // the next call would wait for them
	}
	if _, wait, _ := v.Wait(t.Context(), networkOf(1)); wait != 30*time.Second {
		t.Errorf("wait %v: no more than the limit is remembered", wait)
	}
}

// A call waits for the verifications in progress before it is turned away.
func TestACallWaitsForThoseInProgress(t *testing.T) {
	v := NewVerifications(2, newClock().now)
	first, _ := v.Try(networkOf(1))
	second, _ := v.Try(networkOf(1))
	type result struct {
		leave func(bool)
		wait  time.Duration
		err   error
	}
	results := make(chan result)
	ask := func(ctx context.Context) {
		leave, wait, err := v.Wait(ctx, networkOf(1))
		results <- result{leave, wait, err}
	}
	gone, leave := context.WithCancel(t.Context())
	go ask(gone)
	leave()
	if r := <-results; r.leave != nil || r.err != context.Canceled {
		t.Errorf("a caller who has gone: %+v", r)
	}
	go ask(t.Context())
	first(false)
	r := <-results
	if r.leave == nil {
		t.Fatalf("a place was given back, and the caller waits %v, %v", r.wait, r.err)
	}
	go ask(t.Context())
	second(true)
	r.leave(true)
	if r := <-results; r.leave != nil || r.wait != 30*time.Second {
		t.Errorf("all were refused, and the caller waits %v, %v", r.wait, r.err)
	}
}

// TestACallThatWaitsIsWokenByEachEnd: the callers are known to wait before a verification ends.
func TestACallThatWaitsIsWokenByEachEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := NewVerifications(3, newClock().now)
		v.Refused(networkOf(1))
		first, _ := v.Try(networkOf(1))
		second, ok := v.Try(networkOf(1))
		if !ok {
			t.Fatal("two of three places are not free")
		}
		var entered []func(bool)
		var waits []time.Duration
		wait := func() {
			if leave, wait, err := v.Wait(t.Context(), networkOf(1)); leave != nil {
				entered = append(entered, leave)
			} else if waits = append(waits, wait); err != nil {
				t.Error(err)
			}
		}
		for range 2 {
			go wait()
			synctest.Wait()
		}
		want := func(about string, in, away int) {
			t.Helper()
			if synctest.Wait(); len(entered) != in || len(waits) != away {
				t.Fatalf("%s: %d have a place, and %d were turned away, want %d and %d", about, len(entered), len(waits), in, away)
			}
		}
		want("while both are in progress", 0, 0)
		first(false)
		want("one has ended", 1, 0)
		second(true)
		want("one was refused, and one is in progress", 1, 0)
		entered[0](true)
		want("all were refused", 1, 1)
		if waits[0] != 20*time.Second {
			t.Errorf("the one that is turned away is to wait %v", waits[0])
		}
	})
}

func TestNoLimitOfRefusedPayments(t *testing.T) {
	v := NewVerifications(0, newClock().now)
	for range 1000 {
		leave, ok := v.Try(networkOf(1))
		if !ok {
			t.Fatal("a payment is turned away")
		}
		leave(true)
		v.Refused(networkOf(1))
	}
	if leave, wait, err := v.Wait(t.Context(), networkOf(1)); leave == nil || wait != 0 || err != nil {
		t.Errorf("wait %v, %v", wait, err)
	}
	if len(v.networks) != 0 {
		t.Error("networks are counted")
	}
}

func TestNetworksThatAreDoneAreForgotten(t *testing.T) {
	c := newClock()
	v := NewVerifications(10, c.now)
	v.sweepAt = 3
	v.Refused(networkOf(1))
	v.Settled(networkOf(2))
	v.Try(networkOf(3))
	if c.advance(time.Minute); len(v.networks) != 3 {
		t.Errorf("%d networks are kept before there are too many", len(v.networks))
	}
	v.Refused(networkOf(4))
	if len(v.networks) != 2 || v.networks[keyOf(nil, networkOf(4))] == nil ||
		v.networks[keyOf(nil, networkOf(3))] == nil || v.sweepAt != maxIdleKeys {
		t.Errorf("%d networks are kept, the next sweep is at %d", len(v.networks), v.sweepAt)
	}
}
