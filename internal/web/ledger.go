package web

import (
	"regexp"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/locale"
)

// factorText is the detail of a factor, in the visitor's language and with the titles of lists in place of their names.
func (sc screening) factorText(x tocsin.Factor) string {
	t := sc.lang.Text
	switch x.Code {
	case "reports":
		return sc.accountsText()
	case "anonymous_reports":
		return sc.anonymousText()
	case "reports_age":
		return t("These reports are old; the newest is of %s.", sc.factorDay(x))
	case "anonymous_age":
		return t("The newest is of %s.", sc.factorDay(x))
	case "reports_unproven":
		return t("Reports alone count for little until reporters who were right before agree.")
	case "reports_cap":
		return t("Several reports, but no public list yet.")
	case "list":
		return t("Named by %s.", sc.factorLists(x, "named by "))
	case "list_again":
		return t("Also named, independently, by %s.", sc.factorLists(x, "also named, independently, by "))
	case "cap":
		return t("Nobody has sanctioned it.")
	case "safelisted":
		return t("On the safelist %s.", sc.factorLists(x, "on the safelist "))
	case "known_site":
		return t("It is known to %s: the score is held until a second independent list agrees.",
			sc.factorLists(x, "a well-known site, by "))
	case "sanctioned":
		return t("Sanctioned: %s. One entry lifts any score to 100.", sc.factorLists(x, "sanctioned: "))
	}
	return tocsin.Sentence(x.Detail)
}

// factorLists are the titles of the lists that a factor names behind a beginning.
func (sc screening) factorLists(x tocsin.Factor, beginning string) string {
	names, _, _ := strings.Cut(strings.TrimPrefix(x.Detail, beginning), ": held")
	var titles []string
	for _, l := range sc.dossier.Listings {
		titles = append(titles, l.List, listTitle(l.List))
	}
	return strings.NewReplacer(titles...).Replace(names)
}

// factorDay is the day in the detail of a factor.
func (sc screening) factorDay(x tocsin.Factor) string {
	iso := isoDay.FindString(x.Detail)
	if t, err := time.Parse(time.DateOnly, iso); err == nil {
		return sc.lang.Day(t)
	}
	return iso
}

// isoDay matches a day as the API writes it.
var isoDay = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)

// factorNames are the names of the factors (docs/risk.md).
var factorNames = map[string]locale.Key{
	"reports":           "Reports by accounts",
	"reports_age":       "Age of the reports",
	"anonymous_reports": "Anonymous reports",
	"anonymous_age":     "Age of the anonymous reports",
	"reports_unproven":  "Not confirmed yet",
	"reports_cap":       "Reports alone stay below Critical",
	"list":              "Named by a list",
	"list_again":        "Named by another list, independently",
	"cap":               "Only a sanctioned subject can reach 100",
	"safelisted":        "Known as good",
	"known_site":        "A well-known site",
	"sanctioned":        "Sanctions",
}

func (sc screening) factorName(code string) string {
	if name := factorNames[code]; name != "" {
		return sc.lang.Text(name)
	}
	return code
}
