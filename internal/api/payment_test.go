package api

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402/x402test"
)

func TestAPaidCallIsVerifiedRunSettledAndAnswered(t *testing.T) {
	s := openShop(t)
	for path, amount := range map[string]string{"GET /screen/" + thief: "10000",
		"GET /community-reports?limit=1": "10000", "POST /check": "400000"} {
		before := s.facilitator.Counts()
		method, path, _ := strings.Cut(path, " ")
		var body any
		if method == "POST" {
			body = map[string]any{"addresses": []string{thief}}
		}
		a := s.do(method, path, body)
		want(t, path, []any{a.status, a.text("accepts.0.amount"), a.header.Get("Cache-Control"), s.facilitator.Counts()},
			[]any{402, amount, "no-store", before})
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
		"garbage": "garbage!", "plain JSON": string(text),
		"base64url": strings.NewReplacer("+", "-", "/", "_").Replace(encode("{\"a\":\"\xff\xfe>>>???\"}")),
		"array":     encode("[]"), "object": encode("{}"), "null": encode("null"), "number": encode("5"),
		"not JSON": encode("x402"), "two values": encode(string(text) + "{}"),
		"a name twice": encode(strings.Replace(string(text), `"x402Version":2`, `"x402Version":2,"x402Version":2`, 1)),
		"other case":   encode(strings.Replace(string(text), `"nonce":"0x`, `"Nonce":"0x`, 1)),
		"too long":     encode(strings.Repeat(" ", maxBody)),
		"version gone": at("x402Version", nil), "version 1": at("x402Version", 1), "version 3": at("x402Version", 3),
		"version in a string": at("x402Version", "2"),
		"accepted gone":       at("accepted", nil), "payload gone": at("payload", nil), "payload a text": at("payload", "x"),
		"payload empty":      at("payload", map[string]any{}),
		"authorization gone": at("payload.authorization", nil), "signature gone": at("payload.signature", nil),
		"signature short": at("payload.signature", "0x1234"),
		"value in words":  at("payload.authorization.value", "ten"),
		"value a number":  at("payload.authorization.value", 10000),
		"value negative":  at("payload.authorization.value", "-10000"),
		"nonce short":     at("payload.authorization.nonce", "0x12"), "from nobody": at("payload.authorization.from", "me"),
		"validBefore gone": at("payload.authorization.validBefore", nil),
		"id short": at("extensions",
			map[string]any{"payment-identifier": map[string]any{"info": map[string]any{"id": "short"}}}),
		"solana": at("accepted.network", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"),
	}
	for about, payment := range cases {
		if len(payment) > 30_000 {
			payment = payment[:30_000] // what net/http lets through
		}
		if a := s.paid(payment, "GET", "/screen/"+thief,
			nil); a.status != 400 || a.text("code") != "invalid_payment" || a.text("detail") == "" {
			t.Errorf("%s: %d %s", about, a.status, a.raw)
		}
	}
	other := s.sign("GET", "/screen/"+thief)
	want(t, "two that differ", s.get("/screen/"+thief, "X-Payment: "+other, "PAYMENT-SIGNATURE: "+whole).status, 400)
	want(t, "a header twice", s.get("/screen/"+thief, "PAYMENT-SIGNATURE: "+whole, "PAYMENT-SIGNATURE: "+whole).status,
		400)
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
	for field, value := range map[string]any{"amount": "1", "payTo": s.wallet.Address, "asset": payTo,
		"network": "eip155:1", "scheme": "upto"} {
		s.refusedFor(field, none, s.paid(accepted(field, value), "GET", path, nil))
	}
	s.refusedFor("v1 name of the network", none, s.paid(accepted("network", "base"), "GET", path, nil))
	s.refusedFor("cheap on dear", none,
		s.paid(s.sign("GET", path), "POST", "/check", map[string]any{"addresses": []string{thief}}))
	s.refusedFor("dear on cheap", none, s.paid(s.sign("POST", "/check"), "GET", path, nil))

	authorized := func(field, value string) string {
		return s.sign("GET", path, func(p map[string]any, signed bool) {
			if !signed {
				p["payload"].(map[string]any)["authorization"].(map[string]any)[field] = value
			}
		})
	}
	in := func(d time.Duration) string { return fmt.Sprint(s.Now().Add(d).Unix()) }
	s.refusedFor("too little", "invalid_exact_evm_payload_authorization_value_mismatch",
		s.paid(authorized("value", "9999"), "GET", path, nil))
	s.refusedFor("too much", "invalid_exact_evm_payload_authorization_value_mismatch",
		s.paid(authorized("value", "10001"), "GET", path, nil))
	s.refusedFor("to another", "invalid_exact_evm_recipient_mismatch",
		s.paid(authorized("to", s.wallet.Address), "GET", path, nil))
	s.refusedFor("expired", "invalid_exact_evm_payload_authorization_valid_before",
		s.paid(authorized("validBefore", in(-time.Minute)), "GET", path, nil))
	s.refusedFor("about to expire", "invalid_exact_evm_payload_authorization_valid_before",
		s.paid(authorized("validBefore", in(4*time.Second)), "GET", path, nil))
	s.refusedFor("not valid yet", "invalid_exact_evm_payload_authorization_valid_after",
		s.paid(authorized("validAfter", in(time.Minute)), "GET", path, nil))
	s.counts("the facilitator was not asked", 0, 0, 0)

	s.facilitator.Do(func() {
		s.facilitator.Verifying = x402test.Status(200,
			`{"isValid":false,"invalidReason":"invalid_exact_evm_insufficient_balance"}`)
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
	want(t, "a fault of the input costs nothing", []any{first.status, first.header.Get("PAYMENT-RESPONSE"),
		first.in("errors.0.fix")}, []any{400, "", "send a value, or leave cursor out"})
	first = s.paid(payment, "GET", path+"?limit=5", nil)
	s.served("first", first)
	s.counts("first", 1, 1, 1)
	s.Sleep(10 * time.Minute) // the authorization has expired, the answer has not
	for range 3 {
		again := s.paid(payment, "GET", path+"?limit=5", nil)
		s.served("again", again)
		want(t, "the same answer and receipt", []string{string(again.raw), again.header.Get("PAYMENT-RESPONSE")},
			[]string{string(first.raw), first.header.Get("PAYMENT-RESPONSE")})
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
	for about, paths := range map[string][]string{"one request": {"/screen/" + thief},
		"two requests": {"/screen/" + thief, "/screen/" + payTo}} {
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
	want(t, "a free call is left",
		[]any{free.status, free.header.Get("PAYMENT-RESPONSE"), free.header.Get("X-RateLimit-Remaining-Day")},
		[]any{200, "", 0})
	s.counts("a free call is left", 0, 0, 0)
	exhausted := s.get(path, key)
	want(t, "exhausted",
		[]any{exhausted.status, exhausted.header.Get("X-Free-Tier-Exhausted"), exhausted.count("accepts")},
		[]any{402, "true", 1})
	s.served("exhausted, with a payment", s.paid(s.sign("GET", path), "GET", path, nil, key))
	want(t, "calls of the key", s.get("/me", key).number("apiCallCount"), 2)
	unknown, err := tocsin.NewKey(strings.NewReader(strings.Repeat("x", 20)))
	if err != nil {
		t.Fatal(err)
	}
	lost := s.get(path, "x-api-key: "+string(unknown))
	want(t, "unknown key, unpaid", []any{lost.status, lost.text("code"), lost.count("accepts")},
		[]any{402, "unknown_key", 1})
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
			p["extensions"] = map[string]any{"payment-identifier": map[string]any{"info": map[string]any{"required": false,
				"id": id}}}
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

func TestAForgerDoesNotUseUpTheNamesOfAPayer(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	named := func(forged bool) string {
		return s.sign("GET", path, func(p map[string]any, signed bool) {
			p["extensions"] = map[string]any{"payment-identifier": map[string]any{"info": map[string]any{"required": false,
				"id": "order_0123456789"}}}
			if forged && signed {
				p["payload"].(map[string]any)["signature"] = "0x" + strings.Repeat("11", 65)
			}
		})
	}
	s.served("a facilitator that checks nothing", s.paid(named(true), "GET", path, nil))
	s.served("the payer", s.paid(named(false), "GET", path, nil))
	want(t, "the payer again", s.paid(named(false), "GET", path, nil).text("code"), "payment_identifier_reused")
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
