package web

import (
	"slices"
	"strings"
	"unicode"

	"tocsin"
	"tocsin/internal/paste"
)

// askWhose finds the e-mail addresses and the numbers in the title and the story, of which the page before publishing
// asks whose they are: a report is public, and the next thief looks there for victims. What is named as theirs is not
// asked about.
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
		private := slices.DeleteFunc(paste.Personal(f.Field(name).Text), func(text string) bool {
			h, fault := tocsin.ParseHandle(text)
			phone := paste.Phone(text)
			return fault == nil && theirs[h.String()] || theirs[digitsOf(text)] || theirs[phone] ||
				theirs[strings.Replace(phone, "phone:", "whatsapp:", 1)]
		})
		for _, text := range private {
			if !slices.Contains(f.Private, text) {
				f.Private = append(f.Private, text)
			}
		}
	}
}

// PrivateList names the first of them.
func (f *form) PrivateList() string { return f.lang.List(f.Private[:min(len(f.Private), maxShown)]...) }

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
