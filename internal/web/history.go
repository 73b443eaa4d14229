package web

import (
	"slices"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/store"
)

// Recorded is since when a listing in force is on record here; nil if that is not known.
func (v screenPage) Recorded(l tocsin.Listing) *tocsin.Time {
	i := slices.IndexFunc(v.History, func(h store.DatedListing) bool {
		return h.Dropped == nil && h.Subject == l.Subject && h.List == l.List && h.Chain == l.Chain && h.Kind == l.Kind
	})
	if i < 0 {
		return nil
	}
	return v.History[i].Recorded
}

// earlierRow is what a list has said of the subject and dropped.
type earlierRow struct {
	store.DatedListing
	Says string
}

// Earlier is what lists have said of the subject itself and dropped, the latest first. It has no part in the score.
func (v screenPage) Earlier() (rows []earlierRow) {
	for _, h := range v.History {
		if h.Dropped == nil || h.Subject != v.Subject {
			continue
		}
		says := answer.CrimeName(v.Lang, tocsin.CrimeType(h.Category))
		if h.Kind == tocsin.Sanction {
			if says = v.Lang.Text("Sanctions"); h.Program != "" {
				says = v.Lang.Text("%s (%s)", says, h.Program)
			}
		}
		if h.Name != "" {
			says = v.Lang.Text("%s: %s", says, h.Name)
		}
		rows = append(rows, earlierRow{h, says})
	}
	return rows
}
