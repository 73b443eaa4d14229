package lookalike

import (
	"strings"
	"unicode"

	"tocsin"
)

// surest returns what the name imitates: the brand whose whole domain it begins with, another brand, or if that is not
// sure, what a label of two scripts is to pass for.
func (b *Brands) surest(n *name, brand *Lookalike) *Lookalike {
	if front := b.inFront(n); front != nil {
		return front
	}
	if brand != nil && brand.Sure() || isASCII(n.label) && isASCII(n.sub) {
		return brand
	}
	labels := strings.Split(n.label, ".")
	if n.sub != "" {
		labels = append(labels, strings.Split(n.sub, ".")...)
	}
	for _, label := range labels {
		foreign, mixed := mixedScripts(label)
		if !mixed {
			continue
		}
		of, fault := tocsin.ParseDomain(strings.TrimPrefix(n.foldedSub+"."+n.foldedLabel+"."+n.suffix, "."))
		if fault != nil || !isASCII(fold(label)) {
			continue
		}
		return &Lookalike{Of: of.String(), Method: Mixed, Distance: foreign, Part: label, Brand: fold(label)}
	}
	return brand
}

// mixedScripts reports whether a label has Latin letters, and letters of Cyrillic or Greek that all look like Latin
// ones, and counts the latter. No language is written so. Of a label in one script, and of one with letters that no
// reader takes for Latin, nothing is said.
func mixedScripts(label string) (foreign int, mixed bool) {
	latin := false
	for _, r := range label {
		switch {
		case unicode.In(r, unicode.Cyrillic, unicode.Greek):
			if !isASCII(foldRune(r, true)) {
				return 0, false
			}
			foreign++
		case isLatin(r):
			latin = true
		}
	}
	return foreign, latin && foreign > 0
}
