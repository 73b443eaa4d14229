package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/x402"
)

func TestAReasonIsExplainedToThePayer(t *testing.T) {
	for reason, words := range map[string]string{
		"payment_voided":                            ": as the chain shows, it was not carried out and no longer can be",
		"insufficient_funds":                        ": the wallet holds too little of the token",
		"invalid_exact_evm_transaction_simulation":  ": the transfer would fail",
		"invalid_exact_evm_payload_signature":       ": the signature is not that of the payer",
		"invalid_exact_evm_payload_nonce_used":      ": the payment was carried out before",
		"invalid_exact_evm_payload_authorization_x": "",
	} {
		if got := explainReason(reason); !strings.HasPrefix(got, words) || (got == "") != (words == "") {
			t.Errorf("%s: %q", reason, got)
		}
	}
	s := start(t)
	for cause, words := range map[x402.Cause]string{
		x402.Unreachable: "cannot be reached", x402.TimedOut: "did not answer in time",
		x402.BadResponse: "gave no proper answer",
	} {
		err := s.api.facilitatorProblem(t.Context(), "id", "verify", &x402.FacilitatorError{Cause: cause})
		if !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), "Do not sign another payment") {
			t.Errorf("%v: %v", cause, err)
		}
	}
}

func TestAWaitIsInWholeSecondsAndOneAtLeast(t *testing.T) {
	for wait, header := range map[time.Duration]string{
		0: "1", 999 * time.Millisecond: "1", time.Second: "1", 1001 * time.Millisecond: "2", time.Hour: "3600",
	} {
		want(t, wait.String(), later(tooMany, wait, "").RetryAfter(), header)
	}
}

func TestAPaymentIsInOneOfTwoHeaders(t *testing.T) {
	const current, old = "PAYMENT-SIGNATURE", "X-PAYMENT"
	for _, c := range []struct {
		header http.Header
		found  string
		code   tocsin.Code
	}{
		{http.Header{}, "", ""}, {http.Header{current: {""}}, "", ""}, {http.Header{current: {" a "}}, "a", ""},
		{http.Header{old: {"b"}}, "b", ""}, {http.Header{current: {"a"}, old: {"a"}}, "a", ""},
		{http.Header{current: {"a"}, old: {""}}, "a", ""}, {http.Header{current: {"a"}, old: {"b"}}, "", invalidPayment},
		{http.Header{current: {"a", "a"}}, "", invalidPayment}, {http.Header{old: {"b", ""}}, "", invalidPayment},
	} {
		header := http.Header{}
		for name, values := range c.header {
			header[http.CanonicalHeaderKey(name)] = values
		}
		found, err := paymentHeader(header)
		code := tocsin.Code("")
		if fault, ok := err.(*tocsin.Error); ok {
			code = fault.Code
		}
		want(t, "payment", []any{found, code}, []any{c.found, c.code})
	}
}

func TestAStatusThatIsKnownIsNotSentAgain(t *testing.T) {
	s := openShop(t)
	tag := s.get("/x402/status").header.Get("ETag")
	strong := strings.TrimPrefix(tag, "W/")
	want(t, "it is weak, of 128 bits", []any{tag != strong, len(strong)}, []any{true, 34})
	for known, status := range map[string]int{
		tag: 304, strong: 304, "*": 304, `"x", ` + tag: 304, `W/"x",` + strong + `, "y"`: 304,
		`"x"`: 200, "": 200, strings.Trim(strong, `"`): 200, strong[:20] + `"`: 200,
	} {
		a := s.get("/x402/status", "If-None-Match: "+known)
		want(t, known, []any{a.status, a.header.Get("ETag"), a.header.Get("Cache-Control")},
			[]any{status, tag, "public, max-age=10"})
	}
	s.Sleep(time.Minute)
	want(t, "later", s.get("/x402/status").header.Get("ETag"), tag)
	for again := range 2 {
		if trouble := s.api.config.Payments.Facilitator.Ask(t.Context()); trouble != nil {
			t.Fatal(trouble)
		}
		if asked := s.get("/x402/status").header.Get("ETag"); again == 0 {
			tag = asked
		} else {
			want(t, "when the facilitator has said the same again", asked, tag)
		}
		s.Sleep(time.Minute)
	}
	want(t, "another answer is kept by nobody", s.get("/stats").header.Get("Cache-Control"), "no-store")
}

func TestACallerIsToldWhatIsLeftUntilMidnight(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(3)
	for range 2 {
		s.get("/screen/"+thief, key)
	}
	s.Sleep(11*time.Hour + 59*time.Minute)
	me := s.get("/me", key)
	want(t, "a minute before midnight", []any{me.number("freeCalls.limit"), me.number("freeCalls.used"),
		me.number("freeCalls.remaining"), me.text("freeCalls.resetsAt"), me.number("apiCallCount")},
		[]any{3, 2, 1, "2026-03-05T00:00:00.000000Z", 2})
	s.Sleep(time.Minute)
	me = s.get("/me", key)
	want(t, "at midnight", []any{me.number("freeCalls.used"), me.number("freeCalls.remaining"),
		me.text("freeCalls.resetsAt"), me.number("apiCallCount")}, []any{0, 3, "2026-03-06T00:00:00.000000Z", 2})
	for header, words := range map[string]string{
		"x-api-key: toc_wrong":   "it is mistyped, unknown or revoked. A key is free: ",
		"x-api-key: undefined":   "it does not begin with toc_. Send the key alone, without quotes. A key is free: ",
		"x-api-key: " + s.key(0): "The free calls of today (0) are used up; new ones come at midnight UTC. This",
	} {
		a := s.get("/screen/"+thief, header)
		detail := a.text("detail")
		if a.status != http.StatusPaymentRequired || !strings.Contains(detail, words) ||
			!strings.HasSuffix(detail, "This service takes no payments") {
			t.Errorf("%q: %d %s", header, a.status, detail)
		}
	}
}

func TestNoLessThanNoCallIsLeft(t *testing.T) {
	s := start(t, func(c *Config) { c.Quota = 3 })
	key := "x-api-key: " + s.key(-1)
	for range 2 {
		s.get("/screen/"+thief, key)
	}
	s.api.config.Quota = 1
	me := s.get("/me", key)
	want(t, "after the quota was lowered",
		[]any{me.number("freeCalls.limit"), me.number("freeCalls.used"), me.number("freeCalls.remaining")},
		[]any{1, 2, 0})
}

func TestAPageOfAnotherOriginReadsWhatItNeeds(t *testing.T) {
	s := start(t)
	r, err := http.NewRequest(http.MethodOptions, s.http.URL+s.api.contract.Base+"/check", nil)
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
	for header, names := range map[string]string{
		"Access-Control-Allow-Methods": "GET HEAD POST DELETE OPTIONS",
		"Access-Control-Allow-Headers": "X-Request-Id Authorization SIGN-IN-WITH-X MCP-Protocol-Version Mcp-Session-Id",
		"Access-Control-Expose-Headers": "PAYMENT-REQUIRED PAYMENT-RESPONSE X-PAYMENT-RESPONSE X-RateLimit-Remaining-Day " +
			"X-Free-Tier-Exhausted Retry-After X-Request-Id Location ETag",
	} {
		got := res.Header.Get(header)
		if header == "Access-Control-Expose-Headers" {
			got = s.get("/stats").header.Get(header)
		}
		for _, name := range strings.Fields(names) {
			if !strings.Contains(got+",", name+",") {
				t.Errorf("%s: %q lacks %s", header, got, name)
			}
		}
	}
}
