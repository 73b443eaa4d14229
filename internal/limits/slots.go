package limits

import "context"

// Slots bounds how many things are done at once. Its methods may be called from
// any goroutine.
type Slots struct{ free chan struct{} }

// NewSlots returns n free slots.
func NewSlots(n int) *Slots { return &Slots{make(chan struct{}, n)} }

// Try takes a slot if one is free. The caller must call leave when it is done.
func (s *Slots) Try() (leave func(), ok bool) {
	select {
	case s.free <- struct{}{}:
		return s.leave, true
	default:
		return nil, false
	}
}

// Wait takes a slot as soon as one is free, or returns the error of ctx. The
// caller must call leave when it is done.
func (s *Slots) Wait(ctx context.Context) (leave func(), err error) {
	select {
	case s.free <- struct{}{}:
		return s.leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *Slots) leave() { <-s.free }
