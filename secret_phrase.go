package tocsin

import (
	_ "embed" // for the word lists of BIP-39
	"strings"
	"sync"
	"unicode"
)

// The word lists of BIP-39 in the languages of most victims, one word a line, byte for byte
// https://github.com/bitcoin/bips/blob/master/bip-0039/english.txt, spanish.txt, french.txt and portuguese.txt there.
// A test compares their SHA-256.
var (
	//go:embed bip39-english.txt
	bip39English string
	//go:embed bip39-spanish.txt
	bip39Spanish string
	//go:embed bip39-french.txt
	bip39French string
	//go:embed bip39-portuguese.txt
	bip39Portuguese string
)

// seedWords are the words of the lists without accents, each with the lists that have it: a bit each.
var seedWords = sync.OnceValue(func() map[string]uint8 {
	words := make(map[string]uint8, 4*2048)
	for i, list := range []string{bip39English, bip39Spanish, bip39French, bip39Portuguese} {
		for word := range strings.FieldsSeq(list) {
			words[withoutAccents(word)] |= 1 << i
		}
	}
	return words
})

// The bounds of a phrase. In a row of so many words any phrase is one. Of distinct words one fewer is enough, and one
// word among them may be another one: a phrase of which a word was left out or mistyped is as dangerous, since the rest
// can be tried. Of 3.8 million words of documentation and lists of scams no eleven in a row are so.
const (
	seedRow      = 12
	minSeedWords = seedRow - 1
)

// seedWord is a word of a list, and where in the text it is.
type seedWord struct {
	word     string
	from, to int
}

// findPhrase looks for the words of a list in a row, from a byte on, whatever separates them: numbers, commas, line
// breaks. It does not check the checksum. Prose does not match: the lists have no articles and few short words.
func findPhrase(s string, at int) (from, to int, found bool) {
	words := seedWords()
	var before, row [4][]seedWord // of each list: the rows before the last other word, and behind it
	for start, end := nextWord(s, at); start < end; start, end = nextWord(s, end) {
		word := seedWord{withoutAccents(strings.ToLower(s[start:end])), start, end}
		lists := words[word.word]
		for i := range row {
			if lists>>i&1 == 0 {
				before[i], row[i] = row[i], before[i][:0]
				continue
			}
			row[i] = append(row[i], word)
			if len(row[i]) == seedRow || distinct(before[i], row[i]) {
				last, more := phraseEnd(s, end, 1<<i)
				prose := len(before[i]) < 3 && len(row[i])+more >= seedRow // what is before, as in "They are:"
				if len(before[i]) > 0 && !prose {
					return before[i][0].from, last, true
				}
				return row[i][0].from, last, true
			}
		}
	}
	return 0, 0, false
}

// phraseEnd returns where a phrase ends that goes on behind a byte, and with how many words: with those of its list,
// and with another one between two of them, which is mistyped.
func phraseEnd(s string, at int, list uint8) (end, more int) {
	words, others := seedWords(), 0
	end = at
	for from, to := nextWord(s, at); from < to && others < 2; from, to = nextWord(s, to) {
		if words[withoutAccents(strings.ToLower(s[from:to]))]&list != 0 {
			end, others = to, 0
			more++
		} else {
			others++
		}
	}
	return end, more
}

// nextWord returns where the next run of letters is, from a byte on; nothing at the end of the text.
func nextWord(s string, at int) (from, to int) {
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) }
	i := strings.IndexFunc(s[at:], isPart)
	if i < 0 {
		return len(s), len(s)
	}
	from = at + i
	if n := strings.IndexFunc(s[from:], func(r rune) bool { return !isPart(r) }); n >= 0 {
		return from, from + n
	}
	return from, len(s)
}

// distinct reports whether the last words of two rows are enough for a phrase, and each is there once.
func distinct(before, row []seedWord) bool {
	if len(before)+len(row) < minSeedWords {
		return false
	}
	seen := make(map[string]bool, minSeedWords)
	for _, one := range row[max(0, len(row)-minSeedWords):] {
		seen[one.word] = true
	}
	for _, one := range before[len(before)-max(0, minSeedWords-len(row)):] {
		seen[one.word] = true
	}
	return len(seen) == minSeedWords
}

var accents = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e",
	"í", "i", "î", "i", "ï", "i", "ñ", "n", "ó", "o", "ô", "o", "ú", "u", "û", "u", "ü", "u", "ù", "u")

// withoutAccents returns a word in lower case without the accents of the lists, which are marks of their own there, and
// letters with a mark where people type them.
func withoutAccents(word string) string {
	ascii := true
	for i := range len(word) {
		ascii = ascii && word[i] < 0x80
	}
	if ascii {
		return word
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, accents.Replace(word))
}
