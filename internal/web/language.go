package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tocsin/internal/locale"
)

// localeCookie names the cookie with the tag of the language that a visitor chose.
const localeCookie = "language"

// languageField is the field of the buttons that choose a language.
const languageField = "language"

// chooseLanguage keeps the language that the visitor chose, and returns to the page.
func (s *Site) chooseLanguage(req *request) (*page, error) {
	return s.keepChoice(req, localeCookie, req.PostFormValue(languageField), s.langs.Tags()...), nil
}

// choseLanguage reports whether a form was sent to have its page in another language: see [page.Form]. The choice is
// kept.
func (s *Site) choseLanguage(req *request) bool {
	if !req.PostForm.Has(languageField) {
		return false
	}
	s.keepInCookie(req, localeCookie, req.PostForm.Get(languageField), s.langs.Tags()...)
	req.lang = s.languageOf(req.Request)
	return true
}

// langParameter is the parameter of a URL that names the language of a page or of a card.
const langParameter = "lang"

// inLanguage is a URL with the language of its page.
func inLanguage(at, tag string) string { return withQuery(at, url.Values{langParameter: {tag}}) }

// withQuery is a path or a URL, which may have parameters, with some more.
func withQuery(at string, more url.Values) string {
	switch {
	case len(more) == 0:
		return at
	case strings.Contains(at, "?"):
		return at + "&" + more.Encode()
	}
	return at + "?" + more.Encode()
}

// languageOf returns the language of a visitor: that which they chose, on this form or before, or that of the link by
// which they come, or else what their browser asks for. Those that show links ask for none, so a link that is shared
// names its own.
func (s *Site) languageOf(r *http.Request) *locale.Printer {
	chosen := r.URL.Query().Get(langParameter)
	if c, err := r.Cookie(localeCookie); err == nil && slices.Contains(s.langs.Tags(), c.Value) {
		chosen = c.Value
	}
	if now := r.PostForm.Get(languageField); slices.Contains(s.langs.Tags(), now) {
		chosen = now
	}
	return s.langs.Choose(chosen, r.Header.Get("Accept-Language"))
}
