package x402

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/internal/evm"
)

// evmNode imitates a node of an EVM network.
type evmNode struct {
	answers  map[string]string // the results by method
	requests []string
}

func (n *evmNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var in struct {
		Method string
		Params json.RawMessage
	}
	json.Unmarshal(body, &in)
	n.requests = append(n.requests, in.Method+" "+string(in.Params))
	if n.answers[in.Method] == "" {
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy"}}`)
		return
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`, n.answers[in.Method])
}

// The topics of the events of EIP-3009 and EIP-20, and the beginning of a call of authorizationState, as they
// are on the chain.
const (
	usedTopic     = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"
	canceledTopic = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81"
	transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	stateSelector = "0xe94a0102"
)

// TestStateOnAnEVMNetwork asks a node about the payment that viem has signed.
func TestStateOnAnEVMNetwork(t *testing.T) {
	p, err := Decode(header(signedByViem(t)))
	if err != nil {
		t.Fatal(err)
	}
	account, err := networks[Base].Account("0x209693bc6afc0c5328ba36faf03c514ef312287c")
	if err != nil {
		t.Fatal(err)
	}
	order := p.Order(account.Requirements("10000", ""), Resource{}, nil)
	a := p.payload.(*authorization)
	word := func(b []byte) string { return hex.EncodeToString(append(make([]byte, 32-len(b)), b...)) }
	from, to, nonce := word(a.from[:]), word(a.to[:]), hex.EncodeToString(a.nonce[:])
	log := func(asset, data string, topics ...string) string {
		return fmt.Sprintf(`{"address":%q,"data":%q,"topics":["%s"],"transactionHash":"0xfeed"}`,
			asset, data, strings.Join(topics, `","`))
	}
	usdc, token := networks[Base].Asset, "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	used := log(strings.ToLower(usdc), "0x", usedTopic, "0x"+from, "0x"+nonce)
	paid := log(usdc, "0x"+word(big.NewInt(10000).Bytes()), transferTopic, "0x"+from, "0x"+to)
	receipt := func(status string, logs ...string) string {
		return fmt.Sprintf(`{"status":%q,"logs":[%s]}`, status, strings.Join(logs, ","))
	}
	head := func(number int, seconds *big.Int) string {
		return fmt.Sprintf(`{"number":"0x%x","timestamp":"0x%x"}`, number, seconds)
	}
	end, early := a.validBefore, new(big.Int).Sub(a.validBefore, big.NewInt(1))
	yes, no := `"0x`+word([]byte{1})+`"`, `"0x`+word(nil)+`"`
	for about, c := range map[string]struct {
		head, state, logs, receipt string
		want                       ChainState
		failed                     bool
	}{
		"executed": {receipt: receipt("0x1", used, paid), want: Executed},
		"executed, among other logs": {
			receipt: receipt("0x1", paid, log(token, "0x", "0x1"), used, paid), want: Executed,
		},
		"another token's log between": {
			receipt: receipt("0x1", used, log(token, "0x", "0x1", "0x2", "0x3"), paid), want: Executed,
		},
		"the transfer came first": {receipt: receipt("0x1", paid, used), want: Void},
		"another token moved": {
			receipt: receipt("0x1", used, strings.Replace(paid, usdc, token, 1)), want: Void,
		},
		"another amount moved": {
			receipt: receipt("0x1", used, strings.Replace(paid, "2710", "2711", 1)), want: Void,
		},
		"to another wallet": {
			receipt: receipt("0x1", used, strings.ReplaceAll(paid, to, from)), want: Void,
		},
		"another event between": {
			receipt: receipt("0x1", used, log(usdc, "0x", "0x1", "0x2", "0x3"), paid), want: Void,
		},
		"an event of two topics between": {
			receipt: receipt("0x1", used, log(usdc, "0x", "0x1", "0x2"), paid), want: Executed,
		},
		"nothing moved": {receipt: receipt("0x1"), want: Void},
		"canceled": {
			logs: "[" + log(usdc, "0x", canceledTopic, "0x"+from, "0x"+nonce) + "]", want: Void,
		},
		"a log without topics":            {logs: `[{"transactionHash":"0xfeed"}]`, want: Void},
		"unused":                          {state: no, want: Unspent},
		"unused, a second before the end": {head: head(0x10000, early), state: no, want: Unspent},
		"unused at the end":               {head: head(0x10000, end), state: no, want: Void},
		"executed, and over since":        {head: head(0x10000, end), want: Executed},
		"used long ago":                   {logs: "[]", want: Unknown},
		"reverted":                        {receipt: receipt("0x0", used, paid), failed: true},
		"no receipt":                      {receipt: "null", failed: true},
		"no hash of a transaction": {
			logs: strings.Replace("["+used+"]", "0xfeed", "no hash", 1), failed: true,
		},
		"no receipt can be had":      {receipt: "none", failed: true},
		"no logs can be had":         {logs: "none", failed: true},
		"no state can be had":        {state: "none", failed: true},
		"a state that is no boolean": {state: `"0x` + word([]byte{2}) + `"`, failed: true},
		"a state that is too short":  {state: `"0x` + word(nil)[2:] + `"`, failed: true},
		"no block can be had":        {head: "none", failed: true},
		"a block without a time":     {head: `{"number":"0x10000"}`, failed: true},
		"a block without a number":   {head: `{"timestamp":"0x1"}`, failed: true},
	} {
		node := &evmNode{answers: map[string]string{
			"eth_getBlockByNumber": head(0x10000, big.NewInt(then.Unix())), "eth_call": yes, "eth_getLogs": "[" + used + "]",
			"eth_getTransactionReceipt": receipt("0x1", used, paid),
		}}
		for method, answer := range map[string]string{"eth_getBlockByNumber": c.head, "eth_call": c.state,
			"eth_getLogs": c.logs, "eth_getTransactionReceipt": c.receipt} {
			if answer != "" {
				node.answers[method] = strings.TrimPrefix(answer, "none")
			}
		}
		server := httptest.NewServer(node)
		client, err := evm.NewNode(server.URL, 0, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		state, transaction, err := NewEVMChain(client).State(t.Context(), order)
		server.Close()
		hash := map[bool]string{true: "0xfeed"}[c.want == Executed]
		if state != c.want || transaction != hash || (err != nil) != c.failed {
			t.Errorf("%s: %v, %q, %v", about, state, transaction, err)
		}
		if about != "executed" {
			continue
		}
		asked := []string{
			`eth_getBlockByNumber ["latest",false]`,
			fmt.Sprintf(`eth_call [{"data":"%s%s%s","to":%q},"latest"]`, stateSelector, from, nonce, usdc),
			fmt.Sprintf(`eth_getLogs [{"address":%q,"fromBlock":"0x%x","toBlock":"latest",`+
				`"topics":[["%s","%s"],"0x%s","0x%s"]}]`, usdc, 0x10000-9000, usedTopic, canceledTopic, from, nonce),
			`eth_getTransactionReceipt ["0xfeed"]`,
		}
		if !slices.Equal(node.requests, asked) {
			t.Errorf("asked %s,\nnot %s", node.requests, asked)
		}
	}
	solana := solanaOrder(Solana, newDraft(t).String())
	for about, order := range map[string][]byte{"no order": []byte("{"), "no payment": []byte("{}"), "of Solana": solana,
		"of no token": bytes.ReplaceAll(order, []byte(usdc), []byte("0x12"))} {
		state, _, err := NewEVMChain(nil).State(t.Context(), order)
		if state != Unknown || (err == nil) != (about == "of Solana") {
			t.Errorf("%s: %v, %v", about, state, err)
		}
	}
}
