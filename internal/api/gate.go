package api

import (
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

// charge lets only those through to next who may have its answer, and takes
// the price when there is one. Nothing answered, nothing charged.
//
// Credentials are looked at before the input: whoever probes learns the price.
func (s *Server) charge(op *operation, next endpoint) endpoint {
	return func(h http.Header, c *call) (any, error) {
		caller, err := s.caller(c.Request)
		if err != nil {
			return nil, err
		}
		var owed error // names the price to whoever has no free call
		if caller != nil {
			var answer any
			if answer, err = s.serveFree(op, caller, h, c, next); !errors.As(err, new(*unpaid)) {
				return answer, err
			}
			owed = err
		} else {
			owed = s.required(op, c, paymentRequired, s.priced(c))
		}
		if len(s.config.Payments.Accounts) == 0 || c.Method == http.MethodHead { // HEAD: there is no answer to sell
			return nil, owed
		}
		paid, err := paymentHeader(c.Header)
		if err != nil {
			return nil, err
		}
		if paid == "" {
			return nil, owed
		}
		return s.servePaid(op, paid, caller, h, c, next)
	}
}

// priced says how to be answered.
func (s *Server) priced(c *call) string {
	detail := "Send the header x-api-key with a key of this service"
	if c.Header.Get("x-api-key") != "" {
		detail = "The key in x-api-key is not a live key of this service: it is mistyped, unknown or revoked"
	}
	return detail + s.payable()
}

// payable says whether a call can be paid for instead.
func (s *Server) payable() string {
	if len(s.config.Payments.Accounts) == 0 {
		return ". This service takes no payments"
	}
	return ". Or pay for this call: sign one of the offers in accepts, and send it as the header PAYMENT-SIGNATURE"
}

// serveFree answers with one of the caller's free calls, or says what it owes when none is left.
func (s *Server) serveFree(op *operation, caller *store.Caller, h http.Header, c *call, next endpoint) (any, error) {
	f := &freeCall{s: s, op: op, caller: caller, limit: s.quota(caller)}
	f.tell(h, s.db.Used(caller))
	if !s.db.Begin(caller, f.limit) {
		return nil, f.exhausted(h, c)
	}
	defer f.end()
	answer, err := next(h, c)
	if err != nil {
		return nil, err
	}
	return answer, f.settle(h, c)
}

// freeCall is one of the calls that a key has free each day. It is taken after
// its answer was made, so there is never one to give back.
type freeCall struct {
	s      *Server
	op     *operation
	caller *store.Caller
	limit  int
	taken  bool
}

func (f *freeCall) end() { f.caller.End(f.taken) }

// settle takes the call. When others were quicker and none is left, the answer stays here.
func (f *freeCall) settle(h http.Header, c *call) error {
	used, taken, err := f.s.db.Spend(c.Context(), f.caller, f.limit)
	if err != nil {
		return err
	}
	if f.taken = taken; !taken {
		return f.exhausted(h, c)
	}
	f.tell(h, used)
	return nil
}

// tell says how many calls are left.
func (f *freeCall) tell(h http.Header, used int) {
	h.Set("X-RateLimit-Remaining-Day", strconv.Itoa(max(0, f.limit-used)))
}

func (f *freeCall) exhausted(h http.Header, c *call) error {
	f.tell(h, f.limit)
	return f.s.required(f.op, c, exhausted, "The "+strconv.Itoa(f.limit)+" free calls of today are used up; new ones come at midnight UTC"+f.s.payable())
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

// quota returns how many free calls a day the caller has.
func (s *Server) quota(c *store.Caller) int {
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
		r.Extensions = op.extensions
	}
	return &unpaid{code, detail, r}
}
