package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tocsin"
	"tocsin/internal/contract"
	"tocsin/internal/front"
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
	refused := "" // why a sign-in was not taken
	if caller == nil {
		if caller, refused, err = s.signedInCaller(c); err != nil {
			return response{}, err
		}
	}
	var exhaustion *Exhausted
	if caller != nil {
		if res, err := s.serveFree(op, caller, c); !errors.As(err, &exhaustion) {
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
	return response{}, s.unpaid(op, c, exhaustion, refused)
}

// serveFree answers with one of the caller's free calls. The error is an
// *[Exhausted] if none is left.
func (s *Server) serveFree(op *operation, caller *store.Caller, c *call) (response, error) {
	var res response
	left, err := s.Free(c.Context(), caller, func() (err error) {
		res, err = s.checkAndRun(op, c)
		c.uncharged = err != nil
		return err
	})
	c.responseHeader["X-Ratelimit-Remaining-Day"] = []string{strconv.Itoa(left)}
	return res, err
}

// unpaid makes the 402 of a call without a free call and without a payment: it
// names the price, and says how to get a key or how to pay. Spent are the free calls
// of a caller with a key, nil for others; refused is why a sign-in with the call was
// not taken.
func (s *Server) unpaid(op *operation, c *call, spent *Exhausted, refused string) error {
	offers := s.offers(op, false)
	code, detail := missingPayment, "Send the header x-api-key with a key of this service"
	switch {
	case spent != nil && spent.Network:
		code = networkExhausted
		detail = fmt.Sprintf("The free calls of today of all keys from your network (%s) are used up; "+
			"new ones come at midnight UTC", contract.Grouped(spent.Limit))
	case spent != nil:
		code = exhausted
		detail = fmt.Sprintf("The free calls of today (%s) are used up; new ones come at midnight UTC",
			contract.Grouped(spent.Limit))
	case refused != "":
		code, detail = signInRefused, "The sign-in in SIGN-IN-WITH-X is not taken: "+refused
	case hasKey(c.Header):
		code = unknownKey
		detail = "The key that was sent is not a live key of this service: it is mistyped, unknown or revoked"
		if key, _ := sentKey(c.Header); !strings.HasPrefix(key, "toc_") { // "undefined", for example
			detail = "The key that was sent is not a live key of this service: it does not begin with toc_. " +
				"Send the key alone, without quotes"
		}
	case strings.Contains(c.URL.RawQuery, "=toc_"):
		detail = "A key in a URL is not read: send it in the header x-api-key"
	}
	reason := detail
	if spent == nil {
		detail += ". A key is free: " + s.config.BaseURL + "/docs/keys says how a program gets one, and " +
			s.config.BaseURL + "/account gives one to people"
	}
	switch {
	case !s.config.Payments.taken():
		detail += ". This service takes no payments"
	case len(offers) == 0:
		detail += ". Payments cannot be taken at the moment"
	case s.facilitatorAway():
		detail += ". Payments are likely to fail at the moment, since the facilitator did not answer its last call: " +
			"try again in a minute; the offers in accepts hold then"
		reason += ". Payments are likely to fail at the moment: try again in a minute"
	case c.tool != nil:
		detail += ". Or pay for this call: sign one of the offers in accepts, and send it with the same call, " +
			"in _meta under x402/payment"
	default:
		detail += ". Or pay for this call: sign one of the offers in accepts, and send it as the header PAYMENT-SIGNATURE"
	}
	r := s.required(op, c, reason, offers)
	if spent == nil && len(offers) > 0 && s.offersSignIn(c) {
		extension, err := s.signInExtension(c.Context())
		if err != nil {
			return err
		}
		r.Extensions = maps.Clone(r.Extensions)
		r.Extensions[signInName] = extension
	}
	return fitting(c, code, detail, r)
}

// maxRequiredHeader bounds PAYMENT-REQUIRED, in bytes. nginx reads the whole head of a response into one buffer, which
// has 4,096 bytes unless the operator enlarges it; the other headers take up to 700 of them.
const maxRequiredHeader = 3396

// maxReason bounds the error of a 402, in characters.
const maxReason = 200

// dispensable are the extensions of a 402 that are left out, one after the other, if its header is too long.
var dispensable = []string{signInName, "payment-identifier", "bazaar"}

// paymentRequired makes a 402. Its reason is for programs, its detail for people.
func (s *Server) paymentRequired(
	op *operation, c *call, code tocsin.Code, reason, detail string, offers []x402.Requirements,
) *paymentRequired {
	return fitting(c, code, detail, s.required(op, c, reason, offers))
}

// required makes what a 402 tells programs.
func (s *Server) required(op *operation, c *call, reason string, offers []x402.Requirements) x402.Required {
	if ticket, err := s.db.NewTicket(); err == nil { // crypto/rand does not fail
		for i := range offers {
			offers[i].Extra.Ticket = ticket
		}
	}
	r := x402.Required{
		X402Version: x402.Version,
		Error:       tocsin.Shorten(reason, maxReason),
		Resource:    s.resource(op, c),
		Accepts:     offers,
	}
	if len(offers) > 0 {
		r.Extensions = c.tool.extensions(op)
	}
	return r
}

// fitting makes a 402 whose header fits.
func fitting(c *call, code tocsin.Code, detail string, r x402.Required) *paymentRequired {
	if c.tool != nil {
		return &paymentRequired{code: code, detail: detail, required: r}
	}
	header := r.Header()
	for i := 0; len(header) > maxRequiredHeader && i < len(dispensable); i++ {
		r.Extensions = maps.Clone(r.Extensions)
		delete(r.Extensions, dispensable[i])
		header = r.Header()
	}
	return &paymentRequired{code, detail, r, header}
}

// Exhausted is the error of a caller who has no free call left today.
type Exhausted struct {
	Limit   int  // of free calls today
	Network bool // the limit is that of all keys from the network, rather than of the key
}

// Error implements error.
func (e *Exhausted) Error() string { return "the free calls of today are used up" }

// Free takes one of the caller's free calls of today for what answer makes, and
// returns how many are left. It is taken after the answer was made, so there is
// never one to give back; when others were quicker and none is left, the answer
// must stay here: the error is then an *[Exhausted]. The call counts for the network
// it came from as well, unless the operator gave the key a quota of its own.
func (s *Server) Free(ctx context.Context, caller *store.Caller, answer func() error) (left int, err error) {
	defer func() {
		switch {
		case err == nil:
			s.config.Count().Called("answered")
		case errors.As(err, new(*Exhausted)):
			s.config.Count().Called("exhausted")
		default:
			s.config.Count().Called("failed")
		}
	}()
	limit := s.Quota(caller)
	if !s.db.Begin(caller, limit) {
		return 0, &Exhausted{Limit: limit}
	}
	taken := false
	defer func() { caller.End(taken) }()
	giveBack := func() {}
	if calls := s.budgets.NetworkCalls; calls != nil && caller.Quota == nil {
		_, undo := s.budgets.TakeToday(ctx, calls, front.Of(ctx).Network())
		if undo == nil {
			return 0, &Exhausted{Limit: calls.Limit(), Network: true}
		}
		giveBack = sync.OnceFunc(undo)
		defer func() {
			if !taken {
				giveBack()
			}
		}()
	}
	if err := answer(); err != nil {
		giveBack()
		left, _ = s.FreeLeft(ctx, caller, s.db.Used(caller))
		return left, err
	}
	used, taken, err := s.db.Spend(ctx, caller, limit)
	if err == nil && !taken {
		err = &Exhausted{Limit: limit}
	}
	left, _ = s.FreeLeft(ctx, caller, used)
	return left, err
}

// FreeLeft returns how many free calls a caller who has used some has left today: no more than all keys of the network
// that the call comes from have left together. If these alone are used up, why says so in a sentence; otherwise it is
// "".
func (s *Server) FreeLeft(ctx context.Context, caller *store.Caller, used int) (left int, why string) {
	left = max(0, s.Quota(caller)-used)
	calls := s.budgets.NetworkCalls
	if calls == nil || caller.Quota != nil {
		return left, ""
	}
	shared := calls.Left(front.Of(ctx).Network())
	if left > 0 && shared == 0 {
		why = fmt.Sprintf("The %s free calls of today of all keys from your network are used up; new ones come at "+
			"midnight UTC.", contract.Grouped(calls.Limit()))
	}
	return min(left, shared), why
}

// caller returns who holds the key of the call, or nil if there is no live key. The
// error has the code [tocsin.AgentBanned] if the operator refuses the agent.
func (s *Server) caller(r *http.Request) (*store.Caller, error) {
	text, err := sentKey(r.Header)
	if err != nil {
		return nil, err
	}
	key, ok := tocsin.ParseKey(text)
	if !ok {
		return nil, nil
	}
	return s.db.Caller(r.Context(), key)
}

// hasKey reports whether a call came with a key, live or not.
func hasKey(h http.Header) bool {
	key, err := sentKey(h)
	return key != "" || err != nil
}

// deadKey says what is wrong with the key that came with a call, if that is not live; "" for none.
func deadKey(h http.Header) string {
	text, err := sentKey(h)
	if text == "" || err != nil {
		return ""
	}
	if _, ok := tocsin.ParseKey(text); !ok {
		return "The key that you sent is mistyped"
	}
	return "The key that you sent is unknown here, or revoked"
}

// sentKey returns the key that came with a call, "" for none: that in x-api-key, or that in Authorization with the
// scheme Bearer (RFC 6750, section 2.1), which is all that some clients can send. Other credentials in Authorization
// are for a proxy in front of us. It is an error if two keys came: one of them would be charged by mistake. So is a key
// in Authorization without a scheme, with which a caller would be taken for one without a key.
func sentKey(h http.Header) (string, error) {
	keys, authorization := h["X-Api-Key"], h["Authorization"]
	if len(keys) == 1 && len(authorization) == 0 {
		return keys[0], nil
	}
	keys = slices.Clone(keys)
	for _, credentials := range authorization {
		scheme, token, _ := strings.Cut(strings.TrimSpace(credentials), " ")
		token = strings.TrimSpace(token)
		if strings.HasPrefix(scheme, "toc_") {
			return "", tocsin.Faults([]tocsin.Fault{{
				Field: "Authorization", Reason: "it has a key and no scheme",
				Fix: "send Authorization: Bearer and the key, or the key in x-api-key",
			}})
		}
		if strings.EqualFold(scheme, "Bearer") && (len(keys) == 0 || strings.HasPrefix(token, "toc_")) {
			keys = append(keys, token)
		}
	}
	keys = slices.Compact(slices.DeleteFunc(keys, func(key string) bool { return key == "" }))
	if len(keys) > 1 {
		return "", tocsin.Faults([]tocsin.Fault{{
			Field:  "x-api-key",
			Reason: "the call has more than one key, in x-api-key and Authorization",
			Fix:    "send one key, in one of the two headers",
		}})
	}
	return strings.Join(keys, ""), nil
}

// Quota returns how many free calls a day the caller has.
func (s *Server) Quota(c *store.Caller) int {
	if c.Quota != nil {
		return *c.Quota
	}
	return s.config.Quota
}
