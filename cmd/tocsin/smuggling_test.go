package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// hidden is a request that an attacker hides in the body of another one.
const hidden = "GET /hidden HTTP/1.1\r\nHost: tocsin.example\r\nX-Ignore: "

// ambiguous are heads whose body two programs may see the end of at different places (RFC 9112, section 11.2), each
// with a body that has the hidden request behind one of these ends.
func ambiguous() map[string]string {
	const post = "POST /api/v1/community-reports HTTP/1.1\r\nHost: tocsin.example\r\nContent-Type: application/json\r\n"
	chunked := "0\r\n\r\n" + hidden
	both := func(encoding string) string {
		return fmt.Sprintf("%sContent-Length: %d\r\n%s\r\n\r\n%s", post, len(chunked), encoding, chunked)
	}
	return map[string]string{
		"both lengths":           both("Transfer-Encoding: chunked"),
		"both, a space":          both("Transfer-Encoding : chunked"),
		"both, a tab":            both("Transfer-Encoding:\tchunked"),
		"both, another name":     both("Transfer-Encoding: xchunked"),
		"both, a list":           both("Transfer-Encoding: identity, chunked"),
		"both, twice":            both("Transfer-Encoding: chunked\r\nTransfer-Encoding: x"),
		"both, folded":           both("Transfer-Encoding:\r\n chunked"),
		"both, behind a bare CR": both("X: y\rTransfer-Encoding: chunked"),
		"both, behind a bare LF": both("X: y\nTransfer-Encoding: chunked"),
		"two lengths":            post + "Content-Length: 2\r\nContent-Length: 90\r\n\r\n{}" + hidden,
		"a list of lengths":      post + "Content-Length: 2, 90\r\n\r\n{}" + hidden,
		"a length with a sign":   post + "Content-Length: +2\r\n\r\n{}" + hidden,
		"a length in hex":        post + "Content-Length: 0x2\r\n\r\n{}" + hidden,
		"a long chunk": post + "Transfer-Encoding: chunked\r\n\r\n" +
			"ffffffffffffffff0\r\n{}\r\n0\r\n\r\n" + hidden,
		"a chunk behind a bare LF": post + "Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n" + hidden,
		"an extension with a bare LF": post + "Transfer-Encoding: chunked\r\n\r\n" +
			"2;\nxx\r\n{}\r\n0\r\n\r\n" + hidden,
		"a body of GET": fmt.Sprintf("GET /healthz HTTP/1.1\r\nHost: tocsin.example\r\nContent-Length: %d\r\n\r\n%s",
			len(hidden), hidden),
		"version 1.0":     strings.Replace(both("Transfer-Encoding: chunked"), "HTTP/1.1", "HTTP/1.0", 1),
		"a space in name": "GET /healthz HTTP/1.1\r\nHost: tocsin.example\r\nContent-Length x: 5\r\n\r\n" + hidden,
	}
}

// smugglesNothing sends ambiguous requests, each on a connection of its own, and sees that what others ask meanwhile
// and afterwards gets the answer to it, and no other.
func (p *proxied) smugglesNothing() {
	p.Helper()
	for name, text := range ambiguous() {
		c, err := p.dial("127.0.3.1")
		if err != nil {
			p.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(patience))
		if _, err := io.WriteString(c, text); err != nil {
			c.Close() // it was refused before its end
			continue
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil && res.StatusCode < 300 && strings.HasPrefix(text, "POST") {
			p.Errorf("%s: %d", name, res.StatusCode)
		}
		for path, status := range map[string]int{"/healthz": 200, "/nowhere": 404, base + "/screen/" + example: 402} {
			if got := p.ask("127.0.2.1", "GET", path, "").StatusCode; got != status {
				p.Errorf("%s: what somebody else asks, %s, gets %d", name, path, got)
			}
		}
		c.Close()
	}
}

// TestNothingIsSmuggledIntoAConnectionOfTheServer: it sees one end of each body, and closes what is not clear. Through
// the proxies the same is tried in TestThePackagedProxiesServeTLSInFrontOfASocket.
func TestNothingIsSmuggledIntoAConnectionOfTheServer(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	(&proxied{machine: m, url: s.url}).smugglesNothing()
}

// dial connects from an address of this machine, as an attacker does, who writes what no client would.
func (p *proxied) dial(from string) (net.Conn, error) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: patience}
	if p.tls == nil {
		return dialer.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	}
	trusts := p.tls.Clone()
	trusts.NextProtos = []string{"http/1.1"}
	return tls.DialWithDialer(dialer, "tcp", strings.TrimPrefix(p.url, "https://"), trusts)
}
