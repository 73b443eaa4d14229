package web

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"tocsin"
)

// stretch is a part of a text; Hit means that it was searched for.
type segment struct {
	Text string
	Hit  bool
}

// needle is a term as it is looked for in a text that is shown: its words as the
// index folds them, of which the last may be the beginning of a word.
type searchTerm struct {
	words  []string
	prefix bool
}

func searchTerms(terms []tocsin.Term) (list []searchTerm) {
	for _, t := range terms {
		n := searchTerm{prefix: t.Prefix}
		for _, w := range tokenize(t.Text) {
			n.words = append(n.words, w.folded)
		}
		if len(n.words) > 0 {
			list = append(list, n)
		}
	}
	return list
}

// token is a word and where it stands.
type token struct {
	from, to int
	folded   string
}

// tokenize cuts a text into words as the full-text index does (unicode61).
func tokenize(text string) (list []token) {
	from := -1
	for i, r := range text + " " {
		switch word := isWord(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Co, r); {
		case word && from < 0:
			from = i
		case !word && from >= 0:
			list = append(list, token{from, i, fold(text[from:i])})
			from = -1
		}
	}
	return list
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// folded leaves off what the index does not tell apart: capitals and diacritics.
func fold(word string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(word)))
}

// hits returns where in the text the needles are, from left to right.
func matches(text string, sought []searchTerm) (spans [][2]int) {
	if len(sought) == 0 {
		return nil
	}
	tokens := tokenize(text)
	for i := range tokens {
		for _, n := range sought {
			to, found := n.at(tokens[i:])
			if last := len(spans) - 1; !found {
				continue
			} else if last < 0 || tokens[i].from >= spans[last][1] {
				spans = append(spans, [2]int{tokens[i].from, to})
			} else { // it begins within the one before
				spans[last][1] = max(spans[last][1], to)
			}
		}
	}
	return spans
}

// at reports whether the tokens begin with the needle, and where that ends.
func (n searchTerm) at(tokens []token) (end int, ok bool) {
	if len(tokens) < len(n.words) {
		return 0, false
	}
	for i, w := range n.words {
		if t := tokens[i].folded; t != w && (!n.prefix || i < len(n.words)-1 || !strings.HasPrefix(t, w)) {
			return 0, false
		}
	}
	return tokens[len(n.words)-1].to, true
}

// marked cuts a text into pieces, so that a template can mark what was sought
// and nothing of the text is ever taken for HTML.
func highlight(text string, sought []searchTerm) (pieces []segment) {
	at := 0
	for _, span := range matches(text, sought) {
		if span[0] > at {
			pieces = append(pieces, segment{text[at:span[0]], false})
		}
		pieces = append(pieces, segment{text[span[0]:span[1]], true})
		at = span[1]
	}
	if at < len(text) {
		pieces = append(pieces, segment{text[at:], false})
	}
	return pieces
}

// excerpt is how a story begins, or, if what was sought stands further down, a
// part of it around that.
func excerpt(story string, sought []searchTerm) string {
	const most, before = 220, 60
	text := strings.Join(strings.Fields(story), " ")
	lead := ""
	if spans := matches(text, sought); len(spans) > 0 && spans[0][1] > most {
		at := max(0, spans[0][0]-before)
		if i := strings.IndexByte(text[at:spans[0][0]], ' '); i >= 0 {
			at += i + 1
		} else {
			at = spans[0][0]
		}
		lead, text = "… ", text[at:]
	}
	if len(text) <= most {
		return lead + text
	}
	text = strings.ToValidUTF8(text[:most], "")
	if i := strings.LastIndexByte(text, ' '); i > most/2 {
		text = text[:i]
	}
	return lead + strings.TrimRight(text, " ,;:.") + "…"
}
