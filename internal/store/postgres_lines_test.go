package store

import (
	"errors"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
)

// hanging is between a process and the server: while it hangs, it keeps all connections open and passes nothing on.
type hanging struct {
	listener net.Listener
	hangs    atomic.Bool
}

// hangingBefore returns the URL of a database through a new one.
func hangingBefore(t *testing.T, database string) (h *hanging, through string) {
	u, err := url.Parse(database)
	do(t, err)
	query := u.Query()
	network, server := "tcp", u.Host
	if folder := query.Get("host"); folder != "" {
		network, server = "unix", folder+"/.s.PGSQL.5432"
	}
	h = &hanging{}
	h.listener, err = net.Listen("tcp", "127.0.0.1:0")
	do(t, err)
	t.Cleanup(func() { h.listener.Close() })
	go func() {
		for {
			c, err := h.listener.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial(network, server)
			if err != nil {
				c.Close()
				continue
			}
			go h.pass(s, c)
			go h.pass(c, s)
		}
	}()
	query.Set("host", "127.0.0.1")
	query.Set("port", h.listener.Addr().String()[len("127.0.0.1:"):])
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = "", query.Encode()
	return h, u.String()
}

func (h *hanging) pass(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	part := make([]byte, 32<<10)
	for {
		n, err := from.Read(part)
		for h.hangs.Load() {
			time.Sleep(time.Millisecond)
		}
		if _, write := to.Write(part[:n]); write != nil || err == io.EOF || err != nil {
			return
		}
	}
}

// TestNobodyWaitsForAServerThatHangs: neither who asked before it was noticed, nor who asks then.
func TestNobodyWaitsForAServerThatHangs(t *testing.T) {
	onlyPostgres(t)
	h, through := hangingBefore(t, newPlace(t))
	t.Cleanup(func() { h.hangs.Store(false) })
	db := open(t, through, new(atomic.Int64))
	draft := story(t, "Approval", "evil.com")
	file := func() error {
		_, err := db.FileReport(t.Context(), Filing{Draft: draft, Network: network})
		return err
	}
	look := func() error {
		_, err := db.Report(t.Context(), "rep_of_nobody")
		if errors.As(err, new(*tocsin.Error)) {
			return nil // there is none
		}
		return err
	}
	do(t, file())
	h.hangs.Store(true)
	waiting := make(chan error, 8)
	for range 4 {
		go func() { waiting <- file() }()
		go func() { waiting <- look() }()
	}
	for range 8 { // while it still hangs
		if err := <-waiting; err == nil {
			t.Error("a call was answered")
		}
	}
	for about, call := range map[string]func() error{"a filing": file, "a look-up": look} {
		if err := call(); !Unavailable(err) {
			t.Errorf("%s then: %v", about, err)
		}
	}
	h.hangs.Store(false)
	eventually(t, "it takes reports again", func() bool { return file() == nil })
	do(t, look())
}

// TestAStoreClosesThoughItsServerHangs: its calls end, and so does a process that is asked to.
func TestAStoreClosesThoughItsServerHangs(t *testing.T) {
	onlyPostgres(t)
	h, through := hangingBefore(t, newPlace(t))
	t.Cleanup(func() { h.hangs.Store(false) })
	db := open(t, through, new(atomic.Int64))
	h.hangs.Store(true)
	var closed atomic.Bool
	go func() {
		_ = db.Close()
		closed.Store(true)
	}()
	eventually(t, "it is closed", closed.Load)
}
