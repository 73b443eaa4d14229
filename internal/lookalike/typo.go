package lookalike

// Minimal lengths of brands of which a name with one letter more or fewer is no accident.
const (
	minDoubled = 7 // a letter is doubled: uniswaap
	minSlip    = 9 // a letter within it is added or left out, or two are exchanged: pancakewap
)

// clearTypo reports whether a text that is one letter away from a brand can hardly be anything else. Words that have
// another letter in place of one are too often names of their own, and one more at the end may be a plural. Measured on
// 61,000 popular sites: docs/detection.md.
func clearTypo(text, brand string) bool {
	at := 0 // where they begin to differ
	for at < len(text) && at < len(brand) && text[at] == brand[at] {
		at++
	}
	switch len(text) - len(brand) {
	case 1:
		doubled := at > 0 && text[at] == text[at-1]
		within := at > 0 && at < len(brand)
		return within && len(brand) >= minSlip || doubled && len(brand) >= minDoubled
	case -1:
		return at > 0 && at < len(text) && len(brand) >= minSlip
	case 0:
		exchanged := at+1 < len(text) && text[at] == brand[at+1] && text[at+1] == brand[at]
		return exchanged && len(brand) >= minSlip
	}
	return false
}
