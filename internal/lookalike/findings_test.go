package lookalike

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tocsin"
)

// TestWhatIsAnsweredAboutNames holds the findings about names of every kind, word by word: each method and each
// character that resembles another, the reasons of the model, and why nothing is predicted.
func TestWhatIsAnsweredAboutNames(t *testing.T) {
	d := NewDetector(ShippedBrands(), trained(t))
	var said strings.Builder
	say := func(d *Detector, text string, listings ...tocsin.Listing) {
		f := d.Findings(domain(text), listings)
		if f.Prediction != nil {
			f.Prediction.ModelVersion, f.Prediction.Score = "", rounded(f.Prediction.Score, 1)
			for i := range f.Prediction.Reasons {
				f.Prediction.Reasons[i].Share = rounded(f.Prediction.Reasons[i].Share, 1)
			}
		}
		got, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&said, "%s: %s", text, got)
		if f.Near {
			said.WriteString(" near")
		}
		if f.Resembled != nil {
			fmt.Fprintf(&said, " %s of %s", f.Resembled.Method, f.Resembled.Of)
		}
		said.WriteString("\n")
	}
	for _, text := range []string{
		"metamask-login.io", "ledger-live-update.com", "uniswaap.org", "unsiwap.org", "uniswa.org", "uniswapp.org",
		"xn--unswap-q9a.org", "rnetamask.com", "metamask.io.example.com", "metamask.pages.dev", "mymetamask.com",
		"meta-mask.com", "uniswap.boo", "claim-metamask-airdrop.xyz", "wallet-uniswap-v3.pages.dev", "1edger.com",
		"c0inbase.com", "co1nbase.com", "coinba5e.com", "m3tamask.com", "met4mask.com", "me7amask.com",
		"8inance.com", "led6er.com",
		"led9er.com", "coinbase.com", "metamask.io", "support.metamask.io", "phantom.fr", "purchase.com", "pages.dev",
		"claim-gugunona.xyz", "verify-7.claim-wallet.gugu7.top", "airdrop.gugunona.app", "gu-claim-verify-nona.com",
		"bahafemi.de",
		"vihaswap.io", "nohami-claim.pages.dev", "claim-nono.netlify.app", "4.3.2.1.in-addr.arpa",
		"xn--e1afmkfd.xn--p1ai",
	} {
		say(d, text)
	}
	known := func(kind tocsin.ListingKind) tocsin.Listing { return tocsin.Listing{Kind: kind} }
	say(d, "claim-gugunona.xyz", known(tocsin.Risk))
	say(d, "claim-gugunona.xyz", known(tocsin.Risk), known(tocsin.Safe))
	say(d, "claim-gugunona.xyz", known(tocsin.Shared))
	for _, text := range []string{"claim-gugunona.xyz", "uniswaap.org", "metamask.pages.dev"} {
		say(NewDetector(ShippedBrands(), nil), text)
	}
	say(nil, "xn--unswap-q9a.org")
	golden(t, "testdata/findings.txt", said.String())
}
