package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"tocsin/internal/front"
)

// TestEachRoomAnswersLongPathsInItsOwnForm asks every room behind the front door.
func TestEachRoomAnswersLongPathsInItsOwnForm(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	long := strings.Repeat("x", front.MaxPath)
	for _, c := range []struct {
		method, path string
		status       int
		header, want string // of the response
	}{
		{"GET", "/api/v1/screen/", 414, "Content-Type", "application/problem+json"},
		{"OPTIONS", "/api/v1/screen/", 204, "Access-Control-Allow-Origin", "*"},
		{"GET", "/.well-known/", 404, "Cache-Control", "no-store"},
		{"GET", "/.well-known/", 404, "Access-Control-Allow-Origin", "*"},
		{"OPTIONS", "/.well-known/", 204, "Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"},
		{"GET", "/screen/", 400, "Content-Type", "text/html; charset=utf-8"},
		{"GET", "/nothing/", 404, "Content-Type", "text/html; charset=utf-8"},
	} {
		r, err := http.NewRequest(c.method, s.url+c.path+long, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		m.want(c.method+" "+c.path+": status", res.StatusCode, c.status)
		m.want(c.method+" "+c.path+": "+c.header, res.Header.Get(c.header), c.want)
	}
}

func TestABodyThatIsTooLargeClosesTheConnection(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	for path, status := range map[string]int{"/mcp": 413, "/report": 400} {
		body := strings.NewReader(strings.Repeat("x", front.MaxBody+1))
		res, err := http.Post(s.url+path, "application/x-www-form-urlencoded", io.MultiReader(body))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		m.want(path, []any{res.StatusCode, res.Close}, []any{status, true})
	}
}

func TestTheLogNamesTheRouteOfEachRoom(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	for path, route := range map[string]string{
		"/api/v1/stats": "/api/v1/stats", "/api/v1/nothing": "/api/v1/", "/api/nothing": "/api/",
		"/status": "/status", "/nothing": "/", "/.well-known/nothing": "/.well-known/",
	} {
		res, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		s.says(&s.err, "path="+path+" route="+route+" status=")
	}
}
