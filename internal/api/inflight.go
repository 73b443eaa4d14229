package api

import (
	"net/netip"
	"sync"
)

// How many paid calls may be in progress at once. They bound what a facilitator
// that hangs costs, and keep one caller from wearing it out.
const (
	paidCallsOfAll      = 1024
	paidCallsOfNetwork  = 512
	paidCallsOfPayer    = 16
	paidCallsOfUnproven = 64 // of all payers together who did not sign with a key: anybody can write any name on such a payment
)

// inFlight counts the paid calls in progress, by what they are bounded by.
type inFlight struct {
	mu     sync.Mutex
	counts map[any]int
}

// payerKey bounds the calls of a payer; the empty one, those of all that are not proven.
type payerKey struct{ payer string }

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

// enterPayer counts a call among those of its payer.
func (f *inFlight) enterPayer(payer string, proven bool) (leave func()) {
	if !proven {
		return f.enter(payerKey{}, paidCallsOfUnproven)
	}
	return f.enter(payerKey{payer}, paidCallsOfPayer)
}
