package paste

import (
	"cmp"
	"regexp"
	"strings"

	"tocsin/internal/explorer"
)

// ensSite is where ENS names have their pages.
const ensSite = "app.ens.domains"

var (
	// namedPage matches what is behind the host of a block explorer in a link to a page by a name, and the name.
	namedPage = regexp.MustCompile(`(?i)/(?:(?:address|account|wallet|tx|transaction|token|ens)/|` +
		`(?:name-lookup-search|search)\?(?:[^#]*&)?(?:id|q|f|search)=)([^/?#&]+)`)
	// ensPage is the same of [ensSite].
	ensPage = regexp.MustCompile(`(?i)^/(?:name/)?([^/?#&]+\.eth)(?:[/?#]|$)`)
)

// Explored returns what a link to a block explorer, or to the site of ENS names, shows instead of the number of an
// account or a transaction, such as an ENS name; false if it is no such link.
func Explored(link string) (name string, site explorer.Site, is bool) {
	_, rest, _ := strings.Cut(link, "://")
	rest = cmp.Or(rest, link)
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	site, known := explorer.At(host)
	form := namedPage
	if strings.EqualFold(host, ensSite) {
		form, known = ensPage, true
	}
	m := form.FindStringSubmatch(path)
	if !known || m == nil {
		return "", site, false
	}
	return unescaped(m[1]), site, true
}
