package web

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/api"
	"tocsin/internal/feed"
	"tocsin/internal/health"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// stats are the numbers of the service.
type stats struct{ store.Stats }

// forKind returns the numbers with only those lists that can name a subject of one of some kinds.
func (n stats) forKind(kinds ...tocsin.Kind) stats {
	cannot := func(list string) bool {
		source, known := feed.Find(list)
		return known && len(source.Kinds) > 0 && !slices.ContainsFunc(kinds, func(k tocsin.Kind) bool {
			return slices.Contains(source.Kinds, k)
		})
	}
	n.Lists = slices.DeleteFunc(slices.Clone(n.Lists), func(l store.ListStats) bool { return cannot(l.Name) })
	n.Removed = slices.DeleteFunc(slices.Clone(n.Removed), func(l store.ListRemoval) bool { return cannot(l.Name) })
	return n
}

// RemovedText names the lists that the operator has taken out, and says when; "" for none.
func (n stats) RemovedText(p *locale.Printer) string {
	var lists []string
	for _, l := range n.Removed {
		lists = append(lists, answer.ListTitle(p, l.Name)+" ("+p.Minute(l.At.Std())+")")
	}
	if len(lists) == 0 {
		return ""
	}
	return p.Text("Not used, because the operator removed them: %s.", p.List(lists...))
}

// Sanctions says which sanctions lists are screened, and which are not.
func (n stats) Sanctions(p *locale.Printer) string {
	if !slices.ContainsFunc(n.Lists, func(l store.ListStats) bool { return l.Name == feed.OFAC && l.Listings > 0 }) {
		return p.Text("No sanctions list is on record here, so no sanction can be found.")
	}
	text := p.Text("Sanctions are those of one list, OFAC SDN of the United States. The lists of the European Union, " +
		"the United Nations and the United Kingdom are not screened.")
	if at := n.SanctionsRecorded(); at != nil {
		text = p.Sentences(text, p.Text("What OFAC SDN dropped before %s is not on record here.", p.Day(at.Std())))
	}
	return text
}

// PublicLists counts the public lists.
func (n stats) PublicLists() (count int) {
	for _, l := range n.Lists {
		if l.Public() {
			count++
		}
	}
	return count
}

// ByTitle are the lists in the order of their titles.
func (n stats) ByTitle(p *locale.Printer) []store.ListStats {
	lists := slices.Clone(n.Lists)
	slices.SortStableFunc(lists, func(a, b store.ListStats) int {
		return cmp.Compare(strings.ToLower(answer.ListTitle(p, a.Name)), strings.ToLower(answer.ListTitle(p, b.Name)))
	})
	return lists
}

// ByAge are the lists, first the public ones, the oldest first.
func (n stats) ByAge() []store.ListStats {
	lists := slices.Clone(n.Lists)
	slices.SortStableFunc(lists, func(a, b store.ListStats) int {
		if a.Public() != b.Public() {
			if a.Public() {
				return -1
			}
			return 1
		}
		return a.AsOf().Std().Compare(b.AsOf().Std())
	})
	return lists
}

// statusPage is the page about the service itself.
type statusPage struct {
	stats
	lang      *locale.Printer
	now       tocsin.Time
	next      map[string]tocsin.Time // when lists are read next
	refreshed []string               // the lists that this process reads by itself
	Known     bool                   // the numbers; they are not while the database cannot be read
	Stale     []string               // public lists that are out of date
	Unread    []string               // lists whose last import failed
	Payments  api.PaymentStatus
	Unpaid    bool // payments are enabled, but the facilitator is unreachable
	Failures  []failure
	Day       []pastDay
	Seen      string      // for how long this process has seen the last day; "" if that is all of it
	Damaged   bool        // some of the database cannot be read
	Broken    health.Part // what keeps people from filing: health.Database, health.Clock, health.Writes; "" for nothing
	Free      string      // disk space for the database; "" if unknown
	Names     string      // how names of sites are judged
}

// failure is what goes wrong, or went wrong in the last minutes.
type failure struct {
	What string // a sentence without a full stop
	When string
}

// failed says how long something has failed, if it lasts, or how long ago it did.
func failed(p *locale.Printer, ago time.Duration, lasts, over bool) string {
	switch {
	case lasts:
		return p.Text("for %s, and still so", p.Span(ago))
	case over:
		return p.Text("%s ago; it works again", p.Span(ago))
	}
	return p.Text("%s ago", p.Span(ago))
}

// since is how long ago something was.
func (s *Site) since(t tocsin.Time) time.Duration { return s.db.Now().Std().Sub(t.Std()) }

// status shows whether everything works, and how old the lists are.
func (s *Site) status(req *request) (*page, error) {
	st, err := s.db.Stats(req.Context())
	if err != nil && !store.Unreadable(err) {
		return nil, err
	}
	payments := s.api.Payments()
	p := req.lang
	v := statusPage{
		stats:     stats{st},
		Known:     err == nil,
		lang:      p,
		now:       s.db.Now(),
		next:      s.api.NextReads(st),
		refreshed: s.api.Refreshed(),
		Free:      s.freeDisk(p),
		Stale:     staleLists(p, st, s.db.Now()),
		Payments:  payments,
		Names:     p.Sentences(s.namesText(p, st.Training)...),
	}
	v.Failures, v.Broken = s.failures(p)
	v.Damaged = store.Damaged(err) || slices.ContainsFunc(s.config.Health.Troubles(), func(t health.Trouble) bool {
		return t.Reason == health.Corrupt
	})
	v.Day, v.Seen = s.lastDay(p)
	if f := payments.Facilitator; f != nil && f.Reachable != nil && !*f.Reachable {
		v.Unpaid = true
		v.Failures = append(v.Failures, failure{
			troubleText(p, health.Trouble{Part: health.Facilitator, Reason: health.Unreachable}),
			failed(p, s.since(*f.AsOf), false, false),
		})
	}
	for _, f := range st.Failed() {
		title := answer.ListTitle(p, f.List)
		v.Unread = append(v.Unread, title)
		v.Failures = append(v.Failures,
			failure{p.Text(importFailures[f.Reason], title), failed(p, s.since(f.At), false, false)})
	}
	return &page{
		Template:    "status",
		Title:       p.Text("Status"),
		Description: p.Text("Whether this service works, and how old its lists are."),
		Body:        v,
	}, nil
}

// Heading says in a sentence what matters most.
func (p statusPage) Heading() string {
	switch {
	case p.Broken == health.Database:
		return p.lang.Text("The database does not work at the moment.")
	case p.Damaged:
		return p.lang.Text("The database is damaged.")
	case p.Broken != "":
		return p.lang.Text("Filing does not work at the moment.")
	case p.ReadOnly:
		return p.lang.Text("The service is read-only at the moment.")
	case p.Filing == tocsin.FilingShut:
		return p.lang.Text("Filing is closed.")
	case p.Unpaid:
		return p.lang.Text("Payments do not work at the moment.")
	case len(p.Stale) > 0:
		return p.lang.Text("%d lists are out of date.", len(p.Stale))
	case len(p.Failures) > 0:
		return p.lang.Text("It works, with a warning.")
	}
	return p.lang.Text("Everything works.")
}

// Summary says what works and what does not.
func (p statusPage) Summary() string {
	say := p.lang.Text
	switch {
	case p.Broken == health.Database:
		return say("Look-ups and filing fail until the operator has fixed it. Nothing is accepted that would be lost.")
	case p.Damaged:
		return say("Some of what is on record cannot be read, and look-ups may fail. No report is accepted until the " +
			"operator has restored a copy.")
	case p.Broken == health.Clock:
		return say("Look-ups work. Reports, new keys, sign-ins and payments are refused until the clock of this service is " +
			"right again.")
	case p.Broken == health.Writes:
		return say("Reports and calls with a key failed in the last ten minutes. Try again later.")
	}
	text := []string{say("Look-ups and filing work.")}
	if p.ReadOnly {
		text[0] = say("Look-ups work. Reports, new keys, sign-ins and payments are refused until the operator has finished " +
			"moving the service or working on it.")
	}
	switch {
	case p.ReadOnly:
	case p.Filing == tocsin.FilingShut:
		text[0] = say("The operator takes no reports at the moment. Look-ups work.")
	case p.Filing == tocsin.FilingKeysOnly:
		text[0] = say("Reports are taken with a key only at the moment. Look-ups work.")
	}
	if p.Unpaid {
		text = append(text,
			say("Calls cannot be paid for until the facilitator answers; calls with a key are not affected."))
	}
	if len(p.Stale) > 0 {
		text = append(text, say("Lists in which newer entries and removals are missing: %s.", p.lang.List(p.Stale...)))
	} else if p.PublicLists() > 0 {
		text = append(text, say("No public list is out of date."))
	}
	if len(p.Unread) > 0 {
		text = append(text, say("Lists whose last import failed: %s.", p.lang.List(p.Unread...)))
	}
	return p.lang.Sentences(text...)
}

// importFailures say that an import of a list failed, by the reasons of [store.ImportTry].
var importFailures = map[string]locale.Key{
	store.FailedDownload: "The last import of %s failed: it could not be fetched",
	store.FailedRead:     "The last import of %s failed: it could not be read",
	store.FailedShrunk: "The last import of %s failed: it had lost more than half of its entries, " +
		"so it was refused",
	store.FailedOlder: "The last import of %s failed: it was older than the one on record, so it was refused",
	store.FailedUndated: "The last import of %s failed: it had no date and may be older than the one on record, " +
		"so it was refused",
	store.FailedWrite: "The last import of %s failed: it could not be written",
	store.Interrupted: "The last import of %s was interrupted",
}

// failures returns what fails, and which part keeps people from filing.
func (s *Site) failures(p *locale.Printer) (all []failure, broken health.Part) {
	for _, t := range s.config.Health.Troubles() {
		if t.Part == health.Load {
			continue // any stranger can cause it
		}
		at := t.Last
		if t.Lasting {
			at = t.Since
		}
		all = append(all, failure{troubleText(p, t), failed(p, s.since(tocsin.TimeOf(at)), t.Lasting, t.Over)})
		switch {
		case t.Part == health.Database && t.Reason != health.Corrupt, t.Part == health.Clock && broken == "",
			t.Part == health.Writes && !t.Over && broken == "":
			broken = t.Part
		}
	}
	return all, broken
}

// troubleText says what failed, in a sentence without a full stop.
func troubleText(p *locale.Printer, t health.Trouble) string {
	text, args := t.Format()
	return p.Text(locale.Key(text), args...)
}

// freeDisk writes how much disk space is free for the database.
func (s *Site) freeDisk(p *locale.Printer) string {
	free, known := s.db.FreeDisk()
	switch {
	case !known:
		return ""
	case free >= 10e9:
		return p.Number(int64(free/1e9)) + " GB"
	}
	return p.Number(int64(free/1e6)) + " MB"
}

// staleLists returns the titles of the public lists that are out of date.
func staleLists(p *locale.Printer, st store.Stats, now tocsin.Time) (names []string) {
	for _, l := range st.Lists {
		if l.OutOfDate(now) {
			names = append(names, answer.ListTitle(p, l.Name))
		}
	}
	return names
}

// freshness says how many of the public lists are fresh, which is not out of date.
type freshness struct {
	Fresh, All int
	Oldest     *store.ListStats // nil for none
}

// freshnessOf counts the public lists by their age.
func freshnessOf(st store.Stats, now tocsin.Time) (f freshness) {
	for i, l := range st.Lists {
		if !l.Public() {
			continue
		}
		if f.All++; !l.OutOfDate(now) {
			f.Fresh++
		}
		if f.Oldest == nil || l.AsOf().Std().Before(f.Oldest.AsOf().Std()) {
			f.Oldest = &st.Lists[i]
		}
	}
	return f
}
