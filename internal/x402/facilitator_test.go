package x402_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

// clock is a clock that moves only when a test sets it.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time {
	return time.Unix(1_800_000_000, 0).Add(time.Duration(c.ahead.Load()))
}

func facilitator(t *testing.T, url string, c *clock) *x402.Facilitator {
	t.Helper()
	f, err := x402.NewFacilitator(url, x402.Options{Timeout: time.Minute, Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sender returns a payer in a network of its own for each number.
func sender(n int) x402.Sender {
	network := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(n >> 8), byte(n), 0}), 24)
	return x402.Sender{Network: network, Payer: fmt.Sprint("payer ", n)}
}

func TestAFacilitatorThatFailsIsLeftAloneAndTriedAgainWithinASecond(t *testing.T) {
	far, c := x402test.NewFacilitator(), new(clock)
	defer far.Close()
	f := facilitator(t, far.URL, c)
	senders := 0
	verify := func() *x402.FacilitatorError {
		senders++
		_, failure := f.Verify(t.Context(), []byte(`{}`), sender(senders))
		return failure
	}
	far.Do(func() { far.Verifying = x402test.Status(500, "") })
	for range 20 {
		verify()
	}
	if n := far.Counts().Verified; n != 5 {
		t.Errorf("%d calls were made, want 5 that failed", n)
	}
	if failure := verify(); failure == nil || failure.Cause != x402.Unreachable || failure.MayHaveExecuted {
		t.Errorf("left alone: %v", failure)
	}
	c.ahead.Add(int64(time.Second))
	verify()
	verify()
	if n := far.Counts().Verified; n != 6 {
		t.Errorf("%d calls were made to see whether it has recovered, want 1", n-5)
	}
	far.Do(func() { far.Verifying = nil })
	c.ahead.Add(int64(time.Second))
	for range 3 { // the one that tries is served itself
		if failure := verify(); failure != nil {
			t.Error(failure)
		}
	}
}

// TestWhatOneSendsDoesNotStopTheCallsForOthers: a facilitator can be made to fail by
// what a payment holds, and by how many are sent.
func TestWhatOneSendsDoesNotStopTheCallsForOthers(t *testing.T) {
	network := func(n int) x402.Sender { return x402.Sender{Network: sender(1).Network, Payer: sender(n).Payer} }
	payer := func(n int) x402.Sender { return x402.Sender{Network: sender(n).Network, Payer: "one"} }
	for _, c := range []struct {
		about string
		fault func(http.ResponseWriter) bool
		from  func(n int) x402.Sender
	}{
		{"500 for many payers of one network", x402test.Status(500, ""), network},
		{"500 for one payer in many networks", x402test.Status(500, ""), payer},
		{"garbage", x402test.Status(200, "<html>"), network},
		{"no answer", x402test.Hang, network},
		{"a connection that is closed", x402test.Reset, network},
		{"429 for everybody", x402test.Status(429, ""), sender},
		{"400 for everybody", x402test.Status(400, ""), sender},
	} {
		far := x402test.NewFacilitator()
		defer far.Close()
		f, err := x402.NewFacilitator(far.URL,
			x402.Options{Timeout: time.Minute, Now: new(clock).now, Transport: x402test.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		far.Do(func() {
			far.Verifying = c.fault
			far.Settling = func(w http.ResponseWriter, _ bool) bool { return c.fault(w) }
		})
		for n := range 20 {
			if _, failure := f.Verify(t.Context(), []byte(`{}`), c.from(n)); failure == nil {
				t.Fatalf("%s: a failure is a success", c.about)
			}
			f.Settle(t.Context(), []byte(`{}`), x402.Base, c.from(n))
		}
		if f.Health().Known {
			t.Errorf("%s: the facilitator counts as unreachable", c.about)
		}
		far.Do(func() { far.Verifying = nil })
		if _, failure := f.Verify(t.Context(), []byte(`{}`), sender(100)); failure != nil {
			t.Errorf("%s: another one is told %v", c.about, failure)
		}
	}
}

// TestACallHasATimeout calls a facilitator that never responds, so that the test does not
// depend on the speed of the machine.
func TestACallHasATimeout(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/supported" {
			w.Write([]byte(`{"kinds":[]}`))
			return
		}
		io.Copy(io.Discard, r.Body) // or the caller's end is not seen
		<-r.Context().Done()
	}))
	defer far.Close()
	c := new(clock)
	f, err := x402.NewFacilitator(far.URL, x402.Options{Timeout: 100 * time.Millisecond, Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	for f.Ask(t.Context()) != nil { // until there is a connection; on a busy machine this times out, too
		c.ahead.Add(int64(time.Second))
	}
	settlement := f.Settle(t.Context(), []byte(`{}`), x402.Base, sender(1))
	if failure := settlement.Err; failure == nil || failure.Cause != x402.TimedOut || !failure.MayHaveExecuted {
		t.Errorf("a settlement that is not answered: %v", failure)
	}
}

// TestAVerificationOnADeadConnectionIsSentAgain closes an idle connection, as servers do
// after a while, just when the client sends the next call. A verification is sent once
// more. A settlement, which moves money, is not.
func TestAVerificationOnADeadConnectionIsSentAgain(t *testing.T) {
	var dead atomic.Bool // the next call on a connection that was used before
	var verified, settled atomic.Int32
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/verify":
			verified.Add(1)
		case "/settle":
			settled.Add(1)
		}
		if dead.Swap(false) {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				c.Close()
			}
			return
		}
		if r.URL.Path != "/supported" && string(text) != "{}" {
			t.Errorf("%s has the body %q", r.URL.Path, text)
		}
		if r.Header.Get("X-Idempotency-Key") != "" {
			t.Error("the mark for net/http is sent")
		}
		io.WriteString(w, `{"kinds":[],"isValid":true,"success":true,"transaction":"0x1"}`)
	}))
	defer far.Close()
	f := facilitator(t, far.URL, new(clock))
	ask := func() {
		t.Helper()
		if failure := f.Ask(t.Context()); failure != nil { // from here on there is a connection
			t.Fatal(failure)
		}
		dead.Store(true)
	}
	ask()
	v, failure := f.Verify(t.Context(), []byte(`{}`), sender(1))
	if failure != nil || !v.Valid || verified.Load() != 2 {
		t.Errorf("verify: %v, %v after %d calls, want 2", v, failure, verified.Load())
	}
	ask()
	s := f.Settle(t.Context(), []byte(`{}`), x402.Base, sender(1))
	if s.Err == nil || !s.Err.MayHaveExecuted || settled.Load() != 1 {
		t.Errorf("settle: %+v after %d calls, want 1", s, settled.Load())
	}
}

func TestASuccessWithoutProofIsAnError(t *testing.T) {
	far := x402test.NewFacilitator()
	defer far.Close()
	f := facilitator(t, far.URL, new(clock))
	for body, want := range map[string]bool{
		`{"success":true,"transaction":"0x1","network":"eip155:8453"}`:  true,
		`{"success":true,"transaction":"0x1"}`:                          true,
		`{"success":true,"transaction":"0x1","network":"eip155:84532"}`: false,
		`{"success":true,"transaction":"","network":"eip155:8453"}`:     false,
		`{"success":true,"transaction":"0x1 ","network":"eip155:8453"}`: false,
		`{"transaction":"0x1","network":"eip155:8453"}`:                 false,
	} {
		respond := x402test.Status(200, body)
		far.Do(func() {
			far.Settling = func(w http.ResponseWriter, moved bool) bool { return moved && respond(w) }
		})
		s := f.Settle(t.Context(), []byte(`{}`), x402.Base, sender(1))
		if s.Success != want || (s.Err == nil) != want || !want && s.Outcome(false) != x402.Pending {
			t.Errorf("%s: %+v", body, s)
		}
	}
}

func TestASettlementUnderWayIsAnAnswerWhateverItsStatus(t *testing.T) {
	far := x402test.NewFacilitator()
	defer far.Close()
	f := facilitator(t, far.URL, new(clock))
	for reason, answers := range map[string]bool{"settlement_pending": true, "unexpected_settle_error": false} {
		respond := x402test.Status(503, `{"success":false,"errorReason":"`+reason+`","transaction":"0x1"}`)
		far.Do(func() {
			far.Settling = func(w http.ResponseWriter, moved bool) bool { return moved && respond(w) }
		})
		s := f.Settle(t.Context(), []byte(`{}`), x402.Base, sender(1))
		if (s.Err == nil) != answers || answers && s.Reason != reason || s.Transaction != "0x1" {
			t.Errorf("%s: %+v", reason, s)
		}
	}
}

func TestFeePayersRotate(t *testing.T) {
	const first, second = "EVHeoZ8ZchkjtHJiSmWWjY3NctQVcCzD8yYfuw1qkXqm", "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5"
	far, c := x402test.NewFacilitator(), new(clock)
	defer far.Close()
	f := facilitator(t, far.URL, c)
	offered := func(about, current string, all ...string) {
		t.Helper()
		if got := f.FeePayer(x402.Solana); got != current {
			t.Errorf("%s: %q is offered, want %q", about, got, current)
		}
		if got := f.FeePayers(x402.Solana); !slices.Equal(got, all) {
			t.Errorf("%s: %q are taken, want %q", about, got, all)
		}
	}
	ask := func(feePayer string) {
		t.Helper()
		far.OfferSolana(feePayer)
		if failure := f.Ask(t.Context()); failure != nil {
			t.Fatal(failure)
		}
	}
	offered("before it was asked", "")
	ask("")
	offered("not there", "")
	ask(first)
	offered("first", first, first)
	ask("")
	offered("gone, but it may have been offered before", "", first)
	ask(first)
	ask(second)
	offered("changed", second, second, first)
	c.ahead.Add(int64(6 * time.Minute))
	offered("later", second, second)
	far.Close()
	if f.Ask(t.Context()) == nil || f.Health().Reachable {
		t.Error("a facilitator that is closed is reachable")
	}
	offered("unreachable", second, second)
	c.ahead.Add(int64(16 * time.Minute))
	offered("long unreachable", "")
}

// TestTheFirstFeePayerOfANetworkIsTaken asks a facilitator that names two.
func TestTheFirstFeePayerOfANetworkIsTaken(t *testing.T) {
	const first, second = "EVHeoZ8ZchkjtHJiSmWWjY3NctQVcCzD8yYfuw1qkXqm", "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5"
	kind := func(feePayer string) string {
		return `{"x402Version":2,"scheme":"exact","network":"` + x402.Solana + `","extra":{"feePayer":"` + feePayer + `"}}`
	}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"kinds":[`+kind(first)+`,`+kind(second)+`]}`)
	}))
	defer far.Close()
	f := facilitator(t, far.URL, new(clock))
	for range 2 {
		if failure := f.Ask(t.Context()); failure != nil {
			t.Fatal(failure)
		}
		if all := f.FeePayers(x402.Solana); f.FeePayer(x402.Solana) != first || !slices.Equal(all, []string{first}) {
			t.Errorf("%q is offered, %q are taken", f.FeePayer(x402.Solana), all)
		}
	}
}

// failing is a transport on which every call fails.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// TestOnlyACallWithoutAConnectionWasNotExecuted: what was sent may have been
// executed, whatever became of the response.
func TestOnlyACallWithoutAConnectionWasNotExecuted(t *testing.T) {
	for _, c := range []struct {
		err   error
		cause x402.Cause
		may   bool
	}{
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, x402.Unreachable, false},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, x402.Unreachable, false},
		{&net.OpError{Op: "write", Err: syscall.EPIPE}, x402.BadResponse, true},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, x402.BadResponse, true},
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, x402.TimedOut, true},
		{io.ErrUnexpectedEOF, x402.BadResponse, true},
		{context.DeadlineExceeded, x402.TimedOut, true},
	} {
		f, err := x402.NewFacilitator("https://pay.example",
			x402.Options{Timeout: time.Minute, Now: new(clock).now, Transport: failing{c.err}})
		if err != nil {
			t.Fatal(err)
		}
		failure := f.Settle(t.Context(), []byte(`{}`), x402.Base, sender(1)).Err
		if failure == nil || failure.Cause != c.cause || failure.MayHaveExecuted != c.may {
			t.Errorf("%v: %+v", c.err, failure)
		}
	}
}

func TestEveryCallHasATokenOfItsOwn(t *testing.T) {
	var tokens []string
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		w.Write([]byte(`{"isValid":true}`))
	}))
	defer far.Close()
	const secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8DoQe/884Qvh1w3RjnS8CZZ+TWMJulDV8d3IZkElUxuA=="
	credentials, err := x402.ParseCredentials("an-id", secret)
	if err != nil {
		t.Fatal(err)
	}
	f, err := x402.NewFacilitator(far.URL+"/platform/v2/x402/", x402.Options{
		Timeout:     time.Minute,
		Now:         new(clock).now,
		Random:      strings.NewReader(strings.Repeat("0123456789abcdef", 2)[:31] + "x"),
		Credentials: credentials,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, failure := f.Verify(t.Context(), []byte(`{}`), sender(1)); failure != nil {
			t.Fatal(failure)
		}
	}
	const want = "POST /platform/v2/x402/verify Bearer ey"
	if len(tokens) != 2 || tokens[0] == tokens[1] || !strings.HasPrefix(tokens[0], want) {
		t.Errorf("calls and tokens: %q", tokens)
	}
}
