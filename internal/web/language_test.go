package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"tocsin"
)

// TestAPageIsInTheLanguageOfItsVisitor: of their choice, which is kept, or else of their browser.
func TestAPageIsInTheLanguageOfItsVisitor(t *testing.T) {
	s := start(t)
	v := s.visitor()
	language := func(path string, headers ...string) []string {
		p := v.get(path, headers...)
		pressed := ""
		for _, b := range p.all("button") {
			if attr(b, "name") == "language" && attr(b, "aria-pressed") == "true" {
				pressed += attr(b, "value")
			}
		}
		return []string{attr(p.all("html")[0], "lang"), p.header.Get("Content-Language"), pressed}
	}
	const mexican = "accept-language: es-MX,es;q=0.9,en;q=0.8"
	same(t, "a browser that says nothing", language("/status"), "en", "en", "en")
	same(t, "a browser in Mexico", language("/status", mexican), "es", "es", "es")
	same(t, "a page that is not there", language("/nowhere", mexican), "es", "es", "es")
	same(t, "the documentation", language("/docs", mexican), "en", "en", "en")
	p := v.post("/language", fields{"language": "zh-Hans"}, "referer: http://tocsin.example/reports?q=a")
	want(t, "a choice", []any{p.status, p.header.Get("Location"), p.header.Get("Set-Cookie")}, []any{303, "/reports?q=a",
		"language=zh-Hans; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"})
	same(t, "a visitor who chose", language("/status", mexican), "zh-Hans", "zh-Hans", "zh-Hans")
	v.post("/language", fields{"language": "xx"})
	same(t, "a visitor who chose nothing that there is", language("/status", mexican), "es", "es", "es")
	want(t, "an error", attr(v.post("/report", nil, "origin: https://evil.example", mexican).all("html")[0], "lang"), "es")
}

// TestAHalfWrittenFormIsKeptInAnotherLanguage: its language buttons send it along, and nothing is called wrong yet.
func TestAHalfWrittenFormIsKeptInAnotherLanguage(t *testing.T) {
	v := start(t).visitor()
	for path, id := range map[string]string{"/report": "filing", "/bulk": "list"} {
		for _, b := range v.get(path).all("button") {
			if attr(b, "name") == "language" {
				same(t, path, []string{attr(b, "form"), attr(b, "type")}, id, "submit")
			}
		}
	}
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	const story = "Me escribió por Telegram.\nNi una palabra más."
	typed := fields{thingsField: "evil.example\nnothing, really", storyField: story, crimeField: "romance_scam",
		amountField: "7.300,50 €", "language": "es"}
	p := v.post("/report?lang=fr", typed)
	same(t, "language", []string{attr(p.all("html")[0], "lang"), attr(p.id("filing"), "action")}, "es", "/report")
	want(t, "page", []any{p.status, strings.Contains(p.header.Get("Set-Cookie"), "language=es;"), len(p.class("err")),
		len(p.class("errs"))}, []any{200, true, 0, 0})
	for _, name := range []string{thingsField, storyField, crimeField, amountField} {
		want(t, name, p.value(name), typed[name])
	}
	want(t, "kept", attr(v.get("/report").all("html")[0], "lang"), "es")

	p = v.post("/report", fields{thingsField: "evil.example", "language": "de"})
	same(t, "again", []string{attr(p.all("html")[0], "lang"), p.value(thingsField)}, "de", "evil.example")
	p = v.post("/report", fields{storyField: "Ich gab ihr " + phrase + " weiter.", "language": "en"})
	want(t, "a phrase", []any{strings.Contains(p.html, phrase), strings.Contains(p.value(storyField), "Ich gab ihr")},
		[]any{false, true})
	p = v.post("/bulk", fields{"subjects": "evil.example\n" + thief, "language": "fr"})
	same(t, "a list", []string{attr(p.all("html")[0], "lang"), strings.TrimSpace(p.value("subjects"))}, "fr",
		"evil.example\n"+thief)
}

// TestTheLanguageOfALinkIsKept by the forms, buttons, links and redirects of its page, without a cookie.
func TestTheLanguageOfALinkIsKept(t *testing.T) {
	v := start(t).visitor()
	lang := func(p *response) string { return attr(p.all("html")[0], "lang") }
	want(t, "named in another way", slices.Contains(v.get("/help?lang=zh").links(), "/report?lang=zh-Hans"), true)
	p := v.get("/bulk?lang=es")
	list := p.id("list")
	want(t, "a form", attr(list, "action"), "/bulk?lang=es")
	p = v.post(attr(list, "action"), fields{"subjects": thief})
	want(t, "its page", lang(p), "es")
	want(t, "the next form", attr(p.id("list"), "action"), "/bulk?lang=es")
	for _, a := range p.all("a") {
		if to := attr(a, "href"); strings.HasPrefix(to, "/") && !strings.Contains(to, "lang=es") {
			t.Errorf("the link %s loses the language", to)
		}
	}
	for _, input := range p.all("input") {
		if attr(input, "name") == "lang" {
			want(t, "a form without a body", attr(input, "value"), "es")
			want(t, "of which the page", attr(input.Parent, "action"), "/screen")
		}
	}
	elsewhere := map[string]bool{}
	for _, button := range v.post("/bulk?lang=es", fields{"subjects": thief, "do": "screen"}).all("button") {
		elsewhere[attr(button, "formaction")] = true
	}
	want(t, "a button that sends a form elsewhere", elsewhere, map[string]bool{"": true,
		"/bulk?lang=es#h-changed": true})
	p = v.get("/screen?lang=es&q=" + thief)
	want(t, "a redirect", p.header.Get("Location"), "/screen/"+thief+"?asked=1&lang=es")
	p = v.get("/bulk?lang=es", "accept-language: es")
	want(t, "a browser that asks for it anyway", attr(p.id("list"), "action"), "/bulk")
	v.post("/language", fields{"language": "de"})
	p = v.get("/bulk?lang=es")
	same(t, "who has chosen another one", []string{lang(p), attr(p.id("list"), "action")}, "de", "/bulk")
}

// TestWhatIsWrongIsSaidInTheLanguageOfThePage: the rules say it in English to the API, and with a format to the site.
func TestWhatIsWrongIsSaidInTheLanguageOfThePage(t *testing.T) {
	v := start(t).visitor()
	for typed, says := range map[string]string{
		"ftp://x.example":         `"ftp:/" no es una URL http o https.`,
		"https://-evil.example/a": `La parte "-evil" empieza o termina con un guion.`,
		"bitcoin:evil":            `"evil" no es una dirección de Bitcoin`,
	} {
		v.get("/screen?q="+url.QueryEscape(typed), "accept-language: es").says(says)
	}
	long := aForm.with(fields{titleField: strings.Repeat("x", tocsin.MaxTitle+1)})
	v.post("/report", long, "accept-language: de").says("Zeichen, erlaubt sind ")
}

// TestARedirectKeepsTheLanguage of the page that it comes from, within this site.
func TestARedirectKeepsTheLanguage(t *testing.T) {
	for _, c := range []struct{ at, tag, want string }{
		{"/a", "de", "/a?lang=de"}, {"/a?b=1#c", "de", "/a?b=1&lang=de#c"}, {"/a", "", "/a"},
		{"/a?lang=fr", "de", "/a?lang=fr"}, {"https://x.example/a", "de", "https://x.example/a"},
		{"//x.example/a", "de", "//x.example/a"}, {"mailto:a@b.example", "de", "mailto:a@b.example"},
	} {
		want(t, c.at, redirected(c.at, c.tag), c.want)
	}
}
