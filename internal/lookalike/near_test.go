package lookalike

import (
	"testing"

	"tocsin"
)

// TestTheKnownSiteOfANameIsSaid: of the name as a word of its own, or of all of it with one letter doubled or dropped.
// Of a brand that is an ordinary word it is said beside a word that lures. It is no suspicion, and nothing is said of
// words alone, of names of others and of what lists know.
func TestTheKnownSiteOfANameIsSaid(t *testing.T) {
	d := NewDetector(ShippedBrands(), nil)
	for name, of := range map[string]string{
		"metamask.app": "metamask.io", "coinbase.vip": "coinbase.com", "www.coinbase.vip": "coinbase.com",
		"metamask.pages.dev": "metamask.io", "uniswap-v5.app": "uniswap.org", "trustwallet.shop": "trustwallet.com",
		"ledger-live.app": "ledger.com", "trezor-suite.io": "trezor.io", "impots-gouv.info": "impots.gouv.fr",
		"zoll-gebuehr.com": "zoll.de", "collab-land.xyz": "collab.land",
		"kraken-login.com": "kraken.com", "krakenlogin.com": "kraken.com", "kraken-support.de": "kraken.com",
		"kraken-exchange-support.com": "kraken.com", "ledger-login.com": "ledger.com", "dkb-login.com": "dkb.de",
		"zoll-login.com": "zoll.de", "dhl-zahlung.com": "dhl.com", "bzst.com": "bzst.de",
		"gov-uk.com": "www.gov.uk", "tax-gov-uk.com": "www.gov.uk", "zoll-bund.de": "zoll.de",
		"vehicletax.service.gov.uk": "", "google-konto.com": "google.com",
		"kraken.io": "", "kraken-rum.com": "", "login.kraken-rum.com": "", "dhl-arena.com": "",
		"metamask.io": "", "mymetamask.com": "", "metamask.example.com": "", "ledger.shop": "", "example.com": "",
	} {
		f := d.Findings(domain(name), nil)
		if f.Known != of || f.Suspicious() {
			t.Errorf("%s: %q, suspicious %v", name, f.Known, f.Suspicious())
		}
	}
	for name, of := range map[string]string{"irs-refund.com": "irs.gov",
		"gov-uk-tax-refund.com":        "www.gov.uk",
		"finanzamt-rueckerstattung.de": "elster.de", "bzst-steuer.com": "bzst.de"} {
		if f := d.Findings(domain(name), nil); !f.Suspicious() || f.Lookalike.Of != of {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, name := range []string{"metamaskk.io", "binnance.com", "coinbas.com"} {
		if f := d.Findings(domain(name), nil); (f.Known == "" || !f.Nearly) && !f.Suspicious() {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for name, host := range map[string]string{"my-nice-shop-7.vercel.app": "vercel.app", "shop.wuaze.com": "wuaze.com",
		"example.com": "", "shop.co.uk": "", "shop.com.de": ""} {
		if f := d.Findings(domain(name), nil); f.Host != host {
			t.Errorf("%s is on %q", name, f.Host)
		}
	}
	known := []tocsin.Listing{{List: "known", Kind: tocsin.Safe}}
	if f := d.Findings(domain("metamask.app"), known); f.Known != "" {
		t.Errorf("a list knows it: %q", f.Known)
	}
}

// TestTheKnownSiteOfAWordIsSaid where it is the whole name under another suffix: it is no suspicion, and others have
// the word by right.
func TestTheKnownSiteOfAWordIsSaid(t *testing.T) {
	d := NewDetector(ShippedBrands(), nil)
	for name, of := range map[string]string{
		"kraken.io": "kraken.com", "app.kraken.io": "kraken.com", "ledger.io": "ledger.com", "kraken.org": "kraken.com",
		"kraken.com": "", "kraken-rum.com": "", "temple.edu": "", "kraken.pages.dev": "", "google.rs": "",
		"coinbase.vip": "", "kraken-login.com": "",
	} {
		f := d.Findings(domain(name), nil)
		if f.SameWord != of || f.Suspicious() {
			t.Errorf("%s: %q, suspicious %v", name, f.SameWord, f.Suspicious())
		}
	}
}
