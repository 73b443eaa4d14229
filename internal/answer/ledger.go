package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/locale"
)

// Step is a factor of the score. Its Width is that of its bar, in percent.
type Step struct {
	Name, Detail, Class string
	Says                string // what the lists that the factor is about call the subject; "" for none
	Points, Width       int
}

// summed are the factors of the score without those that say why an account is not to be paid, or that a host is
// shared. They have no points: the verdict says that.
func (a Answer) summed() []tocsin.Factor {
	if a.Unpayable == "" && !a.Shared {
		return a.Factors
	}
	return slices.DeleteFunc(slices.Clone(a.Factors), func(f tocsin.Factor) bool {
		return f.Code == "token_contract" || f.Code == "burn_address" || f.Code == "shared_host"
	})
}

// Steps are the factors of the score, in the order in which they are added up: a sanction is the last one.
func (a Answer) Steps() (list []Step) {
	largest := 1
	for _, x := range a.summed() {
		largest = max(largest, x.Points)
	}
	for _, x := range a.summed() {
		one := Step{
			Name:   a.factorName(x),
			Detail: a.factorText(x),
			Points: x.Points,
			Width:  max(0, x.Points*100/largest),
			Says:   a.factorSays(x),
		}
		if x.Points < 0 {
			one.Class = "less"
		} else if x.Code == "sanctioned" {
			one.Class = "critical"
		}
		list = append(list, one)
	}
	return list
}

// Reasons are the parts of the reason of a row: who has the name of the domain, [Answer.Because], and until when lists
// named the subject that do no more. The history is that of [Answer.FormerTexts].
func (a Answer) Reasons(history []tocsin.DatedListing, day func(time.Time) string) []string {
	return slices.Concat(a.NamesakeTexts(), []string{a.Because()}, a.FormerTexts(history, Was, day))
}

// Because explains the score in a few words: what each list calls the subject, or the name of the factor, and the
// points, which sum to the score. What nobody should pay is said first, and that anyone can have a page there.
func (a Answer) Because() string {
	switch {
	case a.Unpayable != "":
		return toKnownAccount(a, a.Unpayable).Head + "; " + a.because()
	case a.Registry():
		return a.Lang.Text("Many sites have their names under it, and none was looked at") + "; " + a.because()
	case a.Shared:
		return a.Lang.Text("Anyone can have a page there, and no page was looked at") + "; " + a.because()
	}
	return a.because()
}

func (a Answer) because() string {
	var parts []string
	steps := a.Steps()
	if n := len(steps); n > 0 && steps[n-1].Class == "critical" { // a sanction decides, so it is said first
		steps = append([]Step{steps[n-1]}, steps[:n-1]...)
	}
	for _, step := range steps {
		parts = append(parts, a.Lang.Text("%s (%s)", cmp.Or(step.Says, step.Name), step.Signed()))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "; ")
	case a.Safelisted:
		var good []string
		for _, l := range a.goodListings() {
			if !slices.Contains(good, l.List) {
				good = append(good, l.List)
			}
		}
		return a.says(good, isGood)
	case a.Result == tocsin.Caution:
		return a.Lang.Text("Reports on record, which score nothing by themselves")
	}
	return a.Lang.Text("Nothing on record, which does not make it safe")
}

// factorSays says what the lists that a factor is about call the subject, such as "OFAC SDN: sanctioned, LAZARUS GROUP
// (DPRK3)"; "" of a factor that is about none.
func (a Answer) factorSays(x tocsin.Factor) string {
	return a.says(x.Lists, func(l tocsin.Listing) bool {
		switch x.Code {
		case "list", "list_again":
			return l.Kind == tocsin.Risk
		case "sanctioned":
			return l.Kind == tocsin.Sanction
		}
		return isGood(l)
	})
}

func isGood(l tocsin.Listing) bool { return l.Kind == tocsin.Safe || l.Kind == tocsin.Shared }

// maxLabels is how many words and labels of a list are repeated.
const maxLabels = 4

// says says what lists call the subject by some of their listings. The names are those of the lists.
func (a Answer) says(lists []string, of func(tocsin.Listing) bool) string {
	var all []string
	for _, name := range lists {
		title, labels := ListTitle(a.Lang, name), []string(nil)
		for _, l := range a.Dossier.Listings {
			if l.List != name || !of(l) {
				continue
			}
			word, called := a.Lang.Text(whatItMeans(l)), tocsin.Clip(l.Name, 100)
			switch l.Kind {
			case tocsin.Sanction:
				word = a.Lang.Text("sanctioned")
			case tocsin.Risk:
				word = RiskName(a.Lang, l.Category)
			}
			if l.Kind == tocsin.Sanction && l.Program != "" {
				called = strings.TrimSpace(called + " (" + tocsin.Clip(l.Program, 60) + ")")
			}
			for _, label := range []string{word, called} {
				if label != "" && !slices.Contains(labels, label) {
					labels = append(labels, label)
				}
			}
		}
		if len(labels) > maxLabels {
			labels = append(labels[:maxLabels], "…")
		}
		if len(labels) > 0 {
			title = a.Lang.Text("%s: %s", title, strings.Join(labels, ", "))
		}
		all = append(all, title)
	}
	return strings.Join(all, "; ")
}

// Signed is the points with their sign.
func (s Step) Signed() string {
	switch {
	case s.Points > 0:
		return fmt.Sprintf("+%d", s.Points)
	case s.Points < 0:
		return fmt.Sprintf("−%d", -s.Points)
	}
	return "0"
}

// factorText is the detail of a factor, in the visitor's language and with the titles of lists in place of their names.
func (a Answer) factorText(x tocsin.Factor) string {
	t := a.Lang.Text
	switch x.Code {
	case "reports":
		return a.accountsText()
	case "anonymous_reports":
		return a.anonymousText()
	case "reports_age":
		return t("These reports are old; the newest is of %s.", a.Lang.Day(x.Newest.Std()))
	case "anonymous_age":
		return t("The newest is of %s.", a.Lang.Day(x.Newest.Std()))
	case "reports_unproven":
		return t("Reports alone count for little until reporters who were right before agree.")
	case "reports_cap":
		return t("Several reports, but no public list yet.")
	case "list":
		return t("Named by %s.", a.factorLists(x))
	case "list_again":
		return t("Also named by %s. Lists that copy each other count once.", a.factorLists(x))
	case "cap":
		return t("Nobody has sanctioned it.")
	case "safelisted":
		if a.underReview() {
			return a.undecided()
		}
		if !slices.ContainsFunc(x.Lists, func(list string) bool { return !OfOperator(list) }) {
			return t("The operator of this service has checked it and put it on a safelist.")
		}
		return t("On the safelist %s.", a.factorLists(x))
	case "known_site":
		return t("It is known to %s: the score is held until a second independent list agrees.", a.factorLists(x))
	case "poisoning":
		if a.AddressFindings != nil && a.Poisoning.Differ == 1 {
			return t("All its characters but one are those of another address. Nobody has reported it for that.")
		}
		return t("It begins and ends like another address. Nobody has reported it for that.")
	case "lookalike":
		return t("It resembles the name. Nobody has looked at the site itself.")
	case "prediction":
		return t("It is composed like the names on the lists. Nobody has looked at the site itself.")
	case "registered":
		return t("It was registered on %s. Most scam sites are days old.", a.Lang.Day(x.Newest.Std()))
	case "first_certificate":
		return t("It got its first certificate on %s. Most scam sites are days old.", a.Lang.Day(x.Newest.Std()))
	case "unresolved":
		return t("No server is found under this name at present. That can change within minutes.")
	case "sanctioned":
		if before := a.RiskScore - x.Points; before > 0 && x.Points > 0 {
			return t("Sanctioned: %s. This lifts the score from %s to 100.", a.factorLists(x), a.Lang.Number(int64(before)))
		}
		return t("Sanctioned: %s. One entry lifts any score to 100.", a.factorLists(x))
	}
	return tocsin.Sentence(x.Detail)
}

// factorLists are the titles of the lists that a factor is about.
func (a Answer) factorLists(x tocsin.Factor) string {
	titles := make([]string, len(x.Lists))
	for i, name := range x.Lists {
		titles[i] = ListTitle(a.Lang, name)
	}
	return strings.Join(titles, ", ")
}

// factorNames are the names of the factors (docs/risk.md).
var factorNames = map[string]locale.Key{
	"reports":           "Reports by accounts",
	"reports_age":       "Age of the reports",
	"anonymous_reports": "Anonymous reports",
	"anonymous_age":     "Age of the anonymous reports",
	"reports_unproven":  "Not confirmed yet",
	"reports_cap":       "Reports alone stay below Critical",
	"list":              "Named by a list",
	"list_again":        "Named by another list",
	"cap":               "Only a sanctioned subject can reach 100",
	"safelisted":        "Known as good",
	"known_site":        "A well-known site",
	"prediction":        "A name like those of scams",
	"registered":        "A new site",
	"first_certificate": "A new site",
	"unresolved":        "No server",
	"poisoning":         "Looks like another address",
	"sanctioned":        "Sanctions",
}

func (a Answer) factorName(x tocsin.Factor) string {
	if of := a.imitates(); x.Code == "lookalike" && of != "" {
		return a.Lang.Text("Resembles %s", of)
	}
	if x.Code == "safelisted" && a.underReview() {
		return a.Lang.Text("Under review")
	}
	if x.Code == "poisoning" && a.AddressFindings != nil && a.Poisoning.Differ == 1 {
		return a.likeness()
	}
	if name := factorNames[x.Code]; name != "" {
		return a.Lang.Text(name)
	}
	return x.Code
}
