package web

import (
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// numbers are those of the service.
type stats struct{ store.Stats }

// of returns the numbers without the lists that name no subject of that kind.
func (n stats) forKind(kind tocsin.Kind) stats {
	n.Lists = slices.DeleteFunc(slices.Clone(n.Lists), func(l store.ListStats) bool {
		source, known := feed.Find(l.Name)
		return known && len(source.Kinds) > 0 && !slices.Contains(source.Kinds, kind)
	})
	return n
}

// Public counts the public lists.
func (n stats) PublicLists() (count int) {
	for _, l := range n.Lists {
		if isPublic(l) {
			count++
		}
	}
	return count
}

// public reports whether a list is one that others publish: the set that every
// database begins with is none, and neither is what the operator wrote himself.
func isPublic(l store.ListStats) bool {
	source, known := feed.Find(l.Name)
	return l.Name != feed.StarterList && (!known || source.Upstream != "")
}

// status says how the service fares.
func (s *Site) status(req *request) (*page, error) {
	st, err := s.db.Stats(req.Context())
	if err != nil {
		return nil, err
	}
	payments := s.api.Payments()
	f := payments.Facilitator
	return &page{Template: "status", Title: "Status", Description: "How this service fares, and how old its lists are.", Body: struct {
		stats
		Stale    []string
		Payments api.PaymentStatus
		Unpaid   bool // payments are meant to be taken and cannot be
	}{stats{st}, staleLists(st, s.db.Now()), payments, f != nil && f.Reachable != nil && !*f.Reachable}}, nil
}

// stale is how old a list may be before its silence is worth little.
const maxListAge = 3 * 24 * time.Hour

// staleLists names the lists that were not read for long.
func staleLists(st store.Stats, now tocsin.Time) (names []string) {
	for _, l := range st.Lists {
		if isPublic(l) && now.Std().Sub(l.Imported.Std()) > maxListAge {
			names = append(names, listTitle(l.Name))
		}
	}
	return names
}

// lastImport is when any public list was read last; nil if none was.
func lastImport(st store.Stats) *tocsin.Time {
	var last *tocsin.Time
	for _, l := range st.Lists {
		if !isPublic(l) {
			continue
		}
		if last == nil || l.Imported.Std().After(last.Std()) {
			last = &l.Imported
		}
	}
	return last
}
