package paste

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"tocsin"
)

// Sum is an amount that somebody typed.
type Sum struct {
	USD      tocsin.USD
	Currency string // that was typed with it, such as USDT; "" for none and for US dollars
}

var (
	amount = regexp.MustCompile(`(?i)^(?:about|approx\.?|approximately|ca\.?|circa|etwa|unos|unas|environ|cerca de|` +
		`~|≈)?\s*(` + money + `)?\s*([0-9][0-9.,'’\s\x{00A0}\x{202F}\x{2009}]*?)\s*(` + money + `)?$`)
	oneMark = regexp.MustCompile(`^(\d+)([.,])(\d+)$`)
	grouped = regexp.MustCompile(`^[1-9]\d{0,2}$`)
	// groups are the ways to write thousands, then perhaps the cents.
	groups = []*regexp.Regexp{
		regexp.MustCompile(`^(\d{1,3}(?:,\d{2,3})*,\d{3})\.(\d{1,2})$`),          // 12,400.50 and 1,25,000.50
		regexp.MustCompile(`^(\d{1,3}(?:\.\d{3})+),(\d{1,2})$`),                  // 12.400,50
		regexp.MustCompile(`^(\d{1,3}(?:\.\d{3}){2,})$`),                         // 1.250.500
		regexp.MustCompile(`^(\d{1,3}(?:,\d{2,3})+,\d{3}|\d{1,3},\d{3},\d{3})$`), // 1,250,500 and 1,25,000
		regexp.MustCompile(`^(\d+)$`),
	}
)

// money matches what people write beside an amount: dollars, coins that are worth one, and other currencies.
const money = coins + `|usd|us\s?\$|\$|us[- ]?dollars?|dollars?|dólares|dollar|美元|usdt|usdc|dai|pyusd|tether|` +
	`€|eur|euros?|£|gbp|pounds?|chf`

// coins are those whose price changes.
const coins = `btc|bitcoins?|eth|ether|bnb|sol|trx|xrp|ltc|doge|ton|xmr|ada|bch|matic|pol`

// currencies are the codes of what [money] matches, if it is not US dollars.
var currencies = map[string]string{
	"usdt": "USDT", "usdc": "USDC", "dai": "DAI", "pyusd": "PYUSD", "tether": "USDT",
	"€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "gbp": "GBP", "pound": "GBP", "pounds": "GBP",
	"chf": "CHF",
	"btc": "BTC", "bitcoin": "BTC", "bitcoins": "BTC", "eth": "ETH", "ether": "ETH", "bnb": "BNB", "sol": "SOL",
	"trx": "TRX", "xrp": "XRP", "ltc": "LTC", "doge": "DOGE", "ton": "TON", "xmr": "XMR", "ada": "ADA", "bch": "BCH",
	"matic": "MATIC", "pol": "POL",
}

// foreign reports whether the amount is of a currency other than dollars, and of no coin that is worth one.
func (s Sum) foreign() bool {
	switch s.Currency {
	case "", "USDT", "USDC", "DAI", "PYUSD":
		return false
	}
	return true
}

// Amount reads an amount of US dollars, as it is written where the decimal mark is a comma or a point. What can be read
// in two ways is a problem with both readings: 12.400 is twelve dollars in one country and thousands in another. An
// amount of another currency is a problem too: nobody but its writer can convert it. The sum then has the currency.
func Amount(text string, comma bool) (Sum, *Problem) {
	m := amount.FindStringSubmatch(text)
	if m == nil {
		switch {
		case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "−"):
			return Sum{}, &Problem{Kind: Negative}
		case !strings.ContainsAny(text, "0123456789"):
			return Sum{}, &Problem{Kind: NoNumber}
		}
		return Sum{}, &Problem{Kind: ExtraText}
	}
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789.,", r) {
			return r
		}
		return -1 // spaces and apostrophes only separate thousands
	}, m[2])
	sum := Sum{Currency: currencies[strings.ToLower(m[1]+m[3])]}
	if sum.foreign() {
		return sum, &Problem{Kind: OtherCurrency, Text: sum.Currency}
	}
	readings := readAmount(digits, comma)
	switch {
	case len(readings) == 0:
		return Sum{}, &Problem{Kind: UnclearAmount, Text: digits}
	case len(readings) > 1:
		return sum, &Problem{Kind: Ambiguous, Text: digits, Readings: readings}
	}
	sum.USD = readings[0]
	return sum, nil
}

// readAmount returns what digits with marks can mean, the likelier first; nothing if it is of no known form.
func readAmount(digits string, comma bool) []tocsin.USD {
	if m := oneMark.FindStringSubmatch(digits); m != nil {
		thousands, decimal := cents(m[1]+m[3], ""), cents(m[1], m[3])
		switch {
		case len(m[3]) <= 2:
			return []tocsin.USD{decimal}
		case len(m[3]) > 3:
			return nil
		case !grouped.MatchString(m[1]): // 0.500 and 12400.500
			return []tocsin.USD{decimal}
		case comma == (m[2] == "."):
			return []tocsin.USD{thousands}
		}
		return []tocsin.USD{thousands, decimal}
	}
	for _, form := range groups {
		if m := form.FindStringSubmatch(digits); m != nil {
			fraction := ""
			if len(m) > 2 {
				fraction = m[2]
			}
			return []tocsin.USD{cents(m[1], fraction)}
		}
	}
	return nil
}

// cents returns an amount of whole dollars, with marks between thousands, and of what follows the decimal mark.
func cents(whole, fraction string) tocsin.USD {
	sum, err := strconv.ParseInt(strings.NewReplacer(",", "", ".", "").Replace(whole)+(fraction + "00")[:2], 10, 64)
	if err != nil {
		return math.MaxInt64 // too long: the rules refuse it
	}
	return tocsin.USD(sum)
}
