package x402

import (
	"testing"
	"time"
)

func TestACallThatFailsLateDoesNotPostponeTheNextAttempt(t *testing.T) {
	now := then
	b := breaker{now: func() time.Time { return now }}
	for range maxFailures {
		b.failed()
	}
	for now.Before(then.Add(openInterval)) {
		if b.allow() {
			t.Fatalf("a call is allowed %v after the breaker has opened", now.Sub(then))
		}
		b.failed() // a call that was in progress when it opened
		now = now.Add(openInterval / 10)
	}
	if !b.allow() {
		t.Error("no call is allowed when the interval is over")
	}
}

// TestOnlyFailuresInARowOpenTheBreaker, and one call that succeeds closes it.
func TestOnlyFailuresInARowOpenTheBreaker(t *testing.T) {
	now := then
	b := breaker{now: func() time.Time { return now }}
	fail := func(times int) {
		for range times {
			b.failed()
		}
	}
	for range 3 {
		fail(maxFailures - 1)
		if !b.allow() {
			t.Fatal("it opens too early")
		}
		b.succeeded()
	}
	fail(maxFailures)
	for range 3 { // attempts that fail
		now = now.Add(openInterval)
		if !b.allow() || b.allow() {
			t.Fatal("not one call in an interval is let through")
		}
		b.failed()
	}
	now = now.Add(openInterval)
	b.allow()
	b.succeeded()
	fail(maxFailures - 1)
	if !b.allow() {
		t.Error("it is not closed by a success")
	}
}
