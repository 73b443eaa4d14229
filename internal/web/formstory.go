package web

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tocsin"
	"tocsin/internal/paste"
)

// foundField is the field of what the story names, and whoever files the report says to be theirs. It is read as if it
// had been typed into the first field.
const foundField = "found"

// offeredField is the field of a phone number or an e-mail address that somebody looked up before they came to the
// form: it may be their own, so the form asks.
const offeredField = "offered"

// offeredBy is that handle, unless it was said to be theirs since; "" for none.
func offeredBy(typed url.Values) string {
	h, fault := tocsin.ParseHandle(typed.Get(offeredField))
	if fault != nil || !slices.Contains(askedServices, h.Service) || slices.Contains(typed[foundField], h.String()) {
		return ""
	}
	return h.String()
}

// OfferedName is the handle in Offered for people.
func (f *form) OfferedName() string { return handleText(f.lang, f.Offered) }

// maxFound is how many things of a story are asked about. A report names few.
const maxFound = 30

// found is something that a story names, to be asked whether it is theirs.
type found struct {
	Value   string          // as the first field has it
	Subject *tocsin.Subject // nil of a handle
	Handle  string          // with its service, for people
}

// thingsOf is what was typed into the first field, and what was chosen of a story.
func thingsOf(typed url.Values) string {
	return strings.TrimSpace(typed.Get(thingsField) + "\n" + strings.Join(typed[foundField], "\n"))
}

// toStory moves what was typed into the first field to the story if it is one, such as a conversation that was pasted
// as a whole. What does not fit stays where it is, and nothing is looked for in it.
func (f *form) toStory() {
	things, story := f.Field(thingsField), f.Field(storyField)
	if told, _ := tocsin.WithoutSecrets(things.Text, "", ""); !paste.IsStory(told) { // the words of a phrase tell nothing
		return
	}
	whole := things.Text
	if story.Text != "" && !strings.Contains(whole, story.Text) {
		whole = story.Text + "\n\n" + whole
	}
	if n := utf8.RuneCountInString(whole); n > tocsin.MaxDescription {
		things.holds = paste.Prose
		number := func(n int) string { return f.lang.Number(int64(n)) }
		things.addProblem(f.lang.Text("longer than a story can be"), f.lang.Sentences(
			f.lang.Text("This is a story or a conversation, and a story may have %s characters. With what you wrote below it "+
				"has %s.", number(tocsin.MaxDescription), number(n)),
			f.lang.Text("Leave the messages that matter: what they promised, where you paid, their names and addresses.")))
		return
	}
	story.Text, things.Text, f.Moved = whole, "", true
}

// cutSecrets takes recovery phrases and private keys out of a story, and leaves the rest: nobody writes it twice.
func (f *form) cutSecrets(story *formField) {
	text, cut := tocsin.WithoutSecrets(story.Text, f.lang.Text("[recovery phrase removed]"),
		f.lang.Text("[private key removed]"))
	if story.Text = tocsin.CleanText(text); cut && story.Text == "" {
		story.clearSecret()
	}
	f.Cut = f.Cut || cut
}

// findInStory finds what the story names, if nothing else does.
func (f *form) findInStory() {
	story := f.Field(storyField).Text
	if utf8.RuneCountInString(story) > tocsin.MaxDescription {
		return // which is a fault of its own
	}
	for _, one := range paste.InStory(story) {
		if one.Handle != "" {
			f.Found = append(f.Found, found{Value: asTyped(one.Handle), Handle: handleText(f.lang, one.Handle)})
		} else {
			f.Found = append(f.Found, found{Value: thing(one.Subject), Subject: &one.Subject})
		}
	}
	f.Found = f.Found[:min(len(f.Found), maxFound)]
}

// leaveKnown takes well-known sites out of what the story names: they cannot be reported as a whole, and a story has
// the name of the exchange that somebody sent from.
func (s *Site) leaveKnown(req *request, f *form) error {
	if len(f.Found) == 0 {
		return nil
	}
	var names []string
	for _, one := range f.Found {
		if one.Subject != nil && one.Subject.Kind == tocsin.DNS {
			names = append(names, one.Subject.Value)
		}
	}
	var refused *tocsin.Error
	err := s.db.CheckDraft(req.Context(), &tocsin.Draft{ReportedDomains: names})
	if !errors.As(err, &refused) || refused.Code != tocsin.Invalid {
		return err
	}
	for _, fault := range refused.Fields {
		m := faultField.FindStringSubmatch(fault.Field)
		if m == nil || m[2] == "" {
			continue
		}
		i, _ := strconv.Atoi(m[2]) // digits
		f.Found = slices.DeleteFunc(f.Found, func(one found) bool {
			return one.Subject != nil && one.Subject.Value == names[i]
		})
	}
	if len(f.Found) == 0 {
		f.addNoSubject()
	}
	return nil
}
