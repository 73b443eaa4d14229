package api

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"tocsin/internal/store"
	"tocsin/internal/x402/x402test"
)

// TestAPaymentIsAnsweredThoughAReportInItsAnswerIsErased: while it is pending, after the reconciler has settled
// it, and after it was answered.
func TestAPaymentIsAnsweredThoughAReportInItsAnswerIsErased(t *testing.T) {
	const path = "/community-reports"
	pending := x402test.Status(200, `{"success":false,"errorReason":"settlement_pending","transaction":"0xabc",`+
		`"network":"eip155:8453"}`)
	for _, when := range []string{"pending", "reconciled", "answered"} {
		s := openShop(t)
		kept, gone := s.file(filing("title", "Stays")), s.file(filing("title", "Goes"))
		payment := s.sign("GET", path)
		if when != "answered" {
			s.facilitator.Do(func() {
				s.facilitator.Settling = func(w http.ResponseWriter, _ bool) bool { return pending(w) }
			})
		}
		first := s.paid(payment, "GET", path, nil)
		want(t, when+": at first", first.status == 200, when == "answered")
		s.facilitator.Do(func() { s.facilitator.Settling = nil })
		if _, _, err := s.db.Erase(t.Context(), store.Operator{}, gone.text("id")); err != nil {
			t.Fatal(err)
		}
		if when == "reconciled" {
			s.Sleep(time.Minute)
			s.api.reconcileDue(t.Context())
		}
		op := s.api.operations["listReports"]
		run := op.endpoint.run
		op.endpoint.run = func(*call) (any, error) { return nil, errors.New("on purpose") }
		failed := s.paid(payment, "GET", path, nil)
		want(t, when+": it cannot be made again, and says whether it was paid for",
			[]any{failed.status, failed.header.Get("PAYMENT-RESPONSE") != ""}, []any{500, when != "pending"})
		op.endpoint.run = run
		again := s.paid(payment, "GET", path, nil)
		s.served(when, again)
		text := string(again.raw)
		if !strings.Contains(text, kept.text("id")) || strings.Contains(text, gone.text("id")) {
			t.Errorf("%s: the answer is %s", when, text)
		}
		s.file(filing("title", "Later"))
		want(t, when+": it is made once", string(s.paid(payment, "GET", path, nil).raw), text)
		want(t, when+": moved", s.facilitator.Counts().Moved, 1)
	}
}
