package web

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/explorer"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// unreadPart is a part of what was typed that has no answer.
type unreadPart struct {
	Text string // as it was typed, shortened; "" for what is not repeated
	Why  string // and what to do
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
func (v *severalPage) addUnread(p *locale.Printer, part paste.Part, from resolution) {
	if len(v.Unread) == maxSeveral {
		return
	}
	u := unreadPart{Text: tocsin.Shorten(part.Text, 80), Why: whyUnread(p, *part.Problem, unresolved(from.Name))}
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
	case paste.Invalid, paste.WrongAccount, paste.CutShort, paste.NotDomain, paste.ConnectRequest:
		return subjectText(p, wrong)
	case paste.ENSName:
		return p.Text(ensTexts[name])
	case paste.TransactionHash:
		return p.Text("A transaction has no score. Look up the address that received it.")
	case paste.SharedDomain:
		return p.Sentences(p.Text("%s.", p.Text("Anyone can have a page on %s", wrong.Text)), p.Text("Its pages belong to "+
			"people who have nothing to do with each other, so this one has no score. Search the reports for it. Send nothing, "+
			"and type no password, until you know whose page it is."))
	case paste.IPAddress:
		return p.Text("%s is the number of a computer. Many websites can share one, so it has no score. "+
			"Look up the name of the site, as it was in the address bar of your browser.", tocsin.Shorten(wrong.Text, 60))
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
	case paste.Onward:
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

// payment says where the money of a payment request would go, which token it is and how much; "" without a request.
func (v severalPage) payment(p *locale.Printer) string {
	of := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Token })
	to := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Recipient })
	if to < 0 || of < 0 && !v.Cards[to].part.Asks() {
		return ""
	}
	asked := v.Cards[to].part.Asked
	amount, token := asked.Amount, ""
	if of >= 0 {
		name := tokenName(v.Cards[of])
		amount = cmp.Or(amount, paste.Decimal(asked.Units, decimalsOf(name)))
		token = p.Text("We do not know the token: anyone can make one, and give it the name of another.")
		if name != "" {
			token = p.Text("The token is %s.", name)
		}
	}
	asks := ""
	if coins := strings.TrimSpace(amount + " " + asked.Coin); amount != "" && asked.Chain != "" {
		asks = p.Text("It asks for %s on %s.", coins, explorer.ChainName(asked.Chain))
	} else if amount != "" {
		asks = p.Text("It asks for %s.", coins)
	}
	return p.Sentences(p.Text("The money would go to %s.", short(v.Cards[to].Subject)), token, asks)
}

// tokenName is what the starter set calls a token; "" if it does not know it.
func tokenName(c severalCard) string {
	if c.Answer == nil {
		return ""
	}
	for _, l := range c.Answer.Listings {
		if l.List == feed.StarterList && l.Category == "token" {
			return l.Name
		}
	}
	return ""
}

// onlyToken is what a token is called that a payment request names, which is not asked to be sent to.
func onlyToken(p *locale.Printer, v answer.Verdict, name string) answer.Verdict {
	v.Title, v.ToDo = p.Text("This is %s, %s. Nobody warns of it.", name, p.Text("a token contract")), answer.Message{}
	return v
}

// decimalsOf is how many digits after the point the amounts of a token of the starter set have; -1 if we do not know.
// Those that are pegged on BNB Chain have 18.
func decimalsOf(name string) int {
	for _, six := range []string{"USD Coin", "Tether USD", "Bridged USD Coin", "Euro Coin", "PayPal USD"} {
		if strings.HasPrefix(name, six) {
			return 6
		}
	}
	for _, most := range []string{"Binance-Peg", "Wrapped Ether", "Dai "} {
		if strings.HasPrefix(name, most) {
			return 18
		}
	}
	return -1
}
