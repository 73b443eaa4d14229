package web

import (
	"net/url"
	"testing"
)

// TestTheWordsOfAMessageAreAnswered: of what only fraud asks for, before what is known of what else is in it. The
// number of a bank account in a message is not dropped without a word.
func TestTheWordsOfAMessageAreAnswered(t *testing.T) {
	s := alarms(t, 1)
	v := s.visitor()
	const to = "0x8f3a1cd92b04e7a16bd5c8e12907f4a3cc5b61d9"
	for message, says := range map[string]string{
		"Dear customer, send us your 12 word recovery phrase to verify.": "Do not answer. Only thieves ask",
		"You won 2.5 ETH! Enter your seed phrase at @metamask_help_desk": "Do not answer. Only thieves ask",
		"Send 1 ETH to " + to + " and get 2 ETH back":                    "Send nothing. Anyone who promises",
		"Please move your funds to the safe wallet " + to:                "Send nothing. No support and no bank",
		"Mama, das ist meine neue Nummer 0151 23456789":                  "Call the number that you had before.",
	} {
		p := v.get("/screen?q=" + url.QueryEscape(message))
		p.says(says)
		lacks(t, p, "Nobody warns of these", "If one of them is bad", "The worst comes first")
	}
	for _, name := range []string{"binance-support.eth", "metamask-support.sol"} {
		v.get("/screen?q=" + name).says("Anyone can register such a name. Support never writes first")
	}
	lacks(t, v.get("/screen?q=vitalik.eth"), "Anyone can register such a name.")
	p := v.get("/screen?q=" + url.QueryEscape("Send us your recovery phrase at bad-1.example"))
	p.says("Stop: we warn of one of these.", "Do not answer. Only thieves ask")
	p = v.get("/screen?q=" + url.QueryEscape("Bitte auf DE89370400440532013000 oder an "+to))
	p.says("We could look up only a part of this", "It also has the number of a bank account.")
	lacks(t, p, "DE89")
}
