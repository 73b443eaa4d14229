package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/store"
	"tocsin/internal/x402"
)

// Problem is the body of every failed call (RFC 9457).
type Problem struct {
	Type      string         `json:"type"`
	Title     string         `json:"title"`
	Status    int            `json:"status"`
	Code      tocsin.Code    `json:"code"`
	Detail    string         `json:"detail"`
	RequestID string         `json:"requestId"`
	Errors    []tocsin.Fault `json:"errors,omitempty"`
}

// paymentProblem is the body of a 402: the problem, and the fields of
// PAYMENT-REQUIRED for clients that read bodies instead of headers.
type paymentProblem struct {
	Problem
	x402.Required
}

// The codes of failures besides those of the root package.
const (
	unknownPath        tocsin.Code = "unknown_path"
	wrongMethod        tocsin.Code = "method_not_allowed"
	wrongMedia         tocsin.Code = "unsupported_media_type"
	tooLarge           tocsin.Code = "body_too_large"
	tooLong            tocsin.Code = "path_too_long"
	foreignRequest     tocsin.Code = "foreign_request"
	tooFast            tocsin.Code = "too_many_requests"
	tooMany            tocsin.Code = "too_many_filings"
	filingsExhausted   tocsin.Code = "filings_exhausted"
	tooManyWithdrawals tocsin.Code = "too_many_withdrawals"
	tooManySignIns     tocsin.Code = "too_many_sign_ins"
	tooManyNewAgents   tocsin.Code = "too_many_new_agents"
	unauthorized       tocsin.Code = "unauthorized"
	exhausted          tocsin.Code = "free_tier_exhausted"
	networkExhausted   tocsin.Code = "network_calls_exhausted"
	internal           tocsin.Code = "internal_error"
	unavailable        tocsin.Code = "unavailable"

	missingPayment         tocsin.Code = "payment_required"
	unknownKey             tocsin.Code = "unknown_key"
	invalidPayment         tocsin.Code = "invalid_payment" // unreadable
	signInRefused          tocsin.Code = "sign_in_refused"
	paymentRefused         tocsin.Code = "payment_refused" // it was not taken; the payer may use it again
	paymentInProgress      tocsin.Code = "payment_in_progress"
	identifierReused       tocsin.Code = "payment_identifier_reused"
	tooManyPayments        tocsin.Code = "too_many_payments"
	settlementPending      tocsin.Code = "settlement_pending"
	facilitatorUnavailable tocsin.Code = "facilitator_unavailable"
	facilitatorError       tocsin.Code = "facilitator_error"
	facilitatorTimeout     tocsin.Code = "facilitator_timeout"
)

// paymentCodes are the codes that occur only where payments are taken.
var paymentCodes = map[tocsin.Code]bool{
	invalidPayment:         true,
	paymentRefused:         true,
	signInRefused:          true,
	paymentInProgress:      true,
	identifierReused:       true,
	tooManyPayments:        true,
	settlementPending:      true,
	facilitatorUnavailable: true,
	facilitatorError:       true,
	facilitatorTimeout:     true,
}

// statusOf is the only place where a code becomes a status.
var statusOf = map[tocsin.Code]int{
	tocsin.Invalid:          http.StatusBadRequest,
	tocsin.NotFound:         http.StatusNotFound,
	tocsin.ReportWithdrawn:  http.StatusGone,
	tocsin.ReportHidden:     http.StatusGone,
	tocsin.ReportDropped:    http.StatusGone,
	tocsin.Forbidden:        http.StatusForbidden,
	tocsin.IdempotencyReuse: http.StatusUnprocessableEntity,
	tocsin.AgentBanned:      http.StatusForbidden,
	tocsin.FilingClosed:     http.StatusForbidden, // no 503: it will not pass by itself
	tocsin.FilingNeedsKey:   http.StatusForbidden,
	exhausted:               http.StatusPaymentRequired,
	networkExhausted:        http.StatusPaymentRequired,
	unknownPath:             http.StatusNotFound,
	wrongMethod:             http.StatusMethodNotAllowed,
	wrongMedia:              http.StatusUnsupportedMediaType,
	tooLong:                 http.StatusRequestURITooLong,
	tooLarge:                http.StatusRequestEntityTooLarge,
	foreignRequest:          http.StatusForbidden,
	tooFast:                 http.StatusTooManyRequests,
	tooMany:                 http.StatusTooManyRequests,
	filingsExhausted:        http.StatusTooManyRequests,
	tooManyWithdrawals:      http.StatusTooManyRequests,
	tooManySignIns:          http.StatusTooManyRequests,
	tooManyNewAgents:        http.StatusTooManyRequests,
	unauthorized:            http.StatusUnauthorized,
	internal:                http.StatusInternalServerError,
	unavailable:             http.StatusServiceUnavailable,
	missingPayment:          http.StatusPaymentRequired,
	unknownKey:              http.StatusPaymentRequired,
	invalidPayment:          http.StatusBadRequest,
	paymentRefused:          http.StatusPaymentRequired,
	signInRefused:           http.StatusPaymentRequired,
	paymentInProgress:       http.StatusConflict,
	identifierReused:        http.StatusConflict,
	tooManyPayments:         http.StatusTooManyRequests,
	settlementPending:       http.StatusServiceUnavailable,
	facilitatorUnavailable:  http.StatusServiceUnavailable,
	facilitatorError:        http.StatusBadGateway,
	facilitatorTimeout:      http.StatusGatewayTimeout,
}

// paymentRequired is the error of a call that must be paid for first.
type paymentRequired struct {
	code     tocsin.Code
	detail   string
	required x402.Required
	header   string // required as a header; "" in a call of a tool
}

func (e *paymentRequired) Error() string { return e.detail }

// Later is the error of a caller who must wait.
type Later struct {
	Fault tocsin.Error
	Wait  time.Duration
}

// later makes the error of a caller who must wait; of no wait, a second.
func later(code tocsin.Code, wait time.Duration, detail string) *Later {
	return &Later{tocsin.Error{Code: code, Detail: detail}, wait}
}

// Error implements error.
func (e *Later) Error() string { return e.Fault.Error() }

// OfAll reports whether the limit is one of all callers together, rather than of the network of the caller.
func (e *Later) OfAll() bool { return e.Fault.Code == filingsExhausted }

// OfNewWallets reports whether the limit is the one of wallets that sign in for the first time.
func (e *Later) OfNewWallets() bool { return e.Fault.Code == tooManyNewAgents }

// RetryAfter returns the value of the header Retry-After: seconds, at least 1.
func (e *Later) RetryAfter() string { return strconv.Itoa(front.Seconds(e.Wait)) }

// failure is an error as callers see it.
type failure struct {
	Problem
	required   *x402.Required // of a 402
	header     string         // required as a header
	retryAfter int            // seconds; 0 if it does not say
}

// failure makes a problem of an error, and logs what callers must not see. It is the
// only place that does.
func (s *Server) failure(ctx context.Context, err error) failure {
	requestID := front.Of(ctx).ID
	f := failure{Problem: Problem{RequestID: requestID}}
	var fault *tocsin.Error
	var unpaid *paymentRequired
	var wait *Later
	var broken *store.Outage
	switch {
	case errors.As(err, &unpaid):
		f.Code, f.Detail, f.required, f.header = unpaid.code, unpaid.detail, &unpaid.required, unpaid.header
	case errors.As(err, &wait):
		f.Code, f.Detail, f.Errors = wait.Fault.Code, wait.Fault.Detail, wait.Fault.Fields
		f.retryAfter = front.Seconds(wait.Wait)
	case errors.As(err, &fault):
		f.Code, f.Detail, f.Errors = fault.Code, fault.Detail, fault.Fields
	case errors.As(err, &broken): // logged when it began
		f.Code, f.Detail, f.retryAfter = unavailable, broken.Public(), broken.RetryAfter()
	case store.Unavailable(err):
		f.Code, f.Detail, f.retryAfter = unavailable, "The database cannot be used at the moment; try again", 5
		if store.DiskFull(err) {
			f.Detail = "The disk of this service is full. Nothing was recorded"
		}
		s.log.LogAttrs(ctx, slog.LevelError, "database unavailable",
			slog.String("id", requestID), slog.String("error", err.Error()))
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		f.Code, f.Detail, f.retryAfter = unavailable, "The call was cancelled before it was answered", 1
	default:
		f.Code, f.Detail = internal, "Something failed on our side; tell the operator the requestId"
		s.logInternal(ctx, requestID, err)
	}
	if f.Code == tocsin.AgentBanned && s.config.Contact != "" {
		f.Detail += ". To object, write to " + s.config.Contact
	}
	if f.Code == tocsin.FilingNeedsKey {
		f.Detail += ": send it in the header x-api-key"
	}
	f.Status = statusOf[f.Code]
	f.Title = http.StatusText(f.Status)
	f.Type = "urn:tocsin:problem:" + string(f.Code)
	return f
}

// failureOf is the failure of a call of an operation. If it would have taken a free call, it says that it has not.
func (s *Server) failureOf(c *call, err error) failure {
	f := s.failure(c.Context(), err)
	if c.uncharged {
		f.Detail = strings.TrimSuffix(f.Detail, ".") + ". Nothing was charged"
	}
	return f
}

// logInternal logs an error that is our fault. A panic that the front door
// recovered is in the log already; those of endpoints are written as it does.
func (s *Server) logInternal(ctx context.Context, requestID string, err error) {
	if errors.Is(err, front.ErrPanic) {
		return
	}
	message, cause := "internal error", slog.String("error", err.Error())
	var stack slog.Attr // empty ones are left out
	if crash := (*panicked)(nil); errors.As(err, &crash) {
		message, cause, stack = "panic", slog.Any("value", crash.value), slog.String("stack", string(crash.stack))
	}
	s.log.LogAttrs(ctx, slog.LevelError, message, slog.String("id", requestID), cause, stack)
}

// response writes the failure as HTTP has it: its headers to h.
func (f failure) response(h http.Header) response {
	var body any = f.Problem
	if f.required != nil {
		body = paymentProblem{f.Problem, *f.required}
		h.Set(x402.RequiredHeader, f.header)
	}
	if f.Code == unauthorized {
		h.Set("WWW-Authenticate", "Bearer") // RFC 9110, section 11.6.1
	}
	if f.Code == exhausted || f.Code == networkExhausted {
		h.Set("X-Free-Tier-Exhausted", "true")
	}
	if f.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(f.retryAfter))
	}
	return response{status: f.Status, media: "application/problem+json", body: append(plainJSON(body), '\n')}
}
