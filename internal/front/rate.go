package front

import (
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"tocsin/internal/limits"
)

// TooFast is the error of a request that [Door.LimitRequests] does not admit.
type TooFast struct {
	Wait time.Duration // until the next request of this network is admitted
}

// Error implements error.
func (TooFast) Error() string { return "too many requests come from this network" }

// LimitRequests bounds the requests of each network, whatever they ask for; nil is no bound. Probes are not counted, so
// that a supervisor never takes a busy process for a dead one, nor are programs on this machine itself. All clients of
// a proxy on it that is not trusted are one network. Call it before the door serves.
func (d *Door) LimitRequests(budget *limits.Window[netip.Prefix]) { d.requestBudget = budget }

// admit counts a request. If its network has sent too many it answers, and is false.
func (d *Door) admit(w http.ResponseWriter, r *http.Request, handler http.Handler, about *Request) bool {
	if d.requestBudget == nil {
		return true
	}
	from, unknown := about.client()
	if from.IsLoopback() && !unknown {
		return true
	}
	wait, _ := d.requestBudget.Take(networkOf(from))
	if wait == 0 {
		return true
	}
	d.refusedTooFast(about, networkOf(from))
	w.Header().Set("Retry-After", strconv.Itoa(Seconds(wait)))
	refuse(w, r, handler, http.StatusTooManyRequests, TooFast{wait})
	return false
}
