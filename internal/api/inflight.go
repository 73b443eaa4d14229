package api

import (
	"net/netip"
	"sync"
)

// How many paid calls may be in progress at once. They bound what a facilitator
// that hangs costs, and keep one caller from wearing it out.
const (
	paidCallsOfAll     = 1024
	paidCallsOfNetwork = 512
	paidCallsUnproven  = 64 // of all whose signatures nobody has looked at
	paidCallsOfPayer   = 8  // so many whose signatures nobody has looked at, and so many more that are proven
)

// inFlight counts the paid calls in progress, by what they are bounded by.
type inFlight struct {
	mu     sync.Mutex
	counts map[any]int
}

// unproven and proven are the keys of payers: one as their payments say, and one
// as their signatures prove. The empty one counts all that are unproven.
type (
	unproven string
	proven   string
)

// enter counts a call under the key if it is one of at most so many, and
// returns how to leave; nil if there are too many.
func (f *inFlight) enter(key any, most int) (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts[key] >= most {
		return nil
	}
	if f.counts == nil {
		f.counts = map[any]int{}
	}
	f.counts[key]++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.counts[key]--; f.counts[key] == 0 {
			delete(f.counts, key)
		}
	}
}

// enterFrom counts a call among all and among those of its network.
func (f *inFlight) enterFrom(network netip.Prefix) (leave func()) {
	one := f.enter(network, paidCallsOfNetwork)
	if one == nil {
		return nil
	}
	all := f.enter(nil, paidCallsOfAll)
	if all == nil {
		one()
		return nil
	}
	return func() { all(); one() }
}

// enterPayer counts a call among those of its payer. Only where it gets crowded
// does it matter who that really is, so that nobody can take another's places.
func (f *inFlight) enterPayer(payer string, isProven func() bool) (leave func()) {
	if one := f.enter(unproven(payer), paidCallsOfPayer); one != nil {
		if all := f.enter(unproven(""), paidCallsUnproven); all != nil {
			return func() { all(); one() }
		}
		one()
	}
	if isProven() {
		return f.enter(proven(payer), paidCallsOfPayer)
	}
	return nil
}
