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
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// server is a process that answers HTTP.
type server struct {
	at  string // host:port
	pid int
	key string // see newKey
}

// serve runs `tocsin serve` over a database, with its access log in a file.
func serve(b *testing.B, db string, flags ...string) *server {
	return serveWith(b, db, newKey(b, db), db+".log", flags...)
}

// newKey returns a key with a quota that no run uses up.
func newKey(b *testing.B, db string) string {
	key, _, _ := run(b, "key", "create", "-db", db, "-quota", "2000000000")
	return strings.TrimSpace(key)
}

func serveWith(b *testing.B, db, key, logFile string, flags ...string) *server {
	log, err := os.Create(logFile)
	must(b, err)
	b.Cleanup(func() { log.Close() })
	args := []string{"serve", "-db", db, "-listen", "127.0.0.1:0", "-filings", "1000000000",
		"-total-filings", "0", "-total-filing-mib", "0"}
	cmd := exec.Command(program(), append(args, flags...)...)
	cmd.Env, cmd.Stderr = []string{}, log
	return start(b, cmd, key)
}

// start starts a server whose first line ends with its URL.
func start(b *testing.B, cmd *exec.Cmd, key string) *server {
	out, err := cmd.StdoutPipe()
	must(b, err)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // it ends even when this process is killed
	must(b, cmd.Start())
	b.Cleanup(func() { stop(cmd) })
	line, err := bufio.NewReader(out).ReadString('\n')
	must(b, err)
	_, at, _ := strings.Cut(strings.TrimSpace(line), "http://")
	return &server{at: at, pid: cmd.Process.Pid, key: key}
}

func stop(cmd *exec.Cmd) {
	if cmd.ProcessState == nil {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	}
}

// bare starts this test binary as the server to compare with: net/http with a
// handler that returns the bytes that a PUT to the same path has stored.
func bare(b *testing.B) *server {
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = []string{"BENCH_BARE=1"}, os.Stderr
	return start(b, cmd, "")
}

func serveBare() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("bare net/http on http://" + listener.Addr().String())
	var bodies sync.Map
	panic(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			body, _ := io.ReadAll(r.Body)
			bodies.Store(r.URL.Path, body)
			return
		}
		body, ok := bodies.Load(r.URL.Path)
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body.([]byte))))
		w.Write(body.([]byte))
	})))
}

// cpu returns the processor time of the process, in seconds.
func (s *server) cpu() float64 { return cpuOf(s.pid, false) }

// cpuOf returns the processor time of a process, with that of its children that have ended or without, in seconds.
func cpuOf(pid int, ended bool) float64 {
	stat, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 15 { // it has ended
		return 0
	}
	ticks := 0
	for i, of := range f[11:15] {
		if n, _ := strconv.Atoi(of); i < 2 || ended {
			ticks += n
		}
	}
	return float64(ticks) / 100
}

// request returns the bytes of a request, so that sending it costs little.
func request(method, path, key, body string) []byte {
	r := method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n"
	if key != "" {
		r += "x-api-key: " + key + "\r\n"
	}
	if body != "" {
		r += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	return []byte(r + "\r\n" + body)
}

// conn is a client connection that does as little as possible, because the client
// shares the processors with the server.
type conn struct {
	net.Conn
	r *bufio.Reader

	body   []byte // of the last response
	status string // of it
	closed bool   // the server closes the connection after it
}

func dial(s *server) (*conn, error) {
	c, err := net.Dial("tcp", s.at)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, r: bufio.NewReaderSize(c, 64<<10)}, nil
}

func (c *conn) do(request []byte) error {
	if _, err := c.Write(request); err != nil {
		return err
	}
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return err
	}
	status, length := string(line[9:12]), 0
	c.status, c.closed = status, false
	for {
		if line, err = c.r.ReadSlice('\n'); err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		c.closed = c.closed || bytes.Equal(line, []byte("Connection: close\r\n"))
		if n, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(n[:len(n)-2])); err != nil {
				return err
			}
		}
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	if _, err := io.ReadFull(c.r, c.body); err != nil {
		return err
	}
	if status[0] != '2' {
		end := bytes.IndexByte(request, '\r')
		return fmt.Errorf("%s: answered %s: %s", request[:end], status, c.body)
	}
	return nil
}

// get returns the body of the response to one request.
func (s *server) get(b *testing.B, path string) []byte {
	c, err := dial(s)
	must(b, err)
	defer c.Close()
	must(b, c.do(request("GET", path, s.key, "")))
	return c.body
}

// load is the result of sending requests to a server.
type load struct {
	rate float64 // responses per second
	took series  // the time of each response, in ms
	cpu  float64 // the processor time of the server per response, in µs
}

// send sends the requests that next returns from all clients, until the limit or
// until next returns nil.
func send(b *testing.B, s *server, limit time.Duration, next func(i int) []byte) load {
	return sendFrom(b, clients, []*server{s}, limit, next)
}

// sendFrom is send from so many clients, each to one of the servers. The load is that of all of them.
func sendFrom(b *testing.B, clients int, all []*server, limit time.Duration, next func(i int) []byte) load {
	cpu := func() (sum float64) {
		for _, s := range all {
			sum += s.cpu()
		}
		return sum
	}
	var l load
	var count atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	start, before := time.Now(), cpu()
	for i := range clients {
		wg.Go(func() {
			c, err := dial(all[i%len(all)])
			if err != nil {
				b.Error(err)
				return
			}
			defer c.Close()
			var took series
			for sent := time.Now(); sent.Sub(start) < limit; {
				r := next(int(count.Add(1)) - 1)
				if r == nil {
					break
				}
				if err := c.do(r); err != nil {
					b.Error(err)
					break
				}
				now := time.Now()
				took = append(took, now.Sub(sent).Seconds()*1000)
				sent = now
			}
			mu.Lock()
			defer mu.Unlock()
			l.took = append(l.took, took...)
		})
	}
	wg.Wait()
	if b.Failed() {
		b.FailNow()
	}
	n := float64(len(l.took))
	l.rate, l.cpu = n/time.Since(start).Seconds(), (cpu()-before)/n*1e6
	return l
}

// inTurn returns the requests in order, over and over.
func inTurn(requests [][]byte) func(int) []byte {
	return func(i int) []byte { return requests[i%len(requests)] }
}

// once returns each request once, and then nil.
func once(requests [][]byte) func(int) []byte {
	return func(i int) []byte {
		if i >= len(requests) {
			return nil
		}
		return requests[i]
	}
}
