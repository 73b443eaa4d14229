package front

import (
	"net"
	"net/http"
	"net/netip"
	"sync"

	"tocsin/internal/health"
)

// Listener bounds the connections to a server. One network has at most half of them, so that no other is kept out;
// trusted proxies have as many as there are. A connection that is one too many takes the place of the one that has been
// without a request for longest, and is closed if all have one.
type Listener struct {
	net.Listener
	deployment *Deployment
	limit      int

	mu        sync.Mutex
	open      map[*connection]bool
	byNetwork map[netip.Prefix]int
	turns     uint64
}

// connection is one that was accepted.
type connection struct {
	net.Conn
	listener *Listener
	network  netip.Prefix // zero for a trusted proxy
	idle     uint64       // when it began to wait for a request, in turns of the listener; 0 while it has one
}

// Limit returns a listener with at most limit connections; 0 is no limit.
func (d *Deployment) Limit(l net.Listener, limit int) *Listener {
	return &Listener{
		Listener:   l,
		deployment: d,
		limit:      limit,
		open:       map[*connection]bool{},
		byNetwork:  map[netip.Prefix]int{},
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
		l.deployment.Health.Count(health.Load, health.Connections, 1)
		c.Close()
	}
}

// admit returns the connection as it is served, or nil if there is no place for it.
func (l *Listener) admit(c net.Conn) net.Conn {
	var network netip.Prefix
	if at, err := netip.ParseAddrPort(c.RemoteAddr().String()); err == nil && !l.deployment.trusts(at.Addr().Unmap()) {
		network = networkOf(at.Addr())
	}
	admitted := &connection{Conn: c, listener: l, network: network}
	l.mu.Lock()
	var closing *connection
	full, ok := len(l.open) >= l.limit, true
	if ofNetwork := network.IsValid() && l.byNetwork[network] >= max(1, l.limit/2); full || ofNetwork {
		closing = l.longestIdle(network, ofNetwork)
		ok = closing != nil
	}
	if closing != nil {
		l.remove(closing)
	}
	if ok {
		l.open[admitted] = true
		if network.IsValid() {
			l.byNetwork[network]++
		}
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

// longestIdle returns the connection that has been without a request for longest, of all or of one network; nil if all
// have one.
func (l *Listener) longestIdle(network netip.Prefix, ofNetwork bool) (found *connection) {
	for c := range l.open {
		if c.idle > 0 && (!ofNetwork || c.network == network) && (found == nil || c.idle < found.idle) {
			found = c
		}
	}
	return found
}

// remove forgets a connection.
func (l *Listener) remove(c *connection) {
	if !l.open[c] {
		return
	}
	delete(l.open, c)
	if c.network.IsValid() {
		if l.byNetwork[c.network]--; l.byNetwork[c.network] == 0 {
			delete(l.byNetwork, c.network)
		}
	}
}

// Close implements [net.Conn].
func (c *connection) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// State notes which connections wait for a request: it is for [http.Server.ConnState].
func (l *Listener) State(c net.Conn, state http.ConnState) {
	known, ok := c.(*connection)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known.idle = 0
	if state == http.StateNew || state == http.StateIdle {
		l.turns++
		known.idle = l.turns
	}
}
