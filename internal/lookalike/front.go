package lookalike

import "strings"

// machines name hosts after the domains of their customers, which nobody opens, or pages about a site after the site.
var machines = wordSet(`2o7.net cdngc.net cdngslb.com cutestat.com dnse1.com dnsv1.com footprint.net impervadns.net
	kunlunaq.com kunlunsl.com lxdns.com omtrdc.net usitestat.com websiteoutlook.com wscdns.com wsdvs.com`)

// hyphened are the suffixes of domains that are looked for with hyphens in place of dots, too: no words are among them.
var hyphened = wordSet("com org net io")

// inFront returns the brand whose whole domain is in front of somebody else's: app.uniswap.org.claim-x.xyz,
// coinbase.com-login.net, uniswap-org.claim-x.xyz. It is nil for hosting, whose networks and gateways name hosts after
// sites, and for universities, whose libraries do.
func (b *Brands) inFront(n *name) *Lookalike {
	if n.sub == "" || n.hosted || academic(n.suffix) || machines[n.label+"."+n.suffix] {
		return nil
	}
	text := n.sub + "." + n.label
	for from := 0; from < len(n.sub); from = next(text, from) {
		var part, of string
		for end := next(text, from) - 1; end < len(text); end = next(text, end+1) - 1 {
			d := text[from:end]
			if dotted := b.hyphened[d]; dotted != "" && end <= len(n.sub) {
				part, of = d, dotted
			} else if _, known := b.owners[d]; known {
				part, of = d, d
			}
		}
		if of != "" && (part == of && (from == 0 || text[from-1] == '.') || b.isName(of)) {
			return &Lookalike{Of: b.main[b.owners[of]], Method: InFront, Part: part, Brand: of}
		}
	}
	return nil
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
