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
func needsLead(p paste.Part) bool {
	return p.Asks() || p.Role == paste.Behind || p.Problem != nil && p.Problem.Kind == paste.LightningOrder
}

// payment says where the money of a payment request would go, which token it is, on which chain and how much; ""
// without a request.
func (v severalPage) payment(p *locale.Printer, parts []paste.Part) string {
	of := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Token })
	to := slices.IndexFunc(parts, func(part paste.Part) bool {
		return part.Role == paste.Recipient || part.Role == paste.Spender
	})
	if to < 0 || of < 0 && !parts[to].Asks() {
		return ""
	}
	asked, takes := parts[to].Asked, parts[to].Role == paste.Spender
	token, chain, who, name := "", "", "", ""
	if of >= 0 {
		name = tokenName(v.Cards[of])
		token = p.Text("We do not know the token: anyone can make one, and give it the name of another.")
		if name != "" {
			token = p.Text("The token is %s.", name)
		}
		if asked.Chain != "" {
			chain = p.Text("The link is for %s.", chainName(p, asked.Chain))
		}
	}
	at := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Recipient })
	if at >= 0 {
		who = p.Text("The money would go to %s.", v.Cards[at].Subject.Plain())
	}
	sum := ""
	if !takes || !v.endless(asked) {
		sum = sumText(p, asked, name, of >= 0, takes)
	}
	return p.Sentences(who, token, chain, sum)
}

// endless reports whether a request to take tokens is for more than there is of them: of those that we know, for a
// trillion.
func (v severalPage) endless(asked paste.Asked) bool {
	of := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Token })
	if asked.Unlimited || of < 0 {
		return asked.Unlimited
	}
	_, decimals := tokenUnit(tokenName(v.Cards[of]))
	return decimals >= 0 && len(asked.Units) > decimals+12
}

// sumText says how much a payment request asks for, in the coin or the token whose name it is; "" if it names no sum.
func sumText(p *locale.Printer, asked paste.Asked, name string, ofToken, takes bool) string {
	symbol, decimals := tokenUnit(name)
	amount, coin := asked.Amount, asked.Coin
	if ofToken {
		amount, coin = cmp.Or(amount, paste.Decimal(asked.Units, decimals)), symbol
	}
	amount = p.Amount(amount)
	sum, units := strings.TrimSpace(amount+" "+coin), p.Amount(asked.Units)
	six, eighteen := p.Amount(paste.Decimal(asked.Units, 6)), p.Amount(paste.Decimal(asked.Units, 18))
	switch {
	case amount == "" && asked.Units != "" && takes:
		return p.Text("It asks to take up to %s of the smallest units of the token. If it has 6 decimals, as USDC has, that "+
			"is %s; if it has 18, it is %s.", units, six, eighteen)
	case amount == "" && asked.Units != "":
		return p.Text("It asks for %s of the smallest units of the token. If it has 6 decimals, as USDC has, that is %s; if "+
			"it has 18, it is %s.", units, six, eighteen)
	case amount == "":
		return ""
	case takes:
		return p.Text("It asks to take up to %s.", sum)
	case coin == "" && ofToken:
		return p.Text("It asks for %s of the token.", amount)
	case coin == "" && asked.Chain != "":
		return p.Text("It asks for %s of the coin of %s.", amount, chainName(p, asked.Chain))
	case coin == "":
		return p.Text("It asks for %s. The link does not say of what.", amount)
	case asked.Chain != "" && !ofToken:
		return p.Text("It asks for %s on %s.", sum, chainName(p, asked.Chain))
	}
	return p.Text("It asks for %s.", sum)
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

// tokenUnit is the short name of a token of the starter set, and how many digits after the point its amounts have; its
// name and -1 if we do not know. Those that are pegged on BNB Chain have 18.
func tokenUnit(name string) (symbol string, decimals int) {
	pegged := strings.HasPrefix(name, "Binance-Peg ")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "Binance-Peg "), " on ")
	symbol, decimals = name, -1
	for _, known := range []struct {
		name, symbol string
		decimals     int
	}{
		{"USD Coin", "USDC", 6}, {"Bridged USD Coin", "USDC.e", 6}, {"Tether USD", "USDT", 6}, {"Euro Coin", "EURC", 6},
		{"PayPal USD", "PYUSD", 6}, {"Wrapped Ether", "WETH", 18}, {"Dai Stablecoin", "DAI", 18},
		{"Wrapped BTC", "WBTC", 8}, {"Coinbase Wrapped BTC", "cbBTC", 8},
	} {
		if name == known.name {
			symbol, decimals = known.symbol, known.decimals
		}
	}
	if pegged {
		decimals = 18
	}
	return symbol, decimals
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
