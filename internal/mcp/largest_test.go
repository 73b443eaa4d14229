package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// alone starts a service beside which no other test runs, with reports on record.
func alone(t *testing.T, n int, draft func(i int) tocsin.Draft) *service {
	t.Helper()
	tocsintest.Alone(t)
	s := start(t)
	for i := range n {
		_, err := s.db.FileReport(t.Context(),
			store.Filing{Draft: draft(i), Network: netip.MustParsePrefix("203.0.113.0/24")})
		tocsintest.Must(t, err)
	}
	return s
}

// largeCalls are calls of tools that return reports, as many as they can.
func largeCalls() (messages map[string]string) {
	messages = map[string]string{}
	for _, detail := range []string{"brief", "full"} {
		for _, call := range []string{
			`"check_address","arguments":{"address":"` + tocsintest.LargestAddress(3) + `",`,
			`"search_reports","arguments":{"q":"swindle",`, `"list_reports","arguments":{`,
		} {
			name, _, _ := strings.Cut(call, ",")
			messages[name+" "+detail] = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+
				`"name":%s"limit":100,"detail":"%s"}}}`, call, detail)
		}
	}
	return messages
}

func post(s *service, key, message string) *http.Request {
	r := httptest.NewRequest("POST", baseURL+"/mcp", strings.NewReader(message))
	for name, value := range map[string]string{"x-api-key": key, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream"} {
		r.Header.Set(name, value)
	}
	return r
}

// TestNoResultIsOver512KB: a result has everything twice, and text of reporters with
// marks that take six bytes each.
func TestNoResultIsOver512KB(t *testing.T) {
	wordy := func(i int) tocsin.Draft {
		d := tocsin.Draft{CrimeType: tocsin.Scam, Title: fmt.Sprint(i) + strings.Repeat("<", 190),
			Description: "swindle " + strings.Repeat("<", 600), ScammerAddresses: []string{tocsintest.LargestAddress(3)}}
		handle := strings.Repeat("<", 200)
		d.SubjectProjectName = &handle
		d.SocialMedia = tocsin.SocialMedia{WhatsApp: &handle, Telegram: &handle, Facebook: &handle, Other: &handle}
		for n := range 5 {
			d.Evidence.URLs = append(d.Evidence.URLs, fmt.Sprintf("https://e%d.example/%s", n, strings.Repeat("&", 480)))
		}
		d, err := d.Parse(tocsintest.Noon)
		tocsintest.Must(t, err)
		return d
	}
	for name, draft := range map[string]func(i int) tocsin.Draft{
		"largest": func(i int) tocsin.Draft { return tocsintest.Largest(t, i) }, "wordy": wordy,
	} {
		t.Run(name, func(t *testing.T) {
			s := alone(t, 110, draft)
			key := s.key(1000)
			for call, message := range largeCalls() {
				w := httptest.NewRecorder()
				s.serve(w, post(s, key, message))
				t.Logf("%s: %d bytes", call, w.Body.Len())
				if w.Code != http.StatusOK || strings.Contains(w.Body.String(), `"isError":true`) ||
					w.Body.Len() > 512<<10 || w.Body.Len() < 4<<10 {
					t.Errorf("%s: %d, %d bytes: %.200s", call, w.Code, w.Body.Len(), w.Body)
				}
			}
		})
	}
}

// TestSlowReadersOfToolsHoldLittleMemory: connections that do not read what they asked for.
func TestSlowReadersOfToolsHoldLittleMemory(t *testing.T) {
	s := alone(t, 20, func(i int) tocsin.Draft { return tocsintest.Largest(t, i) })
	key := s.key(100_000)
	for call, message := range largeCalls() {
		added := tocsintest.SlowReaders(t, s.serve, 60, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nx-api-key: %s\r\n"+
			"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
			"tocsin.example", key, len(message), message))
		t.Logf("%s: %d KB", call, added>>10)
		if added > 64<<20 || added < 60*4<<10 {
			t.Errorf("60 slow readers of %s hold %d MB", call, added>>20)
		}
	}
}
