package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/x402/x402test"
)

// fromNetwork is the header of a client in one of many networks.
func fromNetwork(n int) string { return fmt.Sprintf("X-Forwarded-For: 198.51.%d.7", n) }

// TestBadPaymentsOfManyNetworksDoNotStopThoseOfAnother: the facilitator fails on the
// payments of twelve networks, two a second from each, for twenty seconds of the shop's
// clock. In each second a good payment of another network comes last.
func TestBadPaymentsOfManyNetworksDoNotStopThoseOfAnother(t *testing.T) {
	const path, networks, seconds, bad = "/screen/" + thief, 12, 20, 2
	for about, fault := range map[string]func(http.ResponseWriter) bool{
		"500": x402test.Status(500, ""), "no answer": x402test.Hang,
	} {
		t.Run(about, func(t *testing.T) {
			s := openMarket(t)
			var badCalls, asked atomic.Int32
			s.facilitator.Calling = func(w http.ResponseWriter, payer string) bool {
				if payer == s.wallet.Address {
					return false
				}
				badCalls.Add(1)
				return fault(w)
			}
			s.facilitator.Supporting = func(http.ResponseWriter) bool { asked.Add(1); return false }
			price := s.get(path).header.Get("PAYMENT-REQUIRED")
			for range seconds {
				var sending sync.WaitGroup
				for n := range networks {
					sending.Go(func() {
						for range bad {
							s.paid(x402test.NewWallet(s.Now).Pay(price, nil), "GET", path, nil, fromNetwork(n))
						}
					})
				}
				sending.Wait()
				s.served("a good payment", s.paid(s.wallet.Pay(price, nil), "GET", path, nil, goodNetwork))
				s.Sleep(time.Second)
			}
			s.counts("in the end", seconds, seconds, seconds)
			if n := badCalls.Load(); n > networks*(10+seconds/6+1) {
				t.Errorf("the facilitator was asked about %d bad payments", n)
			}
			if n := asked.Load(); n > badCalls.Load()/5 {
				t.Errorf("it was asked %d times what it supports", n)
			}
		})
	}
}

// TestFivePaymentsOfOneNetworkStopNobodyWhereSupportedIsNotAnswered: the facilitator verifies, and never says what it
// supports.
func TestFivePaymentsOfOneNetworkStopNobodyWhereSupportedIsNotAnswered(t *testing.T) {
	const path, good = "/screen/" + thief, 20
	for about, fault := range map[string]func(http.ResponseWriter) bool{
		"501": x402test.Status(501, ""), "no answer": x402test.Hang,
	} {
		t.Run(about, func(t *testing.T) {
			s := openMarket(t)
			s.facilitator.Calling = func(w http.ResponseWriter, payer string) bool {
				return payer != s.wallet.Address && x402test.Status(500, "")(w)
			}
			s.facilitator.Do(func() { s.facilitator.Supporting = fault })
			price := s.get(path).header.Get("PAYMENT-REQUIRED")
			for range 6 {
				s.paid(x402test.NewWallet(s.Now).Pay(price, nil), "GET", path, nil, badNetwork)
			}
			for range good {
				s.served("a good payment", s.paid(s.wallet.Pay(price, nil), "GET", path, nil, goodNetwork))
			}
			s.counts("in the end", good, good, good)
		})
	}
}

// TestAFacilitatorThatVerifiesNothingIsNotHammered: it fails on every payment, but says
// what it supports, so that it could be due to the payments. Each network is slowed, and
// nobody pays. A minute after it works again everybody is served.
func TestAFacilitatorThatVerifiesNothingIsNotHammered(t *testing.T) {
	const path, networks, seconds, calls = "/screen/" + thief, 8, 20, 2
	s := openMarket(t)
	s.facilitator.Do(func() { s.facilitator.Verifying = x402test.Status(500, "") })
	price := s.get(path).header.Get("PAYMENT-REQUIRED")
	limited := 0
	for range seconds {
		for n := range networks {
			for range calls {
				switch a := s.paid(s.wallet.Pay(price, nil), "GET", path, nil, fromNetwork(n)); {
				case a.status == 429 && a.text("code") == "too_many_payments" && a.header.Get("Retry-After") != "":
					limited++
				default:
					s.waits("a payment", a, 502, "facilitator_error")
				}
			}
		}
		s.Sleep(time.Second)
	}
	counts := s.facilitator.Counts()
	if counts.Verified > networks*(10+seconds/6+1) || counts.Verified+limited != networks*seconds*calls ||
		counts.Settled != 0 {
		t.Errorf("%+v, and %d calls were answered 429", counts, limited)
	}
	s.facilitator.Do(func() { s.facilitator.Verifying = nil })
	s.served("another network", s.paid(s.wallet.Pay(price, nil), "GET", path, nil, goodNetwork))
	s.Sleep(time.Minute)
	price = s.get(path).header.Get("PAYMENT-REQUIRED")
	for n := range networks {
		s.served("a network whose payments failed", s.paid(s.wallet.Pay(price, nil), "GET", path, nil, fromNetwork(n)))
	}
}

// TestWhileTheFacilitatorIsDownNobodyPaysAndNetworksKeepTheirPlaces: what is not sent
// cannot be refused.
func TestWhileTheFacilitatorIsDownNobodyPaysAndNetworksKeepTheirPlaces(t *testing.T) {
	const path = "/screen/" + thief
	s := openMarket(t)
	down := x402test.Status(503, "")
	s.facilitator.Do(func() { s.facilitator.Verifying, s.facilitator.Supporting = down, down })
	price := s.get(path).header.Get("PAYMENT-REQUIRED")
	for range 5 {
		s.waits("a payment", s.paid(s.wallet.Pay(price, nil), "GET", path, nil, goodNetwork), 502, "facilitator_error")
	}
	payment := s.wallet.Pay(price, nil)
	for range 50 {
		s.waits("a payment", s.paid(payment, "GET", path, nil, goodNetwork), 503, "facilitator_unavailable")
	}
	s.counts("while it is down", 5, 0, 0)
	const away = ". Payments are likely to fail at the moment"
	a := s.get(path)
	want(t, "the price while it is down", []any{a.status, a.count("accepts"), strings.Contains(a.text("detail"), away),
		strings.Contains(a.text("error"), away)}, []any{402, 1, true, true})
	s.facilitator.Do(func() { s.facilitator.Verifying, s.facilitator.Supporting = nil, nil })
	s.Sleep(500 * time.Millisecond)
	s.served("the same payment", s.paid(payment, "GET", path, nil, goodNetwork))
	s.counts("in the end", 6, 1, 1)
	want(t, "again", strings.Contains(s.get(path).text("detail"), away), false)
}
