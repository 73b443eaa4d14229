package main

import (
	"net/http"
	"strings"
	"testing"
)

func TestTheServerTellsAgentsWhereItIs(t *testing.T) {
	m := newMachine(t)
	s := m.serve("-contact", "mailto:security@tocsin.example")
	for path, says := range map[string]string{
		"/openapi.json":                        `"url": "` + s.url + `"`,
		"/.well-known/x402.json":               s.url + base + "/screen/:address",
		"/llms.txt":                            s.url + base,
		"/robots.txt":                          "Content-Signal: search=yes, ai-input=yes, ai-train=no",
		"/.well-known/security.txt":            "Contact: mailto:security@tocsin.example\nExpires: ",
		"/.well-known/agent-skills/index.json": s.url + "/.well-known/agent-skills/check-a-link/SKILL.md",
		"/sitemap.xml":                         "<loc>" + s.url + "/docs/screen-address</loc>",
	} {
		if status, text := s.page(path); status != http.StatusOK || !strings.Contains(text, says) {
			t.Errorf("%s: %d, without %q: %.300s", path, status, says, text)
		}
	}
	// No mux on the way redirects a URL in a path for its slashes.
	r, err := http.NewRequest(http.MethodGet, s.url+base+"/domains/check/https://x.example/claim", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r) // follows no redirect
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	m.want("a URL as it is in a path", res.StatusCode, http.StatusPaymentRequired)
	s.says(&s.err, `method=GET path=/llms.txt route=/llms.txt status=200`)
	m.want("a warning that nobody can be asked", strings.Contains(s.err.String(), "no contact"), false)
}

func TestTheOperatorDecidesWhatCrawlersAreTold(t *testing.T) {
	m := newMachine(t)
	s := m.with("TOCSIN_CONTENT_SIGNAL=none").serve()
	_, robots := s.page("/robots.txt")
	s.says(&s.err, `level=WARN msg="no contact: set -contact`)
	m.want("signals", strings.Contains(robots, "Content-Signal"), false)
	status, _ := s.page("/.well-known/security.txt")
	m.want("security.txt without a contact", status, http.StatusNotFound)
	m.fails(exitUsage, `-content-signal: "train=no" is not like`, "serve", "-content-signal", "train=no")
	m.fails(exitUsage, `-contact: "me@tocsin.example" is neither like mailto:`, "serve", "-contact", "me@tocsin.example")
}
