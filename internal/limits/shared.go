package limits

import (
	"net/netip"
	"time"
)

// Shared admits a number of events of all networks together in any period. The first three quarters are taken by
// whoever comes. Of the last quarter each network has a small part, so that a few networks that take as much as they
// may leave some for others: it takes hundreds to stop everybody (docs/decisions/0029).
//
// Its methods may be called from any goroutine. A nil Shared admits everything.
type Shared struct {
	first, last *Window[struct{}]
	parts       *Window[netip.Prefix] // of the last, by network
}

const (
	// lastQuarter is the part of the events of a period that is shared out.
	lastQuarter = 4
	// sharers is among how many networks it is shared out.
	sharers = 512
)

// NewShared returns a Shared that admits limit events in any period, or nil for a limit of 0. Each network has at least
// part of the last quarter. Now is the clock.
func NewShared(limit, part int, period time.Duration, now func() time.Time) *Shared {
	if limit <= 0 {
		return nil
	}
	last := limit / lastQuarter
	return &Shared{
		first: NewWindow[struct{}](limit-last, period, now),
		last:  NewWindow[struct{}](last, period, now),
		parts: NewWindow[netip.Prefix](max(part, last/sharers), period, now),
	}
}

// Limit is how many events are admitted of all networks in any period, and part how many of one network in the last
// quarter of them; 0 for a nil Shared.
func (s *Shared) Limit() (all, part int) {
	if s == nil {
		return 0, 0
	}
	return s.first.Limit() + s.last.Limit(), s.parts.Limit()
}

// Take counts events of a network, together or not at all. If too many are counted it returns how long to wait until
// they are admitted among the first three quarters, and undo is nil. Otherwise undo takes the events back; it must be
// called at most once.
func (s *Shared) Take(network netip.Prefix, events int) (wait time.Duration, undo func()) {
	if s == nil {
		return 0, func() {}
	}
	wait, undo = s.first.TakeMany(struct{}{}, events)
	if undo != nil {
		return 0, undo
	}
	_, leave := s.parts.TakeMany(network, events)
	if leave == nil {
		return wait, nil
	}
	_, back := s.last.TakeMany(struct{}{}, events)
	if back == nil {
		leave()
		return wait, nil
	}
	return 0, func() {
		back()
		leave()
	}
}
