package main

import (
	"encoding/json"
	"fmt"
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
	for path, status := range map[string]int{"/mcp": 413, "/report": 413} {
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

// TestAWebPageChangesNothingInAServiceOfItsVisitorsMachine: a page reaches a loopback address under a name of its own
// (DNS rebinding) or under the right one, as another origin.
func TestAWebPageChangesNothingInAServiceOfItsVisitorsMachine(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	key, id := m.newKey(), s.file("", "Before", address(0))
	report, err := json.Marshal(story("By a page", address(1)))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(s *server, method, path, body string, headers ...string) (status int, text string) {
		r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		for _, h := range headers {
			if name, value, _ := strings.Cut(h, ": "); name == "Host" {
				r.Host = value
			} else {
				r.Header.Set(name, value)
			}
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(answer)
	}
	const page = "Origin: http://evil.example"
	const name = "Host: evil.example"
	for _, as := range [][]string{{name, page, "Sec-Fetch-Site: same-origin"}, {name}, {page}} {
		for _, c := range []struct{ method, path, body, says string }{
			{"POST", base + "/community-reports", string(report), `"foreign_request"`},
			{"POST", base + "/check", `{"addresses":["` + address(0) + `"]}`, `"foreign_request"`},
			{"POST", base + "/auth/verify", "{}", `"foreign_request"`},
			{"DELETE", base + "/me/key", "", `"foreign_request"`},
			{"DELETE", base + "/community-reports/" + id, "", `"foreign_request"`},
			{"POST", "/report", "title=By+a+page", "<title>This did not come from our own pages"},
			{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `"code":-32600`},
			{"POST", "/llms.txt", "", "foreign request: "},
		} {
			status, text := ask(s, c.method, c.path, c.body, append(as, "x-api-key: "+key)...)
			m.want(fmt.Sprint(c.method, " ", c.path, " ", as), []any{status, strings.Contains(text, c.says)}, []any{403, true})
		}
	}
	m.want("reports", strings.Count(m.must("report", "list", "-source", "community", "-json"), "\n"), 1)
	status, text := ask(s, "POST", base+"/community-reports", string(report), "Host: tocsin.example")
	m.want("how to mend it", []any{status, strings.Contains(text, "the Host of this service is "+
		strings.TrimPrefix(s.url, "http://")+"; its operator can set another with -base-url")}, []any{403, true})
	status, _ = ask(s, "GET", base+"/stats", "", name)
	m.want("reading", status, 200)
	status, _ = ask(s, "POST", base+"/community-reports", string(report), "Origin: http://localhost:3000")
	m.want("a page of this machine", status, 201)

	// Behind a proxy on this machine, which passes the caller's Host or its own, pages of all origins may call.
	public := m.serve("-db", "public.db", "-base-url", "https://tocsin.example")
	for i, host := range []string{"tocsin.example", "127.0.0.1:8402"} {
		body, err := json.Marshal(story(fmt.Sprint("By a wallet ", i), address(2)))
		if err != nil {
			t.Fatal(err)
		}
		status, _ := ask(public, "POST", base+"/community-reports", string(body), "Host: "+host,
			"Origin: https://wallet.example")
		m.want("by "+host, status, 201)
	}
	status, _ = ask(public, "POST", base+"/community-reports", string(report), name)
	m.want("under another name", status, 403)
}
