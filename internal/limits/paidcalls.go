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
	paidCallsPerPayer   = 8 // unverified, and 8 more with verified signatures

	// Calls whose signatures were not checked here: those of contract wallets, which
	// only the chain can check, and the first calls of others. So many networks can
	// have all of theirs at once that a few cannot shut out the rest.
	paidCallsUnverified           = 512
	paidCallsUnverifiedPerNetwork = 8
)

// PaidCalls counts the paid calls in progress: in all, by network and by payer.
// The zero value is ready to use. Its methods may be called from any goroutine.
type PaidCalls struct {
	mu     sync.Mutex
	counts map[any]int
}

// claimedPayer and verifiedPayer are the keys of payers: as a payment names its
// payer, and as its signature proves. unverifiedOf is the key of the unverified
// calls of a network, allUnverified that of all networks.
type (
	claimedPayer  string
	verifiedPayer string
	unverifiedOf  netip.Prefix
	allUnverified struct{}
)

// EnterNetwork counts a call among all and among those of its network. It
// returns how to leave, or nil if there are too many.
func (p *PaidCalls) EnterNetwork(network netip.Prefix) (leave func()) {
	return p.enterAll(place{network, paidCallsPerNetwork}, place{nil, paidCalls})
}

// EnterPayer counts a call among those of its payer. It returns how to leave,
// or nil if there are too many.
//
// Verifying a signature is costly, so verified is asked only where it matters:
// when the unverified places of the payer's name, of the network or of all
// networks are taken. Calls that only use another's name cannot take the verified
// places.
func (p *PaidCalls) EnterPayer(network netip.Prefix, payer string, verified func() bool) (leave func()) {
	leave = p.enterAll(
		place{claimedPayer(payer), paidCallsPerPayer},
		place{unverifiedOf(network), paidCallsUnverifiedPerNetwork},
		place{allUnverified{}, paidCallsUnverified})
	if leave == nil && verified() {
		return p.enter(verifiedPayer(payer), paidCallsPerPayer)
	}
	return leave
}

// place is a key with its limit.
type place struct {
	key   any
	limit int
}

// enterAll counts a call under each key, or under none if one has no place left.
func (p *PaidCalls) enterAll(places ...place) (leave func()) {
	var entered []func()
	leave = func() {
		for _, l := range entered {
			l()
		}
	}
	for _, at := range places {
		l := p.enter(at.key, at.limit)
		if l == nil {
			leave()
			return nil
		}
		entered = append(entered, l)
	}
	return leave
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
