package paste

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// callingCodes are the codes of countries before their numbers (ITU-T E.164), by ISO 3166-1: of those with authorities
// for victims.
const callingCodes = `AE 971 AR 54 AT 43 AU 61 BE 32 BG 359 BR 55 CA 1 CH 41 CL 56 CN 86 CO 57 CY 357 CZ 420 DE 49 DK 45
	EC 593 EE 372 ES 34 FI 358 FR 33 GB 44 GH 233 GR 30 HK 852 HR 385 HU 36 ID 62 IE 353 IN 91 IT 39 JP 81 KE 254 KR 82
	LT 370 LU 352 LV 371 MA 212 MT 356 MX 52 MY 60 NG 234 NL 31 NO 47 NZ 64 PE 51 PH 63 PK 92 PL 48 PT 351 RO 40 RU 7
	SA 966 SE 46 SG 65 SI 386 SK 421 TH 66 TR 90 TW 886 UA 380 US 1 VE 58 VN 84 ZA 27`

// withoutTrunk are the countries of [callingCodes] in which no number begins with a 0 that is left out from abroad: a
// number that does is not of them.
const withoutTrunk = "CA CL CY CZ DK EE ES GR HK MT MX NO PL PT SG US"

// likely are the countries whose numbers are offered with a 0 before them where nothing tells the country, with the
// digits that they have at least and at most.
var likely = []struct {
	country     string
	least, most int
}{{"GB", 10, 11}, {"DE", 8, 12}, {"FR", 10, 10}}

// Likely returns the number of a phone that begins with a 0, which is left out from abroad, as it is dialled from there
// if it is of one of the countries that most such numbers here are of; nothing of another text.
func Likely(number string) (all []string) {
	for _, one := range likely {
		if abroad := Abroad(number, one.country); abroad != "" && startsWithZero(number) {
			all = append(all, abroad)
		}
	}
	return all
}

// startsWithZero reports whether the first digit of a number is a 0, and the second is not.
func startsWithZero(number string) bool {
	digits := strings.TrimLeft(number, "( ")
	return len(digits) > 1 && digits[0] == '0' && digits[1] != '0'
}

var (
	codeOf = sync.OnceValue(func() map[string]string {
		codes, words := map[string]string{}, strings.Fields(callingCodes)
		for i := 0; i < len(words); i += 2 {
			codes[words[i]] = words[i+1]
		}
		return codes
	})
	// localNumber matches what may be a number of a phone without its country code, alone.
	localNumber = regexp.MustCompile(`^\(?[0-9][0-9 ()./-]{5,20}[0-9]$`)
)

// IsLocalNumber reports whether a text may be a number of a phone without its country code.
func IsLocalNumber(text string) bool { return localNumber.MatchString(text) }

// Abroad returns the number of a phone of a country as it is dialled from others; "" if it can be none of that country.
// The zero before it is left out, but in Italy.
func Abroad(number, country string) string {
	code := codeOf()[country]
	digits := countDigits(number)
	if code == "" || !IsLocalNumber(number) || digits < MinPhone ||
		startsWithZero(number) && slices.Contains(strings.Fields(withoutTrunk), country) {
		return ""
	}
	for _, one := range likely {
		if one.country == country && startsWithZero(number) && (digits < one.least || digits > one.most) {
			return ""
		}
	}
	number = strings.NewReplacer("(", "", ")", "").Replace(number)
	switch country {
	case "IT":
	case "RU":
		if countDigits(number) == maxLocalPhone {
			number = strings.TrimPrefix(number, "8")
		}
	default:
		number = strings.TrimPrefix(number, "0")
	}
	number = "+" + code + " " + strings.TrimLeft(number, " -./")
	if Phone(number) == "" {
		return ""
	}
	return number
}
