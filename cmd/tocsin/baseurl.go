package main

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// parseBaseURL parses -base-url: an origin, returned without a slash at the end, or
// "" for none.
func parseBaseURL(text string) (string, error) {
	base := strings.TrimRight(text, "/")
	if base == "" {
		return "", nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Path != "" ||
		strings.ContainsAny(base, "?#") || !isCanonicalHost(u) {
		return "", usage("-base-url %q is not like https://tocsin.example: an origin, without a path", text)
	}
	return base, nil
}

// isCanonicalHost reports whether the host is an IP address or an ASCII name, as
// clients send it, and whether the port is valid.
func isCanonicalHost(u *url.URL) bool {
	if _, port, ok := strings.Cut(u.Host[strings.LastIndexByte(u.Host, ']')+1:], ":"); ok {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	_, err := netip.ParseAddr(u.Hostname())
	return err == nil || hostName.MatchString(u.Hostname())
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
