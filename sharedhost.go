package tocsin

import (
	_ "embed"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

//go:embed shared_hosts.txt
var sharedHostList string

// sharedHosts are hosts whose users get names or pages of their own, beyond those of the Public Suffix List. Nobody
// is to blame for a neighbour, so they are treated as public suffixes.
var sharedHosts = readHosts(sharedHostList)

// sharedHost is what the users of a shared host get there.
type sharedHost struct {
	pages  bool // pages, such as t.me/NAME, and no names
	short  bool // short links, which lead to any site
	wallet bool // links that open a wallet, which then shows any site
}

// readHosts reads a host from the beginning of each line, and behind it what its users get. Empty lines and those that
// begin with # are comments.
func readHosts(list string) map[string]sharedHost {
	hosts := map[string]sharedHost{}
	for line := range strings.Lines(list) {
		host, get, _ := strings.Cut(strings.TrimSpace(line), " ")
		if host == "" || host[0] == '#' {
			continue
		}
		get = strings.TrimSpace(get)
		hosts[host] = sharedHost{
			pages:  !strings.Contains(get, "."+host),
			short:  strings.HasPrefix(get, "short links,"),
			wallet: strings.HasPrefix(get, "links into "),
		}
	}
	return hosts
}

// authorities are the first labels of public suffixes that only authorities, schools or universities get names under.
var authorities = map[string]bool{"ac": true, "edu": true, "go": true, "gob": true, "gouv": true, "gov": true,
	"govt": true, "gub": true, "mil": true, "nhs": true, "police": true}

// Registry reports whether the domain is a public suffix that a registry or an authority gives names under, such as
// co.uk and service.gov.uk, and not a host where anybody can put a site.
func (d Domain) Registry() bool {
	if _, shared := sharedHosts[d.name]; shared || !d.Shared() {
		return false
	}
	suffix, delegated := publicsuffix.PublicSuffix(d.name)
	for above := suffix; !delegated && above != ""; { // a private one may be of an authority
		_, above, _ = strings.Cut(above, ".")
		first, _, _ := strings.Cut(above, ".")
		suffix, registry := publicsuffix.PublicSuffix(above)
		delegated = registry && suffix == above && authorities[first]
	}
	return delegated
}

// HasPages reports whether the users of the host get pages, such as t.me/NAME, rather than names.
func (d Domain) HasPages() bool { return sharedHosts[d.name].pages || slices.Contains(ofUsers, d.name) }

// Shortens reports whether the domain is a shared host of short links, which lead to any site.
func (d Domain) Shortens() bool { return sharedHosts[d.name].short }

// OpensWallets reports whether the domain is a shared host of links that open a wallet, which then shows any site.
func (d Domain) OpensWallets() bool { return sharedHosts[d.name].wallet }

// ofUsers are well-known sites where anybody gets a page at once. They are no shared hosts, since their names can be
// reported.
var ofUsers = []string{
	"bitbucket.org", "discord.com", "discord.gg", "facebook.com", "fb.me", "github.com", "gitlab.com", "instagram.com",
	"linkedin.com", "lnkd.in", "medium.com", "opensea.io", "reddit.com", "redd.it", "tiktok.com", "twitter.com",
	"whatsapp.com", "x.com", "youtu.be", "youtube.com",
}

// OfUsers reports whether anybody gets a page on a site at once.
func OfUsers(host string) bool {
	below := func(site string) bool { return host == site || strings.HasSuffix(host, "."+site) }
	return slices.ContainsFunc(ofUsers, below)
}
