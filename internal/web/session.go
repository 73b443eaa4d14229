package web

import (
	"net/http"
	"time"
)

// sessionLife is how long a session lasts.
const sessionLife = 7 * 24 * time.Hour

// sessionCookie returns the name of the cookie with the session. With https, browsers bind
// a cookie of this name to the host and to secure connections (RFC 6265bis, 4.1.3.2).
func (s *Site) sessionCookie() string {
	if s.secure {
		return "__Host-session"
	}
	return "session"
}

// recognize reads the session of the visitor.
func (s *Site) recognize(req *request) error {
	c, err := req.Cookie(s.sessionCookie())
	if err != nil {
		return nil
	}
	req.token = c.Value
	req.session, err = s.db.Session(req.Context(), c.Value)
	return err
}

// beginSession makes the session with a token that of the visitor. An earlier one ends: somebody else may have planted
// it (session fixation).
func (s *Site) beginSession(req *request, token string) (err error) {
	if req.session != nil {
		if err := s.db.EndSession(req.Context(), req.token); err != nil {
			return err
		}
	}
	req.token = token
	s.setSession(req, token, int(sessionLife.Seconds()))
	req.session, err = s.db.Session(req.Context(), token)
	return err
}

// setSession sets the cookie for so many seconds. An age of -1 deletes it.
func (s *Site) setSession(req *request, token string, age int) {
	c := http.Cookie{
		Name:     s.sessionCookie(),
		Value:    token,
		Path:     "/",
		MaxAge:   age,
		HttpOnly: true,
		Secure:   s.secure,
		SameSite: http.SameSiteLaxMode,
	}
	req.header.Add("Set-Cookie", c.String())
}
