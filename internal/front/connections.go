package front

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"tocsin/internal/health"
)

// Listener bounds the connections to a server. One network has at most half of them; trusted proxies have as many as
// there are, but while a request is in progress its connection counts for the network of the client. A connection that
// is one too many takes the place of one of the network that has most: see [Listener.victim].
type Listener struct {
	net.Listener
	deployment *Deployment
	limit      int

	mu        sync.Mutex
	open      map[*connection]bool
	byNetwork map[netip.Prefix]int
	turns     uint64

	pieces sync.Pool // of *piece
}

// connection is one that was accepted.
type connection struct {
	net.Conn
	listener *Listener
	origin   netip.Prefix // where it comes from; zero for a trusted proxy

	// Only the goroutine that serves the connection uses these.
	writing bool   // the handler writes its response
	held    *piece // of the response, that is sent with what follows

	// Guarded by the listener.
	network  netip.Prefix // that it counts for; zero for a trusted proxy that waits
	activity activity
	since    uint64 // when that began, in turns of the listener
}

// activity is what a connection does.
type activity int

const (
	answering activity = iota // or doing what is not known yet
	reading                   // the body of a request
	waiting                   // for a request
)

// Limit returns a listener with at most limit connections; 0 is no limit.
func (d *Deployment) Limit(l net.Listener, limit int) *Listener {
	return &Listener{
		Listener:   l,
		deployment: d,
		limit:      limit,
		open:       map[*connection]bool{},
		byNetwork:  map[netip.Prefix]int{},
		pieces:     sync.Pool{New: func() any { return new(piece) }},
	}
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.limit == 0 {
			return c, err
		}
		if admitted := l.admit(c); admitted != nil {
			return admitted, nil
		}
		l.deployment.refused(health.Connections)
		c.Close()
	}
}

// admit returns the connection as it is served, or nil if there is no place for it.
func (l *Listener) admit(c net.Conn) net.Conn {
	var network netip.Prefix
	if from := peer(c.RemoteAddr().String(), c.LocalAddr()); !l.deployment.Trusts(from) {
		network = networkOf(from)
	}
	admitted := &connection{Conn: c, listener: l, origin: network, network: network}
	l.mu.Lock()
	var closing *connection
	full, ok := len(l.open) >= l.limit, true
	if ofNetwork := network.IsValid() && l.byNetwork[network] >= max(1, l.limit/2); full || ofNetwork {
		closing = l.victim(network, ofNetwork)
		ok = closing != nil
	}
	if closing != nil {
		l.remove(closing)
	}
	if ok {
		l.open[admitted] = true
		l.count(network, 1)
	}
	l.mu.Unlock()
	if closing != nil {
		closing.Conn.Close()
	}
	if !ok {
		return nil
	}
	return admitted
}

// victim returns the connection whose place a new one of a network takes, nil for none. It belongs to the network that
// has most, or to the same one if that has as many; or it is one of a proxy that waits. One that waits or is still
// sending a body comes first, the one that does so for longest; one that is being answered only if there is no other,
// and only if its network has more than an equal share. OfNetwork leaves it only those of the same network.
func (l *Listener) victim(network netip.Prefix, ofNetwork bool) (found *connection) {
	own := l.byNetwork[network]
	share := max(own+1, l.limit/(len(l.byNetwork)+1))
	most := 0
	for c := range l.open {
		n := max(1, l.byNetwork[c.network])
		same := network.IsValid() && c.network == network
		switch {
		case ofNetwork && !same:
			continue
		case c.activity == answering:
			if same || n <= share {
				continue
			}
		case !same && n <= own && (c.network.IsValid() || c.activity != waiting):
			continue
		}
		better := found == nil
		if !better {
			switch busy := c.activity == answering; {
			case busy != (found.activity == answering):
				better = !busy
			case n != most:
				better = n > most
			default:
				better = c.since < found.since
			}
		}
		if better {
			found, most = c, n
		}
	}
	return found
}

// count changes the number of connections of a network.
func (l *Listener) count(network netip.Prefix, by int) {
	if !network.IsValid() {
		return
	}
	if l.byNetwork[network] += by; l.byNetwork[network] == 0 {
		delete(l.byNetwork, network)
	}
}

// remove forgets a connection.
func (l *Listener) remove(c *connection) {
	if !l.open[c] {
		return
	}
	delete(l.open, c)
	l.count(c.network, -1)
}

// piece is the buffer in which net/http gathers what it sends: it sends 4 KiB at a time.
type piece [4 << 10]byte

// Write implements [net.Conn]. What the system does for each packet is a good part of what a response costs, so a piece
// that others follow waits for the next one and is sent with it. A whole piece that comes while the handler writes was
// sent to make room for more, so more follows.
func (c *connection) Write(p []byte) (int, error) {
	if c.held == nil {
		if !c.writing || len(p) != len(piece{}) {
			return c.Conn.Write(p)
		}
		c.held = c.listener.pieces.Get().(*piece)
		return copy(c.held[:], p), nil
	}
	both := net.Buffers{c.held[:], p}
	n, err := both.WriteTo(c.Conn)
	c.listener.pieces.Put(c.held)
	c.held = nil
	return max(0, int(n)-len(piece{})), err
}

// Close implements [net.Conn].
func (c *connection) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// does notes what a connection does, and for which network. The listener is locked.
func (c *connection) does(what activity, network netip.Prefix) {
	l := c.listener
	l.turns++
	c.activity, c.since = what, l.turns
	if c.network != network && l.open[c] {
		l.count(c.network, -1)
		l.count(network, 1)
		c.network = network
	}
}

// State notes which connections wait for a request: it is for [http.Server.ConnState].
func (l *Listener) State(c net.Conn, state http.ConnState) {
	known, ok := c.(*connection)
	if !ok || state == http.StateClosed {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	what := answering
	if state == http.StateNew || state == http.StateIdle {
		what = waiting
	}
	known.does(what, known.origin)
}

type connectionKey struct{}

// Context lets the door note what a connection does: it is for [http.Server.ConnContext].
func (l *Listener) Context(ctx context.Context, c net.Conn) context.Context {
	if known, ok := c.(*connection); ok {
		return context.WithValue(ctx, connectionKey{}, known)
	}
	return ctx
}

// requests notes that a request of a network is in progress, and whether its body is still arriving. C may be nil.
func (c *connection) requests(network netip.Prefix, arriving bool) {
	if c == nil {
		return
	}
	what := answering
	if arriving {
		what = reading
	}
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.does(what, network)
}

// connectionOf returns the connection of a request, nil if the listener bounds none.
func connectionOf(r *http.Request) *connection {
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}
