package web

import (
	"cmp"
	"net/http"
	"regexp"
	"strings"

	"tocsin"
	"tocsin/internal/front"
)

// keyField is the name of the field with a key. It comes in the body of a form only, and is never shown again.
const keyField = "apikey"

// keyForm matches a key, also in a line of a file or a header.
var keyForm = regexp.MustCompile(`\btoc_[a-z2-7]{38}\b`)

// useKey signs the visitor in with the key in a form, or says what is wrong with it. The tries of a network are counted
// with its sign-ins. The session ends when the key is revoked.
func (s *Site) useKey(req *request) (wrong string, err error) {
	if err := s.api.AdmitSignIn(front.Of(req.Context()).Network()); err != nil {
		return "", err
	}
	pasted := strings.TrimSpace(req.PostFormValue(keyField))
	key, ok := tocsin.ParseKey(keyForm.FindString(pasted))
	switch {
	case ok:
	case pasted == "":
		return req.lang.Text("Paste the key here. It begins with toc_."), nil
	case secretForm.MatchString(pasted), tocsin.FindSecret(pasted) != nil:
		return req.lang.Text(secretText), nil
	default:
		return req.lang.Text("This is no key of Tocsin. A key is toc_ and 38 letters and digits. Copy all of it again."), nil
	}
	token, err := s.db.NewKeySession(req.Context(), key, sessionLife)
	if err != nil {
		return "", err
	}
	if token == "" {
		return req.lang.Text("This key does not work here: it is unknown or revoked. Ask for a new one where you have " +
			"it from."), nil
	}
	return "", s.beginSession(req, token)
}

// signInWithKey signs in the visitor who has a key.
func (s *Site) signInWithKey(req *request) (*page, error) {
	wrong, err := s.useKey(req)
	switch {
	case err != nil:
		return nil, err
	case wrong != "":
		return s.signInPage(req, signInPage{KeyError: wrong}, http.StatusBadRequest), nil
	case s.carriedList(req) != nil:
		return s.sendList(req, false)
	}
	return &page{Location: cmp.Or(nextPath(req), "/account")}, nil
}
