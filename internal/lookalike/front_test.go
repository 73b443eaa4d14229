package lookalike_test

import (
	"cmp"
	"slices"
	"testing"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/lookalike"
)

// TestAKnownSiteInFrontOfAnotherIsSure: an authority, a bank, a shop, whether or not its name is looked for; but not
// what honest hosts are named by.
func TestAKnownSiteInFrontOfAnotherIsSure(t *testing.T) {
	brands := lookalike.ShippedBrands(feed.StarterSites()...)
	sure := func(name string) (of string) {
		d, fault := tocsin.ParseDomain(name)
		if fault != nil {
			t.Fatal(fault)
		}
		if l := brands.Find(d); l != nil && l.Method == lookalike.InFront && l.Sure() {
			of = l.Of
		}
		return of
	}
	honest := []string{"fi.ee", "fi.se", "go.dev", "lb.lt", "status.app"}
	for _, site := range feed.StarterSites() {
		for _, behind := range []string{".refund-x.com", ".account.refund-x.com", "-refund-x.com"} {
			name, _ := tocsin.ParseDomain(site)
			seen := cmp.Or(name.Unicode(), site)
			if is := sure(seen+behind) != ""; is == slices.Contains(honest, site) {
				t.Errorf("%s%s is sure: %t", site, behind, is)
			}
		}
	}
	for name, of := range map[string]string{
		"www.elster.de.rueckzahlung-info.com": "elster.de", "pay.zoll.de-info.com": "zoll.de",
		"www.gov.uk.claim-x.com": "gov.uk", "police-gov-hk.claim-x.com": "police.gov.hk",
		"мвд.рф.claim-x.com": "xn--b1aew.xn--p1ai", "dropboxusercontent.com.claim-x.com": "", "my-zoll.de.claim-x.com": "",
		"zoll-de.claim-x.com": "", "alibaba.com.gds.alibabadns.com": "", "walmart.com.cdn-wal.net": "",
	} {
		if got := sure(name); got != of {
			t.Errorf("%s imitates %q, want %q", name, got, of)
		}
	}
}
