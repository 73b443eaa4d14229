package api

import (
	"strings"
	"testing"
)

func TestAKeyMayComeAsABearerToken(t *testing.T) {
	s := start(t)
	key, other := s.key(-1), s.key(-1)
	unknown := "toc_" + strings.Repeat("a", 38)
	for about, c := range map[string]struct {
		headers []string
		status  int
		code    string
	}{
		"a bearer token":         {[]string{"Authorization: Bearer " + key}, 200, ""},
		"the scheme has no case": {[]string{"Authorization: bearer  " + key}, 200, ""},
		"in both headers":        {[]string{"Authorization: Bearer " + key, "x-api-key: " + key}, 200, ""},
		"a proxy's credentials":  {[]string{"Authorization: Basic dTpw", "x-api-key: " + key}, 200, ""},
		"a proxy's token":        {[]string{"Authorization: Bearer eyJhbGciOi", "x-api-key: " + key}, 200, ""},
		"two different keys": {[]string{"Authorization: Bearer " + other, "x-api-key: " + key}, 400,
			"invalid_input"},
		"two headers with keys":       {[]string{"x-api-key: " + other, "x-api-key: " + key}, 400, "invalid_input"},
		"a key without the scheme":    {[]string{"Authorization: " + key}, 400, "invalid_input"},
		"no key of ours":              {[]string{"Authorization: Bearer " + unknown}, 402, "unknown_key"},
		"a token of another kind":     {[]string{"Authorization: Bearer eyJhbGciOi"}, 402, "unknown_key"},
		"credentials of another kind": {[]string{"Authorization: Basic dTpw"}, 402, "payment_required"},
		"the scheme alone":            {[]string{"Authorization: Bearer"}, 402, "payment_required"},
	} {
		a := s.get("/screen/"+thief, c.headers...)
		want(t, about, []any{a.status, a.text("code")}, []any{c.status, c.code})
	}
	bearer := "Authorization: Bearer " + key
	want(t, "who it is", s.get("/me", bearer).in("authenticated"), true)
	want(t, "used", s.get("/me", bearer).number("freeCalls.used"), 5)
	both := s.get("/me", "x-api-key: "+other, bearer)
	want(t, "two keys for a free call", []any{both.status, both.faulty()}, []any{400, []string{"x-api-key"}})
	want(t, "revoked", s.do("DELETE", "/me/key", nil, bearer).status, 200)
	gone := s.do("DELETE", "/me/key", nil, bearer)
	want(t, "no longer live", []any{gone.status, gone.header.Get("WWW-Authenticate")}, []any{401, "Bearer"})
}
