package web

import (
	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// WhoseClaim says whose word it is that speaks against the subject.
func (p objectPage) WhoseClaim() string {
	switch {
	case !p.Unreported():
		return p.claims()
	case p.Clear():
		return ""
	case p.CautionText() != "":
		return p.Lang.Text("This is our own caution, from the name alone. Nobody has looked at your site.")
	case p.Lapsed:
		return p.Lang.Text("This is our own suspicion. Nothing on record warns of it now.")
	case p.Subject.IsAddress():
		return p.Lang.Text("This is our own suspicion, from the digits alone. Nobody has reported your address.")
	case p.SuspiciousAsNew():
		return p.Lang.Text("This is our own suspicion, from the name and the age of the site. " +
			"Nobody has looked at your site.")
	}
	return p.Lang.Text("This is our own suspicion, from the name alone. Nobody has looked at your site.")
}

// claims says whose claims the entries and reports are, and what beside them is our own finding.
func (p objectPage) claims() string {
	t := p.Lang.Text
	var said, own, ofProgram []string
	for _, l := range p.Lists {
		switch {
		case l.List == feed.StarterList:
			ofProgram = append(ofProgram, l.Title)
		case answer.OfOperator(l.List):
			own = append(own, l.Title)
		}
	}
	others := p.ReportCount > 0 && (p.filedHere() || len(p.Lists) == 0) || len(p.Lists) > len(own)+len(ofProgram)
	if len(own)+len(ofProgram) == 0 && p.NameAlone() == nil {
		return t("An entry or a report is the claim of who made it, and no finding of this service.")
	}
	if others {
		said = append(said, t("An entry or a report is the claim of who made it."))
	}
	if len(own) > 0 {
		said = append(said, t("What %s says is the claim of the operator of this service.", p.Lang.List(own...)))
	}
	if len(ofProgram) > 0 {
		said = append(said, t("What %s says comes with the program that this service runs.", p.Lang.List(ofProgram...)))
	}
	if p.NameAlone() != nil {
		said = append(said, p.of("That its name is suspicious is our own finding, from the name alone.",
			"That its digits are suspicious is our own finding, from the digits alone."))
	}
	return p.Lang.Sentences(said...)
}

// held is the entry of the operator's safelist that is in force; nil if there is none, or nobody knows since when.
func (p objectPage) held() *store.SafelistEntry {
	if p.Safelist == nil || p.Safelist.Ended || p.Safelist.Changed == nil {
		return nil
	}
	return p.Safelist
}

// Checked is when the operator checked what an own safelist holds; nil if that is not known, or it is under review.
func (p objectPage) Checked(h answer.Hold) *tocsin.Time {
	if entry := p.held(); entry != nil && h.List == feed.Safelist && !h.Review {
		return entry.Changed
	}
	return nil
}

// SinceText says since when the operator's safelist has had a subject that nothing speaks against; "" if it does not
// have it.
func (p objectPage) SinceText() string {
	switch entry := p.held(); {
	case entry == nil || !p.KnownGood():
		return ""
	case entry.Category == tocsin.UnderReview:
		return p.Lang.Text("It has been under review since %s.", p.Lang.Day(entry.Changed.Std()))
	default:
		return p.Lang.Text("The operator checked it on %s.", p.Lang.Day(entry.Changed.Std()))
	}
}

// DecisionText says that the operator looks into an objection to a sanction, or has ended the entry of the safelist; ""
// for neither.
func (p objectPage) DecisionText() string {
	if entry := p.held(); entry != nil && entry.Category == tocsin.UnderReview && len(p.Sanctions) > 0 {
		return p.Lang.Text("The operator has been looking into your objection since %s, but cannot lower a sanction.",
			p.Lang.Day(entry.Changed.Std()))
	}
	return p.safelistEndedText()
}

// safelistEnded is when the entry of the safelist ended while something speaks against the subject; nil if that was not
// so.
func (p objectPage) safelistEnded() *tocsin.Time {
	if p.Safelist == nil || !p.Safelist.Ended || p.Clear() {
		return nil
	}
	return p.Safelist.Changed
}

// safelistEndedText says that; "" if it was not so. An entry that was taken off by itself was decided about; one that
// ended because a file lacks it was not.
func (p objectPage) safelistEndedText() string {
	switch ended := p.safelistEnded(); {
	case ended == nil:
		return ""
	case !p.Safelist.Removed:
		return p.Lang.Text("The safelist entry ended on %s. What warns of it stays.", p.Lang.Day(ended.Std()))
	case p.Safelist.Category == tocsin.UnderReview:
		return p.Lang.Text("The operator looked into an objection and ended the safelist entry on %s. Result: what "+
			"warns of it stays.",
			p.Lang.Day(ended.Std()))
	default:
		return p.Lang.Text("It was on the safelist of the operator, who took it off on %s.", p.Lang.Day(ended.Std()))
	}
}
