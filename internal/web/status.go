package web

import (
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/feed"
	"tocsin/internal/health"
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
	Known    bool     // the numbers; they are not while the database cannot be read
	Stale    []string // public lists that are out of date
	Payments api.PaymentStatus
	Unpaid   bool // payments are enabled, but the facilitator is unreachable
	Failures []failure
	Broken   health.Part // what keeps people from filing: health.Database, health.Clock, health.Writes; "" for nothing
	Imports  []failedImport
	Free     string // disk space for the database; "" if unknown
}

// failure is what goes wrong, or went wrong in the last minutes.
type failure struct {
	health.Trouble
	Began, Happened tocsin.Time
}

// status shows whether everything works, and how old the lists are.
func (s *Site) status(req *request) (*page, error) {
	st, err := s.db.Stats(req.Context())
	if err != nil && !store.Unavailable(err) {
		return nil, err
	}
	failures, broken := s.failures()
	var imports []failedImport
	for _, f := range st.Failed {
		imports = append(imports, failedImport{f, importReasons[f.Reason]})
	}
	payments := s.api.Payments()
	f := payments.Facilitator
	return &page{
		Template:    "status",
		Title:       "Status",
		Description: "Whether this service works, and how old its lists are.",
		Body: statusPage{
			stats:    stats{st},
			Known:    err == nil,
			Failures: failures,
			Broken:   broken,
			Imports:  imports,
			Free:     s.freeDisk(),
			Stale:    staleLists(st, s.db.Now()),
			Payments: payments,
			Unpaid:   f != nil && f.Reachable != nil && !*f.Reachable,
		},
	}, nil
}

// failedImport is a list whose last import failed.
type failedImport struct {
	store.ImportFault
	Why string
}

// importReasons are words for the reasons of [store.ImportFault].
var importReasons = map[string]string{
	"download": "it could not be fetched",
	"read":     "it could not be read",
	"shrunk":   "it had lost more than half of its entries, so it was refused",
	"write":    "it could not be written",
}

// failures returns what fails, and which part keeps people from filing.
func (s *Site) failures() (all []failure, broken health.Part) {
	for _, t := range s.config.Health.Troubles() {
		if t.Part == health.Load {
			continue // any stranger can cause it
		}
		all = append(all, failure{t, tocsin.TimeOf(t.Since), tocsin.TimeOf(t.Last)})
		switch {
		case t.Part == health.Database, t.Part == health.Clock && broken == "",
			t.Part == health.Writes && !t.Over && broken == "":
			broken = t.Part
		}
	}
	return all, broken
}

// freeDisk writes how much the database can grow by.
func (s *Site) freeDisk() string {
	free, known := s.db.FreeDisk()
	switch {
	case !known:
		return ""
	case free >= 10e9:
		return number(free/1e9) + " GB"
	}
	return number(free/1e6) + " MB"
}

// maxListAge is the age at which a list is called out of date.
const maxListAge = 3 * 24 * time.Hour

// isStale reports whether a list is a public one that is out of date.
func isStale(l store.ListStats, now tocsin.Time) bool {
	return isPublic(l) && now.Std().Sub(l.Imported.Std()) > maxListAge
}

// staleLists returns the titles of the public lists that are out of date.
func staleLists(st store.Stats, now tocsin.Time) (names []string) {
	for _, l := range st.Lists {
		if isStale(l, now) {
			names = append(names, listTitle(l.Name))
		}
	}
	return names
}

// freshness says how many of the public lists are fresh, which is not out of date.
type freshness struct {
	Fresh, All int
	Oldest     *tocsin.Time // when the list was read that was read longest ago; nil for none
}

// freshnessOf counts the public lists by their age.
func freshnessOf(st store.Stats, now tocsin.Time) (f freshness) {
	for i, l := range st.Lists {
		if !isPublic(l) {
			continue
		}
		if f.All++; !isStale(l, now) {
			f.Fresh++
		}
		if f.Oldest == nil || l.Imported.Std().Before(f.Oldest.Std()) {
			f.Oldest = &st.Lists[i].Imported
		}
	}
	return f
}
