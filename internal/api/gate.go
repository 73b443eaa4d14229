package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/x402"
)

// endpoint answers one operation with a value. It may set headers but has
// nothing to write a body to, so that nothing is given before it is paid for.
type endpoint func(h http.Header, c *call) (any, error)

// charge runs an operation for callers who may have its response, and takes the
// price. Nothing answered, nothing charged.
//
// Credentials are looked at before the input, so that a bare request learns the price.
func (s *Server) charge(op *operation, c *call) (response, error) {
	caller, err := s.caller(c.Request)
	if err != nil {
		return response{}, err
	}
	var owed error // names the price to callers without a free call
	if caller != nil {
		var res response
		if res, err = s.serveFree(op, caller, c); !errors.As(err, new(*unpaid)) {
			return res, err
		}
		owed = err
	} else {
		owed = s.priced(op, c)
	}
	if !s.config.Payments.taken() || c.Method == http.MethodHead { // HEAD: there is no response to sell
		return response{}, owed
	}
	paid, err := paymentHeader(c.Header)
	if err != nil {
		return response{}, err
	}
	if paid == "" {
		return response{}, owed
	}
	return s.servePaid(op, paid, caller, c)
}

// priced names the price to a call without a live key, and says how to get one.
func (s *Server) priced(op *operation, c *call) *unpaid {
	code, detail := paymentRequired, "Send the header x-api-key with a key of this service"
	if c.Header.Get("x-api-key") != "" {
		code, detail = unknownKey, "The key in x-api-key is not a live key of this service: it is mistyped, unknown or revoked"
	}
	return s.required(op, c, code, detail+". A key is free: "+s.config.BaseURL+"/docs/keys says how a program gets one, and "+s.config.BaseURL+"/account gives one to people"+s.payable(op, c))
}

// payable says whether a call can be paid for instead.
func (s *Server) payable(op *operation, c *call) string {
	if !s.config.Payments.taken() {
		return ". This service takes no payments"
	}
	if len(s.offers(op, false)) == 0 {
		return ". Payments cannot be taken at the moment"
	}
	place := "as the header PAYMENT-SIGNATURE"
	if c.tool != nil {
		place = "with the same call, in _meta under x402/payment"
	}
	return ". Or pay for this call: sign one of the offers in accepts, and send it " + place
}

// serveFree answers with one of the caller's free calls, or says what it owes when none is left.
func (s *Server) serveFree(op *operation, caller *store.Caller, c *call) (response, error) {
	var res response
	left, err := s.Free(c.Context(), caller, func() (err error) {
		res, err = s.execute(op, c)
		return err
	})
	c.header.Set("X-RateLimit-Remaining-Day", strconv.Itoa(left))
	if errors.Is(err, ErrExhausted) {
		return response{}, s.required(op, c, exhausted, "The free calls of today ("+strconv.Itoa(s.Quota(caller))+") are used up; new ones come at midnight UTC"+s.payable(op, c))
	}
	return res, err
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

// required names the price of an operation. It never waits for the facilitator.
func (s *Server) required(op *operation, c *call, code tocsin.Code, detail string) *unpaid {
	r := x402.Required{
		X402Version: x402.Version,
		Error:       detail,
		Resource:    s.resource(op, c),
		Accepts:     s.offers(op, false),
	}
	if len(r.Accepts) > 0 {
		r.Extensions = c.tool.extensions(op)
	}
	return &unpaid{code, detail, r}
}
