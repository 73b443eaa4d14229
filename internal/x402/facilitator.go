package x402

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Facilitator verifies payments and carries them out (7 of the specification).
// Its methods may be called from any goroutine.
type Facilitator struct {
	base    *url.URL
	o       Options
	client  *http.Client
	breaker breaker

	mu     sync.Mutex
	health Health
	fees   map[string]*feePayers // by network
}

// Options are what a [Facilitator] takes from outside.
type Options struct {
	Timeout     time.Duration    // of one call
	Credentials *Credentials     // of the Coinbase Developer Platform, or nil
	Now         func() time.Time // the clock
	Random      io.Reader        // the source of the nonces of tokens
}

// idle is how long a connection is kept for the next call. It is below the five
// seconds after which many servers close one, so that a call seldom meets the end.
const idle = 4 * time.Second

// NewFacilitator returns the facilitator at an absolute http or https URL.
func NewFacilitator(base string, o Options) (*Facilitator, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not like https://facilitator.example", base)
	}
	// As the platform's own libraries write it into their tokens: in lower case, without the usual port.
	u.Host = strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]; strings.HasSuffix(u.Host, port) {
		u.Host = strings.TrimSuffix(u.Host, port)
	}
	return &Facilitator{
		base: u, o: o, breaker: breaker{now: o.Now}, fees: map[string]*feePayers{},
		client: &http.Client{
			Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64, IdleConnTimeout: idle, ForceAttemptHTTP2: true},
			// A redirected payment would go to somebody whom the operator has not chosen.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Origin returns where the facilitator is: scheme and host only, since some
// facilitators put a secret into the rest of their URL.
func (f *Facilitator) Origin() string { return f.base.Scheme + "://" + f.base.Host }

// Close lets go of the connections that are idle.
func (f *Facilitator) Close() { f.client.CloseIdleConnections() }

// Cause is what kind of trouble there is with a facilitator.
type Cause int

// The causes of [Trouble].
const (
	Unreachable Cause = iota // no connection, or none was tried since too many calls have failed
	TimedOut                 // no answer within [Options.Timeout]
	Faulty                   // an answer that is none: a status of failure, no JSON, the wrong shape
)

// Trouble is the error of a facilitator that gave no verdict.
type Trouble struct {
	Cause Cause
	Maybe bool   // it may have done what it was asked all the same
	Err   string // for the log: it may hold what the facilitator said
}

// Error implements error.
func (t *Trouble) Error() string { return t.Err }

// Verdict is the answer to a verification.
type Verdict struct {
	Valid  bool
	Reason string // why it is not valid
	Payer  string
}

// Verify asks whether an order could be carried out. An error is a *[Trouble].
// Proven says that the payment is well made for sure, so that a failure is the
// facilitator's and counts against it.
func (f *Facilitator) Verify(ctx context.Context, order []byte, proven bool) (Verdict, error) {
	var v struct {
		Valid   *bool  `json:"isValid"`
		Reason  string `json:"invalidReason"`
		Message string `json:"invalidMessage"`
		Payer   string `json:"payer"`
	}
	status, err := f.call(ctx, http.MethodPost, "/verify", order, proven, &v, func() bool { return v.Valid != nil })
	switch {
	case err != nil:
		return Verdict{}, err
	case *v.Valid && status != http.StatusOK:
		return Verdict{}, &Trouble{Faulty, false, fmt.Sprintf("status %d, but isValid", status)}
	}
	return Verdict{*v.Valid, reason(v.Reason, v.Message), v.Payer}, nil
}

// Settlement is the answer to a settlement.
type Settlement struct {
	Receipt
	Pending bool // it is under way, and nobody knows yet how it will end
}

// Settle carries an order out. An error is a *[Trouble]; whether it was carried
// out is then unknown if Maybe is set. The same order may be settled again: it
// is carried out once.
func (f *Facilitator) Settle(ctx context.Context, order []byte, proven bool) (Settlement, error) {
	var v struct {
		Success     *bool   `json:"success"`
		Reason      string  `json:"errorReason"`
		Message     string  `json:"errorMessage"`
		Transaction string  `json:"transaction"`
		Network     string  `json:"network"`
		Payer       *string `json:"payer"`
	}
	status, err := f.call(ctx, http.MethodPost, "/settle", order, proven, &v, func() bool { return v.Success != nil })
	if err != nil {
		return Settlement{}, err
	}
	s := Settlement{Receipt: Receipt{Success: *v.Success, Transaction: clip(v.Transaction, 128), Network: v.Network}}
	if v.Payer != nil {
		s.Payer = clip(*v.Payer, 64)
	}
	switch {
	case s.Success && status != http.StatusOK:
		return s, &Trouble{Faulty, true, fmt.Sprintf("status %d, but success", status)}
	case s.Success && s.Transaction == "":
		return s, &Trouble{Faulty, true, "success without a transaction"}
	case !s.Success:
		s.ErrorReason = reason(v.Reason, v.Message)
		s.Pending = v.Reason == "settlement_pending" || v.Reason == "unexpected_settle_error"
	}
	return s, nil
}

// Spent reports whether a reason for refusing a payment says that it was
// carried out before: whoever has tried to settle it himself has succeeded.
func Spent(reason string) bool {
	for _, known := range []string{"nonce_already_used", "duplicate_settlement", "authorization is used", "already_processed", "already been processed"} {
		if strings.Contains(reason, known) {
			return true
		}
	}
	return false
}

// reason makes one short line of what a facilitator says.
func reason(code, message string) string {
	if code == "" {
		code = message
	}
	if code == "" {
		code = "refused without a reason"
	}
	return clip(strings.Join(strings.Fields(strings.ToValidUTF8(code, "")), " "), 200)
}

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 20

// call makes one call and decodes its answer, which holds a verdict if whole
// says so: some facilitators answer verdicts with a status of failure.
func (f *Facilitator) call(ctx context.Context, method, path string, body []byte, proven bool, into any, whole func() bool) (status int, err error) {
	if !f.breaker.enter() {
		return 0, &Trouble{Unreachable, false, "the last calls have all failed"}
	}
	failed := true
	defer func() {
		f.breaker.leave(failed)
		f.note(err)
	}()
	ctx, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	target := f.base.JoinPath(path)
	r, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return 0, &Trouble{Unreachable, false, err.Error()}
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if path == "/verify" {
		r.Header["X-Idempotency-Key"] = nil // is not sent; it tells net/http that the call may be made twice
	}
	if f.o.Credentials != nil {
		token, err := f.o.Credentials.token(method, target, f.o.Now(), f.o.Random)
		if err != nil {
			return 0, &Trouble{Unreachable, false, err.Error()}
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := f.client.Do(r)
	if err != nil {
		return 0, transport(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return 0, transport(err)
	}
	decoded := json.Unmarshal(text, into)
	if decoded == nil && whole() {
		failed = false
		return res.StatusCode, nil
	}
	// Garbage that a stranger sent may make a facilitator stumble (500); that must not close it to all others.
	failed = res.StatusCode != http.StatusBadRequest && (proven || res.StatusCode != http.StatusInternalServerError)
	// What was refused at the door (4xx) was not done; after anything else nobody knows.
	maybe := res.StatusCode < 400 || res.StatusCode >= 500
	if res.StatusCode == http.StatusOK && decoded == nil {
		return 0, &Trouble{Faulty, maybe, fmt.Sprintf("the answer lacks its verdict: %.200q", text)}
	}
	return 0, &Trouble{Faulty, maybe, fmt.Sprintf("status %d: %.200q", res.StatusCode, text)}
}

func transport(err error) *Trouble {
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return &Trouble{Unreachable, false, err.Error()}
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		return &Trouble{TimedOut, true, err.Error()}
	}
	return &Trouble{Faulty, true, err.Error()}
}

// maxFailures is how many calls in a row may fail before no more are made for a while.
const maxFailures = 5

// pause is how long that while is. Then one call is let through: if it goes
// well all others are as well, if not the next while begins.
const pause = 500 * time.Millisecond

// breaker keeps calls from a facilitator that answers none.
type breaker struct {
	now func() time.Time

	mu     sync.Mutex
	failed int       // calls in a row
	until  time.Time // no calls before; zero while closed
}

func (b *breaker) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < maxFailures {
		return true
	}
	now := b.now()
	if now.Before(b.until) {
		return false
	}
	b.until = now.Add(pause) // this one tries; should it take long, the next one tries after the same pause
	return true
}

func (b *breaker) leave(failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !failed {
		b.failed = 0
		return
	}
	if b.failed++; b.failed >= maxFailures {
		b.until = b.now().Add(pause)
	}
}
