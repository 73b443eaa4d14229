package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ask calls a tool and returns what it answers.
func ask(t *testing.T, c *mcp.ClientSession, tool string, arguments map[string]any) map[string]any {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	if r.IsError {
		t.Errorf("%s: %s", tool, r.Content[0].(*mcp.TextContent).Text)
	}
	return r.StructuredContent.(map[string]any)
}

func TestADesktopClientAsksTheDatabaseOfTheMachine(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	var log bytes.Buffer
	c := m.command("mcp", "-base-url", s.url+"/")
	c.Stderr = &log
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.want("score", ask(t, session, "check_address", map[string]any{"address": example})["riskScore"], 100)
	filed := ask(t, session, "file_report", story("By hand", "desktop-tocsin.example"))
	if url := fmt.Sprint(filed["url"]); !strings.HasPrefix(url, s.url) {
		t.Errorf("the report is at %s", url)
	} else if res, err := http.Get(url); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("the server knows nothing of it: %v %v", res, err)
	}
	s.file("", "By the server", "desktop-tocsin.example")
	m.soon("what the server took is found", func() bool {
		return ask(t, session, "check_domain", map[string]any{"domain": "desktop-tocsin.example"})["reportCount"] == 2.0
	})
	for n := range 35 { // more than a network may file within an hour
		ask(t, session, "file_report", story(fmt.Sprint("By hand ", n), fmt.Sprintf("desktop-%d-tocsin.example", n)))
	}
	m.want("keys used", ask(t, session, "my_stats", nil)["authenticated"], false)
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	m.want("status", c.ProcessState.ExitCode(), exitOK)
	m.want("calls in the log", strings.Contains(log.String(), "path=mcp://tool/check_address status=200"), true)
	m.want("arguments in the log", strings.Contains(log.String(), example), false)
}

func TestADesktopClientIsNotServedFromNothing(t *testing.T) {
	m := newMachine(t)
	m.fails(exitFailure, "there is no database tocsin.db", "mcp")
	m.fails(exitUsage, "-base-url", "mcp", "-base-url", "example.org")
	m.fails(exitUsage, "one argument too many", "mcp", "tocsin.db")
	m.must("key", "create") // begins a database
	// By their own date the sanctions may be so old by now that both warn of it; without any they would say so instead.
	const none = "no sanctions are on record"
	if r := m.run("mcp"); r.status != exitOK || r.out != "" || strings.Contains(r.err, none) {
		t.Errorf("at once at its end: %+v", r)
	}
	r := m.run("screen", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	m.want("the sanctions of the starter set", []bool{strings.Contains(r.err, none), strings.Contains(r.out, "CRITICAL")},
		[]bool{false, true})
}

func TestTheServerServesToolsBesideTheAPI(t *testing.T) {
	m := newMachine(t)
	s := m.serve("-base-url", "https://tocsin.example")
	s.says(&s.out, "serves on "+s.url+" as https://tocsin.example\n")
	caller := &http.Client{Transport: keyed(m.newKey())}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: caller}
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	m.want("score", ask(t, session, "check_address", map[string]any{"address": example})["riskScore"], 100)
	m.want("calls", ask(t, session, "my_stats", nil)["apiCallCount"], 1)
}

// keyed sends a key with every request.
type keyed string

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("x-api-key", string(k))
	return http.DefaultTransport.RoundTrip(r)
}
