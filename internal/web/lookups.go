package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/store"
)

// errUnasked is the error of a HEAD request for what has a price: nothing is
// told, nothing charged.
var errHead = errors.New("nothing was asked")

// lookUp answers what has a price in the API: with a free call of the visitor's
// key, or, without one, as one of the look-ups of their network. Nothing
// answered, nothing charged.
func (s *Site) lookUp(req *request, what string, answer func() error) error {
	if req.Method == http.MethodHead {
		return errHead
	}
	// A picture on a foreign page must not use up what its reader has; a link may.
	if site := req.Header.Get("Sec-Fetch-Site"); (site == "cross-site" || site == "same-site") && req.Header.Get("Sec-Fetch-Dest") != "document" {
		return errCrossSite
	}
	lookups := s.api.Budgets().Lookups
	caller := req.caller()
	if caller == nil {
		undo, ok := lookups.Take(front.Of(req.Context()).Network.String(), what)
		if !ok {
			return &quotaError{limit: s.config.Lookups}
		}
		err := answer()
		if err != nil {
			undo()
		}
		return err
	}
	if lookups.Seen(caller.Agent.ID, what) {
		return answer()
	}
	_, err := s.api.Free(req.Context(), caller, answer)
	if errors.Is(err, api.ErrExhausted) {
		return &quotaError{limit: s.api.Quota(caller), signedIn: true}
	}
	if err == nil {
		lookups.Remember(caller.Agent.ID, what)
	}
	return err
}

// spentError is the error of a visitor who has no look-up left today.
type quotaError struct {
	limit    int
	signedIn bool
}

// Error implements error.
func (e *quotaError) Error() string {
	return fmt.Sprintf("the %d look-ups of today are used up", e.limit)
}

func (s *Site) quotaPage(req *request, e *quotaError) *page {
	req.header.Set("Retry-After", strconv.Itoa(int(s.api.Midnight().Std().Sub(s.db.Now().Std()).Seconds())+1))
	title := "Your look-ups of today are used up"
	if !e.signedIn {
		title = "Connect a wallet to look up more"
	}
	return &page{Template: "spent", Title: title, Status: http.StatusTooManyRequests, Body: struct {
		Limit    int
		SignedIn bool
		Terms    terms
	}{e.limit, e.signedIn, s.terms()}}
}

// terms are what a key gives, and what may be bought, in this service.
type terms struct {
	Calls int  // free ones a day
	Paid  bool // further ones can be paid for
}

func (s *Site) terms() terms {
	return terms{s.api.Quota(&store.Caller{}), s.api.Payments().Enabled}
}
