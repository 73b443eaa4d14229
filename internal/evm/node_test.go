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

func TestTheURLOfANodeIsChecked(t *testing.T) {
	if _, err := NewNode("ftp://rpc.example", 1, time.Second); err == nil {
		t.Error("a URL that is not of a node is accepted")
	}
}

func TestAQuantityHasAtMost64Bits(t *testing.T) {
	if n, err := ParseQuantity("0xffffffffffffffff"); err != nil || n != 1<<64-1 {
		t.Errorf("%d, %v", n, err)
	}
	long := "0x" + fmt.Sprintf("%0100d", 0) + "z"
	for text, want := range map[string]string{
		"0x10000000000000000": `"0x10000000000000000" is not a quantity`,
		"15":                  `"15" is not a quantity`,
		long:                  fmt.Sprintf(`%q is not a quantity`, tocsin.Shorten(long, 40)),
	} {
		if _, err := ParseQuantity(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A node is asked nothing else until it has said that it is of the chain.
func TestTheChainOfANodeIsCheckedUntilItIsRight(t *testing.T) {
	var answer string
	var asked int
	n := nodeOf(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": 1, %s}`, answer)
	})
	for _, c := range []struct{ answer, want string }{
		{`"result": "0x1"`, "the node is of another chain: 1, not 8453"},
		{`"error": {"code": 7, "message": "no"}`, "eth_chainId: no (7)"},
		{`"result": "0x"`, `eth_chainId: "0x" is not a quantity`},
		{`"result": "0x2105"`, "<nil>"},
	} {
		asked, answer = 0, c.answer
		if err := n.CheckChain(t.Context()); fmt.Sprint(err) != c.want || asked != 1 {
			t.Errorf("%s: %v after %d calls, want %s", c.answer, err, asked, c.want)
		}
	}
	if err := n.CheckChain(t.Context()); err != nil || asked != 1 {
		t.Errorf("a node that is checked is asked again: %v", err)
	}
	any := &Node{client: n.client}
	answer = `"result": "zz"`
	_, err := any.Call(t.Context(), nil, nil)
	if want := `eth_call: "zz" is not data`; fmt.Sprint(err) != want || asked != 2 {
		t.Errorf("a node of any chain: %v after %d calls, want %s", err, asked-1, want)
	}
}
