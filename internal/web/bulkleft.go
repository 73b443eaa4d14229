package web

import (
	"slices"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/sheet"
	"tocsin/internal/store"
)

// Outdated says that sanctions are or may be missing, because their list is out of date, has no date or is not on
// record; "" if they are not.
func (b bulkPage) Outdated(p *locale.Printer) string {
	i := slices.IndexFunc(b.Stats.Lists, func(l store.ListStats) bool { return l.Name == tocsin.SanctionsList })
	switch {
	case b.Stats.AsOf == (tocsin.Time{}): // nothing is known of any list
		return ""
	case i < 0:
		return b.Stats.Sanctions(p)
	case b.Stats.Lists[i].OutOfDate(b.Stats.AsOf):
		return p.Text("The sanctions list is of %s. Newer sanctions are not found.",
			p.Day(b.Stats.Lists[i].AsOf().Std()))
	case b.Stats.Lists[i].Version.Date == nil:
		return p.Text("The sanctions list has no date. Newer sanctions may not be found.")
	}
	return ""
}

// StaleNames are the lists that are out of date.
func (b bulkPage) StaleNames(p *locale.Printer) string { return p.List(b.Stale...) }

// Offered reports whether a column with accounts that are not screened can be read instead.
func (b bulkPage) Offered() bool {
	return slices.ContainsFunc(b.Missed(), func(c sheet.Column) bool { return !c.Read && c.Subjects() > 0 })
}

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
	sanctioned, err := s.sanctioned(req, subjects)
	if err != nil {
		return nil // what is looked up fails as well, and says so
	}
	for _, subject := range sanctioned {
		account := leftAccount{Left: first[subject]}
		if account.Column < len(names) {
			account.In = names[account.Column]
		}
		all = append(all, account)
	}
	return all
}

// sanctioned returns those of some subjects that are sanctioned.
func (s *Site) sanctioned(req *request, subjects []tocsin.Subject) (all []tocsin.Subject, err error) {
	for batch := range slices.Chunk(subjects, maxBulk) {
		found, err := s.db.AboutAll(req.Context(), batch)
		if err != nil {
			return nil, err
		}
		for i, d := range found {
			if slices.ContainsFunc(d.Listings, func(l tocsin.Listing) bool { return l.Kind == tocsin.Sanction }) {
				all = append(all, batch[i])
			}
		}
	}
	return all, nil
}
