package web

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"tocsin/internal/api"
	"tocsin/internal/store"
)

// lookups remembers what visitors have looked up today: those without a key so
// many different things for each network; those with one what they have paid for.
// To look again is free. It is kept in memory alone, for the day.
type lookups struct {
	mu   sync.Mutex
	day  int64
	seen map[string][]string // by network, or by agent
}

// maxVisitors bounds the memory. To get there takes more networks and wallets
// than a free look-up is worth.
const maxVisitors = 100_000

// take reports whether the visitor may look at the thing without paying: they
// have done so before today, or fewer than limit. undo gives back what was taken.
func (l *lookups) take(visitor, what string, limit int, now time.Time) (ok bool, undo func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if today := now.Unix() / 86400; today != l.day || len(l.seen) >= maxVisitors {
		l.day, l.seen = today, map[string][]string{}
	}
	if slices.Contains(l.seen[visitor], what) {
		return true, func() {}
	}
	if len(l.seen[visitor]) >= limit {
		return false, nil
	}
	l.seen[visitor] = append(l.seen[visitor], what)
	return true, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.seen[visitor] = slices.DeleteFunc(l.seen[visitor], func(known string) bool { return known == what })
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
	// A picture on a foreign page must not use up what its reader has; a link may.
	if site := v.Header.Get("Sec-Fetch-Site"); (site == "cross-site" || site == "same-site") && v.Header.Get("Sec-Fetch-Dest") != "document" {
		return errForeign
	}
	now := s.db.Now().Std()
	caller := v.caller()
	if caller == nil {
		ok, undo := s.lookups.take(store.Network(s.api.Remote(v.Request)).String(), what, s.config.Lookups, now)
		if !ok {
			return &spentError{limit: s.config.Lookups}
		}
		err := answer()
		if err != nil {
			undo()
		}
		return err
	}
	if again, _ := s.lookups.take(caller.Agent.ID, what, 0, now); again {
		return answer()
	}
	_, err := s.api.Free(v.Context(), caller, answer)
	if errors.Is(err, api.ErrExhausted) {
		return &spentError{limit: s.api.Quota(caller), signedIn: true}
	}
	if err == nil {
		s.lookups.take(caller.Agent.ID, what, math.MaxInt, now)
	}
	return err
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

func (s *Site) spent(v *visit, e *spentError) *view {
	v.header.Set("Retry-After", strconv.Itoa(int(s.api.Midnight().Std().Sub(s.db.Now().Std()).Seconds())+1))
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
