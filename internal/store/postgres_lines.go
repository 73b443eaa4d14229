package store

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// lines are the open connections to a server. A server that hangs keeps them open and answers nothing, so that whoever
// waits for it would wait until it goes on: then they are cut.
type lines struct {
	silent atomic.Bool // the server has not answered, and was not heard since

	mu   sync.Mutex
	open map[*line]struct{}
}

// line is a connection that is known as long as it is open.
type line struct {
	net.Conn
	of *lines
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
