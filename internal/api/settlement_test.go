package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

// TestTroubleWithTheFacilitatorCostsNobody breaks each call of the facilitator
// in each way. No answer makes a client sign again; and the same payment, sent
// again when all is well, is answered and moved once.
func TestTroubleWithTheFacilitatorCostsNobody(t *testing.T) {
	faults := map[string]func(http.ResponseWriter) bool{
		"500": x402test.Status(500, `{"error":"x"}`), "503": x402test.Status(503, ""),
		"429": x402test.Status(429, "slow down"), "400": x402test.Status(400, `{"errorType":"bad"}`),
		"not JSON": x402test.Status(200, "<html>"), "empty": x402test.Status(200, ""),
		"wrong shape": x402test.Status(200, `{"ok":true}`), "array": x402test.Status(200, `[]`),
		"redirect": x402test.Status(302, ""), "reset": x402test.Reset, "hangs": x402test.Hang,
		"success without proof": x402test.Status(200, `{"success":true,"isValid":"yes"}`),
		"long":                  x402test.Status(200, strings.Repeat(" ", 2<<20)),
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
				if sure {
					s.Sleep(time.Minute) // and nobody moves it later
					s.api.reconcileDue(t.Context())
					want(t, when+": moved by nobody", s.facilitator.Counts().Moved, moved)
				} else {
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
	pendingAnswer := x402test.Status(200,
		`{"success":false,"errorReason":"settlement_pending","transaction":"0xabc","network":"eip155:8453"}`)

	payment := s.sign("GET", path) // pending once: the second, identical settlement tells
	var asked atomic.Int32
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter,
			moved bool) bool {
			return moved && asked.Add(1) == 1 && pendingAnswer(w)
		}
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
		want(t, "receipt", []any{receipt["success"], receipt["errorReason"], receipt["transaction"]},
			[]any{false, "settlement_pending", "0xabc"})
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
	refuse := x402test.Status(200,
		`{"success":false,"errorReason":"invalid_exact_evm_insufficient_balance","transaction":""}`)
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return !moved && refuse(w) }
	})
	payment := s.sign("GET", path)
	a := s.paid(payment, "GET", path, nil)
	s.refusedFor("settle", "invalid_exact_evm_insufficient_balance", a)
	want(t, "receipt",
		[]any{a.decoded(t, "PAYMENT-RESPONSE")["success"], a.decoded(t, "PAYMENT-RESPONSE")["errorReason"],
			a.in("riskScore")}, []any{false, "invalid_exact_evm_insufficient_balance", nil})
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
	others, _ := s.db.DueClaims(t.Context(), 10) // as another process reads them at the same time
	s.api.reconcileDue(t.Context())
	s.api.reconcile(t.Context(), others[0])
	due, err := s.db.DueClaims(t.Context(), 10)
	want(t, "asked, and due no more", []any{s.facilitator.Counts().Settled, len(due), err},
		[]any{before.Settled + 1, 0, nil})
	s.facilitator.Do(func() { s.facilitator.Settling = x402HangAlways })
	s.Sleep(10 * time.Hour) // late answers are kept for a day
	tocsintest.Must(t, s.db.PruneClaims(t.Context()))
	s.served("the caller is back", s.paid(payment, "GET", path, nil))
	want(t, "moved", s.facilitator.Counts().Moved, 1)
}

func TestACallerWhoHasGonePaysNothingOrFindsHisAnswer(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	s.get(path, "x-api-key: "+s.key(1)) // from now on in memory: no read from the database fails for a caller who has gone
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

// toldChain is a node that always says the same.
type toldChain struct {
	state       x402.ChainState
	transaction string
}

func (c toldChain) State(context.Context, []byte) (x402.ChainState, string, error) {
	return c.state, c.transaction, nil
}

// notValidFor is a verdict of the facilitator.
func notValidFor(reason string) func(http.ResponseWriter) bool {
	return x402test.Status(200, `{"isValid":false,"invalidReason":"`+reason+`"}`)
}

// crashed leaves a payment as a process does that died after it had claimed it.
func (s *shop) crashed(header, path string) (order []byte) {
	s.t.Helper()
	return s.stopped(header, path).claim.Payment
}

// stopped begins a paid call as a process does that was stopped after it had claimed the payment, for longer than its
// lease.
func (s *shop) stopped(header, path string) *sale {
	s.t.Helper()
	p, err := x402.Decode(header)
	if err != nil {
		s.t.Fatal(err)
	}
	op := s.api.operations["screenAddress"]
	c := &call{Request: httptest.NewRequest("GET", baseURL+s.api.contract.Base+path, nil)}
	sale := s.api.newSale(op, c, p, nil)
	if sale.refusal != nil {
		s.t.Fatal(sale.refusal)
	}
	if result, err := s.db.Claim(s.t.Context(), sale.claim, true); err != nil || result != store.Acquired {
		s.t.Fatal(result, err)
	}
	s.db.Unlock(sale.claim)
	s.Sleep(6 * time.Second)
	return sale
}

// TestAPaymentThatAnotherCallHasTakenOverIsSentByThatOne alone, and not a second time by the call that was stopped.
func TestAPaymentThatAnotherCallHasTakenOverIsSentByThatOne(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	header := s.sign("GET", path)
	first := s.stopped(header, path)
	s.served("taken over", s.paid(header, "GET", path, nil))
	first.call.SetPathValue("address", thief)
	first.call.out, first.call.responseHeader = new(bytes.Buffer), http.Header{}
	tocsintest.Must(t, first.call.check(first.op))
	var later *Later
	if err := first.prepareResponse(t.Context()); !errors.As(err, &later) || later.Fault.Code != paymentInProgress {
		t.Errorf("the call that was stopped goes on: %v", err)
	}
	s.counts("once", 1, 1, 1)
}

// TestAfterACrashOnlyTheChainSaysThatAPaymentWasExecuted begins with a claim whose
// process died. It may have sent the payment (the power failed right after) or not (it
// was killed while it verified it). Now the payment is not valid any more.
func TestAfterACrashOnlyTheChainSaysThatAPaymentWasExecuted(t *testing.T) {
	const path = "/screen/" + thief
	for about, c := range map[string]struct {
		sent  bool
		chain Chain
		want  string
	}{
		"sent, no node":                         {true, nil, "503 settlement_pending"},
		"never sent and spent otherwise":        {false, nil, "503 settlement_pending"},
		"sent, the chain has it":                {true, toldChain{x402.Executed, "0xfeed"}, "200"},
		"never sent, the chain has another use": {false, toldChain{x402.Void, ""}, "402 payment_refused"},
		"the chain does not know":               {true, toldChain{x402.Unknown, ""}, "503 settlement_pending"},
	} {
		for first, verdict := range map[string]func(http.ResponseWriter) bool{
			"the facilitator is away at first": x402test.Status(503, ""),
			"the wallet is empty at first":     notValidFor("insufficient_funds"),
			"the nonce is used":                notValidFor("invalid_exact_evm_nonce_already_used"),
		} {
			s := openShop(t, func(config *Config) {
				if c.chain != nil {
					config.Payments.Chains = map[string]Chain{x402.Base: c.chain}
				}
			})
			header := s.sign("GET", path)
			order := s.crashed(header, path)
			spend := func() {
				res, err := http.Post(s.facilitator.URL+"/settle", "application/json", bytes.NewReader(order))
				if err != nil {
					t.Fatal(err)
				}
				res.Body.Close()
			}
			spend() // for us by the process, or for somebody else: the facilitator knows only that it is spent
			s.facilitator.Do(func() { s.facilitator.Verifying = verdict })
			s.paid(header, "GET", path, nil)
			s.facilitator.Do(func() { s.facilitator.Verifying = nil })
			for range 3 { // the caller asks again, and the reconciler does
				s.Sleep(10 * time.Minute)
				s.api.reconcileDue(t.Context())
				a := s.paid(header, "GET", path, nil)
				got := fmt.Sprint(a.status)
				if a.status != 200 {
					got += " " + a.text("code")
				}
				want(t, about+", "+first, got, c.want)
			}
			want(t, about+": moved", s.facilitator.Counts().Moved, 1)
		}
	}
}

func TestAfterACrashAPaymentThatIsStillGoodIsTaken(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	header := s.sign("GET", path)
	s.crashed(header, path)
	s.served("after the crash", s.paid(header, "GET", path, nil))
	s.counts("in the end", 1, 1, 1)
}

// TestWordsThatAreNoRefusalKeepAPaymentOpen: the facilitator has sent the transaction,
// sent it again, and passes on what its node says about its own account.
func TestWordsThatAreNoRefusalKeepAPaymentOpen(t *testing.T) {
	for _, words := range []string{
		"nonce too low: next nonce 811, tx nonce 810", "insufficient funds for gas * price + value",
		"invalid signature values",
	} {
		s := openShop(t)
		const path = "/screen/" + thief
		payment := s.sign("GET", path)
		says := x402test.Status(200, `{"success":false,"errorReason":"`+words+`","transaction":""}`)
		s.facilitator.Do(func() {
			s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return moved && says(w) }
		})
		s.waits(words, s.paid(payment, "GET", path, nil), 503, "settlement_pending")
		s.facilitator.Do(func() { s.facilitator.Settling = nil })
		s.served(words, s.paid(payment, "GET", path, nil))
		s.counts(words, 1, 2, 1)
	}
}

// TestTheChainIsAskedBeforeAPaymentThatMayBeExecutedIsRefused: a facilitator that sends
// an order twice says of its second attempt that the nonce is used.
func TestTheChainIsAskedBeforeAPaymentThatMayBeExecutedIsRefused(t *testing.T) {
	const path = "/screen/" + thief
	for _, c := range []struct {
		reason string
		chain  Chain
		status int
		code   string
	}{
		{"invalid_exact_evm_nonce_already_used", toldChain{x402.Executed, "0xfeed"}, 200, ""},
		{"invalid_exact_evm_nonce_already_used", toldChain{x402.Void, ""}, 402, "payment_refused"},
		{"invalid_exact_evm_nonce_already_used", toldChain{x402.Unknown, ""}, 503, "settlement_pending"},
		{"invalid_exact_evm_nonce_already_used", nil, 402, "payment_refused"},
		{"invalid_exact_evm_transaction_simulation_failed", toldChain{x402.Executed, "0xfeed"}, 200, ""},
		{"invalid_exact_evm_transaction_simulation_failed", toldChain{x402.Unspent, ""}, 402, "payment_refused"},
		{"invalid_exact_evm_insufficient_balance", toldChain{x402.Executed, "0xfeed"}, 402, "payment_refused"},
	} {
		s := openShop(t, func(config *Config) {
			if c.chain != nil {
				config.Payments.Chains = map[string]Chain{x402.Base: c.chain}
			}
		})
		says := x402test.Status(200, `{"success":false,"errorReason":"`+c.reason+`","transaction":""}`)
		s.facilitator.Do(func() {
			s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return moved && says(w) }
		})
		a := s.paid(s.sign("GET", path), "GET", path, nil)
		want(t, fmt.Sprint(c.reason, " ", c.chain), []any{a.status, a.text("code")}, []any{c.status, c.code})
	}
}
