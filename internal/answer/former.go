package answer

import (
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/locale"
)

// Former is what lists of risk and sanctions have said of the subject itself and say no more, of each list the latest.
// The history is that of [tocsin.DatedListing], the latest first. What a list has dropped while it names the subject
// otherwise is left out.
func (a Answer) Former(history []tocsin.DatedListing) (all []tocsin.DatedListing) {
	for _, h := range history {
		again := slices.ContainsFunc(a.Dossier.Listings, func(l tocsin.Listing) bool {
			return l.List == h.List && l.Kind == h.Kind
		}) || slices.ContainsFunc(all, func(l tocsin.DatedListing) bool { return l.List == h.List && l.Kind == h.Kind })
		if h.Dropped != nil && h.Subject == a.Subject && !again {
			all = append(all, h)
		}
	}
	return all
}

// FormerTexts says of each list of [Answer.Former] until when it named the subject, in a text with the name of the list
// and the day.
func (a Answer) FormerTexts(
	history []tocsin.DatedListing, text locale.Key, day func(time.Time) string,
) (texts []string) {
	for _, h := range a.Former(history) {
		texts = append(texts, a.Lang.Text(text, ListTitle(a.Lang, h.List), day(h.Dropped.Std())))
	}
	return texts
}

// Was is the text of [Answer.FormerTexts] behind a reason.
const Was locale.Key = "was on %s until %s"

// FormerlySanctioned reports whether the subject was on a list of sanctions, and is on none now.
func (a Answer) FormerlySanctioned(history []tocsin.DatedListing) bool {
	return len(a.Sanctions) == 0 && slices.ContainsFunc(a.Former(history), func(h tocsin.DatedListing) bool {
		return h.Kind == tocsin.Sanction
	})
}
