package api

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// throttle keeps one network from flooding: it may do so many things an hour,
// in a burst or spread out. It remembers networks in memory only.
type throttle struct {
	perHour int
	now     func() time.Time

	mu       sync.Mutex
	networks map[throttled]*rate.Limiter
}

type throttled struct {
	network netip.Prefix
	keyed   bool
}

// maxNetworks is how many networks are remembered before the idle ones are
// forgotten, which costs nothing: an idle network has its whole hour again.
const maxNetworks = 100_000

// take takes one thing for a network, or says how long to wait. The second
// result, nil if it must wait, gives it back.
func (t *throttle) take(network netip.Prefix, keyed bool) (wait time.Duration, undo func()) {
	limit := t.perHour
	if keyed {
		limit *= 10
	}
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	key := throttled{network, keyed}
	l := t.networks[key]
	if l == nil {
		if len(t.networks) >= maxNetworks || t.networks == nil {
			kept := map[throttled]*rate.Limiter{}
			for k, l := range t.networks {
				if l.TokensAt(now) < float64(l.Burst()) {
					kept[k] = l
				}
			}
			t.networks = kept
		}
		l = rate.NewLimiter(rate.Limit(float64(limit)/3600), limit)
		t.networks[key] = l
	}
	r := l.ReserveN(now, 1)
	if !r.OK() {
		return time.Hour, nil // a limit of zero
	}
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		return wait, nil
	}
	return 0, func() { r.CancelAt(now) }
}
