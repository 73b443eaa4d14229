package paste

import (
	_ "embed"
	"slices"
	"strings"

	"tocsin"
)

//go:embed checkouts.txt
var checkoutList string

// checkouts are the places of checkouts.txt, by their hosts: the beginnings of paths on it, or none for the whole host.
var checkouts = readCheckouts(checkoutList)

func readCheckouts(list string) map[string][]string {
	places := map[string][]string{}
	for line := range strings.Lines(list) {
		place, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if host, path, part := strings.Cut(place, "/"); host != "" && host[0] != '#' {
			if places[host] = append(places[host], "/"+path); !part {
				places[host] = []string{""}
			}
		}
	}
	return places
}

// Checkout returns the page that a link leads to, without its scheme, if anybody can take payments there: a host that
// is well known, which says nothing of who gets the money. It returns "" for another text.
func Checkout(link string) string {
	_, rest, found := strings.Cut(tocsin.Refang(strings.TrimSpace(link)), "://")
	if !found {
		rest = tocsin.Refang(strings.TrimSpace(link))
	}
	at := strings.IndexAny(rest, `/?#\`)
	if at < 0 || strings.Trim(rest[at:], `/\`) == "" || strings.ContainsAny(rest, " \n\t") {
		return ""
	}
	domain, fault := parseDomain("https://" + rest[:at] + "/")
	if fault != nil {
		return ""
	}
	host, path := strings.TrimPrefix(domain.String(), "www."), rest[at:] // of a host of many it is a part of the name
	lower := strings.ToLower(path)
	covers := func(place string) bool {
		after, begins := strings.CutPrefix(lower, place)
		return begins && (after == "" || place == "" || strings.ContainsAny(place[len(place)-1:], "$=") ||
			strings.ContainsAny(after[:1], "/?#"))
	}
	if !slices.ContainsFunc(checkouts[host], covers) {
		return ""
	}
	return host + path
}
