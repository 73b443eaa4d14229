package front

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"tocsin/internal/health"
)

// TestNoCallerDecidesHowLargeALineIs sends 30 KB of what the log has to escape.
func TestNoCallerDecidesHowLargeALineIs(t *testing.T) {
	s := open(func(http.ResponseWriter, *http.Request) { panic(errors.New(strings.Repeat("x", 30_000))) }, nothing)
	junk := strings.Repeat("\xff", 30_000)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.URL.Path, r.Method = "/"+junk, junk
	s.send(r, "X-Request-Id: "+strings.Repeat("x", 30_000))
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "msg=request") && len(line) > 4*2*MaxLogged+300 || len(line) > 20_000 {
			t.Errorf("a line has %d bytes: %.300s", len(line), line)
		}
	}
	s.log.Reset()
	clipped := "/" + strings.Repeat("é", MaxLogged/2-1) + "… "
	if s.get("/" + strings.Repeat("é", MaxLogged)); !strings.Contains(s.log.String(), clipped) {
		t.Errorf("a path is not clipped between two characters: %s", &s.log)
	}
}

// TestAValueOfTheLogIsClipped holds for every line, by whatever part of the service.
func TestAValueOfTheLogIsClipped(t *testing.T) {
	var b bytes.Buffer
	long := strings.Repeat("y", 50_000)
	NewLog(&b).Info(long, "name", long, "error", errors.New(long), "stack", long, "names", []string{long}, "n", 1)
	want := map[string]int{"msg=": 1 << 10, "name=": MaxLogged, "error=": 1 << 10, "stack=": 16 << 10, "names=": MaxLogged}
	for key, most := range want {
		_, rest, _ := strings.Cut(b.String(), key)
		if n := strings.Count(strings.Fields(rest)[0], "y"); n < most-2 || n > most {
			t.Errorf("%s has %d bytes, want %d", key, n, most)
		}
	}
	if !strings.HasSuffix(b.String(), " n=1\n") {
		t.Errorf("a number is changed: %.100s", b.String()[b.Len()-100:])
	}
}

func post(n int, from string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader("half")))
	r.ContentLength = int64(n)
	r.RemoteAddr = from
	return r
}

// TestBodiesInProgressAreBounded fills the room of one network, and then that of all, with bodies that do not end.
func TestBodiesInProgressAreBounded(t *testing.T) {
	release := make(chan struct{})
	entered := make(chan bool)
	s := open(func(http.ResponseWriter, *http.Request) { entered <- true; <-release }, nothing)
	s.deploy.Health = health.New(s.deploy.Now, nil)
	send := func(n int, from string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, post(n, from))
		return w
	}
	held := make(chan bool)
	hold := func(n int, from string) {
		go func() { send(n, from); held <- true }()
		<-entered
	}
	const large = 200_000
	count := 0
	for _, network := range []string{"192.0.2.1:1", "198.51.100.1:1", "203.0.113.1:1", "10.9.9.9:1"} {
		for range maxNetworkBodies / large {
			hold(large, network)
			count++
		}
		for _, n := range []int{large, -1, MaxBody + 1} {
			w := send(n, network)
			if w.Code != http.StatusTeapot || w.Header().Get("Retry-After") != "5" || w.Header().Get("Connection") != "close" ||
				s.site.errors[len(s.site.errors)-1] != ErrBusy {
				t.Fatalf("a body of %d bytes too many: %d %v", n, w.Code, w.Header())
			}
		}
	}
	for range 2 { // 4 × 41 × 200,000 bytes: there is room for 3 more of the largest
		hold(-1, "8.8.8.8:1")
		count++
	}
	hold(smallBody, "192.0.2.1:1") // small ones have room always
	count++
	if n := s.bodies.all; n > maxBodies {
		t.Errorf("%d bytes of bodies are in progress", n)
	}
	for hasRoom := true; hasRoom; count++ {
		if hasRoom = s.bodies.all+MaxBody <= maxBodies; hasRoom {
			hold(-1, "8.8.8.8:1")
		} else {
			count--
		}
	}
	if w := send(-1, "9.9.9.9:1"); w.Code != http.StatusTeapot {
		t.Errorf("a body beyond the bound of all networks: %d", w.Code)
	}
	close(release)
	for range count {
		<-held
	}
	if s.bodies.all != 0 || len(s.bodies.byNetwork) != 0 {
		t.Errorf("at the end %d bytes of %d networks are counted", s.bodies.all, len(s.bodies.byNetwork))
	}
	if troubles := s.deploy.Health.Troubles(); len(troubles) != 1 || troubles[0].Count != 13 {
		t.Errorf("reported: %v", troubles)
	}
}

// dialed is one end of a connection that a listener accepts.
type dialed struct {
	net.Conn
	from   string
	closed bool
}

func (d *dialed) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(d.from))
}
func (d *dialed) Close() error { d.closed = true; return nil }

// dialing is a listener to which a test connects.
type dialing struct {
	net.Listener
	next []*dialed
}

func (d *dialing) Accept() (net.Conn, error) {
	if len(d.next) == 0 {
		return nil, net.ErrClosed
	}
	c := d.next[0]
	d.next = d.next[1:]
	return c, nil
}

func TestConnectionsAreBounded(t *testing.T) {
	d := &Deployment{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	inner := &dialing{}
	l := d.Limit(inner, 4)
	// connect returns the connection as it was accepted, or nil if it was closed.
	connect := func(from string) (net.Conn, *dialed) {
		c := &dialed{from: from}
		inner.next = append(inner.next, c)
		accepted, _ := l.Accept()
		return accepted, c
	}
	a1, _ := connect("192.0.2.1:1")
	a2, a2raw := connect("192.0.2.2:1")
	if c, raw := connect("192.0.2.3:1"); c != nil || !raw.closed {
		t.Error("one network has more than half of the connections")
	}
	b, _ := connect("198.51.100.1:1")
	if b == nil {
		t.Fatal("another network is kept out")
	}
	l.State(a2, http.StateNew)
	l.State(a1, http.StateNew)
	l.State(a1, http.StateActive)
	a3, _ := connect("192.0.2.3:1")
	if a3 == nil || !a2raw.closed {
		t.Error("a connection that waits for a request keeps another of its network out")
	}
	proxy, raw := connect("10.0.0.1:1")
	if proxy == nil {
		t.Fatal("the last place is not given away")
	}
	if c, _ := connect("10.0.0.1:2"); c != nil {
		t.Error("there are more than the limit")
	}
	l.State(proxy, http.StateIdle)
	if c, _ := connect("203.0.113.1:2"); c == nil || !raw.closed {
		t.Error("a connection that is idle keeps others out")
	}
	for _, c := range []net.Conn{a1, a2, a3, b, proxy} {
		c.Close()
		c.Close()
	}
	if len(l.open) != 1 || len(l.byNetwork) != 1 {
		t.Errorf("%d connections of %d networks are counted", len(l.open), len(l.byNetwork))
	}
	for range 5 { // a proxy may have all of them
		connect("10.0.0.1:1")
	}
	if len(l.open) != 4 {
		t.Errorf("%d connections", len(l.open))
	}
	l = d.Limit(inner, 0)
	for range 100 {
		if c, _ := connect("192.0.2.1:1"); c == nil {
			t.Fatal("without a limit a connection is closed")
		}
	}
}
