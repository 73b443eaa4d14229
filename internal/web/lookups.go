package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"tocsin/internal/api"
	"tocsin/internal/store"
)

// lookups counts what visitors without a key have looked up today, by network:
// so many different things each. It is kept in memory alone: what somebody looks
// up is nobody's business tomorrow.
type lookups struct {
	perDay int

	mu   sync.Mutex
	day  int64
	seen map[netip.Prefix][]string
}

// maxNetworks bounds the memory. To get there takes more networks than a free
// look-up is worth.
const maxNetworks = 100_000

// take reports whether the network may look at the thing: it has done so before
// today, or has something left. undo gives back what was taken.
func (l *lookups) take(network netip.Prefix, what string, now time.Time) (ok bool, undo func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if today := now.Unix() / 86400; today != l.day || len(l.seen) >= maxNetworks {
		l.day, l.seen = today, map[netip.Prefix][]string{}
	}
	if slices.Contains(l.seen[network], what) {
		return true, func() {}
	}
	if len(l.seen[network]) >= l.perDay {
		return false, nil
	}
	l.seen[network] = append(l.seen[network], what)
	return true, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.seen[network] = slices.DeleteFunc(l.seen[network], func(known string) bool { return known == what })
	}
}

// errUnasked is the error of a HEAD request for what has a price: nothing is
// told, nothing charged.
var errUnasked = errors.New("nothing was asked")

// lookUp answers what has a price in the API: with a free call of the visitor's
// key, or, without one, as one of the look-ups of their network. Nothing
// answered, nothing charged.
func (s *Site) lookUp(v *visit, what string, answer func() error) error {
	if v.Method == http.MethodHead {
		return errUnasked
	}
	if caller := v.caller(); caller != nil {
		_, err := s.api.Free(v.Context(), caller, answer)
		if errors.Is(err, api.ErrExhausted) {
			return &spentError{limit: s.api.Quota(caller), signedIn: true}
		}
		return err
	}
	ok, undo := s.lookups.take(store.Network(s.api.Remote(v.Request)), what, s.db.Now().Std())
	if !ok {
		return &spentError{limit: s.config.Lookups}
	}
	if err := answer(); err != nil {
		undo()
		return err
	}
	return nil
}

// spentError is the error of a visitor who has no look-up left today.
type spentError struct {
	limit    int
	signedIn bool
}

// Error implements error.
func (e *spentError) Error() string {
	return fmt.Sprintf("the %d look-ups of today are used up", e.limit)
}

func (s *Site) spent(e *spentError) *view {
	title := "Your look-ups of today are used up"
	if !e.signedIn {
		title = "Connect a wallet to look up more"
	}
	return &view{Page: "spent", Title: title, Status: http.StatusTooManyRequests, Body: struct {
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
