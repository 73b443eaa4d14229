package x402

import (
	"sync"
	"time"
)

const (
	// maxFailures is how many calls in a row may fail before the breaker opens.
	maxFailures = 5

	// openInterval is how long the breaker stays open before it lets one call through.
	openInterval = 500 * time.Millisecond
)

// breaker is a circuit breaker: it rejects calls to a facilitator that does not
// answer. While it is open, one call per interval is let through. If that succeeds,
// the breaker closes.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	failures int       // in a row
	retryAt  time.Time // when the next call is let through; zero while closed
}

// allow reports whether a call may be made. After each such call, record is called.
func (b *breaker) allow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < maxFailures {
		return true
	}
	now := b.now()
	if now.Before(b.retryAt) {
		return false
	}
	b.retryAt = now.Add(openInterval) // the next attempt does not wait for this one to end
	return true
}

// record counts the result of a call.
func (b *breaker) record(failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !failed {
		b.failures = 0
		return
	}
	// Calls that were in progress when the breaker opened do not postpone the next attempt.
	if b.failures++; b.failures == maxFailures {
		b.retryAt = b.now().Add(openInterval)
	}
}
