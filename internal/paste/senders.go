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

// maxNameWords is how many words the name of a sender has at most.
const maxNameWords = 5

// Senders returns the names of those who write in a conversation that a text holds, each once, in its order. Numbers
// are no names. If one of them is "You" or "Me" there are none to tell apart: whoever has made the copy has no other
// name in it.
func Senders(text string) []string {
	names := sendersOf(text)
	if slices.ContainsFunc(names, isMe) {
		return nil
	}
	return names
}

// sendersOf returns the names of all who write, also of whoever has made the copy.
func sendersOf(text string) (names []string) {
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
	} else if alone = slices.DeleteFunc(alone, func(n string) bool { return counts[n] < 2 }); len(Unique(alone)) > 1 {
		names = alone // who writes in turns, rather than the labels of a list
	}
	return Unique(names)
}

// MessagesBy returns what some senders of a conversation write in a text, and what whoever has made the copy writes;
// told is what comes before the first message, or a text without any.
func MessagesBy(text string, senders []string) (told, sent string) {
	var before, by strings.Builder
	names, sender := map[string]bool{}, ""
	for _, name := range sendersOf(text) {
		names[name] = true
	}
	mine := map[string]bool{}
	for _, name := range senders {
		mine[name] = true
	}
	for line := range strings.SplitSeq(text, "\n") {
		name, _, _ := senderOf(line, timeThenName, nameThenTime)
		if name == "" {
			name, _, _ = senderOf(line, nameAlone)
		}
		if names[name] {
			sender = name
		}
		switch {
		case sender == "":
			before.WriteString(line + "\n")
		case mine[sender] || isMe(sender):
			by.WriteString(line + "\n")
		}
	}
	return before.String(), by.String()
}

// WithoutSenders returns a text in which senders have another name: who stands where they are named as the sender, mark
// where they are named otherwise, also by a part of their name that none of the others has.
func WithoutSenders(text string, senders, others []string, who, mark string) string {
	people, lines := PeopleOf(senders, others, true), strings.Split(text, "\n")
	for i, line := range lines {
		by, from, to := senderOf(line, timeThenName, nameThenTime)
		if by == "" {
			by, from, to = senderOf(line, nameAlone)
		}
		if slices.Contains(senders, by) {
			lines[i] = people.Without(line[:from], mark) + who + people.Without(line[to:], mark)
		} else {
			lines[i] = people.Without(line, mark)
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

// Unique returns the texts of a list, each once.
func Unique(list []string) (kept []string) {
	seen := make(map[string]bool, len(list))
	for _, one := range list {
		if !seen[one] {
			seen[one], kept = true, append(kept, one)
		}
	}
	return kept
}
