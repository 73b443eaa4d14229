package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// connectWith connects a client that sends these headers with every message.
func (s *service) connectWith(revision string, h headers) *client {
	s.Helper()
	return s.client(revision,
		&sdk.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: h}, MaxRetries: -1})
}

// TestAToolTakesAKeyAsABearerToken: hosted clients can send nothing else.
func TestAToolTakesAKeyAsABearerToken(t *testing.T) {
	s := start(t)
	key, other := s.key(5), s.key(5)
	for _, revision := range revisions {
		c := s.connectWith(revision, headers{"Authorization": "Bearer " + key})
		s.want("who it is", c.call("my_stats", nil).in("authenticated"), true)
		s.want("a call", c.call("check_address", calls["check_address"]).IsError, false)
		two := s.connectWith(revision, headers{"Authorization": "Bearer " + key, "x-api-key": other})
		for _, tool := range []string{"my_stats", "check_address", "file_report"} {
			a := two.call(tool, calls[tool])
			s.want("two keys: "+tool, []any{a.IsError, a.in("code"), a.in("errors.0.field")},
				[]any{true, "invalid_input", "x-api-key"})
		}
		unknown := s.connectWith(revision, headers{"Authorization": "Bearer toc_" + strings.Repeat("a", 38)})
		a := unknown.call("check_address", calls["check_address"])
		s.want("unknown", []any{a.IsError, strings.Contains(a.text, "not a live key")}, []any{true, true})
	}
	c := s.connectWith("", headers{"Authorization": "Bearer " + key})
	s.want("used", c.call("my_stats", nil).in("freeCalls.used"), 2)
}

func TestACompressedMessageIsRefusedWithWhatIsTaken(t *testing.T) {
	s := start(t)
	r, err := http.NewRequest("POST", s.url+"/mcp", strings.NewReader("\x1f\x8b"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Encoding", "gzip")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	s.want("gzip", []any{res.StatusCode, res.Header.Get("Accept-Encoding")}, []any{415, "identity"})
}
