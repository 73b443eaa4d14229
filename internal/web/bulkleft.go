package web

import (
	"slices"

	"tocsin"
	"tocsin/internal/sheet"
)

// leftAccount is an account of a list that is not screened, because its column is not read.
type leftAccount struct {
	sheet.Left
	In string // the name of its column; "" of a list
}

// sanctionedOf are the sanctioned of the accounts that are not screened, each once, without those of other lines that
// are. They are named before anything is charged: an alarm is never withheld, and the list of sanctions is public.
func (s *Site) sanctionedOf(
	req *request, names []string, left []sheet.Left, screened map[tocsin.Subject]bool,
) (all []leftAccount) {
	first := map[tocsin.Subject]sheet.Left{}
	var subjects []tocsin.Subject
	for _, l := range left {
		if _, again := first[l.Subject]; !again && !screened[l.Subject] {
			first[l.Subject], subjects = l, append(subjects, l.Subject)
		}
	}
	for batch := range slices.Chunk(subjects, maxBulk) {
		found, err := s.db.AboutAll(req.Context(), batch)
		if err != nil {
			return all // what is looked up fails as well, and says so
		}
		for i, d := range found {
			if !slices.ContainsFunc(d.Listings, func(l tocsin.Listing) bool { return l.Kind == tocsin.Sanction }) {
				continue
			}
			account := leftAccount{Left: first[batch[i]]}
			if account.Column < len(names) {
				account.In = names[account.Column]
			}
			all = append(all, account)
		}
	}
	return all
}
