package web

import (
	"slices"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// staleFor returns the titles of the lists that are out of date and may lack something about the subject of an answer.
func (n stats) staleFor(a answer.Answer, now tocsin.Time) []string {
	asked := n.forKind(a.Subject.Kind).Stats
	asked.Lists = slices.DeleteFunc(slices.Clone(asked.Lists), func(l store.ListStats) bool { return knowsOthers(a, l) })
	return staleLists(a.Lang, asked, now)
}

// knowsOthers reports whether a list names only what is good, and not this subject: then its age changes no warning.
func knowsOthers(a answer.Answer, l store.ListStats) bool {
	return slices.Contains(feed.Safelists(), l.Name) && !slices.ContainsFunc(a.Dossier.Listings,
		func(on tocsin.Listing) bool { return on.List == l.Name })
}

// Limits say what the answer does not hold, as its own page does: lists that are out of date, and sanctions that are
// not screened.
func (p objectPage) Limits() (all []string) {
	n := stats{p.Stats}
	if stale := n.staleFor(p.Answer, p.MadeAt); len(stale) > 0 {
		all = append(all, p.Lang.Sentences(p.Lang.Text("This answer is incomplete."),
			p.Lang.Text("%d of our lists are out of date: %s. Newer entries and removals are missing.", len(stale),
				p.Lang.List(stale...))))
	}
	if p.Domain() {
		return append(all, p.Lang.Text("Accounts are compared with sanctions lists, websites are not."))
	}
	return append(all, n.Sanctions(p.Lang))
}
