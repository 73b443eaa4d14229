package answer

import (
	"slices"

	"tocsin"
	"tocsin/internal/feed"
)

// Holds are the safelists that hold the score at Low at most, each once: those that vouch for the subject, or else
// those that only know it. There is none if nothing speaks against it, and none against sanctions.
func (a Answer) Holds() (list []Hold) {
	if !a.Safelisted && !a.Held || len(a.Sanctions) > 0 || a.Unreported() {
		return nil
	}
	for _, vouches := range []bool{true, false} {
		for _, l := range a.Dossier.Listings {
			if l.Kind == tocsin.Risk || l.Kind == tocsin.Sanction || l.Vouches() != vouches ||
				slices.ContainsFunc(list, func(h Hold) bool { return h.List == l.List }) {
				continue
			}
			list = append(list, Hold{List: l.List, Title: ListTitle(a.Lang, l.List), Since: l.Since, Vouches: vouches,
				Own: OfOperator(l.List), Review: isUnderReview(l)})
		}
		if len(list) > 0 {
			break
		}
	}
	return list
}

// OfOperator reports whether the operator of the service has written a list, rather than imported it.
func OfOperator(list string) bool {
	source, known := feed.Find(list)
	return list != feed.StarterList && (!known || source.Upstream == "")
}

// Hold is a safelist that holds a score at Low at most.
type Hold struct {
	List    string       `json:"list"`
	Title   string       `json:"title"`
	Own     bool         `json:"operators"`   // it is the operator's own
	Vouches bool         `json:"vouches"`     // false: it only knows the subject; a second independent list ends that
	Review  bool         `json:"underReview"` // the operator holds it while an objection is looked into
	Since   *tocsin.Time `json:"since"`       // nil: unknown
}

// WithoutHold is what the score would be without all safelists.
func (a Answer) WithoutHold() Share {
	ev := a.Dossier.Evidence
	ev.Listings = slices.DeleteFunc(slices.Clone(ev.Listings), func(l tocsin.Listing) bool {
		return l.Kind != tocsin.Risk && l.Kind != tocsin.Sanction
	})
	return a.without(ev)
}
