package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/synth"
	"tocsin/internal/tocsintest"
)

// hard is a search that looks through most reports, of three phrases.
var hard = "/reports?crimeType=ransomware&q=" + url.QueryEscape(`"the the" "and the" "the a"`)

// library starts a service with synthetic reports, beside which no other test runs.
func library(t *testing.T, reports int, change ...func(*setup)) *service {
	t.Helper()
	tocsintest.Alone(t)
	s := start(t, change...)
	im, err := s.db.Import(t.Context(), tocsin.List{Name: "synthetic", Family: "synthetic", URL: "https://a.example"})
	tocsintest.Must(t, err)
	n := 0
	for d := range synth.Reports(7) {
		if n++; n > reports {
			break
		}
		tocsintest.Must(t, im.Add(tocsin.Entry{Key: fmt.Sprint(n), Report: &d}))
	}
	_, err = im.Finish(t.Context(), true, nil)
	tocsintest.Must(t, err)
	return s
}

// TestAKeyedSearchDoesNotWaitForFreeOnes floods the site with hard searches of twelve
// visitors, and counts how many are answered while one search with a key is.
func TestAKeyedSearchDoesNotWaitForFreeOnes(t *testing.T) {
	const visitors, searches = 12, 15
	s := library(t, 3000, few)
	quota := 1000
	key := "x-api-key: " + tocsintest.Key(t, s.db, &quota)
	var answered atomic.Int64
	var all sync.WaitGroup
	ended := make(chan struct{})
	for i := range visitors {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-ended:
					return
				default:
				}
				from := fmt.Sprintf("X-Forwarded-For: 10.%d.%d.7", i, n/50) // none of them reaches the limit of a network
				if got := s.raw("GET", hard, from); got != http.StatusOK {
					t.Errorf("a free search: %d", got)
					return
				}
				answered.Add(1)
			}
		})
	}
	tocsintest.Eventually(t, "they search", func() bool { return answered.Load() >= visitors })
	var meanwhile []int64
	for range searches {
		before := answered.Load()
		want(t, "with a key", s.raw("GET", "/api/v1/community-reports/search?q=wallet", key), 200)
		meanwhile = append(meanwhile, answered.Load()-before)
	}
	close(ended)
	all.Wait()
	slices.Sort(meanwhile)
	if median := meanwhile[searches/2]; median > 3 {
		t.Errorf("%d free searches are answered before one with a key (%d)", median, meanwhile)
	}
}

func TestAFreeSearchIsGivenUpWhenItTakesTooLong(t *testing.T) {
	s := library(t, 8000)
	whole := s.pageCost(hard, 200)
	s.site.searchTime = time.Nanosecond // it has passed, however late a busy machine looks at the clock
	cut := s.pageCost(hard, 400)
	t.Logf("CPU: whole %v, given up %v", whole, cut)
	if cut > whole*3/4 && !tocsintest.Race() {
		t.Errorf("a search that is given up costs %v, a whole one %v", cut, whole)
	}
	p := s.visitor().get(hard)
	want(t, "it says so", []any{p.status, p.h1()}, []any{400, "Reports"})
	p.says("That is too much to look through. Add a rarer word")
	want(t, "a feed", s.card(feedOf("", "evil.example")).Code, http.StatusServiceUnavailable)
}

func (s *service) pageCost(path string, status int) time.Duration {
	s.t.Helper()
	return tocsintest.CPU(s.t, func() {
		s.Sleep(time.Hour) // the network may search again
	}, func() { want(s.t, path, s.raw("GET", path), status) })
}

// raw makes a request and returns its status.
func (s *service) raw(method, path string, headers ...string) int {
	r, err := http.NewRequest(method, s.http.URL+path, nil)
	if err != nil {
		s.t.Error(err)
		return 0
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	res, err := s.http.Client().Do(r)
	if err != nil {
		s.t.Error(err)
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

func TestOneNetworkSearchesTheSiteSoOften(t *testing.T) {
	s := start(t, few)
	v := s.visitor()
	here, there := "X-Forwarded-For: 203.0.113.7", "X-Forwarded-For: 198.51.100.7"
	embedded := []string{here, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: image"}
	want(t, "an image on another site", v.get("/reports?q=x", embedded...).status, 403)
	for i := range 60 {
		if p := v.get(fmt.Sprint("/reports?q=word", i), here); p.status != 200 {
			t.Fatalf("search %d: %s", i+1, p)
		}
	}
	p := v.get("/reports?q=again", here)
	want(t, "one too many", []any{p.status, p.header.Get("Retry-After")}, []any{429, 600})
	want(t, "no search", v.get("/reports", here).status, 200)
	want(t, "another network", v.get("/reports?q=again", there).status, 200)
	quota := 10
	key := "x-api-key: " + tocsintest.Key(t, s.db, &quota)
	want(t, "with a key", s.raw("GET", "/api/v1/community-reports/search?q=again", key, here), 200)
	s.Sleep(10 * time.Minute)
	want(t, "later", v.get("/reports?q=again", here).status, 200)
}

func TestOneFreeSearchIsAnsweredAtATime(t *testing.T) {
	s := start(t)
	leave, ok := s.api.Budgets().FreeSearching.Try(netip.Prefix{})
	want(t, "a search that does not end", ok, true)
	s.site.searchWait = time.Millisecond
	p := s.visitor().get("/reports?q=x")
	want(t, "another", []any{p.status, p.header.Get("Retry-After"), p.h1()},
		[]any{503, 5, "Many people are searching at the moment"})
	quota := 10
	key := "x-api-key: " + tocsintest.Key(t, s.db, &quota)
	want(t, "with a key", s.raw("GET", "/api/v1/community-reports/search?q=x", key), 200)
	leave()
	s.site.searchWait = tocsintest.Patience
	want(t, "after it", s.visitor().get("/reports?q=x").status, 200)
	_, ok = s.api.Budgets().FreeSearching.Try(netip.Prefix{})
	want(t, "each gives its turn back", ok, true)
	want(t, "four phrases", s.visitor().get("/reports?q="+url.QueryEscape(`"a b" "c d" "e f" "g h"`)).status, 400)
}
