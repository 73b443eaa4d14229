package x402

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

const (
	// maxFailures is how many calls in a row may fail before the facilitator is asked
	// whether it answers at all.
	maxFailures = 5

	// askInterval is the least time between the end of one such question and the next.
	askInterval = 500 * time.Millisecond

	// tryInterval is the least time between two payments of one network that are sent
	// although the breaker is open.
	tryInterval = 2 * time.Second

	// maxTrying bounds how many networks may send such payments within tryInterval.
	maxTrying = 1024
)

// breaker is a circuit breaker: while it is open, hardly any payment is sent to a
// facilitator.
//
// A payment can be made so that a facilitator fails on it, and one sender may have many
// networks. So failed payments do not open the breaker. After several in a row the
// facilitator is asked what it supports, which no payment can make fail. Only if that is
// not answered either the breaker opens. While it is open the same question is asked
// again. An answer closes it.
//
// A facilitator may verify payments and not answer that question. It says nothing then:
// after a payment was answered while the question was not, failures open nothing until
// the question is answered again. If the breaker is open already, a payment shows it:
// each network may send one in a while, so that none depends on the payments of others.
type breaker struct {
	now func() time.Time

	mu          sync.Mutex
	failures    int // calls about payments that failed since the last answer
	open        bool
	asking      bool                       // the facilitator is being asked
	askAt       time.Time                  // when it may be asked again
	unanswered  bool                       // the last question was not answered
	meaningless bool                       // a payment was answered although the last question was not
	trying      map[netip.Prefix]time.Time // when a payment of a network was last sent, or failed, since an answer
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

// try reports whether a payment of a network may be sent although the breaker is open.
func (b *breaker) try(network netip.Prefix) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now().Sub(b.trying[network]) < tryInterval {
		return false
	}
	return b.tries(network)
}

// tries notes that a payment of a network is sent or has failed, if there is room.
func (b *breaker) tries(network netip.Prefix) bool {
	now := b.now()
	if _, ok := b.trying[network]; !ok && len(b.trying) >= maxTrying {
		for other, last := range b.trying {
			if now.Sub(last) >= tryInterval {
				delete(b.trying, other)
			}
		}
		if len(b.trying) >= maxTrying {
			return false
		}
	}
	if b.trying == nil {
		b.trying = map[netip.Prefix]time.Time{}
	}
	b.trying[network] = now
	return true
}

// answered records a call about a payment that was answered.
func (b *breaker) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.meaningless = b.unanswered
	b.close()
}

func (b *breaker) close() { b.failures, b.open, b.trying = 0, false, nil }

// failed records a call about a payment of a network that failed. Ask says that the
// caller must ask the facilitator, and call asked.
func (b *breaker) failed(network netip.Prefix) (ask bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries(network)
	if b.open { // the call was in progress when it opened, or a try
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

// question records whether the facilitator answered what it supports, asked by anyone.
func (b *breaker) question(answered bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unanswered = !answered
	if answered {
		b.meaningless = false
		b.close()
	}
}

// asked ends a question on behalf of the breaker, and reports whether its outcome opens
// the breaker. Unreachable says that no connection could be made, which always means
// something. If it was not answered, a call that was answered meanwhile says more.
func (b *breaker) asked(unreachable bool) (opens bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asking, b.askAt = false, b.now().Add(askInterval)
	was := b.open
	b.open = b.failures >= maxFailures && (unreachable || !b.meaningless)
	return b.open && !was
}

type networkKey struct{}

// ForNetwork returns a context for calls about payments that come from a network. While
// a facilitator fails, payments of one network do not keep those of another from being
// sent.
func ForNetwork(ctx context.Context, network netip.Prefix) context.Context {
	return context.WithValue(ctx, networkKey{}, network)
}

// networkFrom returns the network of [ForNetwork]; the zero value is that of this service.
func networkFrom(ctx context.Context) netip.Prefix {
	network, _ := ctx.Value(networkKey{}).(netip.Prefix)
	return network
}
