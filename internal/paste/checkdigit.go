package paste

import "strings"

// isIBAN reports whether the check digits of an international bank account number hold: ISO 13616, with MOD 97-10 of
// ISO/IEC 7064. The text is digits and capital letters.
func isIBAN(text string) bool {
	if len(text) < 15 || len(text) > 34 {
		return false
	}
	remainder := 0
	for _, c := range text[4:] + text[:4] {
		if c >= 'A' { // letters are the numbers 10 to 35
			remainder = (remainder*100 + int(c-'A') + 10) % 97
		} else {
			remainder = (remainder*10 + int(c-'0')) % 97
		}
	}
	return remainder == 1
}

// isCard reports whether digits are the number of a payment card (ISO/IEC 7812): 15 or 16, the first one of a card
// scheme, and the last one by the formula of Luhn.
func isCard(digits string) bool {
	if len(digits) < 15 || len(digits) > 16 || !strings.Contains("23456", digits[:1]) {
		return false
	}
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// isCLABE reports whether 18 digits are the number of a bank account in Mexico (CLABE), whose last digit is a check
// digit with the weights 3, 7 and 1.
func isCLABE(digits string) bool {
	if len(digits) != 18 {
		return false
	}
	weights, sum := [...]int{3, 7, 1}, 0
	for i := range 17 {
		sum += int(digits[i]-'0') * weights[i%3] % 10
	}
	return int(digits[17]-'0') == (10-sum%10)%10
}
