package front

import (
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"tocsin/internal/health"
)

const (
	// maxHammering is how many networks that send too many requests are told apart at a time. All further ones are logged
	// as one, so that the log stays small.
	maxHammering = 100
	// warnEvery is how often there is a warning about such a network, and lineEvery how often a line in the access log.
	warnEvery = 10 * time.Minute
	lineEvery = time.Second
)

// hammering counts the requests of networks that were refused by the rate, for a log that a flood does not fill.
type hammering struct {
	mu       sync.Mutex
	networks map[netip.Prefix]*refusals
}

// refusals are the requests of one network that were refused since each kind of line was written.
type refusals struct {
	warned, logged     time.Time
	unwarned, unlogged int
}

// count counts a request of a network that is refused. It returns how many refused requests a warning and a line of the
// access log stand for that are due now; 0 for a line that is not.
func (h *hammering) count(network netip.Prefix, now time.Time) (warn, line int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.of(network, now)
	r.unwarned++
	r.unlogged++
	if due(r.warned, now, warnEvery) {
		warn, r.unwarned, r.warned = r.unwarned, 0, now
	}
	if due(r.logged, now, lineEvery) {
		line, r.unlogged, r.logged = r.unlogged, 0, now
	}
	return warn, line
}

// of returns the refusals of a network, or of all that there is no room for.
func (h *hammering) of(network netip.Prefix, now time.Time) *refusals {
	if h.networks == nil {
		h.networks = map[netip.Prefix]*refusals{}
	}
	if r := h.networks[network]; r != nil {
		return r
	}
	if len(h.networks) >= maxHammering {
		for other, r := range h.networks {
			if due(r.logged, now, warnEvery) {
				delete(h.networks, other)
			}
		}
	}
	if len(h.networks) >= maxHammering {
		network = netip.Prefix{}
	}
	r := h.networks[network]
	if r == nil {
		r = &refusals{}
		h.networks[network] = r
	}
	return r
}

// due reports whether a line is to be written, also after a clock has gone back.
func due(last, now time.Time, every time.Duration) bool {
	return now.Sub(last) >= every || now.Before(last)
}

// refusedTooFast counts a request that its network's rate does not admit, and logs that once in ten minutes.
func (d *Door) refusedTooFast(about *Request, network netip.Prefix) {
	d.meter.Refused("requests")
	d.deployment.Health.Count(health.Load, health.Rate, 1)
	warn, line := d.hammering.count(network, d.deployment.Now())
	about.refused, about.unlogged = line, line == 0
	if warn > 0 {
		d.deployment.Log.LogAttrs(about.http.Context(), slog.LevelWarn, "one network sends more than -rate: requests "+
			"refused (429); this is logged once in ten minutes", slog.Int("refused", warn), slog.String("id", about.ID),
			d.tag(about), slog.String("remedy", "find its address in the log of the proxy, and block it there"))
	}
}
