package x402

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Health is what the last calls showed about the facilitator. Those that a payment may
// have made fail do not count.
type Health struct {
	Known     bool      // at least one call was made
	Reachable bool      // the last call had a valid response
	At        time.Time // of the last call
	Networks  []string  // where it settles the scheme "exact", as CAIP-2 identifiers; nil until it has said so
}

// Settles reports whether the facilitator has said that it settles payments on the
// network.
func (h Health) Settles(network string) bool { return slices.Contains(h.Networks, network) }

// MaySettle reports whether payments on the network can be settled, as far as is
// known. It is true until the facilitator has said what it supports.
func (h Health) MaySettle(network string) bool { return h.Networks == nil || h.Settles(network) }

// Health returns what the last calls showed.
func (f *Facilitator) Health() Health {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.health
}

// recordHealth records the result of a call.
func (f *Facilitator) recordHealth(failure *FacilitatorError) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.health.Known, f.health.Reachable, f.health.At = true, failure == nil, f.o.Now()
}

// feePayers are the wallets that pay the fees of transactions on one network of
// Solana. Facilitators change them. A client that was offered the previous one may
// still pay with it.
type feePayers struct {
	current     string
	confirmedAt time.Time            // when the facilitator last named current
	previous    map[string]time.Time // earlier wallets, and until when they are accepted
}

const (
	refreshInterval = 5 * time.Minute // between calls to /supported while they succeed
	retryInterval   = 5 * time.Second // between calls to /supported after a failure

	// maxSupportedAge is how long a response of /supported is used while calls fail.
	maxSupportedAge = 15 * time.Minute

	// askTimeout limits a call to /supported that a payer waits for.
	askTimeout = 5 * time.Second
)

// FeePayer returns the wallet to offer as fee payer on the network. "" means that
// none is known, so that no client can pay there.
func (f *Facilitator) FeePayer(network string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.feePayers[network]
	if p == nil || f.o.Now().Sub(p.confirmedAt) > maxSupportedAge {
		return ""
	}
	return p.current
}

// FeePayers returns all fee payers to accept on the network: that of
// [Facilitator.FeePayer] and those before it for [Timeout] more seconds.
func (f *Facilitator) FeePayers(network string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, now := f.feePayers[network], f.o.Now()
	if p == nil {
		return nil
	}
	var all []string
	if p.current != "" && now.Sub(p.confirmedAt) <= maxSupportedAge {
		all = append(all, p.current)
	}
	for wallet, until := range p.previous {
		if now.Before(until) {
			all = append(all, wallet)
		}
	}
	return all
}

// Watch keeps what the facilitator supports up to date until the context ends. It
// calls changed after each change: with the error when calls begin to fail, else
// with nil and the networks.
func (f *Facilitator) Watch(ctx context.Context, changed func(failure *FacilitatorError, networks []string)) {
	wait := time.NewTimer(0)
	defer wait.Stop()
	var last string
	for {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		case <-f.refresh:
		}
		failure := f.Ask(ctx)
		networks := f.Health().Networks
		state := strings.Join(networks, " ")
		wait.Reset(refreshInterval)
		if failure != nil {
			state = failure.Cause.String()
			wait.Reset(retryInterval)
		}
		if state != last && ctx.Err() == nil {
			last = state
			changed(failure, networks)
		}
	}
}

// Refresh makes [Facilitator.Watch] ask at once. It does not wait for the response.
func (f *Facilitator) Refresh() {
	select {
	case f.refresh <- struct{}{}:
	default: // a refresh is pending already
	}
}

// Ask asks once what the facilitator supports (section 7.3), and records its networks
// and fee payers.
func (f *Facilitator) Ask(ctx context.Context) *FacilitatorError {
	_, failure := f.ask(ctx)
	return failure
}

// answers asks on behalf of the breaker. It takes at most [askTimeout], also for a
// caller who has gone.
func (f *Facilitator) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	answered, failure := f.ask(ctx)
	if f.breaker.asked(failure != nil && failure.Cause == Unreachable) {
		f.Refresh() // so that the failure is logged, and its end noticed without a payment
	}
	return answered
}

// ask is [Facilitator.Ask], which does not need the breaker to be closed, and closes it
// if the facilitator answers. Any answer will do that is not a failure of the server:
// not every facilitator has /supported, and payments may have used up what it allows.
func (f *Facilitator) ask(ctx context.Context) (answered bool, failure *FacilitatorError) {
	var supported supportedResponse
	status, failure := f.send(ctx, http.MethodGet, "/supported", nil, &supported)
	answered = failure == nil || 0 < status && status < 500
	if !errors.Is(ctx.Err(), context.Canceled) { // else it was not waited for
		f.breaker.question(answered)
	}
	if status != http.StatusTooManyRequests {
		f.recordHealth(failure)
	}
	if failure == nil {
		f.learn(&supported)
	}
	return answered, failure
}

// learn records what the facilitator supports.
func (f *Facilitator) learn(supported *supportedResponse) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.o.Now()
	f.health.Networks = []string{}
	named := map[string]bool{} // the networks for which it named a fee payer
	for _, k := range supported.Kinds {
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
		p := f.feePayers[k.Network]
		if p == nil {
			p = &feePayers{previous: map[string]time.Time{}}
			f.feePayers[k.Network] = p
		}
		if p.current != k.Extra.FeePayer {
			p.retire(now)
		}
		for wallet, until := range p.previous {
			if now.After(until) {
				delete(p.previous, wallet)
			}
		}
		p.current, p.confirmedAt = k.Extra.FeePayer, now
	}
	for network, p := range f.feePayers {
		if !named[network] {
			p.retire(now)
		}
	}
}

// retire moves the current fee payer, if there is one, to the previous ones: clients
// that were offered it may still pay.
func (p *feePayers) retire(now time.Time) {
	if p.current != "" {
		p.previous[p.current], p.current = now.Add(Timeout*time.Second), ""
	}
}
