package limits

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// maxIdleKeys is how many networks may be held before idle ones are dropped, which
// changes nothing. A refused payment is forgotten after a minute.
const maxIdleKeys = 10_000

// maxEarned is how many more verifications than its limit a network may have in
// progress because its payments were settled.
const maxEarned = paidCallsPerNetwork

// Verifications bounds how many payments of one network a facilitator is asked to
// verify in vain. A payment that is refused costs its sender nothing, but the operator
// a part of what the facilitator allows.
//
// A network has a number of places. A verification in progress takes one. A payment
// that was refused, or that the facilitator failed on, keeps its place until its turn
// to be forgotten: as many as the limit are forgotten in a minute, one after the
// other. Each settled payment adds a place until the next refusal, so that a network
// that pays is not held up.
//
// Its methods may be called from any goroutine.
type Verifications struct {
	limit int           // 0: no limit
	turn  time.Duration // after which one refused payment is forgotten
	now   func() time.Time

	mu       sync.Mutex
	networks map[Key]*standing
	sweepAt  int // number of networks at which those without a refusal are dropped
	untold   untold
}

// standing is what counts for a network.
type standing struct {
	refused    time.Duration // until all refused payments are forgotten, from a moment
	at         time.Time     // the moment
	inProgress int
	earned     int           // places for settled payments
	ended      chan struct{} // closed when a verification ends; nil if nobody waits for that
	slots      []refusals    // of the last minute; only if processes share the budget
}

// refusals are the refused payments of a slot of time.
type refusals struct{ slot, events, untold int64 }

// refusalSlot is how long a slot is, and refusalPeriod how long its refused payments matter: all are forgotten then.
const (
	refusalSlot   = 5 * time.Second
	refusalPeriod = time.Minute
)

// NewVerifications returns an empty budget. Limit is how many payments of one network
// may be refused at once, and from then on in a minute; 0 for no limit. Now is the clock.
func NewVerifications(limit int, now func() time.Time) *Verifications {
	v := &Verifications{limit: limit, now: now, networks: map[Key]*standing{}, sweepAt: maxIdleKeys}
	if limit > 0 {
		v.turn = time.Minute / time.Duration(limit)
	}
	return v
}

// Try takes a place of the network if one is free. The caller must call leave once
// when the verification has ended, and say whether the payment was refused.
func (v *Verifications) Try(network netip.Prefix) (leave func(refused bool), ok bool) {
	if v.limit <= 0 {
		return func(bool) {}, true
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	key := keyOf(v.untold.secret, network)
	return v.enter(key, v.of(key))
}

// Wait takes a place as [Verifications.Try] does. If none is free it waits for the
// verifications in progress, which may free theirs. If refused payments have all
// places, leave is nil, and retryAfter is how long it takes until one is free. The
// error is that of ctx.
func (v *Verifications) Wait(
	ctx context.Context, network netip.Prefix,
) (leave func(refused bool), retryAfter time.Duration, err error) {
	if v.limit <= 0 {
		return func(bool) {}, 0, nil
	}
	key := keyOf(v.untold.secret, network)
	for {
		v.mu.Lock()
		s := v.of(key)
		leave, ok := v.enter(key, s)
		retryAfter := s.refused + v.turn - v.places(s)
		if !ok && retryAfter <= 0 && s.ended == nil {
			s.ended = make(chan struct{})
		}
		ended := s.ended
		v.mu.Unlock()
		switch {
		case ok:
			return leave, 0, nil
		case retryAfter > 0:
			return nil, retryAfter, nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
}

// Refused counts a payment that was verified and then not settled.
func (v *Verifications) Refused(network netip.Prefix) {
	key := keyOf(v.untold.secret, network)
	v.change(key, func(s *standing) { v.refuseHere(key, s) })
}

// Settled counts a payment that was settled.
func (v *Verifications) Settled(network netip.Prefix) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.of(keyOf(v.untold.secret, network))
	s.earned = min(s.earned+1, maxEarned)
}

// Earned returns how many places a network has for settled payments.
func (v *Verifications) Earned(network netip.Prefix) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.networks[keyOf(v.untold.secret, network)]; s != nil {
		return s.earned
	}
	return 0
}

// refuseHere counts a payment that was refused in this process.
func (v *Verifications) refuseHere(network Key, s *standing) {
	v.refuse(s)
	if v.untold.keys == nil {
		return
	}
	r := v.slot(s, v.now().UnixNano()/int64(refusalSlot))
	r.events++
	r.untold++
	v.untold.note(network)
}

// refuse counts a refused payment. No more than the limit are remembered: when a
// facilitator fails on many payments of a network at once, that is not its fault.
func (v *Verifications) refuse(s *standing) {
	s.refused, s.earned = min(s.refused+v.turn, time.Duration(v.limit)*v.turn), 0
}

func (v *Verifications) change(network Key, change func(*standing)) {
	if v.limit <= 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	change(v.of(network))
}

// places returns how many places the network has, as the time in which so many
// refused payments are forgotten.
func (v *Verifications) places(s *standing) time.Duration {
	return time.Duration(v.limit+s.earned) * v.turn
}

// enter takes a place if one is free.
func (v *Verifications) enter(network Key, s *standing) (leave func(refused bool), ok bool) {
	if s.refused+time.Duration(s.inProgress+1)*v.turn > v.places(s) {
		return nil, false
	}
	s.inProgress++
	return func(refused bool) {
		v.change(network, func(s *standing) {
			s.inProgress--
			if refused {
				v.refuseHere(network, s)
			}
			if s.ended != nil {
				close(s.ended)
				s.ended = nil
			}
		})
	}, true
}

// of returns the standing of a network now.
func (v *Verifications) of(network Key) *standing {
	now := v.now()
	s := v.networks[network]
	if s == nil {
		if len(v.networks) >= v.sweepAt {
			v.sweep(now)
		}
		s = &standing{at: now}
		v.networks[network] = s
	}
	s.forget(now)
	return s
}

// forget forgets the refused payments whose turn has come. A clock that goes back
// makes none be forgotten earlier or later.
func (s *standing) forget(now time.Time) {
	if passed := now.Sub(s.at); passed > 0 {
		s.refused = max(0, s.refused-passed)
	}
	s.at = now
}

// sweep drops the networks without refused payments, and what they have earned.
// The next time it waits for twice as many networks if most must stay.
func (v *Verifications) sweep(now time.Time) {
	for network, s := range v.networks {
		if s.forget(now); s.refused == 0 && s.inProgress == 0 {
			delete(v.networks, network)
		}
	}
	v.sweepAt = max(maxIdleKeys, 2*len(v.networks))
}
