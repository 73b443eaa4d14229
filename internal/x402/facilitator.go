package x402

import (
	"bytes"
	"context"
	"crypto/tls"
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

// Facilitator is a client of a facilitator, which verifies payments and settles
// them (section 7). It is safe for concurrent use.
type Facilitator struct {
	base    *url.URL
	o       Options
	client  *http.Client
	breaker breaker
	refresh chan struct{} // holds an item if Watch should ask at once

	mu        sync.Mutex
	health    Health
	feePayers map[string]*feePayers // by network
}

// Options configure a [Facilitator].
type Options struct {
	Timeout     time.Duration     // of one call
	Credentials *Credentials      // of the Coinbase Developer Platform; nil if no call is authenticated
	Now         func() time.Time  // the clock
	Random      io.Reader         // source of the nonces of tokens; used only with Credentials
	Transport   http.RoundTripper // nil for a transport of its own
}

// idleTimeout is how long an idle connection is kept. Many servers close theirs
// after five seconds; ours is shorter, so that a call seldom uses a closed one.
const idleTimeout = 4 * time.Second

// NewFacilitator returns a client of the facilitator at an absolute http or https
// URL without query or fragment. It makes no call.
func NewFacilitator(base string, o Options) (*Facilitator, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the URL is not like https://facilitator.example, without query") // it may hold a secret
	}
	// Tokens name the host as the libraries of the Coinbase Developer Platform do: in
	// lower case, without the default port.
	u.Host = strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]; strings.HasSuffix(u.Host, port) {
		u.Host = strings.TrimSuffix(u.Host, port)
	}
	if o.Transport == nil {
		o.Transport = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			MaxIdleConnsPerHost: 64,
			IdleConnTimeout:     idleTimeout,
			ForceAttemptHTTP2:   true,
		}
	}
	return &Facilitator{
		base:      u,
		o:         o,
		breaker:   breaker{now: o.Now},
		refresh:   make(chan struct{}, 1),
		feePayers: map[string]*feePayers{},
		client: &http.Client{
			Transport: o.Transport,
			// A redirect would send the payment to a host that the operator did not choose.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Origin returns the scheme and host of the facilitator. The rest of its URL is left
// out, because it may contain a secret.
func (f *Facilitator) Origin() string { return f.base.Scheme + "://" + f.base.Host }

// Cause is the kind of a [FacilitatorError].
type Cause int

// The causes of a [FacilitatorError].
const (
	Unreachable Cause = iota // no connection, or no attempt because it did not answer lately
	TimedOut                 // no response within [Options.Timeout]
	BadResponse              // an invalid response: a server error, not JSON, or without the result
)

// String returns the code of the cause in the problems of the API.
func (c Cause) String() string {
	return [...]string{"facilitator_unavailable", "facilitator_timeout", "facilitator_error"}[c]
}

// FacilitatorError is the error of a call that gave no valid response.
type FacilitatorError struct {
	Cause           Cause
	MayHaveExecuted bool   // the facilitator may have processed the call nevertheless
	Err             string // for the log: it may quote the response
}

// Error implements error.
func (e *FacilitatorError) Error() string { return e.Err }

// unreachable returns the error of a call that was not sent.
func unreachable(reason string) *FacilitatorError {
	return &FacilitatorError{Cause: Unreachable, Err: reason}
}

func badResponse(mayHaveExecuted bool, format string, args ...any) *FacilitatorError {
	return &FacilitatorError{BadResponse, mayHaveExecuted, fmt.Sprintf(format, args...)}
}

// Verification is the result of [Facilitator.Verify].
type Verification struct {
	Valid  bool
	Reason string // why the payment is not valid; at most 200 characters
}

// Verify asks whether an order (see [Payment.Order]) could be settled (section 7.1).
func (f *Facilitator) Verify(ctx context.Context, order []byte) (Verification, *FacilitatorError) {
	var r verifyResponse
	status, failure := f.call(ctx, "/verify", order, &r)
	switch {
	case failure != nil:
		return Verification{}, failure
	case *r.Valid && status != http.StatusOK:
		return Verification{}, badResponse(false, "status %d, but isValid", status)
	case !*r.Valid && (isServerFailure(status) || isTransient(r.Reason) && !isRefusal(r.Reason)):
		return Verification{}, badResponse(false, "status %d: %.100q", status, r.Reason)
	}
	return Verification{*r.Valid, cleanReason(r.Reason, r.Message)}, nil
}

// isServerFailure reports whether a status means that the service has a problem,
// whatever the body says about the payment.
func isServerFailure(status int) bool { return status >= 500 || status == http.StatusTooManyRequests }

// Settle sends an order to be executed on a network (section 7.2). The same order
// may be sent again: the chain executes it at most once. A success that names
// another network or no transaction is an error.
func (f *Facilitator) Settle(ctx context.Context, order []byte, network string) Settlement {
	var r settleResponse
	status, failure := f.call(ctx, "/settle", order, &r)
	if failure != nil {
		return Settlement{Err: failure}
	}
	s := Settlement{Success: *r.Success, Transaction: transactionOf(r.Transaction)}
	switch {
	case !s.Success && isServerFailure(status) && r.Reason != "settlement_pending":
		s.Err = badResponse(true, "status %d: %.100q", status, r.Reason)
		return s
	case s.Success && r.Network != "" && r.Network != network:
		return Settlement{Err: badResponse(true, "success on %.64q", r.Network)}
	case !s.Success:
		s.Reason = cleanReason(r.Reason, r.Message)
	case status != http.StatusOK:
		return Settlement{Err: badResponse(true, "status %d, but success", status)}
	case s.Transaction == "":
		return Settlement{Err: badResponse(true, "success without a transaction")}
	}
	return s
}

// The responses of a facilitator (section 7). A pointer or slice is nil if the
// response lacks the field, which makes it invalid.
type (
	response interface{ complete() bool }

	verifyResponse struct {
		Valid   *bool  `json:"isValid"`
		Reason  string `json:"invalidReason"`
		Message string `json:"invalidMessage"`
	}
	settleResponse struct {
		Success     *bool  `json:"success"`
		Reason      string `json:"errorReason"`
		Message     string `json:"errorMessage"`
		Transaction string `json:"transaction"`
		Network     string `json:"network"`
	}
	supportedResponse struct {
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

func (r *verifyResponse) complete() bool    { return r.Valid != nil }
func (r *settleResponse) complete() bool    { return r.Success != nil }
func (r *supportedResponse) complete() bool { return r.Kinds != nil }

const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// transactionOf returns the text if it has the form of a transaction's hash or
// signature, else "".
func transactionOf(text string) string {
	if len(text) > 128 || strings.Trim(text, alphanumeric) != "" {
		return ""
	}
	return text
}

// cleanReason returns the code of a facilitator, or its message if there is no code,
// as one printable line of at most 200 characters.
func cleanReason(code, message string) string {
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
	line := strings.Map(printable, strings.ToValidUTF8(code, ""))
	return tocsin.Shorten(strings.Join(strings.Fields(line), " "), 200)
}

// maxResponseBytes limits the part of a response that is read.
const maxResponseBytes = 1 << 20

// call makes a call about a payment through the breaker and decodes the response.
//
// A facilitator can be made to fail by what a payment holds, or by how many are sent.
// That must not stop the payments of others: see [breaker]. A call that it turned away
// (400, 429 and the like) shows that it answers.
func (f *Facilitator) call(
	ctx context.Context, path string, order []byte, into response,
) (status int, failure *FacilitatorError) {
	network := networkFrom(ctx)
	if ok, ask := f.breaker.allow(); !ok && !(ask && f.answers(ctx)) && !f.breaker.try(network) {
		return 0, unreachable("it did not answer when it was last asked")
	}
	status, failure = f.send(ctx, http.MethodPost, path, order, into)
	switch {
	case failure == nil:
		f.breaker.answered()
		f.recordHealth(nil)
	case failure.Cause != Unreachable && !failure.MayHaveExecuted:
		f.breaker.answered()
	case ctx.Err() != nil: // the caller has given up, which says nothing
	default:
		if failure.Cause == Unreachable { // which no payment can have caused
			f.recordHealth(failure)
		}
		if f.breaker.failed(network) {
			f.answers(ctx)
		}
	}
	return status, failure
}

// rejectedStatuses are the statuses of calls that were certainly not processed. A
// response with another status and without a result proves nothing.
var rejectedStatuses = []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
	http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
	http.StatusTooManyRequests,
}

// send makes a call and decodes the response, whatever its status: some facilitators
// send results with a status of failure. The status is 0 if there was no whole response.
func (f *Facilitator) send(
	ctx context.Context, method, path string, body []byte, into response,
) (status int, failure *FacilitatorError) {
	ctx, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	target := f.base.JoinPath(path)
	r, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return 0, unreachable(err.Error())
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if path == "/verify" {
		// Tells net/http that it may send the call again if the connection was closed.
		// A header without values is not sent.
		r.Header["X-Idempotency-Key"] = nil
	}
	if f.o.Credentials != nil {
		token, err := f.o.Credentials.token(method, target, f.o.Now(), f.o.Random)
		if err != nil {
			return 0, unreachable(err.Error())
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := f.client.Do(r)
	if err != nil {
		return 0, transportError(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxResponseBytes))
	if err != nil {
		return 0, transportError(err)
	}
	if json.Unmarshal(text, into) == nil && into.complete() {
		return res.StatusCode, nil
	}
	mayHaveExecuted := !slices.Contains(rejectedStatuses, res.StatusCode)
	return res.StatusCode, badResponse(mayHaveExecuted, "status %d without a result: %.200q", res.StatusCode, text)
}

// transportError returns the error of a call that had no response. It leaves out the
// URL, which may contain a secret.
func transportError(err error) *FacilitatorError {
	var op *net.OpError
	var untrusted *tls.CertificateVerificationError
	var timeout net.Error
	var withURL *url.Error
	cause := err
	if errors.As(err, &withURL) {
		cause = withURL.Err
	}
	switch {
	case errors.As(err, &op) && op.Op == "dial", errors.As(err, &untrusted): // nothing was sent
		return unreachable(cause.Error())
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		return &FacilitatorError{TimedOut, true, cause.Error()}
	}
	return &FacilitatorError{BadResponse, true, cause.Error()}
}
