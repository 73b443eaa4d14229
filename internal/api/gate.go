package api

import (
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
// the price when there is one. Nothing answered, nothing charged: a free call
// is taken after next has succeeded, so there is never one to give back.
//
// Credentials are looked at before the input: whoever probes learns the price.
func (s *Server) charge(op *operation, next endpoint) endpoint {
	return func(h http.Header, c *call) (any, error) {
		caller, err := s.caller(c.Request)
		if err != nil {
			return nil, err
		}
		if caller == nil {
			return nil, s.required(op, c, payment, "Send the header x-api-key with a key of this service")
		}
		limit := s.quota(caller)
		remaining := func(used int) { h.Set("X-RateLimit-Remaining-Day", strconv.Itoa(max(0, limit-used))) }
		exhausted := func() error {
			remaining(limit)
			return s.required(op, c, tocsin.Exhausted, "The "+strconv.Itoa(limit)+" free calls of today are used up; new ones come at midnight UTC")
		}
		used := s.db.Used(caller)
		if used >= limit {
			return nil, exhausted()
		}
		answer, err := next(h, c)
		if err != nil {
			remaining(s.db.Used(caller))
			return nil, err
		}
		used, ok, err := s.db.Spend(c.Context(), caller, limit)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, exhausted()
		}
		remaining(used)
		return answer, nil
	}
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

func (s *Server) required(op *operation, c *call, code tocsin.Code, detail string) error {
	return &unpaid{code, detail, x402.Required{
		X402Version: x402.Version,
		Error:       detail,
		Resource:    x402.Resource{URL: s.config.BaseURL + c.URL.EscapedPath(), Description: op.summary, MimeType: "application/json"},
		Accepts:     []x402.Requirements{},
	}}
}
