package evm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestWhereATransactionLeads: to its receiver, or to that of the token that it moves.
func TestWhereATransactionLeads(t *testing.T) {
	const (
		contract = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
		payee    = "000000000000000000000000d8da6bf26964af9d7eed9e03e53415d37aa96045"
		payer    = "0000000000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
		receiver = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
		amount   = "0000000000000000000000000000000000000000000000000000000000000001"
	)
	answer := ""
	n := nodeOf(t, func(w http.ResponseWriter, r *http.Request) {
		var call struct{ Method string }
		if json.NewDecoder(r.Body).Decode(&call); call.Method == "eth_chainId" {
			fmt.Fprint(w, `{"jsonrpc": "2.0", "id": 1, "result": "0x2105"}`)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": 1, "result": %s}`, answer)
	})
	sent := func(to, input, block string) string {
		return fmt.Sprintf(`{"to": %s, "input": %q, "blockNumber": %s}`, to, input, block)
	}
	for _, c := range []struct{ about, answer, want string }{
		{"a payment", sent(`"`+contract+`"`, "0x", `"0x1"`), contract + " token false, called false, mined true"},
		{"not in a block yet", sent(`"`+contract+`"`, "0x", "null"), contract + " token false, called false, mined false"},
		{"a token", sent(`"`+contract+`"`, "0xa9059cbb"+payee+amount, `"0x1"`),
			receiver + " token true, called false, mined true"},
		{"a token of another", sent(`"`+contract+`"`, "0x23b872dd"+payer+payee+amount, `"0x1"`),
			receiver + " token true, called false, mined true"},
		{"a transfer without an amount", sent(`"`+contract+`"`, "0xa9059cbb"+payee+amount[2:], `"0x1"`),
			contract + " token false, called true, mined true"},
		{"nothing but the name of a function", sent(`"`+contract+`"`, "0xa9059cbb", `"0x1"`),
			contract + " token false, called true, mined true"},
		{"fewer bytes than a name has", sent(`"`+contract+`"`, "0xa9059c", `"0x1"`),
			contract + " token false, called false, mined true"},
		{"a new contract", sent("null", "0x6000", `"0x1"`), "nothing"},
		{"an unknown one", "null", "nothing"},
		{"no address", sent(`"0x12"`, "0x", `"0x1"`), "is not an address"},
		{"no data", sent(`"`+contract+`"`, "0xg", `"0x1"`), "is not data"},
	} {
		answer = c.answer
		got := "nothing"
		if found, err := n.Transaction(t.Context(), "0x"+strings.Repeat("a", 64)); err != nil {
			got = err.Error()
		} else if found != nil {
			got = fmt.Sprintf("%s token %t, called %t, mined %t", found.To, found.Token, found.Called, found.Mined)
		}
		if !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.about, got, c.want)
		}
	}
}
