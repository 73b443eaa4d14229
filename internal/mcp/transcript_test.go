package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestEachMessageIsTheSameWordByWord compares the answers to messages of each kind, with their headers, with
// testdata/messages.txt.
func TestEachMessageIsTheSameWordByWord(t *testing.T) {
	s := openShop(t)
	s.file(report)
	tocsintest.List(t, s.db, "ofac", "ofac", tocsin.Sanction, "", thief)
	key := "x-api-key: " + s.key(100)
	names := map[string]string{}
	chance := regexp.MustCompile(`(rep|agt|man)_[a-z2-7]{8,}|"(ticket|nonce)":"[^"]+"|\\"(ticket|nonce)\\":\\"[^"]+\\"`)
	digits := regexp.MustCompile(`\.\d{6}Z|"requestId":"[^"]+"|\\"requestId\\":\\"[^"]+\\"`)
	var b strings.Builder
	send := func(about, method, body string, headers ...string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+"/mcp", strings.NewReader(body))
		tocsintest.Must(t, err)
		r.Header.Set("Accept", "application/json, text/event-stream")
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		tocsintest.Must(t, err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		tocsintest.Must(t, err)
		fmt.Fprintf(&b, "=== %s: %d\n", about, res.StatusCode)
		for _, name := range slices.Sorted(maps.Keys(res.Header)) {
			if name != "Date" && name != "X-Request-Id" && name != "Content-Length" {
				fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(res.Header[name], " | "))
			}
		}
		text = digits.ReplaceAll(text, []byte("…"))
		text = chance.ReplaceAllFunc(text, func(found []byte) []byte {
			if names[string(found)] == "" {
				kind, _, _ := strings.Cut(strings.Trim(string(found), `\"`), "_")
				kind, _, _ = strings.Cut(kind, `"`)
				names[string(found)] = fmt.Sprintf("<%s %d>", strings.Trim(kind, `\`), len(names)+1)
			}
			return []byte(names[string(found)])
		})
		var pretty bytes.Buffer
		if json.Indent(&pretty, text, "", " ") == nil {
			text = pretty.Bytes()
		}
		fmt.Fprintf(&b, "\n%s\n\n", text)
		s.Sleep(time.Second)
	}
	message := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
	}
	tool := func(name, arguments string) string {
		return message("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	}
	const client = `"capabilities":{},"clientInfo":{"name":"a","version":"1"}`
	for _, revision := range []string{"2025-11-25", "2026-07-28", "2020-01-01"} {
		send("initialize "+revision, "POST", message("initialize", `{"protocolVersion":"`+revision+`",`+client+`}`))
	}
	const speaks = "Mcp-Protocol-Version: 2025-11-25"
	send("initialized", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, speaks)
	send("ping", "POST", message("ping", `{}`), speaks)
	send("resources", "POST", message("resources/list", `{}`), speaks)
	send("templates", "POST", message("resources/templates/list", `{}`), speaks)
	send("prompts", "POST", message("prompts/list", `{}`), speaks)
	send("unknown method", "POST", message("nothing", `{}`), speaks)
	send("unknown revision", "POST", message("ping", `{}`), "Mcp-Protocol-Version: 1999-01-01")
	send("check_address", "POST", tool("check_address", `{"address":"`+thief+`"}`), speaks, key)
	send("check_address without a key", "POST", tool("check_address", `{"address":"`+thief+`"}`), speaks)
	send("check_addresses", "POST", tool("check_addresses", `{"addresses":["`+payTo+`"]}`), speaks, key)
	send("check_domain", "POST", tool("check_domain", `{"domain":"https://a.evil.example/","detail":"full"}`), speaks, key)
	send("search_reports", "POST", tool("search_reports", `{"q":"airdrop","limit":1}`), speaks, key)
	send("list_reports", "POST", tool("list_reports", `{"detail":"full"}`), speaks, key)
	send("file_report", "POST", tool("file_report", strings.ReplaceAll(report, "Fake", "Another")), speaks, key)
	send("file_report again", "POST", tool("file_report", strings.ReplaceAll(report, "Fake", "Another")), speaks, key)
	send("my_stats", "POST", tool("my_stats", `{}`), speaks, key)
	send("an invalid argument", "POST", tool("check_address", `{"address":"0x12","more":1}`), speaks, key)
	send("a missing argument", "POST", tool("check_address", `{}`), speaks, key)
	send("an unknown tool", "POST", tool("nothing", `{}`), speaks, key)
	send("no JSON", "POST", `{"`, speaks)
	send("a batch", "POST", `[`+message("ping", `{}`)+`]`, speaks)
	send("another media type", "POST", message("ping", `{}`), speaks, "Content-Type: text/plain")
	send("nothing accepted", "POST", message("ping", `{}`), speaks, "Accept: text/html")
	send("another origin", "POST", message("ping", `{}`), speaks, "Origin: https://evil.example")
	for _, method := range []string{"GET", "DELETE", "PUT", "OPTIONS"} {
		send(method, method, "", speaks)
	}
	tocsintest.Golden(t, "testdata/messages.txt", b.String())
}
