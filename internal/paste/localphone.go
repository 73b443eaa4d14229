package paste

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// betweenDigits is what people write between the digits of a phone: spaces, points, hyphens and brackets.
const betweenDigits = `[ \x{a0}\x{202f}().·•/_\x{2010}-\x{2013}-]{0,3}`

var (
	// localPhoneIn matches what may be the number of a phone as people write it in their own country, up to where it may
	// end: a number that goes on behind a point, a comma or a colon is an amount, a version or a time of day.
	localPhoneIn = later(`(\(?[0-9](?:` + betweenDigits + `[0-9]){6,11})` +
		`(?:$|[^\pL\pN\p{Sc}_@%/=+:.,-]|\p{Han}|[:-](?:$|[^\pN])|\.(?:$|[^\pN\p{Ll}])|,(?:$|[^\pN]|[0-9]{3}))`)
	// phoneWordsThen matches words that say that a phone follows, in the languages of the pages.
	phoneWordsThen = later(`(?i)(?:\b(?:ll[aá]m\pL*|escr[ií]b\pL*|tel\.?|tel[eé]f(?:ono)?|tlf|tfno|m[oó]vil|celular|cel|` +
		`whats ?app|was+ap|guasap|wsp?|wa|phone|telephone|mobile|cell|call|ring|text|handy|(?:telefon|handy|mobil|` +
		`ruf)nummer|telefon|mobil|ruf\pL*|anruf\pL*|t[eé]l[eé]phone|portable|appel\pL*|joign\pL*|telefone|` +
		`telem[oó]vel|zap|lig(?:a|ue|ar|uem)|chama)\b|电话|手机|联系)` +
		`[^0-9\n\]]{0,20}$`)
	// decimalsThen matches a number and a point or comma, behind which decimals follow.
	decimalsThen = regexp.MustCompile(`(?:^|[^0-9])[0-9]{1,6}[.,]$`)
	// dayThen matches a number that begins with a day.
	dayThen = regexp.MustCompile(`^(?:[0-9]{1,2}([ ./-]{1,3})[0-9]{1,2}[ ./-]{1,3}(?:19|20)[0-9]{2}(?:[^0-9]|$)|` +
		`(?:19|20)[0-9]{2}[./-][0-9]{1,2}[./-][0-9]{1,2})`)
	// thousands matches a number whose points may divide thousands, and digitGroups the digits between two signs.
	thousands   = regexp.MustCompile(`^[0-9]{1,3}(?:\.[0-9]{3})+$`)
	digitGroups = regexp.MustCompile(`[0-9]+`)
	// wordBefore and wordBehind match the word or the sign beside a number.
	wordBefore = regexp.MustCompile(`(\pL+\$?|\p{Sc})\s?$`)
	wordBehind = regexp.MustCompile(`^\s?(\pL+|\p{Sc})`)
)

// Digits of the number of a phone without words that say so, and one more of one with the 0 of a long distance.
const (
	minLocalPhone = 9
	maxLocalPhone = 11
)

// localPhones returns what may be numbers of phones without the code of a country.
func localPhones(text string) (found []string) {
	for at := 0; ; {
		m := localPhoneIn().FindStringSubmatchIndex(text[at:])
		if m == nil {
			return found
		}
		from, to := at+m[2], at+m[3]
		number := text[from:to]
		if strings.HasPrefix(number, "(") && !strings.Contains(number, ")") {
			from, number = from+1, number[1:]
		}
		if isLocalPhone(number, text[max(0, from-maxBefore):from], text[to:min(to+maxBefore, len(text))]) {
			found, at = append(found, number), to
		} else {
			at = from + digitGroups.FindStringIndex(number)[1]
		}
	}
}

// isLocalPhone reports whether a number that has the form of one may be that of a phone.
func isLocalPhone(number, before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	if unicode.IsLetter(last) && !unicode.Is(unicode.Han, last) || unicode.IsDigit(last) ||
		strings.ContainsRune("_@#+/.=&-%", last) || decimalsThen.MatchString(before) ||
		dayThen.MatchString(number) || isSum(before, after) {
		return false
	}
	said, digits := phoneWordsThen().MatchString(before), countDigits(number)
	if digits > maxLocalPhone && (number[0] != '0' || digits > maxLocalPhone+1) || digits < minLocalPhone && !said {
		return false
	}
	groups := digitGroups.FindAllString(number, -1)
	if !strings.Contains(number, ".") || said && len(groups[0]) > 1 {
		return true
	}
	for _, group := range groups {
		if len(group) < 2 {
			return false
		}
	}
	if _, fault := netip.ParseAddr(number); fault == nil || len(groups) < 3 && number[0] != '0' {
		return false
	}
	return !thousands.MatchString(number) ||
		len(groups[0]) == 3 && groups[0] >= "6" && !strings.HasSuffix(number, "000")
}

// isSum reports whether the word before or behind a number is of a currency. Codes of it are in capital letters: in
// small ones many are words.
func isSum(before, after string) bool {
	for _, m := range [][]string{wordBefore.FindStringSubmatch(before), wordBehind.FindStringSubmatch(after)} {
		if m == nil || m[1] == "sol" || m[1] == "real" {
			continue
		}
		times, code, is := beside(m[1])
		isWord := currencies[strings.ToLower(m[1])] != "" || m[1] == strings.ToUpper(m[1])
		if is && (times > 1 || code != "" && isWord) {
			return true
		}
	}
	return false
}
