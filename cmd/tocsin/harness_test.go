package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

// program is the program itself. The tests of this package run it as users do:
// as a process, on a database file, over HTTP.
var program string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

// underRace reports whether the tests run under the race detector.
func underRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tocsin")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "tocsin")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".")
	// Under the race detector the program is watched as well, and exits with 66 if it is caught.
	if underRace() {
		build.Args = slices.Insert(build.Args, 2, "-race")
	}
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// patience is how long a process may take, on a machine that is busy.
const patience = tocsintest.Patience

// machine is an empty directory to work in, and an environment that holds
// nothing but env (and what a program under the race detector is told).
type machine struct {
	*testing.T
	dir string
	env []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	t.Parallel()
	return &machine{T: t, dir: t.TempDir()}
}

// with returns the same machine with another environment.
func (m *machine) with(env ...string) *machine { return &machine{m.T, m.dir, env} }

func (m *machine) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(m.Context(), patience) // its end kills the process
	m.Cleanup(cancel)
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.Env = m.dir, append([]string{"GORACE=halt_on_error=1 atexit_sleep_ms=0"}, m.env...)
	return c
}

// result is what a command that has ended left behind.
type result struct {
	status   int
	out, err string
}

func (m *machine) feed(stdin string, args ...string) result {
	m.Helper()
	var out, err bytes.Buffer
	c := m.command(args...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &err
	if fault := c.Run(); fault != nil && c.ProcessState == nil {
		m.Fatal(fault)
	}
	return result{c.ProcessState.ExitCode(), out.String(), err.String()}
}

func (m *machine) run(args ...string) result {
	m.Helper()
	return m.feed("", args...)
}

// must runs a command that succeeds, and returns what it prints.
func (m *machine) must(args ...string) string {
	m.Helper()
	r := m.run(args...)
	if r.status != exitOK {
		m.Fatalf("tocsin %q: status %d: %s", args, r.status, r.err)
	}
	return r.out
}

// fails runs a command that ends with the status, says why on standard error,
// where pattern is found, and prints nothing on standard output.
func (m *machine) fails(status int, pattern string, args ...string) {
	m.Helper()
	r := m.run(args...)
	if r.status != status || r.out != "" || !regexp.MustCompile(pattern).MatchString(r.err) {
		m.Errorf("tocsin %q %q: got status %d, output %q, complaint %q; want status %d and /%s/",
			m.env, args, r.status, r.out, r.err, status, pattern)
	}
}

func (m *machine) newKey(args ...string) string {
	m.Helper()
	return strings.TrimSpace(m.must(append([]string{"key", "create"}, args...)...))
}

// write makes a file of lines.
func (m *machine) write(name string, lines ...string) string {
	m.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		m.Fatal(err)
	}
	return name
}

// sqlite changes a database file behind the program's back.
func (m *machine) sqlite(name, statement string) {
	m.Helper()
	db, err := sql.Open("sqlite", filepath.Join(m.dir, name)) // the driver came with internal/store
	if err == nil {
		_, err = db.Exec(statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		m.Fatal(err)
	}
}

// soon waits for what a running server notices after a command.
func (m *machine) soon(about string, holds func() bool) {
	m.Helper()
	tocsintest.Eventually(m, about, holds)
}

func (m *machine) want(about string, got, want any) {
	m.Helper()
	tocsintest.Want(m, about, got, want)
}

// server is a process that goes on.
type server struct {
	*machine
	*exec.Cmd
	out, err tocsintest.Buffer
	ended    chan struct{}
	url      string
}

// start starts a process and kills it at the end of the test, if it still runs.
func (m *machine) start(c *exec.Cmd) *server {
	m.Helper()
	s := &server{machine: m, Cmd: c, ended: make(chan struct{})}
	s.Stdout, s.Stderr = &s.out, &s.err
	if err := s.Start(); err != nil {
		m.Fatal(err)
	}
	go func() { s.Wait(); close(s.ended) }()
	m.Cleanup(func() {
		s.Process.Kill()
		<-s.ended
	})
	return s
}

// serve starts a server on a free port and waits until it says where.
func (m *machine) serve(args ...string) *server {
	m.Helper()
	s := m.start(m.command(append([]string{"serve", "-listen", "127.0.0.1:0"}, args...)...))
	s.url = s.says(&s.out, `http://127\.0\.0\.1:\d+`)
	return s
}

// says waits until the process has written what the pattern describes.
func (s *server) says(on *tocsintest.Buffer, pattern string) string {
	s.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if found := regexp.MustCompile(pattern).FindString(on.String()); found != "" {
			return found
		}
		select {
		case <-s.ended:
			s.Fatalf("it ended with %v before it said /%s/: %s", s.ProcessState, pattern, &s.err)
		default:
		}
	}
	s.Fatalf("it does not say /%s/: %s%s", pattern, &s.out, &s.err)
	return ""
}

// printed returns what the process has printed that the pattern describes. It does not wait: a server prints all
// that it has to say together with its address.
func (s *server) printed(pattern string) string {
	s.Helper()
	found := regexp.MustCompile(pattern).FindString(s.out.String())
	if found == "" {
		s.Fatalf("it has not printed /%s/: %s", pattern, &s.out)
	}
	return found
}

// end sends a signal and returns the exit status, -1 if the signal killed.
func (s *server) end(by os.Signal) int {
	s.Helper()
	if err := s.Process.Signal(by); err != nil {
		s.Fatal(err)
	}
	<-s.ended
	return s.ProcessState.ExitCode()
}

// reply is what a call brought.
type reply struct {
	status int
	header http.Header
	body   map[string]any
}

func (a reply) count(field string) int { list, _ := a.body[field].([]any); return len(list) }

// base is the path of all operations.
const base = "/api/v1"

// try makes a call of an operation, a POST if it has a body.
func (s *server) try(path, key string, body any) (a reply, err error) {
	method, content := http.MethodGet, io.Reader(nil)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return a, err
		}
		method, content = http.MethodPost, bytes.NewReader(text)
	}
	r, err := http.NewRequest(method, s.url+base+path, content)
	if err != nil {
		return a, err
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("x-api-key", key)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	return reply{res.StatusCode, res.Header, a.body}, json.NewDecoder(res.Body).Decode(&a.body)
}

// call is try without faults of the network.
func (s *server) call(path, key string, body any) reply {
	s.Helper()
	a, err := s.try(path, key, body)
	if err != nil {
		s.Errorf("%s: %v", path, err)
	}
	return a
}

func (s *server) screen(subject, key string) reply {
	s.Helper()
	if strings.HasPrefix(subject, "0x") {
		return s.call("/screen/"+subject, key, nil)
	}
	return s.call("/domains/check/"+subject, key, nil)
}

// file files a report and returns its id.
func (s *server) file(key, title string, subjects ...string) string {
	s.Helper()
	a := s.call("/community-reports", key, story(title, subjects...))
	if a.status != http.StatusCreated {
		s.Fatalf("filing: %d %v", a.status, a.body)
	}
	return a.body["id"].(string)
}

// story is a report in our own shape.
func story(title string, subjects ...string) map[string]any {
	d := map[string]any{"crimeType": "phishing", "title": title, "description": "It took all that I had."}
	for _, subject := range subjects {
		field := "reportedDomains"
		if strings.HasPrefix(subject, "0x") {
			field = "scammerAddresses"
		}
		named, _ := d[field].([]string)
		d[field] = append(named, subject)
	}
	return d
}

// line is a story as it stands in an ndjson file.
func line(key, title string, subjects ...string) string {
	d := story(title, subjects...)
	d["key"] = key
	text, _ := json.Marshal(d) // it holds only texts
	return string(text)
}

// address is one that nobody knows.
func address(n int) string { return fmt.Sprintf("0x%040x", 0xbad0000+n) }
