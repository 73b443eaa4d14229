package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"tocsin/internal/importer"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

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

// firstStart is the file that the first start of a server makes. To copy it takes a small part of the time.
var firstStart = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "tocsin")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tocsin.db")
	db, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(importer.LoadStarter(context.Background(), db), db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// afterFirstStart gives a machine that has no database one as the first start of a server leaves it.
func (m *machine) afterFirstStart() {
	m.Helper()
	path := filepath.Join(m.dir, "tocsin.db")
	if _, err := os.Stat(path); err != nil {
		file, err := firstStart()
		tocsintest.Must(m, err)
		tocsintest.Must(m, os.WriteFile(path, file, 0o600))
	}
}

// serve starts a server on a free port and waits until it says where. It is not the first start.
func (m *machine) serve(args ...string) *server {
	m.Helper()
	m.afterFirstStart()
	return m.serveAnew(args...)
}

// serveAnew is serve for the first start of a server, which makes the database.
func (m *machine) serveAnew(args ...string) *server {
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

// page returns the text at a path of the server.
func (s *server) page(path string) (status int, text string) {
	s.Helper()
	return s.text(http.DefaultClient, s.url+path)
}

// text returns the text at a URL.
func (s *server) text(client *http.Client, url string) (status int, text string) {
	s.Helper()
	res, err := client.Get(url)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return res.StatusCode, string(body)
}
