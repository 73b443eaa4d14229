package api

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
	"tocsin/internal/x402/x402test"
)

const (
	badNetwork  = "X-Forwarded-For: 198.51.100.7"
	goodNetwork = "X-Forwarded-For: 203.0.113.7"
)

// openMarket opens a shop whose callers come from different networks, with the limit on
// refused payments that serve has.
func openMarket(t *testing.T) *shop {
	return openShop(t, func(c *Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		c.Limits.RefusedPayments = 10
	})
}

// holdOthers has the facilitator hold all payments but those of the wallet until release is called, at the latest at
// the end of the test.
func (s *shop) holdOthers() (held *atomic.Int32, release func()) {
	held = new(atomic.Int32)
	released := make(chan struct{})
	release = sync.OnceFunc(func() { close(released) })
	s.t.Cleanup(release)
	s.facilitator.Calling = func(_ http.ResponseWriter, payer string) bool {
		if payer != s.wallet.Address {
			held.Add(1)
			<-released
		}
		return false
	}
	return held, release
}

// ofContract makes of a payment one whose signature only the chain can check.
func ofContract(p map[string]any, signed bool) {
	if payload := p["payload"].(map[string]any); signed {
		payload["signature"] = payload["signature"].(string) + "00"
	}
}

// TestBadPaymentsOfOneNetworkDoNotStopThoseOfAnother sends fifty bad payments a second
// from one network and one good payment a second from another, for twenty seconds of the
// shop's clock. In each second the good one comes last.
func TestBadPaymentsOfOneNetworkDoNotStopThoseOfAnother(t *testing.T) {
	const path, seconds, bad = "/screen/" + thief, 20, 50
	unfunded := x402test.Status(200, `{"isValid":false,"invalidReason":"insufficient_funds"}`)
	for about, c := range map[string]struct {
		fault  func(http.ResponseWriter) bool
		change func(payment map[string]any, signed bool)
	}{
		"unfunded, and the facilitator allows 20 calls a second":                  {unfunded, nil},
		"unfunded contract wallets, and the facilitator allows 20 calls a second": {unfunded, ofContract},
		"the facilitator fails on what they hold":                                 {x402test.Status(500, ""), nil},
		"the facilitator fails on what contract wallets signed":                   {x402test.Status(500, ""), ofContract},
		"the facilitator does not answer":                                         {x402test.Hang, nil},
		"the facilitator closes the connection":                                   {x402test.Reset, ofContract},
	} {
		t.Run(about, func(t *testing.T) {
			s := openMarket(t)
			var calls, badCalls atomic.Int32 // of the facilitator, in this second and in all
			s.facilitator.Calling = func(w http.ResponseWriter, payer string) bool {
				if calls.Add(1) > 20 {
					return x402test.Status(429, `{"error":"rate limit"}`)(w)
				}
				if payer == s.wallet.Address {
					return false
				}
				badCalls.Add(1)
				return c.fault(w)
			}
			price := s.get(path).header.Get("PAYMENT-REQUIRED")
			served, limited := 0, atomic.Int32{}
			for range seconds {
				var sending sync.WaitGroup
				for range bad {
					payment := x402test.NewWallet(s.Now).Pay(price, c.change)
					sending.Go(func() {
						a := s.paid(payment, "GET", path, nil, badNetwork)
						if a.status == 200 {
							t.Errorf("a bad payment is served: %s", a.raw)
						}
						if a.status == 429 && a.text("code") == "too_many_payments" && a.header.Get("Retry-After") != "" {
							limited.Add(1)
						}
					})
				}
				sending.Wait()
				if a := s.paid(s.wallet.Pay(price, c.change), "GET", path, nil, goodNetwork); a.status == 200 {
					served++
				} else {
					t.Logf("%d %s", a.status, a.raw)
				}
				calls.Store(0)
				s.Sleep(time.Second)
			}
			want(t, "good payments that are served", served, seconds)
			// Ten at once, and one each six seconds; those on a connection that is closed are sent twice.
			if n := badCalls.Load(); n > 2*(10+seconds/6+1) {
				t.Errorf("the facilitator was asked about %d bad payments", n)
			}
			if n := limited.Load(); n < bad*seconds*9/10 {
				t.Errorf("%d bad payments were answered 429", n)
			}
		})
	}
}

// TestPaymentsThatHangLeaveContractWalletsTheirPlaces holds every call for one network
// at the facilitator.
func TestPaymentsThatHangLeaveContractWalletsTheirPlaces(t *testing.T) {
	s := openMarket(t)
	const path = "/screen/" + thief
	held, release := s.holdOthers()
	price := s.get(path).header.Get("PAYMENT-REQUIRED")
	var sending sync.WaitGroup
	var over atomic.Int32
	for range 100 {
		payment := x402test.NewWallet(s.Now).Pay(price, ofContract)
		sending.Go(func() {
			if s.paid(payment, "GET", path, nil, badNetwork).status == 429 {
				over.Add(1)
			}
		})
	}
	tocsintest.Eventually(t, "all are held or turned away", func() bool { return held.Load()+over.Load() == 100 })
	for range 20 {
		s.served("a contract wallet of another network",
			s.paid(s.wallet.Pay(price, ofContract), "GET", path, nil, goodNetwork))
	}
	want(t, "held", held.Load(), 8)
	release()
	sending.Wait()
}

func TestANumberThatDoesNotFitIsRefusedBeforeAnythingIsSent(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	const over = "115792089237316195423570985008687907853269984665640564039457584007913129639936" // 2^256
	for _, field := range []string{"value", "validAfter", "validBefore"} {
		payment := s.sign("GET", path, func(p map[string]any, signed bool) {
			if signed {
				p["payload"].(map[string]any)["authorization"].(map[string]any)[field] = over
			}
		})
		a := s.paid(payment, "GET", path, nil)
		if a.status != 400 || a.text("code") != "invalid_payment" ||
			!strings.Contains(a.text("detail"), fmt.Sprintf("payload.authorization.%s must be less than 2^", field)) {
			t.Errorf("%s: %d %s", field, a.status, a.raw)
		}
	}
	s.counts("in the end", 0, 0, 0)
}

// TestANetworkThatPaysIsNotHeldUp: a network has many callers who pay at once.
func TestANetworkThatPaysIsNotHeldUp(t *testing.T) {
	s := openMarket(t)
	const path, callers = "/screen/" + thief, 100
	price := s.get(path).header.Get("PAYMENT-REQUIRED")
	var paying sync.WaitGroup
	for range callers {
		payment := x402test.NewWallet(s.Now).Pay(price, nil)
		paying.Go(func() {
			if a := s.paid(payment, "GET", path, nil, goodNetwork); a.status != 200 {
				t.Errorf("%d %s", a.status, a.raw)
			}
		})
	}
	paying.Wait()
	s.counts("in the end", callers, callers, callers)
}

// TestWhatWasPaidForIsFoundWhateverOthersOfTheNetworkSend: the limit is for payments
// that are not on record.
func TestWhatWasPaidForIsFoundWhateverOthersOfTheNetworkSend(t *testing.T) {
	s := openMarket(t)
	const path = "/screen/" + thief
	paid, lost := s.sign("GET", path), s.sign("GET", path)
	s.served("paid", s.paid(paid, "GET", path, nil, badNetwork))
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return moved && x402test.Hang(w) }
	})
	s.waits("lost", s.paid(lost, "GET", path, nil, badNetwork), 504, "facilitator_timeout")
	s.facilitator.Do(func() {
		s.facilitator.Settling = nil
		s.facilitator.Verifying = x402test.Status(200, `{"isValid":false,"invalidReason":"insufficient_funds"}`)
	})
	for range 20 {
		s.paid(s.sign("GET", path), "GET", path, nil, badNetwork)
	}
	before := s.facilitator.Counts()
	a := s.paid(s.sign("GET", path), "GET", path, nil, badNetwork)
	want(t, "another payment", []any{a.status, a.text("code"), a.header.Get("Retry-After")},
		[]any{429, "too_many_payments", 6})
	s.served("paid, again", s.paid(paid, "GET", path, nil, badNetwork))
	s.waits("lost, again", s.paid(lost, "GET", path, nil, badNetwork), 503, "settlement_pending")
	want(t, "calls of the facilitator", s.facilitator.Counts(), before)
	s.Sleep(time.Second)
	s.api.reconcileDue(t.Context())
	tocsintest.Eventually(t, "lost, and reconciled", func() bool { // once that is written
		return s.paid(lost, "GET", path, nil, badNetwork).status == 200
	})
	want(t, "moved", s.facilitator.Counts().Moved, 2)
}
