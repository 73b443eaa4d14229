package api

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"tocsin/internal/x402/x402test"
)

// rebuilt changes a payment in its JSON.
func rebuilt(t *testing.T, payment string, change func(p map[string]any)) string {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(payment)
	var p map[string]any
	if err != nil || json.Unmarshal(text, &p) != nil {
		t.Fatal(payment)
	}
	change(p)
	text, err = json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(text)
}

func extra(p map[string]any) map[string]any {
	return p["accepted"].(map[string]any)["extra"].(map[string]any)
}

func TestEach402HasATicketOfItsOwn(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	seen := map[string]bool{}
	for range 3 {
		a := s.get(path)
		ticket := a.text("accepts.0.extra.ticket")
		offered := a.decoded(t, "PAYMENT-REQUIRED")["accepts"].([]any)[0].(map[string]any)["extra"].(map[string]any)["ticket"]
		if len(ticket) != 16 || offered != ticket {
			t.Errorf("the tickets are %q and %v", ticket, offered)
		}
		seen[ticket] = true
	}
	want(t, "different tickets", len(seen), 3)
}

// TestAStrangerWhoReadsTheChainGetsNoAnswer: all of the signed part is in the
// transaction, the rest of a payment is in every 402, but for the ticket.
func TestAStrangerWhoReadsTheChainGetsNoAnswer(t *testing.T) {
	s := openShop(t)
	const path, other = "/screen/" + thief, "/screen/" + payTo
	payment := s.sign("GET", path)
	s.served("the payer", s.paid(payment, "GET", path, nil))
	ticket := s.get(path).text("accepts.0.extra.ticket")
	for about, change := range map[string]func(p map[string]any){
		"a ticket of the stranger": func(p map[string]any) { extra(p)["ticket"] = ticket },
		"no ticket":                func(p map[string]any) { delete(extra(p), "ticket") },
	} {
		forged := rebuilt(t, payment, change)
		right, wrong := s.paid(forged, "GET", path, nil), s.paid(forged, "GET", other, nil)
		s.refusedFor(about+", the right request", "payment_already_used", right)
		s.refusedFor(about+", a wrong request", "payment_already_used", wrong)
		want(t, about+": the words", right.text("detail"), wrong.text("detail"))
	}
	noTicket := rebuilt(t, payment, func(p map[string]any) { delete(extra(p), "ticket") })
	want(t, "a third guess", s.paid(noTicket, "GET", path, nil).status, 402)
	for _, guess := range []string{path, other} {
		a := s.paid(noTicket, "GET", guess, nil)
		want(t, "a guess too many", []any{a.status, a.text("code")}, []any{429, "too_many_payments"})
	}
	s.served("the payer again", s.paid(payment, "GET", path, nil))
	s.counts("in the end", 1, 1, 1)
}

// TestAPaymentThatIsPendingIsNotForStrangersEither: the transaction may be on the chain
// before its payer has an answer.
func TestAPaymentThatIsPendingIsNotForStrangersEither(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := s.sign("GET", path)
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return moved && x402test.Hang(w) }
	})
	s.waits("lost", s.paid(payment, "GET", path, nil), 504, "facilitator_timeout")
	s.facilitator.Do(func() { s.facilitator.Settling = nil })
	forged := rebuilt(t, payment, func(p map[string]any) { delete(extra(p), "ticket") })
	s.refusedFor("a stranger", "payment_already_used", s.paid(forged, "GET", path, nil))
	s.served("the payer", s.paid(payment, "GET", path, nil))
	want(t, "moved", s.facilitator.Counts().Moved, 1)
}

// TestWithoutATicketThreeWrongRequestsCloseAPayment: a client that makes its payments
// of a price list has no ticket. Its answers can be guessed, but not often.
func TestWithoutATicketThreeWrongRequestsCloseAPayment(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := rebuilt(t, s.sign("GET", path), func(p map[string]any) { delete(extra(p), "ticket") })
	first := s.paid(payment, "GET", path, nil)
	s.served("first", first)
	for range 5 {
		s.served("again", s.paid(payment, "GET", path, nil))
	}
	for _, guess := range []string{payTo, s.wallet.Address, feeWallet} {
		s.refusedFor("a guess", "payment_already_used", s.paid(payment, "GET", "/screen/"+guess, nil))
	}
	for _, request := range []string{path, "/screen/" + payTo} { // the right one and a wrong one alike
		a := s.paid(payment, "GET", request, nil)
		want(t, "closed", []any{a.status, a.text("code"), a.header.Get("PAYMENT-REQUIRED")},
			[]any{429, "too_many_payments", ""})
	}
	s.Sleep(20 * time.Minute)
	again := s.paid(payment, "GET", path, nil)
	s.served("open again", again)
	want(t, "the same answer", string(again.raw), string(first.raw))
	s.counts("in the end", 1, 1, 1)
}

// TestToRepeatAPaymentThatIsInProgressIsNoGuess: its payer is asked to repeat it, and may have no ticket.
func TestToRepeatAPaymentThatIsInProgressIsNoGuess(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := rebuilt(t, s.sign("GET", path), func(p map[string]any) { delete(extra(p), "ticket") })
	var during []*answer
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(_ http.ResponseWriter, moved bool) bool {
			for moved && len(during) < 4 {
				during = append(during, s.paid(payment, "GET", path, nil))
			}
			return false
		}
	})
	s.served("the first", s.paid(payment, "GET", path, nil))
	want(t, "meanwhile", len(during), 4)
	for _, a := range during {
		s.waits("the same payment meanwhile", a, 409, "payment_in_progress")
	}
	s.served("afterwards", s.paid(payment, "GET", path, nil))
}

const feeWallet = "0x1111111111111111111111111111111111111111"

func TestTheSamePaymentInOtherWordsIsNotTheSame(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := s.sign("GET", path)
	s.served("first", s.paid(payment, "GET", path, nil))
	reordered := rebuilt(t, payment, func(p map[string]any) { p["more"] = true })
	s.refusedFor("with more in it", "payment_already_used", s.paid(reordered, "GET", path, nil))
	s.served("without padding", s.paid(strings.TrimRight(payment, "="), "GET", path, nil))
	s.served("in the other header", s.get(path, "X-Payment: "+payment))
}
