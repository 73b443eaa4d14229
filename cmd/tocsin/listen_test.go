package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

// fileFrom files a report through a socket of the service, as a proxy passes it on for a client.
func (s *server) fileFrom(socket, client string, subject int) int {
	s.Helper()
	caller := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(s.dir, socket))
		},
	}}
	report := fmt.Sprintf(`{"crimeType":"scam","title":"Through a socket","description":"It took it.",`+
		`"scammerAddresses":[%q]}`, address(subject))
	r, err := http.NewRequest("POST", "http://tocsin.example"+base+"/community-reports", strings.NewReader(report))
	tocsintest.Must(s.machine, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", client)
	res, err := caller.Do(r)
	tocsintest.Must(s.machine, err)
	res.Body.Close()
	return res.StatusCode
}

// serveAt starts a server with a listener of its own.
func (m *machine) serveAt(args ...string) *server {
	m.Helper()
	m.afterFirstStart()
	s := m.start(m.command(append([]string{"serve"}, args...)...))
	s.says(&s.out, `Tocsin \S+ serves on .*\n`)
	return s
}

func TestAServerOnASocketIsForAProxyOfThisMachine(t *testing.T) {
	m := socketMachine(t)
	args := []string{"-listen", "unix:t.sock", "-base-url", "https://tocsin.example", "-filings", "1"}
	s := m.serveAt(append(args, "-trusted-proxies", "127.0.0.1")...)
	m.want("it says where", s.printed(`serves on .*`), "serves on unix:t.sock as https://tocsin.example")
	is, err := os.Stat(filepath.Join(m.dir, "t.sock"))
	if err != nil || is.Mode() != os.ModeSocket|serviceSocket {
		t.Errorf("the socket: %v, %v", is, err)
	}
	for n, c := range []struct {
		client string
		status int
	}{{"192.0.2.7", 201}, {"192.0.2.8", 429}, {"192.0.3.7, 198.51.100.1", 201}, {"203.0.113.9, 198.51.100.1", 429}} {
		m.want("from "+c.client, s.fileFrom("t.sock", c.client, 10+n), c.status)
	}
	second := append([]string{"serve", "-db", "2.db"}, args...)
	m.fails(exitFailure, `another process listens there; choose another address with -listen`, second...)
	s.end(syscall.SIGKILL) // it leaves the socket
	s = m.serveAt(args...)
	s.says(&s.err, `level=WARN msg="all clients of the socket share the limits of one network`)
	m.want("without a trusted proxy", s.fileFrom("t.sock", "192.0.2.7", 2), 201)
	m.want("all are one network", s.fileFrom("t.sock", "203.0.113.7", 3), 429)
	m.want("exit status", s.end(syscall.SIGTERM), 0)
	if _, err := os.Lstat(filepath.Join(m.dir, "t.sock")); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
	m.fails(exitUsage, `needs -base-url: callers reach a socket through a proxy`, "serve", "-listen", "unix:t.sock")
	for _, wrong := range []string{"unix:", "unix:@tocsin", "8402"} {
		m.fails(exitUsage, `-listen "`+wrong+`" is not like`, "serve", "-listen", wrong)
	}
}

// TestASocketOfABusyServerIsNotReplaced: nobody accepts, and the backlog is full.
func TestASocketOfABusyServerIsNotReplaced(t *testing.T) {
	m := socketMachine(t)
	path := filepath.Join(m.dir, "busy.sock")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	tocsintest.Must(t, err)
	defer syscall.Close(fd)
	tocsintest.Must(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}))
	tocsintest.Must(t, syscall.Listen(fd, 0))
	for full := false; !full; {
		c, err := net.Dial("unix", path)
		if full = err != nil; !full {
			defer c.Close()
		}
	}
	if _, err := listenUnix(path, 0o600); err == nil || !strings.Contains(err.Error(), "is not known") {
		t.Errorf("it is replaced: %v", err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("it is removed: %v", err)
	}
	tocsintest.Must(t, os.WriteFile(filepath.Join(m.dir, "file"), nil, 0o600))
	if _, err := listenUnix(filepath.Join(m.dir, "file"), 0o600); err == nil {
		t.Error("a file that is no socket is replaced")
	}
}

// TestSystemdPassesTheSocketAndHearsOfTheState speaks the protocols of sd_listen_fds(3) and sd_notify(3).
func TestSystemdPassesTheSocketAndHearsOfTheState(t *testing.T) {
	m := socketMachine(t)
	m.afterFirstStart()
	at := &net.UnixAddr{Name: filepath.Join(m.dir, "passed.sock"), Net: "unix"}
	l, err := net.ListenUnix("unix", at)
	tocsintest.Must(t, err)
	defer l.Close()
	passed, err := l.File()
	tocsintest.Must(t, err)
	defer passed.Close()
	notified, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(m.dir, "n.sock"), Net: "unixgram"})
	tocsintest.Must(t, err)
	defer notified.Close()
	said := make(chan string, 10_000) // the socket itself takes ten at most
	go func() {
		defer close(said)
		for text := make([]byte, 100); ; {
			n, err := notified.Read(text)
			if err != nil {
				return
			}
			said <- string(text[:n])
		}
	}()
	hears := func() (text string) {
		select {
		case text = <-said:
		case <-time.After(patience):
		}
		return text
	}
	start := func(sockets, more string) *server {
		// The shell becomes the program, so the process is the one that the variable names.
		c := m.command("serve", "-base-url", "https://tocsin.example", "-trusted-proxies", "127.0.0.1",
			"-listen", "unix:other.sock")
		script := "export LISTEN_PID=" + more + "$$ LISTEN_FDS=" + sockets + `; exec "$0" "$@"`
		c.Args = append([]string{"sh", "-c", script, c.Path}, c.Args[1:]...)
		c.Path, err = exec.LookPath("sh")
		tocsintest.Must(t, err)
		c.Env = append(c.Env, "NOTIFY_SOCKET="+filepath.Join(m.dir, "n.sock"), "WATCHDOG_USEC=100000")
		c.ExtraFiles = []*os.File{passed, passed}
		return m.start(c)
	}
	early, err := net.Dial("unix", at.Name) // while nobody serves
	tocsintest.Must(t, err)
	defer early.Close()
	_, err = io.WriteString(early, "GET /healthz HTTP/1.0\r\n\r\n")
	tocsintest.Must(t, err)
	s := start("1", "")
	m.want("first", hears(), "READY=1")
	answer, err := io.ReadAll(early)
	m.want("who came early", fmt.Sprint(strings.HasPrefix(string(answer), "HTTP/1.0 200 OK\r\n"), err), "true <nil>")
	m.want("then", hears(), "WATCHDOG=1")
	m.want("where", s.printed(`serves on \S+`), "serves on unix:"+at.Name)
	m.want("a report", s.fileFrom("passed.sock", "192.0.2.7", 1), 201)
	m.want("exit status", s.end(syscall.SIGTERM), 0)
	last := ""
	for last != "STOPPING=1" {
		last = hears()
		if last != "WATCHDOG=1" && last != "STOPPING=1" {
			t.Fatalf("it says %q", last)
		}
	}
	if _, err := os.Lstat(at.Name); err != nil {
		t.Errorf("the socket of systemd is gone: %v", err)
	}
	s = start("1", "1") // of another process
	m.want("it listens itself", s.says(&s.out, `serves on \S+`), "serves on unix:other.sock")
	s.end(syscall.SIGTERM)
	s = start("2", "")
	<-s.ended
	m.want("two sockets", strings.Contains(s.err.String(), "systemd passes 2 sockets, and serve takes one"), true)
}
