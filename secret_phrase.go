package tocsin

import (
	_ "embed" // for the word lists of BIP-39
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The word lists of BIP-39, one word a line, byte for byte
// https://github.com/bitcoin/bips/blob/master/bip-0039/english.txt, and those of the other languages there. A test
// compares their SHA-256. The Chinese and the Japanese ones are not needed: see [listsOf].
var (
	//go:embed bip39-english.txt
	bip39English string
	//go:embed bip39-spanish.txt
	bip39Spanish string
	//go:embed bip39-french.txt
	bip39French string
	//go:embed bip39-portuguese.txt
	bip39Portuguese string
	//go:embed bip39-italian.txt
	bip39Italian string
	//go:embed bip39-czech.txt
	bip39Czech string
	//go:embed bip39-korean.txt
	bip39Korean string
)

// seedLists is a set of lists: a bit each, those of seedWords first.
type seedLists uint16

const (
	allLists           = 9
	chinese  seedLists = 1 << 7
	japanese seedLists = 1 << 8
)

// seedWords are the words of the lists without accents, each with the lists that have it.
var seedWords = sync.OnceValue(func() map[string]seedLists {
	words := make(map[string]seedLists, 7*2048)
	for i, list := range []string{bip39English, bip39Spanish, bip39French, bip39Portuguese, bip39Italian, bip39Czech,
		bip39Korean} {
		for word := range strings.FieldsSeq(list) {
			words[withoutAccents(word)] |= 1 << i
		}
	}
	return words
})

// listsOf returns the lists that may have a word, in lower case and without accents. A word of a Chinese list is one
// character, and one of the Japanese list up to seven of hiragana. Prose has no spaces between them, so that any such
// words are taken for those of a list.
func listsOf(word string) seedLists {
	if lists := seedWords()[word]; lists != 0 {
		return lists
	}
	first, size := utf8.DecodeRuneInString(word)
	notHiragana := func(r rune) bool { return !unicode.Is(unicode.Hiragana, r) }
	switch {
	case size == len(word) && unicode.Is(unicode.Han, first):
		return chinese
	case len(word) <= 7*size && !notHiragana(first) && !strings.ContainsFunc(word, notHiragana):
		return japanese
	}
	return 0
}

// The bounds of a phrase. In a row of so many words any phrase is one. Of distinct words ten in a row of twelve are
// enough: a phrase of which two words were left out or mistyped is as dangerous, since the rest can be tried. In prose
// ten such words are short ones, as in "you can keep", or have a short other one among them, as in "the". Of 8 million
// words of documentation, ten others are found five times.
const (
	seedRow        = 12
	minSeedWords   = seedRow - 2
	minSeedLetters = 45 // of ten words: those of a phrase have 54 on average
	minOther       = 4  // letters of a word among them
)

// seedWord is a word of a list, where in the text it is, and how many words are before it.
type seedWord struct {
	word         string
	from, to, at int
}

// findPhrase looks for the words of a list in a row, from a byte on, whatever separates them: numbers, commas, line
// breaks. It does not check the checksum. Prose does not match: the lists have no articles and few short words.
func findPhrase(s string, at int) (from, to int, found bool) {
	count := 0
	var rows [allLists][]seedWord // of each list: its words among the last ones
	var short [allLists]int       // how many words are before and with the last short one that it does not have
	for start, end := nextWord(s, at); start < end; start, end = nextWord(s, end) {
		word := seedWord{withoutAccents(strings.ToLower(s[start:end])), start, end, count}
		count++
		lists := listsOf(word.word)
		for i, row := range rows {
			if lists>>i&1 == 0 {
				if len(word.word) < minOther {
					short[i] = count
				}
				continue
			}
			for len(row) > 0 && row[0].at <= word.at-seedRow {
				row = row[1:]
			}
			rows[i] = append(row, word)
			if len(rows[i]) == seedRow || isPhrase(rows[i], short[i]) {
				from, to = phraseOf(s, at, rows[i], 1<<i)
				return from, to, true
			}
		}
	}
	return 0, 0, false
}

// phraseOf returns where the phrase is, from a byte on, to which the words of a list in a row belong: with the words
// behind them, and with one at each end that is mistyped.
func phraseOf(s string, at int, row []seedWord, list seedLists) (from, to int) {
	length := func(from int) int { return row[len(row)-1].at - row[from].at + 1 } // of the phrase, if it begins there
	to, more := phraseEnd(s, row[len(row)-1].to, length(0), list)
	for i := 1; i < min(4, len(row)); i++ { // what is before, as in "They are:"
		if row[i].at > row[i-1].at+1 && length(i)+more >= seedRow {
			row = row[i:]
			break
		}
	}
	first := row[0]
	if length(0)+more < seedRow {
		last := [2]int{-1, -1}
		for start, end := nextWord(s, at); start < first.from; start, end = nextWord(s, end) {
			last = [2]int{start, end}
		}
		if last[0] >= 0 && isMistyped(s[last[0]:last[1]], list) {
			return last[0], to
		}
	}
	return first.from, to
}

// phraseEnd returns where a phrase ends that has some words and goes on behind a byte, and with how many words: with
// those of its list, with two others between them at most, and, until it has twelve, with those that are mistyped.
func phraseEnd(s string, at, length int, list seedLists) (end, more int) {
	others := 0
	end = at
	for from, to := nextWord(s, at); from < to && others <= seedRow-minSeedWords; from, to = nextWord(s, to) {
		word := s[from:to]
		switch {
		case listsOf(withoutAccents(strings.ToLower(word)))&list != 0,
			length+more+others < seedRow && isMistyped(word, list):
			more += others + 1
			end, others = to, 0
		case len(word) < minOther && length+more >= seedRow-1:
			return end, more
		default:
			others++
		}
	}
	return end, more
}

// isMistyped reports whether a word is one of a list but for a letter that is missing, wrong, too many or exchanged
// with the next one.
func isMistyped(word string, list seedLists) bool {
	word = withoutAccents(strings.ToLower(word))
	if len(word) < minOther {
		return false
	}
	for known, lists := range seedWords() {
		if lists&list != 0 && isSlip(word, known) {
			return true
		}
	}
	return false
}

// isSlip reports whether two words are one but for a letter.
func isSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i, j := 0, 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	for j < len(a)-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	switch odd, other := a[i:len(a)-j], b[i:len(b)-j]; len(other) {
	case 0, 1:
		return true
	case 2:
		return len(odd) == 2 && odd[0] == other[1] && odd[1] == other[0]
	}
	return false
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

// isPhrase reports whether words in a row of twelve are enough for a phrase: each is counted once. Short is where the
// last short other word ends.
func isPhrase(row []seedWord, short int) bool {
	if len(row) < minSeedWords {
		return false
	}
	seen, letters := make(map[string]bool, len(row)), 0
	for _, one := range row {
		if !seen[one.word] {
			letters += len(one.word)
		}
		seen[one.word] = true
	}
	return len(seen) > minSeedWords ||
		len(seen) == minSeedWords && letters >= minSeedLetters && short <= row[0].at
}

var accents = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e",
	"í", "i", "î", "i", "ï", "i", "ñ", "n", "ó", "o", "ô", "o", "ú", "u", "û", "u", "ü", "u", "ù", "u")

// withoutAccents returns a word in lower case without the accents of the lists, which are marks of their own there, and
// letters with a mark where people type them. The syllables of Korean, whose letters are apart in the list, are whole.
func withoutAccents(word string) string {
	ascii := true
	for i := range len(word) {
		ascii = ascii && word[i] < 0x80
	}
	if ascii {
		return word
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, accents.Replace(word)))
}
