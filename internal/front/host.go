package front

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// ErrForeign is the error of a request that is not addressed to this service, or that a page of another site makes.
// What wraps it says which of them, and what the operator can change.
var ErrForeign = errors.New("foreign request")

// checkForeign returns an error that wraps [ErrForeign] for a request that would change something and that a browser
// may have been misled to make: a web page can reach what listens on its visitor's machine, under a name of its own
// whose address it has changed meanwhile (DNS rebinding). Only connections to loopback addresses are checked: what
// listens on others is meant to be reached under any name. If the base URL is on this machine too, nobody else is
// served, and pages of other sites are refused under the right name as well.
func (d *Deployment) checkForeign(r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	if !cameByLoopback(r) || r.Host == "" { // browsers always send it
		return nil
	}
	if err := d.CheckHost(r); err != nil {
		return err
	}
	if d.Local() {
		return d.CheckOrigin(r)
	}
	return nil
}

// Local reports whether the base URL is on this machine. Then pages of other machines may read, and change nothing.
func (d *Deployment) Local() bool { return isLoopback(d.base().Host) }

// CheckHost returns an error that wraps [ErrForeign] unless the Host of a request is that of the base URL, or a name
// of this machine and the request came to a loopback address.
func (d *Deployment) CheckHost(r *http.Request) error {
	if d.isBase(r.Host) || cameByLoopback(r) && isLoopback(r.Host) {
		return nil
	}
	return fmt.Errorf("%w: the Host of this service is %s; its operator can set another with -base-url",
		ErrForeign, d.base().Host)
}

// CheckOrigin returns an error that wraps [ErrForeign] if a page makes the request (header Origin) that is not of the
// base URL. If the request came to a loopback address, pages of this machine are let through, too.
func (d *Deployment) CheckOrigin(r *http.Request) error {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 || len(origins) == 1 && d.mayCall(origins[0], cameByLoopback(r)) {
		return nil
	}
	if d.Local() && cameByLoopback(r) {
		return fmt.Errorf("%w: the URL of this service is on its own machine, so it takes this from programs and from pages "+
			"of this machine (localhost, 127.0.0.1) alone; with a public -base-url any page may send it", ErrForeign)
	}
	return fmt.Errorf("%w: only pages of %s may make it", ErrForeign, d.BaseURL)
}

func (d *Deployment) mayCall(origin string, here bool) bool {
	u, err := url.Parse(origin)
	if err != nil || origin != u.Scheme+"://"+u.Host || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return u.Scheme == d.base().Scheme && d.isBase(u.Host) || here && isLoopback(u.Host)
}

// base returns the base URL, empty if it is none.
func (d *Deployment) base() *url.URL {
	if d.parsed != nil {
		return d.parsed
	}
	if u, err := url.Parse(d.BaseURL); err == nil {
		return u
	}
	return &url.URL{}
}

// isBase reports whether a Host is that of the base URL.
func (d *Deployment) isBase(host string) bool {
	base, usual := d.base(), ":80"
	if base.Scheme == "https" {
		usual = ":443"
	}
	return strings.EqualFold(strings.TrimSuffix(host, usual), strings.TrimSuffix(base.Host, usual))
}

// cameByLoopback reports whether a request came to a loopback address.
func cameByLoopback(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return at != nil && isLoopback(at.String())
}

// isLoopback reports whether a host, with or without a port, is this machine by whatever name.
func isLoopback(host string) bool {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
		host = name
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && a.Unmap().IsLoopback()
}
