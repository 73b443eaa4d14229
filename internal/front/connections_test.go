package front

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"testing"

	"tocsin/internal/tocsintest"
)

// dialed is one end of a connection that a listener accepts.
type dialed struct {
	net.Conn
	from   string
	closed bool
}

func (d *dialed) LocalAddr() net.Addr { return nil }

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
	second, _ := connect("10.0.0.1:2") // the first network has more than an equal share
	if second == nil || len(l.open) != 4 {
		t.Errorf("%d connections", len(l.open))
	}
	l.State(proxy, http.StateIdle)
	if c, _ := connect("203.0.113.1:2"); c == nil || !raw.closed {
		t.Error("a connection that is idle keeps others out")
	}
	for _, c := range []net.Conn{a1, a2, a3, b, proxy, second} {
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

// TestAConnectionOfAProxyIsThatOfItsClientWhileItAsks: between two requests it is nobody's.
func TestAConnectionOfAProxyIsThatOfItsClientWhileItAsks(t *testing.T) {
	d := &Deployment{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	inner := &dialing{next: []*dialed{{from: "10.0.0.1:1"}}}
	l := d.Limit(inner, 10)
	c, _ := l.Accept()
	ofC := func(networks ...string) {
		t.Helper()
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, n := range networks {
			if l.byNetwork[netip.MustParsePrefix(n)] != 1 {
				t.Errorf("%v are counted, %s has one", l.byNetwork, n)
			}
		}
		if len(l.byNetwork) != len(networks) {
			t.Errorf("%v are counted", l.byNetwork)
		}
	}
	ofC()
	c.(*connection).requests(netip.MustParsePrefix("192.0.2.0/24"), false)
	ofC("192.0.2.0/24")
	c.(*connection).requests(netip.MustParsePrefix("192.0.2.0/24"), false)
	ofC("192.0.2.0/24")
	c.(*connection).requests(netip.MustParsePrefix("203.0.113.0/24"), false)
	ofC("203.0.113.0/24")
	l.State(c, http.StateIdle)
	ofC()
	l.State(&dialed{}, http.StateNew) // of another listener
}

// TestSlowBodiesOfTwoNetworksLeaveOthersTheirConnections: bodies that never end, of two networks that open a new
// connection for each that is closed, directly and by a trusted proxy.
func TestSlowBodiesOfTwoNetworksLeaveOthersTheirConnections(t *testing.T) {
	for _, proxied := range []bool{false, true} {
		s := open(nothing, nothing)
		if proxied {
			s.deploy.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		}
		inner, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		const limit = 40
		l := s.deploy.Limit(inner, limit)
		server := &http.Server{Handler: s, ConnState: l.State, ConnContext: l.Context}
		go server.Serve(l)
		defer server.Close()
		send := func(network int, head string) net.Conn {
			from := &net.TCPAddr{IP: net.IPv4(127, 9, byte(network), 1)}
			c, err := (&net.Dialer{LocalAddr: from}).Dial("tcp", inner.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.%d.1\r\n", head, network)
			return c
		}
		slow := func(network int) { fmt.Fprint(send(network, "POST /"), "Content-Length: 10\r\n\r\n{") }
		count := func(what activity) (n int) {
			l.mu.Lock()
			defer l.mu.Unlock()
			for c := range l.open {
				if c.activity == what {
					n++
				}
			}
			return n
		}
		for i := range limit {
			slow(i % 2)
		}
		tocsintest.Eventually(t, "all connections send bodies", func() bool { return count(reading) == limit })
		for i := range 20 {
			c := send(2, "GET /")
			fmt.Fprint(c, "\r\n")
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil || res.StatusCode != http.StatusOK {
				t.Fatalf("proxied %t: another network is not served for the time %d: %v", proxied, i, err)
			}
			c.Close()
			slow(i % 2)
		}
	}
}

// TestSharesOfConnectionsAreFairWhateverTheNumberOfNetworks: whatever the connections of the others do.
func TestSharesOfConnectionsAreFairWhateverTheNumberOfNetworks(t *testing.T) {
	for _, networks := range []int{2, 5, 12} {
		for what := answering; what <= waiting; what++ {
			inner := &dialing{}
			l := (&Deployment{}).Limit(inner, 60)
			connect := func(network int) net.Conn {
				inner.next = append(inner.next, &dialed{from: fmt.Sprintf("192.0.%d.1:1", network)})
				c, _ := l.Accept()
				if c != nil {
					l.mu.Lock()
					c.(*connection).does(what, c.(*connection).origin)
					l.mu.Unlock()
				}
				return c
			}
			for range 60 {
				for network := range networks {
					connect(network)
				}
			}
			for i := range 60/(networks+1) - 1 {
				if connect(99) == nil {
					t.Fatalf("%d networks that are %d: connection %d of another is refused", networks, what, i)
				}
			}
			counts := map[netip.Prefix]int{}
			for c := range l.open {
				counts[c.network]++
			}
			for network, n := range counts {
				if n < 60/(networks+1)-1 {
					t.Errorf("%d networks that are %d: %s has %d connections", networks, what, network, n)
				}
			}
		}
	}
}

func TestAConnectionThatIsAnsweredIsTheLastToBeClosed(t *testing.T) {
	inner := &dialing{}
	l := (&Deployment{}).Limit(inner, 6)
	var raw []*dialed
	connect := func(from string, what activity) {
		raw = append(raw, &dialed{from: from})
		inner.next = raw[len(raw)-1:]
		if c, _ := l.Accept(); c != nil {
			l.mu.Lock()
			c.(*connection).does(what, c.(*connection).origin)
			l.mu.Unlock()
		}
	}
	for _, what := range []activity{answering, reading, answering} {
		connect("192.0.2.1:1", what)
	}
	connect("198.51.100.1:1", waiting)
	connect("198.51.100.1:2", reading)
	connect("203.0.113.1:1", answering)
	for i, closed := range []int{1, 3, 4, 0} {
		connect(fmt.Sprintf("10.0.%d.1:1", i), answering)
		for j, c := range raw[:6] {
			if j == closed && !c.closed {
				t.Errorf("of the new connection %d, %d is not closed", i, j)
			}
		}
	}
	if raw[2].closed || raw[5].closed {
		t.Error("a connection that is answered is closed, though its network has no more than its share")
	}
}
