package limits

import (
	"context"
	"math"
	"net/netip"
	"slices"
	"sync"
)

// Shares are how many places there are, in all and for one network. Every pot of places has them, so that no network,
// nor a few, can take those of all others: see docs/decisions/0034.
type Shares struct {
	All     int // places
	Network int // of them, at most for one network
	Sure    int // of the last half of the places, at most for one network
}

// Room reports whether a network that has own places may take n more while all networks have taken so many.
func (s Shares) Room(taken, own, n int) bool {
	return taken+n <= s.All && own+n <= s.Network && (taken+n <= s.All/2 || own+n <= s.Sure)
}

// more returns the shares of a network that may have n more places, up to a bound.
func (s Shares) more(n, bound int) Shares {
	n = min(n, bound-s.Network)
	return Shares{s.All, s.Network + n, s.Sure + n}
}

// Slots bounds how many things are done at once, in all and for one network. Its methods may be called from any
// goroutine.
type Slots struct {
	shares Shares

	mu      sync.Mutex
	taken   int
	of      map[netip.Prefix]int // networks that have some
	waiting []*waiter            // in the order in which they came
	turns   map[netip.Prefix]int // of the networks that wait, when one of theirs had its turn
	turn    int
}

// waiter is a call that waits for a slot.
type waiter struct {
	network netip.Prefix
	ready   chan struct{} // closed when it has the slot
}

// NewSlots returns free slots.
func NewSlots(s Shares) *Slots {
	return &Slots{shares: s, of: map[netip.Prefix]int{}, turns: map[netip.Prefix]int{}}
}

// Try takes a slot for a network if one is free. The caller must call leave when it is done; another call of it does
// nothing.
func (s *Slots) Try(network netip.Prefix) (leave func(), ok bool) { return s.try(network, s.shares) }

func (s *Slots) try(network netip.Prefix, shares Shares) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !shares.Room(s.taken, s.of[network], 1) {
		return nil, false
	}
	return s.take(network), true
}

// Wait takes a slot for a network as soon as one is free, or returns the error of ctx. The networks that wait take
// turns. The caller must call leave when it is done; another call of it does nothing.
func (s *Slots) Wait(ctx context.Context, network netip.Prefix) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.shares.Room(s.taken, s.of[network], 1) {
		defer s.mu.Unlock()
		return s.take(network), nil
	}
	w := &waiter{network, make(chan struct{})}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()
	select {
	case <-w.ready:
		return s.leaving(network), nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := slices.Index(s.waiting, w); at >= 0 {
		s.remove(at)
	} else { // it had its turn at the same moment
		s.giveBack(network)
	}
	return nil, ctx.Err()
}

// take takes a slot. S is locked.
func (s *Slots) take(network netip.Prefix) (leave func()) {
	s.taken++
	s.of[network]++
	return s.leaving(network)
}

func (s *Slots) leaving(network netip.Prefix) (leave func()) {
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.giveBack(network)
	})
}

// giveBack frees a slot, and hands slots to those that wait. S is locked.
func (s *Slots) giveBack(network netip.Prefix) {
	s.taken--
	if s.of[network]--; s.of[network] == 0 {
		delete(s.of, network)
	}
	for s.handOver() { // one slot less can admit one of another network, and one of this
	}
}

// handOver hands a slot to one that waits, and reports whether it did. S is locked.
func (s *Slots) handOver() bool {
	next, turn := -1, math.MaxInt
	for i, w := range s.waiting {
		if last := s.turns[w.network]; last < turn && s.shares.Room(s.taken, s.of[w.network], 1) {
			next, turn = i, last
		}
	}
	if next < 0 {
		return false
	}
	w := s.waiting[next]
	s.turn++
	s.turns[w.network] = s.turn
	s.remove(next)
	s.taken++
	s.of[w.network]++
	close(w.ready)
	return true
}

// remove removes one that waits. S is locked.
func (s *Slots) remove(at int) {
	network := s.waiting[at].network
	s.waiting = slices.Delete(s.waiting, at, at+1)
	if !slices.ContainsFunc(s.waiting, func(w *waiter) bool { return w.network == network }) {
		delete(s.turns, network)
	}
}
