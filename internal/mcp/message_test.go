package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"testing"
)

func TestTheLogNamesToolsAndNotTheirArguments(t *testing.T) {
	s := start(t)
	s.connect("", s.key(5)).call("check_address", args{"address": thief})
	log := s.logs.String()
	s.want("the call", strings.Contains(log, "method=CALL path=mcp://tool/check_address status=200"), true)
	s.want("the message", strings.Contains(log, "method=POST path=/mcp route=/mcp status=200"), true)
	s.want("its arguments", strings.Contains(log, thief), false)
	lines := regexp.MustCompile(`id=(\S+) method=(?:CALL|POST) path=\S+ (?:route=\S+ )?status=200`)
	ids := lines.FindAllStringSubmatch(log, -1)
	s.want("one id for both", ids[len(ids)-1][1], ids[len(ids)-2][1])
}

func TestACallOfAToolComesFromWhereItsMessageDoes(t *testing.T) {
	s := start(t, func(c *setup) {
		c.Limits.Filings, c.TrustedProxies = 1, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	for i, from := range []string{"198.51.100.1", "203.0.113.1",
		"198.51.100.2"} { // the last is of the network of the first
		_, _, body := s.post("POST",
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_report",`+
				`"arguments":{"crimeType":"scam","title":"%d","description":"d","reportedDomains":["x.example"]}}}`, i),
			"X-Forwarded-For: "+from)
		s.want(from, strings.Contains(body, "too_many_filings"), i == 2)
	}
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// post sends a message as no client would.
func (s *service) post(method, body string, headers ...string) (int, http.Header, string) {
	s.Helper()
	r, _ := http.NewRequest(method, s.url+"/mcp", strings.NewReader(body))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-11-25"}}
	for _, h := range headers {
		if name, value, _ := strings.Cut(h, ": "); name == "Host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(text)
}

func TestHostAndOriginAreThoseOfTheBaseURLOrOfThisMachine(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"", "", 200}, {"localhost:80", "", 200}, {"127.0.0.1", "", 200}, {"[::1]:8402", "", 200},
		{"tocsin.example", "", 200}, {"Tocsin.Example:443", "", 200},
		{"evil.example", "", 403}, {"evil.example:8402", "", 403}, {"tocsin.example:444", "", 403},
		{"tocsin.example.evil.example", "", 403}, {"localhost.evil.example", "", 403}, {"127.0.0.1.evil.example", "", 403},
		{"", "https://tocsin.example", 200}, {"", "https://tocsin.example:443", 200}, {"", "http://localhost:3000", 200},
		{"", "http://127.0.0.1", 200}, {"", "http://[::1]:5173", 200},
		{"", "http://tocsin.example", 403}, {"", "https://evil.example", 403}, {"", "null", 403},
		{"", "https://tocsin.example.evil.example", 403}, {"", "localhost", 403},
		{"", "https://localhost.evil.example", 403}, {"", "chrome-extension://localhost", 403},
		{"tocsin.example", "https://evil.example", 403},
	} {
		var headers []string
		if c.host != "" {
			headers = append(headers, "Host: "+c.host)
		}
		if c.origin != "" {
			headers = append(headers, "Origin: "+c.origin)
		}
		for _, method := range []string{"POST", "OPTIONS"} {
			status, h, body := s.post(method, ping, headers...)
			wanted := c.status
			if method == "OPTIONS" && wanted == 200 {
				wanted = 204
			}
			s.want(fmt.Sprint(method, headers), status, wanted)
			s.want(fmt.Sprint(method, headers, ": may be read"), h.Get("Access-Control-Allow-Origin"),
				map[bool]string{true: "*", false: ""}[wanted < 300])
			if wanted == 403 && !json.Valid([]byte(body)) {
				t.Errorf("%v: %s", headers, body)
			}
		}
	}
	// On a listener that strangers reach, this machine's names are not enough.
	for host, wanted := range map[string]int{"localhost": 403, "127.0.0.1:8402": 403, "tocsin.example": 200} {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(ping))
		r.Host = host
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		r = r.WithContext(contextWith(r, &net.TCPAddr{IP: net.IPv4(203, 0, 113, 5), Port: 8402}))
		w := httptest.NewRecorder()
		s.mcp.ServeHTTP(w, r)
		s.want("from afar: "+host, w.Code, wanted)
	}
}

func TestWhatIsNoMessageIsRefused(t *testing.T) {
	s := start(t)
	for about, c := range map[string]struct {
		method, body string
		headers      []string
		status       int
	}{
		"a batch":        {"POST", " \n[" + ping + "]", nil, 400},
		"a batch of old": {"POST", "[" + ping + "]", []string{"Mcp-Protocol-Version: 2025-03-26"}, 400},
		"no JSON":        {"POST", "x", nil, 400},
		"nothing":        {"POST", "", nil, 400},
		"too long": {"POST",
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 320<<10) + `"}}`, nil, 413},
		"too deep": {"POST",
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":` + strings.Repeat("[",
				40) + `"]\"]"` + strings.Repeat("]", 40) + `}}}`, nil, 400},
		"too many": {"POST",
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":[` + strings.Repeat("1,", 3000) + `1]}}}`, nil, 400},
		"brackets in text": {"POST",
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"` + strings.Repeat(`[\",`, 3000) + `"}}}`, nil,
			200},
		"more behind it":   {"POST", ping + ping, nil, 400},
		"an odd id":        {"POST", strings.Replace(ping, `"id":1`, `"id":[1]`, 1), nil, 400},
		"GET":              {"GET", "", nil, 405},
		"DELETE":           {"DELETE", "", nil, 405},
		"another type":     {"POST", ping, []string{"Content-Type: text/plain"}, 415},
		"another revision": {"POST", ping, []string{"Mcp-Protocol-Version: 1999-01-01"}, 400},
		"a subscription": {"POST",
			`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
				`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
				`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},` +
				`"io.modelcontextprotocol/clientCapabilities":{}}}}`,
			[]string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen"}, 404},
	} {
		status, _, body := s.post(c.method, c.body, c.headers...)
		if status != c.status {
			t.Errorf("%s: %d %s, want %d", about, status, body, c.status)
		}
	}
	// The SDK would look into the first one for ever, and let nobody else list.
	const endless = "KX8DAQEJcGFnZVRva2VuAf-AAAECAQdMYXN0VUlEAQwAAQFYAf-EAAAAI_-DBAEBEW1hcFttYWluLktdbWFpbi5LAf-EAAH_" +
		"ggH_ggAAEv-BAwEC_4IAAQEBAUEBBAAAAAz_gAL4P_________8="
	for _, cursor := range []string{endless, "x"} {
		for _, method := range []string{"tools/list", "resources/list", "resources/templates/list"} {
			_, _, body := s.post("POST", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"cursor":"`+cursor+`"}}`)
			s.want(method,
				strings.Contains(body, `"error":{"code":-32602,"message":"there is no such page: leave cursor out"}`), true)
		}
	}
	for _, method := range []string{"prompts/list", "completion/complete", "logging/setLevel", "foo/bar"} {
		for revision, code := range map[string]int{"2025-11-25": 200, "2026-07-28": 404} {
			status, _,
				body := s.post("POST", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"cursor":"x"}}`,
				"Mcp-Protocol-Version: "+revision)
			s.want(method, []any{status, strings.Contains(body, `"id":1,"error":{"code":-32601,`)}, []any{code, true})
		}
	}
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	for method, params := range map[string]string{
		"tools/call":     `{"name":"check_domain","arguments":{"domain":"` + phrase + `"},"_meta":[]}`,
		"resources/read": `{"uri":"tocsin://\u0007\u007f` + phrase + `"}`,
		"initialize":     `{"clientInfo":"` + phrase + `"}`} {
		status, _, body := s.post("POST", `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":`+params+`}`)
		s.want(method+" with odd params",
			[]any{status, strings.Contains(body, `"id":7,"error":`), strings.Contains(body, "winner"), len(body) < 500},
			[]any{200, true, false, true})
	}
	_, _, body := s.post("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_url"}}`)
	s.want("a tool that is none",
		strings.Contains(body, `there is no tool \"check_url\"; the tools are `) && strings.Contains(body, "check_domain"),
		true)
	_, h, body := s.post("GET", "")
	s.want("GET", []any{strings.Contains(body, baseURL+"/docs/agents"), h.Get("Allow"), h.Get("Content-Type")},
		[]any{true, "POST", "application/json"})
	_, _, body = s.post("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x",`+
		`"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list")
	s.want("a list may be kept for five minutes", []bool{strings.Contains(body, `"ttlMs":300000`),
		strings.Contains(body, `"cacheScope":"public"`)}, []bool{true, true})
	status, h, _ := s.post("POST", ping, "X-Request-Id: mine")
	id := h.Get("X-Request-Id")
	s.want("a good one", []any{status, id != "" && id != "mine"}, []any{200, true})
}

func TestANameInOtherLettersIsAnotherName(t *testing.T) {
	s := start(t)
	_, _, body := s.post("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","Method":"x","params":{`+
		`"name":"my_stats","Name":"file_report","arguments":{},"Arguments":{"x":1}}}`)
	s.want("the tool", strings.Contains(body, `"authenticated":false`), true)
}

// TestANameThatIsRepeatedIsRefused with its place: what reads the message on its way may take the other value.
func TestANameThatIsRepeatedIsRefused(t *testing.T) {
	s := start(t)
	for message, place := range map[string]string{
		`"method":"ping","method":"tools/list"`:                            "method",
		`"method":"tools/call","params":{"name":"my_stats","name":"none"}`: "params.name",
		`"method":"tools/call","params":{"name":"check_addresses","arguments":{"addresses":5,"addresses":["` + thief +
			`"]}}`: "params.arguments.addresses",
		`"method":"tools/list","params":{"_meta":{"x":[{"a\u0062":1,"ab":1}]}}`: "params._meta.x[0].ab",
	} {
		status, _, body := s.post("POST", `{"jsonrpc":"2.0","id":8,`+message+`}`)
		s.want(message, []any{status, strings.TrimSpace(body)}, []any{200,
			`{"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"` + place + ` is given more than once; send it once"}}`})
	}
	status, _, body := s.post("POST", `{"jsonrpc":"2.0","id":8,"id":9,"method":"ping"}`)
	s.want("two ids", []any{status, strings.TrimSpace(body)}, []any{400,
		`{"jsonrpc":"2.0","error":{"code":-32600,"message":"id is given more than once; send it once"}}`})
}
