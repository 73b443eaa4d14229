package web

import (
	"cmp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/explorer"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// needsLead reports whether a part is answered for on a page that first says what the text is: a request to pay, or a
// link that shows another site than its own.
func needsLead(p paste.Part) bool { return p.Asks() || p.Role == paste.Behind }

// asks says what a text is that asks for money or shows what is not so; "" for another text.
func (v severalPage) asks(p *locale.Printer, parts []paste.Part) string {
	of := func(role paste.Role) int {
		return slices.IndexFunc(parts, func(part paste.Part) bool { return part.Role == role })
	}
	spender, behind := of(paste.Spender), of(paste.Behind)
	switch {
	case behind >= 0:
		to := cmp.Or(parts[behind].Subject.Value, tocsin.Shorten(parts[behind].Text, 80))
		return p.Text("This link shows %s but leads to %s. Do not open it.", defang(parts[behind].Shown), defang(to))
	case v.Alike != nil:
		return p.Text("Two of these addresses look alike. Send nothing.")
	case v.wrongChain(p, parts) != "":
		return v.wrongChain(p, parts)
	case spender >= 0 && parts[spender].Asked.Unlimited:
		return p.Text("It asks for all of your tokens of a kind, without limit. A payment does not need this: refuse.")
	case spender >= 0:
		return p.Text("This asks for access to your tokens")
	case v.Lead != "" && v.Payless:
		return p.Text("This asks you to pay. We cannot tell whom.")
	case v.Lead != "":
		return p.Text("This asks you to pay")
	}
	return ""
}

// lead says more about it.
func (v severalPage) lead(p *locale.Printer, parts []paste.Part) string {
	if slices.ContainsFunc(parts, func(part paste.Part) bool { return part.Role == paste.Behind }) {
		return p.Text("What is before the @ in a link is not the site. It is a name to sign in with, and can be any.")
	}
	if v.Alike != nil {
		return p.Text("They begin and end alike, and are not the same. Thieves make such addresses, so that somebody " +
			"copies the wrong one. Take the right one from where you first had it, not from a history of transfers.")
	}
	return v.payment(p, parts)
}

// payment says where the money of a payment request would go, which token it is, on which chain and how much; ""
// without a request.
func (v severalPage) payment(p *locale.Printer, parts []paste.Part) string {
	of := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Token })
	to := slices.IndexFunc(parts, func(part paste.Part) bool { return part.Role == paste.Recipient })
	if to < 0 || of < 0 && !parts[to].Asks() {
		return ""
	}
	asked := parts[to].Asked
	amount, token, chain, who := asked.Amount, "", "", ""
	if of >= 0 {
		name := tokenName(v.Cards[of])
		amount = cmp.Or(amount, paste.Decimal(asked.Units, decimalsOf(name)))
		token = p.Text("We do not know the token: anyone can make one, and give it the name of another.")
		if name != "" {
			token = p.Text("The token is %s.", name)
		}
		if asked.Chain != "" {
			chain = p.Text("The link is for %s.", explorer.ChainName(asked.Chain))
		}
	}
	asks := ""
	if coins := strings.TrimSpace(amount + " " + asked.Coin); amount != "" && asked.Chain != "" && of < 0 {
		asks = p.Text("It asks for %s on %s.", coins, explorer.ChainName(asked.Chain))
	} else if amount != "" {
		asks = p.Text("It asks for %s.", coins)
	}
	at := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Recipient })
	if at >= 0 {
		who = p.Text("The money would go to %s.", v.Cards[at].Subject.Plain())
	}
	return p.Sentences(who, token, chain, asks)
}

// wrongChain says that the token of a request is known on other chains than that of the request; "" if not.
func (v severalPage) wrongChain(p *locale.Printer, parts []paste.Part) string {
	of := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Token && c.Answer != nil })
	to := slices.IndexFunc(parts, func(part paste.Part) bool { return part.Asked.Chain != "" })
	if of < 0 || to < 0 || v.Cards[of].Subject.Kind != tocsin.EVM {
		return ""
	}
	var chains []string
	for _, l := range v.Cards[of].Answer.Listings {
		if l.Kind == tocsin.Safe && l.Chain != "" {
			chains = append(chains, explorer.ChainName(l.Chain))
		}
	}
	asked := explorer.ChainName(parts[to].Asked.Chain)
	if len(chains) == 0 || slices.Contains(chains, asked) {
		return ""
	}
	slices.Sort(chains)
	return p.Text("The link is for %s; this token is known on %s only. Do not pay.", asked,
		p.List(slices.Compact(chains)...))
}

// setTokensAside takes the tokens of a payment request of which nobody warns from the answers: that a token is known
// says nothing of who gets it. While nobody has answered for who gets it, they are not shown at all.
func (v *severalPage) setTokensAside() {
	if !slices.ContainsFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Token }) {
		return
	}
	unanswered := slices.ContainsFunc(v.Cards, func(c severalCard) bool {
		return c.Answer == nil && (c.part.Role == paste.Recipient || c.part.Role == paste.Spender)
	})
	v.Cards = slices.DeleteFunc(v.Cards, func(c severalCard) bool {
		aside := c.part.Role == paste.Token && c.Answer != nil && c.Answer.Result == tocsin.NoReports
		if aside && !unanswered {
			v.Tokens = append(v.Tokens, c)
		}
		return aside
	})
}

// TokenName is what is said of a token that is set aside.
func (c severalCard) TokenName(p *locale.Printer) string {
	if name := tokenName(c); name != "" {
		return p.Text("The token is %s.", name)
	}
	return p.Text("This is the token.")
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

// checkoutPage answers for a page where anybody can take payments.
func checkoutPage(p *locale.Printer, q, at string) *page {
	host := hostOf(at)
	title := p.Text("Anyone can take payments on %s: who gets it?", host)
	return &page{Template: "instead", Title: title, Body: insteadPage{
		Text: p.Sentences(p.Text("This is the payment page %s.", tocsin.Shorten(at, 100)), checkoutText(p)),
		Steps: []string{
			p.Text("If the page shows an address to pay to, paste that address here."),
			p.Text("If it names who is paid, search the reports for that name."),
			p.Text("Look up the site that led you there. Ask the person who wants the money by another way than the link " +
				"came."),
		},
		Words:  tocsin.Shorten(at, 100),
		Report: q,
	}}
}

// checkoutText says what is known about a page where anybody can take payments: nothing.
func checkoutText(p *locale.Printer) string {
	return p.Text("That its host is known says nothing of who gets the money: a thief can have such a page too. So it " +
		"has no score. Pay nothing until you know whose page it is.")
}

// hostOf is the name of the site at the beginning of a link without its scheme.
func hostOf(page string) string {
	if at := strings.IndexAny(page, "/?#"); at >= 0 {
		return page[:at]
	}
	return page
}
