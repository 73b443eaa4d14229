package signals

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

// TestAHostThatFailsIsLeftAlone for a minute, or for as long as it asks for, up to an hour.
func TestAHostThatFailsIsLeftAlone(t *testing.T) {
	gone := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	refuses := func(retryAfter string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", retryAfter)
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
	for about, c := range map[string]struct {
		answers func(http.ResponseWriter)
		pause   time.Duration
	}{
		"it hangs up":        {gone, time.Minute},
		"it does not say":    {refuses(""), time.Minute},
		"a moment":           {refuses("5"), time.Minute},
		"ten minutes":        {refuses("600"), 10 * time.Minute},
		"a day":              {refuses("86400"), time.Hour},
		"longer than a year": {refuses("99999999999"), time.Hour},
		"a date":             {refuses("Mon, 02 Mar 2026 12:00:00 GMT"), time.Minute},
	} {
		clock := &tocsintest.Clock{}
		var asked atomic.Int64 // what asks again on a new connection counts once
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			c.answers(w)
		})
		b := bootstrap(t, map[string]string{"com": s.URL})
		ask := func(name string) int64 {
			before := asked.Load()
			_, err := b.registration(t.Context(), name, clock.Now())
			want(t, about+": it fails", err != nil, true)
			return min(asked.Load()-before, 1)
		}
		got := []int64{ask("example.com"), ask("example.com")}
		clock.Sleep(c.pause - 1)
		got = append(got, ask("example.com"), ask("other.com"))
		clock.Sleep(1)
		want(t, about, append(got, ask("other.com")), []int64{1, 0, 0, 0, 1})
	}
}

// TestAHostIsLeftAloneForItsFailuresOnly: for an answer that breaks off, not for one that is too long, since those
// about other names may be short.
func TestAHostIsLeftAloneForItsFailuresOnly(t *testing.T) {
	for about, c := range map[string]struct {
		answer   http.HandlerFunc
		requests int
	}{
		"breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("{"))
		}, 1},
		"too long": {says(strings.Repeat(" ", maxRegistration+1)), 2},
	} {
		s := serve(t, c.answer)
		b := bootstrap(t, map[string]string{"com": s.URL})
		for range 2 {
			_, err := b.registration(t.Context(), "example.com", tocsintest.Noon)
			want(t, about, err != nil, true)
		}
		want(t, about+": requests", s.asked.Load(), c.requests)
	}
}

// TestNamesWaitAsLongAsTheirHost that has failed, and those of other hosts do not wait.
func TestNamesWaitAsLongAsTheirHost(t *testing.T) {
	failing := true
	answers := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, registration, r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
	}
	good := serve(t, answers)
	bad := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if failing {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		answers(w, r)
	})
	var outcomes []Outcome
	clock := &tocsintest.Clock{}
	a := New(Options{Now: clock.Now, Registries: bootstrap(t, map[string]string{"com": bad.URL, "net": good.URL}),
		Done: func(_ string, o Outcome, _ error) { outcomes = append(outcomes, o) }})
	lookUp := func(names ...string) (asked []bool) {
		for _, name := range names {
			a.About(domain(t, name))
		}
		for len(a.registered.queue) > 0 {
			asked = append(asked, a.registered.once(t.Context(), <-a.registered.queue))
		}
		return asked
	}
	want(t, "a host that fails; who waits for it costs no time", lookUp("first.com", "second.com", "other.net"),
		[]bool{true, false, true})
	want(t, "outcomes", outcomes, "[failed dropped known]")
	failing = false
	clock.Sleep(2*time.Minute - time.Second)
	want(t, "while the host is left alone", lookUp("first.com", "second.com"), "[]")
	clock.Sleep(time.Second)
	want(t, "then", lookUp("first.com", "second.com"), "[true]")
	want(t, "the second is known", a.About(domain(t, "second.com")).RegisteredAt, "2026-03-01T04:00:00.000000Z")
	clock.Sleep(8 * time.Minute)
	want(t, "the name that failed waits longer", lookUp("first.com"), "[true]")
}
