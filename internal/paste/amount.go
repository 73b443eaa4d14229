package paste

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/currency"

	"tocsin"
)

// Sum is an amount that somebody typed.
type Sum struct {
	USD      tocsin.USD
	Currency string // that was typed with it, such as USDT; "" for none and for US dollars
}

var (
	// amount matches a number with what may be before and behind it: words of [multipliers] and [currencies].
	amount = regexp.MustCompile(`^(?:[~≈]\s*)?([^\d\s−-][^\d]*?)?\s*([0-9][0-9.,'’\s\x{00A0}\x{202F}\x{2009}]*?)\s*` +
		`([^\d\s.,'’][^\d]*)?$`)
	// spaced matches a number in which spaces or apostrophes are between thousands, also as in 1 25 000, and nowhere else.
	spaced = regexp.MustCompile(`^\d{1,3}(?:[\s'’\x{00A0}\x{202F}\x{2009}]\d{2,3})*` +
		`[\s'’\x{00A0}\x{202F}\x{2009}]\d{3}(?:[.,]\d{1,2})?$`)
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

// multipliers are what words beside a number multiply it by.
var multipliers = words(map[string]int64{
	"mil k tausend tsd thousand mille": 1e3,
	"m million millions millones millón millon millionen mio milhões milhoes milhão milhao": 1e6,
	"万":                   1e4,
	"lakh lakhs lac lacs": 1e5, "crore crores": 1e7, // mostly of rupees: see [Amount]
})

// ofIndia matches lakh and crore, which are mostly of rupees.
var ofIndia = regexp.MustCompile(`(?i)\b(?:la(?:kh|c)s?|crores?)\b`)

// currencies are the codes of what people write beside an amount, apart from the codes of ISO 4217; "" for words that
// are of no currency.
var currencies = words(map[string]string{
	"$ usd us us$ dollar dollars dólares dolares dólar dolar 美元 доллар долларов": usDollars,
	"about approx approximately ca circa etwa unos unas environ cerca de d’ d'":  "",
	"usdt tether": "USDT", "usdc": "USDC", "dai": "DAI", "pyusd": "PYUSD",
	"btc bitcoin bitcoins": "BTC", "eth ether": "ETH", "bnb": "BNB", "sol": "SOL", "trx": "TRX", "xrp": "XRP",
	"ltc": "LTC", "doge": "DOGE", "ton": "TON", "xmr": "XMR", "ada": "ADA", "bch": "BCH", "matic": "MATIC", "pol": "POL",
	"€ euro euros 欧元": "EUR", "£ pound pounds libra libras pfund livres 英镑": "GBP", "¥ 円 yen yenes 日元": "JPY",
	"元 人民币 yuan rmb": "CNY", "₹ rs rupee rupees rupias": "INR", "franken 瑞士法郎": "CHF",
	"₽ ruble rubles рублей": "RUB", "₺ lira liras": "TRY", "zł złoty złotych": "PLN", "₩": "KRW", "₫": "VND", "₴": "UAH",
	"₦": "NGN", "r$ real reais": "BRL", "peso pesos": "PESOS", "soles": "PEN", "bolívares bolivares": "VES",
	"bolivianos": "BOB", "quetzales": "GTQ", "colones": "CRC", "lempiras": "HNL", "guaraníes guaranies": "PYG",
})

// usDollars is also what other dollars and pesos have the sign of: the code of another currency beside it counts.
const usDollars = "USD"

// words returns a table with an entry for each of the words of each key.
func words[V any](table map[string]V) map[string]V {
	each := map[string]V{}
	for keys, value := range table {
		for key := range strings.FieldsSeq(keys) {
			each[key] = value
		}
	}
	return each
}

// mostTimes is by how much the words beside a number multiply it at most.
const mostTimes = 1e12

// beside reads the words beside a number: by how much they multiply it, and of which currency it is. It returns false
// if a word is neither, and for two currencies.
func beside(text string) (times int64, code string, ok bool) {
	times = 1
	for word := range strings.FieldsSeq(strings.ReplaceAll(strings.ToLower(text), "万", " 万 ")) {
		word = strings.TrimRight(word, ".:")
		times1, isTimes := multipliers[word]
		known, isKnown := currencies[word]
		iso, err := currency.ParseISO(word)
		switch {
		case isTimes:
			times = min(times*times1, mostTimes) // which goes on with the next word, and must not run over
			continue
		case !isKnown && err != nil:
			return 0, "", false
		case !isKnown:
			known = iso.String()
		}
		if code != "" && code != usDollars && known != "" && known != usDollars && known != code {
			return 0, "", false
		}
		if code == "" || code == usDollars {
			code = cmp.Or(known, code)
		}
	}
	return times, code, true
}

// saysDollars matches an amount that says that it is of US dollars, in more than the sign that pesos have as well.
var saysDollars = regexp.MustCompile(`(?i)us|d[oó]l|美元|доллар`)

// National returns the code of the currency of a country that a text names: by its code, its name or its sign, in the
// languages of the pages. It returns "" for US dollars, for a coin and for another text.
func National(text string) string {
	_, code, ok := beside(text)
	_, err := currency.ParseISO(code) // which no coin has
	if !ok || code == usDollars || code != "PESOS" && err != nil {
		return ""
	}
	return code
}

// AmountIn reads an amount that was typed beside a field for what was lost. A national currency there belongs to the
// amount, unless that has one of its own: text is then the amount with its currency.
func AmountIn(typed, lost string, comma bool) (text string, sum Sum, wrong *Problem) {
	sum, wrong = Amount(typed, comma)
	if code := National(lost); code != "" && sum.Currency == "" && !saysDollars.MatchString(typed) {
		text = typed + " " + code
		if with, problem := Amount(text, comma); problem != nil && problem.Kind == OtherCurrency {
			return text, with, problem
		}
	}
	return typed, sum, wrong
}

// foreign reports whether the amount is of a currency other than dollars, and of no coin that is worth one.
func (s Sum) foreign() bool {
	switch s.Currency {
	case "", usDollars, "USDT", "USDC", "DAI", "PYUSD":
		return false
	}
	return true
}

// Amount reads an amount of US dollars, as it is written where the decimal mark is a comma or a point. What can be read
// in two ways is a problem with both readings: 12.400 is twelve dollars in one country and thousands in another. An
// amount of another currency is a problem too: nobody but its writer can convert it. The sum then has the currency. So
// is one in lakh or crore without a currency, which is hardly of dollars.
func Amount(text string, comma bool) (Sum, *Problem) {
	m := amount.FindStringSubmatch(strings.TrimSpace(text))
	times, code, known := int64(0), "", false
	if m != nil {
		times, code, known = beside(m[1] + " " + m[3])
	}
	if !known {
		switch {
		case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "−"):
			return Sum{}, &Problem{Kind: Negative}
		case !strings.ContainsAny(text, "0123456789"):
			return Sum{}, &Problem{Kind: NoNumber}
		}
		return Sum{}, &Problem{Kind: ExtraText}
	}
	if strings.ContainsFunc(m[2], isGap) && !spaced.MatchString(m[2]) {
		return Sum{}, &Problem{Kind: UnclearAmount, Text: m[2]}
	}
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789.,", r) {
			return r
		}
		return -1 // spaces and apostrophes only separate thousands
	}, m[2])
	sum := Sum{Currency: code}
	if sum.foreign() {
		return sum, &Problem{Kind: OtherCurrency, Text: sum.Currency}
	}
	if code == usDollars {
		sum.Currency = ""
	}
	readings := readAmount(digits, comma, times > 1)
	for i, reading := range readings {
		readings[i] = min(reading, math.MaxInt64/tocsin.USD(times)) * tocsin.USD(times)
	}
	switch {
	case len(readings) == 0:
		return Sum{}, &Problem{Kind: UnclearAmount, Text: digits}
	case code == "" && ofIndia.MatchString(text):
		return Sum{}, &Problem{Kind: UnclearCurrency, Text: strings.TrimSpace(text), Readings: readings}
	case len(readings) > 1:
		return sum, &Problem{Kind: Ambiguous, Text: digits, Readings: readings}
	}
	sum.USD = readings[0]
	return sum, nil
}

// isGap reports whether a character separates thousands without being a decimal mark: a space or an apostrophe.
func isGap(r rune) bool { return unicode.IsSpace(r) || r == '\'' || r == '’' }

// readAmount returns what digits with marks can mean, the likelier first; nothing if it is of no known form. Before a
// word such as million a mark is often the decimal one, in any language.
func readAmount(digits string, comma, beforeWord bool) []tocsin.USD {
	if m := oneMark.FindStringSubmatch(digits); m != nil {
		thousands, decimal := cents(m[1]+m[3], ""), cents(m[1], m[3])
		switch {
		case len(m[3]) <= 2:
			return []tocsin.USD{decimal}
		case len(m[3]) > 3:
			return nil
		case !grouped.MatchString(m[1]): // 0.500 and 12400.500
			return []tocsin.USD{decimal}
		case comma == (m[2] == ".") && !beforeWord:
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
