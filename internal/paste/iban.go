package paste

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// ibans are the forms of international bank account numbers behind the country and its two check digits, by the
// registry of ISO 13616, and of countries that have one without being in it: so many digits (n), letters (a) and
// characters of either kind (c).
const ibans = `AD n8c12 AE n19 AL n8c16 AO n21 AT n16 AZ a4c20 BA n16 BE n12 BF c2n22 BG a4n6c8 BH a4c14 BI n23 BJ c2n22
	BR n23a1c1 BY c4n4c16 CF n23 CG n23 CH n5c12 CI a2n22 CM n23 CR n18 CV n21 CY n8c16 CZ n20 DE n18 DJ n23 DK n14
	DO c4n20 DZ n22 EE n16 EG n25 ES n20 FI n14 FK a2n12 FO n14 FR n10c11n2 GA n23 GB a4n14 GE a2n16 GI a4c15 GL n14
	GQ n23 GR n7c16 GT c24 GW c2n19 HN a4n20 HR n17 HU n24 IE a4n14 IL n19 IQ a4n15 IR n22 IS n22 IT a1n10c12
	JO a4n4c18 KM n23 KW a4c22 KZ n3c13 LB n4c20 LC a4c24 LI n5c12 LT n16 LU n3c13 LV a4c13 LY n21 MA n24 MC n10c11n2
	MD c20 ME n18 MG n23 MK n3c10n2 ML c2n22 MN n16 MR n23 MT a4n5c18 MU a4n19a3 MZ n21 NE a2n22 NI a4n20 NL a4n10
	NO n11 OM n3c16 PK a4c16 PL n24 PS a4c21 PT n21 QA a4c21 RO a4c16 RS n18 RU n14c15 SA n2c18 SC a4n20a3 SD n14
	SE n20 SI n15 SK n20 SM a1n10c12 SN c2n22 SO n19 ST n21 SV a4n20 TD n23 TG a2n22 TL n19 TN n20 TR n6c16 UA n6c19
	VA n18 VG a4n16 XK n16 YE a4n4c18`

var (
	ibanStart = regexp.MustCompile(`(?i)\b[A-Z]{2}[0-9]{2}`)
	ibanPart  = regexp.MustCompile(`([nac])([0-9]+)`)
	// ibanForms are the kinds of all characters of an account number behind its check digits, by country.
	ibanForms = sync.OnceValue(func() map[string]string {
		forms := map[string]string{}
		words := strings.Fields(ibans)
		for i := 0; i < len(words); i += 2 {
			forms[words[i]] = ibanPart.ReplaceAllStringFunc(words[i+1], func(part string) string {
				n := 0
				for _, digit := range part[1:] {
					n = 10*n + int(digit-'0')
				}
				return strings.Repeat(part[:1], n)
			})
		}
		return forms
	})
)

// HasIBAN reports whether a text has an international bank account number.
func HasIBAN(text string) bool { return len(ibansIn(text)) > 0 }

// ibansIn returns where international bank account numbers are in a text. The country says how long one is, and its
// check digits prove it, so that what follows makes no difference.
func ibansIn(text string) (found [][2]int) {
	at := 0
	for _, start := range ibanStart.FindAllStringIndex(text, -1) {
		if start[0] < at {
			continue
		}
		if end := ibanEnd(text, start[0]); end > 0 {
			found, at = append(found, [2]int{start[0], end}), end
		}
	}
	return found
}

// ibanEnd is where the international bank account number ends that begins at a place in a text; 0 if none does. There
// may be a space or a hyphen before each character. Only with one may its letters be of both cases, or a word follow
// at once: addresses have no spaces.
func ibanEnd(text string, from int) int {
	form, is := ibanForms()[strings.ToUpper(text[from:from+2])]
	if !is {
		return 0
	}
	plain, at, divided := make([]byte, 0, 34), from+4, false
	plain = append(plain, text[from:at]...)
	for i := range len(form) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if strings.ContainsRune(" \u00a0\u202f-", r) {
			at, divided = at+size, true
		}
		if at == len(text) || !isOfForm(text[at], form[i]) {
			return 0
		}
		plain, at = append(plain, text[at]), at+1
	}
	number := string(plain)
	upper := strings.ToUpper(number)
	if !divided && number != upper && number != strings.ToLower(number) || !isIBAN(upper) {
		return 0
	}
	if at < len(text) && (isDigit(text[at]) || isOfForm(text[at], 'a') && !divided) {
		return 0
	}
	return at
}

// isOfForm reports whether a character is of a kind: n for digits, a for letters, c for either.
func isOfForm(c, kind byte) bool {
	isLetter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	return kind != 'a' && isDigit(c) || kind != 'n' && isLetter
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
