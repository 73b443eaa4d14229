package tocsin

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Term is one thing that a search must find.
type Term struct {
	Text   string // one word, or several that must follow each other
	Prefix bool   // words that begin with Text count as well
	Whole  bool   // Text is a name that must not be a part of a longer one: lena is not in lena_trades
	// Account: it is the name of an account, with Whole. Reports that name the account are found, as a handle, as @lena
	// or in a link to it; if there are none, those that have the name as a word.
	Account bool
}

// Limits of a search.
const (
	MaxQuery     = 400 // characters
	MaxWords     = 12  // those in phrases included
	MaxPhrases   = 3   // terms of several words, with or without quotes
	MinPrefix    = 3   // characters before a *
	MinHexPrefix = 6   // when they begin with 0x, as every address does
)

// ParseQuery parses what a person types into a search box. A report must have all words; "words in quotes" must
// follow each other; word* matches every word that begins so. Anything else is text to find, never syntax.
func ParseQuery(q string) ([]Term, *Error) {
	q = CleanText(q)
	if n := len([]rune(q)); n > MaxQuery {
		return nil, invalid(fmt.Sprintf("it has %d characters, %d are allowed", n, MaxQuery), "search for fewer words")
	}
	var terms []Term
	words, phrases := 0, 0
	for q != "" {
		var text string
		prefix := false
		if q[0] == '"' {
			text, q, _ = strings.Cut(q[1:], `"`)
		} else {
			end := strings.IndexFunc(q, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
			if end < 0 {
				end = len(q)
			}
			text, q = q[:end], q[end:]
			if t := strings.TrimRight(text, "*"); t != text {
				text, prefix = t, true
			}
		}
		q = strings.TrimSpace(q)
		found := Words(text)
		if len(found) == 0 {
			continue // punctuation alone finds nothing
		}
		words += len(found)
		if len(found) > 1 {
			phrases++
		}
		last := ""
		if w := found[len(found)-1]; w.To == len(text) {
			last = w.Text // as it is searched: marks that folding removes do not make it longer
		}
		minLen := MinPrefix
		if strings.HasPrefix(last, "0x") {
			minLen = MinHexPrefix
		}
		if prefix && utf8.RuneCountInString(last) < minLen {
			return nil, invalid(fmt.Sprintf("%q would match too many words", Clip(text, 80)+"*"),
				fmt.Sprintf("put at least %d characters before the *", minLen))
		}
		terms = append(terms, Term{Text: text, Prefix: prefix})
	}
	if len(terms) == 0 {
		return nil, invalid("it contains no word", "send at least one word, such as q=drainer")
	}
	if words > MaxWords {
		return nil, invalid(fmt.Sprintf("it has %d words, %d are allowed", words, MaxWords), "search for fewer words")
	}
	if phrases > MaxPhrases {
		return nil, invalidf("leave quotes and joining marks off: reports with all of the words are found",
			"it has %d phrases (words in quotes, or joined as in a-b), %d are allowed", phrases, MaxPhrases)
	}
	return terms, nil
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
