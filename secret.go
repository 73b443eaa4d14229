package tocsin

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FindSecret looks for what gives access to somebody's money: a BIP-39 seed phrase or a private key. Victims paste
// them, and reports are public. It returns nil if it finds none. The error does not repeat the secret.
func FindSecret(s string) *Error {
	const fix = "remove it; anyone who has it can take the money, so move what is left to a new wallet"
	if hasSeedPhrase(s) {
		return invalid("it seems to contain a seed phrase (BIP-39)", fix).by(HoldsSecret)
	}
	for from := 0; from < len(s); from++ {
		start := from
		for from < len(s) && (s[from] == '_' || s[from] < 0x80 && isWord(rune(s[from]))) {
			from++
		}
		word := s[start:from]
		switch {
		case len(word) < 51 || len(word) > 116: // no key has this length
		case otherKey.MatchString(word):
			return invalid("it seems to contain a private key", fix).by(HoldsSecret)
		case rawKey.MatchString(word):
			// A transaction hash has the same form. It is one if it has 0x, as on EVM chains, or by the words before it.
			before := strings.ToLower(s[max(0, start-60):start])
			isHash := strings.EqualFold(word[:2], "0x") || txWords.MatchString(before)
			if keyWords.MatchString(before) || !isHash {
				return invalid("it seems to contain a private key", fix+"; if it is a transaction hash, write so before it, "+
					"or send it in evidence.transactionHashes").by(HoldsSecret)
			}
		}
	}
	return nil
}

// mayHoldSecret reports whether [FindSecret] finds a secret in a text, whatever separates its words, or a word of
// it has the form of a private key. Some such words are harmless, such as transaction hashes.
func mayHoldSecret(s string) bool {
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
	// Private keys of EVM chains in hexadecimal, and of Solana in base58.
	rawKey   = regexp.MustCompile(`^(?:(?:0[xX])?[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{87,88})$`)
	keyWords = regexp.MustCompile(`(?:private|secret|priv)[ _-]?key|seed|mnemonic`)
	txWords  = regexp.MustCompile(`tx|transaction|hash|sha-?256|block|signature|solscan|explorer`)
	// Extended private keys (BIP-32), and Bitcoin keys in WIF.
	otherKey = regexp.MustCompile(`^(?:[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51})$`)
)

// LogPath returns what a log may keep of a request's path, which its caller wrote: the path, or a note in its place
// if it may hold a secret. No path of Tocsin has the form of one.
func LogPath(path string) string {
	if mayHoldSecret(path) {
		return "(left out: it seems to contain a secret)"
	}
	return path
}
