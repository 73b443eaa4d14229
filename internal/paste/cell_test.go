package paste

import "testing"

// TestASiteIsTheOneThatALinkLeadsTo: a wallet's link is the site that it opens, and what asks for money is refused.
func TestASiteIsTheOneThatALinkLeadsTo(t *testing.T) {
	const thief = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	for text, want := range map[string]string{
		"https://buy.stripe.com/a": "send what the page names: the address to pay to",

		"https://evil.example/a?b=c":                                        "evil.example",
		"https://bank.example@evil.example":                                 "evil.example",
		"https://phantom.app/ul/browse/https%3A%2F%2Fevil.example%2Fclaim":  "evil.example",
		"https://phantom.app/download":                                      "phantom.app",
		"https://metamask.app.link/send/" + thief + "@1":                    "screen " + thief + " instead",
		"https://link.trustwallet.com/send?asset=c60&address=" + thief:      "screen " + thief + " instead",
		"https://link.trustwallet.com/send?asset=c60&address=lena.eth":      "send the address that gets the money",
		"https://metamask.app.link/send/" + thief + "@1/transfer?address=0": "send the address that gets the money",
		"evil": "send a host name such as example.com, or a URL",
	} {
		site, fault := Site(text)
		got := site.String()
		if fault != nil {
			got += fault.Fields[0].Fix
		}
		if got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}
