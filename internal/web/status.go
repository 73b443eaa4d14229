package web

import (
	"slices"
	"strings"
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
	Free     string      // disk space for the database; "" if unknown
}

// failure is what goes wrong, or went wrong in the last minutes.
type failure struct {
	What  string      // a sentence without a full stop
	At    tocsin.Time // when it began, if it lasts; otherwise when it happened last
	Lasts bool
	Over  bool // it works again
}

// When says when it failed, given how long ago that is.
func (f failure) When(ago string) string {
	switch {
	case f.Lasts:
		return "for " + ago + ", and still so"
	case f.Over:
		return ago + " ago; it works again"
	}
	return ago + " ago"
}

// status shows whether everything works, and how old the lists are.
func (s *Site) status(req *request) (*page, error) {
	st, err := s.db.Stats(req.Context())
	if err != nil && !store.Unavailable(err) {
		return nil, err
	}
	payments := s.api.Payments()
	p := statusPage{
		stats:    stats{st},
		Known:    err == nil,
		Free:     s.freeDisk(),
		Stale:    staleLists(st, s.db.Now()),
		Payments: payments,
	}
	p.Failures, p.Broken = s.failures()
	if f := payments.Facilitator; f != nil && f.Reachable != nil && !*f.Reachable {
		p.Unpaid = true
		p.Failures = append(p.Failures,
			failure{What: "The facilitator, which carries out payments, did not answer", At: *f.AsOf})
	}
	for _, f := range st.Failed {
		p.Failures = append(p.Failures,
			failure{What: "The last import of " + listTitle(f.List) + " failed: " + importReasons[f.Reason], At: f.At})
	}
	return &page{
		Template:    "status",
		Title:       "Status",
		Description: "Whether this service works, and how old its lists are.",
		Body:        p,
	}, nil
}

// Heading says in a sentence what matters most.
func (p statusPage) Heading() string {
	switch {
	case p.Broken == health.Database:
		return "The database does not work at the moment."
	case p.Broken != "":
		return "Filing does not work at the moment."
	case p.Filing == tocsin.FilingShut:
		return "Filing is closed."
	case p.Unpaid:
		return "Payments do not work at the moment."
	case len(p.Stale) == 1:
		return "One list is out of date."
	case len(p.Stale) > 1:
		return number(len(p.Stale)) + " lists are out of date."
	case len(p.Failures) > 0:
		return "It works, with a warning."
	}
	return "Everything works."
}

// Summary says what works and what does not.
func (p statusPage) Summary() string {
	switch p.Broken {
	case health.Database:
		return "Look-ups and filing fail until the operator has fixed it. Nothing is accepted that would be lost."
	case health.Clock:
		return "Look-ups work. Reports, new keys, sign-ins and payments are refused until the clock of this service is " +
			"right again."
	case health.Writes:
		return "Reports and calls with a key failed in the last ten minutes. Try again later."
	}
	text := "Look-ups and filing work."
	if closed := p.Filing.Says(); closed != "" {
		text = closed + " Look-ups work."
	}
	if p.Unpaid {
		text += " Calls cannot be paid for until the facilitator answers; calls with a key are not affected."
	}
	switch {
	case len(p.Stale) == 1:
		text += " Entries that were added to " + p.Stale[0] + " since it was last read are missing."
	case len(p.Stale) > 1:
		text += " Entries that were added to " + strings.Join(p.Stale, ", ") + " since they were last read are missing."
	case p.PublicLists() > 0:
		text += " Each public list was read within three days."
	}
	return text
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
		at := t.Last
		if t.Lasting {
			at = t.Since
		}
		all = append(all, failure{t.String(), tocsin.TimeOf(at), t.Lasting, t.Over})
		switch {
		case t.Part == health.Database, t.Part == health.Clock && broken == "",
			t.Part == health.Writes && !t.Over && broken == "":
			broken = t.Part
		}
	}
	return all, broken
}

// freeDisk writes how much disk space is free for the database.
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
