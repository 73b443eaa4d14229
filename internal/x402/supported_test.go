package x402_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tocsin/internal/x402"
)

// answering is a transport that answers every call, or fails if the answer is "".
type answering func(*http.Request) (status int, body string)

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := a(r)
	if body == "" {
		return nil, errors.New("no answer")
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}, nil
}

// TestTheFacilitatorIsAskedEveryFiveMinutesAndAfterAFailureEveryFiveSeconds runs on a clock that jumps.
func TestTheFacilitatorIsAskedEveryFiveMinutesAndAfterAFailureEveryFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const base = `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}]}`
		const both = `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"},` +
			`{"x402Version":2,"scheme":"exact","network":"eip155:84532"}]}`
		began, answer := time.Now(), new(atomic.Value)
		answer.Store(base)
		var asked []time.Duration
		f, err := x402.NewFacilitator("https://pay.example", x402.Options{
			Timeout: time.Second,
			Now:     time.Now,
			Transport: answering(func(r *http.Request) (int, string) {
				asked = append(asked, time.Since(began))
				return 200, answer.Load().(string)
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		var changes []string
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan bool)
		go func() {
			defer close(ended)
			f.Watch(ctx, func(failure *x402.FacilitatorError, networks []string) {
				changes = append(changes, fmt.Sprint(failure != nil, " ", networks))
			})
		}()
		next := func(wait time.Duration, response string) {
			answer.Store(response)
			time.Sleep(wait)
			synctest.Wait()
		}
		next(time.Second, base)
		next(5*time.Minute, base)               // asked at 5m
		next(5*time.Minute-time.Second, "")     // at 10m, which fails, and so does 10m5s
		next(7*time.Second, "")                 //
		next(5*time.Second, base)               // at 10m10s
		next(5*time.Minute, both)               // at 15m10s
		next(time.Minute, both)                 //
		f.Refresh()                             // at once
		next(5*time.Minute-2*time.Second, both) // not yet again
		cancel()
		<-ended
		f.Refresh()
		next(time.Hour, both)
		want := "[0s 5m0s 10m0s 10m5s 10m10s 15m10s 16m12s]"
		if got := fmt.Sprint(asked); got != want {
			t.Errorf("asked at %s, want %s", got, want)
		}
		want = "[false [eip155:8453] true [eip155:8453] false [eip155:8453] false [eip155:8453 eip155:84532]]"
		if got := fmt.Sprint(changes); got != want {
			t.Errorf("the changes are %s, want %s", got, want)
		}
	})
}

// hanging is a transport on which /supported is never answered, and every other call fails.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/supported" {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return nil, io.ErrUnexpectedEOF
}

// TestAPayerWaitsFiveSecondsForAQuestion, and the end of the watch is no failure.
func TestAPayerWaitsFiveSecondsForAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := x402.NewFacilitator("https://pay.example", x402.Options{Timeout: time.Minute, Now: time.Now,
			Transport: hanging{}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan bool)
		go func() {
			defer close(ended)
			f.Watch(ctx, func(failure *x402.FacilitatorError, _ []string) { t.Errorf("a change: %v", failure) })
		}()
		time.Sleep(time.Second)
		cancel()
		<-ended
		began := time.Now()
		for range 5 {
			f.Verify(t.Context(), []byte(`{}`))
		}
		if waited := time.Since(began); waited != 5*time.Second {
			t.Errorf("payers waited %v", waited)
		}
	})
}

// TestWhatAFacilitatorSaysOfItselfIsKept reads /supported, where only entries of our version and scheme count.
func TestWhatAFacilitatorSaysOfItselfIsKept(t *testing.T) {
	const feePayer = "EVHeoZ8ZchkjtHJiSmWWjY3NctQVcCzD8yYfuw1qkXqm"
	kind := func(version int, scheme, network, feePayer string) string {
		return fmt.Sprintf(`{"x402Version":%d,"scheme":%q,"network":%q,"extra":{"feePayer":%q}}`,
			version, scheme, network, feePayer)
	}
	var status int
	var body string
	c := new(clock)
	f, err := x402.NewFacilitator("https://pay.example", x402.Options{Timeout: time.Minute, Now: c.now,
		Transport: answering(func(r *http.Request) (int, string) { return status, body })})
	if err != nil {
		t.Fatal(err)
	}
	if h := f.Health(); h.Known || h.Reachable || !h.At.IsZero() || h.Networks != nil || !h.MaySettle(x402.Base) ||
		h.Settles(x402.Base) {
		t.Errorf("before it was asked: %+v", h)
	}
	for _, s := range []struct {
		about, body string
		health      string // reachable, networks, fee payer of Solana
	}{
		{"nothing", `{"kinds":[]}`, "true [] "},
		{"no kinds", `{}`, "false [] "},
		{"no answer", "", "false [] "},
		{"other versions and schemes", `{"kinds":[` + kind(1, "exact", x402.Base, "") + "," +
			kind(2, "upto", x402.BaseSepolia, "") + "," + kind(3, "exact", x402.Solana, feePayer) + `]}`, "true [] "},
		{"ours behind another version", `{"kinds":[` + kind(1, "exact", x402.Base, "") + "," +
			kind(2, "exact", x402.Base, "") + `]}`, "true [eip155:8453] "},
		{"a network twice", `{"kinds":[` + kind(2, "exact", x402.Base, "") + "," + kind(2, "exact", x402.Base, "") + `]}`,
			"true [eip155:8453] "},
		{"a fee payer that is no address", `{"kinds":[` + kind(2, "exact", x402.Solana, "me") + "," +
			kind(2, "exact", x402.Solana, feePayer) + `]}`, "true [" + x402.Solana + "] " + feePayer},
		{"a failure", "", "false [" + x402.Solana + "] " + feePayer},
	} {
		status, body = 200, s.body
		c.ahead.Add(int64(time.Second))
		failure := f.Ask(t.Context())
		h := f.Health()
		got := fmt.Sprint(h.Reachable, " ", h.Networks, " ", f.FeePayer(x402.Solana))
		if got != s.health || !h.Known || !h.At.Equal(c.now()) || (failure == nil) != h.Reachable {
			t.Errorf("%s: %s at %v, %v; want %s", s.about, got, h.At, failure, s.health)
		}
		if h.MaySettle(x402.Base) != strings.Contains(s.health, x402.Base) {
			t.Errorf("%s: it may settle on Base: %v", s.about, h.MaySettle(x402.Base))
		}
	}
	c.ahead.Add(int64(15*time.Minute - time.Second))
	if got := f.FeePayer(x402.Solana); got != feePayer || len(f.FeePayers(x402.Solana)) != 1 {
		t.Errorf("15 minutes after it was named the fee payer is %q", got)
	}
	c.ahead.Add(int64(time.Nanosecond))
	if got := f.FeePayer(x402.Solana); got != "" || len(f.FeePayers(x402.Solana)) != 0 {
		t.Errorf("after more than 15 minutes the fee payer is %q", got)
	}
}
