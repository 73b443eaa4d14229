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
	"tocsin/internal/health"
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
	db, err := Open(t.Context(), through, Options{Now: func() time.Time { return noon }, Silence: time.Second})
	do(t, err)
	t.Cleanup(func() { db.Close() })
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
	eventually(t, "it takes reports", func() bool { return file() == nil })
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
	eventually(t, "it is looked up again", func() bool { return look() == nil })
}

// TestAServerThatAnswersSomebodyKeepsItsConnections: it is slow, and does not hang.
func TestAServerThatAnswersSomebodyKeepsItsConnections(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	do(t, err)
	defer server.Close()
	var ls lines
	c, err := ls.dialer(new(net.Dialer))(t.Context(), "tcp", server.Addr().String())
	do(t, err)
	defer c.Close()
	far, err := server.Accept()
	do(t, err)
	defer far.Close()
	answer := func() error {
		if _, err := far.Write([]byte{1}); err != nil {
			return err
		}
		_, err := c.Read(make([]byte, 1))
		return err
	}
	ticks, ended := make(chan time.Time), make(chan struct{})
	go func() { defer close(ended); ls.guard(t.Context(), ticks) }()
	for range 3 {
		for range silentTicks - 1 {
			select {
			case ticks <- noon:
			case <-ended:
				t.Fatal("a server that answers is cut off")
			}
		}
		do(t, answer())
	}
	for ticked, cut := 0, false; !cut; ticked++ {
		if ticked > 2*silentTicks {
			t.Fatal("a server that says nothing more is never cut off")
		}
		select {
		case ticks <- noon:
		case <-ended:
			cut = true
		}
	}
	if answer() == nil || !ls.silent.Load() {
		t.Error("a server that says nothing more keeps a connection")
	}
	c, err = ls.dialer(new(net.Dialer))(t.Context(), "tcp", server.Addr().String())
	do(t, err)
	equal(t, "open", len(ls.open), 1)
	do(t, c.Close())
	equal(t, "open when it is closed", len(ls.open), 0)
}

// TestAWatchThatIsKeptWaitingIsAnOutageInTheEnd, though the server answers others: what it says of keys and of the
// database is not known.
func TestAWatchThatIsKeptWaitingIsAnOutageInTheEnd(t *testing.T) {
	onlyPostgres(t)
	w := watchedDB(t)
	w.Close()
	w.reopen(Options{Silence: time.Second / 4})
	other, err := open(t, w.path, w.ahead).dialect.connect(t.Context())
	do(t, err)
	t.Cleanup(other.close)
	_, err = other.exec(t.Context(), "BEGIN; LOCK TABLE caller_version IN ACCESS EXCLUSIVE MODE")
	do(t, err)
	eventually(t, "it is noticed", func() bool { return w.shows(health.Database) == health.Unreachable })
	_, err = other.exec(t.Context(), "ROLLBACK")
	do(t, err)
	eventually(t, "it goes on", func() bool { return w.file(t, "after") == nil })
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
