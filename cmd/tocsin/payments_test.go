package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/evm"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"

// bought is the answer to a call with a payment.
type bought struct {
	status         int
	header         http.Header
	body, code     string
	receipt, price string
}

// pay calls a path with a payment, or without one for "".
func (s *server) pay(path, payment string) (b bought, err error) {
	r, err := http.NewRequest(http.MethodGet, s.url+base+path, nil)
	if err != nil {
		return b, err
	}
	if payment != "" {
		r.Header.Set("PAYMENT-SIGNATURE", payment)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return b, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	var problem struct{ Code string }
	json.Unmarshal(text, &problem)
	return bought{
		status:  res.StatusCode,
		header:  res.Header,
		body:    string(text),
		code:    problem.Code,
		receipt: res.Header.Get("PAYMENT-RESPONSE"),
		price:   res.Header.Get("PAYMENT-REQUIRED"),
	}, err
}

// TestKilledAroundTheSettlementNobodyLosesMoney kills the server at each step
// of a payment (SIGKILL: it can do nothing about it). The payer, who had no
// answer, asks the next one for it with the same payment, is answered, and has paid
// once. Only after a power loss, when not even the settlement is on record, the chain
// has to say that it was executed: without a node the payment stays open.
func TestKilledAroundTheSettlementNobodyLosesMoney(t *testing.T) {
	for _, step := range []string{
		"verify", "before the money moves", "after the money moved", "after the money moved, with the power",
	} {
		t.Run(step, func(t *testing.T) {
			m := newMachine(t)
			f := x402test.NewFacilitator()
			defer f.Close()
			flags := []string{"-pay-to", payTo, "-facilitator", f.URL}
			s := m.serve(flags...)
			path := "/screen/" + example
			if strings.HasSuffix(step, "power") { // of one that no list names, so that an erasure takes its name
				path = "/screen/" + address(1)
			}
			priced, err := s.pay(path, "")
			if err != nil {
				t.Fatal(err)
			}
			payment := x402test.NewWallet(time.Now).Pay(priced.price, nil)
			kill := func() { s.Process.Kill(); <-s.ended }
			f.Do(func() {
				f.Verifying = func(http.ResponseWriter) bool {
					if step == "verify" {
						kill()
					}
					return false
				}
				f.Settling = func(_ http.ResponseWriter, moved bool) bool {
					if moved == strings.HasPrefix(step, "after") && step != "verify" {
						kill()
						return !moved
					}
					return false
				}
			})
			if b, err := s.pay(path, payment); err == nil {
				t.Fatalf("answered %d by a server that was killed", b.status)
			}
			f.Do(func() { f.Verifying, f.Settling = nil, nil })
			if strings.HasSuffix(step, "power") { // all that is surely on disk is that it was claimed
				m.sqlite("tocsin.db", "UPDATE claim SET state = 'claimed', tries = 0, due = NULL, answer = NULL")
			}
			if step != "verify" { // as if the lease of who was killed had ended, which takes five seconds
				m.sqlite("tocsin.db", "UPDATE claim SET lease_until = 0")
			}
			s = m.serve(flags...)
			if strings.HasSuffix(step, "power") {
				b, err := s.pay(path, payment)
				if err != nil || b.status != 503 || b.code != "settlement_pending" || b.price != "" {
					t.Fatalf("after a power loss: %v, %d %s", err, b.status, b.body)
				}
				m.want("moved", f.Counts().Moved, 1)
				m.want("settling", strings.Count(m.must("payments", "-json"), `"state":"settling"`), 1)
				r := m.run("report", "erase", s.file("", "About the one that was paid for", address(1)), "-yes", "-reason",
					"a court order")
				m.want("what an erasure says of it", strings.Contains(r.err, "the URL of 1 payment that is not settled"), true)
				return
			}
			var b bought
			for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
				if b, err = s.pay(path, payment); err != nil || b.status == 200 {
					break
				}
				if b.status != 409 || b.header.Get("Retry-After") == "" {
					t.Fatalf("asked to wait with %d %s", b.status, b.body)
				}
			}
			receipt, _ := base64.StdEncoding.DecodeString(b.receipt)
			if err != nil || b.status != 200 || !strings.Contains(b.body, `"riskScore":100`) ||
				!strings.Contains(string(receipt), `"success":true`) {
				t.Fatalf("in the end: %v, %d %s, receipt %s", err, b.status, b.body, receipt)
			}
			m.want("moved", f.Counts().Moved, 1)
			m.soon("it is settled", func() bool {
				return strings.Count(m.must("payments", "-json"), `"state":"settled"`) == 1
			})
		})
	}
}

func TestKilledAfterTheMoneyMovedTheServerFindsOutByItself(t *testing.T) {
	m := newMachine(t)
	f := x402test.NewFacilitator()
	defer f.Close()
	flags := []string{"-pay-to", payTo, "-facilitator", f.URL}
	s := m.serve(flags...)
	priced, err := s.pay("/screen/"+example, "")
	if err != nil {
		t.Fatal(err)
	}
	var killed atomic.Bool
	f.Do(func() {
		f.Settling = func(_ http.ResponseWriter, moved bool) bool {
			if moved && !killed.Swap(true) {
				s.Process.Kill()
				<-s.ended
			}
			return false
		}
	})
	s.pay("/screen/"+example, x402test.NewWallet(time.Now).Pay(priced.price, nil))
	m.want("as the operator sees it", strings.Contains(m.must("payments"), "  settling  screenAddress  eip155:8453"), true)
	m.want("with what it means", strings.Contains(m.run("payments").err, "settling (1): sent, and how that ended is not "+
		"known. The server asks the facilitator again for two days"), true)
	m.sqlite("tocsin.db", "UPDATE claim SET lease_until = 0") // as if the lease of who was killed had ended
	s = m.serve(flags...)
	s.says(&s.err, `msg=payment id=reconciler outcome=settled`)
	m.want("as the operator sees it", strings.Contains(m.must("payments"), "  settled  "), true)
	m.want("moved", f.Counts().Moved, 1)
}

func TestTheOperatorSeesTheMoney(t *testing.T) {
	m := newMachine(t)
	m.must("key", "create")
	m.want("nobody has paid", m.must("payments"), "There are no payments.\n")
	m.want("nobody has paid", m.must("payments", "-json"), `{"payments":[],"takings":[],"unproven":[]}`+"\n")
	f := x402test.NewFacilitator()
	defer f.Close()
	s := m.serve("-pay-to", payTo, "-facilitator", f.URL)
	w := x402test.NewWallet(time.Now)
	for _, path := range []string{"/screen/" + example, "/screen/" + payTo, "/domains/check/evil.com"} {
		priced, err := s.pay(path, "")
		if err != nil {
			t.Fatal(err)
		}
		if b, err := s.pay(path, w.Pay(priced.price, nil)); err != nil || b.status != 200 {
			t.Fatalf("%v %d %s", err, b.status, b.body)
		}
	}
	m.soon("the reason is shown", func() bool { // once the settlements are recorded
		m.sqlite("tocsin.db", "PRAGMA busy_timeout = 60000; "+
			"UPDATE claim SET reason = 'it was slow' WHERE operation = 'checkDomain'")
		return strings.Count(m.must("payments"), " (it was slow)\n") == 1
	})
	m.sqlite("tocsin.db", "PRAGMA busy_timeout = 60000; INSERT INTO claim (id, request, payload, state, lease_token, "+
		"lease_until, operation, network, asset, amount, payer, pay_to, created, updated) SELECT x'0100000000000000', "+
		"request, payload, state, 0, 0, operation, network, asset, 400000, payer, pay_to, created, updated FROM claim "+
		"LIMIT 1")
	out := m.must("payments", "-since", "1h")
	today := regexp.MustCompile(`\d{4}-\d\d-\d\d`).FindString(out) // the server has its own clock
	for _, line := range []string{
		today + "  eip155:8453  checkDomain    1         0.010000  0x833589",
		today + "  eip155:8453  screenAddress  2         0.020000",
		"total                                   3         0.030000  0x833589",
		"unproven                                1         0.400000  0x833589",
		"(settled without a transaction; in no total)",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("%q is not in\n%s", line, out)
		}
	}
	var told struct {
		Payments []struct{ State, Payer, Transaction, PayTo string }
		Takings  []struct{ Amount int }
		Unproven []struct{ Payments, Amount int }
	}
	if err := json.Unmarshal([]byte(m.must("payments", "-json", "-since", today)), &told); err != nil {
		t.Fatal(err)
	}
	m.want("payments, takings and those without a transaction",
		[]any{len(told.Payments), len(told.Takings), fmt.Sprint(told.Unproven)}, []any{4, 2, "[{1 400000}]"})
	first := told.Payments[0]
	m.want("payer, wallet, length of the transaction",
		[]any{strings.EqualFold(first.Payer, w.Address), first.PayTo, len(first.Transaction)}, []any{true, payTo, 66})
	tomorrow := time.Now().Add(48 * time.Hour).Format(time.RFC3339)
	m.want("none since tomorrow", m.must("payments", "-json", "-since", tomorrow),
		`{"payments":[],"takings":[],"unproven":[]}`+"\n")
	m.want("in words", strings.HasPrefix(m.must("payments", "-since", tomorrow), "There are no payments since 20"), true)
	m.fails(exitUsage, "-since \"soon\" is neither a date", "payments", "-since", "soon")

	// One that stayed open, and one without a transaction, are ended by hand.
	m.sqlite("tocsin.db", "PRAGMA busy_timeout = 60000; UPDATE claim SET state = 'settling', tx_hash = NULL, "+
		"created = created - 172800000000 WHERE operation = 'checkDomain'; "+
		"UPDATE claim SET created = created - 172800000000 WHERE state = 'settled'") // which is old, and not open
	r := m.run("payments")
	m.want("what to do", regexp.MustCompile(`settling for over two days \(1\): the server asks no more\. .*-not-paid`).
		MatchString(r.err), true)
	name := regexp.MustCompile(`(pay_[0-9a-f]{16})  \S+  settling `).FindStringSubmatch(r.out)[1]
	hash := "0x" + strings.Repeat("AB", 32)
	m.fails(exitUsage, "say why with -reason", "payment", "close", "-not-paid", name)
	m.fails(exitUsage, "say either", "payment", "close", "-reason", "x", name)
	m.fails(exitUsage, "say either", "payment", "close", "-reason", "x", "-not-paid", "-transaction", hash, name)
	m.fails(exitUsage, "not the hash of a transaction", "payment", "close", "-reason", "x", "-transaction", "0x12", name)
	m.fails(exitUsage, "name one payment", "payment", "close", "-reason", "x", "-transaction", hash)
	out = m.must("payment", "close", "-reason", "not in the wallet", "-operator", "ann", "-not-paid", name)
	m.want("what it says", strings.HasPrefix(out, "closed "+name+", 0.010000 of 0x") &&
		strings.HasSuffix(out, " on eip155:8453: not paid, and deleted\n"), true)
	out = m.must("payment", "close", "-reason", "found", "-transaction", hash, "pay_0100000000000000")
	m.want("what it says", strings.HasSuffix(out, ": paid in "+strings.ToLower(hash)+"\n"), true)
	out = m.must("payments")
	m.want("in the totals", strings.Contains(out, "0.420000") && !strings.Contains(out, "unproven"), true)
	m.want("the log", regexp.MustCompile(`ann +payment close +`+name+`: not paid +not in the wallet\n`).
		MatchString(m.must("log")), true)
}

// TestAmountsOfTwoTokensAreNotAdded: each has a line, in the order of their names.
func TestAmountsOfTwoTokensAreNotAdded(t *testing.T) {
	var out strings.Builder
	printTotals(&out, "total", []store.Revenue{{Asset: "b", Payments: 1, Amount: 10_000},
		{Asset: "a", Payments: 2, Amount: 1_400_000}, {Asset: "b", Payments: 3, Amount: 1}}, " (note)")
	tocsintest.Want(t, "totals", out.String(), "total\t\t\t2\t1.400000\ta (note)\ntotal\t\t\t4\t0.010001\tb (note)\n")
}

func TestItRefusesToBePaidWrongly(t *testing.T) {
	m := newMachine(t)
	ready := []string{"serve", "-listen", "127.0.0.1:0", "-facilitator", "http://127.0.0.1:1"}
	for complaint, flags := range map[string][]string{
		"-pay-to: .*39":                        {"-pay-to", payTo[:41]},
		"-pay-to: .*checksum":                  {"-pay-to", strings.Replace(payTo, "Bc6a", "bc6a", 1)},
		"-pay-to: .*zero address":              {"-pay-to", "0x0000000000000000000000000000000000000000"},
		"-pay-to: .*not an EVM":                {"-pay-to", "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5"},
		"-pay-to-solana: ":                     {"-pay-to-solana", payTo},
		`network "base" is not known`:          {"-pay-to", payTo, "-network", "base"},
		"-pay-to-solana needs none":            {"-pay-to", payTo, "-network", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"},
		"asset: ":                              {"-pay-to", payTo, "-asset", "USDC"},
		"-facilitator: .*not like":             {"-pay-to", payTo, "-facilitator", "facilitator.example"},
		"-facilitator-timeout 0s":              {"-pay-to", payTo, "-facilitator-timeout", "0"},
		"-pay-to: .*the token itself":          {"-pay-to", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"},
		`-network, -asset: network "nonsense"`: {"-network", "nonsense"},
		"-rpc-url-solana: .*like":              {"-pay-to", payTo, "-rpc-url-solana", "localhost"},
		"-rpc-url: .*like":                     {"-pay-to", payTo, "-rpc-url", "localhost"},
	} {
		m.fails(exitUsage, complaint, append(ready, flags...)...)
	}
	m.fails(exitUsage, "name a facilitator", "serve", "-pay-to", payTo)
	m.fails(exitUsage, "name a facilitator", "serve", "-pay-to-solana", "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5")
	m.with("CDP_API_KEY_ID=x").fails(exitUsage, "CDP_API_KEY_SECRET is empty", "serve", "-pay-to", payTo)
	m.with("CDP_API_KEY_SECRET=x").fails(exitUsage, "CDP_API_KEY_ID is empty", "serve", "-pay-to", payTo)
	m.with("CDP_API_KEY_ID=x", "CDP_API_KEY_SECRET=not base64!").
		fails(exitUsage, "CDP_API_KEY_SECRET is neither", "serve", "-pay-to", payTo)
	s := m.with("TOCSIN_PAY_TO="+strings.ToLower(payTo), "TOCSIN_NETWORK=eip155:84532",
		"TOCSIN_FACILITATOR=http://127.0.0.1:1", "TOCSIN_FACILITATOR_TIMEOUT=5s").serve()
	s.says(&s.err, `level=INFO msg="payments are on" network=eip155:84532 asset=0x036CbD\w+ payTo=`+payTo+
		` facilitator=http://127.0.0.1:1\n`)
	m.want("payments are on", strings.Contains(s.err.String(), "payments are off"), false)
	s.says(&s.err, `msg="no node for this network .* may stay unresolved" network=eip155:84532`)
	b, err := s.pay("/screen/"+example, "") // with a facilitator that is down
	text, _ := base64.StdEncoding.DecodeString(b.price)
	const offer = `"network":"eip155:84532","amount":"10000",` +
		`"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","payTo":"` + payTo + `"`
	if err != nil || b.status != 402 || !strings.Contains(string(text), offer) {
		t.Errorf("%v %d %s", err, b.status, text)
	}
}

func TestEachNodeIsAskedAboutTheNetworkOfItsWallet(t *testing.T) {
	for network, solana := range map[string]string{x402.Base: x402.Solana, x402.BaseSepolia: x402.SolanaDevnet} {
		const nowhere = "http://127.0.0.1:1"
		f := paymentFlags{
			payTo: payTo, payToSolana: "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5", network: network,
			facilitator: nowhere, facilitatorTimeout: time.Second, rpcURLSolana: nowhere,
		}
		node, err := evm.NewNode(nowhere, 0, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.payments(func(string) (string, bool) { return "", false }, node)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Accounts) != 2 || p.Accounts[0].ID != network || p.Accounts[1].ID != solana {
			t.Errorf("%s: the wallets are %+v", network, p.Accounts)
		}
		if len(p.Chains) != 2 || p.Chains[network] == nil || p.Chains[solana] == nil {
			t.Errorf("%s: the nodes are of %v", network, slices.Sorted(maps.Keys(p.Chains)))
		}
	}
}
