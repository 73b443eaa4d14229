package api

import (
	"database/sql"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tocsin/internal/pgtest"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402/x402test"
)

// TestAPaymentIsHeldWhileItIsSettledHoweverLongThatTakes: for longer than a lease lasts without renewal.
func TestAPaymentIsHeldWhileItIsSettledHoweverLongThatTakes(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := s.sign("GET", path)
	var during *answer
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(http.ResponseWriter, bool) bool {
			if during == nil {
				during = &answer{}
				s.Sleep(6 * time.Second)
				during = s.paid(payment, "GET", path, nil)
			}
			return false
		}
	})
	s.served("the first", s.paid(payment, "GET", path, nil))
	s.waits("the same payment meanwhile", during, 409, "payment_in_progress")
	s.counts("once", 1, 1, 1)
}

// TestWhatIsVerifiedInVainCountsForItsNetwork, whoever was at fault but a facilitator that cannot be reached.
func TestWhatIsVerifiedInVainCountsForItsNetwork(t *testing.T) {
	const path = "/screen/" + thief
	for about, spoil := range map[string]func(s *shop){
		"the wallet of a banned agent": func(s *shop) {
			s.banWallet()
		},
		"a settlement that is refused": func(s *shop) {
			refused := x402test.Status(200, `{"success":false,"errorReason":"insufficient_funds","transaction":"",`+
				`"network":"eip155:8453"}`)
			s.facilitator.Do(func() {
				s.facilitator.Settling = func(w http.ResponseWriter, _ bool) bool { return refused(w) }
			})
		},
		"a settlement without an answer": func(s *shop) {
			s.facilitator.Do(func() { s.facilitator.Settling = x402HangAlways })
		},
	} {
		s := openShop(t, func(c *Config) { c.Limits.RefusedPayments = 2 })
		spoil(s)
		for range 2 {
			if a := s.paid(s.sign("GET", path), "GET", path, nil); a.status == 200 || a.status == 429 {
				t.Errorf("%s: %d %s", about, a.status, a.raw)
			}
		}
		over := s.paid(s.sign("GET", path), "GET", path, nil)
		want(t, about+", the third time", []any{over.status, over.text("code")}, []any{429, "too_many_payments"})
		cheap := s.sign("GET", path, func(p map[string]any, _ bool) { p["accepted"].(map[string]any)["amount"] = "1" })
		s.refusedFor(about+", of another price", "No matching payment requirements", s.paid(cheap, "GET", path, nil))
	}
}

// TestAReasonOfTheFacilitatorIsNoLongerThan200Characters, or the header of the 402 would be.
func TestAReasonOfTheFacilitatorIsNoLongerThan200Characters(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	s.facilitator.Do(func() { s.facilitator.Verifying = notValidFor(strings.Repeat("no ", 100)) })
	a := s.paid(s.sign("GET", path), "GET", path, nil)
	if n := len([]rune(a.text("error"))); a.status != 402 || n < 150 || n > 200 {
		t.Errorf("%d: the reason has %d characters", a.status, n)
	}
}

// TestAFreeCallThatAnotherProcessHasTakenIsNotAnswered, and counts for nobody.
func TestAFreeCallThatAnotherProcessHasTakenIsNotAnswered(t *testing.T) {
	bounded := func(c *Config) { c.Quota, c.Limits.NetworkCalls = 1, 100 }
	s := start(t, bounded)
	other := startService(&service{t: t, place: s.place}, bounded)
	for range 5 {
		key := "x-api-key: " + s.key(-1)
		want(t, "a failure", other.get("/screen/nonsense", key).status, 400) // it knows the key now
		want(t, "the only call", s.get("/screen/"+thief, key).status, 200)
		a := other.get("/screen/"+thief, key)
		want(t, "in the other process", []any{a.status, a.text("code")}, []any{402, "free_tier_exhausted"})
	}
	me := other.get("/me", "x-api-key: "+s.key(-1))
	want(t, "what a fresh key has left", me.number("freeCalls.remaining"), 1)
	calls, wantLeft := other.api.Budgets().NetworkCalls, 100
	if pgtest.On() { // they share it
		wantLeft = 95
	}
	want(t, "what the network has left there", calls.Left(netip.MustParsePrefix("127.0.0.0/24")), wantLeft)
}

// TestAnAnswerThatCannotBeMadeIsNotPaidFor, and the payment is free again.
func TestAnAnswerThatCannotBeMadeIsNotPaidFor(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	op := s.api.operations["screenAddress"]
	run := op.endpoint.run
	op.endpoint.run = func(*call) (any, error) { return nil, errors.New("on purpose") }
	payment := s.sign("GET", path)
	failed := s.paid(payment, "GET", path, nil)
	want(t, "status and receipt", []any{failed.status, failed.header.Get("PAYMENT-RESPONSE")}, []any{500, ""})
	s.counts("failed", 1, 0, 0)
	op.endpoint.run = run
	s.served("for another request", s.paid(payment, "GET", "/screen/"+payTo, nil))
}

// TestARefusalThatCannotBeRecordedIsNone: the claim is still that of a payment that was sent.
func TestARefusalThatCannotBeRecordedIsNone(t *testing.T) {
	if pgtest.On() {
		t.Skip("it needs a trigger of SQLite")
	}
	s := openShop(t)
	const path = "/screen/" + thief
	db, err := sql.Open("sqlite", s.place) // the driver came with internal/store
	tocsintest.Must(t, err)
	defer db.Close()
	exec := func(query string) {
		_, err := db.Exec(query)
		tocsintest.Must(t, err)
	}
	exec("CREATE TRIGGER kept BEFORE DELETE ON claim BEGIN SELECT RAISE(ABORT, 'on purpose'); END")
	refused := x402test.Status(200, `{"success":false,"errorReason":"insufficient_funds","transaction":"",`+
		`"network":"eip155:8453"}`)
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, _ bool) bool { return refused(w) }
	})
	payment := s.sign("GET", path)
	s.waits("it is not recorded", s.paid(payment, "GET", path, nil), 503, "settlement_pending")
	exec("DROP TRIGGER kept")
	s.facilitator.Do(func() { s.facilitator.Settling = nil })
	s.Sleep(6 * time.Second) // longer than a lease
	s.served("in the end", s.paid(payment, "GET", path, nil))
	s.counts("once", 1, 2, 1)
}
