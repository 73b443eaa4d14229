package x402_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

// outage is a facilitator that can be made to fail, how often it was asked what it
// supports, and a client of it.
type outage struct {
	*x402test.Facilitator
	t      *testing.T
	clock  *clock
	client *x402.Facilitator
	asked  atomic.Int32
	fault  atomic.Pointer[func(http.ResponseWriter) bool] // of /supported
}

func newOutage(t *testing.T) *outage {
	t.Helper()
	o := &outage{Facilitator: x402test.NewFacilitator(), t: t, clock: new(clock)}
	t.Cleanup(o.Close)
	o.Supporting = func(w http.ResponseWriter) bool {
		o.asked.Add(1)
		fault := o.fault.Load()
		return fault != nil && (*fault)(w)
	}
	var err error
	o.client, err = x402.NewFacilitator(o.URL,
		x402.Options{Timeout: time.Minute, Now: o.clock.now, Transport: x402test.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// breaks makes everything fail, and pays until the breaker is open.
func (o *outage) breaks() {
	o.t.Helper()
	fault := x402test.Status(500, "")
	o.fails(fault, fault)
	for range 5 {
		o.verify()
	}
}

// fails has calls about payments fail in a way, and those to /supported in another; nil for not at all.
func (o *outage) fails(payments, supported func(http.ResponseWriter) bool) {
	o.Do(func() {
		o.Verifying, o.Settling = payments, nil
		if payments != nil {
			o.Settling = func(w http.ResponseWriter, _ bool) bool { return payments(w) }
		}
	})
	o.fault.Store(nil)
	if supported != nil {
		o.fault.Store(&supported)
	}
}

func (o *outage) verify() *x402.FacilitatorError { return o.verifyFrom(0) }

// verifyFrom verifies a payment of one of many networks.
func (o *outage) verifyFrom(network byte) *x402.FacilitatorError {
	from := x402.ForNetwork(o.t.Context(), netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, network, 0}), 24))
	_, failure := o.client.Verify(from, []byte(`{}`))
	return failure
}

// want checks how many calls arrived at the facilitator.
func (o *outage) want(about string, verified, asked int) {
	o.t.Helper()
	if v, a := o.Counts().Verified, int(o.asked.Load()); v != verified || a != asked {
		o.t.Errorf("%s: it was asked to verify %d times and what it supports %d times, want %d and %d", about, v, a,
			verified, asked)
	}
}

// leftAlone checks that the client does not call the facilitator.
func (o *outage) leftAlone(about string) {
	o.t.Helper()
	if f := o.verify(); f == nil || f.Cause != x402.Unreachable || f.MayHaveExecuted {
		o.t.Errorf("%s: %v", about, f)
	}
}

func TestAFacilitatorThatFailsIsLeftAloneAndFoundAgainWithinASecond(t *testing.T) {
	for about, fault := range map[string]func(http.ResponseWriter) bool{
		"500": x402test.Status(500, ""), "no answer": x402test.Hang, "a connection that is closed": x402test.Reset,
	} {
		t.Run(about, func(t *testing.T) {
			o := newOutage(t)
			sent := 1
			if about == "a connection that is closed" {
				sent = 2 // net/http sends the call again
			}
			o.fails(fault, fault)
			for range 200 {
				o.verify()
			}
			made, asked := o.Counts().Verified, int(o.asked.Load())
			if made > 5*sent || asked > sent {
				t.Errorf("it was asked to verify %d times, and %d times what it supports", made, asked)
			}
			o.leftAlone("open")
			if h := o.client.Health(); !h.Known || h.Reachable {
				t.Errorf("its health is %+v", h)
			}
			for range 3 { // less than the time after which a network may try
				before := int(o.asked.Load())
				o.clock.ahead.Add(int64(500 * time.Millisecond))
				for range 20 {
					o.leftAlone("after an interval")
				}
				if more := int(o.asked.Load()) - before; more < 1 || more > sent {
					t.Errorf("it is asked %d times in an interval", more)
				}
			}
			asked = int(o.asked.Load())
			o.fails(nil, nil)
			o.leftAlone("within the interval")
			o.clock.ahead.Add(int64(500 * time.Millisecond))
			for range 3 { // the one that asks is served itself
				if failure := o.verify(); failure != nil {
					t.Error(failure)
				}
			}
			o.want("in the end", made+3, asked+1)
			if h := o.client.Health(); !h.Reachable || !h.Settles(x402.Base) {
				t.Errorf("its health is %+v", h)
			}
		})
	}
}

// refusing is a transport on which no connection can be made, and how often that was tried.
type refusing struct{ tried atomic.Int32 }

func (r *refusing) RoundTrip(*http.Request) (*http.Response, error) {
	r.tried.Add(1)
	return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
}

// TestAFacilitatorThatIsGoneIsLeftAlone: no connection can be made, which no payment can cause.
func TestAFacilitatorThatIsGoneIsLeftAlone(t *testing.T) {
	var gone refusing
	o := newOutage(t)
	var err error
	o.client, err = x402.NewFacilitator(o.URL, x402.Options{Timeout: time.Minute, Now: o.clock.now, Transport: &gone})
	if err != nil {
		t.Fatal(err)
	}
	o.verify()
	if h := o.client.Health(); !h.Known || h.Reachable {
		t.Errorf("its health is %+v", h)
	}
	for range 100 {
		o.verify()
		o.client.Settle(t.Context(), []byte(`{}`), x402.Base)
	}
	o.leftAlone("gone")
	if n := gone.tried.Load(); n != 6 {
		t.Errorf("%d calls were tried, want 5 and a question", n)
	}
}

// TestWithACertificateThatIsNotTrustedNothingIsSent, so that a settlement is known not to have been carried out.
func TestWithACertificateThatIsNotTrustedNothingIsSent(t *testing.T) {
	var called atomic.Bool
	far := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Store(true) }))
	far.Config.ErrorLog = log.New(io.Discard, "", 0)
	far.StartTLS()
	defer far.Close()
	s := facilitator(t, far.URL, new(clock)).Settle(t.Context(), []byte(`{}`), x402.Base)
	if s.Err == nil || s.Err.Cause != x402.Unreachable || s.Outcome(false) != x402.Unsent || called.Load() {
		t.Errorf("%+v", s)
	}
}

// TestWhatOneSendsDoesNotStopTheCallsForOthers: the facilitator says what it supports
// meanwhile, so its failures may be those of the payments. It is asked that at most once
// in five failures, and in half a second.
func TestWhatOneSendsDoesNotStopTheCallsForOthers(t *testing.T) {
	for about, fault := range map[string]func(http.ResponseWriter) bool{
		"500": x402test.Status(500, ""), "503": x402test.Status(503, "busy"), "garbage": x402test.Status(200, "<html>"),
		"no answer": x402test.Hang, "a connection that is closed": x402test.Reset,
		"429": x402test.Status(429, ""), "400": x402test.Status(400, ""),
	} {
		for supported, answer := range map[string]func(http.ResponseWriter) bool{
			"answered": nil, "not there": x402test.Status(404, ""), "limited": x402test.Status(429, "slow down"),
		} {
			o := newOutage(t)
			for round := range 20 {
				o.fails(fault, answer)
				for range 6 {
					if o.verify() == nil {
						t.Fatalf("%s: a failure is a success", about)
					}
					o.client.Settle(t.Context(), []byte(`{}`), x402.Base)
				}
				o.fails(nil, answer)
				if failure := o.verify(); failure != nil {
					t.Fatalf("%s, /supported is %s, round %d: an honest payer gets %v", about, supported, round, failure)
				}
				o.clock.ahead.Add(int64(100 * time.Millisecond))
			}
			if n := o.asked.Load(); n > 20/5+2 {
				t.Errorf("%s: it was asked %d times in two seconds", about, n)
			}
		}
	}
}

// TestAFailureOfAPaymentSaysNothingOfTheFacilitator: anybody can cause one.
func TestAFailureOfAPaymentSaysNothingOfTheFacilitator(t *testing.T) {
	o := newOutage(t)
	o.fails(x402test.Status(500, ""), nil)
	for range 4 {
		o.verify()
	}
	if h := o.client.Health(); h.Known {
		t.Errorf("after failures: %+v", h)
	}
	o.fails(nil, nil)
	o.verify()
	if h := o.client.Health(); !h.Known || !h.Reachable {
		t.Errorf("after a verdict: %+v", h)
	}
	o.fails(x402test.Status(500, ""), x402test.Status(429, ""))
	for range 10 {
		o.verify()
	}
	if h := o.client.Health(); !h.Reachable {
		t.Errorf("after failures, and a question too many: %+v", h)
	}
}

// TestTheFacilitatorIsAskedByOneAtATime, and no other payer waits for that.
func TestTheFacilitatorIsAskedByOneAtATime(t *testing.T) {
	o := newOutage(t)
	o.breaks()
	o.want("open", 5, 1)
	release := make(chan bool)
	o.fails(nil, func(http.ResponseWriter) bool { <-release; return false })
	o.clock.ahead.Add(int64(time.Second))
	var asking sync.WaitGroup
	asking.Go(func() {
		if failure := o.verify(); failure != nil {
			t.Errorf("the one that asks gets %v", failure)
		}
	})
	tocsintest.Eventually(t, "it is asked", func() bool { return o.asked.Load() == 2 })
	for range 50 {
		o.leftAlone("while it is asked")
	}
	close(release)
	asking.Wait()
	o.want("in the end", 6, 2)
}

// TestACallerWhoGoesSaysNothingOfTheFacilitator: neither counts as a failure, nor ends the question of others.
func TestACallerWhoGoesSaysNothingOfTheFacilitator(t *testing.T) {
	o := newOutage(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range 20 {
		if _, failure := o.client.Verify(gone, []byte(`{}`)); failure == nil {
			t.Fatal("a call is made for nobody")
		}
	}
	o.want("callers who have gone", 0, 0)

	o.breaks()
	o.fails(nil, nil)
	o.clock.ahead.Add(int64(time.Second))
	o.client.Verify(gone, []byte(`{}`))
	o.want("it is asked nevertheless", 5, 2)
	if failure := o.verify(); failure != nil {
		t.Error(failure)
	}
}

// TestWhatItSupportsIsAskedWhileTheBreakerIsOpen: the answer closes it.
func TestWhatItSupportsIsAskedWhileTheBreakerIsOpen(t *testing.T) {
	o := newOutage(t)
	o.breaks()
	o.leftAlone("open")
	if o.client.Ask(t.Context()) == nil {
		t.Error("a failure is an answer")
	}
	o.leftAlone("open still")
	o.fails(nil, nil)
	if failure := o.client.Ask(t.Context()); failure != nil {
		t.Fatal(failure)
	}
	if failure := o.verify(); failure != nil {
		t.Error(failure)
	}
}

// TestACallThatOnlyAsksCannotOpenTheBreaker: payments may be verified where /supported fails.
func TestACallThatOnlyAsksCannotOpenTheBreaker(t *testing.T) {
	o := newOutage(t)
	o.fails(nil, x402test.Status(500, ""))
	for range 20 {
		o.client.Ask(t.Context())
	}
	if failure := o.verify(); failure != nil {
		t.Error(failure)
	}
}

// TestWithoutPaymentsTheWatchFindsTheFacilitatorAgain runs on a clock that jumps.
func TestWithoutPaymentsTheWatchFindsTheFacilitatorAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		var asked atomic.Int32
		client, err := x402.NewFacilitator("https://pay.example", x402.Options{Timeout: time.Minute, Now: time.Now,
			Transport: answering(func(r *http.Request) (int, string) {
				if r.URL.Path == "/supported" {
					asked.Add(1)
				}
				if down.Load() {
					return 0, ""
				}
				return 200, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}],"isValid":true}`
			})})
		if err != nil {
			t.Fatal(err)
		}
		var changes []bool
		go client.Watch(t.Context(), func(failure *x402.FacilitatorError, _ []string) {
			changes = append(changes, failure == nil)
		})
		want := func(about string, n int32, answers ...bool) {
			t.Helper()
			if synctest.Wait(); asked.Load() != n || !slices.Equal(changes, answers) {
				t.Errorf("%s: it was asked %d times and answered %v, want %d times, %v", about, asked.Load(), changes, n, answers)
			}
		}
		time.Sleep(time.Minute)
		want("at first", 1, true)
		down.Store(true)
		for range 10 {
			client.Verify(t.Context(), []byte(`{}`))
		}
		want("for a payment, and by the watch", 3, true, false)
		time.Sleep(5 * time.Second)
		want("after five seconds", 4, true, false)
		client.Verify(t.Context(), []byte(`{}`))
		want("for a payment: the watch does as before", 5, true, false)
		down.Store(false)
		time.Sleep(5 * time.Second)
		want("again", 6, true, false, true)
		if _, failure := client.Verify(t.Context(), []byte(`{}`)); failure != nil || asked.Load() != 6 {
			t.Errorf("%v, after it was asked %d times", failure, asked.Load())
		}
	})
}
