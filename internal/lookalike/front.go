package lookalike

import (
	"slices"
	"strings"
)

// machines name hosts after the domains of their customers, which nobody opens, or pages about a site after the site.
// Those of Microsoft Defender for Cloud Apps (mcas.ms) are between the people of a company and the sites that they use.
var machines = wordSet(`2o7.net akamai.net akamaiedge.net akamaihd.net akamaized.net alibabadns.com cas.ms
	cdn-wal.net cdngc.net cdngslb.com cutestat.com dnse1.com dnsv1.com edgekey-staging.net edgekey.net
	edgesuite-staging.net edgesuite.net footprint.net impervadns.net kunlunaq.com kunlunsl.com lxdns.com mcas-gov.us
	mcas.ms omtrdc.net usitestat.com websiteoutlook.com wscdns.com wsdvs.com`)

// hyphened are the suffixes of domains that are looked for with hyphens in place of dots, too: no words are among them.
// Domains of three labels and more are, whatever their suffix: impots.gouv.fr.
var hyphened = wordSet("com org net io")

// labels are domains of known sites that are not looked for in front of others, since their parts are what honest hosts
// are named by as well: countries, languages, stages of software.
var labels = wordSet("fi.ee fi.se go.dev lb.lt status.app")

// putInFront adds a domain that is looked for in front of others, and the main one of its owner.
func (b *Brands) putInFront(domain, of string) {
	domain = decoded(domain)
	b.whole[domain] = of
	if suffix := domain[strings.LastIndexByte(domain, '.')+1:]; hyphened[suffix] || strings.Count(domain, ".") > 1 {
		b.hyphened[strings.ReplaceAll(domain, ".", "-")] = domain
	}
}

// inFront returns the brand whose whole domain is in front of somebody else's: app.uniswap.org.claim-x.xyz,
// coinbase.com-login.net, uniswap-org.claim-x.xyz, impots-gouv.fr-x.com. It is nil for the libraries of universities,
// which name hosts after sites. Networks and gateways of hosting do, too: there it must go on with a hyphen, as in
// uniswap.org-claim.pages.dev, which is a name that somebody chose.
func (b *Brands) inFront(n *name) *Lookalike {
	if n.sub == "" || machines[n.suffix] || machines[n.label+"."+n.suffix] {
		return nil
	}
	text := n.sub + "." + n.label
	for from := 0; from < len(n.sub); from = next(text, from) {
		var part, of string
		after := 0
		for end := next(text, from) - 1; end < len(text); end = next(text, end+1) - 1 {
			d := text[from:end]
			dotted := b.hyphened[strings.ReplaceAll(d, ".", "-")]
			if b.whole[d] != "" {
				part, of, after = d, d, end
			} else if dotted != "" && (end <= len(n.sub) || strings.Contains(d, ".")) {
				part, of, after = d, dotted, end
			}
		}
		if of == "" || n.hosted && (after <= len(n.sub) || text[after] != '-') || academic(n.suffix) &&
			ofLibrary(text[after:]) {
			continue
		}
		whole := part == of || strings.Count(of, ".") > 1
		if whole && (from == 0 || text[from-1] == '.') || b.isName(of) {
			front := &Lookalike{Of: b.whole[of], Method: InFront, Part: part, Brand: of}
			if brand, ours := b.owners[of]; ours {
				front.use = b.use[brand]
			}
			return front
		}
	}
	return nil
}

// ofLibrary reports whether a name of a university is one through which its library shows other sites.
func ofLibrary(name string) bool {
	return slices.ContainsFunc([]string{"prox", "ezp", "lib", "remote", "vpn", "access", "gate", "campus", "idm", "auth"},
		func(word string) bool { return strings.Contains(name, word) })
}

// next returns where the part of a text behind that at a place begins; behind the last one, one more than its length.
func next(text string, at int) int {
	if end := strings.IndexAny(text[at:], ".-"); end >= 0 {
		return at + end + 1
	}
	return len(text) + 1
}

// academic reports whether only universities get names under a suffix.
func academic(suffix string) bool {
	return suffix == "edu" || strings.HasPrefix(suffix, "edu.") || strings.HasPrefix(suffix, "ac.")
}

// isName reports whether the first label of a brand's domain is its name, and no ordinary word. Then it is also meant
// in my-metamask.io and metamask-io; live-com is not live.com.
func (b *Brands) isName(domain string) bool {
	label, _, _ := strings.Cut(domain, ".")
	at, known := b.exact[label]
	return known && !b.names[at].word
}
