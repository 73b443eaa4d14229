package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
)

// lookUp runs a query that has a price in the API. It takes a free call of the visitor's
// key or, without a key, one of the look-ups of their network. Repeating a look-up on the
// same day is free, and so is one that fails.
func (s *Site) lookUp(req *request, what string, query func() error) error {
	if req.Method == http.MethodHead {
		return errHead
	}
	if req.embedded() {
		return errCrossSite
	}
	lookups := s.api.Budgets().Lookups
	caller := req.caller()
	if caller == nil {
		undo, ok := lookups.Take(front.Of(req.Context()).Network().String(), what)
		if !ok {
			return &quotaError{limit: s.config.Limits.Lookups}
		}
		answered := false
		defer func() {
			if !answered { // also after a panic
				undo()
			}
		}()
		err := query()
		answered = err == nil
		return err
	}
	if lookups.Seen(caller.Agent.ID, what) {
		return query()
	}
	_, err := s.api.Free(req.Context(), caller, query)
	var spent *api.Exhausted
	if errors.As(err, &spent) {
		return &quotaError{limit: spent.Limit, signedIn: true, network: spent.Network}
	}
	if err == nil {
		lookups.Remember(caller.Agent.ID, what)
	}
	return err
}

// lookUpOf names the look-up of a page of what is on record about a subject.
func lookUpOf(subject tocsin.Subject, cursor string) string { return subject.String() + " " + cursor }

// hasLookedUp reports whether the visitor has looked up the subject today, so that doing it again is free.
func (s *Site) hasLookedUp(req *request, subject tocsin.Subject) bool {
	visitor := front.Of(req.Context()).Network().String()
	if caller := req.caller(); caller != nil {
		visitor = caller.Agent.ID
	}
	return s.api.Budgets().Lookups.Seen(visitor, lookUpOf(subject, ""))
}

// embedded reports whether a request is that of a page of another site, such as of an
// image on it, which must not use up what is free for its visitors. A link may.
func (req *request) embedded() bool {
	site := req.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && req.Header.Get("Sec-Fetch-Dest") != "document"
}

// quotaError is the error of a visitor without a look-up or a free call left today.
type quotaError struct {
	limit    int
	signedIn bool
	network  bool // the limit is that of all keys from the network
}

// Error implements error.
func (e *quotaError) Error() string {
	return fmt.Sprintf("the %d look-ups of today are used up", e.limit)
}

// quotaPage says what the visitor can do, and when.
func (s *Site) quotaPage(req *request, e *quotaError) *page {
	wait := s.api.Midnight().Std().Sub(s.db.Now().Std())
	req.header.Set("Retry-After", strconv.Itoa(front.Seconds(wait)))
	title := "Your look-ups of today are used up"
	if !e.signedIn {
		title = "Connect a wallet to look up more"
	}
	return &page{
		Template: "spent",
		Title:    title,
		Status:   http.StatusTooManyRequests,
		Body: struct {
			Limit    int
			SignedIn bool
			Network  bool
			Terms    terms
		}{e.limit, e.signedIn, e.network, s.terms()},
	}
}

// terms are the terms of a key in this deployment.
type terms struct {
	Calls int  // free calls a day
	Paid  bool // more calls can be bought
}

func (s *Site) terms() terms {
	return terms{s.config.Quota, s.api.Payments().Enabled}
}
