package web

import (
	"net/url"
	"slices"
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

// thingsOf is what was typed into the first field, and what was chosen of a story.
func thingsOf(typed url.Values) string {
	return strings.TrimSpace(typed.Get(thingsField) + "\n" + strings.Join(typed[foundField], "\n"))
}

// toStory moves what was typed into the first field to the story if it is one, such as a conversation that was pasted
// as a whole. What does not fit stays where it is, and nothing is looked for in it.
func (f *form) toStory() {
	things, story := f.Field(thingsField), f.Field(storyField)
	// The words of a phrase tell nothing.
	if told, _ := tocsin.WithoutSecrets(things.Text, "", "", ""); !paste.IsStory(told) {
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
	tokens := tocsin.OnlyTokens(story.Text)
	text, cut := tocsin.WithoutSecrets(story.Text, f.lang.Text("[recovery phrase removed]"),
		f.lang.Text("[private key removed]"), f.lang.Text("[key or code removed]"))
	if story.Text = tocsin.CleanText(text); cut && story.Text == "" {
		story.clearSecret(tokens)
	}
	f.Cut, f.Tokens = f.Cut || cut && !tokens, f.Tokens || tokens
}

// leaveKnown asks about no well-known sites: they cannot be reported as a whole, and a story has the name of the
// exchange that somebody sent from.
func (s *Site) leaveKnown(req *request, f *form) error {
	var names []string
	for _, one := range f.Asked {
		if one.Subject != nil && one.Subject.Kind == tocsin.DNS {
			names = append(names, one.Subject.Value)
		}
	}
	if len(names) == 0 {
		return nil
	}
	safe, err := s.db.Safelisted(req.Context(), names)
	if err != nil {
		return err
	}
	f.Asked = slices.DeleteFunc(f.Asked, func(one question) bool {
		return one.Subject != nil && one.Subject.Kind == tocsin.DNS && safe[one.Subject.Value]
	})
	if f.Unnamed && !f.canName() {
		f.Unnamed = false
		f.addNoSubject()
	}
	return nil
}
