package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/x402"
)

// charge runs an operation for callers who may have its response, and takes the
// price. Nothing answered, nothing charged.
//
// Credentials are looked at before the input, so that a bare request learns the price.
func (s *Server) charge(op *operation, c *call) (response, error) {
	caller, err := s.caller(c.Request)
	if err != nil {
		return response{}, err
	}
	if caller != nil {
		if res, err := s.serveFree(op, caller, c); !errors.Is(err, ErrExhausted) {
			return res, err
		}
	}
	if s.config.Payments.taken() && c.Method != http.MethodHead { // HEAD: there is no response to sell
		payment, err := paymentHeader(c.Header)
		if err != nil {
			return response{}, err
		}
		if payment != "" {
			return s.servePaid(op, payment, caller, c)
		}
	}
	return response{}, s.unpaid(op, c, caller)
}

// serveFree answers with one of the caller's free calls. The error is
// ErrExhausted if none is left.
func (s *Server) serveFree(op *operation, caller *store.Caller, c *call) (response, error) {
	var res response
	left, err := s.Free(c.Context(), caller, func() (err error) {
		res, err = s.checkAndRun(op, c)
		return err
	})
	c.responseHeader.Set("X-RateLimit-Remaining-Day", strconv.Itoa(left))
	return res, err
}

// unpaid makes the 402 of a call without a free call and without a payment: it
// names the price, and says how to get a key or how to pay.
func (s *Server) unpaid(op *operation, c *call, caller *store.Caller) *paymentRequired {
	offers := s.offers(op, false)
	code, detail := missingPayment, "Send the header x-api-key with a key of this service"
	switch {
	case caller != nil:
		code = exhausted
		detail = fmt.Sprintf("The free calls of today (%d) are used up; new ones come at midnight UTC", s.Quota(caller))
	case c.Header.Get("x-api-key") != "":
		code = unknownKey
		detail = "The key in x-api-key is not a live key of this service: it is mistyped, unknown or revoked"
	}
	if caller == nil {
		detail += ". A key is free: " + s.config.BaseURL + "/docs/keys says how a program gets one, and " +
			s.config.BaseURL + "/account gives one to people"
	}
	switch {
	case !s.config.Payments.taken():
		detail += ". This service takes no payments"
	case len(offers) == 0:
		detail += ". Payments cannot be taken at the moment"
	case c.tool != nil:
		detail += ". Or pay for this call: sign one of the offers in accepts, and send it with the same call, " +
			"in _meta under x402/payment"
	default:
		detail += ". Or pay for this call: sign one of the offers in accepts, and send it as the header PAYMENT-SIGNATURE"
	}
	return s.paymentRequired(op, c, code, detail, detail, offers)
}

// paymentRequired makes a 402. Its reason is for programs, its detail for people.
func (s *Server) paymentRequired(
	op *operation, c *call, code tocsin.Code, reason, detail string, offers []x402.Requirements,
) *paymentRequired {
	r := x402.Required{
		X402Version: x402.Version,
		Error:       reason,
		Resource:    s.resource(op, c),
		Accepts:     offers,
	}
	if len(offers) > 0 {
		r.Extensions = c.tool.extensions(op)
	}
	return &paymentRequired{code, detail, r}
}

// ErrExhausted is the error of a caller who has no free call left today.
var ErrExhausted = errors.New("the free calls of today are used up")

// Free takes one of the caller's free calls of today for what answer makes, and
// returns how many are left. It is taken after the answer was made, so there is
// never one to give back; when others were quicker and none is left, the answer
// must stay here: the error is then ErrExhausted.
func (s *Server) Free(ctx context.Context, caller *store.Caller, answer func() error) (left int, err error) {
	limit := s.Quota(caller)
	if !s.db.Begin(caller, limit) {
		return 0, ErrExhausted
	}
	taken := false
	defer func() { caller.End(taken) }()
	if err := answer(); err != nil {
		return max(0, limit-s.db.Used(caller)), err
	}
	used, taken, err := s.db.Spend(ctx, caller, limit)
	if err == nil && !taken {
		err = ErrExhausted
	}
	return max(0, limit-used), err
}

// caller returns who holds the key of the call, or nil if there is no live key.
func (s *Server) caller(r *http.Request) (*store.Caller, error) {
	values := r.Header.Values("x-api-key")
	if len(values) != 1 {
		return nil, nil
	}
	key, ok := tocsin.ParseKey(values[0])
	if !ok {
		return nil, nil
	}
	return s.db.Caller(r.Context(), key)
}

// Quota returns how many free calls a day the caller has.
func (s *Server) Quota(c *store.Caller) int {
	if c.Quota != nil {
		return *c.Quota
	}
	return s.config.Quota
}
