package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tocsin/internal/evm"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

func x402HangAlways(w http.ResponseWriter, _ bool) bool { return x402test.Hang(w) }

// node answers as a node of Base does that knows of one used nonce.
type node struct {
	*httptest.Server
	state, time string // what authorizationState says, and the time of the newest block
	logs        string
	receipt     string
}

// word writes bytes as 32 of them.
func word(hex string) string { return "0x" + strings.Repeat("0", 64-len(hex)) + strings.ToLower(hex) }

func newNode(t *testing.T) *node {
	n := new(node)
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct{ Method string }
		json.NewDecoder(r.Body).Decode(&call)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`,
			map[string]string{"eth_chainId": `"0x2105"`, "eth_call": n.state, "eth_getLogs": n.logs,
				"eth_getTransactionReceipt": n.receipt,
				"eth_getBlockByNumber":      `{"number":"0xffff","timestamp":"` + n.time + `"}`}[call.Method])
	}))
	t.Cleanup(n.Close)
	return n
}

// TestTheChainTells asks a node, rather than believe that a payment that is
// spent was spent by us.
func TestTheChainTells(t *testing.T) {
	n := newNode(t)
	s := openShop(t, func(c *Config) {
		base, err := evm.NewNode(n.URL, 8453, tocsintest.Patience)
		if err != nil {
			t.Fatal(err)
		}
		c.Payments.Chains = map[string]Chain{x402.Base: x402.NewEVMChain(base)}
	})
	const path = "/screen/" + thief
	in := func(d time.Duration) string { return fmt.Sprintf("0x%x", s.Now().Add(d).Unix()) }
	now, later, end := in(0), in(time.Hour), x402.Timeout*time.Second // end: until when a payment is valid
	// keccak of the signatures of the events, as they stand in the log of USDC
	const usedEvent = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"
	const canceledEvent = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81"
	const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	used, unused := `"`+word("1")+`"`, `"`+word("0")+`"`
	logged := func(event string) string { return `[{"topics":["` + event + `"],"transactionHash":"0xfeed"}]` }
	paidTo := func(wallet, amount string) string {
		const usdc = `{"address":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913","data":`
		return `{"status":"0x1","logs":[` + usdc + `"0x","topics":["` + usedEvent + `","` +
			word(s.wallet.Address[2:]) + `","NONCE"]},` +
			usdc + `"` + word(amount) + `","topics":["` + transfer + `","` +
			word(s.wallet.Address[2:]) + `","` + word(wallet[2:]) + `"]}]}`
	}
	for _, c := range []struct{ about, state, time, logs, receipt, want string }{
		{"carried out", used, now, logged(usedEvent), paidTo(payTo, "2710"), "200 0xfeed"},
		{"another payment of the same transaction", used, now, logged(usedEvent), paidTo(payTo, "2710"),
			"402 payment_voided"},
		{"the nonce was used to pay somebody else", used, now, logged(usedEvent), paidTo(s.wallet.Address, "2710"),
			"402 payment_voided"},
		{"the nonce was used to pay less", used, now, logged(usedEvent), paidTo(payTo, "1"), "402 payment_voided"},
		{"reverted", used, now, logged(usedEvent), `{"status":"0x0","logs":[]}`, "504 "},
		{"cancelled", used, now, logged(canceledEvent), "", "402 payment_voided"},
		{"not carried out", unused, now, "[]", "", "504 "},
		{"a second is left", unused, in(end - time.Second), "[]", "", "504 "},
		{"no second is left", unused, in(end), "[]", "", "402 payment_voided"},
		{"run out", unused, later, "[]", "", "402 payment_voided"},
		{"too long ago", used, now, "[]", "", "504 "},
		{"no answer", "null", now, "[]", "", "504 "},
		{"an empty answer", `"0x"`, later, "[]", "", "504 "},
		{"no time", unused, "", "[]", "", "504 "},
	} {
		nonce := ""
		payment := s.sign("GET", path, func(p map[string]any, _ bool) {
			nonce = p["payload"].(map[string]any)["authorization"].(map[string]any)["nonce"].(string)
		})
		if c.about == "another payment of the same transaction" {
			nonce = "0x" + strings.Repeat("ab", 32)
		}
		s.facilitator.Do(func() {
			s.facilitator.Settling = x402HangAlways
			n.state, n.time, n.logs, n.receipt = c.state, c.time, c.logs, strings.Replace(c.receipt, "NONCE", nonce, 1)
		})
		a := s.paid(payment, "GET", path, nil)
		got := fmt.Sprint(a.status, " ")
		if a.status == 200 {
			got += fmt.Sprint(a.decoded(t, "PAYMENT-RESPONSE")["transaction"])
		} else if a.status == 402 {
			got += a.text("error")
		}
		want(t, c.about, got, c.want)
	}
	want(t, "moved", s.facilitator.Counts().Moved, 0)
}

func TestWhatTheFacilitatorWasSentBeforeIsNotPaid(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := s.sign("GET", path)
	s.facilitator.Do(func() { s.facilitator.Settling = x402HangAlways })
	s.waits("not in time", s.paid(payment, "GET", path, nil), 504, "facilitator_timeout")
	duplicate := x402test.Status(200, `{"success":false,"errorReason":"duplicate_settlement","transaction":""}`)
	s.facilitator.Do(func() { s.facilitator.Settling = func(w http.ResponseWriter, _ bool) bool { return duplicate(w) } })
	s.waits("sent before", s.paid(payment, "GET", path, nil), 503, "settlement_pending")
	want(t, "moved", s.facilitator.Counts().Moved, 0)
}

// TestWhatFailedOnTheChainIsNotPaidByBeingSpent is a payer who cancels his
// authorization just before the facilitator's transaction is mined.
func TestWhatFailedOnTheChainIsNotPaidByBeingSpent(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	for _, answer := range []string{`"errorReason":"invalid_exact_evm_transaction_failed","transaction":"0xdead"`,
		`"errorReason":"invalid_exact_evm_transaction_failed","transaction":""`,
		`"errorReason":"invalid_transaction_state","transaction":"0xdead"`} {
		payment := s.sign("GET", path)
		failed := x402test.Status(200, `{"success":false,`+answer+`}`)
		s.facilitator.Do(func() { s.facilitator.Settling = func(w http.ResponseWriter, _ bool) bool { return failed(w) } })
		before := s.facilitator.Counts().Settled
		s.waits(answer, s.paid(payment, "GET", path, nil), 503, "settlement_pending")
		want(t, "it is not asked once more: it has said what it knows", s.facilitator.Counts().Settled, before+1)
		spent := x402test.Status(200,
			`{"success":false,"errorReason":"invalid_exact_evm_nonce_already_used","transaction":""}`)
		s.facilitator.Do(func() { s.facilitator.Settling = func(w http.ResponseWriter, _ bool) bool { return spent(w) } })
		for range 3 {
			s.waits(answer+", then spent", s.paid(payment, "GET", path, nil), 503, "settlement_pending")
		}
	}
}
