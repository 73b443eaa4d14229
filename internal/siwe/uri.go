package siwe

import (
	"net/netip"
	"regexp"
	"strings"
)

// The characters of RFC 3986, besides letters, digits and percent-encoding.
const (
	subdelims = "!$&'()*+,;="
	gendelims = ":/?#[]@"
	pchar     = ":@" // in a segment of a path
)

var (
	schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)
	portForm   = regexp.MustCompile(`^(:[0-9]*)?$`)
	futureForm = regexp.MustCompile(`^[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$`)
)

func isScheme(s string) bool { return schemeForm.MatchString(s) }

// isURI reports whether s is a URI (RFC 3986, section 3), which begins with a scheme.
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || !isScheme(scheme) {
		return false
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	if authority, found := strings.CutPrefix(path, "//"); found {
		if i := strings.IndexByte(authority, '/'); i >= 0 {
			authority, path = authority[:i], authority[i:]
		} else {
			path = ""
		}
		if !isAuthority(authority) {
			return false
		}
	}
	return consistsOf(path, pchar+"/") && consistsOf(query, pchar+"/?") && consistsOf(fragment, pchar+"/?")
}

// isAuthority reports whether s is an authority (RFC 3986, section 3.2), perhaps
// with a user or an empty host.
func isAuthority(s string) bool {
	if user, rest, ok := strings.Cut(s, "@"); ok {
		if !consistsOf(user, ":") {
			return false
		}
		s = rest
	}
	if literal, ok := strings.CutPrefix(s, "["); ok {
		literal, port, ok := strings.Cut(literal, "]")
		ip, err := netip.ParseAddr(literal)
		six := err == nil && ip.Is6() && ip.Zone() == ""
		return ok && (six || futureForm.MatchString(literal)) && portForm.MatchString(port)
	}
	i := strings.IndexByte(s+":", ':')
	return consistsOf(s[:i], "") && portForm.MatchString(s[i:])
}

// hasHost reports whether the host of an authority is not empty.
func hasHost(authority string) bool {
	host := authority[strings.IndexByte(authority, '@')+1:]
	return host != "" && host[0] != ':'
}

// consistsOf reports whether s consists of unreserved characters, percent-encoded
// ones, sub-delimiters, and those of more.
func consistsOf(s, more string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9':
		case strings.IndexByte("-._~"+subdelims, c) >= 0 || strings.IndexByte(more, c) >= 0:
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]): // the digits may be anywhere
		default:
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// originOf returns the scheme and the authority of a URI as origins are compared
// (RFC 6454): in lower case and without the default port of the scheme. A user in
// the authority stays, so that such a URI matches no origin.
func originOf(uri string) string {
	scheme, rest, _ := strings.Cut(strings.ToLower(uri), "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	switch scheme {
	case "https":
		rest = strings.TrimSuffix(rest, ":443")
	case "http":
		rest = strings.TrimSuffix(rest, ":80")
	}
	return scheme + "://" + rest
}
