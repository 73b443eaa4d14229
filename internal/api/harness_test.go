package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/limits"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// service is the whole API over a real database and real HTTP. Every answer
// that a test gets from it is held against the contract.
type service struct {
	t *testing.T
	tocsintest.Clock
	place string // where the database is
	db    *store.DB
	api   *Server
	http  *httptest.Server

	keysMade sync.Mutex
	keys     map[string]bool // that the test has made

	// serving, if not nil, is called with each call and the handler that serves it.
	serving atomic.Pointer[func(w http.ResponseWriter, r *http.Request, next http.Handler)]

	*published
}

// published is a contract, with what answers are held against.
type published struct {
	document  map[string]any
	compiling sync.Mutex // the compiler is for one goroutine
	compiler  *jsonschema.Compiler
}

// contracts has what is [published] by all that the contract depends on: to make it takes longer than most tests.
var contracts sync.Map

func (s *service) publish() *published {
	s.t.Helper()
	on := struct {
		baseURL  string
		quota    int
		payments bool
	}{s.api.config.BaseURL, s.api.config.Quota, s.api.config.Payments.taken()}
	first := sync.OnceValue(func() *published {
		p := &published{document: s.api.Contract().Document().Any().(map[string]any), compiler: jsonschema.NewCompiler()}
		tocsintest.Must(s.t, p.compiler.AddResource("openapi.json", p.document))
		return p
	})
	made, _ := contracts.LoadOrStore(on, first)
	return made.(func() *published)()
}

const baseURL = "https://tocsin.example"

func start(t *testing.T, change ...func(*Config)) *service {
	t.Helper()
	return startService(&service{t: t}, change...)
}

// startService starts a service whose clock may be in use already.
func startService(s *service, change ...func(*Config)) *service {
	s.t.Helper()
	tocsintest.Parallel(s.t)
	if s.place == "" {
		s.place = tocsintest.NewDatabase(s.t)
	}
	s.db = tocsintest.OpenAt(s.t, &s.Clock, s.place)
	config := Config{Deployment: front.Deployment{
		BaseURL: baseURL,
		Quota:   10,
		Limits:  limits.Config{Filings: 1000},
		Log:     slog.New(slog.DiscardHandler),
		Now:     s.Clock.Now,
	}}
	for _, c := range change {
		c(&config)
	}
	var err error
	s.api, err = New(s.db, config)
	tocsintest.Must(s.t, err)
	shareLimits, err := s.api.ShareLimits(s.t.Context())
	tocsintest.Must(s.t, err)
	sharing, stop := context.WithCancel(s.t.Context())
	var shared sync.WaitGroup
	shared.Go(func() { shareLimits(sharing) })
	s.t.Cleanup(func() { stop(); shared.Wait() })
	s.published = s.publish()
	door := front.New(s.api.Deployment())
	door.LimitRequests(s.api.Budgets().Requests)
	door.HandleBelow("/", s.api)
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if serving := s.serving.Load(); serving != nil {
			(*serving)(w, r, door)
			return
		}
		door.ServeHTTP(w, r)
	}))
	s.t.Cleanup(func() {
		s.http.Close() // when all calls have ended
		s.ends(s.t)
	})
	return s
}

// key makes an API key with a quota of its own, or with the server's for -1.
func (s *service) key(quota int) string {
	s.t.Helper()
	own := &quota
	if quota < 0 {
		own = nil
	}
	made := tocsintest.Key(s.t, s.db, own)
	s.keysMade.Lock()
	defer s.keysMade.Unlock()
	if s.keys == nil {
		s.keys = map[string]bool{}
	}
	s.keys[made] = true
	return made
}

// list imports a list that names the subjects.
func (s *service) list(name, family string, kind tocsin.ListingKind, category string, subjects ...string) {
	s.t.Helper()
	tocsintest.List(s.t, s.db, name, family, kind, category, subjects...)
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

// in returns the value at a path such as "reports.0.id", nil if there is none.
func (a *answer) in(path string) any { return tocsintest.At(a.body, path) }

func (a *answer) text(path string) string { s, _ := a.in(path).(string); return s }
func (a *answer) number(path string) int  { n, _ := a.in(path).(float64); return int(n) }
func (a *answer) count(path string) int   { l, _ := a.in(path).([]any); return len(l) }

// faulty returns the names of the fields that a problem complains of.
func (a *answer) faulty() []string { return tocsintest.Faulty(a.body) }

// do makes a call. Headers are "name: value"; a body that is no string is sent as JSON.
func (s *service) do(method, path string, body any, headers ...string) *answer {
	s.t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	r, err := http.NewRequest(method, s.http.URL+s.api.contract.Base+path, content)
	if err != nil {
		s.t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if strings.EqualFold(name, "Content-Type") {
			r.Header.Set(name, value)
		} else {
			r.Header.Add(name, value)
		}
	}
	res, err := s.http.Client().Do(r)
	if err != nil {
		s.t.Error(err)
		return &answer{}
	}
	defer res.Body.Close()
	a := &answer{status: res.StatusCode, header: res.Header}
	if a.raw, err = io.ReadAll(res.Body); err != nil {
		s.t.Error(err)
	}
	if method == http.MethodHead || a.status == http.StatusNotModified {
		if len(a.raw) > 0 {
			s.t.Errorf("%s %s has a body", method, path)
		}
		return a
	}
	if err := json.Unmarshal(a.raw, &a.body); err != nil {
		s.t.Errorf("%s %s: %v in %q", method, path, err, a.raw)
		return a
	}
	s.obeys(r, a)
	return a
}

func (s *service) get(path string, headers ...string) *answer {
	s.t.Helper()
	return s.do(http.MethodGet, path, nil, headers...)
}

// obeys holds an answer against the response that the contract documents for
// its operation and status: media type, required headers, schema.
func (s *service) obeys(r *http.Request, a *answer) {
	s.t.Helper()
	s.api.escapeCatchAll(r.URL)
	_, pattern := s.api.mux.Handler(r)
	about := fmt.Sprintf("%s %s: %d %s", r.Method, r.URL.Path, a.status, a.raw)
	var op map[string]any
	if method, path, ok := strings.Cut(pattern, " "); ok {
		op = s.document["paths"].(map[string]any)[strings.TrimPrefix(path,
			s.api.contract.Base)].(map[string]any)[strings.ToLower(method)].(map[string]any)
	} else { // no operation: any problem will do
		op = map[string]any{"responses": map[string]any{"default": map[string]any{"$ref": "#/components/responses/Problem"}}}
	}
	responses := op["responses"].(map[string]any)
	response, ok := responses[fmt.Sprint(a.status)]
	if !ok && a.status >= 400 {
		response, ok = responses["default"]
	}
	if !ok {
		s.t.Errorf("the contract has no such answer: %s", about)
		return
	}
	doc := s.resolve(response)
	headers, _ := doc["headers"].(map[string]any)
	for name, h := range headers {
		if required := s.resolve(h)["required"]; required == true && a.header.Get(name) == "" {
			s.t.Errorf("the header %s is missing: %s", name, about)
		}
	}
	media := a.header.Get("Content-Type")
	content, ok := doc["content"].(map[string]any)[media].(map[string]any)
	if !ok {
		s.t.Errorf("the media type is %q: %s", media, about)
		return
	}
	s.compiling.Lock()
	schema, err := s.compiler.Compile("openapi.json" + content["schema"].(map[string]any)["$ref"].(string))
	s.compiling.Unlock()
	if err != nil {
		s.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.raw))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		s.t.Errorf("%v: %s", err, about)
	}
	if codes, named := doc["x-codes"].(map[string]any); named && a.status >= 400 && codes[a.text("code")] == nil {
		s.t.Errorf("the contract names no such code: %s", about)
	}
	if a.status >= 400 && (a.number("status") != a.status || a.text("requestId") != a.header.Get("X-Request-Id")) {
		s.t.Errorf("the problem contradicts its answer: %s", about)
	}
}

func (s *service) resolve(node any) map[string]any {
	m := node.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		m = s.document
		for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			m = m[name].(map[string]any)
		}
	}
	return m
}

func want(t *testing.T, about string, got, want any) {
	t.Helper()
	tocsintest.Want(t, about, got, want)
}
