package x402_test

import (
	"net/http"
	"testing"
	"time"

	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

// silent are the ways in which /supported is not answered.
var silent = map[string]func(http.ResponseWriter) bool{
	"501": x402test.Status(501, ""), "no answer": x402test.Hang, "a connection that is closed": x402test.Reset,
}

// TestWithoutSupportedFailedPaymentsStopNobodyElses: the facilitator verifies, and never says what it supports.
func TestWithoutSupportedFailedPaymentsStopNobodyElses(t *testing.T) {
	for about, fault := range silent {
		t.Run(about, func(t *testing.T) {
			o := newOutage(t)
			for round := range 5 {
				o.fails(x402test.Status(500, ""), fault)
				for range 7 {
					o.verifyFrom(1)
				}
				o.fails(nil, fault)
				for range 20 {
					if failure := o.verifyFrom(2); failure != nil {
						t.Fatalf("round %d: %v", round, failure)
					}
				}
			}
			o.fails(x402test.Status(500, ""), fault) // it has answered payments: from now on all are sent
			before := o.Counts().Verified
			for range 50 {
				o.verifyFrom(1)
			}
			if n := o.Counts().Verified - before; n != 50 {
				t.Errorf("%d of 50 payments were sent", n)
			}
		})
	}
}

// TestWhenOnlyPaymentsWorkAgainAllAreServed: everything failed, so that the breaker opened, and /supported still does.
func TestWhenOnlyPaymentsWorkAgainAllAreServed(t *testing.T) {
	for about, fault := range silent {
		t.Run(about, func(t *testing.T) {
			o := newOutage(t)
			if failure := o.client.Ask(t.Context()); failure != nil || o.verify() != nil {
				t.Fatal("it does not work at first")
			}
			o.fails(fault, fault)
			for range 10 {
				o.verify()
			}
			o.leftAlone("down")
			before := o.Counts().Verified
			for range 40 { // ten seconds
				o.clock.ahead.Add(int64(250 * time.Millisecond))
				for range 10 {
					o.verify()
				}
			}
			if n := o.Counts().Verified - before; n > 2*6 { // net/http sends a call again on a closed connection
				t.Errorf("while it was down a network sent %d payments in ten seconds", n)
			}
			o.fails(nil, fault)
			if failure := o.verifyFrom(1); failure != nil {
				t.Errorf("a network without a failed payment: %v", failure)
			}
			o.fails(fault, fault)
			for range 10 {
				o.verifyFrom(3)
			}
			o.fails(nil, fault)
			for n := range byte(20) {
				if failure := o.verifyFrom(n); failure != nil {
					t.Errorf("network %d: %v", n, failure)
				}
			}
		})
	}
}

// TestTheNetworkWhosePaymentsFailedIsServedTwoSecondsLater, also if it is the only one.
func TestTheNetworkWhosePaymentsFailedIsServedTwoSecondsLater(t *testing.T) {
	o := newOutage(t)
	fault := silent["501"]
	o.fails(fault, fault)
	for range 10 {
		o.verify()
	}
	o.fails(nil, fault)
	o.clock.ahead.Add(int64(2*time.Second - 1))
	o.leftAlone("a moment too early")
	o.clock.ahead.Add(1)
	for range 20 {
		if failure := o.verify(); failure != nil {
			t.Fatal(failure)
		}
	}
}

// TestAnAnswerOfSupportedMeansSomethingAgain: once it is answered, its silence opens the breaker as before.
func TestAnAnswerOfSupportedMeansSomethingAgain(t *testing.T) {
	o := newOutage(t)
	fault := silent["501"]
	o.fails(nil, fault)
	o.client.Ask(t.Context())
	o.verify()
	o.fails(fault, fault)
	for range 20 {
		o.verify()
	}
	o.want("it never meant anything", 21, 2)
	o.fails(fault, nil)
	o.client.Ask(t.Context())
	o.fails(fault, fault)
	for range 20 {
		o.clock.ahead.Add(int64(10 * time.Millisecond))
		o.verify()
	}
	o.clock.ahead.Add(int64(500 * time.Millisecond))
	o.verify()
	o.leftAlone("all fails")
}

// TestThePayerWhoseQuestionIsAnsweredIsServed, though its network had a payment fail a moment before.
func TestThePayerWhoseQuestionIsAnsweredIsServed(t *testing.T) {
	o := newOutage(t)
	o.breaks()
	o.want("open", 5, 1)
	f := o.verify()
	if f == nil || f.Cause != x402.Unreachable || f.MayHaveExecuted || f.Error() == "" {
		t.Errorf("a payment that is not sent: %+v", f)
	}
	o.fails(nil, nil)
	o.clock.ahead.Add(int64(500 * time.Millisecond))
	if failure := o.verify(); failure != nil {
		t.Error(failure)
	}
	o.want("in the end", 6, 2)
}

// TestAFacilitatorThatTurnsPaymentsAwayAnswers, though it does not say what it supports.
func TestAFacilitatorThatTurnsPaymentsAwayAnswers(t *testing.T) {
	o := newOutage(t)
	for _, status := range []int{400, 429} {
		o.fails(x402test.Status(status, ""), x402test.Status(501, ""))
		for range 20 {
			o.verify()
		}
	}
	o.want("all are sent", 40, 0)
}
