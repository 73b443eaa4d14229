package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

func TestWithoutAValidKeyThePriceIsAnsweredBeforeTheInputIsLookedAt(t *testing.T) {
	s := start(t)
	revoked := s.key(-1)
	if _, err := s.db.RevokeKey(t.Context(), store.Operator{}, revoked); err != nil {
		t.Fatal(err)
	}
	unknown, err := tocsin.NewKey(strings.NewReader(strings.Repeat("x", 20)))
	if err != nil {
		t.Fatal(err)
	}
	for _, headers := range [][]string{{}, {"x-api-key: "}, {"x-api-key: toc_nonsense"},
		{"x-api-key: " + string(unknown)}, {"x-api-key: " + revoked},
		{"x-api-key: " + revoked, "x-api-key: " + revoked}} {
		for _, c := range [][2]string{{"GET", "/screen/" + thief}, {"GET", "/screen/nonsense"}, {"POST", "/check"},
			{"GET", "/domains/check/1.2.3.4"},
			{"GET", "/community-reports/search"}, {"GET", "/community-reports?limit=0"}} {
			a := s.do(c[0], c[1], nil, headers...)
			if a.status != 402 || a.header.Get("X-Free-Tier-Exhausted") != "" ||
				a.header.Get("X-RateLimit-Remaining-Day") != "" {
				t.Fatalf("%v %v: %d %s", headers, c, a.status, a.raw)
			}
			var facts map[string]any
			text, err := base64.StdEncoding.DecodeString(a.header.Get("PAYMENT-REQUIRED"))
			if err != nil || json.Unmarshal(text, &facts) != nil {
				t.Fatalf("PAYMENT-REQUIRED is %q", a.header.Get("PAYMENT-REQUIRED"))
			}
			for name, value := range facts {
				want(t, name+" in header and body", a.body[name], value)
			}
			want(t, "x402Version", facts["x402Version"], 2)
			want(t, "accepts", facts["accepts"], []any{})
			if path, _, _ := strings.Cut(c[1], "?"); a.text("resource.url") != baseURL+s.api.contract.Base+path {
				t.Errorf("resource.url is %q", a.text("resource.url"))
			}
			if head := s.do("HEAD", c[1], nil, headers...); c[0] == "GET" && head.status != 402 {
				t.Errorf("HEAD %s: %d", c[1], head.status)
			}
		}
	}
}

func TestAKeyHasTenFreeCallsADayOverAllPaidOperations(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(-1)
	calls := []func() *answer{
		func() *answer { return s.get("/screen/"+thief, key) },
		func() *answer { return s.do("POST", "/check", map[string]any{"addresses": []string{thief}}, key) },
		func() *answer { return s.get("/domains/check/evil.com", key) },
		func() *answer { return s.get("/community-reports/search?q=x", key) },
		func() *answer { return s.get("/community-reports", key) },
		func() *answer { return s.do("HEAD", "/screen/"+thief, nil, key) },
	}
	for i := range 10 {
		a := calls[i%len(calls)]()
		want(t, "status", a.status, 200)
		want(t, "remaining", a.header.Get("X-RateLimit-Remaining-Day"), 9-i)
	}
	for _, call := range calls {
		a := call()
		want(t, "status", a.status, 402)
		want(t, "exhausted", a.header.Get("X-Free-Tier-Exhausted"), true)
		want(t, "remaining", a.header.Get("X-RateLimit-Remaining-Day"), 0)
	}
	want(t, "exhausted before the input", s.get("/screen/nonsense", key).status, 402)
	me := s.get("/me", key)
	want(t, "calls", me.number("apiCallCount"), 10)
	want(t, "remaining", me.number("freeCalls.remaining"), 0)
	s.Sleep(24 * time.Hour)
	a := s.get("/screen/"+thief, key)
	want(t, "the next day", a.status, 200)
	want(t, "remaining", a.header.Get("X-RateLimit-Remaining-Day"), 9)
}

func TestNothingAnsweredNothingCharged(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(-1)
	for _, path := range []string{"/screen/nonsense", "/screen/" + thief + "?limit=0", "/screen/" + thief + "?limit=101",
		"/screen/" + thief + "?limit=x",
		"/screen/" + thief + "?cursor=x", "/domains/check/localhost", "/community-reports/search",
		"/community-reports/search?q=", "/community-reports/search?q=*",
		"/community-reports?crimeType=theft", "/community-reports?since=yesterday", "/community-reports?limit=5&limit=6",
		"/community-reports?q=%zz",
		"/community-reports?since=2026-01-01T00:00:00Z&cursor=AQE"} {
		a := s.get(path, key)
		want(t, path, a.status, 400)
		want(t, path+" leaves", a.header.Get("X-RateLimit-Remaining-Day"), 10)
		if len(a.faulty()) == 0 || a.text("errors.0.fix") == "" {
			t.Errorf("%s: %s", path, a.raw)
		}
	}
	for _, body := range []any{"{", "[]", "", `{"addresses":[]}`, `{"addresses":["0x1"]}`,
		`{"addresses":["` + thief + `"],"limit":1}`, `{"addresses":"` + thief + `"}`} {
		a := s.do("POST", "/check", body, key)
		want(t, fmt.Sprint(body), a.status, 400)
		want(t, "remaining", a.header.Get("X-RateLimit-Remaining-Day"), 10)
	}
	want(t, "used", s.get("/me", key).number("freeCalls.used"), 0)
}

// TestEachFaultyPartIsNamedAtOnce: what the contract refuses, and what only the endpoint can.
func TestEachFaultyPartIsNamedAtOnce(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(10)
	for path, faulty := range map[string][]string{
		"/community-reports?crimeType=foo&since=yesterday":     {"crimeType", "since"},
		"/community-reports/search?limit=x":                    {"limit", "q"},
		"/screen/nonsense?limit=0&context=0x1":                 {"limit", "address", "context[0]"},
		"/accounts/foobar?context=" + thief:                    {"context", "account"},
		"/subjects/telegram%3Alena_trades88/related?limit=500": {"limit", "subject"},
	} {
		a := s.get(path, key)
		slices.Sort(faulty)
		want(t, path, []any{a.status, slices.Sorted(slices.Values(a.faulty()))}, []any{400, faulty})
	}
}

func TestAFailedCallSaysHowManyCallsAreLeft(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(-1)
	for range 3 {
		s.get("/screen/"+thief, key)
	}
	failed := s.get("/screen/nonsense", key)
	want(t, "after three of ten", []any{failed.status, failed.header.Get("X-RateLimit-Remaining-Day")}, []any{400, 7})
}

func TestSixtyFourCallsAtOnceGetExactlyTheQuota(t *testing.T) {
	s := start(t)
	for range 5 {
		key := "x-api-key: " + s.key(-1)
		var group sync.WaitGroup
		var answered, refused atomic.Int32
		for range 64 {
			group.Go(func() {
				switch s.get("/screen/"+thief, key).status {
				case 200:
					answered.Add(1)
				case 402:
					refused.Add(1)
				}
			})
		}
		group.Wait()
		want(t, "answered", answered.Load(), 10)
		want(t, "refused", refused.Load(), 54)
	}
}

func TestAKeyMayHaveItsOwnQuota(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1)
	want(t, "first", s.get("/screen/"+thief, key).status, 200)
	want(t, "second", s.get("/screen/"+thief, key).status, 402)
	none := s.get("/screen/"+thief, "x-api-key: "+s.key(0))
	want(t, "none", none.status, 402)
	want(t, "none left", none.header.Get("X-Free-Tier-Exhausted"), true)
}

// TestAKeyInAURLIsToldWhereItBelongs, by an operation with a price, which looks at nothing else before the key.
func TestAKeyInAURLIsToldWhereItBelongs(t *testing.T) {
	s := start(t)
	key := s.key(10)
	const says = "A key in a URL is not read: send it in the header x-api-key"
	for _, path := range []string{"/screen/" + thief + "?api_key=", "/domains/check/evil.example?limit=5&key="} {
		a := s.get(path + key)
		want(t, path, []any{a.status, a.text("code"), a.text("error"), strings.HasPrefix(a.text("detail"), says)},
			[]any{402, "payment_required", says, true})
	}
	want(t, "with the header", s.get("/screen/"+thief, "x-api-key: "+key).status, 200)
}
