package limits

import (
	"net/netip"
	"sync"
)

// How many paid calls may be in progress at once. The numbers bound what a
// facilitator that hangs costs, and keep one caller from taking every place.
const (
	paidCalls           = 1024
	paidCallsPerNetwork = 512
	paidCallsUnverified = 64 // in all, whose signatures were not checked here
	paidCallsPerPayer   = 8  // unverified, and 8 more with verified signatures
)

// PaidCalls counts the paid calls in progress: in all, by network and by payer.
// The zero value is ready to use. Its methods may be called from any goroutine.
type PaidCalls struct {
	mu     sync.Mutex
	counts map[any]int
}

// claimedPayer and verifiedPayer are the keys of payers: as a payment names its
// payer, and as its signature proves. The empty claimedPayer counts all
// unverified calls.
type (
	claimedPayer  string
	verifiedPayer string
)

// EnterNetwork counts a call among all and among those of its network. It
// returns how to leave, or nil if there are too many.
func (p *PaidCalls) EnterNetwork(network netip.Prefix) (leave func()) {
	one := p.enter(network, paidCallsPerNetwork)
	if one == nil {
		return nil
	}
	all := p.enter(nil, paidCalls)
	if all == nil {
		one()
		return nil
	}
	return func() { all(); one() }
}

// EnterPayer counts a call among those of its payer. It returns how to leave,
// or nil if there are too many.
//
// Verifying a signature is costly, so verified is asked only where it matters:
// when the places of the payer's name, or of all unverified calls, are taken.
// Calls that only use another's name cannot take the verified places.
func (p *PaidCalls) EnterPayer(payer string, verified func() bool) (leave func()) {
	if one := p.enter(claimedPayer(payer), paidCallsPerPayer); one != nil {
		if all := p.enter(claimedPayer(""), paidCallsUnverified); all != nil {
			return func() { all(); one() }
		}
		one()
	}
	if verified() {
		return p.enter(verifiedPayer(payer), paidCallsPerPayer)
	}
	return nil
}

// enter counts a call under the key if fewer than limit are in progress.
func (p *PaidCalls) enter(key any, limit int) (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts[key] >= limit {
		return nil
	}
	if p.counts == nil {
		p.counts = map[any]int{}
	}
	p.counts[key]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.counts[key]--; p.counts[key] == 0 {
			delete(p.counts, key)
		}
	}
}
