package paste

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"tocsin"
)

// What makes a text a story: so many words on one line, or so many on lines that have nothing else, or so many lines
// with the time of day. Beside a thing people write a label or a short remark.
const (
	wordsOfLine  = 8
	wordsAlone   = 12
	linesAlone   = 3
	timesOfChats = 2
)

// timeIn matches the time of day, as chats have it at each message.
var timeIn = later(`(?:^|[\s\[(,])[0-2]?[0-9][:.][0-5][0-9](?::[0-5][0-9])?(?:[\s\]),:]|\s?[ap]\.?\s?m\b|$)`)

// IsStory reports whether a text is told, or is a conversation that was pasted as a whole, rather than a list of things
// with a few words beside them.
func IsStory(text string) bool {
	alone, lines := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		words, others := countWords(line)
		if words >= wordsOfLine {
			return true
		}
		if words > 0 && others == 0 {
			alone, lines = alone+words, lines+1
		}
	}
	return isChat(text) || alone >= wordsAlone && lines >= linesAlone
}

// isChat reports whether several lines of a text have the time of day.
func isChat(text string) bool {
	times := 0
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) <= maxThing && timeIn().MatchString(line) {
			if words, _ := countWords(line); words > 0 {
				times++
			}
		}
	}
	return times >= timesOfChats
}

// countWords returns how many words a line has that are of letters, and how many that are not. Of a script that does
// not separate words two letters count as one.
func countWords(line string) (words, others int) {
	for word := range strings.FieldsSeq(line) {
		word = trimPunctuation(word)
		letters, dense, odd, told := 0, 0, 0, false
		for _, r := range word {
			switch {
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
				dense++
			case unicode.IsLetter(r), unicode.IsMark(r), r == '\'', r == '’':
				letters++
			case r >= utf8.RuneSelf && unicode.IsPunct(r):
				told = true // no name of a site has it
			default:
				odd++
			}
		}
		if odd == 0 || told {
			words += dense / 2
		}
		switch {
		case odd > 0 || letters > longestWord:
			others++
		case letters > 0:
			words++
		}
	}
	return words, others
}

// longestWord is how many letters a word has at most. Addresses have more.
const longestWord = 24

// Named is something that a story names: a subject, or a handle.
type Named struct {
	Subject tocsin.Subject // the zero value of a handle
	Handle  string         // "" of a subject
}

// InStory returns what a text of any length names, each once, in its order, apart from what it calls its writer's own,
// unless it is a conversation: there the other side says "my" as well. Of names of sites it returns those that can
// exist: a story has points without a space behind them.
func InStory(text string) (named []Named) {
	chat := isChat(text)
	add := func(one Named) {
		if !slices.Contains(named, one) {
			named = append(named, one)
		}
	}
	for text != "" {
		var part string
		part, text = cutStory(text, maxQuestion)
		box := ReadBox(part)
		for _, p := range box.Parts {
			if p.Problem != nil || p.Role == MailSite || p.Role == Token || p.Role == Wrapper {
				continue
			}
			if p.Subject.Kind == tocsin.DNS && !canExist(p.Subject.Value) {
				continue
			}
			add(Named{Subject: p.Subject})
		}
		for _, handle := range box.Handles {
			if chat || !slices.Contains(box.Own, handle) {
				add(Named{Handle: handle})
			}
		}
	}
	return named
}

// canExist reports whether a name ends with a suffix that a registry runs, or somebody who sells names below it.
func canExist(name string) bool {
	suffix, registry := publicsuffix.PublicSuffix(name)
	return registry || strings.Contains(suffix, ".")
}

// cutStory cuts a text so that its beginning has at most so many bytes, at the end of a line or of a word if possible.
func cutStory(text string, most int) (part, rest string) {
	if len(text) <= most {
		return text, ""
	}
	at := most
	for !utf8.RuneStart(text[at]) {
		at--
	}
	if i := strings.LastIndexByte(text[:at], '\n'); i > 0 {
		at = i
	} else if i := strings.LastIndexByte(text[:at], ' '); i > 0 {
		at = i
	}
	return text[:at], text[at:]
}
