package answer

import (
	"cmp"
	"slices"
	"strings"

	"tocsin"
)

// ListRow is a list that names the subject, other than for sanctions.
type ListRow struct {
	tocsin.Listing
	Says, Counts string
}

// ListRows are the listings other than sanctions. Of a family of lists that copy each
// other only the first counts.
func (a Answer) ListRows() (list []ListRow) {
	listings, t := slices.Clone(a.Dossier.Listings), a.Lang.Text
	slices.SortStableFunc(listings, func(a, b tocsin.Listing) int { return strings.Compare(a.List, b.List) })
	names := func(kind tocsin.ListingKind) bool {
		return slices.ContainsFunc(listings, func(l tocsin.Listing) bool { return l.Kind == kind })
	}
	counted, against, sanctioned := map[string]bool{}, names(tocsin.Risk), names(tocsin.Sanction)
	for _, l := range listings {
		l.ListDate = a.Dossier.Lists.Dates[l.List]
		r := ListRow{Listing: l, Counts: t("yes")}
		switch {
		case l.Kind == tocsin.Sanction:
			continue
		case l.Kind != tocsin.Risk && sanctioned:
			r.Says, r.Counts = t(whatItMeans(l)), t("does not count: a sanction outweighs it")
		case l.Kind != tocsin.Risk && against:
			r.Says, r.Counts = t(whatItMeans(l)), t("holds the score down")
		case l.Kind != tocsin.Risk:
			r.Says, r.Counts = t(whatItMeans(l)), t("no points")
		case counted[l.Family]:
			r.Counts = t("no, same origin")
		}
		if l.Kind == tocsin.Risk {
			counted[l.Family] = true
			r.Says = RiskName(a.Lang, l.Category)
		}
		if l.Name != "" {
			r.Says = t("%s (%s)", r.Says, l.Name)
		}
		list = append(list, r)
	}
	return list
}

// CompareListings compares the places of two listings in a row: those of authorities come first, then those that warn,
// and each kind in the order in which [Answer.Because] names their lists.
func (a Answer) CompareListings(x, y tocsin.Listing) int {
	kind := func(l tocsin.Listing) int {
		switch l.Kind {
		case tocsin.Sanction:
			return 0
		case tocsin.Risk:
			return 1
		}
		return 2
	}
	factor := func(l tocsin.Listing) int {
		n := 0
		for _, f := range a.Factors {
			if i := slices.Index(f.Lists, l.List); i >= 0 {
				return n + i
			}
			n += len(f.Lists)
		}
		return n
	}
	return cmp.Or(cmp.Compare(kind(x), kind(y)), cmp.Compare(factor(x), factor(y)))
}

// SanctionListings are the sanctions against the subject.
func (a Answer) SanctionListings() (list []tocsin.Listing) {
	for _, l := range a.Dossier.Listings {
		if l.Kind == tocsin.Sanction {
			l.ListDate = a.Dossier.Lists.Dates[l.List]
			list = append(list, l)
		}
	}
	return list
}

// AboveToo reports whether anything on record names a domain above the subject.
func (a Answer) AboveToo() bool {
	return slices.ContainsFunc(a.Dossier.Matches, func(m tocsin.Match) bool { return m.Match != "exact" })
}
