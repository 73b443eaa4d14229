package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

const (
	payTo       = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
	payToSolana = "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5"
	feePayer    = "2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4"
)

// shop is a service that takes payments, its facilitator, and a wallet that pays.
type shop struct {
	*service
	facilitator *x402test.Facilitator
	wallet      *x402test.Wallet
}

// timeout is that of the facilitator in tests of its faults.
const timeout = 300 * time.Millisecond

func open4business(t *testing.T, change ...func(*Config)) *shop {
	t.Helper()
	f := x402test.NewFacilitator()
	t.Cleanup(f.Close)
	var s *service
	clock := func() time.Time { return s.api.now() }
	s = start(t, append([]func(*Config){func(c *Config) {
		c.Payments.Timeout = timeout
		for _, account := range [][2]string{{x402.Base, payTo}, {x402.Solana, payToSolana}} {
			network, err := x402.ParseNetwork(account[0], "")
			if err != nil {
				t.Fatal(err)
			}
			a, err := network.Account(account[1])
			if err != nil {
				t.Fatal(err)
			}
			c.Payments.Accounts = append(c.Payments.Accounts, a)
		}
		var err error
		if c.Payments.Facilitator, err = x402.NewFacilitator(f.URL, x402.Options{Timeout: timeout, Now: time.Now}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Payments.Facilitator.Close)
	}}, change...)...)
	return &shop{s, f, x402test.NewWallet(clock)}
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
	s := open4business(t)
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
	s := open4business(t)
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
	s := open4business(t)
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
	in := func(d time.Duration) string { return fmt.Sprint(time.Now().Add(d).Unix()) }
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
	s := open4business(t)
	const path = "/screen/" + thief
	payment := s.sign("GET", path)
	first := s.paid(payment, "GET", path+"?limit=5&cursor=", nil)
	want(t, "a fault of the input costs nothing", []any{first.status, first.header.Get("PAYMENT-RESPONSE")}, []any{400, ""})
	first = s.paid(payment, "GET", path+"?limit=5", nil)
	s.served("first", first)
	s.counts("first", 2, 1, 1)
	s.sleep(10 * time.Minute) // the authorization has expired, the answer has not
	for range 3 {
		again := s.paid(payment, "GET", path+"?limit=5", nil)
		s.served("again", again)
		want(t, "the same answer and receipt", []string{string(again.raw), again.header.Get("PAYMENT-RESPONSE")}, []string{string(first.raw), first.header.Get("PAYMENT-RESPONSE")})
	}
	for _, other := range []string{path, path + "?limit=6", "/screen/" + payTo, "/domains/check/evil.com"} {
		s.refusedFor(other, "payment_already_used", s.paid(payment, "GET", other, nil))
	}
	s.counts("in the end", 2, 1, 1)
	s.sleep(time.Hour)
	if err := s.db.ForgetAnswers(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.refusedFor("long after", "payment_already_used", s.paid(payment, "GET", path+"?limit=5", nil))

	batch := func(addresses ...string) map[string]any { return map[string]any{"addresses": addresses} }
	payment = s.sign("POST", "/check")
	s.served("a batch", s.paid(payment, "POST", "/check", batch(thief)))
	s.refusedFor("another batch", "payment_already_used", s.paid(payment, "POST", "/check", batch(payTo)))
	s.served("the same batch", s.paid(payment, "POST", "/check", batch(thief)))
	s.counts("batches", 3, 2, 2)
}

func TestTwentyAtOncePayOnce(t *testing.T) {
	s := open4business(t)
	s.facilitator.Do(func() {
		s.facilitator.Verifying = func(http.ResponseWriter) bool { time.Sleep(50 * time.Millisecond); return false }
	})
	for about, paths := range map[string][]string{"one request": {"/screen/" + thief}, "two requests": {"/screen/" + thief, "/screen/" + payTo}} {
		payment := s.sign("GET", "/screen/"+thief)
		before := s.facilitator.Counts()
		var served, waiting, used atomic.Int32
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				switch a := s.paid(payment, "GET", paths[i%len(paths)], nil); {
				case a.status == 200:
					served.Add(1)
				case a.status == 409 && a.header.Get("Retry-After") == "1" && a.text("code") == "payment_in_progress":
					waiting.Add(1)
				case a.status == 402 && a.text("error") == "payment_already_used" && len(paths) > 1:
					used.Add(1)
				default:
					t.Errorf("%s: %d %s", about, a.status, a.raw)
				}
			})
		}
		all.Wait()
		if served.Load() < 1 || len(paths) > 1 && used.Load() < 10 {
			t.Errorf("%s: %d served, %d waiting, %d used", about, served.Load(), waiting.Load(), used.Load())
		}
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
			t.Parallel()
			s := open4business(t)
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
