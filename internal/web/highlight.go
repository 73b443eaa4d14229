package web

import (
	"strings"

	"tocsin"
)

// segment is a part of a text. Hit means that it matches the search.
type segment struct {
	Text string
	Hit  bool
}

// searchTerm is a term of a query: its words, folded as in the full-text index. With
// prefix, the last is the beginning of a word.
type searchTerm struct {
	words  []string
	prefix bool
	whole  bool // it is a name, which is not found within a longer one
}

func searchTerms(terms []tocsin.Term) (list []searchTerm) {
	for _, t := range terms {
		n := searchTerm{prefix: t.Prefix, whole: t.Whole}
		for _, w := range tocsin.Words(t.Text) {
			n.words = append(n.words, w.Text)
		}
		if len(n.words) > 0 {
			list = append(list, n)
		}
	}
	return list
}

// matches returns the byte ranges of the text that match a term, from left to right.
func matches(text string, terms []searchTerm) (spans [][2]int) {
	if len(terms) == 0 {
		return nil
	}
	tokens := tocsin.Words(text)
	for i := range tokens {
		for _, n := range terms {
			to, found := n.at(tokens[i:])
			if last := len(spans) - 1; !found || n.whole && isCut(text, tokens[i].From, to) {
				continue
			} else if last < 0 || tokens[i].From >= spans[last][1] {
				spans = append(spans, [2]int{tokens[i].From, to})
			} else { // it overlaps the one before
				spans[last][1] = max(spans[last][1], to)
			}
		}
	}
	return spans
}

// isCut reports whether a part of a text is one of a longer name, such as lena_trades88 in lena_trades88_vip.
func isCut(text string, from, to int) bool {
	return strings.HasSuffix(text[:from], "_") || strings.HasPrefix(text[to:], "_")
}

// at reports whether the tokens begin with the term, and where the match ends.
func (n searchTerm) at(tokens []tocsin.Word) (end int, ok bool) {
	if len(tokens) < len(n.words) {
		return 0, false
	}
	for i, w := range n.words {
		if t := tokens[i].Text; t != w && (!n.prefix || i < len(n.words)-1 || !strings.HasPrefix(t, w)) {
			return 0, false
		}
	}
	return tokens[len(n.words)-1].To, true
}

// highlight splits a text into segments, so that a template can highlight the matches and
// escapes all of the text.
func highlight(text string, terms []searchTerm) (pieces []segment) {
	at := 0
	for _, span := range matches(text, terms) {
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

// excerpt returns the beginning of a text, or the part around the first match if that is
// further down.
func excerpt(text string, terms []searchTerm) string {
	const most, before = 220, 60
	text = strings.Join(strings.Fields(text), " ")
	lead := ""
	if spans := matches(text, terms); len(spans) > 0 && spans[0][1] > most {
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
