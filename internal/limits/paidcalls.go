package limits

import (
	"net/netip"
	"sync"
)

// How many paid calls may be in progress at once. The numbers bound what a
// facilitator that hangs costs, and keep one caller from taking every place.
const (
	paidCalls           = 1024
	paidCallsPerNetwork = 512 // of one that has paid for so many
	paidCallsPerPayer   = 8   // unverified, and 8 more with verified signatures
)

var (
	// paidShares are those of a network that has not paid. Each settled payment adds a place.
	paidShares = Shares{All: paidCalls, Network: 128, Sure: 8}

	// unverifiedShares are for calls whose signatures were not checked here: those of contract wallets, which only the
	// chain can check, and the first calls of others. Each settled payment of a network adds a place, up to
	// unverifiedPerNetwork; not to its share of the last half, which others may need.
	unverifiedShares = Shares{All: 512, Network: 8, Sure: 4}
)

// unverifiedPerNetwork is how many unverified calls of a network that pays may be in progress. To verify a signature is
// a sixth of what a paid call costs.
const unverifiedPerNetwork = 64

// PaidCalls counts the paid calls in progress: in all, by network and by payer.
// Its methods may be called from any goroutine.
type PaidCalls struct {
	all, unverified *Slots

	mu     sync.Mutex
	payers map[any]int
}

// claimedPayer and verifiedPayer are the keys of payers: as a payment names its
// payer, and as its signature proves.
type (
	claimedPayer  string
	verifiedPayer string
)

// NewPaidCalls returns places that are all free.
func NewPaidCalls() *PaidCalls {
	return &PaidCalls{all: NewSlots(paidShares), unverified: NewSlots(unverifiedShares), payers: map[any]int{}}
}

// EnterNetwork counts a call among all and among those of its network, which has earned places by settled payments. It
// returns how to leave, or nil if there are too many.
func (p *PaidCalls) EnterNetwork(network netip.Prefix, earned int) (leave func()) {
	leave, _ = p.all.try(network, paidShares.more(earned, paidCallsPerNetwork))
	return leave
}

// EnterPayer counts a call among those of its payer, from a network that has earned places by settled payments. It
// returns how to leave, or nil if there are too many.
//
// Verifying a signature is costly, so verified is asked only where it matters:
// when the unverified places of the payer's name, of the network or of all
// networks are taken. Calls that only use another's name cannot take the verified
// places.
func (p *PaidCalls) EnterPayer(
	network netip.Prefix, earned int, payer string, verified func() bool,
) (leave func()) {
	unverified := unverifiedShares
	unverified.Network = min(unverified.Network+earned, unverifiedPerNetwork)
	if left, ok := p.unverified.try(network, unverified); ok {
		if leave := p.enter(claimedPayer(payer)); leave != nil {
			return func() { leave(); left() }
		}
		left()
	}
	if verified() {
		return p.enter(verifiedPayer(payer))
	}
	return nil
}

// enter counts a call of a payer if not too many are in progress.
func (p *PaidCalls) enter(payer any) (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.payers[payer] >= paidCallsPerPayer {
		return nil
	}
	p.payers[payer]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.payers[payer]--; p.payers[payer] == 0 {
			delete(p.payers, payer)
		}
	}
}
