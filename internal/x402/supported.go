package x402

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Health is how the facilitator fares.
type Health struct {
	Known     bool      // it was called at least once
	Reachable bool      // the last call had a proper answer
	At        time.Time // of the last call
	Networks  []string  // that it settles the scheme "exact" on, as it last said; nil before
}

// Settles reports whether the facilitator has said that it settles payments on the network.
func (h Health) Settles(network string) bool { return slices.Contains(h.Networks, network) }

// MaySettle reports whether payments on the network can be settled, as far as is
// known: of a facilitator that has said nothing yet it is supposed.
func (h Health) MaySettle(network string) bool { return h.Networks == nil || h.Settles(network) }

// Health returns how the last call went.
func (f *Facilitator) Health() Health {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.health
}

func (f *Facilitator) note(trouble *FacilitatorError) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.health.Known, f.health.Reachable, f.health.At = true, trouble == nil, f.o.Now()
}

// feePayers are the wallets that pay the fees of transactions on a network of
// Solana. Facilitators change them; a client that was told the one before may
// still pay with it.
type feePayers struct {
	current string
	said    time.Time            // when current was last confirmed
	until   map[string]time.Time // those before, and how long they are still taken
}

// How often a facilitator is asked what it supports, when all is well and when
// not, and how long its last word is believed while it cannot be asked.
const (
	askAgain = 5 * time.Minute
	askSoon  = 5 * time.Second
	believed = 15 * time.Minute
)

// FeePayer returns who pays the fees of the next transactions on the network;
// "" if nobody is known to, so that no client can pay there.
func (f *Facilitator) FeePayer(network string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.fees[network]
	if p == nil || f.o.Now().Sub(p.said) > believed {
		return ""
	}
	return p.current
}

// FeePayers returns all whom a client may have been told of lately.
func (f *Facilitator) FeePayers(network string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, now := f.fees[network], f.o.Now()
	if p == nil {
		return nil
	}
	var all []string
	if p.current != "" && now.Sub(p.said) <= believed {
		all = append(all, p.current)
	}
	for wallet, until := range p.until {
		if now.Before(until) {
			all = append(all, wallet)
		}
	}
	return all
}

// Watch asks what the facilitator supports, again and again until the context
// ends. It tells each change: the trouble that began, or nil and the networks.
func (f *Facilitator) Watch(ctx context.Context, told func(trouble *FacilitatorError, networks []string)) {
	wait := time.NewTimer(0)
	defer wait.Stop()
	var last string
	for {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		case <-f.stale:
		}
		trouble := f.Ask(ctx)
		networks := f.Health().Networks
		state := strings.Join(networks, " ")
		wait.Reset(askAgain)
		if trouble != nil {
			state = trouble.Cause.String()
			wait.Reset(askSoon)
		}
		if state != last && ctx.Err() == nil {
			last = state
			told(trouble, networks)
		}
	}
}

// Refresh has what the facilitator supports asked soon, because it has changed.
func (f *Facilitator) Refresh() {
	select {
	case f.stale <- struct{}{}:
	default: // it is to be asked already
	}
}

// Ask asks once what the facilitator supports (7.3).
func (f *Facilitator) Ask(ctx context.Context) *FacilitatorError {
	var answer supportedAnswer
	if _, trouble := f.call(ctx, http.MethodGet, "/supported", nil, always, &answer); trouble != nil {
		return trouble
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.o.Now()
	f.health.Networks = []string{}
	named := map[string]bool{}
	for _, k := range answer.Kinds {
		if k.X402Version != Version || k.Scheme != "exact" {
			continue
		}
		if !slices.Contains(f.health.Networks, k.Network) {
			f.health.Networks = append(f.health.Networks, k.Network)
		}
		if validSolana(k.Extra.FeePayer) != nil || named[k.Network] {
			continue
		}
		named[k.Network] = true
		p := f.fees[k.Network]
		if p == nil {
			p = &feePayers{until: map[string]time.Time{}}
			f.fees[k.Network] = p
		}
		if p.current != k.Extra.FeePayer && p.current != "" {
			p.until[p.current] = now.Add(Timeout * time.Second)
		}
		for wallet, until := range p.until {
			if now.After(until) {
				delete(p.until, wallet)
			}
		}
		p.current, p.said = k.Extra.FeePayer, now
	}
	for network, p := range f.fees {
		if !named[network] && p.current != "" {
			p.until[p.current], p.current = now.Add(Timeout*time.Second), "" // who was told of it may still pay
		}
	}
	return nil
}
