package web

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"tocsin"
)

var (
	sumForm     = regexp.MustCompile(`(?i)^(?:about|approx\.?|approximately|ca\.?|circa|~|≈)?\s*(?:usd|us\s?\$|\$)?\s*([0-9][0-9.,'’\s\x{00A0}\x{202F}\x{2009}]*?)\s*(?:usd|us dollars?|dollars?|us\s?\$|\$)?$`)
	whole       = regexp.MustCompile(`^\d+$`)
	points      = regexp.MustCompile(`^(\d+)\.(\d{1,2})$`)
	commas      = regexp.MustCompile(`^(\d+),(\d{1,2})$`)
	english     = regexp.MustCompile(`^(\d{1,3}(?:,\d{2,3})*,\d{3})(?:\.(\d{1,2}))?$`)
	continental = regexp.MustCompile(`^(\d{1,3}(?:\.\d{3})+),(\d{1,2})$`)
	dotted      = regexp.MustCompile(`^\d{1,3}(?:\.\d{3}){2,}$`)
)

// parseAmount reads a sum of US dollars as people write it. What can be read in
// two ways is refused, with why: 12.400 is a dozen dollars here and thousands
// there. A comma before three digits is read as on this site, as thousands.
func parseAmount(typed string) (amount tocsin.USD, why string) {
	m := sumForm.FindStringSubmatch(typed)
	if m == nil {
		switch {
		case strings.HasPrefix(typed, "-") || strings.HasPrefix(typed, "−"):
			return 0, "Write what was lost without a minus."
		case !strings.ContainsAny(typed, "0123456789"):
			return 0, "Write a number, such as 12,400 or 1250.50, or leave it empty."
		}
		return 0, "Write a number of US dollars and nothing else, such as 12,400 or 1250.50. Of another currency or a coin, write what it was worth in US dollars that day, and the coin in the next field."
	}
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789.,", r) {
			return r
		}
		return -1 // spaces and apostrophes part thousands everywhere
	}, m[1])
	dollars, cents := "", ""
	if whole.MatchString(digits) {
		dollars = digits
	} else if m := points.FindStringSubmatch(digits); m != nil {
		dollars, cents = m[1], m[2]
	} else if m := commas.FindStringSubmatch(digits); m != nil {
		dollars, cents = m[1], m[2]
	} else if m := english.FindStringSubmatch(digits); m != nil {
		dollars, cents = m[1], m[2]
	} else if m := continental.FindStringSubmatch(digits); m != nil {
		dollars, cents = m[1], m[2]
	} else if dotted.MatchString(digits) {
		dollars = digits
	} else if before, after, _ := strings.Cut(digits, "."); len(after) == 3 && whole.MatchString(before) && whole.MatchString(after) {
		return 0, fmt.Sprintf("%s can be read in two ways. Write %s%s if it was thousands, or %s.%s if it was not.", digits, before, after, before, after[:2])
	} else {
		return 0, fmt.Sprintf("We cannot tell what %s is. Write it with a point before the cents and nothing else, such as 12400.50.", clipped(digits, 40))
	}
	dollars = strings.NewReplacer(",", "", ".", "").Replace(dollars)
	if len(cents) == 1 {
		cents += "0"
	}
	sum, err := strconv.ParseInt(dollars+(cents + "00")[:2], 10, 64)
	if err != nil {
		sum = math.MaxInt64 // too long; the rules refuse it
	}
	return tocsin.USD(sum), ""
}
