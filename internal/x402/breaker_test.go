package x402

import (
	"net/netip"
	"testing"
	"time"
)

// breaking is a breaker with a clock, and a facilitator that answers or does not.
type breaking struct {
	breaker
	t       *testing.T
	at      time.Time
	answers bool
	asked   int
}

func newBreaking(t *testing.T) *breaking {
	b := &breaking{t: t, at: then}
	b.now = func() time.Time { return b.at }
	return b
}

// fail has calls fail.
func (b *breaking) fail(times int) {
	for range times {
		b.ask(b.failed(netip.Prefix{}))
	}
}

func (b *breaking) ask(now bool) {
	if now {
		b.question(b.answers)
		b.breaker.asked(false)
		b.asked++
	}
}

// want checks whether a payment may be sent now, and how often the facilitator was asked so far.
func (b *breaking) want(about string, open bool, asked int) {
	b.t.Helper()
	ok, ask := b.allow()
	b.ask(ask)
	if ok == open || b.asked != asked {
		b.t.Errorf("%s: open %v after the facilitator was asked %d times, want %v after %d", about, !ok, b.asked, open, asked)
	}
}

// TestFailuresInARowAreAskedAbout: those of payments alone open nothing.
func TestFailuresInARowAreAskedAbout(t *testing.T) {
	b := newBreaking(t)
	b.answers = true
	for range 3 {
		b.fail(maxFailures - 1)
		b.breaker.answered()
	}
	b.want("never as many in a row", false, 0)
	b.fail(maxFailures)
	b.want("as many in a row", false, 1)
	b.fail(3 * maxFailures)
	b.want("many more at once", false, 1)
	b.at = b.at.Add(askInterval)
	b.fail(1)
	b.want("one after the interval", false, 2)
	b.at = b.at.Add(askInterval)
	b.fail(maxFailures - 1)
	b.want("the answer makes it count anew", false, 2)
	b.answers = false
	b.fail(1)
	b.want("without an answer", true, 3)
}

// TestAnOpenBreakerIsClosedByAnAnswer, for which the facilitator is asked once in an interval.
func TestAnOpenBreakerIsClosedByAnAnswer(t *testing.T) {
	b := newBreaking(t)
	b.fail(maxFailures)
	for i := range 3 {
		for range 3 {
			b.want("within the interval", true, 1+i)
		}
		b.fail(2 * maxFailures) // calls that were in progress when it opened
		b.at = b.at.Add(askInterval - 1)
		b.want("just before its end", true, 1+i)
		b.at = b.at.Add(1)
		if b.failed(netip.Prefix{}) {
			t.Error("a call that was in progress asks")
		}
		b.want("at its end", true, 2+i)
	}
	b.answers = true
	b.at = b.at.Add(askInterval)
	if ok, ask := b.allow(); ok || !ask {
		t.Error("a payment is sent before the facilitator has answered")
	}
	if ok, ask := b.allow(); ok || ask {
		t.Error("the facilitator is asked twice at once")
	}
	b.question(true)
	b.breaker.asked(false)
	b.want("answered", false, 4)
	b.answers = false
	b.at = b.at.Add(askInterval)
	b.fail(maxFailures - 1)
	b.want("it counts anew", false, 4)
	b.fail(1)
	b.want("and opens again", true, 5)
	b.breaker.answered()
	b.want("a payment that was in progress is answered", false, 5)
}

// TestAnAnswerMeanwhileIsWorthMoreThanAQuestion: the facilitator is asked, and answers another call before.
func TestAnAnswerMeanwhileIsWorthMoreThanAQuestion(t *testing.T) {
	b := newBreaking(t)
	for range maxFailures - 1 {
		b.failed(netip.Prefix{})
	}
	if !b.failed(netip.Prefix{}) || b.failed(netip.Prefix{}) {
		t.Fatal("the facilitator is not asked once at a time")
	}
	b.breaker.answered()
	for range maxFailures - 1 {
		b.failed(netip.Prefix{})
	}
	b.question(false)
	b.breaker.asked(false)
	b.want("closed", false, 0)
}

// TestAConnectionThatCannotBeMadeAlwaysMeansSomething, also if /supported is never answered. It opens the breaker once.
func TestAConnectionThatCannotBeMadeAlwaysMeansSomething(t *testing.T) {
	b := newBreaking(t)
	b.question(false)
	b.breaker.answered()
	for range maxFailures {
		b.failed(netip.Prefix{})
	}
	if b.breaker.asked(false) || !b.breaker.asked(true) || b.breaker.asked(true) {
		t.Error("it does not open, once, when no connection can be made")
	}
}

// TestNetworksThatTryAreBounded: each may send a payment every two seconds while the breaker is open.
func TestNetworksThatTryAreBounded(t *testing.T) {
	b := newBreaking(t)
	b.fail(maxFailures)
	network := func(n int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(n >> 8), byte(n), 0}), 24)
	}
	for round := range 3 {
		b.at = b.at.Add(tryInterval)
		tried := 0
		for n := range 2 * maxTrying {
			if b.try(network(n)) {
				tried++
			}
			if b.try(network(n)) {
				t.Fatal("a network tries twice at once")
			}
		}
		if tried != maxTrying || len(b.trying) != maxTrying {
			t.Errorf("round %d: %d networks try, and %d are kept", round, tried, len(b.trying))
		}
	}
	b.at = b.at.Add(tryInterval - 1)
	if b.try(network(2 * maxTrying)) {
		t.Error("another network tries before one of those may try again")
	}
	b.failed(network(0)) // which is among them
	b.at = b.at.Add(1)
	if b.try(network(0)) {
		t.Error("a network tries right after its payment failed")
	}
	b.breaker.answered()
	if len(b.trying) != 0 {
		t.Error("networks are kept after an answer")
	}
}
