package signals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	maxRedirects = 2
	hostPause    = time.Minute // after a failure of a host
	maxHostPause = time.Hour   // that a host can ask for by Retry-After
)

// client gets documents of hosts that the operator has named, and of no others. It is safe for concurrent use.
type client struct {
	http  *http.Client
	hosts map[string]bool // with their ports, as in URLs

	mu     sync.Mutex
	paused map[string]time.Time // hosts that are not asked until then
}

// newClient returns a client of the hosts of these URLs. A host that is named by its IP address is trusted to be where
// it is. A name leads to public addresses alone, even if its DNS record was changed.
func newClient(urls ...*url.URL) *client {
	c := &client{hosts: map[string]bool{}, paused: map[string]time.Time{}}
	named := map[netip.Addr]bool{}
	for _, u := range urls {
		c.hosts[u.Host] = true
		if a, err := netip.ParseAddr(u.Hostname()); err == nil {
			named[a.Unmap()] = true
		}
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if a := at.Addr().Unmap(); !named[a] && !isPublic(a) {
			return errors.New("the host has an address that is not public")
		}
		return nil
	}}
	c.http = &http.Client{
		// No proxy: which address is connected to would be its decision.
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    5 * time.Second,
			MaxConnsPerHost:        2,
			MaxIdleConns:           20,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			switch {
			case len(via) > maxRedirects:
				return errors.New("it redirects too often")
			case !c.hosts[r.URL.Host] || !isFetched(r.URL):
				return errors.New("it redirects to another host")
			}
			return nil
		},
	}
	return c
}

// isFetched reports whether a URL is one that may be fetched: over TLS, or at an IP address that the operator wrote.
func isFetched(u *url.URL) bool {
	_, err := netip.ParseAddr(u.Hostname())
	return u.User == nil && u.Hostname() != "" && (u.Scheme == "https" || u.Scheme == "http" && err == nil)
}

// leftAlone is the error of a host that is not asked now, because it has failed.
type leftAlone struct{ until time.Time }

// Error implements error.
func (e *leftAlone) Error() string { return "it has failed before, and is left alone for a while" }

// errTooLarge is the error of an answer that is larger than any should be. It is no failure of the host: its answers
// about other names may be short.
var errTooLarge = errors.New("the answer is too large")

// get returns a document of at most so many bytes; nil if the host says that there is none (404). After a failure the
// host is left alone for a while: the error is a [leftAlone] then.
func (c *client) get(ctx context.Context, at *url.URL, accept string, most int64, now time.Time) ([]byte, error) {
	c.mu.Lock()
	until := c.paused[at.Host]
	c.mu.Unlock()
	if now.Before(until) {
		return nil, &leftAlone{until}
	}
	text, pause, err := c.fetch(ctx, at, accept, most)
	if err != nil && pause > 0 {
		c.mu.Lock()
		c.paused[at.Host] = now.Add(pause)
		c.mu.Unlock()
	}
	return text, err
}

// fetch gets a document. Pause is for how long the host is to be left alone.
func (c *client) fetch(
	ctx context.Context, at *url.URL, accept string, most int64,
) (text []byte, pause time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, 0, err
	}
	r.Header.Set("Accept", accept)
	r.Header.Set("User-Agent", "tocsin")
	res, err := c.http.Do(r)
	if err != nil {
		var in *url.Error
		if errors.As(err, &in) { // it has the URL, which may have a key of the operator in it
			err = in.Err
		}
		return nil, hostPause, err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return nil, 0, nil
	default:
		wait, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		pause = min(max(time.Duration(min(wait, 3600))*time.Second, hostPause), maxHostPause)
		return nil, pause, fmt.Errorf("status %d", res.StatusCode)
	}
	text, err = io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case err != nil:
		return nil, hostPause, err
	case int64(len(text)) > most:
		return nil, 0, fmt.Errorf("%w: over %d bytes", errTooLarge, most)
	}
	return text, 0, nil
}

// special are the networks of IANA's special-purpose registries that not everybody reaches, beside those that
// [netip.Addr.IsGlobalUnicast] and [netip.Addr.IsPrivate] know, and tunnels, which hide the address that they lead to.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
}

// translated is the network that maps IPv4 where there is only IPv6 (RFC 6052).
var translated = netip.MustParsePrefix("64:ff9b::/96")

// isPublic reports whether everybody on the Internet reaches the same machine by an address.
func isPublic(a netip.Addr) bool {
	if translated.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
