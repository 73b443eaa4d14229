package web

import (
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// tried is a list on the status page.
type tried struct {
	store.ListStats
	Never bool             // it was never read
	Last  *store.ImportTry // nil if it was never tried
	Next  *tocsin.Time     // when it is read next; nil if that is not planned
	Stale bool             // it is out of date
	Fresh bool             // it was read lately
}

// Failed is the last try if it failed, nil if it did not.
func (l tried) Failed() *store.ImportTry {
	if l.Last == nil || l.Last.Reason == "" {
		return nil
	}
	return l.Last
}

// Brought is the last try if it has ended well, nil if it has not.
func (l tried) Brought() *store.ImportTry {
	if l.Never || l.Last == nil || l.Last.Running || l.Last.Reason != "" {
		return nil
	}
	return l.Last
}

// Shrunk is the last try if the list lacks an unusual part of what it had, nil if it does not: however that try ended.
func (l tried) Shrunk() *store.ImportTry {
	if l.Last == nil || l.Last.UnusualLoss() == 0 {
		return nil
	}
	return l.Last
}

// Why says why the last import failed.
func (l tried) Why() locale.Key { return importReasons[l.Last.Reason] }

// ByName reports whether the list can be imported by its name: not one of the operator's own, whose file is not known.
func (l tried) ByName() bool {
	source, known := feed.Find(l.Name)
	return known && source.Upstream != ""
}

// What helps a list that failed or is out of date, see [tried.Advice].
const (
	adviseImport = "import"
	adviseForce  = "force"
	adviseOlder  = "older"
	adviseWait   = "wait" // its publisher has nothing newer
)

// Advice is what helps the list; "" if nothing is needed, or it will be read again anyway.
func (l tried) Advice() string {
	failed := l.Failed()
	switch {
	case !l.ByName(), l.Running():
	case failed != nil && failed.Reason == store.FailedShrunk:
		return adviseForce
	case failed != nil && (failed.Reason == store.FailedOlder || failed.Reason == store.FailedUndated):
		return adviseOlder
	case failed == nil && l.Stale && l.Fresh && l.Last != nil && l.Last.Upstream:
		return adviseWait
	case l.Next == nil && (failed != nil || l.Stale):
		return adviseImport
	}
	return ""
}

// Running reports whether the list is being imported.
func (l tried) Running() bool { return l.Last != nil && l.Last.Running }

// Planned reports whether lists are refreshed by themselves.
func (p statusPage) Planned() bool { return len(p.next) > 0 }

// LastRead is when a public list was read last; nil for never.
func (p statusPage) LastRead() (last *tocsin.Time) {
	for _, l := range p.Lists {
		if l.Public() && (last == nil || l.Imported.Std().After(last.Std())) {
			last = &l.Imported
		}
	}
	return last
}

// Tried are the lists that were read, in the order of [stats.ByAge], and before them those that are planned or could
// not be.
func (p statusPage) Tried() (lists []tried) {
	defer func() {
		for i := range lists {
			l := &lists[i]
			if at, planned := p.next[l.Name]; planned {
				l.Next = &at
			}
			l.Stale = !l.Never && l.OutOfDate(p.now)
			l.Fresh = !l.Never && p.now.Std().Sub(l.Imported.Std()) < tocsin.MaxListRead
		}
	}()
	last := map[string]*store.ImportTry{}
	for i, t := range p.Tries {
		last[t.List] = &p.Tries[i]
		if !slices.ContainsFunc(p.Lists, func(l store.ListStats) bool { return l.Name == t.List }) {
			lists = append(lists, tried{ListStats: store.ListStats{Name: t.List}, Never: true, Last: &p.Tries[i]})
		}
	}
	for _, name := range p.refreshed {
		if last[name] == nil && !slices.ContainsFunc(p.Lists, func(l store.ListStats) bool { return l.Name == name }) {
			lists = append(lists, tried{ListStats: store.ListStats{Name: name}, Never: true})
		}
	}
	for _, l := range p.ByAge() {
		lists = append(lists, tried{ListStats: l, Last: last[l.Name]})
	}
	return lists
}

// Taken says which version of a list is on record, and what was not taken from it; "" if there is nothing to say.
func (p statusPage) Taken(v tocsin.ListVersion) string {
	var said []string
	if v.Date != nil {
		said = append(said, p.lang.Text("The list of %s.", p.lang.Day(v.Date.Std())))
	}
	if rows := v.NotTaken(); rows > 0 {
		var why []string
		for i, r := range v.RefusedByReason() {
			if i == maxReasons {
				why = append(why, "…")
				break
			}
			why = append(why, p.lang.Text("%s: %d", reasonText(p.lang, r.Reason), r.Rows))
		}
		said = append(said, p.lang.Text("Rows that were not taken: %d of %d (%s).", rows, rows+v.Entries,
			strings.Join(why, "; ")))
	}
	if len(v.Untaken) > 0 {
		said = append(said, p.lang.Text("Compare with these by hand: %s.", strings.Join(v.Untaken, ", ")))
	}
	return p.lang.Sentences(said...)
}

// reasonText says why rows were not taken, by one of [feed.Reasons], which may have the chain behind it.
func reasonText(p *locale.Printer, reason string) string {
	reason, chain, named := strings.Cut(reason, " (")
	text := p.Text(locale.Key(reason))
	if named {
		text += ", " + strings.TrimSuffix(chain, ")")
	}
	return text
}

// maxReasons is for how many reasons the status page says how many rows were not taken.
const maxReasons = 4

// In says in how long something will be.
func (p statusPage) In(at *tocsin.Time) string {
	wait := at.Std().Sub(p.now.Std())
	if wait < time.Minute {
		return p.lang.Text("in a moment")
	}
	return p.lang.Text("in %s", p.lang.Span(wait))
}

// importReasons say in brief why the last import of a list failed, by the reasons of [store.ImportTry].
var importReasons = map[string]locale.Key{
	store.FailedDownload: "it could not be fetched",
	store.FailedRead:     "it could not be read",
	store.FailedShrunk:   "it had lost more than half of its entries, so it was refused",
	store.FailedOlder:    "it was older than the one on record, so it was refused",
	store.FailedUndated:  "it had no date and may be older than the one on record, so it was refused",
	store.FailedWrite:    "it could not be written",
	store.Interrupted:    "it was interrupted",
}
