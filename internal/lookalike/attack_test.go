package lookalike

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestNamesMadeToSlipThroughAreFound: what is done to a brand's name so that people still read it.
func TestNamesMadeToSlipThroughAreFound(t *testing.T) {
	brands := ShippedBrands()
	for name, sure := range map[string]bool{
		"meta-mask-login.com":                          true, // cut by a hyphen
		"ledger-live-update.com":                       true, // as is one whose first part is a word
		"xn--unswap-eta.org":                           true, // unswßap: a stray letter for one of its own
		"xn--uniswap-4va.org":                          true, // uniswßap: in addition
		"meta--mask--login.io":                         true,
		"m-e-t-a-m-a-s-k-login.io":                     true,
		"meta\u200bmask-login.io":                      true, // IDNA drops what is invisible
		"𝐦𝐞𝐭𝐚𝐦𝐚𝐬𝐤-login.io":                            true, // and maps styles of letters
		"xn--metamask-login-4zzzzzzzzzzzzzz.io":        true, // does not decode
		"metamask-" + strings.Repeat("a", 54) + ".io":  false,
		"paypai.com":                                   true, // as PAYPAI
		"rnetarnask.io":                                true,
		"vvalletconnect.org":                           true,
		"l3dger-live.com":                              true, // of a word only with a digit
		"xn--metamsk-6fg.io":                           true, // Cyrillic а
		"metamask2026.com":                             false,
		"metamask-login.io.example.com":                false,
		"secure.metamask.io.example.com":               true,
		"xn--pypal-4ve.example.com":                    true,
		"мetaмask.io":                                  true, // Cyrillic letters like capitals
		"ʙɪɴᴀɴᴄᴇ.com":                                  true, // small capitals
		"uniswáp.org":                                  true,
		"júpιter.zone":                                 true, // a word with a Greek letter
		strings.Repeat("a", 44) + "-metamask-login.io": true, // behind what the model reads
		strings.Repeat("a.", 100) + "metamask.io-claim.example.com": true,
	} {
		l := brands.Find(domain(name))
		if l == nil || l.Sure() != sure {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// TestAnInnocentNameIsNotSmearedByItsNeighbours: a judgement is of the name alone, whatever lists say of others of the
// same owner or provider, and nobody but an owner can make names below a site.
func TestAnInnocentNameIsNotSmearedByItsNeighbours(t *testing.T) {
	brands := ShippedBrands()
	for _, name := range []string{"ledgers.example.com", "phantom-of-the-opera.com", "curves.com", "my-curve-fitting.org",
		"bitcoinpro.money", "ibank.co.th", "microsoftonline-p.com", "support.binance.dev", "purchase-orders.com",
		"keplerian.org", "near-me.com", "discover-weekly.com", "jupiterimages.com", "sparkassen-shop.de",
		"coinbase-fan.blog", "uniswaps.de", "therapist-login.com", "mascots-wallet.com", "meta-maskers.org",
		"xn--kraen-nqa.de", "xn--strae-wallet-o9a.de", "open-sea-travel.com", "metamask-login.example.com",
		"trust-wallet-of-leather.com", "revolution-fitness-app.com", "open-season-app.com", "guardarropa-online.es",
		"untethered-live.com", "thegraphic-team.com", "resolver-service.com", "linea-online.it", "velodrome-live.fr",
		"café-curve.fr", "müller-binance-blog.de", "júpiter-hotel.es", "äpple-must.se",
		"farmacia-en-línea.mx", "vélodrome.fr", "crédit-agricole.pl", "immo-financé.fr", "gála-events.hu", "метамаск.рф"} {
		if l := brands.Find(domain(name)); l != nil && l.Sure() {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// TestALookalikeNamesThePartThatPeopleSee, with the letters that imitate, and without what is beside it.
func TestALookalikeNamesThePartThatPeopleSee(t *testing.T) {
	brands := ShippedBrands()
	for name, says := range map[string]string{
		"unıswap-login.org":         "unıswap homoglyph 1",
		"my-métamask-größe.io":      "métamask homoglyph 1",
		"m̷etamask.io":              "m̷etamask homoglyph 1",
		"pæypal-grüße.com":          "pæypal homoglyph 1",
		"login.unıswap.example.com": "unıswap homoglyph 1",
		"grüße-metamask-login.io":   "metamask brand-with-lure 0",
		"m-e-t-a-m-a-s-k.io":        "m-e-t-a-m-a-s-k brand-in-name 0",
		"my-meta--mask.io":          "meta--mask brand-in-name 1",
		"lédger-login.com":          "lédger brand-with-lure 0",
	} {
		got := "nothing"
		if l := brands.Find(domain(name)); l != nil {
			got = fmt.Sprintf("%s %s %d", l.Part, l.Method, l.Distance)
		}
		if got != says {
			t.Errorf("%s: %s, want %s", name, got, says)
		}
	}
}

// TestAModelIsExchangedWhileNamesAreJudged is for the race detector.
func TestAModelIsExchangedWhileNamesAreJudged(t *testing.T) {
	d, m := NewDetector(ShippedBrands(), nil), trained(t)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for range 200 {
				if i == 0 {
					d.Use(m)
					d.Use(nil)
				} else if v := d.Judge(domain("claim-metamask.xyz")); !v.Suspicious {
					t.Error("a sure look-alike is not suspicious")
				}
			}
		})
	}
	group.Wait()
}

func TestNamesAreTakenApart(t *testing.T) {
	for _, c := range []struct {
		text, sub, label, suffix string
		hosted                   bool
	}{
		{"a.b.example.co.uk", "a.b", "example", "co.uk", false},
		{"shop.example.uk.com", "shop", "example", "uk.com", false},
		{"someone.github.io", "", "someone", "github.io", true},
		{"x.someone.weebly.com", "x", "someone", "weebly.com", true},
		{"xn--unswap-q9a.org", "", "unıswap", "org", false},
		{"example.unknowntld", "", "example", "unknowntld", false},
	} {
		n, ok := parse(domain(c.text))
		if !ok || n.sub != c.sub || n.label != c.label || n.suffix != c.suffix || n.hosted != c.hosted ||
			Hosted(domain(c.text)) != c.hosted {
			t.Errorf("%s: %+v", c.text, n)
		}
	}
}
