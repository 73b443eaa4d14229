package x402

import (
	"sync"
	"time"
)

const (
	// maxFailures is how many calls in a row may fail before the facilitator is asked
	// whether it answers at all.
	maxFailures = 5

	// askInterval is the least time between the end of one such question and the next.
	askInterval = 500 * time.Millisecond
)

// breaker is a circuit breaker: while it is open, no payment is sent to a facilitator.
//
// A payment can be made so that a facilitator fails on it, and one sender may have many
// networks. So failed payments do not open the breaker. After several in a row the
// facilitator is asked what it supports, which no payment can make fail. Only if that is
// not answered either the breaker opens. While it is open the same question is asked
// again, and never with a payment. An answer closes it.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	failures int // calls about payments that failed since the last answer
	open     bool
	asking   bool      // the facilitator is being asked
	askAt    time.Time // when it may be asked again
}

// allow reports whether a payment may be sent. If not, ask says that the caller must ask
// the facilitator, and call asked.
func (b *breaker) allow() (ok, ask bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open {
		return true, false
	}
	return false, b.mayAsk()
}

// answered records a call that was answered.
func (b *breaker) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.open = 0, false
}

// failed records a call about a payment that failed. Ask says that the caller must ask
// the facilitator, and call asked.
func (b *breaker) failed() (ask bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open { // the call was in progress when it opened
		return false
	}
	b.failures++
	return b.failures >= maxFailures && b.mayAsk()
}

// mayAsk reports whether the facilitator is to be asked now: by one caller at a time.
func (b *breaker) mayAsk() bool {
	if b.asking || b.now().Before(b.askAt) {
		return false
	}
	b.asking = true
	return true
}

// asked records whether the facilitator answered, and reports whether that opens the
// breaker. If it did not, a call that was answered meanwhile says more.
func (b *breaker) asked(answered bool) (opens bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asking, b.askAt = false, b.now().Add(askInterval)
	if answered {
		b.failures = 0
	}
	was := b.open
	b.open = b.failures >= maxFailures
	return b.open && !was
}
