package front

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// room answers with what its handler does, and says which errors it was given.
type room struct {
	http.Handler
	errors []error
}

func (r *room) ServeError(w http.ResponseWriter, _ *http.Request, err error) {
	r.errors = append(r.errors, err)
	http.Error(w, "a failure in the words of this room", http.StatusTeapot)
}

// service is a door with one room at / and one below /api/v1/.
type service struct {
	*Door
	log     bytes.Buffer
	deploy  Deployment
	site    *room
	api     *room
	elapsed time.Duration
}

func open(site, api http.HandlerFunc) *service {
	s := &service{site: &room{Handler: site}, api: &room{Handler: api}}
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	s.deploy = Deployment{
		Log:            NewLog(&s.log, LogOptions{}),
		Now:            func() time.Time { return noon.Add(s.elapsed) },
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	}
	s.Door = New(&s.deploy)
	s.Handle("/", s.site)
	s.HandleBelow("/api/v1/", s.api)
	return s
}

func (s *service) get(path string, headers ...string) *httptest.ResponseRecorder {
	return s.send(httptest.NewRequest(http.MethodGet, path, nil), headers...)
}

func (s *service) send(r *http.Request, headers ...string) *httptest.ResponseRecorder {
	r.RemoteAddr = "192.0.2.7:4711"
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Add(name, value); name == "From" {
			r.RemoteAddr = value
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func nothing(http.ResponseWriter, *http.Request) {}

func TestEachRequestIsOneLineOfTheLog(t *testing.T) {
	var s *service
	mux := http.NewServeMux()
	mux.HandleFunc("GET /reports/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.elapsed += 1500 * time.Microsecond
		r.URL.Path = "/changed"
		http.NotFound(w, r)
	})
	s = open(mux.ServeHTTP, nothing)
	id := s.get("/reports/rep_1").Header().Get("X-Request-Id")
	want := `msg=request id=` + id + ` method=GET path=/reports/rep_1 route=/reports/{id} status=404 us=1500` + "\n"
	if line := s.log.String(); id == "" || !strings.HasSuffix(line, want) || strings.Count(line, "\n") != 1 {
		t.Errorf("the log is %q, want %q", line, want)
	}
	if again := s.get("/reports/rep_1").Header().Get("X-Request-Id"); again == id {
		t.Errorf("two requests have the id %s", id)
	}
}

func TestTheLogKeepsNoSecretOfAPath(t *testing.T) {
	s := open(nothing, nothing)
	key := strings.Repeat("0123456789abcdef", 4)
	for _, path := range []string{"/screen/0x" + key, "/api/v1/screen/" + key} {
		s.get(path)
	}
	if log := s.log.String(); strings.Contains(log, key) || strings.Count(log, "left out") != 2 {
		t.Errorf("the log is %s", log)
	}
}

func TestAPanicIsAnsweredByTheRoom(t *testing.T) {
	s := open(func(http.ResponseWriter, *http.Request) { panic("a secret") },
		func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "half an ans"); panic("too late") })
	if w := s.get("/"); w.Code != http.StatusTeapot || !strings.Contains(w.Body.String(), "words of this room") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if len(s.site.errors) != 1 || s.site.errors[0] != ErrPanic {
		t.Errorf("the room was given %v", s.site.errors)
	}
	if log := s.log.String(); !strings.Contains(log, `level=ERROR msg=panic`) || !strings.Contains(log, "a secret") ||
		!strings.Contains(log, "status=418") {
		t.Errorf("the log is %s", log)
	}
	defer func() {
		if recover() != http.ErrAbortHandler || len(s.api.errors) != 0 || strings.Count(s.log.String(), "msg=request") != 2 {
			t.Errorf("after a panic in the middle of a response: %v, the log is %s", s.api.errors, &s.log)
		}
	}()
	s.get("/api/v1/")
}

func TestAnAbortedResponseStaysAborted(t *testing.T) {
	s := open(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nothing)
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("the panic did not reach net/http, which closes the connection for it")
		}
	}()
	s.get("/")
}

func TestAPathBelowAPrefixArrivesAsItWasSent(t *testing.T) {
	var path string
	s := open(nothing, func(_ http.ResponseWriter, r *http.Request) { path = r.URL.EscapedPath() })
	if w := s.get("/api/v1/check-url/https://evil.example/a//b"); w.Code != http.StatusOK ||
		path != "/api/v1/check-url/https://evil.example/a//b" {
		t.Errorf("%d, the room was sent %q", w.Code, path)
	}
}

func TestLongPathsAndBodiesAreBounded(t *testing.T) {
	var read int64
	var err error
	s := open(func(_ http.ResponseWriter, r *http.Request) { read, err = io.Copy(io.Discard, r.Body) }, nothing)
	if s.get("/" + strings.Repeat("x", MaxPath-1)); len(s.site.errors) != 0 {
		t.Errorf("a path of %d bytes: %v", MaxPath, s.site.errors)
	}
	if s.get("/" + strings.Repeat("x", MaxPath)); len(s.site.errors) != 1 || s.site.errors[0] != ErrPathTooLong {
		t.Errorf("a longer one: %v", s.site.errors)
	}
	if s.get("/" + strings.Repeat("%41", MaxPath/3+1)); len(s.site.errors) != 2 {
		t.Errorf("one that is longer only as it was sent, escaped: %v", s.site.errors)
	}
	s.send(httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(make([]byte, MaxBody+1))))
	if read != MaxBody || err == nil {
		t.Errorf("of a body that is too large %d bytes were read: %v", read, err)
	}
}

// TestACallersRequestIDStandsBesideOurs: two calls that share an id could not be told apart in the log.
func TestACallersRequestIDStandsBesideOurs(t *testing.T) {
	s := open(nothing, nothing)
	for id, kept := range map[string]bool{
		"mine-1": true, strings.Repeat("x", 64): true, strings.Repeat("x", 65): false, "a b": false, "é": false, "": false,
	} {
		s.log.Reset()
		ours := s.get("/", "X-Request-Id: "+id).Header().Get("X-Request-Id")
		log := s.log.String()
		if ours == id || !strings.Contains(log, " id="+ours+" ") || strings.Contains(log, " callerId="+id+" ") != kept ||
			strings.Contains(log, "callerId=") != kept {
			t.Errorf("%q: the response says %q, the log %s", id, ours, log)
		}
	}
}

func TestANetworkIsWhatASubscriberHas(t *testing.T) {
	var network string
	s := open(func(_ http.ResponseWriter, r *http.Request) { network = Of(r.Context()).Network().String() }, nothing)
	for _, c := range []struct{ about, remote, forwarded, want string }{
		{"IPv4", "192.0.2.77:1", "", "192.0.2.0/24"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.77]:1", "", "192.0.2.0/24"},
		{"IPv6", "[2001:db8:1:2:3::4]:1", "", "2001:db8:1::/48"},
		{"a zone", "[fe80::1%eth0]:1", "", "fe80::/48"},
		{"not a proxy", "192.0.2.77:1", "203.0.113.1", "192.0.2.0/24"},
		{"a proxy", "10.0.0.1:1", "198.51.100.9, 203.0.113.1", "203.0.113.0/24"},
		{"a proxy at an IPv4 address in IPv6", "[::ffff:10.0.0.1]:1", "::ffff:203.0.113.1, ::ffff:10.1.1.1",
			"203.0.113.0/24"},
		{"a client that is a zone", "10.0.0.1:1", "fe80::1%eth0", "fe80::/48"},
		{"a connection without an address", "@", "203.0.113.1", "invalid Prefix"},
		{"two proxies", "10.0.0.1:1", "203.0.113.1, 10.1.1.1", "203.0.113.0/24"},
		{"a proxy that says nothing", "10.0.0.1:1", "", "10.0.0.0/24"},
		{"a proxy that says nonsense", "10.0.0.1:1", "203.0.113.1, unknown", "10.0.0.0/24"},
		{"a proxy that adds ports", "10.0.0.1:1", "198.51.100.9, 203.0.113.1:4711", "203.0.113.0/24"},
		{"two proxies that add ports", "10.0.0.1:1", "203.0.113.1:4711,10.1.1.1:80", "203.0.113.0/24"},
		{"IPv6 and a port", "10.0.0.1:1", "[2001:db8:1:2::1]:443", "2001:db8:1::/48"},
		{"IPv6 in brackets", "10.0.0.1:1", "[2001:db8:1:2::1]", "2001:db8:1::/48"},
		{"plain IPv6", "10.0.0.1:1", "2001:db8:1:2::1", "2001:db8:1::/48"},
		{"half a bracket", "10.0.0.1:1", "[2001:db8:1:2::1", "10.0.0.0/24"},
		{"IPv4 in brackets", "10.0.0.1:1", "[203.0.113.1]", "10.0.0.0/24"},
	} {
		headers := []string{"From: " + c.remote}
		if c.forwarded != "" {
			headers = append(headers, "X-Forwarded-For: "+c.forwarded)
		}
		if s.get("/", headers...); network != c.want {
			t.Errorf("%s: %s, want %s", c.about, network, c.want)
		}
	}
}

func TestTheLineThatAProxyAddsCountsNotTheOneOfTheClient(t *testing.T) {
	var network string
	s := open(func(_ http.ResponseWriter, r *http.Request) { network = Of(r.Context()).Network().String() }, nothing)
	s.get("/", "From: 10.0.0.1:1", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-For: 203.0.113.1")
	if network != "203.0.113.0/24" {
		t.Errorf("the network is %s, the proxy says 203.0.113.1", network)
	}
}

func TestAnEntryOfAProxyThatIsNoAddressIsWarnedOfOnce(t *testing.T) {
	s := open(func(_ http.ResponseWriter, r *http.Request) { Of(r.Context()).Network() }, nothing)
	const warning = "an entry of X-Forwarded-For"
	for _, fine := range []string{"203.0.113.1", "203.0.113.1:4711", "nonsense, 203.0.113.1", ""} {
		if s.get("/", "From: 10.0.0.1:1", "X-Forwarded-For: "+fine); strings.Contains(s.log.String(), warning) {
			t.Errorf("%q is warned of", fine)
		}
	}
	if s.get("/", "X-Forwarded-For: whatever a client writes"); strings.Contains(s.log.String(), warning) {
		t.Error("a header that did not come from a proxy is warned of")
	}
	for range 3 {
		s.get("/", "From: 10.0.0.1:1", "X-Forwarded-For: 203.0.113.7:http")
	}
	if log := s.log.String(); strings.Count(log, warning) != 1 || !strings.Contains(log, "form=000.0.000.0:http") {
		t.Errorf("the log is\n%s", log)
	}
}

func TestARequestPastTheDoorIsAFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("there is a Request although the door was not passed")
		}
	}()
	Of(t.Context())
}

func TestWhatDidNotComeThroughTheDoorHasNoNetwork(t *testing.T) {
	if network := Of(With(t.Context(), &Request{ID: "1"})).Network(); network != (netip.Prefix{}) {
		t.Errorf("the network is %s", network)
	}
}

// TestTheStatusOfALineIsThatOfTheResponse: what a handler writes decides.
func TestTheStatusOfALineIsThatOfTheResponse(t *testing.T) {
	for want, does := range map[string]http.HandlerFunc{
		"status=200": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok"); w.WriteHeader(500) },
		"status=201": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201); w.WriteHeader(500) },
		"status=202": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(202) },
		"status=404": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404); w.WriteHeader(200) },
		"status=0":   nothing,
	} {
		s := open(does, nothing)
		if h := s.get("/").Header(); h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: a browser may guess the type: %v", want, h)
		}
		if log := s.log.String(); !strings.Contains(log, want+" ") || !strings.Contains(log, "level=INFO") {
			t.Errorf("%s: the log is %s", want, log)
		}
	}
}

// Request ids differ within a process and between processes.
func TestEachRequestHasItsOwnID(t *testing.T) {
	s := open(nothing, nothing)
	known := map[string]bool{}
	for range 2 {
		for range 40 {
			known[s.get("/").Header().Get("X-Request-Id")] = true
		}
		s.elapsed += time.Microsecond // a process that is started later
		s.Door = New(&s.deploy)
		s.Handle("/", s.site)
	}
	if len(known) != 80 || !known["hgccyieio0-1"] {
		t.Errorf("80 requests have %d ids, such as %s", len(known), s.get("/").Header().Get("X-Request-Id"))
	}
}

func TestAPanicIsLoggedWithTheIDOfItsRequest(t *testing.T) {
	s := open(func(http.ResponseWriter, *http.Request) { panic("a secret") }, nothing)
	id := s.get("/", "X-Request-Id: mine-1").Header().Get("X-Request-Id")
	log := s.log.String()
	if !strings.Contains(log, `msg=panic id=`+id+` value="a secret" stack="goroutine`) {
		t.Errorf("the log is %s", log)
	}
}

// TestPagesOfOtherOriginsMayCallTheService holds each header of the Fetch standard.
func TestPagesOfOtherOriginsMayCallTheService(t *testing.T) {
	cors := CORS{Methods: "GET, POST", Headers: "Content-Type", Exposed: "X-Request-Id"}
	answer := http.Header{
		"Access-Control-Allow-Origin":   {"*"},
		"Access-Control-Expose-Headers": {"X-Request-Id"},
	}
	preflight := answer.Clone()
	preflight.Set("Access-Control-Allow-Methods", "GET, POST")
	preflight.Set("Access-Control-Allow-Headers", "Content-Type")
	preflight.Set("Access-Control-Max-Age", "86400")
	for method, want := range map[string]http.Header{"GET": answer, "POST": answer, "OPTIONS": preflight} {
		h := http.Header{}
		if got := cors.Apply(h, httptest.NewRequest(method, "/", nil)); got != (method == "OPTIONS") ||
			!maps.EqualFunc(h, want, slices.Equal) {
			t.Errorf("%s: preflight %t, headers %v, want %v", method, got, h, want)
		}
	}
}

func TestARoomNeedNotAnswerForTheDoor(t *testing.T) {
	s := open(nothing, nothing)
	s.Door = New(&s.deploy)
	if w := s.get("/nowhere"); w.Code != http.StatusNotFound || !strings.Contains(s.log.String(), `route="" status=404`) {
		t.Errorf("%d, the log is %s", w.Code, &s.log)
	}
	if w := s.get("/" + strings.Repeat("x", MaxPath)); w.Code != http.StatusNotFound {
		t.Errorf("a long path to no room: %d", w.Code)
	}
}

// net/http closes the connection of a body that is too large only if it is given its own writer.
func TestABodyThatIsTooLargeClosesTheConnection(t *testing.T) {
	s := open(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }, nothing)
	server := httptest.NewServer(s)
	defer server.Close()
	for size, closed := range map[int]bool{MaxBody: false, MaxBody + 1: true} {
		res, err := http.Post(server.URL, "text/plain", bytes.NewReader(make([]byte, size)))
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.Close != closed {
			t.Errorf("%d bytes: closed %t, want %t", size, res.Close, closed)
		}
	}
}

func TestTheRouteOfALineIsTheMostPreciseOne(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", nothing)
	mux.HandleFunc("GET /api/v1/things/{id}", nothing)
	s := open(nothing, mux.ServeHTTP)
	for path, route := range map[string]string{"/api/v1/things/1": "/api/v1/things/{id}", "/api/v1/x": "/api/v1/"} {
		s.log.Reset()
		if s.get(path); !strings.Contains(s.log.String(), " route="+route+" ") {
			t.Errorf("%s: the log is %s, want the route %s", path, &s.log, route)
		}
	}
}
