package x402_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tocsin/internal/x402"
)

// answered returns a client of a facilitator that gives one answer, and the last call that it got.
func answered(t *testing.T, base string, status *int, body *string) (*x402.Facilitator, *http.Request) {
	t.Helper()
	last := new(http.Request)
	f, err := x402.NewFacilitator(base, x402.Options{Timeout: time.Minute, Now: new(clock).now,
		Transport: answering(func(r *http.Request) (int, string) {
			*last = *r
			return *status, *body
		})})
	if err != nil {
		t.Fatal(err)
	}
	return f, last
}

func TestAVerdictIsReadWithItsStatus(t *testing.T) {
	var status int
	var body string
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		status int
		body   string
		want   string // the verdict, or the error
	}{
		{200, `{"isValid":true}`, "valid"},
		{200, `{"isValid":true,"invalidReason":"unexpected"}`, "valid"},
		{201, `{"isValid":true}`, "status 201, but isValid"},
		{402, `{"isValid":true}`, "status 402, but isValid"},
		{500, `{"isValid":true}`, "status 500, but isValid"},
		{200, `{"isValid":false,"invalidReason":"a_code","invalidMessage":"a message"}`, "a_code"},
		{200, `{"isValid":false,"invalidMessage":"a\n message\u001b [0m"}`, "a message [0m"},
		{200, `{"isValid":false}`, "refused without a reason"},
		{200, `{"isValid":false,"invalidReason":"` + long + `"}`, long[:199] + "…"},
		{402, `{"isValid":false,"invalidReason":"a_code"}`, "a_code"},
		{499, `{"isValid":false,"invalidReason":"a_code"}`, "a_code"},
		{429, `{"isValid":false,"invalidReason":"a_code"}`, `status 429: "a_code"`},
		{500, `{"isValid":false,"invalidReason":"a_code"}`, `status 500: "a_code"`},
		{200, `{"isValid":false,"invalidReason":"unexpected_verify_error"}`, `status 200: "unexpected_verify_error"`},
		{200, `{"isValid":false,"invalidReason":"invalid_exact_svm_payload_unknown_fourth_instruction"}`,
			"invalid_exact_svm_payload_unknown_fourth_instruction"},
		{200, strings.Repeat(" ", 1<<20-16) + `{"isValid":true}`, "valid"},
		{200, strings.Repeat(" ", 1<<20-15) + `{"isValid":true}`, "status 200 without a result: \"" +
			strings.Repeat(" ", 200) + "\""},
		{200, `{"isValid":null}`, `status 200 without a result: "{\"isValid\":null}"`},
	} {
		status, body = c.status, c.body
		f, _ := answered(t, "https://pay.example", &status, &body) // of its own, or the breaker would open
		v, failure := f.Verify(t.Context(), []byte(`{}`))
		got := v.Reason
		switch {
		case failure != nil:
			got = failure.Err
			without := strings.Contains(c.want, "without a result") // then nothing shows what became of it
			if failure.Cause != x402.BadResponse || v != (x402.Verification{}) || failure.MayHaveExecuted != without {
				t.Errorf("%d %s: %+v, %+v", c.status, c.body, v, failure)
			}
		case v.Valid:
			got = "valid"
		}
		if got != c.want {
			t.Errorf("%d %s: %s, want %s", c.status, c.body, got, c.want)
		}
	}
}

func TestASettlementIsReadWithItsStatus(t *testing.T) {
	var status int
	var body string
	settle := func() x402.Settlement {
		f, _ := answered(t, "https://pay.example", &status, &body) // of its own, or the breaker would open
		return f.Settle(t.Context(), []byte(`{}`), x402.Base)
	}
	hash := strings.Repeat("a", 128)
	for _, c := range []struct {
		status      int
		body        string
		transaction string
		want        string // the reason, or the error
		may         bool   // it may have been executed nevertheless
	}{
		{200, `{"success":true,"transaction":"` + hash + `"}`, hash, "", false},
		{200, `{"success":true,"transaction":"` + hash + `b"}`, "", "success without a transaction", true},
		{202, `{"success":true,"transaction":"0x1"}`, "", "status 202, but success", true},
		{500, `{"success":true,"transaction":"0x1"}`, "", "status 500, but success", true},
		{200, `{"success":true,"transaction":"0x1","network":"base"}`, "", `success on "base"`, true},
		{200, `{"success":false,"errorReason":"a_code","network":"base","transaction":"0x1"}`, "0x1", "a_code", false},
		{200, `{"success":false,"errorMessage":"in words"}`, "", "in words", false},
		{402, `{"success":false,"errorReason":"a_code"}`, "", "a_code", false},
		{429, `{"success":false,"errorReason":"a_code"}`, "", `status 429: "a_code"`, true},
		{502, `{"success":false,"errorReason":"a_code","transaction":"0x1"}`, "0x1", `status 502: "a_code"`, true},
		{500, `{"success":false,"errorReason":"settlement_pending","transaction":"0x1"}`, "0x1", "settlement_pending", false},
	} {
		status, body = c.status, c.body
		s := settle()
		got, may := s.Reason, false
		if s.Err != nil {
			got, may = s.Err.Err, s.Err.MayHaveExecuted
		}
		if got != c.want || s.Transaction != c.transaction || may != c.may || s.Success != (c.want == "") {
			t.Errorf("%d %s: %+v, %q", c.status, c.body, s, got)
		}
	}
	// A response without a result: what was turned away at the door was certainly not executed.
	for code, may := range map[int]bool{
		400: false, 401: false, 403: false, 404: false, 413: false, 415: false, 422: false, 429: false,
		200: true, 302: true, 402: true, 405: true, 408: true, 409: true, 410: true, 418: true, 500: true, 503: true,
	} {
		status, body = code, `{"error":"`+strings.Repeat("x", 300)+`"}`
		s := settle()
		if s.Err == nil || s.Err.MayHaveExecuted != may || s.Err.Cause != x402.BadResponse || len(s.Err.Err) > 250 {
			t.Errorf("%d: %+v", code, s.Err)
		}
	}
}

func TestWhatAFacilitatorIsSent(t *testing.T) {
	status, body := 200, `{"isValid":true,"success":true,"transaction":"0x1","kinds":[]}`
	f, last := answered(t, "HTTPS://Pay.Example:443/v2/", &status, &body)
	call := func(about string, do func(), want string) {
		t.Helper()
		do()
		text, _ := io.ReadAll(last.Body)
		got := fmt.Sprint(last.Method, " ", last.URL, " ", string(text), " ", last.Header)
		if got != want {
			t.Errorf("%s: %s,\nwant %s", about, got, want)
		}
		if deadline, set := last.Context().Deadline(); !set || time.Until(deadline) > time.Minute {
			t.Errorf("%s: no timeout", about)
		}
	}
	call("verify", func() { f.Verify(t.Context(), []byte(`{"a":1}`)) },
		`POST https://pay.example/v2/verify {"a":1} `+
			`map[Accept:[application/json] Content-Type:[application/json] X-Idempotency-Key:[]]`)
	call("settle", func() { f.Settle(t.Context(), []byte(`{"a":2}`), x402.Base) },
		`POST https://pay.example/v2/settle {"a":2} map[Accept:[application/json] Content-Type:[application/json]]`)
	call("supported", func() { f.Ask(t.Context()) },
		`GET https://pay.example/v2/supported  map[Accept:[application/json]]`)
}

func TestTheURLOfAFacilitatorIsAnOriginAndAPath(t *testing.T) {
	for text, origin := range map[string]string{
		"https://pay.example": "https://pay.example", "https://pay.example/secret/": "https://pay.example",
		"http://PAY.example:80": "http://pay.example", "https://pay.example:443": "https://pay.example",
		"http://pay.example:443": "http://pay.example:443", "https://pay.example:80": "https://pay.example:80",
		"ftp://pay.example": "", "pay.example": "", "https://": "", "https://pay.example?key=x": "",
		"https://pay.example#x": "", "https://pay.example/%zz": "", "": "",
	} {
		f, err := x402.NewFacilitator(text, x402.Options{Now: new(clock).now})
		if (err != nil) != (origin == "") || err == nil && f.Origin() != origin {
			t.Errorf("%q: %v, want %q", text, err, origin)
		}
	}
}
