package discovery

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tocsin/internal/mcp"
)

// urls are the absolute URLs of this origin in a text.
func (s *origin) urls(text []byte) (found []string) {
	pattern := regexp.MustCompile(regexp.QuoteMeta(s.base) + "[^\\s\"'`<>)|,;\\\\]*")
	for _, u := range pattern.FindAllString(string(text), -1) {
		u, _, _ = strings.Cut(strings.TrimRight(u, "."), "#")
		if !slices.Contains(found, u) {
			found = append(found, u)
		}
	}
	return found
}

func TestEveryURLInEveryDocumentAnswers(t *testing.T) {
	for _, o := range []options{everything, {}} {
		s := start(t, o)
		tried := map[string]bool{}
		for _, path := range s.documents.paths() {
			found := s.urls(s.get(path).text)
			if len(found) == 0 {
				t.Errorf("%s names no URL", path)
			}
			for _, u := range found {
				at := strings.NewReplacer("{address}", payTo, "{domain}", "x.example", "{id}", "rep_x", ":id", "rep_x").
					Replace(strings.TrimPrefix(u, s.base))
				if tried[at] || strings.Contains(at, "/rep_") || strings.HasSuffix(at, "/$REPORT_ID") {
					continue // a report of an example is not there
				}
				tried[at] = true
				status := s.call(http.MethodGet, at, "").status
				fits := status == http.StatusOK
				if strings.HasPrefix(at, s.api+"/") || at == mcp.Path { // with a price; with input that is missing; for POST
					fits = fits || slices.Contains([]int{400, 401, 402, 405}, status)
				}
				if !fits {
					t.Errorf("%s in %s: %d", u, path, status)
				}
			}
		}
		if len(tried) < 50 {
			t.Errorf("only %d URLs were found", len(tried))
		}
	}
}

func TestDocumentsAreServedAsTheirSpecificationsSay(t *testing.T) {
	s := start(t, everything)
	kinds := map[string]string{
		"/openapi.json":                        "application/json",
		"/openapi.yaml":                        "application/yaml",
		"/llms.txt":                            "text/plain; charset=utf-8",
		"/robots.txt":                          "text/plain; charset=utf-8",
		"/sitemap.xml":                         "application/xml",
		"/mcp/server-card":                     "application/mcp-server-card+json",
		"/.well-known/x402.json":               "application/json",
		"/.well-known/acp.json":                "application/json",
		"/.well-known/mcp/server-card.json":    "application/json",
		"/.well-known/ai-catalog.json":         "application/ai-catalog+json",
		"/.well-known/security.txt":            "text/plain; charset=utf-8",
		"/api/v1":                              `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`,
		"/.well-known/api-catalog":             `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`,
		"/.well-known/agent-skills/index.json": "application/json",
		"/.well-known/agent-skills/check-a-link/SKILL.md":          "text/markdown; charset=utf-8",
		"/.well-known/agent-skills/file-a-report/SKILL.md":         "text/markdown; charset=utf-8",
		"/.well-known/agent-skills/screen-before-you-pay/SKILL.md": "text/markdown; charset=utf-8",
	}
	s.same("documents", len(s.documents.paths()), len(kinds))
	for path, media := range kinds {
		a := s.call(http.MethodGet, path, "", "Accept-Encoding: identity")
		etag := a.header.Get("ETag")
		age := "public, max-age=3600"
		if strings.HasSuffix(path, "x402.json") || path == "/llms.txt" {
			age = "public, max-age=300"
		}
		for name, want := range map[string]string{
			"Content-Type":                media,
			"Cache-Control":               age,
			"Access-Control-Allow-Origin": "*",
			"X-Content-Type-Options":      "nosniff",
			"Vary":                        "Accept-Encoding",
		} {
			s.same(path+": "+name, a.header.Get(name), want)
		}
		if !regexp.MustCompile(`^"[0-9a-f]{32}"$`).MatchString(etag) {
			t.Errorf("%s: ETag %s", path, etag)
		}
		for _, known := range []string{etag, `"x", ` + etag, "W/" + etag, "*"} {
			again := s.call(http.MethodGet, path, "", "If-None-Match: "+known, "Accept-Encoding: identity")
			if again.status != http.StatusNotModified || len(again.text) > 0 || again.header.Get("ETag") != etag {
				t.Errorf("%s with If-None-Match: %s: %d, %d bytes", path, known, again.status, len(again.text))
			}
		}
		s.same(path+" has changed", s.call(http.MethodGet, path, "", `If-None-Match: "other"`).status, 200)
		head := s.call(http.MethodHead, path, "", "Accept-Encoding: identity")
		s.same(path+": HEAD", []any{head.status, len(head.text)}, []any{200, 0})
		for name, want := range map[string]string{
			"Content-Length": fmt.Sprint(len(a.text)), "ETag": etag, "Content-Type": media,
		} {
			s.same(path+": HEAD: "+name, head.header.Get(name), want)
		}
		post := s.call(http.MethodPost, path, "{}")
		if post.status != http.StatusMethodNotAllowed || post.header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: POST %d, Allow %q", path, post.status, post.header.Get("Allow"))
		}
		ask := s.call(http.MethodOptions, path, "", "Origin: https://elsewhere.example",
			"Access-Control-Request-Method: GET", "Access-Control-Request-Headers: if-none-match")
		s.same(path+": OPTIONS", []any{ask.status, ask.header.Get("Access-Control-Allow-Origin")}, []any{204, "*"})
		s.has(path+": OPTIONS", []byte(ask.header.Get("Access-Control-Allow-Headers")), "If-None-Match")
	}
	catalog := s.call(http.MethodHead, "/.well-known/api-catalog", "")
	s.same("RFC 9727: Link of HEAD", catalog.header.Get("Link"), "<"+s.base+`/.well-known/api-catalog>; rel="api-catalog"`)
}

func TestWhatADeploymentDoesNotHaveIsNotThere(t *testing.T) {
	s := start(t, options{})
	for _, path := range []string{
		"/.well-known/security.txt", "/.well-known/", "/.well-known/x402", "/.well-known/agent-card.json",
		"/.well-known/oauth-protected-resource",
		"/.well-known/agent-skills/", "/.well-known/agent-skills/other/SKILL.md", "/.well-known/../etc/passwd",
		"/openapi.json/",
	} {
		absent := []int{http.StatusNotFound, http.StatusTemporaryRedirect, http.StatusMovedPermanently}
		if a := s.call(http.MethodGet, path, ""); !slices.Contains(absent, a.status) {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for _, path := range s.documents.paths() {
		s.lacks(path, s.get(path).text, "security.txt")
	}
	s.same("contact", s.json("/openapi.json").at("info", "contact").any, nil)
	s.lacks("robots.txt", s.get("/robots.txt").text, "Content-Signal")
}
