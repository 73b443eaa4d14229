package web

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// askWhose finds the e-mail addresses and the numbers in the title and the story, of which the page before publishing
// asks whose they are: a report is public, and the next thief looks there for victims. The numbers of phones and the
// e-mail addresses that are named as theirs are asked about as well, each once.
func (f *form) askWhose() {
	theirs, accounts := map[string]bool{}, []string(nil)
	for _, i := range f.items[paste.Handles] {
		if service, name, _ := strings.Cut(i.Text, ":"); slices.Contains(askedServices, service) {
			accounts = append(accounts, name)
		}
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
	for _, name := range accounts {
		if !slices.Contains(f.Private, name) {
			f.Private = append(f.Private, name)
		}
	}
}

// askedServices are the services of handles that may as well be the reporter's own, pasted with a chat.
var askedServices = []string{"phone", "whatsapp", "email"}

// maxPrivate is how many of the texts in Private are named. A conversation may have hundreds.
const maxPrivate = 40

// PrivateList names them, and says how many more there are.
func (f *form) PrivateList() string {
	list := slices.Clone(f.Private[:min(len(f.Private), maxPrivate)])
	if more := len(f.Private) - len(list); more > 0 {
		list = append(list, f.lang.Text("%d more", more))
	}
	return f.lang.List(list...)
}

// takeOutField is the button that takes all of them out.
const takeOutField = "takeout"

// takeOut returns what was typed without the texts in Private: with a mark in the title and in the story, and without
// the accounts in the first field, apart from those that were chosen as theirs.
func (f *form) takeOut(chosen []string) url.Values {
	typed := url.Values{onceField: {f.Once}, correctsField: {f.Corrects.ID}, codeField: {f.Corrects.Code}}
	for _, field := range f.Typed() {
		typed.Set(field.Name, field.Text)
	}
	longest := slices.SortedFunc(slices.Values(f.Private), func(a, b string) int { return len(b) - len(a) })
	for _, name := range []string{titleField, storyField} {
		text := typed.Get(name)
		for _, one := range longest {
			text = strings.ReplaceAll(text, one, "[…]")
		}
		typed.Set(name, text)
	}
	var things []string
	for _, i := range slices.Concat(f.items[paste.Addresses], f.items[paste.Domains], f.items[paste.Handles]) {
		service, name, _ := strings.Cut(i.Text, ":")
		asked := i.Field == paste.Handles && slices.Contains(askedServices, service) && slices.Contains(f.Private, name) &&
			!slices.Contains(chosen, i.Text)
		if i.from.Name == thingsField && !asked {
			things = append(things, i.Text)
		}
	}
	for _, i := range f.items[paste.Transactions] {
		if i.from.Name == thingsField {
			things = append(things, "tx "+i.Text)
		}
	}
	typed.Set(thingsField, strings.Join(things, "\n"))
	return typed
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

// ownText says that a line of the first field calls something the reporter's own.
func ownText(p *locale.Printer, kind paste.Kind, what string) hint {
	t := p.Text
	if kind == paste.OwnAddress {
		return hint{t("whose address is it?"), t("This line calls an address your own: %s.", what),
			t("Take your own address out: a report warns of all that it names. If it is theirs, leave the address alone on " +
				"the line.")}
	}
	return hint{t("whose is it?"), t("This line calls a number, an e-mail address or a name your own: %s.", what),
		t("We did not take it as theirs. Take it out of this field: a report is public, and the next thief looks for " +
			"victims there. If it is theirs, leave it alone on the line.")}
}
