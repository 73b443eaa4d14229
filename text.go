package tocsin

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tyler-smith/go-bip39/wordlists"
	"golang.org/x/text/unicode/norm"
)

// CleanText makes what a stranger wrote fit to be shown: valid UTF-8 in
// normalization form C, without control characters (line feeds and tabs stay)
// and without the invisible and bidirectional marks that make text read
// otherwise than it is (Unicode UTS #55), trimmed.
func CleanText(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Noncharacter_Code_Point, r):
			return -1
		case r == '\u00AD', r == '\u200B', r == '\u2060', r == '\uFEFF', r >= 0xE0000 && r <= 0xE007F:
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(norm.NFC.String(s))
}

// parseText cleans a text and holds it against its limit, in characters.
func parseText(s string, limit int) (string, *Error) {
	s = CleanText(s)
	if n := utf8.RuneCountInString(s); n > limit {
		return "", invalid(fmt.Sprintf("it has %d characters, %d are allowed", n, limit), "shorten it")
	}
	return s, FindSecret(s)
}

// FindSecret finds what gives its owner's money away: a BIP-39 seed phrase or a
// private key. Victims paste them; a report is public. The error does not repeat
// it; nil means that none was found.
func FindSecret(s string) *Error {
	const fix = "take it out; whoever has it has the money: move what is left to a new wallet"
	if hasSeedPhrase(s) {
		return invalid("it seems to contain a seed phrase (BIP-39)", fix)
	}
	for _, m := range rawKey.FindAllStringIndex(s, -1) {
		// A transaction has the same form: of an EVM chain with 0x, else by the words before it.
		before := strings.ToLower(s[max(0, m[0]-60):m[0]])
		if named := keyWords.MatchString(before); named || s[m[0]:m[0]+2] != "0x" && !txWords.MatchString(before) {
			return invalid("it seems to contain a private key", fix+"; if it is a transaction, write so before it, or send it in evidence.transactionHashes")
		}
	}
	if otherKey.MatchString(s) {
		return invalid("it seems to contain a private key", fix)
	}
	return nil
}

var (
	rawKey   = regexp.MustCompile(`\b(?:0x)?[0-9a-fA-F]{64}\b|\b[1-9A-HJ-NP-Za-km-z]{87,88}\b`) // the second: Solana, in base58
	keyWords = regexp.MustCompile(`(?:private|secret|priv)[ _-]?key|seed|mnemonic`)
	txWords  = regexp.MustCompile(`tx|transaction|hash|sha-?256|block|signature|solscan|explorer`)
	// Extended private keys (BIP-32), Bitcoin keys in WIF.
	otherKey = regexp.MustCompile(`\b[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}\b|\b[5KL][1-9A-HJ-NP-Za-km-z]{50,51}\b`)
)

// seedWords is the English word list of BIP-39, the one that nearly all wallets use.
var seedWords = sync.OnceValue(func() map[string]bool {
	words := make(map[string]bool, len(wordlists.English))
	for _, w := range wordlists.English {
		words[w] = true
	}
	return words
})

// hasSeedPhrase looks for twelve words of the list in a row, whatever stands
// between them: numbers, commas, line breaks. The checksum is not consulted,
// since a phrase with one word mistyped is nearly as dangerous; prose does not
// get there, because the list has no articles and few short words.
func hasSeedPhrase(s string) bool {
	words, run := seedWords(), 0
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if words[strings.ToLower(w)] {
			if run++; run == 12 {
				return true
			}
		} else {
			run = 0
		}
	}
	return false
}
