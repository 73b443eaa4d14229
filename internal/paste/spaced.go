package paste

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// spacedSite matches the name of a site, and nothing else, with a space beside its last point.
var spacedSite = later(`^\s*(?:https?://)?([\pL\pN](?:[\pL\pN-]*[\pL\pN])?(?:\.[\pL\pN-]+)*)` +
	`(?:[ \x{a0}]\.[ \x{a0}]?|\.[ \x{a0}])(\p{Ll}{2,24})(?:/\S*)?\s*$`)

// SpacedSite returns the name of a site that was typed with one space beside its last point, such as "lena-invest.
// vip"; "" for another text. The beginning of a sentence behind another one has a capital letter. Two words with a
// point between them may be two sentences, so what ends with the code of a country has a digit or a hyphen.
func SpacedSite(line string) string {
	if len(line) > maxThing {
		return ""
	}
	m := spacedSite().FindStringSubmatch(line)
	if m == nil || len(m[2]) == 2 && !strings.ContainsAny(m[1], "0123456789-") {
		return ""
	}
	name := strings.ToLower(m[1]) + "." + m[2]
	if _, registry := publicsuffix.PublicSuffix(name); !registry {
		return ""
	}
	d, fault := parseDomain(name)
	if fault != nil || d.Shared() {
		return ""
	}
	return d.String()
}
