package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/discovery"
	"tocsin/internal/feed"
	"tocsin/internal/front"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// service is the whole website over a real database, the real API and real HTTP.
// Whatever a test gets from it is held against what is true of every answer,
// and at the end its log against what no log may have.
type service struct {
	t *testing.T
	tocsintest.Clock
	db   *store.DB
	api  *api.Server
	site *Site
	http *httptest.Server
	base string
	log  tocsintest.Buffer

	mu      sync.Mutex
	secrets []string // that were shown or sent
}

// contact is the operator's.
const contact = "mailto:security@tocsin.example"

// setup is what a test may change before the start.
type setup struct{ api.Config }

func start(t *testing.T, change ...func(*setup)) *service {
	t.Helper()
	tocsintest.Parallel(t)
	s := &service{t: t}
	log := slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c := setup{api.Config{Deployment: front.Deployment{BaseURL: "http://tocsin.example", Version: "1.2.3", Contact: contact, MCP: "/mcp", Links: discovery.Links,
		Quota: 10, Lookups: 10_000, Filings: 10_000, Log: log, Now: s.Now}}}
	for _, do := range change {
		do(&c)
	}
	s.base = c.BaseURL
	s.db = tocsintest.Open(t, &s.Clock)
	var err error
	if s.api, err = api.New(s.db, c.Config); err != nil {
		t.Fatal(err)
	}
	if s.site, err = New(s.db, s.api); err != nil {
		t.Fatal(err)
	}
	documents, err := discovery.New(s.api, discovery.Served{Pages: s.site.Pages()})
	if err != nil {
		t.Fatal(err)
	}
	door := front.New(s.api.Deployment())
	door.Handle("/api/", s.api)
	documents.Mount(door)
	door.Handle("/", s.site)
	s.http = httptest.NewUnstartedServer(door)
	if strings.HasPrefix(c.BaseURL, "https:") {
		s.http.StartTLS()
	} else {
		s.http.Start()
	}
	t.Cleanup(func() {
		s.http.Close()
		s.discreet()
	})
	return s
}

// as lets a part of a test, which has the service to itself, fail by itself.
func (s *service) as(t *testing.T) {
	whole := s.t
	s.t = t
	t.Cleanup(func() { s.t = whole })
}

// secret is the form of what is shown once: keys, tokens of reports, sessions.
var secret = regexp.MustCompile(`\b(?:toc|man|ses)_[a-z2-7]{20,}`)

// discreet holds the log: it has no secret, nothing that was signed, and no story.
func (s *service) discreet() {
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

// starter imports the set that every database begins with.
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
		if err := source.Read(s.t.Context(), feed.Starter(), s.db.Now().Std(), feed.Sink{Entry: im.Add}); err != nil {
			s.t.Fatal(err)
		}
		if _, err := im.Finish(s.t.Context(), false, nil); err != nil {
			s.t.Fatal(err)
		}
	}
}

// key makes a key for a wallet, as the operator does.
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

// filed is what the API tells of a report.
type filed struct {
	ID, Title, Currency, CreatedAt    string
	ManageToken                       string
	ScammerAddresses, ReportedDomains []string
	AmountLost                        float64
	IncidentDate, SubjectProjectName  string
	SocialMedia                       map[string]string
	Evidence                          struct{ URLs, TransactionHashes []string }
	Reporter                          struct{ ID, Name string }
	Authenticated                     bool
	RiskScore                         int
	Factors                           []struct{ Points int }
	Reports                           []filed
	FreeCalls                         struct{ Used, Remaining int }
	Agent                             struct{ Address string }
}

// call asks the API.
func (s *service) call(method, path string, body any, headers ...string) (status int, told filed) {
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

// file files a report through the API. What it does not say is said for it.
func (s *service) file(d draft, headers ...string) filed {
	s.t.Helper()
	whole := draft{"crimeType": "phishing", "title": "A page took my approval", "description": "I signed once.\n\nThen it was gone."}
	for name, value := range d {
		whole[name] = value
	}
	status, told := s.call(http.MethodPost, "/community-reports", whole, headers...)
	if status != http.StatusCreated {
		s.t.Fatalf("%v was not filed: %d", d, status)
	}
	return told
}

// stored is the report of that page, as the API tells it.
func (s *service) stored(p *got) filed {
	s.t.Helper()
	id := regexp.MustCompile(`/reports/(rep_[a-z2-7]+)`).FindStringSubmatch(p.html)
	if id == nil {
		s.t.Fatalf("no report in %s", p)
	}
	status, told := s.call(http.MethodGet, "/community-reports/"+id[1], nil)
	want(s.t, p.about, status, 200)
	return told
}

// me is what the API tells the holder of a key.
func (s *service) me(key string) filed {
	s.t.Helper()
	_, told := s.call(http.MethodGet, "/me", nil, "x-api-key: "+key)
	return told
}

// visitor is a browser without a window and without script: it keeps cookies,
// as their flags allow, and follows nothing.
type visitor struct {
	s      *service
	client *http.Client
}

func (s *service) visitor() *visitor { return s.visitorOf(s.http.Listener.Addr()) }

// visitorOf is one of another server.
func (s *service) visitorOf(at net.Addr) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	wire := s.http.Client().Transport.(*http.Transport).Clone()
	wire.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at.String())
	}
	if wire.TLSClientConfig != nil {
		wire.TLSClientConfig.ServerName = "example.com" // whose certificate httptest has
	}
	wire.DisableCompression = true // else the wire is not seen
	s.t.Cleanup(wire.CloseIdleConnections)
	return &visitor{s, &http.Client{Transport: wire, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// fields are those of a form.
type fields map[string]string

// with is the form with other values.
func (f fields) with(other fields) fields {
	all := fields{}
	for _, set := range []fields{f, other} {
		for name, value := range set {
			all[name] = value
		}
	}
	return all
}

func (v *visitor) get(path string, headers ...string) *got {
	v.s.t.Helper()
	return v.do(http.MethodGet, path, nil, headers...)
}

func (v *visitor) post(path string, form fields, headers ...string) *got {
	v.s.t.Helper()
	if form == nil {
		form = fields{}
	}
	return v.do(http.MethodPost, path, form, headers...)
}

// do makes a call. Headers are "name: value".
func (v *visitor) do(method, path string, form fields, headers ...string) *got {
	t := v.s.t
	t.Helper()
	var body io.Reader
	values := url.Values{}
	for name, value := range form {
		values.Set(name, value)
		if slices.Contains([]string{"message", "signature", "token", storyField}, name) {
			v.s.keep(value)
		}
	}
	if form != nil {
		body = strings.NewReader(values.Encode())
	}
	r, err := http.NewRequest(method, v.s.base+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Accept-Encoding", "gzip")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	res, err := v.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	p := &got{t: t, about: fmt.Sprintf("%s %s: %d", method, tocsin.Shorten(path, 120), res.StatusCode), status: res.StatusCode, header: res.Header, cookies: res.Cookies(), wire: len(raw)}
	if res.Header.Get("Content-Encoding") == "gzip" && method != http.MethodHead {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if raw, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	p.html = string(raw)
	if p.root, err = html.ParseWithOptions(bytes.NewReader(raw), html.ParseOptionEnableScripting(false)); err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") || res.Header.Get("Access-Control-Allow-Origin") == "" && !strings.HasPrefix(path, "/assets/") {
		v.s.holds(r, p)
	}
	return p
}

func (s *service) keep(secrets ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets = append(s.secrets, secrets...)
}

// message is what an account is to sign.
func (v *visitor) message(a tocsintest.Account) string {
	v.s.t.Helper()
	return v.post("/account/message", fields{"address": a.Address.String()}).html
}

// signIn signs in as the script of the page does, and returns the answer.
func (v *visitor) signIn(a tocsintest.Account) *got {
	v.s.t.Helper()
	message := v.message(a)
	return v.post("/account/sign-in", fields{"message": message, "signature": a.Sign(message)})
}

// cookie is the visitor's session, as a header.
func (v *visitor) cookie() string {
	at, err := url.Parse(v.s.base)
	if err != nil {
		v.s.t.Fatal(err)
	}
	for _, c := range v.client.Jar.Cookies(at) {
		if strings.HasSuffix(c.Name, "session") {
			return "cookie: " + c.Name + "=" + c.Value
		}
	}
	return ""
}

// signedIn reports whether the account page is shown to somebody who is signed in.
func (v *visitor) signedIn(headers ...string) bool {
	v.s.t.Helper()
	return v.get("/account", headers...).h1() == "Account"
}

const (
	// lightest is below what a page may weigh on the wire with all its parts, in bytes.
	lightest = 40_000
	// strict is the policy of a page, written down a second time.
	strict = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; img-src 'self'"
)

// holds holds an answer against what is true of every one.
func (s *service) holds(r *http.Request, p *got) {
	s.t.Helper()
	bad := func(format string, args ...any) {
		s.t.Helper()
		s.t.Errorf("%s: %s", p.about, fmt.Sprintf(format, args...))
	}
	h := p.header
	wallets := p.h1() == "Connect a wallet, get a key" || p.h1() == "Sign by hand"
	policy := strict
	if wallets {
		policy += " data:"
	}
	if r.Method == http.MethodHead { // no body tells which page it is
		policy = h.Get("Content-Security-Policy")
	}
	for name, value := range map[string]string{"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Vary": "Cookie, Accept-Encoding"} {
		if h.Get(name) != value {
			bad("%s: %q", name, h.Get(name))
		}
	}
	line := "id=" + h.Get("X-Request-Id") + " method=" + r.Method // written after the answer
	tocsintest.Eventually(s.t, p.about+" is in the log", func() bool { return strings.Contains(s.log.String(), line) })
	for _, c := range p.cookies {
		s.keep(c.Value)
		if !c.HttpOnly || c.Path != "/" || c.SameSite != http.SameSiteLaxMode || c.Secure != strings.HasPrefix(s.base, "https:") || c.Domain != "" {
			bad("cookie %v", c)
		}
	}
	var secrets []string
	if !strings.HasPrefix(r.URL.Path, "/docs") { // where examples are
		secrets = secret.FindAllString(p.html, -1)
		s.keep(secrets...)
	}
	keeps := "private, no-cache"
	if len(secrets) > 0 || h.Get("Content-Type") == "text/plain; charset=utf-8" || len(p.class("filed")) > 0 {
		keeps = "no-store"
	}
	if h.Get("Cache-Control") != keeps && r.Method != http.MethodHead {
		bad("Cache-Control: %s", h.Get("Cache-Control"))
	}
	if packed := h.Get("Content-Encoding") == "gzip"; packed != (keeps != "no-store" && p.status != http.StatusSeeOther && r.Header.Get("Accept-Encoding") == "gzip") {
		bad("compressed: %v", packed) // a secret never is: its length would tell of it
	}
	if secret.MatchString(h.Get("Location")) {
		bad("a secret in the address")
	}
	if to := h.Get("Location"); p.status == http.StatusSeeOther {
		if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.Contains(to, `\`) {
			bad("leads to %q", to)
		}
		return
	}
	if keeps == "no-store" && len(secrets) == 0 || r.Method == http.MethodHead {
		return
	}
	if h.Get("Content-Type") != "text/html; charset=utf-8" {
		bad("Content-Type: %s", h.Get("Content-Type"))
	}
	p.sound(bad)
	if r.Method == http.MethodGet && r.Header.Get("Accept-Encoding") == "gzip" {
		if total := p.wire + s.weight(p); total >= lightest {
			bad("weighs %d bytes", total)
		}
	}
}

// sound holds the HTML of a page: nothing runs in it, nothing is loaded from
// elsewhere, and what is tied together by id is there.
func (p *got) sound(bad func(string, ...any)) {
	ids := map[string]int{}
	for _, n := range p.all("*") {
		if id := attr(n, "id"); id != "" {
			if ids[id]++; ids[id] > 1 {
				bad("two elements are %q", id)
			}
		}
	}
	if !strings.HasPrefix(p.html, "<!doctype html>\n<html lang=\"en\"") || len(p.all("h1")) != 1 || len(p.all("main")) != 1 || !strings.Contains(p.title(), "Tocsin") {
		bad("no whole page: %q", p.title())
	}
	for _, n := range p.all("*") {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
				bad("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
			switch a.Key {
			case "href", "src", "action":
				u, err := url.Parse(a.Val)
				if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && a.Val != contact || u.Host != "" && n.DataAtom != atom.A {
					bad("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
				if strings.HasPrefix(a.Val, "#") && ids[a.Val[1:]] == 0 {
					bad("nothing is %q", a.Val)
				}
			case "for", "aria-describedby", "aria-labelledby":
				for _, id := range strings.Fields(a.Val) {
					if ids[id] == 0 {
						bad("%s: nothing is %q", a.Key, id)
					}
				}
			}
		}
		switch n.DataAtom {
		case atom.Script:
			if attr(n, "src") == "" || n.FirstChild != nil {
				bad("a script in the page")
			}
		case atom.Style, atom.Base, atom.Iframe, atom.Object, atom.Embed, atom.Img:
			bad("<%s>", n.Data)
		}
	}
}

// weight is that of the assets that a page names, as browsers that take gzip get them.
func (s *service) weight(p *got) (total int) {
	seen := map[string]bool{}
	for _, n := range p.all("link", "script") {
		at := attr(n, "href") + attr(n, "src")
		file, found := s.site.assets.files[strings.TrimPrefix(at, "/assets/")]
		if !found {
			s.t.Errorf("%s: there is no %q", p.about, at)
		}
		if !seen[at] {
			seen[at] = true
			total += len(file.packed)
		}
	}
	return total
}

// got is what came back.
type got struct {
	t       *testing.T
	about   string
	status  int
	header  http.Header
	cookies []*http.Cookie
	wire    int // bytes of the body as it was sent
	html    string
	root    *html.Node
}

func (p *got) String() string { return p.about + "\n" + p.html }

// all are the elements of these names, in the order of the page; "*" is every one.
func (p *got) all(names ...string) []*html.Node { return below(p.root, names...) }

func below(root *html.Node, names ...string) (found []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (names[0] == "*" || slices.Contains(names, n.Data)) {
			found = append(found, n)
		}
	}
	return found
}

// id is the element of that id; the test ends if there is none.
func (p *got) id(id string) *html.Node {
	p.t.Helper()
	for _, n := range p.all("*") {
		if attr(n, "id") == id {
			return n
		}
	}
	p.t.Fatalf("nothing is %q in %s", id, p)
	return nil
}

// class are the elements of a class.
func (p *got) class(name string) (found []*html.Node) {
	for _, n := range p.all("*") {
		if slices.Contains(strings.Fields(attr(n, "class")), name) {
			found = append(found, n)
		}
	}
	return found
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// verbatim is the text below nodes, as it stands there.
func verbatim(nodes ...*html.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		for below := range n.Descendants() {
			if below.Type == html.TextNode {
				b.WriteString(below.Data)
			}
		}
	}
	return b.String()
}

// flowing are the elements at which no word ends.
var flowing = []atom.Atom{atom.A, atom.B, atom.Bdi, atom.Code, atom.Mark, atom.Span, atom.Strong, atom.Time, atom.Wbr}

// textOf is the text below nodes, as people read it.
func textOf(nodes ...*html.Node) string {
	var b strings.Builder
	var read func(n *html.Node)
	read = func(n *html.Node) {
		gap := " "
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
			return
		} else if slices.Contains(flowing, n.DataAtom) {
			gap = ""
		}
		b.WriteString(gap)
		for below := range n.ChildNodes() {
			read(below)
		}
		b.WriteString(gap)
	}
	for _, n := range nodes {
		read(n)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (p *got) main() string  { return textOf(p.all("main")...) }
func (p *got) title() string { return textOf(p.all("title")...) }
func (p *got) h1() string    { return textOf(p.all("h1")...) }

// value is what a field of a form holds.
func (p *got) value(name string) string {
	p.t.Helper()
	for _, n := range p.all("input", "textarea") {
		switch {
		case attr(n, "name") != name || attr(n, "type") == "hidden" || attr(n, "type") == "radio" && !has(n, "checked"):
		case n.DataAtom == atom.Textarea:
			return verbatim(n)
		default:
			return attr(n, "value")
		}
	}
	return ""
}

// links are the targets of the links in the main part.
func (p *got) links() (all []string) {
	for _, n := range below(p.all("main")[0], "a") {
		all = append(all, attr(n, "href"))
	}
	return all
}

// key is the key that the page shows.
func (p *got) key() string {
	p.t.Helper()
	key := verbatim(p.id("key"))
	if !regexp.MustCompile(`^toc_[a-z2-7]{38}$`).MatchString(key) {
		p.t.Fatalf("%q is no key", key)
	}
	return key
}

// says reports what of these the main part of a page does not say.
func (p *got) says(words ...string) {
	p.t.Helper()
	for _, w := range words {
		if !strings.Contains(p.main(), w) {
			p.t.Errorf("%s does not say %q:\n%s", p.about, w, p.main())
		}
	}
}

func want(t *testing.T, about string, got, want any) {
	t.Helper()
	tocsintest.Want(t, about, got, want)
}
