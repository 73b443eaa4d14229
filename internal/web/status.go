package web

import (
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// numbers are those of the service.
type numbers struct{ store.Stats }

// Filed is how many reports were filed here.
func (n numbers) Filed() int {
	filed := n.Reports
	for _, l := range n.Lists {
		filed -= l.Reports
	}
	return max(0, filed)
}

// Public counts the public lists; the set that every database begins with is none.
func (n numbers) Public() (count int) {
	for _, l := range n.Lists {
		if l.Name != feed.StarterList {
			count++
		}
	}
	return count
}

// status says how the service fares.
func (s *Site) status(v *visit) (*view, error) {
	st, err := s.db.Stats(v.Context())
	if err != nil {
		return nil, err
	}
	payments := s.api.Payments()
	f := payments.Facilitator
	return &view{Page: "status", Title: "Status", Description: "How this service fares, and how old its lists are.", Body: struct {
		numbers
		Stale    []string
		Payments api.PaymentStatus
		Unpaid   bool // payments are meant to be taken and cannot be
	}{numbers{st}, staleLists(st, s.db.Now()), payments, f != nil && f.Reachable != nil && !*f.Reachable}}, nil
}

// stale is how old a list may be before its silence is worth little.
const stale = 3 * 24 * time.Hour

// staleLists names the lists that were not read for long.
func staleLists(st store.Stats, now tocsin.Time) (names []string) {
	for _, l := range st.Lists {
		if l.Name != feed.StarterList && now.Std().Sub(l.Imported.Std()) > stale {
			names = append(names, listTitle(l.Name))
		}
	}
	return names
}

// lastImport is when any list was read last; nil if none was.
func lastImport(st store.Stats) *tocsin.Time {
	var last *tocsin.Time
	for _, l := range st.Lists {
		if last == nil || l.Imported.Std().After(last.Std()) {
			last = &l.Imported
		}
	}
	return last
}
