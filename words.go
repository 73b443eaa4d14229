package tocsin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Word is a word of a text as a search compares it.
type Word struct {
	Text     string // without capitals and diacritics
	From, To int    // where it is in the original, in bytes
}

// Words splits a text into words: letters, numbers and the marks on them, and
// characters of private use. It is what a search means by a word: the full-text
// index stores these words, a query is split into them, and they are what the
// website highlights. Words of the words, joined by spaces, are the same again.
func Words(text string) []Word {
	var words []Word
	from := -1
	add := func(to int) {
		if folded := foldWord(text[from:to]); folded != "" { // marks alone are no word
			words = append(words, Word{folded, from, to})
		}
		from = -1
	}
	for i, r := range text {
		switch word := partOfWord(r); {
		case word && from < 0:
			from = i
		case !word && from >= 0:
			add(i)
		}
	}
	if from >= 0 {
		add(len(text))
	}
	return words
}

func partOfWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co)
}

// foldWord drops what a search does not distinguish.
func foldWord(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(word)
	}
	fold := func(r rune) rune {
		// Marks are diacritics where a letter can do without them: those of the scripts
		// that share them, such as Latin, Greek, Cyrillic and Arabic, and Hebrew points.
		if unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Hebrew) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r)) // of s, ſ and S, or σ, ς and Σ, the same one
	}
	// A second time, since the small letter of a capital may have a mark of its own.
	for range 2 {
		word = norm.NFC.String(strings.Map(fold, norm.NFD.String(word)))
	}
	return word
}
