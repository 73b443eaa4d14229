package store

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// lines are the open connections to a server. A server that hangs keeps them open and answers nothing, so that whoever
// waits for it would wait until it goes on: then they are cut. One that is slow answers somebody, and keeps them.
type lines struct {
	heard  atomic.Bool // something was read from one of them since guard looked last
	silent atomic.Bool // they were cut, and the server has not answered since

	mu   sync.Mutex
	open map[*line]struct{}
}

// line is a connection that is known as long as it is open.
type line struct {
	net.Conn
	of *lines
}

// Read implements [net.Conn].
func (l *line) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if n > 0 {
		l.of.heard.Store(true)
	}
	return n, err
}

func (l *line) Close() error {
	l.of.mu.Lock()
	delete(l.of.open, l)
	l.of.mu.Unlock()
	return l.Conn.Close()
}

// dialer returns a function that dials as d does.
func (ls *lines) dialer(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		l := &line{c, ls}
		ls.mu.Lock()
		defer ls.mu.Unlock()
		if ls.open == nil {
			ls.open = map[*line]struct{}{}
		}
		ls.open[l] = struct{}{}
		return l, nil
	}
}

// silentTicks is how many ticks of guard make a silence. Ticks of a process that was stopped, or had no processor, are
// lost: it reads what has arrived meanwhile before it calls the server silent.
const silentTicks = 20

// guard cuts the connections when nothing was heard on any of them for silentTicks in a row. It returns then, or when
// ctx ends. The server must have been asked something.
func (ls *lines) guard(ctx context.Context, ticks <-chan time.Time) {
	ls.heard.Store(false)
	for quiet := 0; quiet < silentTicks; {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		if quiet++; ls.heard.Swap(false) {
			quiet = 0
		}
	}
	ls.cut()
}

// cut closes all connections. What waits for the server gets the error of a connection that was lost.
func (ls *lines) cut() {
	ls.silent.Store(true)
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for l := range ls.open {
		_ = l.Conn.Close()
	}
	clear(ls.open)
}
