package paste

import (
	"regexp"
	"strings"
)

var (
	ibanIn = regexp.MustCompile(`(?i)\b[A-Z]{2}[0-9]{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b`)
	// numberIn matches digits, perhaps in groups, that may be the number of a card or of an account.
	numberIn = regexp.MustCompile(`\b[0-9](?:[ -]?[0-9]){14,17}\b`)
)

// withoutBankNumbers takes the numbers of bank accounts (IBAN of ISO 13616, CLABE of Mexico) and of cards (ISO/IEC
// 7812) out of a text. Their check digits tell them from others. It comes before numbers of phones are looked for,
// since some of their digits have the form of one: they may be the writer's own, and must not become public as
// somebody's phone.
func withoutBankNumbers(text string) (rest string, found []string) {
	rest = ibanIn.ReplaceAllStringFunc(text, func(iban string) string {
		plain := strings.ReplaceAll(iban, " ", "")
		if upper := strings.ToUpper(plain); plain != upper && plain != strings.ToLower(plain) || !isIBAN(upper) {
			return iban // addresses have letters of both cases
		}
		found = append(found, iban)
		return " "
	})
	at, left := 0, new(strings.Builder)
	for _, m := range numberIn.FindAllStringIndex(rest, -1) {
		digits := strings.NewReplacer(" ", "", "-", "").Replace(rest[m[0]:m[1]])
		if dialled := m[0] > 0 && rest[m[0]-1] == '+'; dialled || !isCard(digits) && !isCLABE(digits) {
			continue
		}
		found = append(found, rest[m[0]:m[1]])
		left.WriteString(rest[at:m[0]] + " ")
		at = m[1]
	}
	return left.String() + rest[at:], found
}
