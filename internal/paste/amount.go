package paste

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"tocsin"
)

var (
	amount = regexp.MustCompile(`(?i)^(?:about|approx\.?|approximately|ca\.?|circa|~|≈)?\s*` +
		`(?:usd|us\s?\$|\$)?\s*` +
		`([0-9][0-9.,'’\s\x{00A0}\x{202F}\x{2009}]*?)\s*` +
		`(?:usd|us dollars?|dollars?|us\s?\$|\$)?$`)
	ambiguous = regexp.MustCompile(`^\d+\.\d{3}$`)
	// forms are the ways to write an amount: the dollars, then perhaps the cents.
	forms = []*regexp.Regexp{
		regexp.MustCompile(`^(\d+)(?:[.,](\d{1,2}))?$`),
		regexp.MustCompile(`^(\d{1,3}(?:,\d{2,3})*,\d{3})(?:\.(\d{1,2}))?$`), // 12,400.50 and 1,25,000
		regexp.MustCompile(`^(\d{1,3}(?:\.\d{3})+),(\d{1,2})$`),              // 12.400,50
		regexp.MustCompile(`^(\d{1,3}(?:\.\d{3}){2,})$`),                     // 1.250.500
	}
)

// Amount reads an amount of US dollars. What can be read in two ways is refused:
// 12.400 is twelve dollars in one country and thousands in another. A comma before
// three digits separates thousands, as on the site.
func Amount(text string) (tocsin.USD, *Problem) {
	m := amount.FindStringSubmatch(text)
	if m == nil {
		switch {
		case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "−"):
			return 0, &Problem{Kind: Negative}
		case !strings.ContainsAny(text, "0123456789"):
			return 0, &Problem{Kind: NoNumber}
		}
		return 0, &Problem{Kind: ExtraText}
	}
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789.,", r) {
			return r
		}
		return -1 // spaces and apostrophes only separate thousands
	}, m[1])
	for _, form := range forms {
		m := form.FindStringSubmatch(digits)
		if m == nil {
			continue
		}
		cents := "00"
		if len(m) > 2 {
			cents = (m[2] + "00")[:2]
		}
		sum, err := strconv.ParseInt(strings.NewReplacer(",", "", ".", "").Replace(m[1])+cents, 10, 64)
		if err != nil {
			sum = math.MaxInt64 // too long: the rules refuse it
		}
		return tocsin.USD(sum), nil
	}
	if ambiguous.MatchString(digits) {
		return 0, &Problem{Kind: Ambiguous, Text: digits}
	}
	return 0, &Problem{Kind: UnclearAmount, Text: digits}
}
