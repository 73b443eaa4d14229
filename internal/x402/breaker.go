package x402

import (
	"net/netip"
	"sync"
	"time"
)

const (
	// maxFailures is how many calls in a row may fail before the breaker opens.
	maxFailures = 5

	// openInterval is how long the breaker stays open before it lets one call through.
	openInterval = 500 * time.Millisecond
)

// Sender is who a call to a facilitator is made for.
type Sender struct {
	Network netip.Prefix // of the client; the zero prefix for calls that no client asked for
	Payer   string       // as the payment names it
}

// breaker is a circuit breaker: it rejects calls to a facilitator that does not
// answer. While it is open, one call per interval is let through. If that succeeds,
// the breaker closes.
//
// A payment can be made so that a facilitator fails on it. So only failures for
// different payers from different networks count, or those that no payment can cause.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	failures int                   // that count, since the last call that succeeded
	networks map[netip.Prefix]bool // of those failures
	payers   map[string]bool       // of those failures
	retryAt  time.Time             // when the next call is let through; zero while closed
}

// allow reports whether a call may be made. After each such call, succeeded, failed or
// failedFor is called.
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

// succeeded records a call that was answered.
func (b *breaker) succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.networks, b.payers = 0, nil, nil
}

// failed records a failure that no payment can have caused.
func (b *breaker) failed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count()
}

// failedFor records a failure that the payment may have caused. It reports whether
// that of another network or payer shows that it did not.
func (b *breaker) failedFor(from Sender) (counts bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.networks[from.Network] || b.payers[from.Payer] {
		return false
	}
	if b.networks == nil {
		b.networks, b.payers = map[netip.Prefix]bool{}, map[string]bool{}
	}
	b.networks[from.Network], b.payers[from.Payer] = true, true
	b.count()
	return len(b.networks) > 1
}

// count counts a failure. Those of calls that were in progress when the breaker opened
// do not postpone the next attempt.
func (b *breaker) count() {
	if b.failures++; b.failures == maxFailures {
		b.retryAt = b.now().Add(openInterval)
	}
}
