package front

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"tocsin/internal/health"
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

	Quota   int // free calls a UTC day of a key that has no quota of its own
	Lookups int // subjects a UTC day that one network may look up on the site without a key
	Filings int // anonymous reports an hour from one network; ten times that with a key

	TotalFilings    int // reports an hour from all networks together; 0 for no limit
	TotalFiledBytes int // bytes of these as they are stored, a sixteenth from one network; 0 for no limit

	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For is believed

	Log    *slog.Logger
	Now    func() time.Time // the clock
	Health *health.Board    // where failures are reported; nil keeps none
}

// remote returns the address that a request comes from: the connection's, or,
// if that is a trusted proxy, the last address in X-Forwarded-For that is not
// one.
func (d *Deployment) remote(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	addr := at.Addr().Unmap()
	if err != nil || !d.trusts(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		if addr = hop.Unmap(); !d.trusts(addr) {
			break
		}
	}
	return addr
}

func (d *Deployment) trusts(a netip.Addr) bool {
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
