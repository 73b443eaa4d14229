package paste

import (
	"cmp"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"tocsin"
)

// request matches a payment request of ERC-681: its target, its chain, the function that it calls, its parameters.
var request = regexp.MustCompile(`^(?:pay-)?([^@/?]+)(?:@([0-9]+))?(?:/(\w+))?(?:\?(.*))?$`)

// evmCoins are what the coins of EVM chains are called, by the numbers of the chains. All have 18 decimals.
var evmCoins = map[string]string{
	"": "ETH", "1": "ETH", "10": "ETH", "130": "ETH", "324": "ETH", "480": "ETH", "8453": "ETH", "42161": "ETH",
	"59144": "ETH", "81457": "ETH", "534352": "ETH", "7777777": "ETH",
	"56": "BNB", "100": "xDAI", "137": "POL", "250": "FTM", "42220": "CELO", "43114": "AVAX",
}

// uriCoins are what the coins of other chains are called, by the scheme of their payment requests (BIP 21, Solana Pay
// and those like them).
var uriCoins = map[string]string{
	"bitcoin": "BTC", "litecoin": "LTC", "dogecoin": "DOGE", "bitcoincash": "BCH", "monero": "XMR", "tron": "TRX",
	"dash": "DASH", "zcash": "ZEC",
	"solana": "SOL", "ton": "TON", "xrpl": "XRP", "xrp": "XRP", "ripple": "XRP", "cardano": "ADA", "web+cardano": "ADA",
}

// slip44 are what coins are called, by how links of Trust Wallet name them: c and the number of SLIP-44.
var slip44 = map[string]string{
	"c0": "BTC", "c2": "LTC", "c3": "DOGE", "c60": "ETH", "c144": "XRP", "c195": "TRX", "c501": "SOL", "c607": "TON",
	"c966": "POL", "c1815": "ADA", "c9000": "AVAX", "c10009000": "AVAX", "c20000714": "BNB",
}

// lightningOrder matches an invoice of the Lightning network (BOLT 11), with the amount that it asks for in Bitcoin or
// parts of it, and a link that leads to one (LNURL).
var lightningOrder = later(`(?i)^(?:lightning:(?://)?)?` +
	`(?:lnbc(?:([0-9]{1,12})([munp]?))?1|lnurl1)[02-9ac-hj-np-z]{40,}$`)

// lightningUnits are the parts of a bitcoin in which an invoice asks for an amount: how many digits they are behind the
// point.
var lightningUnits = map[string]int{"": 0, "m": 3, "u": 6, "n": 9, "p": 12}

// lightning adds who would get the money by an invoice of the Lightning network, which nobody can look up, and reports
// false if a word is none.
func (r *partReader) lightning(word string) bool {
	m := lightningOrder().FindStringSubmatch(word)
	if m == nil {
		return false
	}
	r.asked = Asked{Coin: "BTC", Amount: Decimal(strings.TrimLeft(m[1], "0"), lightningUnits[strings.ToLower(m[2])])}
	r.add(Part{Problem: &Problem{Kind: LightningOrder, Text: word}, Text: word, Role: Recipient})
	return true
}

// evmRequest reads a payment request of ERC-681, also in a link that opens a wallet. The target of another text is "".
func evmRequest(text string) (target, chain, function string, values url.Values) {
	rest, ok := cutFold(text, "ethereum:")
	if !ok {
		host, path := hostAndPath(text)
		if rest, ok = strings.CutPrefix(path, "send/"); !ok || !opensWallets(host) {
			return "", "", "", nil
		}
	}
	m := request.FindStringSubmatch(rest)
	if m == nil {
		return "", "", "", nil
	}
	values, err := url.ParseQuery(m[4])
	if err != nil {
		return "", "", "", nil
	}
	return m[1], m[2], m[3], values
}

// hostAndPath are what a link has behind its scheme, which it may lack, before the first slash and behind it.
func hostAndPath(link string) (host, path string) {
	if _, rest, found := strings.Cut(link, "://"); found {
		link = rest
	}
	host, path, _ = strings.Cut(link, "/")
	return host, path
}

// CallsContract reports whether a text is a request to call a contract (ERC-681): its address is not that of who gets
// the money.
func CallsContract(text string) bool {
	_, _, function, _ := evmRequest(tocsin.Refang(strings.TrimSpace(text)))
	return function != ""
}

// Transfer is a payment request in a token on an EVM chain (ERC-681): it calls the contract of the token.
type Transfer struct {
	Payee, Token tocsin.Subject
	Chain        string // its CAIP-2 id
}

// ReadTransfer reads a payment request in a token, also in a link that opens a wallet; ok is false for another text.
// That the contract is a token, which alone makes it one, is not known here: [Cell] refuses such a request.
func ReadTransfer(text string) (t Transfer, ok bool) {
	if len(text) > maxQuestion {
		return t, false
	}
	target, chain, function, values := evmRequest(tocsin.Refang(strings.TrimSpace(text)))
	if function != "transfer" || len(values["address"]) != 1 {
		return t, false
	}
	token, unread := tocsin.ParseAddress(target)
	payee, wrong := tocsin.ParseAddress(values.Get("address"))
	if unread != nil || wrong != nil {
		return t, false
	}
	return Transfer{payee.Subject(), token.Subject(), "eip155:" + cmp.Or(chain, "1")}, true
}

// payment adds the parts of a payment request (ERC-681, or the URI of another chain with an amount or a token), and
// reports false if a word is none.
func (r *partReader) payment(word string) bool {
	target, chain, function, values := evmRequest(word)
	if target == "" {
		host, path := hostAndPath(word)
		return opensWallets(host) && r.send(path) || r.uri(word)
	}
	asked := Asked{Chain: "eip155:" + cmp.Or(chain, "1")}
	switch function {
	case "":
		asked.Amount, asked.Coin = Decimal(units(values.Get("value")), 18), evmCoins[chain]
		r.recipient(target, asked)
	case "transfer":
		asked.Units = units(values.Get("uint256"))
		r.recipient(values.Get("address"), asked)
		r.word(target, Token)
	case "approve", "increaseAllowance", "setApprovalForAll":
		asked.Units = units(values.Get("uint256"))
		asked.Unlimited = function == "setApprovalForAll" || unlimited(values.Get("uint256"))
		r.payee(values.Get("address"), Spender, asked)
		r.word(target, Token)
	default: // another function of a contract
		r.word(target, "")
		for _, address := range values["address"] {
			r.word(address, "")
		}
	}
	return true
}

// send adds the parts of a link of Trust Wallet to send: send?asset=c60_tTOKEN&address=…&amount=….
func (r *partReader) send(path string) bool {
	query, ok := strings.CutPrefix(path, "send?")
	values, err := url.ParseQuery(query)
	if !ok || err != nil || values.Get("address") == "" {
		return false
	}
	coin, token, ofToken := strings.Cut(values.Get("asset"), "_t")
	if number := values.Get("coin"); coin == "" && number != "" { // an older form of these links
		coin, token = "c"+number, values.Get("token_id")
		ofToken = token != ""
	}
	asked := Asked{Amount: values.Get("amount"), Coin: slip44[coin]}
	if ofToken {
		asked.Coin = ""
	}
	if !decimal.MatchString(asked.Amount) {
		asked.Amount = ""
	}
	r.recipient(values.Get("address"), asked)
	if ofToken {
		r.word(token, Token)
	}
	return true
}

// uri adds the parts of a payment request of a chain that is not of the EVM.
func (r *partReader) uri(word string) bool {
	scheme, rest, _ := strings.Cut(word, ":")
	scheme = strings.ToLower(scheme)
	coin := uriCoins[scheme]
	if link := unescaped(rest); coin == "SOL" && strings.HasPrefix(link, "https://") { // which makes the transaction
		r.link(link)
		return true
	}
	_, query, _ := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	if coin == "" || err != nil {
		return false
	}
	for key, value := range values { // a QR code has capitals alone, as they take less room in it
		if small := strings.ToLower(key); !values.Has(small) {
			values[small] = value
		}
	}
	token := cmp.Or(values.Get("spl-token"), values.Get("jetton"), values.Get("token"))
	amount := cmp.Or(values.Get("amount"), values.Get("tx_amount"))
	asked := Asked{Coin: coin}
	switch {
	case amount == "" && token == "":
		return false
	case !decimal.MatchString(amount):
	case coin == "TON" && token != "":
		asked.Units = units(amount)
	case coin == "TON":
		asked.Amount = Decimal(units(amount), 9)
	default:
		asked.Amount = amount
	}
	if token != "" {
		asked.Coin = ""
	}
	r.recipient(word, asked)
	if token != "" {
		r.word(scheme+":"+token, Token)
	}
	return true
}

// recipient adds who would get the money.
func (r *partReader) recipient(text string, asked Asked) { r.payee(text, Recipient, asked) }

// payee adds who would get the money, or could take it: a part in any case, with a problem if the text names nobody.
func (r *partReader) payee(text string, role Role, asked Asked) {
	typed, before := r.typed, len(r.parts)
	r.asked, r.typed = asked, text
	r.word(text, role)
	if len(r.parts) > before {
		r.parts[before].Role, r.parts[before].Asked = role, asked
	} else if !slices.ContainsFunc(r.parts, func(p Part) bool { return p.Role == role }) {
		r.add(Part{Problem: &Problem{Kind: NoPayee, Text: text}, Text: text, Role: role, Asked: asked})
	}
	r.typed = typed
}

// cutFold is [strings.CutPrefix] without regard to case.
func cutFold(text, prefix string) (rest string, found bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// decimal matches an amount of a coin in a payment request.
var decimal = regexp.MustCompile(`^[0-9]{1,60}(?:\.[0-9]{1,60})?$`)

// number681 matches a number of ERC-681, such as 2.014e18.
var number681 = regexp.MustCompile(`^([0-9]{0,60})(?:\.([0-9]{1,60}))?(?:[eE]([0-9]{1,2}))?$`)

// units returns a number of ERC-681 as a whole number, or "" if it is none.
func units(text string) string {
	m := number681.FindStringSubmatch(text)
	if m == nil || m[1]+m[2] == "" {
		return ""
	}
	exponent := 0
	for _, c := range m[3] {
		exponent = 10*exponent + int(c-'0')
	}
	if len(m[2]) > exponent {
		return ""
	}
	whole := strings.TrimLeft(m[1]+m[2]+strings.Repeat("0", exponent-len(m[2])), "0")
	if whole == "" {
		return "0"
	}
	return whole
}

// unlimited reports whether a number of the smallest units of a token is more than there is of any, a quadrillion with
// 18 decimals: what asks for it asks for all.
func unlimited(text string) bool {
	n, ok := new(big.Int).SetString(cmp.Or(units(text), text), 0)
	return ok && len(n.Text(10)) > 15+18+1
}

// Decimal writes a number of the smallest units of a token as an amount with a point, such as 12400.5. It returns ""
// for "", and for decimals below 0: they are unknown.
func Decimal(units string, decimals int) string {
	if units == "" || decimals < 0 {
		return ""
	}
	if missing := decimals + 1 - len(units); missing > 0 {
		units = strings.Repeat("0", missing) + units
	}
	whole, rest := units[:len(units)-decimals], strings.TrimRight(units[len(units)-decimals:], "0")
	if rest != "" {
		whole += "." + rest
	}
	return whole
}
