package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/store"
)

// lookUp runs a query that has a price in the API, and that says whether its answer is an alarm. It takes one of the
// look-ups of the visitor's network and, when these are used up, a free call of their key. Repeating a look-up on the
// same day is free, and so is one that fails.
//
// A link within the site and an alarm cost nothing, and an alarm is shown though nothing is left. All that is read in
// this way counts for the network, in a budget of its own: anybody could say that they follow a link
// (docs/decisions/0038-an-alarm-is-never-withheld.md).
func (s *Site) lookUp(req *request, what string, query func() (alarm bool, err error)) error {
	if req.Method == http.MethodHead {
		return errHead
	}
	if req.embedded() {
		return errCrossSite
	}
	beside, network := s.api.Budgets().UncountedLookups, front.Of(req.Context()).Network().String()
	if s.seen(req, what) {
		_, err := query()
		return err
	}
	if s.followed(req) {
		if undo, ok := beside.Take(network, what); ok {
			return kept(undo, func() error { _, err := query(); return err })
		}
	}
	err := s.charge(req, what, query)
	var spent *quotaError
	if !errors.As(err, &spent) {
		return err
	}
	undo, ok := beside.Take(network, what)
	if !ok {
		return err
	}
	err = kept(undo, func() error {
		alarm, err := query()
		if err == nil && !alarm {
			return errNoAlarm
		}
		return err
	})
	if errors.Is(err, errNoAlarm) {
		// The answer is not shown, so a link or a reload does not show it either. That it was read counts.
		beside.Remember(network, "read in vain: "+what)
		spent.read = true
		return spent
	}
	return err
}

// errNoAlarm is the error of a query whose answer is not shown, because there is no look-up left for it.
var errNoAlarm = errors.New("the answer is no alarm")

// errUncharged ends a call of a key that is answered without charge.
var errUncharged = errors.New("the answer is not charged")

// kept runs a query, and calls undo unless it succeeds, also after a panic.
func kept(undo func(), query func() error) error {
	answered := false
	defer func() {
		if !answered {
			undo()
		}
	}()
	err := query()
	answered = err == nil
	return err
}

// charge runs a query for one of the look-ups of the visitor's network or, when these are used up, for a free call of
// their key (docs/decisions/0042-look-ups-first.md).
func (s *Site) charge(req *request, what string, query func() (alarm bool, err error)) error {
	err := s.takeLookUp(req, what, query)
	if caller := req.caller(); caller != nil && errors.As(err, new(*quotaError)) {
		return s.takeCall(req, caller, what, query)
	}
	return err
}

// takeLookUp runs a query for one of the look-ups of the network, or for none if its answer is an alarm.
func (s *Site) takeLookUp(req *request, what string, query func() (alarm bool, err error)) error {
	undo, ok := s.api.Budgets().Lookups.Take(front.Of(req.Context()).Network().String(), what)
	if !ok {
		return &quotaError{lookups: s.config.Limits.Lookups}
	}
	alarm := false
	err := kept(undo, func() (err error) {
		alarm, err = query()
		return err
	})
	if err == nil && alarm && s.freeOfCharge(req, what) {
		undo()
	}
	return err
}

// freeOfCharge counts an alarm among what is shown beside look-ups, if there is room.
func (s *Site) freeOfCharge(req *request, what string) bool {
	_, ok := s.api.Budgets().UncountedLookups.Take(front.Of(req.Context()).Network().String(), what)
	return ok
}

// takeCall runs a query for a free call of a key, or for none if its answer is an alarm.
func (s *Site) takeCall(
	req *request, caller *store.Caller, what string, query func() (alarm bool, err error),
) error {
	_, err := s.api.Free(req.Context(), caller, func() error {
		alarm, err := query()
		if err == nil && alarm && s.freeOfCharge(req, what) {
			err = errUncharged
		}
		return err
	})
	var spent *api.Exhausted
	switch {
	case errors.Is(err, errUncharged):
		return nil
	case errors.As(err, &spent):
		return &quotaError{lookups: s.config.Limits.Lookups, calls: spent.Limit, signedIn: true, network: spent.Network}
	case err == nil:
		s.api.Budgets().Lookups.Remember(caller.Agent.ID, what)
	}
	return err
}

// lookUpOf names the look-up of a page of what is on record about a subject.
func lookUpOf(subject tocsin.Subject, cursor string) string { return subject.String() + " " + cursor }

// hasLookedUp reports whether the visitor has looked up the subject today, so that doing it again is free.
func (s *Site) hasLookedUp(req *request, subject tocsin.Subject) bool {
	return s.seen(req, lookUpOf(subject, ""))
}

// fewLookUps is how many look-ups a network has left at most when an answer says how many they are.
const fewLookUps = 10

// fewLeft says how many look-ups the network of the visitor has left today, if they are few; "" if not, and with a key,
// whose calls are taken then.
func (s *Site) fewLeft(req *request) string {
	left := s.api.Budgets().Lookups.Left(front.Of(req.Context()).Network().String())
	switch {
	case req.caller() != nil || left > fewLookUps || s.config.Limits.Lookups == 0:
		return ""
	case left == 0:
		return req.lang.Text("No look-ups are left for your network today. Warnings are still shown.")
	}
	return req.lang.Text("%d look-ups are left for your network today.", left)
}

// seen reports whether the visitor, or somebody in their network, was shown a look-up today.
func (s *Site) seen(req *request, what string) bool {
	b, network := s.api.Budgets(), front.Of(req.Context()).Network().String()
	caller := req.caller()
	return b.Lookups.Seen(network, what) || b.UncountedLookups.Seen(network, what) ||
		caller != nil && b.Lookups.Seen(caller.Agent.ID, what)
}

// embedded reports whether a request is that of a page of another site, such as of an
// image on it, which must not use up what is free for its visitors. A link may.
func (req *request) embedded() bool {
	site := req.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && req.Header.Get("Sec-Fetch-Dest") != "document"
}

// followed reports whether the visitor came by a link of this site, as their browser says. On plain http, browsers
// leave Sec-Fetch-Site out; there the Referer says it. A program can send either.
func (s *Site) followed(req *request) bool {
	if req.typed || req.URL.Query().Has(asked) {
		return false
	}
	if site := req.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	from, err := url.Parse(req.Referer())
	return err == nil && from.Host != "" && (from.Host == s.host || from.Host == req.Host)
}

// quotaError is the error of a visitor without a look-up or a free call left today.
type quotaError struct {
	lookups  int // of the network, a day
	calls    int // of the key, a day; 0 without one
	signedIn bool
	network  bool // the calls are those of all keys from the network
	read     bool // what was asked for was read, and is no alarm
}

// Error implements error.
func (e *quotaError) Error() string {
	return fmt.Sprintf("the %d look-ups and %d calls of today are used up", e.lookups, e.calls)
}

// spentPage is the page for a visitor without a look-up left.
type spentPage struct {
	Lookups  int // of the network, a day
	Calls    int // of the key, a day
	SignedIn bool
	Network  bool            // the calls are those of all keys from the network
	Read     bool            // what was asked for is no warning
	Subject  *tocsin.Subject // that was asked for; nil for another page
	Search   string          // the path of a search for it in the reports; "" for none
	Report   string          // the path of the form to report it
	SignIn   string          // the path where the visitor signs in and comes back
	Until    string          // the time until midnight UTC
	Terms    terms
}

// quotaPage says what was asked for, what the visitor can do, and when.
func (s *Site) quotaPage(req *request, e *quotaError) *page {
	wait := s.api.Midnight().Std().Sub(s.db.Now().Std())
	req.header.Set("Retry-After", strconv.Itoa(front.Seconds(wait)))
	v := spentPage{Lookups: e.lookups, Calls: e.calls, SignedIn: e.signedIn, Network: e.network, Read: e.read,
		Until: req.lang.Span(wait), Terms: s.terms(), Report: "/report"}
	back := req.URL.RequestURI()
	if text := req.PathValue("subject"); text != "" {
		if subject, fault := tocsin.ParseSubject(text); fault == nil {
			v.Subject, back = &subject, screenPath(subject)
			v.Search = "/reports?" + url.Values{"q": {subject.Plain()}}.Encode()
			v.Report += "?" + url.Values{"subject": {subject.String()}}.Encode()
		}
	}
	v.SignIn = signInPath(back)
	title := req.lang.Text("No look-ups are left for your network today. This one was not answered.")
	switch {
	case e.signedIn:
		title = req.lang.Text("Your look-ups of today are used up")
	case e.lookups == 0:
		title = req.lang.Text("Looking up needs a key here")
	}
	return &page{Template: "spent", Title: title, Status: http.StatusTooManyRequests, Body: v}
}

// signInPath is the path of the page where a visitor signs in, and comes back from to a path of ours.
func signInPath(back string) string {
	if back = ownPath(back); back == "" {
		return "/account"
	}
	return "/account?" + url.Values{"next": {back}}.Encode()
}

// ownPath returns a path of the site where somebody may go on after signing in, or "": whoever makes a link to the
// sign-in must not choose where it ends.
func ownPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || len(path) > 2000 || strings.ContainsAny(path, "\\\r\n\t") {
		return ""
	}
	for _, place := range []string{"/screen/", "/reports", "/bulk"} {
		if u.Path == strings.TrimSuffix(place, "/") || strings.HasPrefix(path, strings.TrimSuffix(place, "/")+"/") ||
			strings.HasPrefix(path, place+"?") {
			return u.RequestURI()
		}
	}
	return ""
}

// terms are the terms of a key in this deployment.
type terms struct {
	Calls int  // free calls a day
	Paid  bool // more calls can be bought
}

func (s *Site) terms() terms {
	return terms{s.config.Quota, s.api.Payments().Enabled}
}
