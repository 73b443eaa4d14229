package front

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"tocsin/internal/health"
	"tocsin/internal/limits"
)

// Deployment is what the operator decides, and what every part of the service
// needs to know of how it is deployed.
type Deployment struct {
	BaseURL string // where callers reach the service, without a slash at the end: https://tocsin.example
	Version string // of the program
	Contact string // a mailto: or https: URL of the operator; "" for none
	MCP     string // path of the MCP endpoint
	Links   string // the header Link of the site's first page; "" for none
	Signal  string // what crawlers may do with the content, for robots.txt; "" to say nothing

	Quota  int // free calls a UTC day of a key that has no quota of its own
	Limits limits.Config

	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For is believed

	// AccessLog is of how many requests one is logged, the others only if they end with a status from 500: 0 and 1 log
	// all. A negative number logs none but these.
	AccessLog int
	// Tag names the network of a request in the access log without telling its address; nil logs nothing of it.
	Tag func(netip.Prefix) string

	// Trace is called at the end of each request but the probes, and returns the id of its trace, "" for none. Nil makes
	// no traces.
	Trace func(Ended) (id string)

	Log    *slog.Logger
	Now    func() time.Time // the clock
	Health *health.Board    // where failures are reported; nil keeps none
	Meter  Meter            // what counts requests and payments; nil counts nothing

	parsed *url.URL // BaseURL, once [New] has it
}

// Count returns the meter.
func (d *Deployment) Count() Meter {
	if d.Meter == nil {
		return Uncounted{}
	}
	return d.Meter
}

// refused counts a connection or a body that was one too many.
func (d *Deployment) refused(what health.Reason) {
	d.Count().Refused(string(what))
	if d.Health.Count(health.Load, what, 1) {
		d.Log.Warn("clients are refused because there are too many at a time; this is logged once in ten minutes",
			"what", string(what))
	}
}

// ThisMachine is the address that a connection to a socket in the file system counts as: 127.0.0.1.
var ThisMachine = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// peer returns the address at the other end of a connection, which is ThisMachine if it came to a socket in the file
// system. Local is the end here; it may be nil. The address is invalid if the other end has none.
func peer(remote string, local net.Addr) netip.Addr {
	if _, ok := local.(*net.UnixAddr); ok {
		return ThisMachine
	}
	at, _ := netip.ParseAddrPort(remote)
	return at.Addr().Unmap()
}

// remote returns the address that a request comes from: the connection's, or,
// if that is a trusted proxy, the last address in X-Forwarded-For that is not
// one. Malformed is the entry at which the search ended because it is not an
// address; "" for none. The client then seems to be the proxy that wrote it. Unknown says that a proxy on this machine
// passed the request on that is not trusted.
func (d *Deployment) remote(r *http.Request) (addr netip.Addr, malformed string, unknown bool) {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	addr = peer(r.RemoteAddr, local)
	if !d.Trusts(addr) {
		return addr, "", addr.IsLoopback() && forwarded(r)
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		entry := strings.TrimSpace(hops[i])
		hop, ok := parseHop(entry)
		if !ok {
			return addr, entry, false
		}
		if addr = hop.Unmap(); !d.Trusts(addr) {
			break
		}
	}
	return addr, "", false
}

// forwarded reports whether a request says that a proxy has passed it on.
func forwarded(r *http.Request) bool {
	return r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != ""
}

// parseHop parses an entry of X-Forwarded-For. Besides plain addresses some
// proxies write 192.0.2.1:4711, [2001:db8::1]:443 or [2001:db8::1].
func parseHop(entry string) (netip.Addr, bool) {
	if at, err := netip.ParseAddrPort(entry); err == nil {
		return at.Addr(), true
	}
	if inner, ok := strings.CutPrefix(entry, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); !ok {
			return netip.Addr{}, false
		}
		addr, err := netip.ParseAddr(inner)
		return addr, err == nil && addr.Is6()
	}
	addr, err := netip.ParseAddr(entry)
	return addr, err == nil
}

// Trusts reports whether X-Forwarded-For is believed of a connection from this address.
func (d *Deployment) Trusts(a netip.Addr) bool {
	for _, p := range d.TrustedProxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// networkOf returns the network that an address counts for: the /24 of an IPv4
// address, the /48 of an IPv6 address, which is what one subscriber usually has.
func networkOf(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := 48
	if a.Is4() {
		bits = 24
	}
	p, _ := a.Prefix(bits)
	return p
}
