package paste

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"tocsin"
)

// walletSites are sites of wallets of which links open the wallet, beside the hosts that have nothing else
// ([tocsin.Domain.OpensWallets]).
var walletSites = []string{"phantom.app", "phantom.com", "rnbwapp.com", "link.zerion.io"}

// opensWallets reports whether links of a host open a wallet, which then shows a site or sends money.
func opensWallets(host string) bool {
	d, fault := tocsin.ParseDomain(strings.TrimPrefix(strings.ToLower(host), "www."))
	return fault == nil && (d.OpensWallets() || slices.Contains(walletSites, d.String()))
}

var (
	// onwardLink matches a link within a link.
	onwardLink = regexp.MustCompile(`(?i)(?:https?:[/\\]{1,2}|=//)([^/\\?#&\s"'<>;,]+)`)
	// onwardPath matches a name behind a word that says that the link leads there.
	onwardPath = regexp.MustCompile(`(?i)/(?:dapp|browser?|open|url|redirect|out|go|visit|web|link|to|ul/browse)/` +
		`([^/\\?#&\s"'<>;,=]+\.[^/\\?#&\s"'<>;,=]+)`)
	// onwardValue matches the name of a site as a value in a query.
	onwardValue = regexp.MustCompile(`[?&]([^=&]*)=([^/\\?#&\s"'<>;,=@]+\.[^/\\?#&\s"'<>;,=@]+)`)
	// saysWhence matches keys of a query that say where the visitor comes from.
	saysWhence = regexp.MustCompile(`(?i)^(?:utm_.*|ref|referrer|source)$`)
	// file matches the name of a file, whose ending may be that of sites too.
	file = regexp.MustCompile(`(?i)\.(?:md|html?|php|js|css|png|jpe?g|gif|svg|pdf|txt|json|zip|py|sh|rs|pl)$`)
)

// onwardHosts returns the names of other sites in what follows the name of the site in a link, at most [maxOnward].
func onwardHosts(host, path string) (hosts []string) {
	own := registrable(host)
	add := func(name string, bare bool) {
		name = strings.TrimRight(name[strings.LastIndexByte(name, '@')+1:], ".")
		if bare {
			if _, icann := publicsuffix.PublicSuffix(strings.ToLower(name)); !icann || file.MatchString(name) {
				return
			}
		}
		d, fault := parseDomain("https://" + name + "/")
		if fault != nil || len(hosts) == maxOnward || own != "" && d.Registrable() == own ||
			slices.Contains(hosts, d.String()) {
			return
		}
		hosts = append(hosts, d.String())
	}
	path = unescaped(path)
	for _, m := range onwardLink.FindAllStringSubmatch(path, -1) {
		add(m[1], false)
	}
	for _, m := range onwardPath.FindAllStringSubmatch(path, -1) {
		add(m[1], !opensWallets(host))
	}
	for _, m := range onwardValue.FindAllStringSubmatch(path, -1) {
		if !saysWhence.MatchString(m[1]) {
			add(m[2], true)
		}
	}
	return hosts
}

// registrable is the registrable part of a host, or "".
func registrable(host string) string {
	d, fault := parseDomain("https://" + host + "/")
	if fault != nil {
		return ""
	}
	return d.Registrable()
}

// unescaped is what follows the name of a site in a link, with what is written as %2F and the like. Links within links
// are escaped twice.
func unescaped(path string) string {
	for range 3 {
		next, err := url.PathUnescape(path)
		if err != nil || next == path {
			break
		}
		path = next
	}
	return path
}

// siteName matches what a browser would take for the name of a site at the beginning of a link.
var siteName = regexp.MustCompile(`^[\pL\pN.-]+`)

// shown is the name of another site that a link shows before an @, behind which its own site is; "" for none.
func shown(authority string) string {
	authority = unescaped(authority)
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return ""
	}
	name := strings.ToLower(siteName.FindString(authority))
	d, fault := parseDomain("https://" + name + "/")
	_, icann := publicsuffix.PublicSuffix(name)
	if fault != nil || !icann || d.Registrable() == registrable(authority[at+1:]) {
		return ""
	}
	return d.String()
}
