package web

import (
	"slices"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// listHistory is what [store.DB.ListHistory] returns of a subject: the entries of lists about it and its parents that
// are in force, and then those that lists have dropped.
type listHistory []tocsin.DatedListing

// entry is a listing in force with when and in which version of its list it came; nothing of that if it is not known.
func (all listHistory) entry(l tocsin.Listing) tocsin.DatedListing {
	i := slices.IndexFunc(all, func(h tocsin.DatedListing) bool {
		return h.Dropped == nil && h.Subject == l.Subject && h.List == l.List && h.Chain == l.Chain && h.Kind == l.Kind
	})
	if i < 0 {
		return tocsin.DatedListing{Listing: l}
	}
	return all[i]
}

// Recorded is since when a listing in force is on record here; nil if that is not known.
func (v screenPage) Recorded(l tocsin.Listing) *tocsin.Time {
	return listHistory(v.History).entry(l).Recorded
}

// Contestable reports whether there is something to which an owner may object.
func (v screenPage) Contestable() bool {
	caution, _ := v.Caution()
	return v.Result != tocsin.NoReports || v.Resembled() != nil || caution != "" || len(v.Earlier()) > 0
}

// endedEvidence is what has named a subject and does so no more here: reports, and entries of lists that the operator
// has hidden while their lists still have them.
type endedEvidence struct {
	Hidden, Withdrawn store.Ended
	HiddenEntries     []store.HiddenEntry
}

// Ended reports whether there is any.
func (e endedEvidence) Ended() bool { return e.Hidden.Count+e.Withdrawn.Count+len(e.HiddenEntries) > 0 }

// endedEvidence reads what has named a subject and does so no more.
func (s *Site) endedEvidence(req *request, subject tocsin.Subject) (e endedEvidence, err error) {
	if e.Hidden, e.Withdrawn, err = s.db.EndedReports(req.Context(), subject); err == nil {
		e.HiddenEntries, err = s.db.HiddenEntries(req.Context(), subject)
	}
	return e, err
}

// lapsed reports whether nothing names the subject, but lists or reports did.
func (s *Site) lapsed(req *request, a answer.Answer) (bool, error) {
	if !a.Unreported() || len(a.Former(a.History)) > 0 {
		return a.Unreported(), nil
	}
	e, err := s.endedEvidence(req, a.Subject)
	return e.Ended(), err
}

// earlierRow is what a list has said of the subject and dropped.
type earlierRow struct {
	tocsin.DatedListing
	Says        string
	From, Until string // its times to the minute, or to the second if that is the same
}

// Earlier is what lists have said of the subject itself and dropped, the latest first. It has no part in the score.
func (v screenPage) Earlier() []earlierRow { return listHistory(v.History).earlier(v.Lang, v.Subject) }

// earlier is what lists have said of the subject and dropped, the latest first.
func (all listHistory) earlier(p *locale.Printer, subject tocsin.Subject) (rows []earlierRow) {
	for _, h := range all {
		if h.Dropped == nil || h.Subject != subject {
			continue
		}
		says := answer.RiskName(p, h.Category)
		if h.Kind == tocsin.Sanction {
			if says = p.Text("Sanctions"); h.Program != "" {
				says = p.Text("%s (%s)", says, h.Program)
			}
		}
		if h.Name != "" {
			says = p.Text("%s: %s", says, h.Name)
		}
		row := earlierRow{DatedListing: h, Says: says, Until: p.Minute(h.Dropped.Std())}
		if h.Recorded != nil {
			if row.From = p.Minute(h.Recorded.Std()); row.From == row.Until {
				row.From, row.Until = p.Second(h.Recorded.Std()), p.Second(h.Dropped.Std())
			}
		}
		rows = append(rows, row)
	}
	return rows
}
