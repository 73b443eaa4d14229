package paste

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parts of what a messenger writes beside a message: the day and the time of day, and the name of its sender.
const (
	daySent = `(?:(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}\.? (?:de )?\pL{3,10}\.?,?(?: de)? \d{2,4}|` +
		`\pL{3,10}\.? \d{1,2},? \d{4}|\d{4}年\d{1,2}月\d{1,2}日),?\s?(?:at |um |à |às |a las )?)?`
	timeSent = `(?:上午|下午)?[0-2]?\d[:.][0-5]\d(?:[:.][0-5]\d)?(?:[\s\x{a0}\x{202f}]?[AaPp]\.?[\s\x{a0}]?[Mm]\b\.?)?`
	sentBy   = `([^\s:：\[\](),~][^:：\[\]()\n]{0,39}?)`
	thenSaid = `[\s\x{a0}\x{202f}]?(?::(?:\s|$)|：)`
)

// The ways in which messengers write who sent a message: as they are exported ("[12/11/26, 14:03] Lena: Hola",
// "12/11/26, 14:03 - Lena: Hola"), as they are copied ("Lena, [12.11.2026 14:03]", "Lena 14:03"), and as people write
// them down ("Lena: Hola").
var (
	timeThenName = later(`^\s*[\[(]?` + daySent + timeSent + `[\])]?[\s\x{a0}\x{202f}]*(?:[-–—]\s*)?` +
		`~?[\s\x{a0}\x{202f}]?` + sentBy + thenSaid)
	nameThenTime = later(`^\s*` + sentBy + `,?\s*(?:[\[(]` + daySent + timeSent + `[\])]|[·•,]?\s` + daySent + timeSent +
		`\s*$)`)
	nameAlone = later(`^\s*` + sentBy + thenSaid)
)

// meWords are what messengers call whoever has made the copy, in the languages of the pages, and what stands for them
// in a report.
var meWords = []string{"you", "me", "yo", "tú", "tu", "ich", "du", "moi", "vous", "eu", "você", "我", "你"}

// maxNameWords is how many words the name of a sender has at most, and minName how many letters a part of it that is
// looked for by itself.
const (
	maxNameWords = 5
	minName      = 3
)

// Senders returns the names of those who write in a conversation that a text holds, each once, in its order. Numbers
// are no names. If one of them is "You" or "Me" there are none to tell apart: whoever has made the copy has no other
// name in it.
func Senders(text string) (names []string) {
	timed, alone, counts := []string(nil), []string(nil), map[string]int{}
	for line := range strings.SplitSeq(text, "\n") {
		if name, _, _ := senderOf(line, timeThenName, nameThenTime); name != "" {
			timed = append(timed, name)
		} else if name, _, _ := senderOf(line, nameAlone); name != "" && isCapital(name) {
			alone = append(alone, name)
			counts[name]++
		}
	}
	if len(timed) >= timesOfChats {
		names = timed
	} else if alone = slices.DeleteFunc(alone, func(n string) bool { return counts[n] < 2 }); len(unique(alone)) > 1 {
		names = alone // who writes in turns, rather than the labels of a list
	}
	if slices.ContainsFunc(names, isMe) {
		return nil
	}
	return unique(names)
}

// WithoutSender returns a text in which a sender has another name: who stands where they are named as the sender, mark
// where they are named otherwise, also by a part of their name that no other sender has.
func WithoutSender(text, name, who, mark string) string {
	named, lines := nameForm(name, Senders(text)), strings.Split(text, "\n")
	for i, line := range lines {
		by, from, to := senderOf(line, timeThenName, nameThenTime)
		if by == "" {
			by, from, to = senderOf(line, nameAlone)
		}
		if by == name {
			lines[i] = withoutName(line[:from], mark, named) + who + withoutName(line[to:], mark, named)
		} else {
			lines[i] = withoutName(line, mark, named)
		}
	}
	return strings.Join(lines, "\n")
}

// senderOf returns who sent the message of a line, by one of the forms, and where the name is; "" for none.
func senderOf(line string, forms ...func() *regexp.Regexp) (name string, from, to int) {
	if len(line) > maxThing {
		line = line[:maxThing]
	}
	for _, form := range forms {
		m := form().FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		name = strings.TrimRight(line[m[2]:m[3]], " \u00a0\u202f,-–")
		if strings.ContainsFunc(name, unicode.IsLetter) && len(strings.Fields(name)) <= maxNameWords &&
			!strings.ContainsAny(name, "/@<>") {
			return name, m[2], m[2] + len(name)
		}
	}
	return "", 0, 0
}

// isCapital reports whether a name begins with a capital letter, or is of a script that has none.
func isCapital(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsLetter(first) && !unicode.IsLower(first)
}

func isMe(name string) bool { return slices.Contains(meWords, strings.ToLower(name)) }

// unique returns the texts of a list, each once.
func unique(list []string) (kept []string) {
	for _, one := range list {
		if !slices.Contains(kept, one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// particles are parts of names that many have.
var particles = []string{"del", "las", "los", "dos", "das", "von", "van", "der", "den", "and", "the"}

// nameForm matches a name, with or without its accents, and each part of it that no other name has.
func nameForm(name string, all []string) *regexp.Regexp {
	forms := []string{accentless(name)}
	for _, part := range strings.Fields(name) {
		others := slices.ContainsFunc(all, func(one string) bool {
			return one != name && slices.ContainsFunc(strings.Fields(one), func(word string) bool {
				return strings.EqualFold(word, part)
			})
		})
		if utf8.RuneCountInString(part) >= minName && !others && !slices.Contains(particles, strings.ToLower(part)) &&
			strings.ContainsFunc(part, unicode.IsLetter) {
			forms = append(forms, accentless(part))
		}
	}
	return regexp.MustCompile(`(?i)` + strings.Join(forms, "|"))
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

// withoutName puts a mark in the place of a name, unless it is a part of a word, of an e-mail address or of an account.
func withoutName(text, mark string, named *regexp.Regexp) string {
	var b strings.Builder
	at, mails := 0, mailIn.FindAllStringIndex(text, -1)
	for _, m := range named.FindAllStringIndex(text, -1) {
		if slices.ContainsFunc(mails, func(mail []int) bool { return mail[0] <= m[0] && m[1] < mail[1] }) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		after, _ := utf8.DecodeRuneInString(text[m[1]:])
		if goesWith(before, text[m[0]:]) || goesWith(after, text[m[0]:]) || after == '@' {
			continue
		}
		b.WriteString(text[at:m[0]] + mark)
		at = m[1]
	}
	return b.String() + text[at:]
}

// Without puts a mark in the place of a word in a text, in capitals or small letters, unless it is a part of another.
func Without(text, word, mark string) string {
	return withoutName(text, mark, regexp.MustCompile(`(?i)`+regexp.QuoteMeta(word)))
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
