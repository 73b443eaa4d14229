package paste

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

// maxPeople is how many names are looked for in a text, and how many others they are told apart from.
const maxPeople = 20

// maxNameBytes is how long a name is at most. Each letter of it becomes a class of letters in an expression.
const maxNameBytes = 100

// minName is how many letters a part of a name has that is looked for by itself.
const minName = 3

// maxFurther is how many names behind a whole one are taken for further surnames.
const maxFurther = 2

var (
	// particles are parts of names that many have.
	particles = []string{"del", "las", "los", "dos", "das", "von", "van", "der", "den", "and", "the"}
	// namesToo are names that begin many a sentence as words, so that they are not looked for by themselves.
	namesToo = []string{"will", "may", "mark", "bill", "don", "art", "sol", "mar", "luz", "paz", "pat", "sue", "grant"}
)

// furtherName matches a surname behind a name.
var furtherName = later(`^[ \x{a0}](?:(?:` + nameJoint + `|de )*)` + nameWord)

// People are those whose names are taken out of texts.
type People struct {
	whole, parts, full *regexp.Regexp // nil for none; full names have two words at least
	others             []string
	inSmall            bool
}

// PeopleOf returns those of some names, to be told apart from others. A part of a name that one of the others has is
// not theirs alone. If inSmall is false, a name of one word and a part of a name have to begin with a capital letter,
// and to be more than a word of many sentences.
func PeopleOf(names, others []string, inSmall bool) *People {
	p := &People{inSmall: inSmall}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return len(name) > maxNameBytes })
	names = Unique(names[:min(len(names), maxPeople)])
	for _, other := range others[:min(len(others), maxPeople)] {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, other) }) {
			p.others = append(p.others, other)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var whole, parts, full []string
	for _, name := range names {
		words := strings.Fields(name)
		forms := make([]string, len(words))
		for i, word := range words {
			if forms[i] = accentless(word); p.isTheirs(word) {
				parts = append(parts, forms[i])
			}
		}
		form := strings.Join(forms, `[\s\x{a0}]+`)
		switch {
		case len(words) > 1:
			full = append(full, form)
		case !inSmall && !p.isTheirs(name) && !isDense(name):
			continue
		}
		whole = append(whole, form)
	}
	p.whole, p.parts, p.full = anyOf(whole), anyOf(parts), anyOf(full)
	return p
}

// anyOf matches each of some forms, in capitals or small letters; nil for none.
func anyOf(forms []string) *regexp.Regexp {
	if len(forms) == 0 {
		return nil
	}
	return regexp.MustCompile(`(?i)` + strings.Join(Unique(forms), "|"))
}

// isTheirs reports whether a word is a part of a name that nobody else has, and can be looked for by itself.
func (p *People) isTheirs(word string) bool {
	return utf8.RuneCountInString(word) >= minName && strings.ContainsFunc(word, unicode.IsLetter) &&
		!slices.Contains(particles, strings.ToLower(word)) &&
		(p.inSmall || !slices.Contains(namesToo, strings.ToLower(word))) &&
		!slices.ContainsFunc(p.others, func(other string) bool {
			return slices.ContainsFunc(strings.Fields(other), func(its string) bool { return strings.EqualFold(its, word) })
		})
}

// In reports whether a text has a name of two words or more, also escaped as in a link.
func (p *People) In(text string) bool {
	if p.full == nil {
		return false
	}
	text = strings.ReplaceAll(unescaped(text), "+", " ")
	return slices.ContainsFunc(p.full.FindAllStringIndex(text, -1), func(m []int) bool {
		return isWhole(text, m[0], m[1])
	})
}

// Without puts a mark in the place of each name, with further surnames behind it, and of each part of one: as whole
// words that belong to no e-mail address, site, account or other name.
func (p *People) Without(text, mark string) string {
	if p.whole != nil {
		text = withoutWords(text, mark, p.whole, func(from, to int) int {
			if !p.inSmall && !strings.ContainsAny(text[from:to], " \u00a0\n") && isSmall(text[from:]) {
				return 0
			}
			return p.endOf(text, from, to)
		})
	}
	if p.parts == nil {
		return text
	}
	text = withoutWords(text, mark, p.parts, func(from, to int) int {
		if !p.inSmall && isSmall(text[from:]) || isOfAccount(text, from, to) || p.isOther(text[from:], 0) {
			return 0
		}
		return to
	})
	for twice := mark + " " + mark; strings.Contains(text, twice); {
		text = strings.ReplaceAll(text, twice, mark)
	}
	return text
}

// endOf is where a name ends with the surnames behind it; 0 if it is a part of something else.
func (p *People) endOf(text string, from, to int) int {
	if isOfAccount(text, from, to) || p.isOther(text[from:], to-from) {
		return 0
	}
	for range maxFurther {
		more := furtherName().FindString(text[to:min(to+maxBefore, len(text))])
		if more == "" || p.isOther(strings.TrimLeft(text[to:], " \u00a0"), 0) || !isWhole(text, to+1, to+len(more)) {
			break
		}
		to += len(more)
	}
	return to
}

// isOther reports whether a text begins with the name of somebody else, of at least so many bytes.
func (p *People) isOther(text string, length int) bool {
	return slices.ContainsFunc(p.others, func(other string) bool {
		return len(other) >= length && len(text) >= len(other) && strings.EqualFold(text[:len(other)], other) &&
			isWhole(text, 0, len(other))
	})
}

// isSmall reports whether a text begins with a small letter.
func isSmall(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(first)
}

// isDense reports whether a text is of a script that does not separate words.
func isDense(text string) bool { return !goesWith('a', text) }

// isOfAccount reports whether a word is a part of the name of an account or a site.
func isOfAccount(text string, from, to int) bool {
	near := text[max(0, from-maxThing):min(to+maxThing, len(text))]
	from, to = from-max(0, from-maxThing), to-max(0, from-maxThing)
	begin := strings.LastIndexAny(near[:from], " \n\t") + 1
	end := len(near)
	if i := strings.IndexAny(near[to:], " \n\t"); i >= 0 {
		end = to + i
	}
	if begin < from && strings.ContainsRune("@#", rune(near[from-1])) {
		return true
	}
	if strings.Contains(near[begin:end], "://") {
		return true
	}
	host, _, _ := strings.Cut(near[begin:end], "/")
	host = strings.ToLower(strings.Trim(host, `.,;:!?()[]"'“”«»`))
	_, registry := publicsuffix.PublicSuffix(host)
	return strings.Contains(host, ".") && registry
}

// isWhole reports whether a part of a text is no part of a longer word.
func isWhole(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return !goesWith(before, text[from:]) && !goesWith(after, text[from:]) && after != '@'
}

// withoutWords puts a mark in the place of what a form matches, to an end that is 0 for what stays, unless it is a part
// of a longer word or of an e-mail address.
func withoutWords(text, mark string, form *regexp.Regexp, endOf func(from, to int) int) string {
	var b strings.Builder
	at, mails := 0, mailIn.FindAllStringIndex(text, -1)
	for _, m := range form.FindAllStringIndex(text, -1) {
		for len(mails) > 0 && mails[0][1] <= m[0] {
			mails = mails[1:]
		}
		isOfMail := len(mails) > 0 && mails[0][0] <= m[0] && m[1] < mails[0][1]
		if m[0] < at || isOfMail || !isWhole(text, m[0], m[1]) {
			continue
		}
		if end := endOf(m[0], m[1]); end > 0 {
			b.WriteString(text[at:m[0]] + mark)
			at = end
		}
	}
	return b.String() + text[at:]
}

// Without puts a mark in the place of a word in a text, in capitals or small letters, unless it is a part of another.
func Without(text, word, mark string) string {
	return withoutWords(text, mark, regexp.MustCompile(`(?i)`+regexp.QuoteMeta(word)), func(_, to int) int { return to })
}

// letterForms are the letters that people write for one another.
var letterForms = strings.Fields("aáàâãäå eéèêë iíìîï oóòôõö uúùûü nñ cç")

// accentless is the form of a text in which an accent may be missing, or be there.
func accentless(text string) string {
	var b strings.Builder
	for _, r := range text {
		i := slices.IndexFunc(letterForms, func(forms string) bool { return strings.ContainsRune(forms, unicode.ToLower(r)) })
		if i >= 0 {
			b.WriteString("[" + letterForms[i] + "]")
		} else {
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String()
}

// goesWith reports whether a character makes one word with a name beside it. Of a script that does not separate words
// none does.
func goesWith(r rune, name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	if unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
		return false
	}
	return r == '_' || unicode.IsDigit(r) ||
		unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
