package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
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

// TestTheLogIsAsTheOperatorWantsIt: JSON, one request of three, networks by a hash.
func TestTheLogIsAsTheOperatorWantsIt(t *testing.T) {
	m := newMachine(t)
	m.afterFirstStart()
	s := m.start(m.command("serve", "-listen", "127.0.0.1:0", "-log", "json", "-access-log", "3", "-log-networks",
		"-base-url", "http://127.0.0.1:1"))
	s.url = strings.TrimPrefix(s.says(&s.err, `"on":"http://127\.0\.0\.1:\d+`), `"on":"`)
	r, err := http.NewRequest(http.MethodGet, s.url+"/api/v1/stats", nil)
	if err != nil {
		t.Fatal(err)
	}
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	r.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	for range 9 {
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	s.end(syscall.SIGTERM)
	m.want("beside the log", s.out.String(), "")
	var requests []map[string]any
	for text := range strings.Lines(s.err.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		switch {
		case line["msg"] == "tocsin "+version:
			m.want("database, address and base URL at the start", []any{line["database"], line["commit"], line["baseURL"]},
				[]any{"tocsin.db", "unknown", "http://127.0.0.1:1"})
		case line["msg"] == "request":
			requests = append(requests, line)
		}
	}
	if len(requests) != 3 {
		t.Fatalf("of 9 requests %d are logged", len(requests))
	}
	tag, _ := requests[0]["net"].(string)
	if requests[0]["trace"] != trace || requests[2]["net"] != tag ||
		!regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(tag) {
		t.Errorf("a line: %v", requests[0])
	}
	s = m.serve("-log-networks", "-log-level", "warn")
	s.call("/stats", "", nil)
	s.end(syscall.SIGTERM)
	if strings.Contains(s.err.String(), "level=INFO") {
		t.Errorf("lines below the level: %s", &s.err)
	}
	s = m.serve("-log-networks", "-access-log", "all")
	s.call("/stats", "", nil)
	s.says(&s.err, `msg=request .* net=`+tag) // after a restart
	m.fails(exitFailure, `"level":"ERROR","msg":"the server has failed","error":"`, "serve", "-listen", "127.0.0.1:0",
		"-log", "json", "-db", "missing/x.db")
	m.fails(exitUsage, `-log "xml" is neither text nor json`, "serve", "-log", "xml")
	m.fails(exitUsage, `it is neither all, none nor a whole number`, "serve", "-access-log", "0")
}
