package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// themeCookie names the cookie with the color theme that a visitor chose: light or dark.
const themeCookie = "theme"

// theme sets the cookie, and redirects to the page that the visitor was on.
func (s *Site) theme(req *request) (*page, error) {
	c := http.Cookie{
		Name:     themeCookie,
		Value:    req.PostFormValue("theme"),
		Path:     "/",
		MaxAge:   int((365 * 24 * time.Hour).Seconds()),
		HttpOnly: true,
		Secure:   s.secure,
		SameSite: http.SameSiteLaxMode,
	}
	if c.Value != "light" && c.Value != "dark" { // follow the system
		c.Value, c.MaxAge = "", -1
	}
	req.header.Add("Set-Cookie", c.String())
	to := "/"
	if from, err := url.Parse(
		req.Referer(),
	); err == nil && strings.HasPrefix(from.Path, "/") &&
		!strings.HasPrefix(from.Path, "//") {
		to = (&url.URL{Path: from.Path, RawQuery: from.RawQuery}).RequestURI()
	}
	return &page{Location: to}, nil
}
