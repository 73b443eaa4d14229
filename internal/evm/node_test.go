package evm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tocsin"
)

// nodeOf returns a node that is answered by answer.
func nodeOf(t *testing.T, answer http.HandlerFunc) *Node {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	n, err := NewNode(server.URL+"/v2/secret", 8453, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return n
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
	if err := n.CheckChain(ctx); err != nil {
		t.Error(err)
	}
	if want := `{"id":1,"jsonrpc":"2.0","method":"eth_chainId","params":[]}`; asked != want {
		t.Errorf("asked %s, not %s", asked, want)
	}
	answer = `"0x01ff"`
	to := tocsin.Address{19: 4}
	if out, err := n.Call(ctx, &to, []byte{0xab}); err != nil || !bytes.Equal(out, []byte{1, 255}) {
		t.Errorf("%x, %v", out, err)
	}
	if want := `{"id":1,"jsonrpc":"2.0","method":"eth_call","params":[` +
		`{"data":"0xab","to":"0x0000000000000000000000000000000000000004"},"latest"]}`; asked != want {
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
		if id, err := n.chainID(ctx); err == nil {
			t.Errorf("%s is chain %d", answer, id)
		}
	}
	for _, answer = range []string{`null`, `{}`, `""`, `"0x0"`, `"0xzz"`, `"ff"`} {
		if out, err := n.Call(ctx, nil, nil); err == nil {
			t.Errorf("%s is %x", answer, out)
		}
	}
	answer = `"0x1"`
	other := &Node{client: n.client, chain: 8453}
	if _, err := other.Call(ctx, nil, nil); !errors.Is(err, ErrOtherChain) {
		t.Errorf("a node of another chain is asked: %v", err)
	}
	answer = `null`
	var nothing *struct{}
	if err := n.Ask(ctx, &nothing, "eth_getTransactionReceipt", "0x00"); err != nil || nothing != nil {
		t.Errorf("%v, %v", nothing, err)
	}
}
