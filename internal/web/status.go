package web

import (
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// stats are the numbers of the service.
type stats struct{ store.Stats }

// forKind returns the numbers with only those lists that can name a subject of a kind.
func (n stats) forKind(kind tocsin.Kind) stats {
	n.Lists = slices.DeleteFunc(slices.Clone(n.Lists), func(l store.ListStats) bool {
		source, known := feed.Find(l.Name)
		return known && len(source.Kinds) > 0 && !slices.Contains(source.Kinds, kind)
	})
	return n
}

// PublicLists counts the public lists.
func (n stats) PublicLists() (count int) {
	for _, l := range n.Lists {
		if isPublic(l) {
			count++
		}
	}
	return count
}

// isPublic reports whether somebody else publishes the list. The starter set and the
// operator's own lists are not public.
func isPublic(l store.ListStats) bool {
	source, known := feed.Find(l.Name)
	return l.Name != feed.StarterList && (!known || source.Upstream != "")
}

// statusPage is the page about the service itself.
type statusPage struct {
	stats
	Stale    []string // public lists that are out of date
	Payments api.PaymentStatus
	Unpaid   bool // payments are enabled, but the facilitator is unreachable
}

// status shows whether everything works, and how old the lists are.
func (s *Site) status(req *request) (*page, error) {
	st, err := s.db.Stats(req.Context())
	if err != nil {
		return nil, err
	}
	payments := s.api.Payments()
	f := payments.Facilitator
	return &page{
		Template:    "status",
		Title:       "Status",
		Description: "Whether this service works, and how old its lists are.",
		Body: statusPage{
			stats:    stats{st},
			Stale:    staleLists(st, s.db.Now()),
			Payments: payments,
			Unpaid:   f != nil && f.Reachable != nil && !*f.Reachable,
		},
	}, nil
}

// maxListAge is the age at which a list is called out of date.
const maxListAge = 3 * 24 * time.Hour

// staleLists returns the titles of the public lists that are out of date.
func staleLists(st store.Stats, now tocsin.Time) (names []string) {
	for _, l := range st.Lists {
		if isPublic(l) && now.Std().Sub(l.Imported.Std()) > maxListAge {
			names = append(names, listTitle(l.Name))
		}
	}
	return names
}

// lastImport returns when a public list was last imported; nil if none was.
func lastImport(st store.Stats) (last *tocsin.Time) {
	for i, l := range st.Lists {
		if isPublic(l) && (last == nil || l.Imported.Std().After(last.Std())) {
			last = &st.Lists[i].Imported
		}
	}
	return last
}
