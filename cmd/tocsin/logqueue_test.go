package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tocsin/internal/front"
	"tocsin/internal/health"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// serveOn starts a server whose standard error is a pipe, and returns the end where it is read.
func (m *machine) serveOn() (*server, *os.File) {
	m.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { read.Close() })
	m.afterFirstStart()
	s := &server{machine: m, Cmd: m.command("serve", "-listen", "127.0.0.1:0"), ended: make(chan struct{})}
	s.Stdout, s.Stderr = &s.out, write
	if err := s.Start(); err != nil {
		m.Fatal(err)
	}
	write.Close()
	go func() { s.Wait(); close(s.ended) }()
	m.Cleanup(func() {
		s.Process.Kill()
		<-s.ended
	})
	s.url = s.says(&s.out, `http://127\.0\.0\.1:\d+`)
	return s, read
}

// gets asks for a page n times, over a few connections.
func (s *server) gets(n int, path string) {
	s.Helper()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range n / 4 {
				res, err := http.Get(s.url + path)
				if err != nil {
					s.Error(err)
					return
				}
				io.Copy(io.Discard, res.Body)
				if res.Body.Close(); res.StatusCode >= 500 {
					s.Errorf("%s: %d", path, res.StatusCode)
				}
			}
		})
	}
	wg.Wait()
}

func TestALogReaderThatGoesAwayStopsNothing(t *testing.T) {
	m := newMachine(t)
	s, read := m.serveOn()
	read.Close()
	s.gets(40, "/api/v1/stats")
	m.want("a report", s.call("/community-reports", "", story("Told to nobody", address(1))).status, http.StatusCreated)
	res, err := http.Get(s.url + "/status")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if page, _ := io.ReadAll(res.Body); !regexp.MustCompile(`Lines of the log were dropped \(\d+\)`).Match(page) {
		t.Errorf("/status does not tell of the lines: %s", page)
	}
	m.want("exit status", s.end(syscall.SIGTERM), 0)
}

func TestALogReaderThatIsStuckDelaysNothing(t *testing.T) {
	m := newMachine(t)
	s, read := m.serveOn()
	const calls = 1600 // of more than 1 KB each, as the log escapes them: more than the pipe and the queue hold
	long := "/.well-known/" + strings.Repeat("%01", 240)
	s.gets(calls, long)
	lines, dropped := 0, 0
	scanner := bufio.NewScanner(read)
	for scanner.Scan() {
		lines++
		if n, _ := fmt.Sscanf(regexp.MustCompile(`lines=\d+`).FindString(scanner.Text()), "lines=%d", &dropped); n == 1 {
			break
		}
	}
	if dropped < 100 || lines+dropped < calls {
		t.Errorf("%d lines were read until one said that %d are missing", lines, dropped)
	}
	s.gets(4, "/nothing")
	for scanner.Scan() && !strings.Contains(scanner.Text(), "path=/nothing ") {
	}
	if err := scanner.Err(); err != nil || !strings.Contains(scanner.Text(), "path=/nothing ") {
		t.Errorf("the log does not go on: %v", err)
	}
	s.gets(calls, long) // nobody reads any more
	m.want("exit status", s.end(syscall.SIGTERM), 0)
}

func TestSIGHUPKillsNothing(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	conn, rest := s.begin()
	for range 3 {
		s.Process.Signal(syscall.SIGHUP)
	}
	m.want("a call afterwards", s.call("/stats", "", nil).status, http.StatusOK)
	conn.Write(rest)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	m.want("the filing that was in progress", res.StatusCode, http.StatusCreated)
	m.want("exit status", s.end(syscall.SIGTERM), 0)
}

// faulty is a writer that fails, or waits.
type faulty struct {
	tocsintest.Buffer
	mu    sync.Mutex
	fails bool
}

func (f *faulty) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fails {
		return 0, io.ErrClosedPipe
	}
	return f.Buffer.Write(p)
}

func TestDroppedLinesAreCountedAndToldOnce(t *testing.T) {
	out := &faulty{fails: true}
	clock := new(tocsintest.Clock)
	board := health.New(clock.Now, nil)
	q := newLogQueue(out, front.LogOptions{}, board, clock.Now)
	for n := range 3 {
		fmt.Fprintf(q, "lost %d\n", n)
	}
	tocsintest.Eventually(t, "three lines are dropped", func() bool { return q.dropped.Load() == 3 })
	out.mu.Lock()
	out.fails = false
	out.mu.Unlock()
	fmt.Fprint(q, "kept 1\n")
	fmt.Fprint(q, "kept 2\n")
	q.flush()
	want := "time=2026-03-04T12:00:00.000Z level=WARN msg=\"log lines were dropped\" lines=3\nkept 1\nkept 2\n"
	if out.String() != want {
		t.Errorf("the log is %q", out.String())
	}
	if told := board.Troubles(); len(told) != 1 || told[0].Count != 3 {
		t.Errorf("reported: %v", told)
	}
}

// TestAFullQueueIsEmptyOnceItIsRead: what was dropped takes no place.
func TestAFullQueueIsEmptyOnceItIsRead(t *testing.T) {
	read, out := io.Pipe()
	clock := new(tocsintest.Clock)
	q := newLogQueue(out, front.LogOptions{}, health.New(clock.Now, nil), clock.Now)
	fmt.Fprintln(q, "first")
	tocsintest.Eventually(t, "the first line is being written", func() bool { return q.queued.Load() == 0 })
	for range 3 * maxQueued >> 10 {
		fmt.Fprintln(q, strings.Repeat("x", 1<<10))
	}
	if q.dropped.Load() == 0 || q.queued.Load() < maxQueued/2 {
		t.Errorf("%d lines were dropped, %d bytes wait", q.dropped.Load(), q.queued.Load())
	}
	go io.Copy(io.Discard, read)
	tocsintest.Eventually(t, "nothing waits", func() bool { return q.queued.Load() == 0 })
	q.flush()
}

// TestShortLinesThatFindNoPlaceAreCounted: a queue has room for so many lines, however short they are.
func TestShortLinesThatFindNoPlaceAreCounted(t *testing.T) {
	read, out := io.Pipe()
	clock := new(tocsintest.Clock)
	board := health.New(clock.Now, nil)
	q := newLogQueue(out, front.LogOptions{}, board, clock.Now)
	fmt.Fprint(q, "first\n")
	tocsintest.Eventually(t, "the first line is being written", func() bool { return q.queued.Load() == 0 })
	for range cap(q.lines) + 3 {
		fmt.Fprint(q, "x\n")
	}
	dropped := int(q.dropped.Load())
	tocsintest.Want(t, "bytes that wait", int(q.queued.Load()), 2*cap(q.lines))
	var text tocsintest.Buffer
	copied := make(chan struct{})
	go func() {
		io.Copy(&text, read)
		close(copied)
	}()
	q.flush()
	out.Close()
	<-copied
	tocsintest.Want(t, "lines", []any{dropped, board.Troubles()[0].Count, strings.Count(text.String(), "x\n"),
		strings.Count(text.String(), "lines=3")}, []any{3, 3, cap(q.lines), 1})
}

// TestTheLoadOfTheReadModelIsLogged, with what to do if it does not fit.
func TestTheLoadOfTheReadModelIsLogged(t *testing.T) {
	for text, m := range map[string]store.ModelLoad{
		"level=INFO msg=\"read model loaded\" subjects=7 MiB=3 maxMiB=5 durationMs=1500\n": {
			Subjects: 7, Bytes: 3<<20 + 1, Took: 1500 * time.Millisecond},
		"level=WARN msg=\"there is more on record than fits the memory: each screening that was not asked for lately " +
			"reads the database; raise -memory\" subjects=7 MiB=6 maxMiB=5\n": {Subjects: 7, Bytes: 6 << 20, TooLarge: true},
	} {
		var log bytes.Buffer
		logModel(slog.New(slog.NewTextHandler(&log, nil)), m, 5<<20)
		_, got, _ := strings.Cut(log.String(), " ")
		tocsintest.Want(t, "logged", got, text)
	}
}

// TestHalfSentBodiesKeepNoReportOut: 600 bodies of 200 KB of one network that never end are bounded, refused at once
// or ended by a deadline.
func TestHalfSentBodiesKeepNoReportOut(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	const flood = 600
	var refused, ended sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{}
	refused.Add(flood - 60) // at least
	left := flood - 60
	for range flood {
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, 1)}}
		conn, err := dialer.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(patience))
		fmt.Fprintf(conn, "POST %s/community-reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
			"Content-Length: 200000\r\n\r\n%s", base, strings.Repeat(" ", 100_000))
		ended.Go(func() {
			line, _ := bufio.NewReader(conn).ReadString('\n')
			mu.Lock()
			defer mu.Unlock()
			answers[strings.TrimSpace(line)]++
			if left > 0 {
				left--
				refused.Done()
			}
		})
	}
	refused.Wait()
	m.want("an honest report meanwhile", s.call("/community-reports", "", story("Small", address(1))).status,
		http.StatusCreated)
	ended.Wait() // the others reach their deadline
	if n := answers["HTTP/1.1 503 Service Unavailable"]; n < flood-8<<20/200_000 || n == flood {
		t.Errorf("%d of %d are refused: %v", n, flood, answers)
	}
	if n := answers[""]; n > 0 {
		t.Errorf("%d were waited for without end: %v", n, answers)
	}
}
