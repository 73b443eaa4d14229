// Package paste understands what people paste where an address, a website, a
// transaction, a link or an amount is asked for: links to block explorers, defanged
// names, several things on a line, words beside them. It says what is wrong as data;
// the words for people are the caller's.
package paste

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"tocsin"
)

// Field is what a text was asked for, and what an item in it is.
type Field int

// The fields. Prose is text in which nothing is looked for. Things is whatever somebody has of another: items are never
// of this field, but of Addresses, Domains, Handles or Transactions. No text is asked for as Domains or Handles alone.
const (
	Prose Field = iota
	Things
	Addresses
	Domains
	Transactions
	Links
	Handles // accounts of messengers and networks, phone numbers, e-mail addresses: see [tocsin.Handle]
)

// Item is one value in a text. Its Field may differ from that of the text: a website
// among the addresses is an item of Domains.
type Item struct {
	Field Field
	Line  int // from 1
	Text  string
}

// Found is what a text holds.
type Found struct {
	Items    []Item
	Problems []Problem
	Aside    []string // of things: the words beside an item that are none, by line
}

var (
	nextLink   = regexp.MustCompile(`[,;|]+(?:(?:https?|hxxps?)://|0[xX])`)
	separators = regexp.MustCompile(`[,;|]+`)
	hash       = regexp.MustCompile(`\b(?:0x)?[0-9a-fA-F]{64}\b`)
	// loneHash matches the hash of a transaction that has no 0x, as on Bitcoin, Tron and Solana. A private key has the
	// same form.
	loneHash = regexp.MustCompile(`^(?:[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{86,88})$`)
	// hashWord matches a word before the hash of a transaction that says what it is.
	hashWord = regexp.MustCompile(`(?i)^(?:tx|txid|txn|transactions?|transacci[oó]n|transaktion|transa[cç][aã]o|hash|` +
		`交易|交易哈希|哈希)[:=#]?$`)
	separated = strings.NewReplacer("/", " ", "=", " ", "&", " ", "+", " ", "-", " ", "_", " ")
)

// maxThings is how many lines, and again how many words, are looked at; maxThing is
// how many bytes one of them may have. A report needs far less.
const (
	maxThings = 1000
	maxThing  = 4096
)

// Read finds the items in a text that was asked for as a field.
func Read(field Field, text string) Found {
	r := reader{field: field}
	if field == Prose {
		return r.Found
	}
	lines := strings.Split(text, "\n")
	for i, words := range r.lines(text) {
		r.line = i + 1
		problems, items, odd := len(r.Problems), len(r.Items), []string(nil)
		if said, hash := saidHash(lines[i]); hash != "" && field == Things {
			if words = nil; said {
				r.found(Transactions, hash)
			} else {
				r.wrong(Problem{Kind: MaybeKey, Text: hash})
			}
		}
		if field == Things && len(words) > 0 {
			words = r.readHandles(lines[i], words)
		}
		for _, word := range words {
			if !r.read(word) {
				odd = append(odd, word)
			}
		}
		if field == Things && len(lines[i]) <= maxThing {
			r.setOwnAside(ownHandles(lines[i]))
		}
		if addresses := func(i Item) bool { return i.Field == Addresses }; field == Things &&
			ownIn.MatchString(lines[i]) && slices.ContainsFunc(r.Items[items:], addresses) {
			r.wrong(Problem{Kind: OwnAddress, Text: r.Items[items+slices.IndexFunc(r.Items[items:], addresses)].Text})
		}
		switch {
		case len(odd) == 0:
		case field == Things && len(r.Items) == items && len(r.Problems) == problems && SpacedSite(lines[i]) != "":
			r.wrong(Problem{Kind: SpaceInName, Text: SpacedSite(lines[i])})
		case field == Things && len(r.Items) == items && len(r.Problems) == problems && isLoneName(lines[i]):
			r.found(Handles, "name:@"+strings.TrimSpace(lines[i])) // nobody knows of which service
		case len(r.Items) == items && len(r.Problems) == problems:
			kinds := map[Field]Kind{Things: NoThing, Addresses: NoAddress, Transactions: NoTransaction, Links: NoLink}
			r.wrong(Problem{Kind: kinds[field], Text: odd[0]})
		case field == Things:
			odd = slices.DeleteFunc(odd, besideHandle.MatchString)
			if len(odd) > 0 {
				r.Aside = append(r.Aside, strings.Join(odd, " "))
			}
		}
	}
	return r.Found
}

// reader is the state of [Read].
type reader struct {
	Found
	field Field
	line  int
}

func (r *reader) found(field Field, text string) {
	r.Items = append(r.Items, Item{Field: field, Line: r.line, Text: text})
}

func (r *reader) wrong(p Problem) {
	p.Line = r.line
	r.Problems = append(r.Problems, p)
}

// read takes one word, and reports false if it is only a word.
func (r *reader) read(word string) bool {
	switch r.field {
	case Transactions:
		return r.readTransaction(word)
	case Links:
		return r.readLink(word)
	}
	return r.readSubject(word)
}

// lines splits a text into the words of each line.
func (r *reader) lines(text string) (lines [][]string) {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		words := split(line, maxThings-n)
		if n += len(words); n > maxThings || len(lines) == maxThings {
			r.Problems = []Problem{{Kind: TooMany}}
			return nil
		}
		r.line = len(lines) + 1
		lines = append(lines, slices.DeleteFunc(words, func(word string) bool {
			if len(word) > maxThing {
				r.wrong(Problem{Kind: TooLong})
			}
			return len(word) > maxThing
		}))
	}
	return lines
}

// split splits a line at spaces, and at commas and the like unless they are within a
// link. It stops after limit words.
func split(line string, limit int) (words []string) {
	for chunk := range strings.FieldsFuncSeq(line, unicode.IsSpace) {
		link := strings.Contains(chunk, "/")
		for chunk != "" {
			if len(words) > limit {
				return words
			}
			end := separators.FindStringIndex(chunk)
			if link {
				if end = nextLink.FindStringIndex(chunk); end != nil {
					end[1] = end[0] + len(separators.FindString(chunk[end[0]:]))
				}
			}
			word := chunk
			if end != nil {
				word, chunk = chunk[:end[0]], chunk[end[1]:]
			} else {
				chunk = ""
			}
			if word = trimPunctuation(word); word != "" {
				words = append(words, word)
			}
		}
	}
	return words
}

// trimPunctuation removes what surrounds a word in a sentence.
func trimPunctuation(word string) string {
	word = strings.TrimLeft(word, `<("'“‘«[*•→-`)
	word = strings.TrimRight(word, `>"'”’».,;:!?*`)
	if !strings.Contains(word, "(") {
		word = strings.TrimRight(word, `)`)
	}
	if !strings.Contains(word, "[") {
		word = strings.TrimRight(word, `]`)
	}
	return strings.TrimRight(word, `>"'”’».,;:!?*`)
}

// ContainsSecret reports whether a text that was asked for as a field holds a
// recovery phrase or a private key. Among things and addresses it also reads
// punctuation as spaces, since a phrase may be in a link. What may be the hash of a
// transaction as well is no secret among transactions, and none among things if
// nothing else is on its line: there it is a [MaybeKey].
func ContainsSecret(field Field, text string) bool {
	if without := withoutHashes(text); field == Transactions || field == Things && without != text {
		// A hash is not a key here, unless a word before it says so.
		if tocsin.FindSecret("transaction "+strings.ReplaceAll(text, "\n", "\ntransaction ")) != nil {
			return true
		}
		text = without
	}
	switch field {
	case Transactions:
		text = hash.ReplaceAllString(text, " ")
	case Things, Addresses:
		words, err := url.PathUnescape(text)
		if err != nil {
			words = text
		}
		text += "\n" + separated.Replace(words)
	}
	return tocsin.FindSecret(text) != nil
}

// withoutHashes returns a text without the lines that are the hash of a transaction and nothing else.
func withoutHashes(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if _, hash := saidHash(line); hash != "" {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// saidHash returns the hash without 0x that a line consists of, perhaps behind a word that says so; otherwise "".
func saidHash(line string) (said bool, hash string) {
	words := strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == ':' || r == '=' || r == '#' })
	switch n := len(words); {
	case n == 0 || n > 2 || n == 2 && !hashWord.MatchString(words[0]):
		return false, ""
	default:
		word := trimPunctuation(words[n-1])
		if !loneHash.MatchString(word) {
			return false, ""
		}
		return n == 2, word
	}
}
