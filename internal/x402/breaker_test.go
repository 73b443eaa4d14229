package x402

import (
	"testing"
	"time"
)

func TestACallThatFailsLateDoesNotPostponeTheNextAttempt(t *testing.T) {
	now := then
	b := breaker{now: func() time.Time { return now }}
	for range maxFailures {
		b.record(true)
	}
	for now.Before(then.Add(openInterval)) {
		if b.allow() {
			t.Fatalf("a call is allowed %v after the breaker has opened", now.Sub(then))
		}
		b.record(true) // a call that was in progress when it opened
		now = now.Add(openInterval / 10)
	}
	if !b.allow() {
		t.Error("no call is allowed when the interval is over")
	}
}
