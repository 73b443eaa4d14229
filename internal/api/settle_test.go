package api

import (
	"net/http"
	"testing"
	"time"

	"tocsin/internal/x402/x402test"
)

// TestTheReconcilerAsksEverLessOftenAndStopsAfterTwoDays looks at a payment whose
// settlement is never answered, in steps that are short beside its age.
func TestTheReconcilerAsksEverLessOftenAndStopsAfterTwoDays(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := s.sign("GET", path)
	s.facilitator.Do(func() { s.facilitator.Settling = x402HangAlways })
	began := s.Now()
	s.waits("lost", s.paid(payment, "GET", path, nil), 504, "facilitator_timeout")

	last, times := time.Duration(0), 0 // when the facilitator was last asked, by the age of the payment
	for age := time.Duration(0); age < 60*time.Hour; {
		step := max(min(age/10, 10*time.Minute), time.Second/4)
		s.Sleep(step)
		age = s.Now().Sub(began)
		before := s.facilitator.Counts().Settled
		s.api.reconcileDue(t.Context())
		if s.facilitator.Counts().Settled == before {
			continue
		}
		wait := min(max(last, time.Second), time.Hour) // as long as it was old, a second to an hour
		if since := age - last; since < wait || since > wait+step {
			t.Errorf("%v after it was asked at an age of %v it is asked again, want %v", since, last, wait)
		}
		last = age
		times++
	}
	if last < 48*time.Hour || last > 49*time.Hour+20*time.Minute {
		t.Errorf("it is last asked at an age of %v", last)
	}
	if times < 50 || times > 65 { // doubling for an hour, then each hour
		t.Errorf("it is asked %d times", times)
	}

	s.facilitator.Do(func() { s.facilitator.Settling = nil })
	s.Sleep(time.Second)
	s.served("the payer comes after all", s.paid(payment, "GET", path, nil))
	s.counts("in the end", 1, s.facilitator.Counts().Settled, 1)
}

func TestSuccessOnAnotherNetworkIsNoSuccess(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	payment := s.sign("GET", path)
	elsewhere := x402test.Status(200, `{"success":true,"transaction":"0xfeed","network":"eip155:1"}`)
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return moved && elsewhere(w) }
	})
	s.waits("on another network", s.paid(payment, "GET", path, nil), 502, "facilitator_error")
	s.facilitator.Do(func() { s.facilitator.Settling = nil })
	s.served("on ours", s.paid(payment, "GET", path, nil))
	s.counts("in the end", 1, 3, 1)
}
