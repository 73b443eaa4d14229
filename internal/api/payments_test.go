package api

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tocsin"
	"tocsin/internal/evm"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

const (
	payTo       = tocsintest.PayTo
	payToSolana = tocsintest.PayToSolana
	feePayer    = tocsintest.FeePayer
)

// shop is a service that takes payments, its facilitator, and a wallet that pays.
type shop struct {
	*service
	facilitator *x402test.Facilitator
	wallet      *x402test.Wallet
}

func openShop(t *testing.T, change ...func(*Config)) *shop {
	t.Helper()
	s := &shop{service: &service{t: t}}
	s.wallet = x402test.NewWallet(s.Now)
	payments := Payments{Accounts: []x402.Account{tocsintest.PayAccount(t, x402.Base, payTo), tocsintest.PayAccount(t, x402.Solana, payToSolana)}}
	s.facilitator, payments.Facilitator = tocsintest.Facilitator(t, &s.Clock)
	startService(s.service, append([]func(*Config){func(c *Config) { c.Payments = payments }}, change...)...)
	return s
}

// paid sends a request with a payment.
func (s *shop) paid(payment, method, path string, body any, headers ...string) *answer {
	s.t.Helper()
	return s.do(method, path, body, append(headers, "PAYMENT-SIGNATURE: "+payment)...)
}

// sign asks for the price of a request and pays it.
func (s *shop) sign(method, path string, change ...func(payment map[string]any, signed bool)) string {
	s.t.Helper()
	var body any
	if method == "POST" {
		body = map[string]any{}
	}
	a := s.do(method, path, body)
	if a.status != 402 {
		s.t.Fatalf("%s %s without a payment: %d %s", method, path, a.status, a.raw)
	}
	var do func(map[string]any, bool)
	if len(change) > 0 {
		do = change[0]
	}
	return s.wallet.Pay(a.header.Get("PAYMENT-REQUIRED"), do)
}

func (s *shop) counts(about string, verified, settled, moved int) {
	s.t.Helper()
	want(s.t, about+": verified, settled, moved", s.facilitator.Counts(), fmt.Sprintf("{%d %d %d}", verified, settled, moved))
}

func (a *answer) decoded(t *testing.T, header string) (facts map[string]any) {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(a.header.Get(header))
	if err != nil || json.Unmarshal(text, &facts) != nil {
		t.Errorf("%s is %q (%d %s)", header, a.header.Get(header), a.status, a.raw)
	}
	return facts
}

// served checks an answer that was paid for.
func (s *shop) served(about string, a *answer) {
	s.t.Helper()
	if a.status != 200 {
		s.t.Fatalf("%s: %d %s", about, a.status, a.raw)
	}
	receipt := a.decoded(s.t, "PAYMENT-RESPONSE")
	want(s.t, about+": receipt", []any{receipt["success"], strings.ToLower(fmt.Sprint(receipt["payer"])), receipt["network"]}, []any{true, s.wallet.Address, "eip155:8453"})
}

// refusedFor checks a 402 that says why.
func (s *shop) refusedFor(about, reason string, a *answer) {
	s.t.Helper()
	if a.status != 402 || a.text("error") != reason || a.text("code") != "payment_refused" || a.count("accepts") == 0 || a.decoded(s.t, "PAYMENT-REQUIRED")["error"] != reason {
		s.t.Errorf("%s: %d %s, want the reason %s", about, a.status, a.raw, reason)
	}
}

// waits checks an answer that asks to come again with the same payment.
func (s *shop) waits(about string, a *answer, status int, code string) {
	s.t.Helper()
	want(s.t, about, []any{a.status, a.text("code"), a.header.Get("Retry-After"), a.header.Get("PAYMENT-REQUIRED")}, []any{status, code, 1, ""})
}

func TestAPaidCallIsVerifiedRunSettledAndAnswered(t *testing.T) {
	s := openShop(t)
	for path, amount := range map[string]string{"GET /screen/" + thief: "10000", "GET /community-reports?limit=1": "10000", "POST /check": "400000"} {
		before := s.facilitator.Counts()
		method, path, _ := strings.Cut(path, " ")
		var body any
		if method == "POST" {
			body = map[string]any{"addresses": []string{thief}}
		}
		a := s.do(method, path, body)
		want(t, path, []any{a.status, a.text("accepts.0.amount"), a.header.Get("Cache-Control"), s.facilitator.Counts()}, []any{402, amount, "no-store", before})
		paid := s.paid(s.wallet.Pay(a.header.Get("PAYMENT-REQUIRED"), nil), method, path, body)
		s.served(path, paid)
		s.counts(path, before.Verified+1, before.Settled+1, before.Moved+1)
	}
	s.served("X-Payment", s.get("/screen/"+thief, "X-Payment: "+s.sign("GET", "/screen/"+thief)))
	p := s.sign("GET", "/screen/"+thief)
	s.served("both", s.get("/screen/"+thief, "X-Payment: "+p, "PAYMENT-SIGNATURE: "+p))
	s.served("no padding", s.paid(strings.TrimRight(s.sign("GET", "/screen/"+thief), "="), "GET", "/screen/"+thief, nil))
}

func TestAPaymentThatCannotBeReadIsA400(t *testing.T) {
	s := openShop(t)
	whole := s.sign("GET", "/screen/"+thief)
	altered := func(change func(map[string]any)) string {
		return s.sign("GET", "/screen/"+thief, func(p map[string]any, signed bool) {
			if signed {
				change(p)
			}
		})
	}
	at := func(path string, value any) string {
		return altered(func(p map[string]any) {
			steps := strings.Split(path, ".")
			for _, step := range steps[:len(steps)-1] {
				p = p[step].(map[string]any)
			}
			if p[steps[len(steps)-1]] = value; value == nil {
				delete(p, steps[len(steps)-1])
			}
		})
	}
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	text, _ := base64.StdEncoding.DecodeString(whole)
	cases := map[string]string{
		"garbage": "garbage!", "plain JSON": string(text), "base64url": strings.NewReplacer("+", "-", "/", "_").Replace(encode("{\"a\":\"\xff\xfe>>>???\"}")),
		"array": encode("[]"), "object": encode("{}"), "null": encode("null"), "number": encode("5"), "not JSON": encode("x402"), "two values": encode(string(text) + "{}"),
		"a name twice": encode(strings.Replace(string(text), `"x402Version":2`, `"x402Version":2,"x402Version":2`, 1)),
		"other case":   encode(strings.Replace(string(text), `"nonce":"0x`, `"Nonce":"0x`, 1)),
		"too long":     encode(strings.Repeat(" ", maxBody)),
		"version gone": at("x402Version", nil), "version 1": at("x402Version", 1), "version 3": at("x402Version", 3), "version in a string": at("x402Version", "2"),
		"accepted gone": at("accepted", nil), "payload gone": at("payload", nil), "payload a text": at("payload", "x"), "payload empty": at("payload", map[string]any{}),
		"authorization gone": at("payload.authorization", nil), "signature gone": at("payload.signature", nil), "signature short": at("payload.signature", "0x1234"),
		"value in words": at("payload.authorization.value", "ten"), "value a number": at("payload.authorization.value", 10000), "value negative": at("payload.authorization.value", "-10000"),
		"nonce short": at("payload.authorization.nonce", "0x12"), "from nobody": at("payload.authorization.from", "me"), "validBefore gone": at("payload.authorization.validBefore", nil),
		"id short": at("extensions", map[string]any{"payment-identifier": map[string]any{"info": map[string]any{"id": "short"}}}),
		"solana":   at("accepted.network", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"),
	}
	for about, payment := range cases {
		if len(payment) > 30_000 {
			payment = payment[:30_000] // what net/http lets through
		}
		if a := s.paid(payment, "GET", "/screen/"+thief, nil); a.status != 400 || a.text("code") != "invalid_payment" || a.text("detail") == "" {
			t.Errorf("%s: %d %s", about, a.status, a.raw)
		}
	}
	other := s.sign("GET", "/screen/"+thief)
	want(t, "two that differ", s.get("/screen/"+thief, "X-Payment: "+other, "PAYMENT-SIGNATURE: "+whole).status, 400)
	want(t, "a header twice", s.get("/screen/"+thief, "PAYMENT-SIGNATURE: "+whole, "PAYMENT-SIGNATURE: "+whole).status, 400)
	want(t, "an empty header", s.get("/screen/"+thief, "PAYMENT-SIGNATURE: ").text("code"), "payment_required")
	s.counts("the facilitator was not asked", 0, 0, 0)
	s.served("whole", s.paid(whole, "GET", "/screen/"+thief, nil))
}

func TestAPaymentThatDoesNotPayThePriceIsRefusedHere(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	accepted := func(field string, value any) string {
		return s.sign("GET", path, func(p map[string]any, signed bool) {
			if signed {
				p["accepted"].(map[string]any)[field] = value
			}
		})
	}
	const none = "No matching payment requirements"
	for field, value := range map[string]any{"amount": "1", "payTo": s.wallet.Address, "asset": payTo, "network": "eip155:1", "scheme": "upto"} {
		s.refusedFor(field, none, s.paid(accepted(field, value), "GET", path, nil))
	}
	s.refusedFor("v1 name of the network", none, s.paid(accepted("network", "base"), "GET", path, nil))
	s.refusedFor("cheap on dear", none, s.paid(s.sign("GET", path), "POST", "/check", map[string]any{"addresses": []string{thief}}))
	s.refusedFor("dear on cheap", none, s.paid(s.sign("POST", "/check"), "GET", path, nil))

	authorized := func(field, value string) string {
		return s.sign("GET", path, func(p map[string]any, signed bool) {
			if !signed {
				p["payload"].(map[string]any)["authorization"].(map[string]any)[field] = value
			}
		})
	}
	in := func(d time.Duration) string { return fmt.Sprint(s.Now().Add(d).Unix()) }
	s.refusedFor("too little", "invalid_exact_evm_payload_authorization_value_mismatch", s.paid(authorized("value", "9999"), "GET", path, nil))
	s.refusedFor("too much", "invalid_exact_evm_payload_authorization_value_mismatch", s.paid(authorized("value", "10001"), "GET", path, nil))
	s.refusedFor("to another", "invalid_exact_evm_recipient_mismatch", s.paid(authorized("to", s.wallet.Address), "GET", path, nil))
	s.refusedFor("expired", "invalid_exact_evm_payload_authorization_valid_before", s.paid(authorized("validBefore", in(-time.Minute)), "GET", path, nil))
	s.refusedFor("about to expire", "invalid_exact_evm_payload_authorization_valid_before", s.paid(authorized("validBefore", in(4*time.Second)), "GET", path, nil))
	s.refusedFor("not valid yet", "invalid_exact_evm_payload_authorization_valid_after", s.paid(authorized("validAfter", in(time.Minute)), "GET", path, nil))
	s.counts("the facilitator was not asked", 0, 0, 0)

	s.facilitator.Do(func() {
		s.facilitator.Verifying = x402test.Status(200, `{"isValid":false,"invalidReason":"invalid_exact_evm_insufficient_balance"}`)
	})
	payment := s.sign("GET", path)
	a := s.paid(payment, "GET", path, nil)
	s.refusedFor("poor", "invalid_exact_evm_insufficient_balance", a)
	want(t, "in words", strings.Contains(a.text("detail"), "too little"), true)
	s.facilitator.Do(func() { s.facilitator.Verifying = nil })
	s.served("rich by now, lower-case addresses", s.paid(payment, "GET", path, nil))
	lower := s.sign("GET", path, func(p map[string]any, signed bool) {
		a := p["accepted"].(map[string]any)
		a["payTo"], a["asset"] = strings.ToLower(a["payTo"].(string)), strings.ToLower(a["asset"].(string))
	})
	s.served("addresses are compared without case", s.paid(lower, "GET", path, nil))
}

func TestOnePaymentPaysForOneRequest(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := s.sign("GET", path)
	first := s.paid(payment, "GET", path+"?limit=5&cursor=", nil)
	want(t, "a fault of the input costs nothing", []any{first.status, first.header.Get("PAYMENT-RESPONSE")}, []any{400, ""})
	first = s.paid(payment, "GET", path+"?limit=5", nil)
	s.served("first", first)
	s.counts("first", 1, 1, 1)
	s.Sleep(10 * time.Minute) // the authorization has expired, the answer has not
	for range 3 {
		again := s.paid(payment, "GET", path+"?limit=5", nil)
		s.served("again", again)
		want(t, "the same answer and receipt", []string{string(again.raw), again.header.Get("PAYMENT-RESPONSE")}, []string{string(first.raw), first.header.Get("PAYMENT-RESPONSE")})
	}
	for _, other := range []string{path, path + "?limit=6", "/screen/" + payTo, "/domains/check/evil.com"} {
		s.refusedFor(other, "payment_already_used", s.paid(payment, "GET", other, nil))
	}
	s.counts("in the end", 1, 1, 1)
	s.Sleep(time.Hour)
	if err := s.db.PruneClaims(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.refusedFor("long after", "payment_already_used", s.paid(payment, "GET", path+"?limit=5", nil))

	batch := func(addresses ...string) map[string]any { return map[string]any{"addresses": addresses} }
	payment = s.sign("POST", "/check")
	s.served("a batch", s.paid(payment, "POST", "/check", batch(thief)))
	s.refusedFor("another batch", "payment_already_used", s.paid(payment, "POST", "/check", batch(payTo)))
	s.served("the same batch", s.paid(payment, "POST", "/check", batch(thief)))
	s.counts("batches", 2, 2, 2)
}

func TestTwentyAtOncePayOnce(t *testing.T) {
	s := openShop(t)
	const calls = 20
	for about, paths := range map[string][]string{"one request": {"/screen/" + thief}, "two requests": {"/screen/" + thief, "/screen/" + payTo}} {
		payment := s.sign("GET", "/screen/"+thief)
		before := s.facilitator.Counts()
		var others, all sync.WaitGroup
		others.Add(calls - 1)
		s.facilitator.Do(func() { // the first is verified when all others have their answers
			s.facilitator.Verifying = func(http.ResponseWriter) bool { others.Wait(); return false }
		})
		var served, waiting, used atomic.Int32
		for i := range calls {
			all.Go(func() {
				switch a := s.paid(payment, "GET", paths[i%len(paths)], nil); {
				case a.status == 200:
					served.Add(1)
					return
				case a.status == 409 && a.header.Get("Retry-After") == "1" && a.text("code") == "payment_in_progress":
					waiting.Add(1)
				case a.status == 402 && a.text("error") == "payment_already_used" && len(paths) > 1:
					used.Add(1)
				default:
					t.Errorf("%s: %d %s", about, a.status, a.raw)
				}
				others.Done()
			})
		}
		all.Wait()
		elsewhere := calls - calls/len(paths)
		want(t, about, []any{served.Load(), waiting.Load(), used.Load()}, []any{1, calls - 1 - elsewhere, elsewhere})
		s.counts(about, before.Verified+1, before.Settled+1, before.Moved+1)
	}
}

// TestTroubleWithTheFacilitatorCostsNobody breaks each call of the facilitator
// in each way. No answer makes a client sign again; and the same payment, sent
// again when all is well, is answered and moved once.
func TestTroubleWithTheFacilitatorCostsNobody(t *testing.T) {
	faults := map[string]func(http.ResponseWriter) bool{
		"500": x402test.Status(500, `{"error":"x"}`), "503": x402test.Status(503, ""), "429": x402test.Status(429, "slow down"), "400": x402test.Status(400, `{"errorType":"bad"}`),
		"not JSON": x402test.Status(200, "<html>"), "empty": x402test.Status(200, ""), "wrong shape": x402test.Status(200, `{"ok":true}`), "array": x402test.Status(200, `[]`),
		"redirect": x402test.Status(302, ""), "reset": x402test.Reset, "hangs": x402test.Hang, "success without proof": x402test.Status(200, `{"success":true,"isValid":"yes"}`),
		"long": x402test.Status(200, strings.Repeat(" ", 2<<20)),
	}
	const path = "/screen/" + thief
	for about, fault := range faults {
		t.Run(about, func(t *testing.T) {
			s := openShop(t)
			status, code := 502, "facilitator_error"
			if about == "hangs" {
				status, code = 504, "facilitator_timeout"
			}
			payment := s.sign("GET", path)
			s.facilitator.Do(func() { s.facilitator.Verifying = fault })
			s.waits("verify", s.paid(payment, "GET", path, nil), status, code)
			s.facilitator.Do(func() { s.facilitator.Verifying = nil })
			s.served("verified again", s.paid(payment, "GET", path, nil))
			s.counts("verify", 2, 1, 1)

			sure := about == "400" || about == "429" // turned away at the door: nothing was moved
			for when, after := range map[string]bool{"before the money moved": false, "after the money moved": true} {
				if sure && after {
					continue
				}
				payment, moved := s.sign("GET", path), s.facilitator.Counts().Moved
				s.facilitator.Do(func() {
					s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return moved == after && fault(w) }
				})
				a := s.paid(payment, "GET", path, nil)
				if a.status != 200 { // the second try finds out that the money moved
					s.waits(when, a, status, code)
				} else if !after {
					t.Errorf("%s: served", when)
				}
				s.facilitator.Do(func() { s.facilitator.Settling = nil })
				if !sure {
					s.refusedFor(when+", another request", "payment_already_used", s.paid(payment, "GET", "/screen/"+payTo, nil))
				}
				s.served(when+", again", s.paid(payment, "GET", path, nil))
				want(t, when+": moved", s.facilitator.Counts().Moved, moved+1)
			}
		})
	}
}

func TestASettlementThatIsPendingIsAskedAbout(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	pendingAnswer := x402test.Status(200, `{"success":false,"errorReason":"settlement_pending","transaction":"0xabc","network":"eip155:8453"}`)

	payment := s.sign("GET", path) // pending once: the second, identical settlement tells
	var asked atomic.Int32
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return moved && asked.Add(1) == 1 && pendingAnswer(w) }
	})
	s.served("pending once", s.paid(payment, "GET", path, nil))
	s.counts("pending once", 1, 2, 1)

	payment = s.sign("GET", path) // pending for long
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return moved && pendingAnswer(w) }
	})
	for range 2 {
		a := s.paid(payment, "GET", path, nil)
		s.waits("pending", a, 503, "settlement_pending")
		receipt := a.decoded(t, "PAYMENT-RESPONSE")
		want(t, "receipt", []any{receipt["success"], receipt["errorReason"], receipt["transaction"]}, []any{false, "settlement_pending", "0xabc"})
	}
	s.facilitator.Do(func() { s.facilitator.Settling = nil })
	a := s.paid(payment, "GET", path, nil) // "nonce already used", after attempts of our own
	s.served("in the end", a)
	want(t, "transaction", a.decoded(t, "PAYMENT-RESPONSE")["transaction"], "0xabc")
	want(t, "moved", s.facilitator.Counts().Moved, 2)
}

func TestARefusedSettlementIsNoAnswerAndNoCharge(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	refuse := x402test.Status(200, `{"success":false,"errorReason":"invalid_exact_evm_insufficient_balance","transaction":""}`)
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return !moved && refuse(w) }
	})
	payment := s.sign("GET", path)
	a := s.paid(payment, "GET", path, nil)
	s.refusedFor("settle", "invalid_exact_evm_insufficient_balance", a)
	want(t, "receipt", []any{a.decoded(t, "PAYMENT-RESPONSE")["success"], a.decoded(t, "PAYMENT-RESPONSE")["errorReason"], a.in("riskScore")}, []any{false, "invalid_exact_evm_insufficient_balance", nil})
	s.facilitator.Do(func() { s.facilitator.Settling = nil })
	s.served("the payment is free again, for another request too", s.paid(payment, "GET", "/screen/"+payTo, nil))
	s.counts("in the end", 2, 2, 1)
}

// TestWhatNobodyComesBackForIsReconciled gives up on a payment whose settlement
// was not answered, as a caller does who has gone, or a process that was killed.
func TestWhatNobodyComesBackForIsReconciled(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return moved && x402test.Hang(w) }
	})
	payment := s.sign("GET", path)
	s.waits("lost", s.paid(payment, "GET", path, nil), 504, "facilitator_timeout")
	before := s.facilitator.Counts()
	s.facilitator.Do(func() { s.facilitator.Settling = nil })
	s.Sleep(time.Minute)
	s.api.reconcileDue(t.Context())
	due, err := s.db.DueClaims(t.Context(), 10)
	want(t, "asked, and due no more", []any{s.facilitator.Counts().Settled, len(due), err}, []any{before.Settled + 1, 0, nil})
	s.facilitator.Do(func() { s.facilitator.Settling = x402HangAlways })
	s.Sleep(10 * time.Hour) // late answers are kept for a day
	if err := s.db.PruneClaims(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.served("the caller is back", s.paid(payment, "GET", path, nil))
	want(t, "moved", s.facilitator.Counts().Moved, 1)
}

func x402HangAlways(w http.ResponseWriter, _ bool) bool { return x402test.Hang(w) }

func TestACallerWhoHasGonePaysNothingOrFindsHisAnswer(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	for about, during := range map[string]string{"before the settlement": "verify", "during the settlement": "settle"} {
		payment := s.sign("GET", path)
		before := s.facilitator.Counts()
		ctx, leave := context.WithCancel(t.Context())
		left, ended := make(chan struct{}), make(chan struct{}) // seen by the server; the end of its work
		serving := func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			context.AfterFunc(r.Context(), func() { close(left) })
			next.ServeHTTP(w, r)
			close(ended)
		}
		leaves := func(http.ResponseWriter) bool {
			leave()
			<-left
			return false
		}
		s.facilitator.Do(func() {
			s.facilitator.Verifying, s.facilitator.Settling = nil, nil
			if during == "verify" {
				s.facilitator.Verifying = leaves
			} else {
				s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return !moved && leaves(w) }
			}
		})
		r, err := http.NewRequestWithContext(ctx, "GET", s.http.URL+s.api.contract.Base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("PAYMENT-SIGNATURE", payment)
		s.serving.Store(&serving)
		if res, err := s.http.Client().Do(r); err == nil {
			res.Body.Close()
			t.Fatal("the caller had an answer")
		}
		<-ended
		s.serving.Store(nil)
		moved := before.Moved
		if during == "settle" {
			moved++
		}
		want(t, about, s.facilitator.Counts().Moved, moved)
		s.facilitator.Do(func() { s.facilitator.Verifying, s.facilitator.Settling = nil, nil })
		s.served(about, s.paid(payment, "GET", path, nil))
		want(t, about, s.facilitator.Counts().Moved, before.Moved+1)
	}
}

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
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`, map[string]string{"eth_chainId": `"0x2105"`, "eth_call": n.state, "eth_getLogs": n.logs, "eth_getTransactionReceipt": n.receipt,
			"eth_getBlockByNumber": `{"number":"0xffff","timestamp":"` + n.time + `"}`}[call.Method])
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
		c.Payments.Chains = map[string]Chain{x402.Base: x402.NewChain(base)}
	})
	const path = "/screen/" + thief
	now, later := fmt.Sprintf("0x%x", s.Now().Unix()), fmt.Sprintf("0x%x", s.Now().Add(time.Hour).Unix())
	// keccak of the signatures of the events, as they stand in the log of USDC
	const usedEvent = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"
	const canceledEvent = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81"
	const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	used, unused := `"`+word("1")+`"`, `"`+word("0")+`"`
	logged := func(event string) string { return `[{"topics":["` + event + `"],"transactionHash":"0xfeed"}]` }
	paidTo := func(wallet, amount string) string {
		const usdc = `{"address":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913","data":`
		return `{"status":"0x1","logs":[` + usdc + `"0x","topics":["` + usedEvent + `","` + word(s.wallet.Address[2:]) + `","NONCE"]},` +
			usdc + `"` + word(amount) + `","topics":["` + transfer + `","` + word(s.wallet.Address[2:]) + `","` + word(wallet[2:]) + `"]}]}`
	}
	for _, c := range []struct{ about, state, time, logs, receipt, want string }{
		{"carried out", used, now, logged(usedEvent), paidTo(payTo, "2710"), "200 0xfeed"},
		{"another payment of the same transaction", used, now, logged(usedEvent), paidTo(payTo, "2710"), "402 payment_voided"},
		{"the nonce was used to pay somebody else", used, now, logged(usedEvent), paidTo(s.wallet.Address, "2710"), "402 payment_voided"},
		{"the nonce was used to pay less", used, now, logged(usedEvent), paidTo(payTo, "1"), "402 payment_voided"},
		{"reverted", used, now, logged(usedEvent), `{"status":"0x0","logs":[]}`, "504 "},
		{"cancelled", used, now, logged(canceledEvent), "", "402 payment_voided"},
		{"not carried out", unused, now, "[]", "", "504 "},
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
	for _, answer := range []string{`"errorReason":"invalid_exact_evm_transaction_failed","transaction":"0xdead"`, `"errorReason":"invalid_exact_evm_transaction_failed","transaction":""`,
		`"errorReason":"invalid_transaction_state","transaction":"0xdead"`} {
		payment := s.sign("GET", path)
		failed := x402test.Status(200, `{"success":false,`+answer+`}`)
		s.facilitator.Do(func() { s.facilitator.Settling = func(w http.ResponseWriter, _ bool) bool { return failed(w) } })
		s.waits(answer, s.paid(payment, "GET", path, nil), 503, "settlement_pending")
		spent := x402test.Status(200, `{"success":false,"errorReason":"invalid_exact_evm_nonce_already_used","transaction":""}`)
		s.facilitator.Do(func() { s.facilitator.Settling = func(w http.ResponseWriter, _ bool) bool { return spent(w) } })
		for range 3 {
			s.waits(answer+", then spent", s.paid(payment, "GET", path, nil), 503, "settlement_pending")
		}
	}
}

func TestAnAnswerIsGivenToWhoeverPaidForItOnly(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := s.sign("GET", path)
	s.served("who paid", s.paid(payment, "GET", path, nil))
	text, _ := base64.StdEncoding.DecodeString(payment)
	i := bytes.Index(text, []byte(`"signature":"0x`)) + len(`"signature":"0x`)
	copy(text[i:], strings.Repeat("0", 130)) // payer and nonce are on the chain for all to see
	s.refusedFor("a stranger", "payment_already_used", s.paid(base64.StdEncoding.EncodeToString(text), "GET", path, nil))
}

func TestWhoPaidFindsHisAnswerWhateverThePriceIsNow(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := s.sign("GET", path)
	s.served("at the old wallet", s.paid(payment, "GET", path, nil))
	lost := s.sign("GET", path)
	s.facilitator.Do(func() { s.facilitator.Settling = x402HangAlways })
	s.waits("lost", s.paid(lost, "GET", path, nil), 504, "facilitator_timeout")
	s.facilitator.Do(func() { s.facilitator.Settling = nil })
	s.api.config.Payments.Accounts[0].PayTo = s.wallet.Address
	s.served("again", s.paid(payment, "GET", path, nil))
	s.served("found", s.paid(lost, "GET", path, nil))
	s.api.config.Payments.Accounts[0].PayTo = payTo
	s.counts("in the end", 2, 4, 2)
}

func TestAskingAgainAndAgainDoesNotEndTheReconciling(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return !moved && x402test.Status(500, "")(w) }
	})
	payment := s.sign("GET", path)
	for range 30 {
		s.Sleep(time.Second)
		s.paid(payment, "GET", path, nil)
	}
	s.Sleep(2 * time.Minute)
	due, err := s.db.DueClaims(t.Context(), 10)
	want(t, "due", []any{len(due), err}, []any{1, nil})
}

func TestAForgedPaymentWithMoreThanItIsReadForIsRefused(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	for _, extra := range []string{"permit2Authorization", "Authorization", "signatures"} {
		payment := s.sign("GET", path, func(p map[string]any, signed bool) {
			if signed {
				p["payload"].(map[string]any)[extra] = map[string]any{}
			}
		})
		want(t, extra, s.paid(payment, "GET", path, nil).text("code"), "invalid_payment")
	}
	s.counts("not asked", 0, 0, 0)
}

func TestKeysAndPayments(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	key := "x-api-key: " + s.key(1)
	free := s.paid(s.sign("GET", path), "GET", path, nil, key)
	want(t, "a free call is left", []any{free.status, free.header.Get("PAYMENT-RESPONSE"), free.header.Get("X-RateLimit-Remaining-Day")}, []any{200, "", 0})
	s.counts("a free call is left", 0, 0, 0)
	exhausted := s.get(path, key)
	want(t, "exhausted", []any{exhausted.status, exhausted.header.Get("X-Free-Tier-Exhausted"), exhausted.count("accepts")}, []any{402, "true", 1})
	s.served("exhausted, with a payment", s.paid(s.sign("GET", path), "GET", path, nil, key))
	want(t, "calls of the key", s.get("/me", key).number("apiCallCount"), 2)
	unknown, err := tocsin.NewKey(strings.NewReader(strings.Repeat("x", 20)))
	if err != nil {
		t.Fatal(err)
	}
	lost := s.get(path, "x-api-key: "+string(unknown))
	want(t, "unknown key, unpaid", []any{lost.status, lost.text("code"), lost.count("accepts")}, []any{402, "unknown_key", 1})
	s.served("unknown key", s.paid(s.sign("GET", path), "GET", path, nil, "x-api-key: "+string(unknown)))
	s.served("no key at all", s.paid(s.sign("GET", path), "GET", path, nil, "x-api-key: nonsense"))
	payment := s.sign("GET", path)
	want(t, "HEAD sells nothing", s.do("HEAD", path, nil, "PAYMENT-SIGNATURE: "+payment).status, 402)
	s.counts("in the end", 3, 3, 3)
}

func TestAPaymentMayBeNamed(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	named := func(id string) string {
		return s.sign("GET", path, func(p map[string]any, signed bool) {
			p["extensions"] = map[string]any{"payment-identifier": map[string]any{"info": map[string]any{"required": false, "id": id}}}
		})
	}
	payment := named("order_0123456789")
	s.served("first", s.paid(payment, "GET", path, nil))
	s.served("the same", s.paid(payment, "GET", path, nil))
	a := s.paid(named("order_0123456789"), "GET", path, nil)
	want(t, "another payment of that name", []any{a.status, a.text("code")}, []any{409, "payment_identifier_reused"})
	s.served("another name", s.paid(named("order_9876543210"), "GET", path, nil))
	s.wallet = x402test.NewWallet(s.Now)
	s.served("another payer", s.paid(named("order_0123456789"), "GET", path, nil))
	s.counts("in the end", 3, 3, 3)
}

func TestOnePayerHasSixteenCallsInProgress(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	release := make(chan struct{})
	s.facilitator.Do(func() { s.facilitator.Verifying = func(http.ResponseWriter) bool { <-release; return false } })
	const perPayer = 8 // unverified, and as many verified
	payments := make([]string, 2*perPayer+4)
	for i := range payments {
		payments[i] = s.sign("GET", path)
	}
	other := x402test.NewWallet(s.Now).Pay(s.get(path).header.Get("PAYMENT-REQUIRED"), nil)
	forged := s.sign("GET", path, func(p map[string]any, signed bool) {
		if signed { // a stranger who writes this payer's name on a payment
			p["payload"].(map[string]any)["signature"] = "0x" + strings.Repeat("11", 65)
		}
	})
	var crowded atomic.Int32
	var all sync.WaitGroup
	for _, p := range payments {
		all.Go(func() {
			if a := s.paid(p, "GET", path, nil); a.status == 429 {
				crowded.Add(1)
				s.waits("crowded", a, 429, "too_many_payments")
			}
		})
	}
	tocsintest.Eventually(t, "four are too many", func() bool { return crowded.Load() == 4 })
	all.Go(func() { want(t, "another payer", s.paid(other, "GET", path, nil).status, 200) })
	want(t, "whoever only writes the payer's name", s.paid(forged, "GET", path, nil).status, 429)
	want(t, "unpaid calls go on", s.get(path).status, 402)
	close(release)
	all.Wait()
}

func TestSolanaIsOfferedWhileItsFeesArePaid(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	status := func() []any {
		a := s.get("/x402/status")
		return []any{a.in("enabled"), a.in("facilitator.reachable"), a.in("networks.0.settles"), a.in("networks.1.network"), a.in("networks.1.offered"), a.in("networks.1.feePayer")}
	}
	want(t, "before the facilitator was asked", status(), []any{true, nil, nil, x402.Solana, false, nil})
	want(t, "offers", s.get(path).count("accepts"), 1)
	tag := s.get("/x402/status").header.Get("ETag")
	kept := s.get("/x402/status", "If-None-Match: "+tag)
	want(t, "the same again", []any{kept.status, len(kept.raw), kept.header.Get("ETag")}, []any{304, 0, tag})
	s.facilitator.OfferSolana(feePayer)
	ask := s.api.config.Payments.Facilitator.Ask
	if trouble := ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	a := s.get(path)
	want(t, "Base first", []any{a.count("accepts"), a.text("accepts.0.network"), a.text("accepts.1.network"), a.text("accepts.1.extra.feePayer"), a.text("accepts.1.amount")},
		[]any{2, x402.Base, x402.Solana, feePayer, 10000})
	want(t, "another ETag", s.get("/x402/status", "If-None-Match: "+tag).status, 200)
	want(t, "with Solana", status(), []any{true, true, true, x402.Solana, true, feePayer})
	if size := len(a.header.Get("PAYMENT-REQUIRED")); size > 4096 {
		t.Errorf("PAYMENT-REQUIRED has %d bytes, which some proxies refuse", size)
	}
	s.facilitator.OfferSolana("")
	if trouble := ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	want(t, "offers without Solana", s.get(path).count("accepts"), 1)
}

func TestWhereNobodySettlesNothingIsOffered(t *testing.T) {
	s := openShop(t, func(c *Config) {
		sepolia, err := x402.ParseNetwork("eip155:84532", "")
		if err != nil {
			t.Fatal(err)
		}
		account, err := sepolia.Account(payTo)
		if err != nil {
			t.Fatal(err)
		}
		c.Payments.Accounts = []x402.Account{account}
	})
	const path = "/screen/" + thief
	want(t, "before it was asked", s.get(path).count("accepts"), 1)
	if trouble := s.api.config.Payments.Facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	a, status := s.get(path), s.get("/x402/status")
	want(t, "after", []any{a.status, a.count("accepts"), status.in("networks.0.settles"), status.in("networks.0.offered")}, []any{402, 0, false, false})
	if detail := a.text("detail"); !strings.HasSuffix(detail, ". Payments cannot be taken at the moment") {
		t.Errorf("the detail is %q", detail)
	}
}

// TestASolanaCallIsPaid pays with a transaction that the official client made.
func TestASolanaCallIsPaid(t *testing.T) {
	text, err := os.ReadFile("../x402/testdata/solana.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Transactions []struct{ Transaction, FeePayer, Payer, PayTo string }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	made := file.Transactions[0]
	s := openShop(t, func(c *Config) { c.Payments.Accounts[1].PayTo = made.PayTo })
	s.facilitator.OfferSolana(made.FeePayer)
	if trouble := s.api.config.Payments.Facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	const path = "/screen/" + thief
	accepted := s.get(path).in("accepts.1")
	payment, err := json.Marshal(map[string]any{"x402Version": 2, "accepted": accepted, "payload": map[string]any{"transaction": made.Transaction}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a := s.paid(base64.StdEncoding.EncodeToString(payment), "GET", path, nil)
		want(t, "paid on Solana", []any{a.status, a.decoded(t, "PAYMENT-RESPONSE")["payer"], a.decoded(t, "PAYMENT-RESPONSE")["network"]}, []any{200, made.Payer, x402.Solana})
	}
	s.counts("once", 1, 1, 1)
}

func TestEveryPriceIsAdvertisedAsTheContractSays(t *testing.T) {
	s := openShop(t)
	for _, op := range s.api.operations {
		if op.Price == "" {
			continue
		}
		path := strings.NewReplacer("{address}", thief, "{domain}", "evil.com").Replace(strings.TrimPrefix(op.Path, s.api.contract.Base))
		var body any
		if op.TakesBody() {
			body = map[string]any{}
		}
		a := s.do(op.Method, path, body)
		want(t, op.ID, []any{a.text("accepts.0.amount"), a.text("accepts.0.payTo"), a.text("accepts.0.extra.name"), a.text("extensions.bazaar.info.input.method")}, []any{op.atomic, payTo, "USD Coin", op.Method})
		for name, extension := range a.in("extensions").(map[string]any) {
			e := extension.(map[string]any)
			compiler := jsonschema.NewCompiler()
			if err := compiler.AddResource("extension.json", e["schema"]); err != nil {
				t.Fatal(err)
			}
			if err := compiler.MustCompile("extension.json").Validate(e["info"]); err != nil {
				t.Errorf("%s: %s: its info is not of its schema: %v", op.ID, name, err)
			}
		}
	}
}

func TestPagesOfOtherOriginsMayCall(t *testing.T) {
	s := openShop(t)
	r, err := http.NewRequest("OPTIONS", s.http.URL+s.api.contract.Base+"/check", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://wallet.example")
	r.Header.Set("Access-Control-Request-Method", "POST")
	res, err := s.http.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	want(t, "preflight", []any{res.StatusCode, res.Header.Get("Access-Control-Allow-Origin")}, []any{204, "*"})
	for _, header := range []string{"PAYMENT-SIGNATURE", "X-PAYMENT", "Access-Control-Expose-Headers", "x-api-key", "Content-Type", "x-manage-token", "Idempotency-Key"} {
		if !strings.Contains(res.Header.Get("Access-Control-Allow-Headers"), header) {
			t.Errorf("%s may not be sent", header)
		}
	}
	for _, path := range []string{"/screen/" + thief, "/stats", "/nothing"} {
		a := s.get(path)
		want(t, path, []any{a.header.Get("Access-Control-Allow-Origin"), strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "PAYMENT-REQUIRED, PAYMENT-RESPONSE"), a.header.Get("Vary")},
			[]any{"*", true, "x-api-key, PAYMENT-SIGNATURE, X-PAYMENT"})
	}
}

func TestWithoutAWalletNoPaymentIsTaken(t *testing.T) {
	shop := openShop(t)
	payment := shop.sign("GET", "/screen/"+thief)
	s := start(t)
	a := s.get("/screen/"+thief, "PAYMENT-SIGNATURE: "+payment)
	want(t, "402", []any{a.status, a.count("accepts"), a.in("extensions"), strings.Contains(a.text("detail"), "takes no payments")}, []any{402, 0, nil, true})
	status := s.get("/x402/status")
	want(t, "status", []any{status.in("enabled"), status.in("facilitator"), status.count("networks")}, []any{false, nil, 0})
}

// TestWhatMayHaveBeenSentIsNotForgotten begins with what is left when the power
// fails right after a settlement was sent: a claim that is only claimed, and
// money that moved.
func TestWhatMayHaveBeenSentIsNotForgotten(t *testing.T) {
	const path = "/screen/" + thief
	for name, first := range map[string]func(w http.ResponseWriter) bool{
		"the facilitator is away as well":        x402test.Status(503, ""),
		"the wallet is empty, since it has paid": x402test.Status(200, `{"isValid":false,"invalidReason":"insufficient_funds"}`),
	} {
		s := openShop(t)
		header := s.sign("GET", path)
		p, err := x402.Decode(header)
		if err != nil {
			t.Fatal(err)
		}
		op := s.api.operations["screenAddress"]
		c := &call{Request: httptest.NewRequest("GET", baseURL+s.api.contract.Base+path, nil)}
		wanted, refusal := s.api.acceptable(op, c, p)
		if refusal != nil {
			t.Fatal(refusal)
		}
		order := p.Order(wanted, x402.Resource{}, nil)
		claim := &store.Claim{
			ID:      p.ID,
			Request: c.fingerprint(),
			Payload: p.Payload,
			PaymentTerms: store.PaymentTerms{
				Operation: op.ID,
				Network:   wanted.Network,
				Asset:     wanted.Asset,
				Amount:    10_000,
				Payer:     p.Payer,
				PayTo:     wanted.PayTo,
			},
			Payment: order,
		}
		if result, err := s.db.Claim(t.Context(), claim, true); err != nil || result != store.Acquired {
			t.Fatal(result, err)
		}
		s.db.Unlock(claim)
		res, err := http.Post(s.facilitator.URL+"/settle", "application/json", bytes.NewReader(order))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		s.Sleep(6 * time.Second)
		s.facilitator.Do(func() { s.facilitator.Verifying = first })
		s.paid(header, "GET", path, nil)
		s.facilitator.Do(func() { s.facilitator.Verifying = nil })
		s.Sleep(10 * time.Minute) // the payment has run out
		s.served(name, s.paid(header, "GET", path, nil))
		want(t, name, s.facilitator.Counts().Moved, 1)
	}
}
