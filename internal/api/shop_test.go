package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

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
	payments := Payments{Accounts: []x402.Account{tocsintest.PayAccount(t, x402.Base, payTo),
		tocsintest.PayAccount(t, x402.Solana, payToSolana)}}
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
	want(s.t, about+": verified, settled, moved", s.facilitator.Counts(),
		fmt.Sprintf("{%d %d %d}", verified, settled, moved))
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
	want(s.t, about+": receipt",
		[]any{receipt["success"], strings.ToLower(fmt.Sprint(receipt["payer"])), receipt["network"]},
		[]any{true, s.wallet.Address, "eip155:8453"})
}

// refusedFor checks a 402 that says why.
func (s *shop) refusedFor(about, reason string, a *answer) {
	s.t.Helper()
	if a.status != 402 || a.text("error") != reason || a.text("code") != "payment_refused" ||
		a.count("accepts") == 0 || a.decoded(s.t, "PAYMENT-REQUIRED")["error"] != reason {
		s.t.Errorf("%s: %d %s, want the reason %s", about, a.status, a.raw, reason)
	}
}

// waits checks an answer that asks to come again with the same payment.
func (s *shop) waits(about string, a *answer, status int, code string) {
	s.t.Helper()
	want(s.t, about, []any{a.status, a.text("code"), a.header.Get("Retry-After"), a.header.Get("PAYMENT-REQUIRED")},
		[]any{status, code, 1, ""})
}
