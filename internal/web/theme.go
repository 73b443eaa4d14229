package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// themeCookie names the cookie with the color theme that a visitor chose: light or dark.
const themeCookie = "theme"

// theme keeps the color theme that the visitor chose, and returns to the page.
func (s *Site) theme(req *request) (*page, error) {
	return s.keepChoice(req, themeCookie, req.PostFormValue("theme"), "light", "dark"), nil
}

// keepInCookie keeps a choice of the visitor in a cookie for a year. A value that cannot be chosen removes the cookie.
func (s *Site) keepInCookie(req *request, cookie, value string, choices ...string) {
	c := http.Cookie{
		Name:     cookie,
		Value:    value,
		Path:     "/",
		MaxAge:   int((365 * 24 * time.Hour).Seconds()),
		HttpOnly: true,
		Secure:   s.secure,
		SameSite: http.SameSiteLaxMode,
	}
	if !slices.Contains(choices, value) {
		c.Value, c.MaxAge = "", -1
	}
	req.header.Add("Set-Cookie", c.String())
}

// keepChoice keeps a choice of the visitor, and redirects to the page that the visitor was on.
func (s *Site) keepChoice(req *request, cookie, value string, choices ...string) *page {
	s.keepInCookie(req, cookie, value, choices...)
	to := "/"
	from, err := url.Parse(req.Referer())
	if err == nil && strings.HasPrefix(from.Path, "/") && !strings.HasPrefix(from.Path, "//") {
		to = (&url.URL{Path: from.Path, RawQuery: from.RawQuery}).RequestURI()
	}
	return &page{Location: to}
}
