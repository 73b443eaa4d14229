package web

import (
	"slices"
	"strings"
	"unicode"

	"tocsin"
	"tocsin/internal/paste"
)

// askWhose asks whose the e-mail addresses and the numbers in the title and the story are: a report is public, and the
// next thief looks there for victims. What is named as theirs is not asked about.
func (f *form) askWhose() {
	theirs := map[string]bool{}
	for _, i := range f.items[paste.Handles] {
		theirs[i.Text] = true
		if _, number, ok := strings.Cut(i.Text, ":+"); ok {
			for code := range 4 { // as it is dialled in its country, of which the code has up to three digits
				theirs[number[min(code, len(number)):]] = true
			}
		}
	}
	for _, name := range []string{titleField, storyField} {
		field := f.Field(name)
		private := slices.DeleteFunc(paste.Personal(field.Text), func(text string) bool {
			h, fault := tocsin.ParseHandle(text)
			phone := paste.Phone(text)
			return fault == nil && theirs[h.String()] || theirs[digitsOf(text)] || theirs[phone] ||
				theirs[strings.Replace(phone, "phone:", "whatsapp:", 1)]
		})
		if len(private) == 0 {
			continue
		}
		if f.Private = true; f.Field(theirsField).Text == "" {
			field.addProblem(f.lang.Text("is this yours?"), f.lang.Text("Everybody will see %s. If it is yours, take it out: "+
				"people who rob victims a second time look for it. If it is theirs, say so below.",
				f.lang.List(private[:min(len(private), maxShown)]...)))
		}
	}
}

// digitsOf returns the digits of a text that has no letters, without zeros before them; "" of another.
func digitsOf(text string) string {
	if strings.ContainsFunc(text, unicode.IsLetter) {
		return ""
	}
	return strings.TrimLeft(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text), "0")
}
