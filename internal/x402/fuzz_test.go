package x402_test

import (
	"net/http"
	"testing"

	"tocsin/internal/x402"
)

// FuzzFacilitator reads whatever a facilitator answers. A settlement is one or the other, or an error.
func FuzzFacilitator(f *testing.F) {
	f.Add(200, `{"isValid":true}`)
	f.Add(402, `{"success":false,"errorReason":"invalid_exact_evm_nonce_already_used","transaction":"","network":""}`)
	f.Add(200, `{"success":true,"transaction":"0x11","network":"eip155:8453","payer":"0x1"}`)
	f.Add(200, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}],"extensions":[],"signers":{}}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < http.StatusOK || status > 599 {
			return
		}
		facilitator, _ := answered(t, "https://facilitator.example", &status, &body)
		if v, err := facilitator.Verify(t.Context(), nil); err != nil && v.Valid {
			t.Errorf("%d %q is valid, and %v", status, body, err)
		}
		if s := facilitator.Settle(t.Context(), nil, x402.Base); s.Success && (s.Err != nil || status >= 500) {
			t.Errorf("%d %q is a success, and %v", status, body, s.Err)
		}
	})
}
