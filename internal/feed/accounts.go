package feed

import (
	"cmp"
	"io"
	"strings"

	"tocsin"
)

// schemes are the URI schemes of the chains of the currencies that lists name by a code. An empty one means that the
// form of an address tells the chain: the currency is on several, or the list does not know it. A code that is not
// here is of a chain that Tocsin does not know. Some of these have addresses of the same form as another chain's.
var schemes = map[string]string{
	"ADA": "cardano", "BCH": "bitcoincash", "BNB": "bnb", "BTC": "bitcoin", "DASH": "dash",
	"DOGE": "dogecoin", "LTC": "litecoin", "SOL": "solana", "TON": "ton", "TRX": "tron", "XBT": "bitcoin",
	"XMR": "monero", "XRP": "xrpl", "ZEC": "zcash",
	"": "", "ARB": "", "BSC": "", "ETC": "", "ETH": "", "UNKNOWN": "", "USDC": "", "USDT": "",
}

// sameKeys are the schemes of the chains on which the key of an address of another currency owns an account, too. A
// sanction that names the one is against the owner of the other.
var sameKeys = map[string]string{"BSV": "bitcoin", "BTG": "bitcoin", "XVG": "dogecoin"}

// otherChains are names of chains that Tocsin does not know, by the codes of their currencies.
var otherChains = map[string]string{"BSV": "Bitcoin SV", "BTG": "Bitcoin Gold", "XVG": "Verge"}

// Currency is the name of a currency of another chain than the account's, by its code: see
// [tocsin.SanctionHit.Currency].
func Currency(code string) string { return cmp.Or(otherChains[code], code) }

// otherChainNamed is the reason for refusing an account of such a chain.
func otherChainNamed(code string) string {
	if name := otherChains[code]; name != "" {
		return otherChain + " (" + name + ")"
	}
	return otherChain
}

// accountKinds are the kinds of account that a list can name which writes the currency, or the chain, of each.
func accountKinds() []tocsin.Kind {
	return []tocsin.Kind{tocsin.EVM, tocsin.Bitcoin, tocsin.Tron, tocsin.TON, tocsin.XRP, tocsin.Monero, tocsin.Cardano,
		tocsin.Litecoin, tocsin.Dogecoin, tocsin.BitcoinCash, tocsin.Dash, tocsin.Zcash, tocsin.BNBBeacon,
		tocsin.Solana}
}

// parseAccount parses an account of any chain, filed under a currency, or refuses the row.
func (r *reader) parseAccount(code, text string) (tocsin.Subject, bool) {
	if text = strings.TrimSpace(text); isHex(text) {
		return r.parseAddress(text)
	}
	if len(text) == 64 && strings.Trim(text, "0123456789abcdefABCDEF") == "" {
		r.refuse(text, notAccount, "64 hexadecimal digits, such as a payment id of Monero")
		return tocsin.Subject{}, false
	}
	if _, known := schemes[code]; !known {
		r.refuse(text, otherChainNamed(code), code)
		return tocsin.Subject{}, false
	}
	s, err := readAccount(code, text)
	switch {
	case err == nil:
		return s, true
	case schemes[code] == "" && tocsin.ChainMeant(cut(text)) == "":
		r.refuse(text, notAccount, "addresses of no chain have its form")
	default:
		r.refuse(text, notAccount, err.Error())
	}
	return tocsin.Subject{}, false
}

// isHex reports whether a text is written as an EVM address is. Lists write such under any code, as the same account
// is on all EVM chains.
func isHex(text string) bool { return strings.HasPrefix(strings.ToLower(text), "0x") }

// readAccount reads an address as one of the chain of a currency, and otherwise by its form: lists file some addresses
// under another currency by mistake.
func readAccount(code, text string) (tocsin.Subject, *tocsin.Error) {
	text = cut(text)
	if schemes[code] == "" {
		return tocsin.ParseAccount(text)
	}
	s, err := tocsin.ParseAccount(schemes[code] + ":" + text)
	if err != nil {
		if other, fault := tocsin.ParseAccount(text); fault == nil {
			return other, nil
		}
	}
	return s, err
}

// respell returns an address with its capital letters. Lists that write all letters small lose what base58 means. They
// are found again in spellings that other files have. Without one, an address stays as it is if its case means
// nothing; otherwise it is refused.
func (r *reader) respell(code, text string) (string, bool) {
	lower := strings.ToLower(text)
	if exact, ok := r.spellings[lower]; ok {
		return exact, true
	}
	_, known := schemes[code]
	if !known || text != lower || isHex(text) || strings.Contains(text, "0") { // which is no digit of base58
		return text, true
	}
	small, err := readAccount(code, lower)
	large, fault := readAccount(code, strings.ToUpper(text))
	if err == nil && fault == nil && small == large {
		return text, true
	}
	r.refuse(text, lostCase, code)
	return "", false
}

// spell remembers how an address is written. A prefix, as in the starter set, is not a part of that.
func (r *reader) spell(text string) {
	if r.spellings == nil {
		r.spellings = map[string]string{}
	}
	text = text[strings.LastIndexByte(text, ':')+1:]
	r.spellings[strings.ToLower(text)] = text
}

// spellLines remembers how the addresses of a file are written, one per line.
func spellLines(r *reader, body io.Reader) error {
	return r.readLines(body, func(_ int, line []byte) { r.spell(strings.TrimSpace(string(line))) })
}

// spellStarter does so for those of the starter set.
func (r *reader) spellStarter() error {
	file, err := Starter().Open("sanctions.csv")
	if err != nil {
		return err
	}
	defer file.Close()
	return r.readCSV(file, []string{"address"}, func(field func(string) string) { r.spell(field("address")) })
}
