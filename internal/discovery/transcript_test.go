package discovery

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tocsin/internal/tocsintest"
)

// ownWords returns the text of a document without what it repeats of the contract.
func ownWords(t *testing.T, path string, text []byte) string {
	t.Helper()
	switch path {
	case "/llms.txt":
		return regexp.MustCompile("(?m)^.*Answers `.*\n").ReplaceAllString(string(text), "")
	case "/.well-known/x402.json":
		var manifest map[string]any
		must(t, json.Unmarshal(text, &manifest))
		for _, item := range manifest["items"].([]any) {
			delete(item.(map[string]any), "input")
			delete(item.(map[string]any), "output")
		}
		return string(encode(manifest))
	}
	return string(text)
}

// TestEachDocumentIsTheSameWordByWord compares headers and text of the documents, with payments and without, with
// testdata/documents.txt. Of the contract and what repeats it, which have tests of their own, it holds the headers.
func TestEachDocumentIsTheSameWordByWord(t *testing.T) {
	var b strings.Builder
	chance := regexp.MustCompile(`http://127\.0\.0\.1:\d+|"[0-9a-f]{32}(-gzip)?"`)
	for _, o := range []options{everything, {}} {
		s := start(t, o)
		add := func(method, path string, headers ...string) {
			t.Helper()
			a := s.call(method, path, "", headers...)
			fmt.Fprintf(&b, "=== %s %s %s, payments %t: %d\n", method, path, strings.Join(headers, ", "), o.payments, a.status)
			for _, name := range slices.Sorted(maps.Keys(a.header)) {
				if name != "Date" && name != "X-Request-Id" && name != "Content-Length" {
					fmt.Fprintf(&b, "%s: %s\n", name, chance.ReplaceAllString(strings.Join(a.header[name], " | "), "…"))
				}
			}
			if strings.HasPrefix(path, "/openapi.") || a.header.Get("Content-Encoding") != "" {
				fmt.Fprintf(&b, "\n%t\n\n", len(a.text) > 0)
				return
			}
			fmt.Fprintf(&b, "\n%s\n\n", chance.ReplaceAllString(ownWords(t, path, a.text), "…"))
		}
		for _, path := range s.documents.paths() {
			if o.payments || strings.HasPrefix(path, "/.well-known/") && !strings.Contains(path, "SKILL") {
				add(http.MethodGet, path)
			}
		}
		if !o.payments {
			continue
		}
		const one = "/llms.txt"
		tag := s.call(http.MethodGet, one, "").header.Get("ETag")
		add(http.MethodHead, one)
		add(http.MethodGet, one, "Accept-Encoding: gzip")
		add(http.MethodGet, one, "If-None-Match: "+tag)
		add(http.MethodGet, one, "Range: bytes=0-3")
		add(http.MethodPost, one)
		add(http.MethodOptions, one, "Origin: https://a.example", "Access-Control-Request-Method: GET")
		add(http.MethodGet, "/.well-known/nothing")
	}
	tocsintest.Golden(t, "testdata/documents.txt", chance.ReplaceAllString(b.String(), "…"))
}
