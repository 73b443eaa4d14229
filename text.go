package tocsin

import (
	_ "embed" // for the BIP-39 word list
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"
)

// CleanText makes what a stranger wrote fit to be shown: valid UTF-8 in
// normalization form C, trimmed, without control characters (line feeds and tabs
// stay), without what is invisible or makes text read otherwise than it is
// (Unicode UTS #55), and without marks that pile up over what stands around. A
// text in which nothing can be seen is empty.
func CleanText(s string) string {
	s = unpile(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"))
	if !norm.NFC.IsNormalString(s) {
		s = unpile(norm.NFC.String(s)) // nothing that this drops lets others compose
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.In(r, unicode.M, unicode.Z, unicode.C) || unicode.Is(unicode.Co, r) }) {
		return ""
	}
	return strings.TrimSpace(s)
}

const (
	zwnj   = '\u200C'
	zwj    = '\u200D'
	keycap = '\u20E3'
	// maxMarks is how many marks may stand on one another.
	maxMarks = 5
)

var (
	hidden = rangetable.Merge(unicode.Cc, unicode.Cf, unicode.Noncharacter_Code_Point, unicode.Other_Default_Ignorable_Code_Point,
		rangetable.New('\u2800', '\U0001D159')) // a braille pattern without dots, a note without a head
	// arranging are controls that show: they stand under numbers, and arrange hieroglyphs.
	arranging = rangetable.Merge(unicode.Prepended_Concatenation_Mark, &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0x13430, Hi: 0x13455, Stride: 1}}})
	// joining are the scripts in which joiners and variation selectors change letters.
	joining = rangetable.Merge(unicode.Adlam, unicode.Arabic, unicode.Balinese, unicode.Bengali, unicode.Brahmi, unicode.Chakma, unicode.Devanagari, unicode.Grantha,
		unicode.Gujarati, unicode.Gurmukhi, unicode.Hanifi_Rohingya, unicode.Javanese, unicode.Kaithi, unicode.Kannada, unicode.Khmer, unicode.Malayalam, unicode.Mandaic,
		unicode.Manichaean, unicode.Meetei_Mayek, unicode.Modi, unicode.Mongolian, unicode.Myanmar, unicode.Newa, unicode.Nko, unicode.Oriya, unicode.Phags_Pa,
		unicode.Sharada, unicode.Siddham, unicode.Sinhala, unicode.Sundanese, unicode.Syriac, unicode.Takri, unicode.Tai_Tham, unicode.Tamil, unicode.Telugu,
		unicode.Tibetan, unicode.Tirhuta)
)

// unseen reports whether a character is a control character or shows nothing
// wherever it stands.
func unseen(r rune) bool {
	return r != '\n' && r != '\t' && r != zwnj && r != zwj && unicode.Is(hidden, r) && !unicode.Is(arranging, r)
}

// unpile drops what is never seen, joiners and variation selectors where they do
// nothing, and marks beyond those that any script piles up.
func unpile(s string) string {
	var base, last rune // the last character that is no mark, and the last of all
	marks := 0
	s = strings.Map(func(r rune) rune {
		if r >= ' ' && r <= '~' || !unseen(r) {
			return r
		}
		return -1
	}, s)
	at := 0
	return strings.Map(func(r rune) rune {
		at += utf8.RuneLen(r)
		joiner, selector := r == zwnj || r == zwj, unicode.Is(unicode.Variation_Selector, r)
		switch {
		case r < 0x300:
			base, marks = r, 0
		case (joiner || selector) && !serves(r, base, last, s[at:]):
			return -1
		case unicode.Is(unicode.M, r):
			if unicode.Is(unicode.Mc, r) && norm.NFC.PropertiesString(string(r)).CCC() == 0 {
				break // it stands beside the letter
			}
			if marks++; marks > maxMarks {
				return -1
			}
		case !joiner:
			base, marks = r, 0
		}
		last = r
		return r
	}, s)
}

// serves reports whether a joiner or a variation selector has something to do
// where it stands: behind base, or rather its marks, of which last is the last.
func serves(r, base, last rune, behind string) bool {
	next, _ := utf8.DecodeRuneInString(behind)
	switch {
	case r == zwnj || r == zwj:
		return last != zwnj && last != zwj && (unicode.Is(joining, base) || r == zwj && isEmoji(base) && isEmoji(next))
	case unicode.Is(unicode.Variation_Selector, last):
		return false
	}
	if r >= 0xE0100 {
		return unicode.Is(unicode.Han, base) // ideographic variation sequences (UTS #37); elsewhere 240 of them would hide a text
	}
	return unicode.In(base, joining, unicode.Han) || (unicode.Is(unicode.S, base) || strings.ContainsRune("‼⁉〰ℹ", base)) && strings.ContainsRune("\uFE00\uFE0E\uFE0F", r) ||
		next == keycap && last == base && strings.ContainsRune("0123456789#*", base)
}

// isEmoji reports whether a character may be part of an emoji that others join.
func isEmoji(r rune) bool {
	return unicode.Is(unicode.So, r) || r == '↔' || r >= 0x1F3FB && r <= 0x1F3FF // the arrow of a shaken head; colours of skin
}

// Shorten returns s if it has at most n characters, and otherwise its first n−1 and an ellipsis. Use [Clip] for what a
// caller sent.
func Shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Clip shortens what a caller sent, as [Shorten] does, for a message that repeats it. Messages are shown, logged and read
// by models, so of a text that may hold a secret it returns an ellipsis alone.
func Clip(s string, n int) string {
	if mayHoldSecret(s) {
		return "…"
	}
	return Shorten(s, n)
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
	const fix = "remove it; anyone who has it can take the money, so move what is left to a new wallet"
	if hasSeedPhrase(s) {
		return invalid("it seems to contain a seed phrase (BIP-39)", fix)
	}
	for from := 0; from < len(s); from++ {
		start := from
		for from < len(s) && (s[from] == '_' || s[from] < 0x80 && isWord(rune(s[from]))) {
			from++
		}
		word := s[start:from]
		switch {
		case len(word) < 51 || len(word) > 116: // as those that are looked for
		case otherKey.MatchString(word):
			return invalid("it seems to contain a private key", fix)
		case rawKey.MatchString(word):
			// A transaction has the same form: of an EVM chain with 0x, else by the words before it.
			before := strings.ToLower(s[max(0, start-60):start])
			if named := keyWords.MatchString(before); named || !strings.EqualFold(word[:2], "0x") && !txWords.MatchString(before) {
				return invalid("it seems to contain a private key", fix+"; if it is a transaction hash, write so before it, or send it in evidence.transactionHashes")
			}
		}
	}
	return nil
}

// mayHoldSecret reports whether [FindSecret] finds a secret in a text, whatever
// stands between its words, or something in it has the form of a private key. Some
// of what has it is none, such as the hash of a transaction.
func mayHoldSecret(s string) bool {
	if len(s) < 12*3+11 {
		return false // a phrase has twelve words of three letters at least, and a key is longer
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return !isWord(r) })
	return FindSecret(strings.Join(words, " ")) != nil || slices.ContainsFunc(words, func(w string) bool { return len(w) >= 64 && rawKey.MatchString(w) })
}

var (
	rawKey   = regexp.MustCompile(`^(?:(?:0[xX])?[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{87,88})$`) // the second: Solana, in base58
	keyWords = regexp.MustCompile(`(?:private|secret|priv)[ _-]?key|seed|mnemonic`)
	txWords  = regexp.MustCompile(`tx|transaction|hash|sha-?256|block|signature|solscan|explorer`)
	// Extended private keys (BIP-32), Bitcoin keys in WIF.
	otherKey = regexp.MustCompile(`^(?:[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51})$`)
)

// bip39English is the English word list of BIP-39, one word a line, byte for byte
// https://github.com/bitcoin/bips/blob/master/bip-0039/english.txt. A test compares
// its SHA-256.
//
//go:embed bip39-english.txt
var bip39English string

// seedWords is the set of words in [bip39English]. Nearly all wallets use the
// English list.
var seedWords = sync.OnceValue(func() map[string]bool {
	list := strings.Fields(bip39English)
	words := make(map[string]bool, len(list))
	for _, w := range list {
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
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
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
