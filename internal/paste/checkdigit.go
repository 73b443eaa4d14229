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

// isPaper reports whether the check digits of an identity paper hold in a number, however it is divided.
func isPaper(number string) bool {
	plain := strings.ToUpper(strings.NewReplacer(" ", "", ".", "", "-", "", "/", "").Replace(number))
	return isDNI(plain) || isCPF(plain) || isNIR(plain) || isChineseID(plain)
}

// isDNI reports whether the letter of an identity number of Spain is that of its digits. That of a foreigner (NIE) has
// X, Y or Z in the place of its first one, which are 0, 1 and 2.
func isDNI(plain string) bool {
	last := len(plain) - 1
	if last < 7 || last > 8 || isDigit(plain[last]) {
		return false
	}
	n := 0
	for i, c := range []byte(plain[:last]) {
		switch {
		case isDigit(c):
			n = 10*n + int(c-'0')
		case i == 0 && c >= 'X' && c <= 'Z':
			n = int(c - 'X')
		default:
			return false
		}
	}
	return "TRWAGMYFPDXBNJZSQVHLCKE"[n%23] == plain[last]
}

// isCPF reports whether 11 digits are a taxpayer's number of Brazil, the last two of which are check digits.
func isCPF(plain string) bool {
	if len(plain) != 11 || countDigits(plain) != 11 || strings.Count(plain, plain[:1]) == 11 {
		return false
	}
	for _, last := range []int{9, 10} {
		sum := 0
		for i := range last {
			sum += int(plain[i]-'0') * (last + 1 - i)
		}
		if int(plain[last]-'0') != sum*10%11%10 {
			return false
		}
	}
	return true
}

// isNIR reports whether 15 digits are a social security number of France, whose last two are 97 less the remainder of
// the others.
func isNIR(plain string) bool {
	if len(plain) != 15 || countDigits(plain) != 15 {
		return false
	}
	remainder := 0
	for _, c := range plain[:13] {
		remainder = (10*remainder + int(c-'0')) % 97
	}
	return 97-remainder == 10*int(plain[13]-'0')+int(plain[14]-'0')
}

// isChineseID reports whether 18 characters are an identity number of China (GB 11643, with MOD 11-2 of ISO/IEC 7064).
func isChineseID(plain string) bool {
	if len(plain) != 18 || countDigits(plain[:17]) != 17 {
		return false
	}
	n := 0
	for _, c := range plain[:17] {
		n = (n + int(c-'0')) * 2 % 11
	}
	return "0123456789X"[(12-n)%11] == plain[17]
}
