package api

import (
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"tocsin"
	"tocsin/internal/pgtest"
	"tocsin/internal/tocsintest"
)

// openReplicas opens three processes' worth of the service on one database. They share nothing else but the
// facilitator that they ask.
func openReplicas(t *testing.T, change ...func(*Config)) (all []*shop) {
	t.Helper()
	first := openShop(t, change...)
	all = append(all, first)
	for range 2 {
		payments := first.api.config.Payments
		s := startService(&service{t: t, place: first.place},
			append([]func(*Config){func(c *Config) { c.Payments = payments }}, change...)...)
		all = append(all, &shop{s, first.facilitator, first.wallet})
	}
	return all
}

// atOnce makes n calls at the same time, in turn on each replica, and returns how many had each status.
func atOnce(all []*shop, n int, call func(s *shop, i int) *answer) map[int]int {
	statuses := map[int]int{}
	var mu sync.Mutex
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() {
			status := call(all[i%len(all)], i).status
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	calls.Wait()
	return statuses
}

// everywhere waits until something holds on each replica.
func everywhere(all []*shop, about string, holds func(s *shop) bool) {
	for i, s := range all {
		tocsintest.Eventually(s.t, fmt.Sprint(about, ", on replica ", i), func() bool { return holds(s) })
	}
}

func TestThreeReplicasGiveAKeyItsFreeCallsOnce(t *testing.T) {
	all := openReplicas(t, func(c *Config) { c.Limits.NetworkCalls = 200 })
	key := "x-api-key: " + all[0].key(-1)
	want(t, "answers", atOnce(all, 64, func(s *shop, _ int) *answer { return s.get("/screen/"+thief, key) }),
		map[int]int{200: 10, 402: 54})
	for _, s := range all {
		want(t, "used", s.get("/me", key).number("freeCalls.used"), 10)
	}
}

func TestAPaymentThatIsSentToAllReplicasIsChargedAndServedOnce(t *testing.T) {
	all := openReplicas(t)
	path := "/screen/" + thief
	payment := all[0].sign("GET", path)
	var bodies sync.Map
	statuses := atOnce(all, 12, func(s *shop, _ int) *answer {
		a := s.paid(payment, "GET", path, nil)
		for a.status == 409 { // another call has it: payment_in_progress
			a = s.paid(payment, "GET", path, nil)
		}
		bodies.Store(string(a.raw), true)
		return a
	})
	want(t, "answers", statuses, map[int]int{200: 12})
	different := 0
	bodies.Range(func(any, any) bool { different++; return true })
	want(t, "different answers", different, 1)
	counts := all[0].facilitator.Counts()
	want(t, "settled, moved", []int{counts.Settled, counts.Moved}, []int{1, 1})
	for _, s := range all {
		s.served("from any of them", s.paid(payment, "GET", path, nil))
	}
	all[0].counts("after all", counts.Verified, 1, 1)
}

func TestWhatChangesOnOneReplicaIsKnownOnAll(t *testing.T) {
	all := openReplicas(t)
	path := "/screen/" + another
	status := func(key string, want int) func(s *shop) bool {
		return func(s *shop) bool { return s.get(path, "x-api-key: "+key).status == want }
	}
	key, own := all[0].key(1_000_000), 1_000_000
	everywhere(all, "a new key", status(key, 200))
	revoked := all[1].key(own)
	everywhere(all, "another", status(revoked, 200))
	_, err := all[2].db.RevokeKey(t.Context(), operator, revoked)
	tocsintest.Must(t, err)
	everywhere(all, "a revoked key", status(revoked, 402))

	reports := func(n int) func(s *shop) bool {
		return func(s *shop) bool { return s.get(path, "x-api-key: "+key).number("reportCount") == n }
	}
	everywhere(all, "no report", reports(0))
	ban := all[1].key(own)
	everywhere(all, "a third", status(ban, 200))
	mine := all[0].file(filing("scammerAddresses", []string{another}), "x-api-key: "+ban)
	all[1].file(filing("scammerAddresses", []string{another}, "title", "A second"))
	everywhere(all, "new reports", reports(2))
	tocsintest.Must(t, all[1].db.Hide(t.Context(), operator, mine.text("id")))
	everywhere(all, "a hidden report", reports(1))
	tocsintest.Must(t, all[1].db.Restore(t.Context(), operator, mine.text("id")))
	everywhere(all, "a report that is shown again", reports(2))
	_, err = all[2].db.Ban(t.Context(), operator, mine.text("reporter.id"))
	tocsintest.Must(t, err)
	everywhere(all, "a ban", status(ban, 403))
	everywhere(all, "the reports of the banned", reports(1))
	_, err = all[0].db.Unban(t.Context(), operator, mine.text("reporter.id"))
	tocsintest.Must(t, err)
	everywhere(all, "a ban that is lifted", status(ban, 200))
	everywhere(all, "its reports", reports(2))
}

func TestANonceAndASessionHoldOnAllReplicas(t *testing.T) {
	all := openReplicas(t)
	a := tocsintest.NewAccount(t)
	text := all[0].message(a.Address)
	signature := a.Sign(text)
	want(t, "sign-ins", atOnce(all, 12, func(s *shop, _ int) *answer { return s.verify(text, signature) }),
		map[int]int{200: 1, 400: 11})
	token, err := all[0].db.NewSession(t.Context(), a.Address, 1<<40)
	tocsintest.Must(t, err)
	for i, s := range all {
		session, err := s.db.Session(t.Context(), token)
		want(t, fmt.Sprint("a session on replica ", i), []any{session != nil, err}, []any{true, nil})
	}
	tocsintest.Must(t, all[1].db.EndSession(t.Context(), token))
	for i, s := range all {
		session, err := s.db.Session(t.Context(), token)
		want(t, fmt.Sprint("it has ended on replica ", i), []any{session == nil, err}, []any{true, nil})
	}
}

func TestAFilingThatIsSentToAllReplicasIsRecordedOnce(t *testing.T) {
	all := openReplicas(t)
	key := "x-api-key: " + all[0].key(-1)
	for about, headers := range map[string][]string{"with a key": {key, "Idempotency-Key: 1"},
		"without": {"Idempotency-Key: 0b0f5e63-8c3e-4a2a-8a57-4df2b63c1f6e"}} {
		var ids, tokens sync.Map
		statuses := atOnce(all, 12, func(s *shop, _ int) *answer {
			a := s.file(filing("title", about), headers...)
			ids.Store(a.text("id"), true)
			tokens.Store(a.text("manageToken"), true)
			return a
		})
		different := 0
		ids.Range(func(any, any) bool { different++; return true })
		want(t, about+": statuses and different reports", []any{statuses, different}, []any{map[int]int{201: 1, 200: 11}, 1})
	}
	want(t, "on record", all[2].get("/stats").number("reports"), 2)
}

// TestFollowingThroughAnyReplicaLosesAndRepeatsNothing: the list by since, and the log of events, each asked on the
// next replica each time, while all of them write.
func TestFollowingThroughAnyReplicaLosesAndRepeatsNothing(t *testing.T) {
	const writers, each = 6, 15
	all := openReplicas(t)
	key := "x-api-key: " + all[0].key(1_000_000)
	var filed sync.Map
	var writing sync.WaitGroup
	var ended atomic.Bool
	for w := range writers {
		writing.Go(func() {
			for n := range each {
				a := all[w%len(all)].file(filing("title", fmt.Sprint(w, "-", n)))
				filed.Store(a.text("id"), true)
			}
		})
	}
	go func() { writing.Wait(); ended.Store(true) }()

	seen, events, last := map[string]bool{}, map[string]bool{}, ""
	since, after := "2020-01-01T00:00:00Z", int64(0)
	quiet := 0 // times in a row that nothing came although all was written
	for turn := 0; quiet < 2*len(all); turn++ {
		s, news := all[turn%len(all)], 0
		over := ended.Load()
		for cursor := ""; ; {
			a := s.get("/community-reports?limit=7&since="+url.QueryEscape(since)+cursor, key)
			if a.status != 200 {
				t.Fatalf("%d %s", a.status, a.raw)
			}
			for i := range a.count("reports") {
				at := fmt.Sprintf("reports.%d.", i)
				if id := a.text(at + "id"); seen[id] {
					t.Errorf("report %s is repeated", id)
				} else {
					seen[id] = true
				}
				if created := a.text(at + "createdAt"); created <= last {
					t.Errorf("createdAt %s comes after %s", created, last)
				} else {
					last = created
				}
				news++
			}
			if a.in("nextCursor") == nil {
				since = a.text("nextSince")
				break
			}
			cursor = "&cursor=" + url.QueryEscape(a.text("nextCursor"))
		}
		changes, err := s.db.Changes(t.Context(), after, 7)
		tocsintest.Must(t, err)
		for _, c := range changes {
			if c.Seq <= after || events[c.Report] {
				t.Errorf("event %d of %s comes after %d", c.Seq, c.Report, after)
			}
			after, events[c.Report] = c.Seq, true
			news++
		}
		if quiet++; news > 0 || !over {
			quiet = 0
		}
	}
	filed.Range(func(id, _ any) bool {
		if !seen[id.(string)] || !events[id.(string)] {
			t.Errorf("report %s: in the list %t, in the log %t", id, seen[id.(string)], events[id.(string)])
		}
		return true
	})
	want(t, "reports and events", []int{len(seen), len(events)}, []int{writers * each, writers * each})
}

// TestTheLimitsOfFilingAndSigningInAreThoseOfAllReplicas exactly, and are not lower than they say.
func TestTheLimitsOfFilingAndSigningInAreThoseOfAllReplicas(t *testing.T) {
	if !pgtest.On() {
		t.Skip("processes on one file count for themselves")
	}
	all := openReplicas(t, behindAProxy, func(c *Config) {
		c.Limits.Filings, c.Limits.NewAgents, c.Limits.NetworkCalls = 12, 5, 25
	})
	want(t, "filings of a network", atOnce(all, 36, func(s *shop, i int) *answer {
		return s.file(filing("title", fmt.Sprint(i)), from(1))
	}), map[int]int{201: 12, 429: 24})
	want(t, "filings of another", all[1].file(filing("title", "another"), from(2)).status, 201)

	want(t, "new wallets", atOnce(all, 18, func(s *shop, _ int) *answer {
		return s.signInFrom(3, tocsintest.NewAccount(t))
	}), map[int]int{200: 5, 429: 13})

	keys := make([]string, 9)
	for i := range keys {
		keys[i] = "x-api-key: " + all[0].key(-1)
	}
	want(t, "free calls of a network", atOnce(all, 90, func(s *shop, i int) *answer {
		return s.get("/screen/"+thief, keys[i%len(keys)], from(4))
	}), map[int]int{200: 25, 402: 65})

	// A duplicate is given back, in all replicas.
	for i := range 12 {
		all[i%3].file(filing("title", fmt.Sprint(i)), from(5))
		everywhere(all[:1], "a duplicate", func(s *shop) bool {
			return s.file(filing("title", fmt.Sprint(i)), from(5)).in("duplicate") == true
		})
	}
	want(t, "then it is full", all[1].file(filing("title", "13"), from(5)).text("code"), tocsin.Code(tooMany))
}
