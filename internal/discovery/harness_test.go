package discovery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/limits"
	"tocsin/internal/mcp"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
	"tocsin/internal/web"
	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

const (
	payTo       = tocsintest.PayTo
	payToSolana = tocsintest.PayToSolana
	feePayer    = tocsintest.FeePayer
)

// origin is the whole service as `serve` puts it together: API, site, documents and tools.
type origin struct {
	*testing.T
	tocsintest.Clock
	base        string // URL of the service
	api         string // path of all operations
	http        *httptest.Server
	documents   *Documents
	db          *store.DB
	facilitator *x402.Facilitator // nil without payments
	bank        *x402test.Facilitator
}

// options are what the tests vary.
type options struct {
	base     string
	contact  string
	signal   string
	payments bool
	quota    int // 0 is 10
}

func start(t *testing.T, o options) *origin {
	t.Helper()
	if o.base == "" {
		// Neither the one in the examples of the contract nor the one that the test calls.
		o.base = "https://api.tocsin.example"
	}
	tocsintest.Parallel(t)
	s := &origin{T: t, base: o.base}
	db := tocsintest.Open(t, &s.Clock)
	s.db = db
	log := slog.New(slog.DiscardHandler)
	config := api.Config{
		Deployment: front.Deployment{
			BaseURL: o.base,
			Version: "1.2.3",
			Contact: o.contact,
			MCP:     mcp.Path,
			Links:   Links,
			Signal:  o.signal,
			Quota:   cmp.Or(o.quota, 10),
			Limits:  limits.Config{Lookups: 3, Filings: 30},
			Log:     log,
			Now:     s.Now,
		},
	}
	if o.payments {
		s.bank, s.facilitator = tocsintest.Facilitator(t, &s.Clock)
		config.Payments.Facilitator = s.facilitator
		config.Payments.Accounts = []x402.Account{
			tocsintest.PayAccount(t, x402.Base, payTo),
			tocsintest.PayAccount(t, x402.Solana, payToSolana),
		}
	}
	handler, err := api.New(db, config)
	must(t, err)
	s.api = handler.Contract().Base
	site, err := web.New(db, handler)
	must(t, err)
	s.documents, err = New(handler, Served{Pages: site.Pages, Revisions: mcp.Revisions()})
	must(t, err)
	door := front.New(handler.Deployment())
	door.Handle("/api/", handler)
	s.documents.Mount(door)
	tools, err := mcp.New(handler, false)
	must(t, err)
	door.Handle(mcp.Path, tools)
	door.Handle("/", site)
	s.http = httptest.NewServer(door)
	t.Cleanup(s.http.Close)
	return s
}

// paths are where the documents stand.
func (d *Documents) paths() []string { return slices.Sorted(maps.Keys(d.files)) }

func must(t *testing.T, err error) {
	t.Helper()
	tocsintest.Must(t, err)
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	text   []byte
}

// call makes a call without a key. A path that begins with the base URL is taken from there.
func (s *origin) call(method, path, body string, headers ...string) answer {
	s.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, s.http.URL+strings.TrimPrefix(path, s.base),
		strings.NewReader(body))
	must(s.T, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(r) // no redirects, no gzip
	must(s.T, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(s.T, err)
	return answer{res.StatusCode, res.Header, text}
}

// get returns a document that is there.
func (s *origin) get(path string) answer {
	s.Helper()
	a := s.call(http.MethodGet, path, "")
	if a.status != http.StatusOK {
		s.Fatalf("%s: %d %s", path, a.status, a.text)
	}
	return a
}

// json returns a document as values.
func (s *origin) json(path string) value {
	s.Helper()
	return decode(s.T, s.get(path).text)
}

// value is a JSON value to walk in.
type value struct{ any }

func decode(t *testing.T, text []byte) value {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	must(t, d.Decode(&v))
	return value{v}
}

// at walks by names of fields and places in arrays; what is not there is null.
func (v value) at(path ...any) value {
	for _, step := range path {
		switch at := v.any.(type) {
		case map[string]any:
			name, _ := step.(string)
			v = value{at[name]}
		case []any:
			i, ok := step.(int)
			if !ok || i >= len(at) {
				return value{}
			}
			v = value{at[i]}
		default:
			return value{}
		}
	}
	return v
}

// MarshalJSON implements json.Marshaler.
func (v value) MarshalJSON() ([]byte, error) { return json.Marshal(v.any) }

func (v value) fields() map[string]any { m, _ := v.any.(map[string]any); return m }
func (v value) items() []any           { l, _ := v.any.([]any); return l }
func (v value) text() string           { s, _ := v.any.(string); return s }

// deref follows a local reference.
func (v value) deref(document value) value {
	ref := v.at("$ref").text()
	if ref == "" {
		return v
	}
	at := document
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.at(step)
	}
	return at
}

// inlined replaces every local reference by what it names.
func inlined(node any, document value) any {
	switch n := node.(type) {
	case map[string]any:
		if _, ok := n["$ref"]; ok {
			return inlined(value{n}.deref(document).any, document)
		}
		whole := map[string]any{}
		for name, inner := range n {
			whole[name] = inlined(inner, document)
		}
		return whole
	case []any:
		whole := make([]any, len(n))
		for i := range n {
			whole[i] = inlined(n[i], document)
		}
		return whole
	}
	return node
}

// same compares values as JSON writes them.
func (s *origin) same(about string, got, want any) {
	s.Helper()
	a, err := json.Marshal(got)
	must(s.T, err)
	b, err := json.Marshal(want)
	must(s.T, err)
	if !bytes.Equal(a, b) {
		s.Errorf("%s: got %s, want %s", about, a, b)
	}
}

// has reports where a text is missing.
func (s *origin) has(about string, text []byte, wanted ...string) {
	s.Helper()
	for _, w := range wanted {
		if !bytes.Contains(text, []byte(w)) {
			s.Errorf("%s does not say %q", about, w)
		}
	}
}

func (s *origin) lacks(about string, text []byte, unwanted ...string) {
	s.Helper()
	for _, w := range unwanted {
		if bytes.Contains(text, []byte(w)) {
			s.Errorf("%s says %q", about, w)
		}
	}
}

// operation is one of /openapi.json.
type operation struct {
	value
	method, path string
	shared       value // parameters of its path
}

func (s *origin) operations() (document value, all []operation) {
	s.Helper()
	document = s.json("/openapi.json")
	for path, item := range document.at("paths").fields() {
		for _, method := range []string{"get", "post", "delete"} {
			if op := (value{item}).at(method); op.any != nil {
				all = append(all, operation{
					value:  op,
					method: strings.ToUpper(method),
					path:   path,
					shared: value{item}.at("parameters"),
				})
			}
		}
	}
	if len(all) < 15 {
		s.Fatalf("%d operations", len(all))
	}
	return document, all
}

// parameters are those of an operation and of its path, without references.
func (op operation) parameters(document value) (all []value) {
	for _, p := range append(op.at("parameters").items(), op.shared.items()...) {
		all = append(all, value{p}.deref(document))
	}
	return all
}

// example is the call that the document's examples make.
func (op operation) example(document value) (path, body string) {
	path = op.path
	query := ""
	for _, p := range op.parameters(document) {
		example := fmt.Sprint(p.at("example").any)
		switch p.at("in").text() {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.at("name").text()+"}", example)
		case "query":
			if p.at("required").any == true {
				query = "?" + p.at("name").text() + "=" + strings.ReplaceAll(example, " ", "+")
			}
		}
	}
	if example := op.at("requestBody", "content", "application/json", "example").any; example != nil {
		text, _ := json.Marshal(example) // it was JSON
		body = string(text)
	}
	return path + query, body
}
