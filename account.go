package tocsin

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// otherChains are the chains that are not of the EVM. The main network alone is meant: money on a test network is
// worth nothing.
var otherChains = completed([]rules{{
	kind: Bitcoin, name: "Bitcoin", chain: "bip122:000000000019d6689c085ae165831e93", prefixes: []string{"bitcoin", "btc"},
	matches: shaped(`[13][0-9A-Za-z]{24,35}|(?i:bc1)[0-9A-Za-z]{6,87}|` + bitcoinGold), read: readBitcoin,
}, {
	kind: Zcash, name: "Zcash", chain: "bip122:00040fe8ec8471911baa1db1266ea15d", prefixes: []string{"zcash"},
	matches: shaped(`t[13][0-9A-Za-z]{32,34}`), read: readZcash,
}, {
	kind: Tron, name: "Tron", chain: "tron:728126428", prefixes: []string{"tron:0x2b6653dc", "tron", "trx"},
	matches: shaped(`[Tt][0-9A-Za-z]{32,34}|41[0-9a-fA-F]{40}`), read: readTron,
}, {
	kind: TON, name: "TON", chain: "tvm:-239", prefixes: []string{"ton"},
	matches: shaped(`[EUk0][Qf][-_+/0-9A-Za-z]{44,47}|(0|-1):[0-9a-fA-F]{64}`), read: readTON, show: showTON,
}, {
	kind: XRP, name: "XRP Ledger", chain: "xrpl:0", prefixes: []string{"xrpl", "ripple", "xrp"},
	matches: shaped(`r[0-9A-Za-z]{24,34}(-[0-9]{1,10})?|X[0-9A-Za-z]{45,46}`), read: readXRP,
}, {
	kind: Monero, name: "Monero", chain: "monero:418015bb9ae982a1975da7d79277c270", prefixes: []string{"monero", "xmr"},
	matches: shaped(`[48][0-9A-Za-z]{92,106}`), read: readMonero,
}, {
	kind: Cardano, name: "Cardano", chain: "cip34:1-764824073", prefixes: []string{"cardano", "web+cardano", "ada"},
	matches: shaped(`(?i:(addr|stake)1[0-9a-z]{20,110})|(Ae2|Ddz)[0-9A-Za-z]{50,110}`), read: readCardano,
}, {
	kind: Litecoin, name: "Litecoin", chain: "bip122:12a765e31ffd4059bada1e25190f6e98",
	prefixes: []string{"litecoin", "ltc"},
	matches:  shaped(`[LM][0-9A-Za-z]{24,35}|(?i:ltc1)[0-9A-Za-z]{6,87}`),
	read:     readLitecoin,
}, {
	kind: Dogecoin, name: "Dogecoin", chain: "bip122:1a91e3dace36e2be3bf030a65679fe82",
	prefixes: []string{"dogecoin", "doge"},
	matches:  shaped(`[DA9][0-9A-Za-z]{24,35}`), read: base58Check("Dogecoin", 0x1e, 0x16),
}, {
	kind: BitcoinCash, name: "Bitcoin Cash", chain: "bip122:000000000000000000651ef99cb9fcbe",
	prefixes: []string{"bitcoincash", "bch"}, matches: shaped(`[qpQP][0-9A-Za-z]{40,42}`), read: readBitcoinCash,
}, {
	kind: Dash, name: "Dash", chain: "bip122:00000ffd590b1485b3caadc19b22e637", prefixes: []string{"dash"},
	matches: shaped(`[Xx7][0-9A-Za-z]{32,34}`), read: base58Check("Dash", 0x4c, 0x10),
}, {
	kind: BNBBeacon, name: "BNB Beacon Chain", chain: "cosmos:Binance-Chain-Tigris", prefixes: []string{"bnb"},
	matches: shaped(`(?i:bnb1)[0-9A-Za-z]{36,40}`), read: readBNBBeacon,
}, {
	kind: Solana, name: "Solana", chain: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", prefixes: []string{"solana", "sol"},
	matches: isSolana, read: readSolana, unchecked: true,
}})

// completed sets what is the same for all of them.
func completed(chains []rules) []rules {
	for i := range chains {
		r := &chains[i]
		r.namespace, _, _ = strings.Cut(r.chain, ":")
		r.owner = itself
		if r.show == nil {
			r.show = itself
		}
	}
	return chains
}

// shaped returns whether a whole text has a form.
func shaped(form string) func(string) bool {
	return regexp.MustCompile(`^(?:` + form + `)$`).MatchString
}

// evmAccount is an account on one EVM chain (CAIP-10), or the URI of one (EIP-681), or an address behind the short name
// of its chain (EIP-3770), of which the well-known ones are read. It is one subject on all chains.
var evmAccount = regexp.MustCompile(`^(?i:eip155:[0-9]{1,32}|ethereum):(?:pay-)?(0[xX][^@/?]*)|` +
	`^(?i:eth|arb1|avax|base|blastmainnet|bnb|celo|cro|ftm|gno|linea|mantle|matic|oeth|opbnb|pol|scr|sonic|zkevm|` +
	`zksync):(0[xX][0-9A-Za-z]*)$`)

// paymentCall is a URI that asks for a call of a contract, such as a payment in a token: "/transfer?address=…"
// (EIP-681). The address before it is the token's.
var paymentCall = regexp.MustCompile(`^(?i:ethereum):(?:pay-)?(0[xX][0-9A-Fa-f]+)(?:@[^/?]*)?/([^?]+)`)

// notThePayee refuses a URI whose address is not that of who gets the money, and names the right one.
func notThePayee(text string) *Error {
	m := paymentCall.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	_, query, _ := strings.Cut(text, "?")
	values, _ := url.ParseQuery(query) // what can be read of it
	// The first address of another function may be that of who pays, or of who may spend.
	payee, err := ParseAddress(values.Get("address"))
	switch {
	case m[2] != "transfer":
	case err != nil && err.Fields[0].Cause == WrongCase:
		return err
	case err == nil:
		return invalidf("send "+payee.String()+", and the contract by itself",
			"this payment request calls the contract %s, which would pay %s", m[1], payee)
	}
	return invalidf("send the address that gets the money",
		"this payment request calls the contract %s, and does not say who gets the money", m[1])
}

// prefixed returns the entry of the table whose chain or URI scheme begins a text, and the address behind it, or nil
// and the text.
func prefixed(table []rules, text string) (*rules, string) {
	if !strings.Contains(text, ":") {
		return nil, text
	}
	if m := evmAccount.FindStringSubmatch(text); m != nil { // first, since bnb is the prefix of two chains
		if table[0].kind == EVM {
			return &table[0], m[1] + m[2]
		}
		return nil, text
	}
	for i := range table {
		r := &table[i]
		if rest, ok := strings.CutPrefix(text, r.chain+":"); ok && r.chain != "" {
			if plain, err := url.PathUnescape(rest); err == nil { // CAIP-10 allows few characters in an address
				rest = plain
			}
			return r, rest
		}
		for _, prefix := range r.prefixes {
			if n := len(prefix); len(text) > n && text[n] == ':' && strings.EqualFold(text[:n], prefix) {
				rest := strings.TrimPrefix(strings.TrimLeft(text[n+1:], "/"), "transfer/") // the latter in URIs of TON
				rest, _, _ = strings.Cut(rest, "?")
				return r, rest
			}
		}
	}
	return nil, text
}

// otherChainOf returns the name of the chain, not of the EVM, that a text is a valid account of, or "".
func otherChainOf(text string) string {
	if s, err := parseAs(otherChains, text); err == nil {
		i := slices.IndexFunc(otherChains, func(r rules) bool { return r.kind == s.Kind })
		return otherChains[i].name
	}
	return ""
}

// ChainMeant returns the name of the chain whose addresses have the form of a text, valid or not; "" if there is none,
// and for EVM chains. For a mistyped address its beginning and its length decide.
func ChainMeant(text string) string {
	text = strings.TrimSpace(text)
	if r, _ := prefixed(otherChains, text); r != nil {
		return r.name
	}
	if i := slices.IndexFunc(otherChains, func(r rules) bool { return r.matches(text) }); i >= 0 {
		return otherChains[i].name
	}
	return ""
}

// ParseAccount parses an account of any chain: as a wallet shows it, as CAIP-10 text, or as a URI (bitcoin:…). An
// address of Solana has no checksum and could be any text, so it needs such a prefix. Accounts of test networks are
// refused. The destination tag of an account on the XRP Ledger is dropped: it is of use to the recipient alone.
func ParseAccount(text string) (Subject, *Error) {
	s, err := ParseSubject(text)
	if err != nil {
		if err.Fields[0].Fix == domainFix { // which is refused here, too
			err.Fields[0].Fix = "send an address as a wallet shows it, or behind its chain, such as bitcoin:…"
		}
		return Subject{}, err
	}
	if !s.IsAddress() {
		return Subject{}, invalid(fmt.Sprintf("%q is a domain, not an account", Clip(s.Value, 80)), "send it as a domain")
	}
	return s, nil
}

// BareSolana returns the Solana account that a text without a prefix may be. [ParseSubject] refuses such a text: an
// address of Solana has no checksum, so it may be something else.
func BareSolana(text string) (Subject, bool) {
	if text = strings.TrimSpace(text); strings.Contains(text, ":") {
		return Subject{}, false
	}
	subject, fault := ParseSubject("solana:" + text)
	if _, plain := ParseSubject(text); fault != nil || plain == nil {
		return Subject{}, false
	}
	return subject, true
}
