package web

import (
	"slices"

	"tocsin/internal/answer"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
)

// onlyOperator are the titles of the lists whose entries only the operator can end, and whether one is the operator's.
func (p objectPage) onlyOperator() (titles []string, own bool) {
	for _, l := range p.Lists {
		if l.URL == "" {
			titles, own = append(titles, l.Title), own || answer.OfOperator(l.List)
		}
	}
	return titles, own
}

// onlyAbandoned reports whether all that only the operator can end are entries of a list that nobody keeps.
func (p objectPage) onlyAbandoned() bool {
	return !slices.ContainsFunc(p.Lists, func(o objection) bool { return o.URL == "" && o.List != feed.Unkept })
}

// reportsOf are the numbers of the reports of lists, and whether one of them names something else, too: to hide a
// report hides the entries of its list about all that it names.
func (p objectPage) reportsOf(lists ...string) (ids []string, others bool) {
	for _, r := range p.Reports {
		if slices.Contains(lists, r.Source) {
			ids, others = append(ids, r.ID), others || len(r.Subjects()) > 1
		}
	}
	return ids, others
}

// ownLists are the lists of the operator that name the subject: their names and titles.
func (p objectPage) ownLists() (names, titles []string) {
	for _, l := range p.Lists {
		if l.URL == "" && l.List != feed.StarterList && l.List != feed.Unkept {
			names, titles = append(names, l.List), append(titles, l.Title)
		}
	}
	return names, titles
}

// hidesOthers says that to hide a report ends the entries of others as well, if one of these lists names any.
func (p objectPage) hidesOthers(lists ...string) string {
	switch reports, others := p.reportsOf(lists...); {
	case !others:
		return ""
	case len(reports) > 1:
		return p.Lang.Text("Some of these reports name others, too: hiding them ends those entries as well.")
	}
	return p.Lang.Text("The report names others, too: hiding it ends their entries as well.")
}

// endStep is the step of the owner to end what only the operator can end: an entry of their own list, of the program,
// or of a list that nobody keeps.
func (p objectPage) endStep() (head locale.Key, text string) {
	t := p.Lang.Text
	titles, own := p.onlyOperator()
	lists := p.Lang.List(titles...)
	if p.onlyAbandoned() {
		if reports, _ := p.reportsOf(feed.Unkept); len(reports) == 0 {
			return "Ask the operator for a safelist",
				t("Nobody keeps %s any more, so the entry stays; the safelist holds the level at Low.", lists)
		}
		return "Ask the operator to end the entry", p.Lang.Sentences(t("Nobody keeps %s any more.", lists), t(hideEntry),
			p.hidesOthers(feed.Unkept), t("Or the operator can put it on a safelist: the level is then Low at most."))
	}
	how := t("The operator can hide it, or put it on a safelist: the level is then Low at most.")
	if names, _ := p.ownLists(); own {
		switch reports, _ := p.reportsOf(names...); len(reports) {
		case 0:
			how = t("The operator can take it off their own list, or put it on a safelist: the level is then Low at most.")
		case 1:
			how = t("The operator can hide it and then take it off their own list, or put it on a safelist: the level is " +
				"then Low at most.")
		default:
			how = t("The operator can hide the reports of that list and then take it off the list, or put it on a safelist: " +
				"the level is then Low at most.")
		}
		return "Ask the operator to end the entry",
			p.Lang.Sentences(t("Nobody else can end the entry of %s.", lists), how, p.hidesOthers(names...))
	}
	return "Ask the operator to end the entry",
		p.Lang.Sentences(t("Nobody else can end the entry of %s.", lists), how, p.hidesOthers(feed.StarterList))
}

// hideEntry is what the operator can do about a list that nobody keeps.
const hideEntry = "The operator can hide here what it reports, and its entry: they then count nothing."

// abandonedToo is what the owner also asks of the operator, beside a safelist while other lists decide, about a list
// that nobody keeps: the step and the letter.
func (p objectPage) abandonedToo() (text, letter string) {
	t, list := p.Lang.Text, answer.ListTitle(p.Lang, feed.Unkept)
	reports, _ := p.reportsOf(feed.Unkept)
	others, gone := p.hidesOthers(feed.Unkept), t("Nobody keeps %s any more.", list)
	switch len(reports) {
	case 0:
		return t("Nobody keeps %s any more, so its entry stays: ask to have it kept there.", list),
			p.Lang.Sentences(gone, t("Please keep it there afterwards."))
	case 1:
		letter = t("I ask you to hide the report %s and its entry.", reports[0])
	default:
		letter = t("I ask you to hide the reports %s and their entries.", p.Lang.List(reports...))
	}
	return p.Lang.Sentences(gone, t(hideEntry), others), p.Lang.Sentences(gone, letter, others)
}

// endLetter asks the operator to end what only they can end.
func (p objectPage) endLetter() string {
	t := p.Lang.Text
	var said []string
	if slices.ContainsFunc(p.Lists, func(o objection) bool { return o.List == feed.Unkept }) {
		said = append(said, t("Nobody keeps %s any more.", answer.ListTitle(p.Lang, feed.Unkept)))
	}
	names, own := p.ownLists()
	reports, _ := p.reportsOf(names...)
	switch { // reports are hidden first, or they are shown as Earlier
	case len(reports) > 1: // the letter has their numbers below
		said = append(said, t("I ask you to hide the reports of your own list (%s) that name it, and then to take it off "+
			"the list, or to put it on a safelist.", p.Lang.List(own...)))
	case len(reports) == 1:
		said = append(said, t("I ask you to hide %s and its entry, and then to take it off your own list (%s), or to put it "+
			"on a safelist.", reports[0], p.Lang.List(own...)))
	case len(own) > 0:
		said = append(said, t("I ask you to take it off your own list (%s), or to put it on a safelist.",
			p.Lang.List(own...)))
	}
	reports, _ = p.reportsOf(feed.Unkept, feed.StarterList)
	switch {
	case len(reports) == 1:
		said = append(said, t("I ask you to hide the report %s and its entry, or to put it on a safelist.", reports[0]))
	case len(reports) > 1:
		said = append(said, t("I ask you to hide the reports %s and their entries, or to put it on a safelist.",
			p.Lang.List(reports...)))
	case len(own) == 0:
		said = append(said, t("I ask you to put it on a safelist."))
	}
	return p.Lang.Sentences(append(said, p.hidesOthers(append(names, feed.Unkept, feed.StarterList)...))...)
}
