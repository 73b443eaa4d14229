package lookalike

import (
	"fmt"
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
		{"metaあmaskあ.io", "metamask.io", Homoglyph, 2},
		{"сircle.com", "circle.com", Homoglyph, 1},
		{"раураӏ.com", "paypal.com", Homoglyph, 6},
		{"сoolshop.com", "coolshop.com", Mixed, 1},
		{"pay.сoolshоp.co.uk", "pay.coolshop.co.uk", Mixed, 2},
		{"circ1e.com", "circle.com", Similar, 1},
		{"c0inbase.com", "coinbase.com", Similar, 1},
		{"rnetamask.com", "metamask.io", Similar, 2},
		{"metamask.example.com", "metamask.io", Subdomain, 0},
		{"app.uniswap.org.claim-x.xyz", "uniswap.org", InFront, 0},
		{"coinbase.com-login.net", "coinbase.com", InFront, 0},
		{"my-metamask.io.example.com", "metamask.io", InFront, 0},
		{"app-uniswap-org.claim-x.xyz", "uniswap.org", InFront, 0},
		{"metamask.pages.dev", "metamask.io", Hosting, 0},
		{"mymetamask.com", "metamask.io", BrandInName, 0},
		{"meta-mask.com", "metamask.io", BrandInName, 1},
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
		"curve.com", "circle.fr", "webдизайн.com", "μtorrent.com", "кафе.com",
		"магазин.shop.com", "purchase.com", "pages.dev", "weebly.com", "in-addr.arpa", "hyperliquid-testnet.xyz"} {
		if l := brands.Find(domain(name)); l != nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if owner := brands.Owner(domain("someone.azurewebsites.net")); owner != "" {
		t.Errorf("a tenant belongs to %s", owner)
	}
}

// TestAWholeDomainInFrontIsSure, but not where hosts are named after sites: under gateways, proxies, content networks
// and universities; nor where it ends with the name that was registered, or the word is another.
func TestAWholeDomainInFrontIsSure(t *testing.T) {
	brands := ShippedBrands()
	for name, sure := range map[string]bool{
		"app.uniswap.org.claim-x.xyz": true, "metamask.io.verify-now.top": true, "coinbase.com-login.net": true,
		"www.paypal.com.account-check.info": true, "wallet.metamask.io.secure-id.com": true,
		"uniswap-org.claim-x.xyz": true, "login-live.com-s02.net": false, "live-com.example.net": false,
		"uniswap-org.translate.goog": false, "app.uniswap.org.ipns.dweb.link": false, "uniswap.org.eth.limo": false,
		"www.coinbase.com.cdn.cloudflare.net": false, "coinbase.com.edgekey.net": false, "paypal.com.wsdvs.com": false,
		"www.coinbase.com.proxy.lib.mit.edu": false, "paypal.com.proxy.example.ac.uk": false,
		"uniswap.org-claim.pages.dev": true, "app.uniswap.org-claim.vercel.app": true, "uniswap.org.pages.dev": false,
		"metamask.io.evil.edu.kg": true, "office.com.mcas.ms": false, "www.microsoft.com-c-3.edgekey.net": false,
		"www.coinbase.com.ezproxy.university.edu": false, "coinbase.com.libproxy1.nus.edu.sg": false,
		"impots.gouv.fr-remboursement.com": true, "impots-gouv.fr-remboursement.com": true,
		"impots-gouv-fr.remboursement.example": true, "taxe.impots-gouv-fr.remboursement.example": true,
		"paypal.com.cutestat.com": false, "amazon.com.be": false, "paypal.com.de": false, "apple.com.v.aaplimg.com": false,
	} {
		if l := brands.Find(domain(name)); (l != nil && l.Method == InFront && l.Sure()) != sure {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// TestALookalikeIsSureWithALureBesideTheName: not with one in a subdomain, which owners have, nor beside a word.
func TestALookalikeIsSureWithALureBesideTheName(t *testing.T) {
	brands := ShippedBrands()
	for name, says := range map[string]string{
		"metamask-login.io":            "metamask for metamask by brand-with-lure 0, lured by [login], sure true",
		"login-support-metamask.io":    "metamask for metamask by brand-with-lure 0, lured by [login support], sure true",
		"metamask7login.com":           "metamask for metamask by brand-with-lure 0, lured by [login], sure true",
		"loginmetamask.com":            "metamask for metamask by brand-with-lure 0, lured by [login], sure true",
		"login.metamask.example":       "metamask for metamask by brand-with-lure 0, lured by [login], sure false",
		"metamask.login-x.example":     "metamask for metamask by brand-with-lure 0, lured by [login], sure false",
		"metamask2.io":                 "metamask for metamask by brand-in-name 0, lured by [], sure false",
		"metamask.example":             "metamask for metamask by tld-swap 0, lured by [], sure false",
		"elster-login.de":              "elster for elster by brand-with-lure 0, lured by [login], sure true",
		"bad-elster.de":                "elster for elster by brand-in-name 0, lured by [], sure false",
		"wallet-uniswap-v3.pages.dev":  "uniswap for uniswap by brand-on-hosting 0, lured by [wallet v3], sure true",
		"wallet.uniswap.pages.dev":     "uniswap for uniswap by brand-on-hosting 0, lured by [wallet], sure false",
		"uniswap-docs.pages.dev":       "uniswap for uniswap by brand-on-hosting 0, lured by [], sure false",
		"ledger-wallet-1.pages.dev":    "ledger-wallet for ledger-wallet by brand-on-hosting 0, lured by [], sure false",
		"ledger-login.pages.dev":       "ledger for ledger by brand-on-hosting 0, lured by [login], sure false",
		"ledger-login.example":         "ledger for ledger by brand-with-lure 0, lured by [login], sure false",
		"ledger.example":               "nothing",
		"1edger.com":                   "1edger for ledger by similar-characters 1, lured by [], sure true",
		"metamsk-login.example":        "metamsk for metamask by typo 1, lured by [login], sure false",
		"metanask.example":             "metanask for metamask by typo 1, lured by [], sure false",
		"login.xn--unswap-q9a.example": "unıswap for uniswap by homoglyph 1, lured by [login], sure true",
	} {
		got := "nothing"
		if l := brands.Find(domain(name)); l != nil {
			got = fmt.Sprintf("%s for %s by %s %d, lured by %v, sure %t", l.Part,
				l.Brand, l.Method, l.Distance, l.Lures, l.Sure())
		}
		if got != says {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestTextsThatAreOneCharacterApart(t *testing.T) {
	for _, c := range []struct {
		a, b string
		is   bool
		n    int
	}{
		{"abcd", "abce", true, 1}, {"abcd", "xbcd", true, 1}, {"abc", "abcd", true, 1}, {"bcd", "abcd", true, 1},
		{"acd", "abcd", true, 1}, {"abcd", "abdc", true, 2}, {"abcd", "bacd", true, 2}, {"abcd", "badc", false, 3},
		{"abcd", "abcd", false, 0}, {"ab", "abcd", false, 2}, {"abcd", "adcb", false, 2}, {"abcd", "abdce", false, 2},
		{"kitten", "sitting", false, 3}, {"abcx", "abdcx", true, 1}, {"abcde", "abdcx", false, 3},
	} {
		if oneApart(c.a, c.b) != c.is || oneApart(c.b, c.a) != c.is {
			t.Errorf("%s and %s are one apart: %t", c.a, c.b, !c.is)
		}
		if n := changes(c.a, c.b); n != c.n || changes(c.b, c.a) != n {
			t.Errorf("from %s to %s there are %d changes", c.a, c.b, n)
		}
	}
}

// TestATypoIsSureIfItIsNoAccident: words that differ in one letter are many, long ones that differ by one are not.
func TestATypoIsSureIfItIsNoAccident(t *testing.T) {
	brands := ShippedBrands()
	for name, sure := range map[string]bool{
		"uniswaap.org": true, "app-metamaask.io": true, "unniswap.org": true, "uniswapp.org": true,
		"pancakewap.com": true, "pancakesswap.com": true, "pancakesxwap.com": true, "pancaekswap.com": true,
		"unsiwap.org": false, "uniswa.org": false, "uniswwap.example.com": false, "trezzor.org": false,
		"pancakeswab.com": false, "xpancakeswap.org": false, "pancakeswaps.com": false, "pudgypenguin.com": false,
		"mircosoft.com": false, "telegramm.com": false,
	} {
		if l := brands.Find(domain(name)); l == nil || l.Sure() != sure {
			t.Errorf("%s: %+v", name, l)
		}
	}
}
