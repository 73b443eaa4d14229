package web

import (
	"net/url"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
)

// maxRelated is how many subjects, and again how many handles, are shown at first that reports name together with one,
// and maxUnfolded how many of each there are on the page in all. The API has more subjects.
const (
	maxRelated  = 5
	maxUnfolded = 200
)

// folded are things of which the page shows the first, unfolds others, and counts the rest.
type folded[T any] struct {
	First, More []T
	Left        int
}

func fold[T any](all []T) folded[T] {
	first, shown := min(maxRelated, len(all)), min(maxUnfolded, len(all))
	return folded[T]{all[:first], all[first:shown], len(all) - shown}
}

// relatedRow is a subject that reports name together with another. Its level is not shown: anybody may file a report.
type relatedRow struct {
	Subject tocsin.Subject
	Path    string // of its page
	Reports int    // that name both
}

func relatedRows(related []tocsin.Related) folded[relatedRow] {
	var rows []relatedRow
	for _, r := range related {
		rows = append(rows, relatedRow{r.Subject, screenPath(r.Subject), r.Reports})
	}
	return fold(rows)
}

// handleLinks are handles with the searches for them.
func handleLinks(p *locale.Printer, handles []string) folded[link] {
	var links []link
	for _, h := range handles {
		links = append(links, link{handleText(p, h), handlePath(h)})
	}
	return fold(links)
}

// handleText is a handle with its service, for people.
func handleText(p *locale.Printer, text string) string {
	h, fault := tocsin.ParseHandle(text)
	if fault != nil {
		return text
	}
	return p.Text("%s: %s", serviceNames[h.Service], h.Name)
}

// handlePath is the path of the search for a handle, as if it had been typed into the box.
func handlePath(handle string) string {
	values := url.Values{"q": {asSearched(handle)}, "asked": {"1"}}
	if asTyped(handle) == handle {
		values.Set("handle", handle)
	}
	return "/reports?" + values.Encode()
}

// asTyped is a handle as people type it: a name such as @lena, of which nobody knows the service, without a prefix.
func asTyped(handle string) string {
	if name, ok := strings.CutPrefix(handle, "name:@"); ok {
		return "@" + name
	}
	return handle
}
