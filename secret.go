package tocsin

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FindSecret looks for what gives access to somebody's money, a BIP-39 seed phrase or a private key, and for the keys
// and manage tokens of this service. Victims paste them, and reports are public. It returns nil if it finds none. The
// error does not repeat the secret.
func FindSecret(s string) *Error {
	const fix = "remove it; anyone who has it can take the money, so move what is left to a new wallet"
	if _, _, found := findPhrase(s, 0); found {
		return invalid("it seems to contain a seed phrase (BIP-39)", fix).by(HoldsSecret)
	}
	switch from, to, found := findKey(s, 0); {
	case found && isToken(s[from:to]):
		return invalid("it seems to contain an API key, or the manage token of a report",
			"remove it; anyone who has it can use it, so replace a key that others have seen").by(HoldsSecret)
	case found && rawKey.MatchString(s[from:to]):
		return invalid("it seems to contain a private key", fix+"; if it is a transaction hash, write so before it, "+
			"or send it in evidence.transactionHashes").by(HoldsSecret)
	case found:
		return invalid("it seems to contain a private key", fix).by(HoldsSecret)
	}
	if _, _, found := findBytes(s, 0); found {
		return invalid("it seems to contain a private key", fix).by(HoldsSecret)
	}
	return nil
}

// holdsToken reports whether a text holds an API key or a manage token of this service.
func holdsToken(s string) bool {
	return strings.Contains(s, "_") && slices.ContainsFunc(tokenForm.FindAllString(s, -1), isToken)
}

// OnlyTokens reports whether a text holds an API key or a manage token of this service, and no other secret: what helps
// is something else then.
func OnlyTokens(s string) bool {
	rest := tokenForm.ReplaceAllStringFunc(s, func(word string) string {
		if isToken(word) {
			return ""
		}
		return word
	})
	return rest != s && FindSecret(s) != nil && FindSecret(rest) == nil
}

// isToken reports whether a word is an API key or a manage token. A mistyped one opens nothing.
func isToken(word string) bool {
	_, is := ParseKey(strings.Replace(word, tokenPrefix, keyPrefix, 1))
	return is
}

// findBytes returns where in a text a private key of Solana is, from a byte on, as its command line writes one: the
// numbers of 64 bytes, with commas between them.
func findBytes(s string, at int) (from, to int, found bool) {
	const bytes = 64
	if strings.Count(s[at:], ",") < bytes-1 {
		return 0, 0, false
	}
	past := func(is string) {
		for to < len(s) && strings.IndexByte(is, s[to]) >= 0 {
			to++
		}
	}
	for n := 0; at < len(s); at = to {
		to = at
		past("0123456789")
		if _, err := strconv.ParseUint(s[at:to], 10, 8); err != nil {
			n, to = 0, max(to, at+1)
			continue
		}
		if n++; n == 1 {
			from = at
		}
		if n == bytes {
			return from, to, true
		}
		past(" \t\r\n")
		if to == len(s) || s[to] != ',' {
			n = 0
			continue
		}
		past(", \t\r\n")
	}
	return 0, 0, false
}

// findKey returns where in a text a private key is, from a byte on.
func findKey(s string, at int) (from, to int, found bool) {
	for to = at; to < len(s); to++ {
		from = to
		for to < len(s) && (s[to] == '_' || s[to] < 0x80 && isWord(rune(s[to]))) {
			to++
		}
		word := s[from:to]
		switch {
		case len(word) == len(keyPrefix)+keyText+sumText && isToken(word):
			return from, to, true
		case len(word) < 51 || len(word) > 116: // no key has this length
		case otherKey.MatchString(word):
			return from, to, true
		case rawKey.MatchString(word):
			if !isHash(word, strings.ToLower(s[max(0, from-60):from])) {
				return from, to, true
			}
		}
	}
	return 0, 0, false
}

// isHash reports whether a word in the form of a private key is a transaction hash, which has the same form, by the
// words before it, the nearest of which counts: "I sent him my key", "the key point is that I paid". Without any, it is
// one if it has 0x, as on EVM chains. "Private key" before it always counts.
func isHash(word, before string) bool {
	lastOf := func(words *regexp.Regexp) int {
		end := -1
		for _, at := range words.FindAllStringIndex(before, -1) {
			end = at[1]
		}
		return end
	}
	key, tx := lastOf(keyWords), lastOf(txWords)
	switch {
	case privateKeyWords.MatchString(before):
		return false
	case key < 0 && tx < 0:
		return strings.EqualFold(word[:2], "0x")
	}
	return tx > key
}

// WithoutSecrets returns a text with a mark in the place of each recovery phrase, private key, and token of this
// service that [FindSecret] finds in it, and whether there was any. If one can still be found, nothing is left of it.
func WithoutSecrets(s, phrase, key, token string) (rest string, found bool) {
	for _, one := range []struct {
		find func(s string, at int) (from, to int, found bool)
		mark string
	}{{findPhrase, phrase}, {findKey, key}, {findBytes, key}} {
		var left strings.Builder
		at := 0
		for from, to, is := one.find(s, at); is; from, to, is = one.find(s, at) {
			mark := one.mark
			if isToken(s[from:to]) {
				mark = token
			}
			left.WriteString(s[at:from] + mark)
			at, found = to, true
		}
		s = left.String() + s[at:]
	}
	if found && FindSecret(s) != nil {
		return "", true
	}
	return s, found
}

// mayHoldSecret reports whether [FindSecret] finds a secret in a text, whatever separates its words, or a word of it
// has the form of a private key. Some such words are harmless, such as transaction hashes.
func mayHoldSecret(s string) bool {
	if _, _, found := findBytes(s, 0); found || holdsToken(s) {
		return true
	}
	if letters, longest := countRuns(s); letters < minSeedWords && longest < 51 {
		return false // most texts have neither eleven words nor one as long as a key
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return !isWord(r) })
	hasKeyForm := func(word string) bool { return len(word) >= 64 && rawKey.MatchString(word) }
	return FindSecret(strings.Join(words, " ")) != nil || slices.ContainsFunc(words, hasKeyForm)
}

// countRuns returns how many runs of letters a text has, and the bytes of its longest run of letters and numbers.
func countRuns(s string) (letters, longest int) {
	inLetters, start := false, -1
	for i, r := range s {
		isLetter := unicode.IsLetter(r)
		if isLetter && !inLetters {
			letters++
		}
		inLetters = isLetter
		switch {
		case !isWord(r):
			start = -1
		case start < 0:
			start = i
			fallthrough
		default:
			longest = max(longest, i+utf8.RuneLen(r)-start)
		}
	}
	return letters, longest
}

var (
	tokenForm = regexp.MustCompile(`(?:toc|man)_[a-z2-7]{38}`)
	// Private keys of EVM chains in hexadecimal, and of Solana in base58.
	rawKey = regexp.MustCompile(`^(?:(?:0[xX])?[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{87,88})$`)
	// What people call one, in the languages of the site.
	privateKeyWords = regexp.MustCompile(`(?:private|secret|priv)[ _-]?key|seed|mnemonic|` +
		`(?:clave|chave|cl(?:é|e|ef))s? (?:priv|secr)|(?:priv|geheim)\pL*[ -]?schl.{1,2}ssel|[私密秘][钥鑰匙]`)
	keyWords = regexp.MustCompile(`(?:\b|_)keys?\b|clave|chave|\bcl(?:é|e|ef)s?(?:[^\pL]|$)|schl.{1,2}ssel`)
	txWords  = regexp.MustCompile(`tx|transac|hash|sha-?256|block|signature|solscan|explorer|` +
		// What people say of money that they sent: on Tron and Bitcoin the hash of a transaction has no 0x.
		`\bsent\b|transfer|receipt|payment|\bpaid\b|usdt|` + // English
		`enviad|envi[eé]|comprobante|recibo|\bpagu?[eéo]|enviei|comprovante|` + // Spanish, Portuguese
		`envoy[eé]|virement|reçu|gesendet|überw[ie]|zahlung|beleg|` + // French, German
		`转账|转帐|付款|交易|哈希`)
	// Extended private keys (BIP-32), Bitcoin keys in WIF and behind a password (BIP-38), secret seeds of Stellar
	// (SEP-23), and keys of Nostr (NIP-19) and Sui (SIP-15).
	otherKey = regexp.MustCompile(`^(?:[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51}|` +
		`6P[1-9A-HJ-NP-Za-km-z]{56}|S[A-Z2-7]{55}|nsec1[02-9ac-hj-np-z]{58}|suiprivkey1[02-9ac-hj-np-z]{50,70})$`)
)

// LogPath returns what a log may keep of a request's path, which its caller wrote: the path, or a note in its place
// if it may hold a secret. No path of Tocsin has the form of one.
func LogPath(path string) string {
	if mayHoldSecret(path) {
		return "(left out: it seems to contain a secret)"
	}
	return path
}
