// Package answer says in words what a screening comes to: the verdict, what lists and reporters say, how the score is
// made, and when it all happened. The words are for people, in a language of [locale]. They say no more than the
// response of the API, which is made from the same data. It knows no HTTP, no templates and no database.
package answer

import (
	"maps"
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
)

// Answer is the screening of a subject with its evidence, in a language.
type Answer struct {
	tocsin.Screening
	Subject tocsin.Subject
	Dossier *tocsin.Dossier
	Lang    *locale.Printer
	Lapsed  bool // nothing names it, but lists or reports did

	// What [Answer.AddHistory] adds. Neither of the last two means that a list has dropped the subject.
	History     []tocsin.DatedListing // what lists say and have said of it
	ListRemoved bool                  // nothing warns of it, but a list did when the operator removed that list
	Outdated    []tocsin.DatedListing // what newer versions of lists said of it than those that are in use

	// Namesakes are the parties that a list of sanctions names by this domain. It names accounts of theirs, not the
	// domain, so this changes neither the score nor the recommendation.
	Namesakes []tocsin.Party
}

// New screens a subject at a moment.
func New(p *locale.Printer, subject tocsin.Subject, d *tocsin.Dossier, now time.Time) Answer {
	return Answer{Screening: tocsin.Screen(d, now), Subject: subject, Dossier: d, Lang: p}
}

// riskLists returns the titles of the lists that name the subject as a risk.
func (a Answer) riskLists() (lists []string) {
	for _, l := range a.Listings {
		if l.Kind == tocsin.Risk {
			lists = append(lists, ListTitle(a.Lang, l.List))
		}
	}
	slices.Sort(lists)
	return slices.Compact(lists)
}

// onlyUnkept reports whether nothing names the subject but a list that nobody keeps any more, and perhaps reports that
// nobody has confirmed.
func (a Answer) onlyUnkept() bool { return a.only(isUnkept) }

// onlyOwn reports whether nothing names it but lists that the operator made, and perhaps such reports.
func (a Answer) onlyOwn() bool {
	return a.only(func(l tocsin.Listing) bool { return OfOperator(l.List) })
}

// onlyFrozen reports whether all that names the subject is the label of an account that an issuer has frozen.
func (a Answer) onlyFrozen() bool {
	return len(a.Dossier.Reporters) == 0 &&
		a.only(func(l tocsin.Listing) bool { return l.Kind == tocsin.Risk && l.Category == tocsin.Frozen })
}

// onlyUnsaid reports whether all that names the subject is lists that do not say what fraud it is, and no report does.
func (a Answer) onlyUnsaid() bool {
	return a.ReportCount == 0 && a.only(func(l tocsin.Listing) bool {
		return l.Kind == tocsin.Risk && (l.Category == tocsin.Frozen || l.Category == string(tocsin.OtherCrime))
	})
}

// Unconfirmed reports whether the level is High by the word of one source that nobody confirms: a list that nobody
// keeps any more, or one that the operator made. The page then says how to check it.
func (a Answer) Unconfirmed() bool {
	return a.RiskLevel == tocsin.High && (a.onlyUnkept() || a.onlyOwn())
}

// only reports whether all lists that name the subject are of one kind, and no reporter names it whose earlier reports
// were confirmed.
func (a Answer) only(are func(tocsin.Listing) bool) bool {
	return len(a.Listings) > 0 && a.provenReporters() == 0 &&
		!slices.ContainsFunc(a.Listings, func(l tocsin.Listing) bool { return !are(l) })
}

func isUnkept(l tocsin.Listing) bool { return l.List == feed.Unkept }

// speaking is the entry whose list a headline names: of those that warn, the first by title of a public list that
// somebody keeps, if there is one; nil if no list warns.
func (a Answer) speaking() (speaks *tocsin.Listing) {
	rank := func(l tocsin.Listing) string {
		if isUnkept(l) || OfOperator(l.List) {
			return "1" + ListTitle(a.Lang, l.List)
		}
		return "0" + ListTitle(a.Lang, l.List)
	}
	for i, l := range a.Listings {
		if l.Kind == tocsin.Risk && (speaks == nil || rank(l) < rank(*speaks)) {
			speaks = &a.Listings[i]
		}
	}
	return speaks
}

// atOnce is within which time entries of several lists are about as old: some lists are published a week late.
const atOnce = 14 * 24 * time.Hour

// mayHaveOneSource reports whether lists warn of the subject that may have it from one source, and no proven reporter
// agrees: they have named it at once, or nobody knows when. Lists that copy each other count once anyway.
func (a Answer) mayHaveOneSource() bool {
	first := map[string]time.Time{}
	for _, l := range a.Listings {
		if at, known := first[l.Family]; l.Kind == tocsin.Risk && l.Since != nil && (!known || l.Since.Std().Before(at)) {
			first[l.Family] = l.Since.Std()
		}
	}
	dates := slices.SortedFunc(maps.Values(first), time.Time.Compare)
	apart := len(dates) > 0 && dates[len(dates)-1].Sub(dates[0]) > atOnce
	return len(a.riskLists()) > 0 && a.provenReporters() == 0 && !apart
}

// goodListings returns the listings that name the subject as safe, or as a service where
// anybody can have a page.
func (a Answer) goodListings() (good []tocsin.Listing) {
	for _, l := range a.Listings {
		if l.Kind != tocsin.Risk {
			good = append(good, l)
		}
	}
	return good
}

// isVouchedFor reports whether a safelist vouches for the subject itself, which no number of reports and lists ends.
func (a Answer) isVouchedFor() bool {
	return slices.ContainsFunc(a.Listings, func(l tocsin.Listing) bool {
		return l.Vouches() && l.Subject == a.Subject
	})
}

// byOperator reports whether only the operator vouches for the subject, or for a name above it.
func (a Answer) byOperator() bool {
	return !slices.ContainsFunc(a.Listings, func(l tocsin.Listing) bool { return l.Vouches() && !OfOperator(l.List) })
}

// underReview reports whether all that vouches for the subject is the operator, while an objection is looked into.
func (a Answer) underReview() bool {
	vouching := slices.DeleteFunc(a.goodListings(), func(l tocsin.Listing) bool { return !l.Vouches() })
	return len(vouching) > 0 && !slices.ContainsFunc(vouching, func(l tocsin.Listing) bool { return !isUnderReview(l) })
}

// isUnderReview reports whether the operator holds a subject at Low while an objection is looked into.
func isUnderReview(l tocsin.Listing) bool {
	return l.Kind == tocsin.Safe && l.Category == tocsin.UnderReview && OfOperator(l.List)
}

// undecided says that of a subject which is under review.
func (a Answer) undecided() string {
	return a.Lang.Text("The operator holds the level at Low while an objection is looked into. Nothing has been decided.")
}

// provenReporters counts the reporters of the subject whose reports lists have mostly confirmed.
func (a Answer) provenReporters() (n int) {
	for _, o := range a.Dossier.Reporters {
		if o.Proven(a.AsOf.Std()) {
			n++
		}
	}
	return n
}

// say is a message in the visitor's language.
func (a Answer) say(head, text locale.Key, args ...any) Message {
	return Message{a.Lang.Text(head), a.Lang.Text(text, args...)}
}

// of is the sentence about an address or about a site, in the visitor's language.
func (a Answer) of(address, site locale.Key, args ...any) string {
	if a.Subject.IsAddress() {
		return a.Lang.Text(address, args...)
	}
	return a.Lang.Text(site, args...)
}

// Domain reports whether the subject is a domain.
func (a Answer) Domain() bool { return !a.Subject.IsAddress() }

// Chain is the name of the one chain that the subject is an account of, or "".
func (a Answer) Chain() string {
	if a.Subject.Chain() == "" {
		return ""
	}
	return a.Subject.ChainName()
}

// Word is the answer in a word or two: the level, or that the subject is known.
func (a Answer) Word() string {
	if a.KnownGood() || a.NamedOnly() && a.Safelisted {
		return a.Lang.Text("Known")
	}
	return a.Lang.Text(WordOf(a.RiskLevel, a.Result))
}

// State is the word that heads an answer. Alone, that of an account to which nobody should send would read as a
// go-ahead, and Low above a first warning as little risk.
func (a Answer) State() string {
	switch {
	case a.Misplaced():
		return a.Lang.Text("Do not send")
	case a.RiskLevel != tocsin.Low || a.Safelisted || a.Held:
		return a.Word()
	case a.ReportCount == 1:
		return a.Lang.Text("Low, one warning")
	}
	return a.Lang.Text("Low, unconfirmed warnings")
}

// NamedOnly reports whether a report names the subject, and none counts in the score.
func (a Answer) NamedOnly() bool { return a.RiskLevel == tocsin.Clean && a.Result == tocsin.Caution }

// Scored reports whether the score is worth showing. A 0 because nothing is on record would read as good, and so would
// that of an account to which nobody should send.
func (a Answer) Scored() bool {
	return a.Result != tocsin.NoReports || a.KnownGood() && !a.Misplaced()
}

// Alarm reports whether the level is High or Critical.
func (a Answer) Alarm() bool { return a.RiskLevel == tocsin.High || a.RiskLevel == tocsin.Critical }

// Warns reports whether the answer is never withheld: its level is Medium or above, which every suspicion by a name or
// by digits has, or it says that what is sent there is lost, that a character may be wrong, or that the known site of
// this name is another.
func (a Answer) Warns() bool {
	return a.Alarm() || a.RiskLevel == tocsin.Medium || a.Suspicious() || a.Misplaced() || a.knownElsewhere() != ""
}
