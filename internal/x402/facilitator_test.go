package x402_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
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
	settlement := f.Settle(t.Context(), []byte(`{}`), x402.Base)
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
	v, failure := f.Verify(t.Context(), []byte(`{}`))
	if failure != nil || !v.Valid || verified.Load() != 2 {
		t.Errorf("verify: %v, %v after %d calls, want 2", v, failure, verified.Load())
	}
	ask()
	s := f.Settle(t.Context(), []byte(`{}`), x402.Base)
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
		s := f.Settle(t.Context(), []byte(`{}`), x402.Base)
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
		s := f.Settle(t.Context(), []byte(`{}`), x402.Base)
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
	c.ahead.Add(int64((x402.Timeout - 5) * time.Second))
	offered("changed", second, second, first)
	c.ahead.Add(int64(6 * time.Second))
	offered("later", second, second)
	ask(first)
	offered("changed back, from one that no earlier answer had left out", first, first, second)
	c.ahead.Add(int64((x402.Timeout + 1) * time.Second))
	ask(second)
	c.ahead.Add(int64((x402.Timeout + 1) * time.Second))
	offered("later again", second, second)
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
		f, err := x402.NewFacilitator("https://pay.example/a-secret",
			x402.Options{Timeout: time.Minute, Now: new(clock).now, Transport: failing{c.err}})
		if err != nil {
			t.Fatal(err)
		}
		failure := f.Settle(t.Context(), []byte(`{}`), x402.Base).Err
		if failure == nil || failure.Cause != c.cause || failure.MayHaveExecuted != c.may {
			t.Errorf("%v: %+v", c.err, failure)
		} else if failure.Error() != c.err.Error() { // without the URL, which may hold a secret
			t.Errorf("%v: the log has %q", c.err, failure.Error())
		}
	}
	f, err := x402.NewFacilitator("https://pay.example", x402.Options{Timeout: time.Minute, Now: new(clock).now,
		Transport: cut{}})
	if err != nil {
		t.Fatal(err)
	}
	failure := f.Settle(t.Context(), []byte(`{}`), x402.Base).Err
	if failure == nil || failure.Cause != x402.BadResponse || !failure.MayHaveExecuted ||
		failure.Error() != io.ErrUnexpectedEOF.Error() {
		t.Errorf("a response that is cut off: %+v", failure)
	}
}

// cut is a transport on which each response is cut off, and once was whole.
type cut struct{}

func (cut) RoundTrip(*http.Request) (*http.Response, error) {
	const whole = `{"success":true,"transaction":"0x1"}`
	body := io.MultiReader(strings.NewReader(whole), iotest.ErrReader(io.ErrUnexpectedEOF))
	return &http.Response{StatusCode: 200, Body: io.NopCloser(body), Header: http.Header{}}, nil
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
		if _, failure := f.Verify(t.Context(), []byte(`{}`)); failure != nil {
			t.Fatal(failure)
		}
	}
	const want = "POST /platform/v2/x402/verify Bearer ey"
	if len(tokens) != 2 || tokens[0] == tokens[1] || !strings.HasPrefix(tokens[0], want) {
		t.Errorf("calls and tokens: %q", tokens)
	}
}
