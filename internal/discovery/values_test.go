package discovery

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tocsin/internal/contract"
	"tocsin/internal/front"
)

// deployed are the facts of a deployment with payments, or without.
func deployed(pays bool) *facts {
	return &facts{
		Deployment: &front.Deployment{
			BaseURL: "https://api.tocsin.example:8443", MCP: "/mcp", Version: "1.2.3", Contact: "mailto:a@b.example",
			Now: func() time.Time { return time.Date(2026, 3, 4, 23, 0, 0, 0, time.FixedZone("", -2*3600)) },
		},
		Served: Served{
			Pages:     func() []string { return []string{"/", "/a&b"} },
			Revisions: []string{"2026-01-01", "2025-01-01"},
		},
		Contract: &contract.Contract{Title: "Tocsin"},
		API:      "https://api.tocsin.example:8443/api/v1",
		Pays:     pays,
	}
}

// TestEachDocumentOfALinkHasItsValues holds the small documents, whole.
func TestEachDocumentOfALinkHasItsValues(t *testing.T) {
	base := "https://api.tocsin.example:8443"
	at := func(path, media string) string { return `{"href":"` + base + path + `","type":"` + media + `"}` }
	card := func(meta, needs, schemes string) string {
		return `{"$schema":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",` +
			`"name":"example.tocsin.api/tocsin","title":"Tocsin","version":"1.2.3","description":"Screens crypto accounts and ` +
			`domains against fraud reports and public lists; takes reports.","websiteUrl":"` + base + `","remotes":[{"type":` +
			`"streamable-http","url":"` + base + `/mcp","supportedProtocolVersions":["2026-01-01","2025-01-01"],"headers":[{` +
			`"name":"x-api-key","description":"A key of this service, which is free: ` + base + `/docs/keys. ` +
			`Tools with a price need one` + needs + `; the others need none. Authorization: ` +
			`Bearer is taken as well","isRequired":false,"isSecret":true}]}],` + meta +
			`"serverInfo":{"name":"tocsin","title":"Tocsin","version":"1.2.3"},` +
			`"protocolVersion":"2026-01-01","transport":{"endpoint":"/mcp","type":"streamable-http"},"capabilities":` +
			`{"resources":{},"tools":{}},"authentication":{"required":false,"schemes":["apiKey","bearer"` + schemes + `]}}`
	}
	commerce := func(capabilities string) string {
		return `{"protocol":{"name":"acp","version":"2026-04-17","supported_versions":["2026-04-17"],"documentation_url":"` +
			base + `/llms.txt"},"api_base_url":"` + base + `/api/v1","transports":["rest"],"capabilities":{"services":[],` +
			capabilities + `"supported_locales":["en"]}}`
	}
	pays, free := deployed(true), deployed(false)
	for _, c := range []struct {
		about string
		got   any
		want  string
	}{
		{"api-catalog", pays.apiCatalog(), `{"linkset":[{"anchor":"` + base + `/api/v1","service-desc":[` +
			at("/openapi.json", "application/json") + `,` + at("/openapi.yaml", "application/yaml") + `],"service-doc":[` +
			at("/docs", "text/html") + `,` + at("/llms.txt", "text/plain") + `],"service-meta":[` +
			at("/.well-known/x402.json", "application/json") + `,` +
			at("/.well-known/agent-skills/index.json", "application/json") + `],"status":[` +
			at("/status", "text/html") + `]}]}`},
		{"acp", pays.commerce(), commerce(`"extensions":[{"name":"x402","spec":"` + base +
			`/.well-known/x402.json"}],"supported_currencies":["usd"],`)},
		{"acp without payments", free.commerce(), commerce("")},
		{"card", pays.serverCard(), card(`"_meta":{"example.tocsin.api/x402":{"manifest":"`+base+
			`/.well-known/x402.json","x402Version":2}},`, ", or a payment by x402", `,"x402"`)},
		{"card without payments", free.serverCard(), card("", "", "")},
		{"ai-catalog", pays.aiCatalog(), `{"entries":[{"identifier":"urn:air:api.tocsin.example:mcp:tocsin","type":` +
			`"application/mcp-server-card+json","url":"` + base + `/mcp/server-card"}],"specVersion":"1.0"}`},
		{"skills", pays.skillsIndex([]skill{{name: "a", description: "d", text: []byte("abc")}}), `{"$schema":` +
			`"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[{"name":"a","type":"skill-md",` +
			`"description":"d","url":"` + base + `/.well-known/agent-skills/a/SKILL.md","digest":"sha256:` +
			`ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}]}`},
		{"contact", openAPIContact("mailto:a@b.example"), `{"email":"a@b.example"}`},
		{"contact page", openAPIContact("https://b.example"), `{"url":"https://b.example"}`},
		{"security.txt", string(pays.security()), `"Contact: mailto:a@b.example\nExpires: 2026-09-03T00:00:00Z\n` +
			`Preferred-Languages: en\nCanonical: ` + base + `/.well-known/security.txt\n"`},
		{"sitemap", strings.NewReplacer("<", "(", ">", ")", "&", "+").Replace(string(pays.sitemap())),
			`"(?xml version=\"1.0\" encoding=\"UTF-8\"?)\n(urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\")\n` +
				`  (url)(loc)` + base + `/(/loc)(/url)\n  (url)(loc)` + base + `/a+amp;b(/loc)(/url)\n(/urlset)\n"`},
	} {
		got, err := json.Marshal(c.got)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.about, err, got, c.want)
		}
	}
	for url, want := range map[string][2]string{
		"https://[2001:db8::1]:80": {"2001-db8--1", "2001-db8--1"}, "http://127.0.0.1:80": {"127.0.0.1", "127.0.0.1"},
		"https://a.b.example": {"a.b.example", "example.b.a"},
	} {
		f := &facts{Deployment: &front.Deployment{BaseURL: url}}
		if got := [2]string{f.hostname(), f.reversed()}; got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
}

func TestCostsAndShapesAreSaidInWords(t *testing.T) {
	key := []contract.Field{{Name: "x-api-key"}, {Name: "other"}}
	for _, c := range []struct {
		pays bool
		op   contract.Operation
		want string
	}{
		{true, contract.Operation{Price: "0.01"}, "$0.01, or one free call of a key"},
		{false, contract.Operation{Price: "0.01"}, "one free call of a key"},
		{true, contract.Operation{Credentials: key}, "free, with `x-api-key`"},
		{true, contract.Operation{Credentials: key, Open: true}, "free"},
		{true, contract.Operation{}, "free"},
	} {
		if got := deployed(c.pays).Cost(&c.op); got != c.want {
			t.Errorf("%+v costs %s, want %s", c.op, got, c.want)
		}
	}
	op := &contract.Operation{
		Parameters: []contract.Field{{Name: "id", In: "path"}, {Name: "q", In: "query"}, {Name: "n", In: "query"}},
		Body:       contract.Field{Fields: []contract.Field{{Name: "urls[]"}}, Example: contract.ValueOf([]int{1})},
		Responses:  []contract.Response{{Status: "200", Fields: []contract.Field{{Name: "a"}, {Name: "b[]"}}}},
		Tool:       &contract.ToolNote{Name: "look_up"},
	}
	want := "Query: `q`, `n`. Body: `urls`. Such as `[1]`. Answers `a`, `b`. Tool: `look_up`."
	if got := deployed(true).Shape(op); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	none := &contract.Operation{Responses: []contract.Response{{Status: "204"}}}
	if got := deployed(true).Shape(none); got != "" {
		t.Errorf("nothing is %q", got)
	}
}

func TestDocumentsHaveTheHeadersOfTheirFile(t *testing.T) {
	d := &Documents{files: map[string]file{"/a": {media: "text/a", maxAge: 5 * time.Minute, link: "</b>",
		text: func() []byte { return []byte("abc") }, kept: &kept{}}}}
	for _, c := range []struct {
		method, path string
		status       int
		headers      string
	}{
		{"GET", "/a", 200, `text/a | public, max-age=300 | "ba7816bf8f01cfea414140de5dae2223" | </b> | `},
		{"HEAD", "/a", 200, `text/a | public, max-age=300 | "ba7816bf8f01cfea414140de5dae2223" | </b> | `},
		{"POST", "/a", 405, `text/plain; charset=utf-8 |  |  |  | GET, HEAD, OPTIONS`},
		{"GET", "/b", 404, `text/plain; charset=utf-8 | no-store |  |  | `},
		{"OPTIONS", "/b", 204, ` |  |  |  | `},
	} {
		w := httptest.NewRecorder()
		d.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		h := w.Header()
		got := strings.Join([]string{h.Get("Content-Type"), h.Get("Cache-Control"), h.Get("ETag"), h.Get("Link"),
			h.Get("Allow")}, " | ")
		if w.Code != c.status || got != c.headers || h.Get("Access-Control-Expose-Headers") != "ETag, Link" {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, w.Code, got, c.status, c.headers)
		}
	}
	for status, err := range map[int]error{404: front.ErrPathTooLong, 500: errors.New("another")} {
		w := httptest.NewRecorder()
		d.ServeError(w, httptest.NewRequest(http.MethodGet, "/b", nil), err)
		if w.Code != status || w.Header().Get("Cache-Control") != "no-store" ||
			w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%v: %d %v", err, w.Code, w.Header())
		}
	}
}
