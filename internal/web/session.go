package web

import (
	"net/http"
	"time"
)

// sessionLife is how long somebody stays signed in.
const sessionLife = 7 * 24 * time.Hour

// sessionCookie names the cookie of who is signed in. Over https its name binds
// it to this host and to secure connections (RFC 6265bis, 4.1.3.2).
func (s *Site) sessionCookie() string {
	if s.secure {
		return "__Host-session"
	}
	return "session"
}

// recognize finds out who is signed in.
func (s *Site) recognize(req *request) error {
	c, err := req.Cookie(s.sessionCookie())
	if err != nil {
		return nil
	}
	req.token = c.Value
	req.session, err = s.db.Session(req.Context(), c.Value)
	return err
}

// setSession hands the browser its session, or with age -1 takes it away.
func (s *Site) setSession(req *request, token string, age int) {
	c := http.Cookie{Name: s.sessionCookie(), Value: token, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode}
	req.header.Add("Set-Cookie", c.String())
}
