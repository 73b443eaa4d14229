package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// clientOf returns a client of a node that is answered by answer.
func clientOf(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	c, err := New(server.URL+"/v2/secret", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheURLOfANode(t *testing.T) {
	for _, bad := range []string{"", "rpc.example", "ftp://rpc.example/secret", "https://", "https://:8545",
		"ws://rpc.example", "https://rpc.example/\x00secret", "https://%zz/secret"} {
		if _, err := New(bad, time.Second); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{"https://rpc.example", "http://127.0.0.1:8545/v2/key"} {
		if _, err := New(good, time.Second); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func TestWhatANodeIsAsked(t *testing.T) {
	var asked string
	answer := `"0x2105"`
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.Path != "/v2/secret" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s, %s", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
		}
		var compact bytes.Buffer
		json.Compact(&compact, body)
		asked = compact.String()
		fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": 1, "result": %s}`, answer)
	})
	var text string
	if err := c.Ask(context.Background(), &text, "eth_chainId"); err != nil || text != "0x2105" {
		t.Errorf("%q, %v", text, err)
	}
	if want := `{"id":1,"jsonrpc":"2.0","method":"eth_chainId","params":[]}`; asked != want {
		t.Errorf("asked %s, not %s", asked, want)
	}
	if err := c.Ask(context.Background(), &text, "eth_call", map[string]string{"data": "0xab"}, "latest"); err != nil {
		t.Error(err)
	}
	if want := `{"id":1,"jsonrpc":"2.0","method":"eth_call","params":[{"data":"0xab"},"latest"]}`; asked != want {
		t.Errorf("asked %s, not %s", asked, want)
	}
	asked = ""
	if err := c.Ask(context.Background(), &text, "eth_call", func() {}); err == nil || asked != "" {
		t.Errorf("asked %s, %v", asked, err)
	}
	answer = `null`
	something := &struct{}{}
	if err := c.Ask(context.Background(), &something, "eth_getTransactionReceipt", "0x00"); err != nil ||
		something != nil {
		t.Errorf("%v, %v", something, err)
	}
}

func TestANodeThatFails(t *testing.T) {
	for _, c := range []struct {
		about string
		does  http.HandlerFunc
		want  string
		code  int // of an *Error
	}{
		{"an error", say(200, `{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"0x"}}`),
			"eth_chainId: execution reverted (3)", 3},
		{"an error beside a result", say(200, `{"result":"0x1","error":{"code":1,"message":"no"}}`),
			"eth_chainId: no (1)", 1},
		{"an error beside a status", say(429, `{"error":{"code":-32005,"message":"too many"}}`),
			"eth_chainId: too many (-32005)", -32005},
		{"a long error", say(200, `{"error":{"code":5,"message":"`+strings.Repeat("ä", 999)+`"}}`),
			"eth_chainId: " + strings.Repeat("ä", 200) + "… (5)", 5},
		{"a result beside a status", say(500, `{"result":"0x1"}`), "eth_chainId: the node answered with status 500", 0},
		{"a page", say(502, `<html>`), "eth_chainId: the node answered with status 502", 0},
		{"a page with status 200", say(200, `<html>`), "eth_chainId: the node's answer is not that of JSON-RPC", 0},
		{"nothing", say(200, ``), "eth_chainId: the node's answer is not that of JSON-RPC", 0},
		{"neither", say(200, `{"id":1}`), "eth_chainId: the node's answer has neither a result nor an error", 0},
		{"another type", say(200, `{"result":{}}`), "eth_chainId: the result is of another type", 0},
		{"too much", say(200, `{"result":"`+strings.Repeat("0", maxResponse)+`"}`),
			"eth_chainId: the answer has more than 1048576 bytes", 0},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("a redirect was followed")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, "eth_chainId: the node answered with status 307", 0},
		{"a broken connection", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"eth_chainId: EOF", 0},
	} {
		var text string
		err := clientOf(t, c.does).Ask(context.Background(), &text, "eth_chainId")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.about, err)
		}
		if said := (*Error)(nil); errors.As(err, &said) != (c.code != 0) || said != nil && said.Code != c.code {
			t.Errorf("%s: %+v", c.about, said)
		}
	}
}

func say(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// What has exactly the allowed length is read.
func TestTheLongestAnswer(t *testing.T) {
	text := `{"result":"` + strings.Repeat("0", maxResponse-len(`{"result":""}`)) + `"}`
	var result string
	if err := clientOf(t, say(200, text)).Ask(context.Background(), &result, "eth_call"); err != nil ||
		len(text) != maxResponse {
		t.Errorf("%d bytes: %v", len(text), err)
	}
}

func TestANodeThatIsSlow(t *testing.T) {
	done := make(chan struct{})
	node := clientOf(t, func(http.ResponseWriter, *http.Request) { <-done })
	t.Cleanup(func() { close(done) })
	c, err := New(node.url, 500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	hang, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	var text string
	if err := c.Ask(hang, &text, "eth_chainId"); err == nil || strings.Contains(err.Error(), "secret") ||
		!strings.Contains(err.Error(), "deadline exceeded") || hang.Err() != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Ask(ctx, &text, "eth_chainId"); err == nil || err.Error() != "eth_chainId: context canceled" {
		t.Error(err)
	}
}

func TestAnAnswerThatBreaksOffIsAnError(t *testing.T) {
	node := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, `{"result":"0x1"}`)
	})
	var text string
	err := node.Ask(t.Context(), &text, "eth_chainId")
	if err == nil || err.Error() != "eth_chainId: unexpected EOF" || text != "" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestAMessageOfANodeIsClippedTo200Characters(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("é", 200): strings.Repeat("é", 200) + " (-32000)",
		strings.Repeat("é", 201): strings.Repeat("é", 200) + "… (-32000)",
	} {
		if got := (&Error{Code: -32000, Message: text}).Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
