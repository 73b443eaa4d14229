package mcp_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/limits"
	"tocsin/internal/mcp"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

const (
	thief   = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	payTo   = tocsintest.PayTo
	baseURL = "https://tocsin.example"
)

// revisions are those of the protocol that clients speak.
var revisions = mcp.Revisions()

// service is the API and the tools over a real database and real HTTP.
type service struct {
	*testing.T
	tocsintest.Clock
	db   *store.DB
	api  *api.Server
	mcp  *mcp.Server
	url  string
	logs tocsintest.Buffer

	serve http.HandlerFunc // answers a request in this goroutine

	// serving, if not nil, is called with each call and the handler that serves it.
	serving atomic.Pointer[func(w http.ResponseWriter, r *http.Request, next http.Handler)]
}

// setup is what a test may change before the start.
type setup struct {
	api.Config
	local bool
}

func start(t *testing.T, change ...func(*setup)) *service {
	t.Helper()
	return startService(&service{T: t}, change...)
}

// startService starts a service whose clock may be in use already.
func startService(s *service, change ...func(*setup)) *service {
	s.Helper()
	tocsintest.Parallel(s.T)
	s.db = tocsintest.Open(s, &s.Clock)
	c := setup{Config: api.Config{Deployment: front.Deployment{
		BaseURL: baseURL,
		Version: "0.0.0",
		Quota:   10,
		Limits:  limits.Config{Filings: 1000},
		Log:     slog.New(slog.NewTextHandler(&s.logs, nil)),
		Now:     s.Clock.Now,
	}}}
	for _, do := range change {
		do(&c)
	}
	var err error
	s.api, err = api.New(s.db, c.Config)
	tocsintest.Must(s, err)
	s.mcp, err = mcp.New(s.api, c.local)
	tocsintest.Must(s, err)
	door := front.New(s.api.Deployment())
	door.Handle("/api/", s.api)
	door.Handle("/mcp", s.mcp)
	s.serve = door.ServeHTTP
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if serving := s.serving.Load(); serving != nil {
			(*serving)(w, r, door)
			return
		}
		door.ServeHTTP(w, r)
	}))
	s.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// shop is a service that takes payments.
type shop struct {
	*service
	facilitator *x402test.Facilitator
	wallet      *x402test.Wallet
}

func openShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{service: &service{T: t}}
	s.wallet = x402test.NewWallet(s.Now)
	payments := api.Payments{Accounts: []x402.Account{tocsintest.PayAccount(t, x402.Base, payTo)}}
	s.facilitator, payments.Facilitator = tocsintest.Facilitator(t, &s.Clock)
	startService(s.service, func(c *setup) { c.Payments = payments })
	return s
}

func (s *service) key(quota int) string {
	s.Helper()
	return tocsintest.Key(s, s.db, &quota)
}

// client is the SDK's client; every result that it gets is held against the
// tool's own schema.
type client struct {
	*service
	*sdk.ClientSession
	tools   map[string]*sdk.Tool
	schemas map[string]*jsonschema.Schema
}

// headers adds headers to every request.
type headers map[string]string

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (s *service) connect(revision, key string) *client {
	s.Helper()
	h := headers{}
	if key != "" {
		h["x-api-key"] = key
	}
	return s.client(revision,
		&sdk.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: h}, MaxRetries: -1})
}

func (s *service) client(revision string, transport sdk.Transport) *client {
	s.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(s.Context(), transport,
		&sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { session.Close() })
	c := &client{
		service:       s,
		ClientSession: session,
		tools:         map[string]*sdk.Tool{},
		schemas:       map[string]*jsonschema.Schema{},
	}
	list, err := session.ListTools(s.Context(), nil)
	if err != nil {
		s.Fatal(err)
	}
	for _, tool := range list.Tools {
		c.tools[tool.Name] = tool
		text, _ := json.Marshal(args{"$defs": args{"in": tool.InputSchema, "out": tool.OutputSchema}})
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			s.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		compiler.DefaultDraft(jsonschema.Draft2020)
		compiler.AddResource(tool.Name, doc)
		for _, part := range []string{inputs, outputs, success} {
			if c.schemas[tool.Name+part], err = compiler.Compile(tool.Name + part); err != nil {
				s.Fatal(err)
			}
		}
	}
	return c
}

// The schemas of a tool: of its arguments, of its results, and of those that are no failure.
const inputs, outputs, success = "#/$defs/in", "#/$defs/out", "#/$defs/out/anyOf/0"

// fits holds a value against a schema of a tool.
func (c *client) fits(schema string, value any) error {
	text, _ := json.Marshal(value)
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = c.schemas[schema].Validate(plain)
	}
	return err
}

type args map[string]any

// answer is the result of a call.
type answer struct {
	*sdk.CallToolResult
	body map[string]any // the structure
	text string         // all texts
}

func (c *client) call(tool string, arguments any, payment ...any) *answer {
	c.Helper()
	params := &sdk.CallToolParams{Name: tool, Arguments: arguments}
	if len(payment) > 0 {
		params.Meta = sdk.Meta{"x402/payment": payment[0]}
	}
	r, err := c.CallTool(c.Context(), params)
	if err != nil {
		c.Fatalf("%s: %v", tool, err)
	}
	a := &answer{CallToolResult: r}
	a.body, _ = r.StructuredContent.(map[string]any)
	for _, block := range r.Content {
		a.text += block.(*sdk.TextContent).Text + "\n"
	}
	schema := success
	if r.IsError {
		schema = outputs
	} else if err := c.fits(tool+inputs, arguments); err != nil && arguments != nil {
		c.Errorf("%s takes what its schema refuses: %v", tool, err)
	}
	if err := c.fits(tool+schema, a.body); err != nil {
		c.Errorf("%s: %v in %s", tool, err, a.text)
	}
	return a
}

// in returns the value at a path such as "reports.0.id", nil if there is none.
func (a *answer) in(path string) any { return tocsintest.At(a.body, path) }

func (a *answer) faulty() []string { return tocsintest.Faulty(a.body) }

// first returns the first block of text.
func (a *answer) first() string { return a.Content[0].(*sdk.TextContent).Text }

// pay signs what a result asks for.
func (s *shop) pay(a *answer, change ...func(map[string]any, bool)) (payment map[string]any) {
	s.Helper()
	if !a.IsError || a.in("x402Version") != 2.0 {
		s.Fatalf("no price: %s", a.text)
	}
	text, _ := json.Marshal(a.StructuredContent)
	var do func(map[string]any, bool)
	if len(change) > 0 {
		do = change[0]
	}
	signed, _ := base64.StdEncoding.DecodeString(s.wallet.Pay(base64.StdEncoding.EncodeToString(text), do))
	if err := json.Unmarshal(signed, &payment); err != nil {
		s.Fatal(err)
	}
	return payment
}

// header is a payment as HTTP has it.
func header(payment any) string {
	text, _ := json.Marshal(payment)
	return base64.StdEncoding.EncodeToString(text)
}

// get calls the API itself.
func (s *service) get(path string, headers ...string) (int, map[string]any) {
	s.Helper()
	r, _ := http.NewRequest(http.MethodGet, s.url+s.api.Contract().Base+path, nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	var body map[string]any
	json.NewDecoder(res.Body).Decode(&body)
	return res.StatusCode, body
}

func (s *service) want(about string, got, want any) {
	s.Helper()
	tocsintest.Want(s, about, got, want)
}

func decode(t *testing.T, header string, into any) {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(header)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func contextWith(r *http.Request, local net.Addr) context.Context {
	return context.WithValue(r.Context(), http.LocalAddrContextKey, local)
}
