package web

import (
	"strings"

	"tocsin"
	"tocsin/internal/locale"
)

// otherChainText says that nothing is known of an account of a chain.
func otherChainText(p *locale.Printer, chain string) string {
	return p.Text("This looks like an address of %s. Tocsin does not screen that chain: nothing was checked, so it may "+
		"be dangerous.", chain)
}

// otherChainPage answers for an account of a chain that is not screened.
func otherChainPage(p *locale.Printer, q, chain string) *page {
	return &page{Template: "instead", Title: p.Text("Nothing was checked"), Body: insteadPage{
		Text: p.Sentences(otherChainText(p, chain), p.Text("Reports can name it all the same: search them, and ask where "+
			"that chain is screened.")),
		Words:  tocsin.Shorten(strings.TrimSpace(q), 100),
		Report: redisplay(q),
	}}
}
