package web

import (
	"errors"
	"slices"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// unreadPart is a part of what was typed that has no answer.
type unreadPart struct {
	Text string // as it was typed, shortened; "" for what is not repeated
	Why  string // and what to do
	Who  string // it is about, in a sentence; "" for nobody
	mistake
	wrong bool // it is an address, or a name of one, with a mistake
	asks  bool // it is who would get the money or could take tokens, or the site of a link that shows another one
}

// weight orders it among the answers, see [severalCard.weight].
func (u unreadPart) weight() int {
	switch {
	case u.Alarm != nil:
		return alarmed + u.Alarm.RiskScore
	case u.wrong:
		return mistaken
	case u.asks:
		return mistaken - 1
	}
	return -1
}

// partFrom replaces an ENS name by the address that it points to, if a node says so, and returns what is known of the
// name.
func (s *Site) partFrom(req *request, part *paste.Part) (from resolution, err error) {
	if part.Problem == nil || part.Problem.Kind != paste.ENSName {
		return resolution{}, nil
	}
	from, err = s.resolve(req, part.Problem.Text, "")
	var why unresolved
	switch {
	case errors.As(err, &why):
		return resolution{Name: string(why)}, nil
	case err != nil:
		return resolution{}, err
	}
	part.Subject, part.Problem = from.subject, nil
	return from, nil
}

// addUnread adds a part without an answer.
func (v *severalPage) addUnread(p *locale.Printer, part paste.Part, from resolution, m mistake) {
	if len(v.Unread) >= maxSeveral && m.Alarm == nil && m.Resembled == nil {
		return
	}
	u := unreadPart{Text: tocsin.Shorten(part.Text, 80), mistake: m}
	if part.Problem == nil {
		u.Text = part.Subject.Plain()
		part.Problem = &paste.Problem{}
	}
	if u.wrong = m.Meant != (tocsin.Subject{}); u.wrong {
		if u.Why = p.Text(wrongCase); m.Meant.Kind != tocsin.EVM {
			u.Why = p.Text(otherCase)
		}
	} else {
		u.wrong = mistypedTitle(p, *part.Problem) != ""
		u.Why = whyUnread(p, *part.Problem, unresolved(from.Name))
	}
	u.asks = slices.Contains([]paste.Role{paste.Recipient, paste.Spender, paste.Behind}, part.Role)
	switch part.Role {
	case paste.Recipient:
		v.Pays, v.Payless, u.Who = true, true, p.Text("Who would get the money could not be checked.")
	case paste.Spender:
		u.Who = p.Text("Who could take the tokens could not be checked.")
	}
	if part.Problem.Kind == paste.CheckoutPage {
		u.Who = p.Text("Anyone can take payments on %s: who gets it?", hostOf(part.Problem.Text))
	}
	if part.Problem.Kind == paste.ConnectRequest {
		u.Text = ""
	} else {
		v.typed += part.Text + "\n"
	}
	v.Unread = append(v.Unread, u)
}

// whyUnread says why a part has no answer, and what to do.
func whyUnread(p *locale.Printer, wrong paste.Problem, name unresolved) string {
	switch wrong.Kind {
	case paste.LightningOrder, paste.ForeignName, paste.Invalid, paste.WrongAccount, paste.CutShort,
		paste.NotDomain, paste.ConnectRequest, paste.ExplorerPage, paste.TransactionHash:
		return subjectText(p, wrong)
	case paste.ENSName:
		return p.Text(ensTexts[name])
	case paste.CheckoutPage:
		return checkoutText(p)
	case paste.NoPayee:
		return p.Text("The request has no address there. Ask the person for the address, by another way than this one came.")
	case paste.SharedDomain:
		if d, fault := tocsin.ParseDomain(wrong.Text); fault == nil && d.Registry() {
			return p.Sentences(p.Text("%s.", underRegistry(p, wrong.Text)), p.Text("%s.", p.Text("Look up the full name")))
		}
		if d, fault := tocsin.ParseDomain(wrong.Text); fault == nil && d.Shortens() {
			return p.Sentences(p.Text("This is a shortened link. It can lead to any site."),
				shortenedText(p, d.String()))
		}
		return p.Sentences(p.Text("%s.", p.Text("Anyone can have a page on %s", wrong.Text)), p.Text("Its pages belong to "+
			"people who have nothing to do with each other, so this one has no score. Search the reports for it. Send nothing, "+
			"and type no password, until you know whose page it is."))
	case paste.IPAddress:
		return p.Sentences(numberText(p, wrong.Text), p.Text(namelessText))
	}
	says := problemText(p, paste.Addresses, wrong)
	return p.Sentences(says.Text, says.Advice)
}

// partNote says what a part with an answer is there for.
func partNote(p *locale.Printer, part paste.Part, from resolution) string {
	if from.Name != "" {
		return p.Text("%s points to this address.", from.Name)
	}
	switch part.Role {
	case paste.Wrapper:
		return p.Text("The link begins here. That says nothing about where it leads.")
	case paste.Onward, paste.Behind:
		return p.Text("The link leads on to this site.")
	case paste.InLink:
		return p.Text("This address is in the link. It may be your own: some sites write it there.")
	case paste.Recipient:
		return p.Text("The money would go to this address.")
	case paste.Spender:
		return p.Text("If you agree, this address can take your tokens at any time.")
	case paste.MailSite:
		return p.Text("This is the site behind the e-mail address. Who writes from it may have made that up.")
	case paste.Token:
		return p.Text("This is only the token, not who holds it or gets it.")
	}
	return ""
}
