package paste

import (
	"regexp"
	"strings"
	"sync"
)

// callingCodes are the codes of countries before their numbers (ITU-T E.164), by ISO 3166-1: of those with authorities
// for victims.
const callingCodes = `AE 971 AR 54 AT 43 AU 61 BE 32 BG 359 BR 55 CA 1 CH 41 CL 56 CN 86 CO 57 CY 357 CZ 420 DE 49 DK 45
	EC 593 EE 372 ES 34 FI 358 FR 33 GB 44 GH 233 GR 30 HK 852 HR 385 HU 36 ID 62 IE 353 IN 91 IT 39 JP 81 KE 254 KR 82
	LT 370 LU 352 LV 371 MA 212 MT 356 MX 52 MY 60 NG 234 NL 31 NO 47 NZ 64 PE 51 PH 63 PK 92 PL 48 PT 351 RO 40 RU 7
	SA 966 SE 46 SG 65 SI 386 SK 421 TH 66 TR 90 TW 886 UA 380 US 1 VE 58 VN 84 ZA 27`

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

// Abroad returns the number of a phone of a country as it is dialled from others; "" if it can be none. The zero before
// it is left out, but in Italy.
func Abroad(number, country string) string {
	code := codeOf()[country]
	if code == "" || !IsLocalNumber(number) || countDigits(number) < MinPhone {
		return ""
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
