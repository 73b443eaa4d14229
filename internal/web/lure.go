package web

import (
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// lureTexts say what to do about a message with a lure.
var lureTexts = map[paste.Lure]locale.Key{
	paste.AsksPhrase: "Do not answer. Only thieves ask for a recovery phrase or a private key.",
	paste.Doubles:    "Send nothing. Anyone who promises to send back more than you send is a thief.",
	paste.SafeWallet: "Send nothing. No support and no bank asks you to move your money to a safe wallet or account.",
	paste.NewNumber:  "Do not answer yet. Call the number that you had before.",
}

// lureText says it of a message; "" without a lure.
func lureText(p *locale.Printer, text string) string { return p.Text(lureTexts[paste.LureIn(text)]) }

// lurePage answers for such a message, in which there is nothing to look up.
func lurePage(p *locale.Printer, q string) *page {
	answer := nothingFoundPage(p, q)
	body := answer.Body.(insteadPage)
	body.Text = p.Text("There is no address and no website in it that we could look up.")
	answer.Title, answer.Body = lureText(p, q), body
	return answer
}
