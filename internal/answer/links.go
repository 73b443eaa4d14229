package answer

import (
	"net/url"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/explorer"
	"tocsin/internal/locale"
)

// Link is a link to a page of another service about a subject. It is never a link to a reported site.
type Link struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Links are the pages of block explorers about an account, on each chain where a list knows it, or those of archives
// about a site.
func (a Answer) Links() []Link { return LinksTo(a.Lang, a.Subject, a.Dossier.Listings...) }

// LinksTo are the pages about a subject as in [Answer.Links], on the chains of some listings.
func LinksTo(p *locale.Printer, subject tocsin.Subject, listings ...tocsin.Listing) (links []Link) {
	text := subject.Plain()
	if !subject.IsAddress() {
		text = url.PathEscape(text)
		return []Link{
			{"urlscan.io", "https://urlscan.io/domain/" + text},
			{"Wayback Machine", "https://web.archive.org/web/*/" + text},
		}
	}
	if chain := subject.Chain(); chain != "" {
		if e, known := explorer.Of(chain); known {
			links = []Link{{e.Name, e.Account(text)}}
		}
		return links
	}
	sites, seen := []explorer.Site{}, map[string]bool{ethereum: true}
	for _, l := range listings {
		if e, known := explorer.Of(l.Chain); known && !seen[l.Chain] {
			sites, seen[l.Chain] = append(sites, e), true
		}
	}
	slices.SortFunc(sites, func(a, b explorer.Site) int { return strings.Compare(a.ChainName, b.ChainName) })
	first, _ := explorer.Of(ethereum)
	for _, e := range append([]explorer.Site{first}, sites...) {
		links = append(links, Link{e.Name, e.Account(text)})
	}
	return append(links, Link{p.Text("Blockscan, for other chains"), explorer.OfAnyEVM().Account(text)})
}

// ethereum is the CAIP-2 id of Ethereum.
const ethereum = "eip155:1"
