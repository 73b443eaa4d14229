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

// facilitator is a stub that accepts every payment. It does as little as possible,
// because it shares the processors with the servers that call it: it reads each
// request to its end and takes payer and nonce from it.
type facilitator struct {
	url     string
	delay   time.Duration // before each response
	spent   atomic.Int64  // nanoseconds from the end of each request until its response was ready
	settled atomic.Int64
}

// startFacilitator starts a facilitator in this process.
func startFacilitator(b *testing.B, delay time.Duration) *facilitator {
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

// serve answers the requests of one connection until it is closed.
func (f *facilitator) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 16<<10)
	var order, response, body []byte
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		endpoint, length := line[len("POST /")], 0 // v: verify, s: settle, u: supported, which is a GET
		for len(line) > 2 {
			if line, err = r.ReadSlice('\n'); err != nil {
				return
			}
			name, value, ok := bytes.Cut(line, []byte(": "))
			if ok && bytes.EqualFold(name, []byte("Content-Length")) {
				length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
			}
		}
		order = append(order[:0], make([]byte, length)...)
		if _, err := io.ReadFull(r, order); err != nil {
			return
		}
		began := time.Now()
		time.Sleep(f.delay)
		switch endpoint {
		case 'v':
			body = fmt.Appendf(body[:0], `{"isValid":true,"payer":"%s"}`, after(order, `"from":"`))
		case 's':
			f.settled.Add(1)
			body = fmt.Appendf(body[:0], `{"success":true,"payer":"%s","transaction":"%s","network":"eip155:8453"}`,
				after(order, `"from":"`), after(order, `"nonce":"`))
		default:
			body = append(body[:0], `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}],`+
				`"extensions":[],"signers":{}}`...)
		}
		response = fmt.Appendf(response[:0],
			"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		f.spent.Add(int64(time.Since(began)))
		if _, err := c.Write(response); err != nil {
			return
		}
	}
}

// after returns the text from a prefix to the next quote.
func after(text []byte, prefix string) []byte {
	_, value, _ := bytes.Cut(text, []byte(prefix))
	value, _, _ = bytes.Cut(value, []byte(`"`))
	return value
}

// seller is a server that accepts payments.
type seller struct {
	*server
	plain    *server // a bare server that returns the same response
	required string  // its PAYMENT-REQUIRED header
	wallets  []*x402test.Wallet
}

const (
	base     = "/api/v1" // of the API
	paidPath = base + "/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	account  = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
)

// sellers starts Tocsin and the reference with the same facilitator.
func sellers(b *testing.B, f *facilitator) (ours, theirs *seller) {
	const folder = "../../interop"
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(folder, "node_modules"))
	}
	if err != nil {
		addRow("paid calls, against @x402/express", "left out: they need node, and `npm ci` in interop", "", "")
		b.SkipNow()
	}
	db := filepath.Join(directory(b), b.Name()+".db")
	b.Cleanup(func() { os.Remove(db) })
	ours = newSeller(b, serve(b, db, "-pay-to", account, "-network", "eip155:8453", "-facilitator", f.url))
	cmd := exec.Command(node, "reference.mjs", f.url, "0", account)
	cmd.Dir, cmd.Env, cmd.Stderr = folder, []string{"NODE_ENV=production"}, os.Stderr
	return ours, newSeller(b, start(b, cmd, ""))
}

// newSeller gets the price of a server, pays it once, and stores the response in a
// bare server.
func newSeller(b *testing.B, s *server) *seller {
	res, err := http.Get("http://" + s.at + paidPath)
	must(b, err)
	res.Body.Close()
	t := &seller{server: s, plain: bare(b), required: res.Header.Get("PAYMENT-REQUIRED")}
	for range 2 * clients { // a server limits the payments in progress of one wallet
		t.wallets = append(t.wallets, x402test.NewWallet(time.Now))
	}
	from, err := dial(s)
	must(b, err)
	defer from.Close()
	must(b, from.do(t.sign(1)[0]))
	to, err := dial(t.plain)
	must(b, err)
	defer to.Close()
	must(b, to.do(request("PUT", paidPath, "", string(from.body))))
	return t
}

// sign returns n requests, each with a payment of its own.
func (t *seller) sign(n int) [][]byte {
	requests := make([][]byte, n)
	var signing sync.WaitGroup
	for w, wallet := range t.wallets {
		signing.Go(func() {
			for i := w; i < n; i += len(t.wallets) {
				requests[i] = []byte("GET " + paidPath + " HTTP/1.1\r\nHost: localhost\r\n" +
					"PAYMENT-SIGNATURE: " + wallet.Pay(t.required, nil) + "\r\n\r\n")
			}
		})
	}
	signing.Wait()
	return requests
}

// BenchmarkPayOne compares the time of a paid call with that of the reference,
// without the time of the facilitator and the client: one connection, one call
// after the other.
func BenchmarkPayOne(b *testing.B) {
	const each, warm = 100, 500
	f := startFacilitator(b, 3*time.Millisecond) // like a facilitator whose chain responds at once
	ours, theirs := sellers(b, f)
	for _, t := range []*seller{ours, theirs} {
		send(b, t.server, time.Minute, once(t.sign(warm)))
	}
	var own, total [2]series // ours, theirs
	var ratio series
	for i := range rounds {
		for k := range 2 {
			k = (k + i) % 2
			t := []*seller{ours, theirs}[k]
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

// inOrder sends requests over one connection. It returns the time of each in µs,
// with and without the time that the facilitator spent. The pause before each is
// for the bare server: an idle machine, as it is while it waits for a facilitator,
// responds more slowly.
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

// BenchmarkPay compares the rate of paid calls with that of the reference, with a
// facilitator that responds at once.
func BenchmarkPay(b *testing.B) {
	const each, fewer = 4000, 1000 // calls in a round: a second, or somewhat less
	f := startFacilitator(b, 0)
	ours, theirs := sellers(b, f)
	paid := func(clients int, t *seller, n int) load {
		requests, before := t.sign(n), f.settled.Load()
		l := sendFrom(b, clients, []*server{t.server}, time.Minute, once(requests))
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
