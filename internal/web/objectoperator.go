package web

import (
	"net/netip"
	"slices"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
)

// operatorRequest is what an owner asks of the operator: the step on the page, and the same in the letter.
type operatorRequest struct {
	objectStep
	Letter string
}

// operatorRequests are what the owner asks of the operator, what helps most first. The page and the letter both have
// them from here, so that the letter asks for what the page says.
func (p objectPage) operatorRequests() (asks []operatorRequest) {
	t := p.Lang.Text
	ask := func(head, text locale.Key, letter string) {
		asks = append(asks, operatorRequest{objectStep{Head: t(head), Text: t(text)}, letter})
		if last := &asks[len(asks)-1]; p.Contact != "" {
			last.Path, last.Link = p.Contact, t("Write to the operator")
		}
	}
	safelist := func(head, text locale.Key, letter string) {
		ask(head, text, letter)
		if last := &asks[len(asks)-1]; p.NameAlone() != nil && len(asks) == 1 {
			last.Text = p.Lang.Sentences(last.Text, t("Ask to have it kept there: it stays suspicious when no list names it."))
			last.Letter = p.Lang.Sentences(last.Letter, p.of(
				"Please keep it there afterwards: its name alone is suspected.",
				"Please keep it there afterwards: its digits alone are suspected."))
		}
	}
	if p.Clear() {
		return append(asks, p.droppedRequests()...)
	}
	holds, end := p.Holds(), func() {
		head, text := p.endStep()
		safelist(head, "", p.endLetter())
		last := &asks[len(asks)-1]
		last.Text = p.Lang.Sentences(text, last.Text)
	}
	switch {
	case len(p.Sanctions) > 0:
		ask("Ask the operator for a fresh import", "Once the authority has ended the sanction, it ends here when the "+
			"operator imports the list again.",
			t("Once the authority has ended the sanction, I ask you to import its list again."))
	case slices.ContainsFunc(holds, func(h answer.Hold) bool { return h.Own && h.Review }):
		ask("The operator is looking into it", "Write only if you have something new.",
			t("You are looking into an objection to it. This is new: [what it is, and a link that shows it]"))
		if p.Safelist != nil && p.Safelist.Changed != nil {
			last, since := &asks[len(asks)-1], p.Lang.Day(p.Safelist.Changed.Std())
			last.Text = p.Lang.Sentences(t("It has been under review since %s.", since), last.Text)
		}
	case slices.ContainsFunc(holds, func(h answer.Hold) bool { return h.Own }):
		ask("It is on the safelist of the operator", "That holds the level at Low.",
			t("It is on your safelist. I ask you to keep it there."))
		if last := &asks[len(asks)-1]; len(p.askable()) > 0 {
			last.Text = p.Lang.Sentences(last.Text, t("Ask the lists all the same: other services read them, too."))
		}
	case len(p.askable()) > 0 && (len(holds) == 0 || !holds[0].Vouches):
		safelist("Ask the operator for a safelist meanwhile", "The level is then Low at most while the lists decide.",
			t("I ask you to put it on a safelist while the lists decide."))
		switch last := &asks[len(asks)-1]; {
		case len(p.askable()) == len(p.Lists):
		case p.onlyAbandoned(): // one safelist serves both
			text, letter := p.abandonedToo()
			last.Text, last.Letter = p.Lang.Sentences(last.Text, text), p.Lang.Sentences(last.Letter, letter)
		default:
			end()
		}
	case len(p.askable()) == 0 && len(p.Lists) > 0:
		end()
	case p.CautionText() != "":
		ask("Ask the operator to put it on a safelist", "The caution then ends within a second.",
			p.Lang.Sentences(p.onlyCautioned(), t("I ask you to put it on a safelist.")))
	case p.Unreported():
		ask("Ask the operator to put it on a safelist", "No list and no report names it, so nobody else can help. Once it "+
			"is on the safelist, the suspicion ends within a second.", p.Lang.Sentences(p.onlySuspected(),
			t("I ask you to put it on a safelist.")))
	}
	if p.filedHere() || p.ReportCount > 0 && len(p.Lists) == 0 {
		ask("Write to the operator about each report that is wrong", "Give its number, say what is wrong, and show that it "+
			"is yours. The operator can hide the report; it then counts no more, within a second.",
			p.Lang.Sentences(t("I ask you to hide the reports that are wrong."), t("[One has my name: please erase it.]")))
		last := &asks[len(asks)-1]
		last.Text = p.Lang.Sentences(last.Text, t("If it has your name or harms your business, a lawyer can help, too."))
		if slices.Contains([]tocsin.Level{tocsin.Clean, tocsin.Low}, p.WithoutReports().Level) {
			last := len(asks) - 1 // the end of the reports then lowers the level more than a safelist
			asks = slices.Insert(asks[:last:last], 0, asks[last])
		}
	}
	if len(p.Lists) == 0 && p.NameAlone() != nil {
		ask("Ask the operator for a safelist, too", "It would be suspicious without any report. On the safelist that ends "+
			"within a second.", p.of("I ask you to put it on a safelist, too: its name alone is suspected.",
			"I ask you to put it on a safelist, too: its digits alone are suspected."))
	}
	if ended := p.safelistEnded(); ended != nil && p.Safelist.Removed && len(asks) > 0 {
		first := &asks[0]
		first.Text = p.Lang.Sentences(first.Text, t("Write only if you have something new."))
		first.Letter = p.Lang.Sentences(first.Letter, t("You ended the entry of your safelist on %s. This is new: [what it "+
			"is, and a link that shows it]", p.Lang.Day(ended.Std())))
	}
	return append(asks, p.droppedRequests()...)
}

// droppedRequests is what the owner asks of the operator about reports that lists have dropped; none without one.
func (p objectPage) droppedRequests() []operatorRequest {
	if len(p.Dropped) == 0 {
		return nil
	}
	t := p.Lang.Text
	ask := operatorRequest{
		objectStep{Head: t("Ask the operator to hide what a list has dropped"),
			Text: t("The operator can hide or erase its report. It is then no longer shown as Earlier.")},
		t("I ask you to hide what a list has dropped: %s.", p.Lang.List(p.Dropped...)),
	}
	if p.Contact != "" {
		ask.Path, ask.Link = p.Contact, t("Write to the operator")
	}
	return []operatorRequest{ask}
}

// askable are the lists that take objections themselves. An authority does not: it ends no entry on request.
func (p objectPage) askable() (lists []objection) {
	for _, l := range p.Lists {
		if l.Kind == tocsin.Risk && l.URL != "" {
			lists = append(lists, l)
		}
	}
	return lists
}

// Askable reports whether a list, or an authority, takes objections itself.
func (p objectPage) Askable() bool {
	return slices.ContainsFunc(p.Lists, func(o objection) bool { return o.URL != "" })
}

// of is the sentence about a site or about an address, in the language of the visitor.
func (p objectPage) of(site, address locale.Key) string {
	if p.Subject.IsAddress() {
		return p.Lang.Text(address)
	}
	return p.Lang.Text(site)
}

// onlySuspected says in a letter why a subject is suspicious that nothing names.
func (p objectPage) onlySuspected() string {
	if n := p.NameFindings; n != nil && n.Lookalike != nil {
		return p.Lang.Text("No list and no report names it; only its name is suspected: it looks like that of %s.",
			n.Lookalike.Of)
	}
	return p.of("No list and no report names it; only its name is suspected.",
		"No list and no report names it; it only looks like another address.")
}

// onlyCautioned says in a letter why visitors are told to take care with a site that nothing names.
func (p objectPage) onlyCautioned() string {
	read, why := p.Caution()
	return p.Lang.Text("No list and no report names it; but visitors read “%s”, because %s.", read, why)
}

// WhereOperator says where an owner finds an operator who has published no contact.
func (p objectPage) WhereOperator() string {
	if _, err := netip.ParseAddr(p.Service); err == nil || p.Service == "localhost" { // which nobody has registered
		return p.Lang.Text("The operator has published no contact. Nothing here changes unless the operator acts.")
	}
	return p.Lang.Text("The operator has published no contact. Look up who registered %s (WHOIS), or ask the company "+
		"that hosts it to pass your letter on. Nothing here changes unless the operator acts.", p.Service)
}
