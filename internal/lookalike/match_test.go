package lookalike

import (
	"testing"

	"tocsin"
)

func domain(text string) tocsin.Domain {
	d, fault := tocsin.ParseDomain(text)
	if fault != nil {
		panic(text + ": " + fault.Error())
	}
	return d
}

func TestANameThatImitatesABrandSaysHow(t *testing.T) {
	brands := ShippedBrands()
	for _, c := range []struct {
		name, of string
		method   Method
		distance int
	}{
		{"metamask-login.io", "metamask.io", BrandLure, 0},
		{"ledger-live-update.com", "ledger.com", BrandLure, 0},
		{"metamasklogin.com", "metamask.io", BrandLure, 0},
		{"uniswaap.org", "uniswap.org", Typo, 1},
		{"unsiwap.org", "uniswap.org", Typo, 1},
		{"uniswa.org", "uniswap.org", Typo, 1},
		{"xn--unswap-q9a.org", "uniswap.org", Homoglyph, 1},
		{"c0inbase.com", "coinbase.com", Similar, 1},
		{"rnetamask.com", "metamask.io", Similar, 2},
		{"metamask.io.example.com", "metamask.io", Subdomain, 0},
		{"metamask.pages.dev", "metamask.io", Hosting, 0},
		{"mymetamask.com", "metamask.io", BrandInName, 0},
		{"meta-mask.com", "metamask.io", BrandInName, 0},
		{"uniswap.boo", "uniswap.org", TLDSwap, 0},
	} {
		l := brands.Find(domain(c.name))
		if l == nil || l.Of != c.of || l.Method != c.method || l.Distance != c.distance {
			t.Errorf("%s: %+v", c.name, l)
		}
	}
}

func TestOwnersAndStrangersImitateNobody(t *testing.T) {
	brands := ShippedBrands()
	for _, name := range []string{"metamask.io", "support.metamask.io", "walletconnect.org", "example.com", "phantom.fr",
		"curve.com", "purchase.com", "pages.dev", "weebly.com", "in-addr.arpa", "hyperliquid-testnet.xyz"} {
		if l := brands.Find(domain(name)); l != nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if owner := brands.Owner(domain("someone.azurewebsites.net")); owner != "" {
		t.Errorf("a tenant belongs to %s", owner)
	}
}
