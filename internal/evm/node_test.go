package evm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// nodeOf returns a node that is answered by answer.
func nodeOf(t *testing.T, answer http.HandlerFunc) *Node {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	n, err := NewNode(server.URL+"/v2/secret", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheURLOfANode(t *testing.T) {
	for _, bad := range []string{"", "rpc.example", "ftp://rpc.example/secret", "https://", "https://:8545", "ws://rpc.example", "https://rpc.example/\x00secret", "https://%zz/secret"} {
		if _, err := NewNode(bad, time.Second); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{"https://rpc.example", "http://127.0.0.1:8545/v2/key"} {
		if _, err := NewNode(good, time.Second); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func TestWhatANodeIsAsked(t *testing.T) {
	var asked string
	answer := `"0x2105"`
	n := nodeOf(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s, %s", r.Method, r.Header.Get("Content-Type"))
		}
		var compact bytes.Buffer
		json.Compact(&compact, body)
		asked = compact.String()
		fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": 1, "result": %s}`, answer)
	})
	ctx := context.Background()
	if id, err := n.ChainID(ctx); err != nil || id != 8453 {
		t.Errorf("chain %d, %v", id, err)
	}
	if want := `{"id":1,"jsonrpc":"2.0","method":"eth_chainId","params":[]}`; asked != want {
		t.Errorf("asked %s, not %s", asked, want)
	}
	answer = `"0x01ff"`
	to := tocsin.Address{19: 4}
	if out, err := n.Call(ctx, &to, []byte{0xab}); err != nil || !bytes.Equal(out, []byte{1, 255}) {
		t.Errorf("%x, %v", out, err)
	}
	if want := `{"id":1,"jsonrpc":"2.0","method":"eth_call","params":[{"data":"0xab","to":"0x0000000000000000000000000000000000000004"},"latest"]}`; asked != want {
		t.Errorf("asked %s, not %s", asked, want)
	}
	answer = `"0x"`
	if out, err := n.Call(ctx, nil, nil); err != nil || len(out) != 0 {
		t.Errorf("%x, %v", out, err)
	}
	if want := `{"id":1,"jsonrpc":"2.0","method":"eth_call","params":[{"data":"0x"},"latest"]}`; asked != want {
		t.Errorf("asked %s, not %s", asked, want)
	}
	for _, answer = range []string{`null`, `7`, `""`, `"0x"`, `"2105"`, `"0xfffffffffffffffff"`, `"0x-1"`} {
		if id, err := n.ChainID(ctx); err == nil {
			t.Errorf("%s is chain %d", answer, id)
		}
	}
	for _, answer = range []string{`null`, `{}`, `""`, `"0x0"`, `"0xzz"`, `"ff"`} {
		if out, err := n.Call(ctx, nil, nil); err == nil {
			t.Errorf("%s is %x", answer, out)
		}
	}
	answer = `null`
	var nothing *struct{}
	if err := n.Ask(ctx, &nothing, "eth_getTransactionReceipt", "0x00"); err != nil || nothing != nil {
		t.Errorf("%v, %v", nothing, err)
	}
}

func TestANodeThatFails(t *testing.T) {
	for _, c := range []struct {
		about string
		does  http.HandlerFunc
		want  string
	}{
		{"an error", say(200, `{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"0x"}}`), "eth_chainId: execution reverted (3)"},
		{"an error beside a status", say(429, `{"error":{"code":-32005,"message":"too many"}}`), "eth_chainId: too many (-32005)"},
		{"a long error", say(200, `{"error":{"message":"`+strings.Repeat("ä", 999)+`"}}`), "eth_chainId: " + strings.Repeat("ä", 200) + "… (0)"},
		{"a page", say(502, `<html>`), "eth_chainId: the node answered with status 502"},
		{"a page with status 200", say(200, `<html>`), "eth_chainId: the node's answer is not that of JSON-RPC"},
		{"nothing", say(200, ``), "eth_chainId: the node's answer is not that of JSON-RPC"},
		{"neither", say(200, `{"id":1}`), "eth_chainId: the node's answer has neither a result nor an error"},
		{"another type", say(200, `{"result":{}}`), "eth_chainId: the result is of another type"},
		{"too much", say(200, `{"result":"`+strings.Repeat("0", maxAnswer)+`"}`), "eth_chainId: the answer has more than 1048576 bytes"},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("a redirect was followed")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, "eth_chainId: the node answered with status 307"},
		{"a broken connection", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "eth_chainId: EOF"},
	} {
		if _, err := nodeOf(t, c.does).ChainID(context.Background()); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.about, err)
		}
	}
}

func say(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func TestANodeThatIsSlow(t *testing.T) {
	done := make(chan struct{})
	n := nodeOf(t, func(http.ResponseWriter, *http.Request) { <-done })
	t.Cleanup(func() { close(done) })
	n.client.Timeout = 20 * time.Millisecond
	if _, err := n.ChainID(context.Background()); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "deadline exceeded") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := n.ChainID(ctx); err == nil || err.Error() != "eth_chainId: context canceled" {
		t.Error(err)
	}
}
