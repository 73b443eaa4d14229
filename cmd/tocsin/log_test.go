package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestNoSecretInAPathIsLogged puts what nobody should paste anywhere into paths
// and queries of everything that the server answers.
func TestNoSecretInAPathIsLogged(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	const key = "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
	// Of BIP-39's test vectors.
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	calls := 0
	for _, secret := range []string{phrase, key} {
		for _, path := range []string{
			"/api/v1/screen/", "/api/v1/domains/check/", "/api/v1/community-reports/", "/api/v1/nothing/",
			"/screen/", "/reports/", "/docs/", "/nothing/", "/mcp/", "/.well-known/",
		} {
			for _, written := range []string{
				url.PathEscape(secret), strings.ReplaceAll(secret, " ", "-"), "x?q=" + url.QueryEscape(secret),
			} {
				res, err := http.Get(s.url + path + written)
				if err != nil {
					t.Fatal(err)
				}
				res.Body.Close()
				calls++
			}
		}
	}
	m.soon("each call is in the log", func() bool { return strings.Count(s.err.String(), " status=") >= calls })
	for _, word := range []string{"sausage", "yellow", key[2:20]} {
		if log := s.err.String(); strings.Contains(log, word) {
			t.Errorf("%q is in the log:\n%s", word, log)
		}
	}
}
