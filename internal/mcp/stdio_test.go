package mcp_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tocsin/internal/tocsintest"
)

func TestTheOperatorsOwnClientNeedsNoKey(t *testing.T) {
	s := start(t, func(c *setup) { c.local = true })
	s.file(report)
	status, _, _ := s.post("POST", ping)
	s.want("over HTTP", status, 404)
	in, out := io.Pipe()
	back, answers := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.mcp.Run(t.Context(), in, answers) }()
	c := s.client("", &sdk.IOTransport{Reader: back, Writer: out})
	for range 20 { // more than a key has
		for _, tool := range []string{"check_address", "check_addresses", "check_domain", "search_reports", "list_reports"} {
			if a := c.call(tool, calls[tool]); a.IsError {
				t.Fatalf("%s: %s", tool, a.text)
			}
		}
	}
	s.want("full", c.call("check_address", args{"address": thief, "detail": "full"}).in("untrusted.0.title"),
		"Fake airdrop")
	s.want("wrong", c.call("check_address", args{"address": "x"}).faulty(), "[address]")
	s.want("filed", c.call("file_report", calls["file_report"]).IsError, false)
	stats := c.call("my_stats", nil)
	s.want("nobody is asking",
		[]any{stats.in("authenticated"), strings.Contains(fmt.Sprint(stats.in("help")), "on your own machine")},
		[]any{false, true})
	s.want("no price", strings.Contains(c.tools["check_address"].Description, "API key"), false)
	ids := regexp.MustCompile(`id=local-(\d+) method=CALL`).FindAllStringSubmatch(s.logs.String(), -1)
	s.want("calls have ids of their own", []string{ids[0][1], ids[len(ids)-1][1]}, []string{"1", fmt.Sprint(len(ids))})
	c.Close()
	select {
	case err := <-ended:
		s.want("the end", err, nil)
	case <-time.After(tocsintest.Patience):
		t.Error("it does not end with its input")
	}
}

func TestEveryLineIsAnsweredBeforeTheEnd(t *testing.T) {
	s := start(t, func(c *setup) { c.local = true })
	run := func(lines ...string) (answers []string, err error) {
		var out tocsintest.Buffer
		err = s.mcp.Run(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out)
		return strings.Split(strings.TrimSpace(out.String()), "\n"), err
	}
	const no = `{"jsonrpc":"2.0","error":{"code":-32600,"message":`
	call := func(id string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","method":"tools/call",`+
			`"params":{"name":"check_address","arguments":{"address":"%s"}}}`, id, thief)
	}
	lines := []string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", "hello", "{}", "[]", strings.Repeat("[", 40), ping}
	for id := range 30 {
		lines = append(lines, call(fmt.Sprint(id)))
	}
	answers, err := run(lines...)
	s.want("the end", err, nil)
	all := strings.Join(answers, "\n")
	s.want("answers", []int{len(answers), strings.Count(all, no), strings.Count(all, `"riskScore":`)}, []int{36, 4, 30})
	answers, err = run(append(lines[:2], call("same"), call("same"), call("same"))...)
	all = strings.Join(answers, "\n")
	s.want("calls with one id, answered or refused",
		[]any{err, strings.Count(all, no) + strings.Count(all, `"riskScore":`)}, []any{nil, 3})
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`
	answers, err = run(append(lines[:2:2], cancelled, cancelled, ping)...)
	s.want("notifications have no answer, nor an id that is in use",
		[]any{err, len(answers), strings.Count(strings.Join(answers, ""), no)}, []any{nil, 2, 0})
	for about, odd := range map[string]string{"too long": strings.Repeat("x", 400<<10),
		"with too much room behind it": ping + strings.Repeat(" ", 400<<10),
		"with more behind it":          ping + ping, "with text behind it": ping + " x",
		"with a return in it":      ping + "\rhello",
		"a batch behind a return":  ping + "\r[" + ping + "]",
		"an id that is a fraction": strings.Replace(ping, `"id":1`, `"id":1.5`, 1),
		"a long id":                strings.Replace(ping, `"id":1`, `"id":"`+strings.Repeat("x", 300)+`"`, 1)} {
		answers, err := run(odd, ping)
		s.want(about, []any{err, strings.Contains(answers[0], no), strings.Contains(answers[1], `"id":1,"result":{}`)},
			[]any{nil, true, true})
	}
}

func TestAnIDIsFreeAgainOnceItsCallIsAnswered(t *testing.T) {
	s := start(t, func(c *setup) { c.local = true })
	in, lines := io.Pipe()
	back, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.mcp.Run(t.Context(), in, out) }()
	answers := bufio.NewScanner(back)
	for range 3 {
		fmt.Fprintln(lines, ping)
		if !answers.Scan() || !strings.Contains(answers.Text(), `"result":{}`) {
			t.Errorf("it is answered: %s", answers.Text())
		}
	}
	lines.Close()
	s.want("the end", <-ended, nil)
}

// full is an output that takes some lines.
type full struct{ lines int }

func (f *full) Write(p []byte) (int, error) {
	if f.lines--; f.lines < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestAnErrorOfReadingOrWritingEndsTheRun(t *testing.T) {
	s := start(t, func(c *setup) { c.local = true })
	broken := errors.New("broken")
	for about, in := range map[string]io.Reader{
		"at once": iotest.ErrReader(broken), "later": io.MultiReader(strings.NewReader(ping+"\n"), iotest.ErrReader(broken)),
		"in a long line": io.MultiReader(strings.NewReader(strings.Repeat("x", 400<<10)), iotest.ErrReader(broken)),
	} {
		var out tocsintest.Buffer
		s.want(about, errors.Is(s.mcp.Run(t.Context(), in, &out), broken), true)
	}
	never, _ := io.Pipe()
	for about, in := range map[string]io.Reader{
		"a refusal": io.MultiReader(strings.NewReader("x\n"), never),
	} {
		if err := s.mcp.Run(t.Context(), in, &full{}); err == nil {
			t.Errorf("%s could not be written, and nobody heard of it", about)
		}
	}
}
