package web

import (
	"net/http"

	"tocsin/internal/locale"
)

// localeCookie names the cookie with the tag of the language that a visitor chose.
const localeCookie = "language"

// chooseLanguage keeps the language that the visitor chose, and returns to the page.
func (s *Site) chooseLanguage(req *request) (*page, error) {
	return s.keepChoice(req, localeCookie, req.PostFormValue("language"), s.langs.Tags()...), nil
}

// languageOf returns the language of a visitor: that which they chose, or else what their browser asks for.
func (s *Site) languageOf(r *http.Request) *locale.Printer {
	chosen := ""
	if c, err := r.Cookie(localeCookie); err == nil {
		chosen = c.Value
	}
	return s.langs.Choose(chosen, r.Header.Get("Accept-Language"))
}
