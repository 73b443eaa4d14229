package evm

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// FuzzNode reads whatever a node answers: about a transaction, and about the address of a name, which is in the data of
// an error of CCIP-Read.
func FuzzNode(f *testing.F) {
	f.Add(`"0x2105"`)
	f.Add(`{"to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "input": "0xa9059cbb00", "blockNumber": "0x1"}`)
	f.Add(`"0x` + strings.Repeat("0", 62) + "40" + strings.Repeat("0", 63) + "1" + strings.Repeat("f", 64) + `"`)
	var answer atomic.Pointer[string]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		result := *answer.Load()
		if strings.Contains(string(body), "eth_chainId") {
			result = `"0x2105"`
		}
		fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": 1, "result": %s}`, result)
	}))
	f.Cleanup(server.Close)
	n, err := NewNode(server.URL, 8453, time.Minute)
	if err != nil {
		f.Fatal(err)
	}
	name, ok := ParseENSName("vitalik.eth")
	if !ok {
		f.Fatal("it is no name")
	}
	f.Fuzz(func(t *testing.T, text string) {
		answer.Store(&text)
		if where, err := n.Transaction(t.Context(), "0x"+strings.Repeat("1", 64)); err == nil && where == nil {
			return // it is not known
		}
		n.ResolveENS(t.Context(), name)
		ParseQuantity(text)
	})
}

// FuzzParseENSName normalizes names. What is normalized is so already.
func FuzzParseENSName(f *testing.F) {
	f.Add("Vitalik.ETH")
	f.Fuzz(func(t *testing.T, text string) {
		name, ok := ParseENSName(text)
		if !ok {
			return
		}
		if again, ok := ParseENSName(name.String()); !ok || again.String() != name.String() {
			t.Errorf("%q gives %q, which gives %q", text, name, again)
		}
	})
}
