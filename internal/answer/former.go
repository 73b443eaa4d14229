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
		again := a.inForce(h) ||
			slices.ContainsFunc(all, func(l tocsin.DatedListing) bool { return l.List == h.List && l.Kind == h.Kind })
		if h.Dropped != nil && h.Subject == a.Subject && !again {
			all = append(all, h)
		}
	}
	return all
}

// inForce reports whether the list of a dated listing names the subject now, for the same kind of reason.
func (a Answer) inForce(h tocsin.DatedListing) bool {
	return slices.ContainsFunc(a.Dossier.Listings, func(l tocsin.Listing) bool {
		return l.List == h.List && l.Kind == h.Kind
	})
}

// Past is how [Answer.FormerTexts] says what lists have said, each with the name of the list and then days.
type Past struct {
	Until   locale.Key // that was on record until a day: when the list itself dropped it is not known
	Removed locale.Key // it was when the operator removed the list: whether the list still names it is not known
	Again   locale.Key // it was until a day, and is again since another
	Older   locale.Key // it was until a version of the list, of a day, was read on another, which is older
	Except  locale.Key // it is, except from a day until another, while an older version was in use
}

// The texts of [Answer.FormerTexts]: behind a reason, and as sentences.
var (
	Was = Past{"on record here from %s until %s", "was on %s when the operator removed that list on %s",
		"on record here from %s until %s and again since %s",
		"was on %s until an older version of that list, of %s, was read here on %s, which is no removal",
		"on record here from %s, except from %s until %s, when an older version of that list was read"}
	Formerly = Past{"On record here from %s until %s.", "It was on %s when the operator removed that list on %s.",
		"It was on record here from %s until %s, and is again since %s.",
		"It was on %s until an older version of that list, of %s, was read here on %s. That is no removal by the list.",
		"It is on record here from %s, except from %s until %s: an older version of that list was read then."}
)

// FormerTexts says of each list of [Answer.Former] until when it named the subject, and of each list on which it is
// again until when it was before.
func (a Answer) FormerTexts(history []tocsin.DatedListing, past Past, day func(time.Time) string) (texts []string) {
	for _, h := range a.Former(history) {
		title, until := ListTitle(a.Lang, h.List), day(h.Dropped.Std())
		switch {
		case h.Older:
			texts = append(texts, a.Lang.Text(past.Older, title, day(h.DroppedIn.Std()), until))
		case h.Removed:
			texts = append(texts, a.Lang.Text(past.Removed, title, until))
		default:
			texts = append(texts, a.Lang.Text(past.Until, title, until))
		}
	}
	for i, h := range history {
		if h.Dropped != nil || h.Recorded == nil || h.Subject != a.Subject {
			continue
		}
		before := slices.IndexFunc(history[i:], func(l tocsin.DatedListing) bool {
			return l.Dropped != nil && l.Subject == h.Subject && l.List == h.List && l.Chain == h.Chain && l.Kind == h.Kind
		})
		if before >= 0 && !history[i+before].Removed {
			text := past.Again
			if history[i+before].Older {
				text = past.Except
			}
			again := a.Lang.Text(text, ListTitle(a.Lang, h.List), day(history[i+before].Dropped.Std()), day(h.Recorded.Std()))
			if !slices.Contains(texts, again) { // of another chain
				texts = append(texts, again)
			}
		}
	}
	return texts
}

// AddHistory adds what lists say and have said of the subject, and what follows from that.
func (a *Answer) AddHistory(history []tocsin.DatedListing) {
	a.History, a.ListRemoved, a.Outdated = history, false, nil
	for _, h := range a.Former(history) {
		a.ListRemoved = a.ListRemoved || h.Removed && a.Result == tocsin.NoReports
		if h.Older {
			a.Outdated = append(a.Outdated, h)
		}
	}
}

// Unsettled reports whether nothing warns of the subject, but only since a list was removed here, or an older version
// of one was read: whether anybody still does has to be checked there.
func (a Answer) Unsettled() bool { return a.beforeUnblocking() != "" }

// beforeUnblocking is what to do with a subject that is [Answer.Unsettled]; "" with another one.
func (a Answer) beforeUnblocking() locale.Key {
	switch {
	case a.ListRemoved:
		return "The list that warned of it was removed here. Whether it still does is not known. " +
			"Check it elsewhere before you lift a block."
	case len(a.Outdated) == 0 || a.Result != tocsin.NoReports:
		return ""
	case slices.ContainsFunc(a.Outdated, func(h tocsin.DatedListing) bool { return h.Kind == tocsin.Sanction }):
		return "It was sanctioned in a newer version of the list than the one that was read here. " +
			"Do not lift a block: check it at the authority."
	}
	return "A newer version of the list warned of it than the one that was read here. " +
		"Do not lift a block: check it at the list."
}

// FormerlySanctioned reports whether the subject was on a list of sanctions that has dropped it, and is on none now.
func (a Answer) FormerlySanctioned(history []tocsin.DatedListing) bool {
	return len(a.Sanctions) == 0 && slices.ContainsFunc(a.Former(history), func(h tocsin.DatedListing) bool {
		return h.Kind == tocsin.Sanction && !h.Removed && !h.Older
	})
}
