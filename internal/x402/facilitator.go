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
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"tocsin"
)

// Facilitator verifies payments and carries them out (7 of the specification).
// Its methods may be called from any goroutine.
type Facilitator struct {
	base    *url.URL
	o       Options
	client  *http.Client
	breaker breaker

	stale chan struct{} // what it supports has changed

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

	Transport http.RoundTripper // of the calls; nil for one of its own, over the network
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
	if o.Transport == nil {
		o.Transport = &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64, IdleConnTimeout: idle, ForceAttemptHTTP2: true}
	}
	return &Facilitator{
		base: u, o: o, breaker: breaker{now: o.Now}, fees: map[string]*feePayers{}, stale: make(chan struct{}, 1),
		client: &http.Client{
			Transport: o.Transport,
			// A redirected payment would go to somebody whom the operator has not chosen.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Origin returns where the facilitator is: scheme and host only, since some
// facilitators put a secret into the rest of their URL.
func (f *Facilitator) Origin() string { return f.base.Scheme + "://" + f.base.Host }

// Cause is what kind of trouble there is with a facilitator.
type Cause int

// The causes of [FacilitatorError].
const (
	Unreachable Cause = iota // no connection, or none was tried since too many calls have failed
	TimedOut                 // no answer within [Options.Timeout]
	BadResponse              // an answer that is none: a status of failure, no JSON, the wrong shape
)

// String returns the cause in the words of the API's problem codes.
func (c Cause) String() string {
	return [...]string{"facilitator_unavailable", "facilitator_timeout", "facilitator_error"}[c]
}

// FacilitatorError is the error of a facilitator that gave no verdict.
type FacilitatorError struct {
	Cause           Cause
	MayHaveExecuted bool   // it may have done what it was asked all the same
	Err             string // for the log: it may hold what the facilitator said
}

// Error implements error.
func (t *FacilitatorError) Error() string { return t.Err }

// Verdict is the answer to a verification.
type Verdict struct {
	Valid  bool
	Reason string // why it is not valid
}

// Verify asks whether an order could be carried out. Proven says that a key of
// the payer has signed it for sure: then a failure counts against the facilitator.
func (f *Facilitator) Verify(ctx context.Context, order []byte, proven func() bool) (Verdict, *FacilitatorError) {
	var v verifyAnswer
	status, trouble := f.call(ctx, http.MethodPost, "/verify", order, proven, &v)
	switch {
	case trouble != nil:
		return Verdict{}, trouble
	case *v.Valid && status != http.StatusOK:
		return Verdict{}, &FacilitatorError{BadResponse, false, fmt.Sprintf("status %d, but isValid", status)}
	case !*v.Valid && (inTrouble(status) || vague(v.Reason)):
		return Verdict{}, &FacilitatorError{BadResponse, false, fmt.Sprintf("status %d: %.100q", status, v.Reason)}
	}
	return Verdict{*v.Valid, reason(v.Reason, v.Message)}, nil
}

// inTrouble reports whether a status is that of a service in trouble, whatever
// its answer says of a payment.
func inTrouble(status int) bool { return status >= 500 || status == http.StatusTooManyRequests }

// Settle sends an order to be carried out on a network. The same order may be
// sent again: a chain carries it out once.
func (f *Facilitator) Settle(ctx context.Context, order []byte, network string) Settlement {
	var v settleAnswer
	status, trouble := f.call(ctx, http.MethodPost, "/settle", order, always, &v)
	if trouble != nil {
		return Settlement{Err: trouble}
	}
	s := Settlement{Success: *v.Success, Transaction: transactionOf(v.Transaction)}
	switch {
	case !s.Success && inTrouble(status) && v.Reason != "settlement_pending":
		return Settlement{Transaction: s.Transaction, Err: &FacilitatorError{BadResponse, true, fmt.Sprintf("status %d: %.100q", status, v.Reason)}}
	case s.Success && v.Network != "" && v.Network != network:
		return Settlement{Err: &FacilitatorError{BadResponse, true, fmt.Sprintf("success on %.64q", v.Network)}}
	case !s.Success:
		s.Reason = reason(v.Reason, v.Message)
	case status != http.StatusOK:
		return Settlement{Err: &FacilitatorError{BadResponse, true, fmt.Sprintf("status %d, but success", status)}}
	case s.Transaction == "":
		return Settlement{Err: &FacilitatorError{BadResponse, true, "success without a transaction"}}
	}
	return s
}

// The answers of a facilitator. One without its verdict is none.
type (
	answer interface{ complete() bool }

	verifyAnswer struct {
		Valid   *bool  `json:"isValid"`
		Reason  string `json:"invalidReason"`
		Message string `json:"invalidMessage"`
	}
	settleAnswer struct {
		Success     *bool  `json:"success"`
		Reason      string `json:"errorReason"`
		Message     string `json:"errorMessage"`
		Transaction string `json:"transaction"`
		Network     string `json:"network"`
	}
	supportedAnswer struct {
		Kinds []struct {
			X402Version int    `json:"x402Version"`
			Scheme      string `json:"scheme"`
			Network     string `json:"network"`
			Extra       struct {
				FeePayer string `json:"feePayer"`
			} `json:"extra"`
		} `json:"kinds"`
	}
)

func (a *verifyAnswer) complete() bool    { return a.Valid != nil }
func (a *settleAnswer) complete() bool    { return a.Success != nil }
func (a *supportedAnswer) complete() bool { return a.Kinds != nil }

// transactionOf returns what can be the hash or signature of a transaction, else "".
func transactionOf(text string) string {
	if len(text) > 128 || strings.Trim(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return ""
	}
	return text
}

// reason makes one short line of what a facilitator says.
func reason(code, message string) string {
	if code == "" {
		code = message
	}
	if code == "" {
		code = "refused without a reason"
	}
	printable := func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}
	return tocsin.Shorten(strings.Join(strings.Fields(strings.Map(printable, strings.ToValidUTF8(code, ""))), " "), 200)
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 20

// call makes one call and reads its answer. Some facilitators answer verdicts
// with a status of failure, so it is the answer that counts.
func (f *Facilitator) call(ctx context.Context, method, path string, body []byte, proven func() bool, into answer) (status int, trouble *FacilitatorError) {
	if !f.breaker.enter() {
		return 0, &FacilitatorError{Unreachable, false, "the last calls have all failed"}
	}
	status, trouble = f.ask(ctx, method, path, body, into)
	// What a stranger made up may make a facilitator stumble; that must not close
	// it to all others. That it cannot be reached at all is nobody's doing.
	counts := trouble != nil && (trouble.Cause == Unreachable || proven())
	f.breaker.leave(counts)
	if trouble == nil || counts {
		f.note(trouble)
	}
	return status, trouble
}

func always() bool { return true }

// deniedStatuses are those of an order that was turned away at the door, so
// that it was surely not carried out. Any other failure says nothing of that.
var deniedStatuses = []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
	http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusTooManyRequests}

func (f *Facilitator) ask(ctx context.Context, method, path string, body []byte, into answer) (status int, trouble *FacilitatorError) {
	ctx, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	target := f.base.JoinPath(path)
	r, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return 0, &FacilitatorError{Unreachable, false, err.Error()}
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
			return 0, &FacilitatorError{Unreachable, false, err.Error()}
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
	if json.Unmarshal(text, into) == nil && into.complete() {
		return res.StatusCode, nil
	}
	return 0, &FacilitatorError{BadResponse, !slices.Contains(deniedStatuses, res.StatusCode), fmt.Sprintf("status %d without a verdict: %.200q", res.StatusCode, text)}
}

// transport is the trouble of a call that had no answer. It leaves the URL out,
// which may hold a secret.
func transport(err error) *FacilitatorError {
	var op *net.OpError
	var timeout net.Error
	var located *url.Error
	what := err
	if errors.As(err, &located) {
		what = located.Err
	}
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return &FacilitatorError{Unreachable, false, what.Error()}
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		return &FacilitatorError{TimedOut, true, what.Error()}
	}
	return &FacilitatorError{BadResponse, true, what.Error()}
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
	// Calls that were under way when it opened do not keep it closed to the next that tries.
	if b.failed++; b.failed == maxFailures {
		b.until = b.now().Add(pause)
	}
}
