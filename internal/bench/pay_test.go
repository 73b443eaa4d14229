//go:build linux

package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/x402/x402test"
)

// facilitator takes every payment. It is a stub that does as little as it can,
// since it shares the processors with the servers that call it: it reads what
// it is sent to the end, and picks payer and nonce out of it.
type facilitator struct {
	url     string
	delay   time.Duration // of each answer
	spent   atomic.Int64  // nanoseconds from the end of each question until its answer was ready
	settled atomic.Int64
}

// facilitate starts a facilitator in this process.
func facilitate(b *testing.B, delay time.Duration) *facilitator {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(b, err)
	b.Cleanup(func() { listener.Close() })
	f := &facilitator{url: "http://" + listener.Addr().String(), delay: delay}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go f.serve(c)
		}
	}()
	return f
}

// serve answers the questions of one connection until it is closed.
func (f *facilitator) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 16<<10)
	var order, answer, body []byte
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		what, length := line[len("POST /")], 0 // v of verify, s of settle, u of supported, which is a GET
		for len(line) > 2 {
			if line, err = r.ReadSlice('\n'); err != nil {
				return
			}
			if name, value, ok := bytes.Cut(line, []byte(": ")); ok && bytes.EqualFold(name, []byte("Content-Length")) {
				length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
			}
		}
		order = append(order[:0], make([]byte, length)...)
		if _, err := io.ReadFull(r, order); err != nil {
			return
		}
		began := time.Now()
		time.Sleep(f.delay)
		switch what {
		case 'v':
			body = fmt.Appendf(body[:0], `{"isValid":true,"payer":"%s"}`, after(order, `"from":"`))
		case 's':
			f.settled.Add(1)
			body = fmt.Appendf(body[:0], `{"success":true,"payer":"%s","transaction":"%s","network":"eip155:8453"}`, after(order, `"from":"`), after(order, `"nonce":"`))
		default:
			body = append(body[:0], `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}],"extensions":[],"signers":{}}`...)
		}
		answer = fmt.Appendf(answer[:0], "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		f.spent.Add(int64(time.Since(began)))
		if _, err := c.Write(answer); err != nil {
			return
		}
	}
}

// after returns the text in quotes that follows a mark.
func after(text []byte, mark string) []byte {
	_, value, _ := bytes.Cut(text, []byte(mark))
	value, _, _ = bytes.Cut(value, []byte(`"`))
	return value
}

// shop is a server that is paid, with what it takes to pay it.
type shop struct {
	*server
	plain    *server // the bare server, taught what the shop answers
	required string  // its PAYMENT-REQUIRED
	wallets  []*x402test.Wallet
}

const (
	base    = "/api/v1" // of the API
	wares   = base + "/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
)

// shops starts Tocsin and the reference with the same facilitator.
func shops(b *testing.B, f *facilitator) (ours, theirs *shop) {
	const folder = "../../interop"
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(folder, "node_modules"))
	}
	if err != nil {
		put("paid calls, against @x402/express", "left out: they need node, and `npm ci` in interop", "", "")
		b.SkipNow()
	}
	db := filepath.Join(directory(b), b.Name()+".db")
	b.Cleanup(func() { os.Remove(db) })
	ours = open(b, serve(b, db, "-pay-to", account, "-network", "eip155:8453", "-facilitator", f.url))
	cmd := exec.Command(node, "reference.mjs", f.url, "0", account)
	cmd.Dir, cmd.Env, cmd.Stderr = folder, []string{"NODE_ENV=production"}, os.Stderr
	return ours, open(b, start(b, cmd, ""))
}

// open asks a server for its price, pays it once, and teaches a bare server the answer.
func open(b *testing.B, s *server) *shop {
	res, err := http.Get("http://" + s.at + wares)
	must(b, err)
	res.Body.Close()
	t := &shop{s, bare(b), res.Header.Get("PAYMENT-REQUIRED"), nil}
	for range 2 * clients { // a server may take only so many payments of one wallet at once
		t.wallets = append(t.wallets, x402test.NewWallet(time.Now))
	}
	from, err := dial(s)
	must(b, err)
	defer from.Close()
	must(b, from.do(t.sign(1)[0]))
	to, err := dial(t.plain)
	must(b, err)
	defer to.Close()
	must(b, to.do(request("PUT", wares, "", string(from.body))))
	return t
}

// sign returns n requests, each with a payment of its own.
func (t *shop) sign(n int) [][]byte {
	requests := make([][]byte, n)
	var signing sync.WaitGroup
	for w, wallet := range t.wallets {
		signing.Go(func() {
			for i := w; i < n; i += len(t.wallets) {
				requests[i] = []byte("GET " + wares + " HTTP/1.1\r\nHost: bench\r\nPAYMENT-SIGNATURE: " + wallet.Pay(t.required, nil) + "\r\n\r\n")
			}
		})
	}
	signing.Wait()
	return requests
}

// BenchmarkPayOne holds the time that a paid call takes beyond the facilitator
// and the client against that of the reference: one connection, one call after
// the other.
func BenchmarkPayOne(b *testing.B) {
	const each, warm = 100, 500
	f := facilitate(b, 3*time.Millisecond) // of the order of a facilitator whose chain answers at once
	ours, theirs := shops(b, f)
	for _, t := range []*shop{ours, theirs} {
		send(b, t.server, time.Minute, once(t.sign(warm)))
	}
	var own, total [2]series // ours, theirs
	var ratio series
	for i := range rounds {
		for k := range 2 {
			k = (k + i) % 2
			t := []*shop{ours, theirs}[k]
			requests := t.sign(each)
			client, _ := f.inOrder(b, t.plain, requests, 2*f.delay)
			took, beyond := f.inOrder(b, t.server, requests, 0)
			own[k], total[k] = append(own[k], beyond.median()-client.median()), append(total[k], took.median()/1000)
		}
		ratio = append(ratio, own[0][i]/own[1][i])
	}
	atMost("a paid call, beyond facilitator and client: ours / @x402/express", ratio, "×", 0.5)
	note("  ours", own[0], " µs")
	note("  @x402/express", own[1], " µs")
	note("  with facilitator and client: ours", total[0], " ms")
	note("  with facilitator and client: @x402/express", total[1], " ms")
}

// inOrder sends requests over one connection. It returns how long each took,
// and how long without the time that the facilitator spent on it, in µs. The
// pause before each is for the bare server: a machine that has rested, as it
// does while a facilitator is waited for, is slower to answer.
func (f *facilitator) inOrder(b *testing.B, s *server, requests [][]byte, pause time.Duration) (took, beyond series) {
	c, err := dial(s)
	must(b, err)
	defer c.Close()
	for _, r := range requests {
		time.Sleep(pause)
		spent, start := f.spent.Load(), time.Now()
		must(b, c.do(r))
		t := time.Since(start)
		took = append(took, t.Seconds()*1e6)
		beyond = append(beyond, (t-time.Duration(f.spent.Load()-spent)).Seconds()*1e6)
	}
	return took, beyond
}

// BenchmarkPay holds the rate of paid calls against that of the reference, with
// a facilitator that answers at once.
func BenchmarkPay(b *testing.B) {
	const each, fewer = 4000, 1000 // calls in a round: a second, or somewhat less
	f := facilitate(b, 0)
	ours, theirs := shops(b, f)
	paid := func(clients int, t *shop, n int) load {
		requests, before := t.sign(n), f.settled.Load()
		l := sendFrom(b, clients, t.server, time.Minute, once(requests))
		if moved := f.settled.Load() - before; moved != int64(n) {
			b.Fatalf("%d calls were answered, %d payments settled", n, moved)
		}
		return l
	}
	paid(clients, ours, each)
	paid(clients, theirs, fewer)
	kinds := []int{clients, 2 * clients}
	type result struct{ ratio, rate, rates, cpu, cpus, p99, p99s series }
	results := make([]result, len(kinds))
	for i := range rounds {
		for k, n := range kinds {
			var o, t load
			if i%2 == 0 {
				t = paid(n, theirs, fewer)
			}
			o = paid(n, ours, each)
			if i%2 == 1 {
				t = paid(n, theirs, fewer)
			}
			r := &results[k]
			r.ratio, r.rate, r.rates = append(r.ratio, o.rate/t.rate), append(r.rate, o.rate), append(r.rates, t.rate)
			r.cpu, r.cpus = append(r.cpu, o.cpu), append(r.cpus, t.cpu)
			r.p99, r.p99s = append(r.p99, o.took.at(0.99)), append(r.p99s, t.took.at(0.99))
		}
	}
	for k, r := range results {
		atLeast(fmt.Sprintf("paid calls a second, %d clients / @x402/express", kinds[k]), r.ratio, "×", 5)
		note("  per second: ours", r.rate, "")
		note("  per second: @x402/express", r.rates, "")
		note("  server CPU: ours", r.cpu, " µs")
		note("  server CPU: @x402/express", r.cpus, " µs")
		note("  p99: ours", r.p99, " ms")
		note("  p99: @x402/express", r.p99s, " ms")
	}
}
