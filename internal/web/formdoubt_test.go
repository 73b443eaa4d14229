package web

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// chosenOf is what is suggested as the answer to each question, by its label; "" for nothing.
func chosenOf(p *response) map[string]string {
	chosen := map[string]string{}
	for _, label := range p.all("label") {
		field := p.id(attr(label, "for"))
		if field == nil || attr(field, "name") != whoseField {
			continue
		}
		options := below(field, "option")
		i := slices.IndexFunc(options, func(o *html.Node) bool { return has(o, "selected") })
		chosen[textOf(label)] = attr(options[max(i, 0)], "value")
	}
	return chosen
}

// TestWhatTheStoryCallsOnesOwnIsNotSuggestedAsTheirs, though it was put among what is theirs: the page says what the
// story says, and the button for the rest takes it out.
func TestWhatTheStoryCallsOnesOwnIsNotSuggestedAsTheirs(t *testing.T) {
	s := start(t)
	v := s.visitor()
	const says = "You put this among what the fraudster has, but your story says “"
	for story, words := range map[string]string{
		"Le dije: Mi número es +34 612 345 678. Se fue.":    "Mi número es",
		"My WhatsApp number is 612 345 678 and he called.":  "My WhatsApp number is",
		"Meine Handynummer: +34612345678":                   "Meine Handynummer",
		"我的手机号是+34612345678，他打来了":                           "我的手机号是",
		"Mi correo es Ana@mail.example, y mi casa es verde": "Mi correo es",
	} {
		p := v.post("/report", aForm.with(fields{thingsField: "own.example\n+34 612 345 678\nana@mail.example",
			storyField: story}))
		own, other := "+34612345678", "ana@mail.example"
		if strings.Contains(story, "@") {
			own, other = other, own
		}
		p.says(says + words + "”. Whose is it?")
		chosen := chosenOf(p)
		want(t, story, []string{chosen[own], chosen[other]}, []string{"", "theirs " + other})
		shown := v.post("/report", p.sent().with(fields{takeOutField: "yes", whoseField: chosen[other]}))
		want(t, story+", taken out", []any{shown.status, strings.Contains(shown.sent()[thingsField], own),
			strings.Contains(strings.ToLower(shown.sent()[storyField]), own)}, []any{200, false, false})
	}
	p := v.post("/report", aForm.with(fields{thingsField: "own.example\n+34 612 345 678",
		storyField: "Su número es +34 612 345 678."}))
	lacks(t, p, says)
	want(t, "theirs", chosenOf(p), map[string]string{"+34612345678": "theirs +34612345678"})
}

// TestWhatTheReporterWritesInAConversationIsNotSuggestedAsTheirs, nor what anybody in it writes while nobody has said
// who the reporter is.
func TestWhatTheReporterWritesInAConversationIsNotSuggestedAsTheirs(t *testing.T) {
	s := start(t)
	v := s.visitor()
	const chat = "Maria: Hola\nLena: ¿tu número?\nMaria: +34 612 345 678\nLena: yo uso +44 7700 900123"
	const says = "You put this among what the fraudster has"
	form := aForm.with(fields{thingsField: "own.example\n+34 612 345 678\n+44 7700 900123", storyField: chat})
	for me, theirs := range map[string]string{"": "", "Maria": "theirs +447700900123"} {
		p := v.post("/report", form.with(fields{meField: me}))
		chosen := chosenOf(p)
		want(t, me, []string{chosen["+34612345678"], chosen["+447700900123"]}, []string{"", theirs})
		lacks(t, p, says)
	}
	copied := strings.ReplaceAll(chat, "Maria:", "Yo:")
	chosen := chosenOf(v.post("/report", form.with(fields{storyField: copied})))
	want(t, "a copy", []string{chosen["+34612345678"], chosen["+447700900123"]}, []string{"", "theirs +447700900123"})
}

// TestASiteThatOnlyTheStoryNamesIsAskedAbout without a suggestion: it may be the one to warn of.
func TestASiteThatOnlyTheStoryNamesIsAskedAbout(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{thingsField: nobody, storyField: "Entré en recover-funds.com y pagué."})
	p := v.post("/report", form)
	want(t, "suggested", chosenOf(p), map[string]string{"Is it the site of whoever cheated you? recover-funds[.]com": ""})
	want(t, "not published without an answer", v.post("/report", p.sent().with(fields{publishField: "yes"})).status, 422)
	p = v.post("/report", p.sent().with(fields{nextField: "yes", whoseField: "theirs recover-funds.com"}))
	filed := s.storedReport(v.post("/report", p.sent().with(fields{publishField: "yes"})))
	want(t, "theirs", filed.ReportedDomains, []string{"recover-funds.com"})
}
