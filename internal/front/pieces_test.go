package front

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
)

// counted is a listener that counts what its connections send.
type counted struct {
	net.Listener
	writes atomic.Int64
}

func (l *counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &countedConn{c, l}, err
}

type countedConn struct {
	net.Conn
	listener *counted
}

func (c *countedConn) Write(p []byte) (int, error) {
	c.listener.writes.Add(1)
	return c.Conn.Write(p)
}

// serveCounted serves a handler behind a door, and returns its URL.
func serveCounted(t *testing.T, handler http.HandlerFunc) (url string, l *counted) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := open(handler, nothing)
	l = &counted{Listener: inner}
	limited := s.deploy.Limit(l, 4)
	server := &http.Server{Handler: s, ConnState: limited.State, ConnContext: limited.Context}
	go server.Serve(limited)
	t.Cleanup(func() { server.Close() })
	return "http://" + inner.Addr().String() + "/", l
}

// TestAResponseOfTwoPiecesIsSentAtOnce: nothing is sent before net/http has all of it, and the rest with it.
func TestAResponseOfTwoPiecesIsSentAtOnce(t *testing.T) {
	var l *counted
	var url string
	var early int64
	url, l = serveCounted(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000")
		w.Write(make([]byte, 5000))
		early = l.writes.Load()
	})
	if got := fetched(t, url); len(got) != 5000 || early != 0 {
		t.Errorf("%d bytes arrived, and %d pieces were sent before the handler had ended", len(got), early)
	}
}

// TestAResponseOfAnySizeArrivesWhole, whatever the sizes of what the handler writes, with its length or in chunks, on
// connections that are used again.
func TestAResponseOfAnySizeArrivesWhole(t *testing.T) {
	url, _ := serveCounted(t, func(w http.ResponseWriter, r *http.Request) {
		var size, part int
		fmt.Sscanf(r.URL.RawQuery, "%d,%d", &size, &part)
		if part%2 == 0 {
			w.Header().Set("Content-Length", strconv.Itoa(size))
		}
		for body := content(size); len(body) > 0; {
			n := min(part, len(body))
			if _, err := w.Write(body[:n]); err != nil {
				t.Error(err)
			}
			if body = body[n:]; part > 4096 {
				http.NewResponseController(w).Flush()
			}
		}
	})
	for _, part := range []int{900, 1023, 2048, 4095, 4096, 4097, 5000, 12288, 1 << 20} {
		sizes := []int{0, 1, 2047, 2048, 2049, 8191, 8192, 8193, 12288, 100_000}
		for size := 3700; size <= 4200; size++ { // with its head it fills the buffer of net/http, or nearly so
			sizes = append(sizes, size)
		}
		for _, size := range sizes {
			if got := fetched(t, fmt.Sprintf("%s?%d,%d", url, size, part)); !bytes.Equal(got, content(size)) {
				t.Fatalf("of %d bytes in parts of %d arrived %d", size, part, len(got))
			}
		}
	}
}

// content is a text of a size.
func content(size int) []byte {
	text := make([]byte, size)
	for i := range text {
		text[i] = byte('a' + i%23)
	}
	return text
}

// fetched returns the body of a response.
func fetched(t *testing.T, url string) []byte {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
