package web

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/discovery"
	"tocsin/internal/evm"
	"tocsin/internal/feed"
	"tocsin/internal/front"
	"tocsin/internal/limits"
	"tocsin/internal/locale"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// service is the website with a real database, the real API and real HTTP. Every response
// is checked for what is true of all of them, and the log, at the end, for secrets.
type service struct {
	t *testing.T
	tocsintest.Clock
	at   string // where the database is
	db   *store.DB
	api  *api.Server
	site *Site
	http *httptest.Server
	base string
	log  tocsintest.Buffer

	mu      sync.Mutex
	secrets []string // that were shown or sent
}

// contact is the URL of the operator.
const contact = "mailto:security@tocsin.example"

// setup is what a test may change before the start.
type setup struct {
	api.Config
	nodes     []*evm.Node
	languages *locale.Languages // nil for all that have a catalogue
}

func start(t *testing.T, change ...func(*setup)) *service {
	t.Helper()
	tocsintest.Parallel(t)
	s := &service{t: t}
	log := slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	names := lookalike.NewDetector(tocsintest.Brands(), nil)
	c := setup{Config: api.Config{Names: names, Deployment: front.Deployment{
		BaseURL: "http://tocsin.example", Version: "1.2.3",
		Contact: contact, MCP: "/mcp", Links: discovery.Links,
		Quota: 10, Limits: limits.Config{Lookups: 10_000, Filings: 10_000}, Log: log, Now: s.Now}}}
	for _, do := range change {
		do(&c)
	}
	s.base = c.BaseURL
	s.at = tocsintest.NewDatabase(t)
	s.db = tocsintest.OpenAt(t, &s.Clock, s.at)
	var err error
	if s.api, err = api.New(s.db, c.Config); err != nil {
		t.Fatal(err)
	}
	if c.languages == nil {
		c.languages = allLanguages()
	}
	if s.site, err = newSite(s.db, s.api, c.nodes, c.languages); err != nil {
		t.Fatal(err)
	}
	s.site.searchTime, s.site.searchWait = tocsintest.Patience, tocsintest.Patience // on a busy machine
	documents := lazily{sync.OnceValue(func() *discovery.Documents {
		made, err := discovery.New(s.api, discovery.Served{Pages: s.site.Pages})
		if err != nil {
			t.Error(err)
		}
		return made
	})}
	door := front.New(s.api.Deployment())
	door.Handle("/api/", s.api)
	for _, path := range documentPaths {
		door.Handle(path, documents)
	}
	door.Handle("/", s.site)
	s.http = httptest.NewUnstartedServer(door)
	if strings.HasPrefix(c.BaseURL, "https:") {
		s.http.StartTLS()
	} else {
		s.http.Start()
	}
	t.Cleanup(func() {
		s.http.Close()
		s.checkLog()
	})
	return s
}

// lazily serves the documents for agents, which are made for the first request: few tests ask for one, and to make them
// takes longer than most tests.
type lazily struct{ made func() *discovery.Documents }

func (l lazily) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.made().ServeHTTP(w, r) }

func (l lazily) ServeError(w http.ResponseWriter, r *http.Request, err error) {
	l.made().ServeError(w, r, err)
}

// documentPaths are those of the documents that pages link to. A link to any other is found to be dead.
var documentPaths = []string{"/.well-known/", "/openapi.json", "/openapi.yaml", "/llms.txt", "/robots.txt",
	"/sitemap.xml", "/mcp/server-card"}

// run reports failures to a subtest until it ends.
func (s *service) run(t *testing.T) {
	whole := s.t
	s.t = t
	t.Cleanup(func() { s.t = whole })
}

// secret matches what is shown once: keys, tokens of reports, sessions.
var secret = regexp.MustCompile(`\b(?:toc|man|ses)_[a-z2-7]{20,}`)

// checkLog checks that the log has no secret, no signed message and no description.
func (s *service) checkLog() {
	s.t.Helper()
	log := s.log.String()
	if found := secret.FindString(log); found != "" {
		s.t.Errorf("%s is in the log", found)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.secrets {
		for _, line := range strings.FieldsFunc(known, func(r rune) bool { return r == '\n' || r == '\r' }) {
			if len(line) > 20 && strings.Contains(log, line) {
				s.t.Errorf("%q is in the log", line)
			}
		}
	}
}

// list imports a list that names the subjects.
func (s *service) list(name, family string, kind tocsin.ListingKind, category string, subjects ...string) {
	s.t.Helper()
	tocsintest.List(s.t, s.db, name, family, kind, category, subjects...)
}

// starter imports the starter set.
func (s *service) starter() {
	s.t.Helper()
	for _, name := range []string{feed.OFAC, feed.StarterList} {
		source, found := feed.Find(name)
		if !found {
			s.t.Fatal(name)
		}
		im, err := s.db.Import(s.t.Context(), source.List)
		if err != nil {
			s.t.Fatal(err)
		}
		read, err := source.Read(s.t.Context(), feed.Starter(), s.db.Now().Std(), feed.Sink{Entry: im.Add})
		if err != nil {
			s.t.Fatal(err)
		}
		im.Version(read)
		if _, err := im.Finish(s.t.Context(), false, nil); err != nil {
			s.t.Fatal(err)
		}
	}
}

// key makes a key for a wallet, as the operator can.
func (s *service) key(wallet tocsin.Address, name string, quota *int) string {
	s.t.Helper()
	made, err := s.db.CreateKey(context.Background(), &wallet, name, quota)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(made.Key)
}

// draft is a report as the API takes it.
type draft map[string]any

// apiResponse has the fields of all responses of the API that tests read.
type apiResponse struct {
	ID, Title, Currency, CreatedAt    string
	ManageToken                       string
	ScammerAddresses, ReportedDomains []string
	AmountLost                        float64
	Description                       string
	IncidentDate, SubjectProjectName  string
	ReportedHandles                   []string
	Evidence                          struct{ URLs, TransactionHashes []string }
	Reporter                          struct{ ID, Name string }
	Authenticated                     bool
	RiskScore                         int
	Factors                           []struct{ Points int }
	Reports                           []apiResponse
	FreeCalls                         struct{ Used, Remaining int }
	Agent                             struct{ Address string }
}

// call calls the API.
func (s *service) call(method, path string, body any, headers ...string) (status int, told apiResponse) {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r := httptest.NewRequest(method, s.api.Contract().Base+path, bytes.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.http.Config.Handler.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil && w.Code < 300 {
		s.t.Fatalf("%v in %s", err, w.Body)
	}
	return w.Code, told
}

// file files a report through the API, with defaults for fields that it lacks.
func (s *service) file(d draft, headers ...string) apiResponse {
	s.t.Helper()
	whole := draft{"crimeType": "phishing", "title": "A page took my approval",
		"description": "I signed once.\n\nThen it was gone."}
	for name, value := range d {
		whole[name] = value
	}
	status, told := s.call(http.MethodPost, "/community-reports", whole, headers...)
	if status != http.StatusCreated {
		s.t.Fatalf("%v was not filed: %d", d, status)
	}
	return told
}

// storedReport is the report of a page, read through the API.
func (s *service) storedReport(p *response) apiResponse {
	s.t.Helper()
	id := regexp.MustCompile(`/reports/(rep_[a-z2-7]+)`).FindStringSubmatch(p.html)
	if id == nil {
		s.t.Fatalf("no report in %s", p)
	}
	status, told := s.call(http.MethodGet, "/community-reports/"+id[1], nil)
	want(s.t, p.about, status, 200)
	return told
}

// me is the account of a key, read through the API.
func (s *service) me(key string) apiResponse {
	s.t.Helper()
	_, told := s.call(http.MethodGet, "/me", nil, "x-api-key: "+key)
	return told
}

func want(t *testing.T, about string, got, want any) {
	t.Helper()
	tocsintest.Want(t, about, got, want)
}

// aRequest is a request in English.
func aRequest() *request {
	return &request{Request: httptest.NewRequest(http.MethodGet, "/", nil), header: http.Header{}, lang: english()}
}

// english is the printer of English.
func english() *locale.Printer { return allLanguages().English() }

// allLanguages are those that are offered; the first is English. To read them takes longer than most tests.
var allLanguages = sync.OnceValue(func() *locale.Languages {
	all, err := locale.Load(locale.Shipped()...)
	if err != nil {
		panic(err)
	}
	return all
})

// now is a moment for what no clock is asked for.
var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// same compares what a table expects, line by line.
func same(t *testing.T, about string, got []string, lines ...string) {
	t.Helper()
	if !slices.Equal(got, lines) {
		t.Errorf("%s:\n%s\nwant\n%s", about, strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// number writes a whole number in English.
func number(n int) string { return english().Number(int64(n)) }
