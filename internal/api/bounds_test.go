package api

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// fileLargest files some of the largest reports, which name the same subjects.
func (s *service) fileLargest(n int) {
	s.t.Helper()
	for i := range n {
		_, err := s.db.FileReport(s.t.Context(), store.Filing{
			Draft: tocsintest.Largest(s.t, i), Network: netip.MustParsePrefix("203.0.113.0/24")})
		tocsintest.Must(s.t, err)
	}
}

func TestAReportOver48KBIsRefusedWithItsLargestField(t *testing.T) {
	s := start(t)
	d := tocsintest.Largest(t, 0)
	body := filing("title", d.Title, "description", d.Description, "scammerAddresses", d.ScammerAddresses,
		"reportedDomains", d.ReportedDomains, "evidence", d.Evidence)
	a := s.file(body)
	want(t, "48 KB", []any{a.status, a.count("evidence.urls")}, []any{201, 50})
	body["title"] = d.Title[:len(d.Title)-2] + "<"
	a = s.file(body)
	want(t, "four bytes more", []any{a.status, a.faulty()}, []any{400, []string{"evidence.urls"}})
	want(t, "why", a.text("errors.0.reason"),
		"the report has 49156 bytes as JSON, 49152 are allowed, and this is its largest part")
}

// TestAWalkThroughLargeReportsRepeatsAndLosesNothing follows nextCursor where pages end
// by their bytes, over HTTP.
func TestAWalkThroughLargeReportsRepeatsAndLosesNothing(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(10_000)
	const reports = 17
	s.fileLargest(reports)
	address, domain := tocsintest.LargestAddress(3), tocsintest.Largest(t, 0).ReportedDomains[3]
	for _, path := range []string{"/community-reports?", "/community-reports/search?q=swindle&",
		"/screen/" + address + "?", "/domains/check/" + domain + "?"} {
		for _, limit := range []int{1, 4, 20, 100} {
			seen, pages := map[string]bool{}, 0
			for next := ""; pages <= reports; {
				a := s.get(fmt.Sprintf("%slimit=%d%s", path, limit, next), key)
				if n := a.count("reports"); n == 0 || n > min(limit, 5) || len(a.raw) > 300<<10 {
					t.Fatalf("%slimit=%d: %d, %d reports in %d bytes", path, limit, a.status, n, len(a.raw))
				}
				for i := range a.count("reports") {
					seen[a.text(fmt.Sprintf("reports.%d.id", i))] = true
				}
				pages++
				if a.in("nextCursor") == nil {
					break
				}
				next = "&cursor=" + a.text("nextCursor")
			}
			want(t, fmt.Sprintf("%slimit=%d: reports and pages", path, limit), []int{len(seen), pages},
				[]int{reports, (reports + min(limit, 5) - 1) / min(limit, 5)})
		}
	}
}

// TestLargeBuffersAreNotPooled: a pool would keep as many as there were callers at once.
func TestLargeBuffersAreNotPooled(t *testing.T) {
	s := start(t)
	s.fileLargest(5)
	for range 20 {
		a := s.get("/screen/"+tocsintest.LargestAddress(3), "x-api-key: "+s.key(1))
		if len(a.raw) < 2*maxPooled {
			t.Fatalf("%d bytes", len(a.raw))
		}
		if b := s.api.buffers.Get().(*bytes.Buffer); b.Cap() > maxPooled {
			t.Fatalf("a buffer of %d bytes is pooled", b.Cap())
		}
	}
}

// TestAPaidAnswerIsKeptAndSmall: an answer is kept with its payment as it was sent, so
// that a payer gets the same one again. What that costs is bounded, because pages are.
func TestAPaidAnswerIsKeptAndSmall(t *testing.T) {
	s := openShop(t)
	s.fileLargest(120)
	for _, path := range []string{
		"/screen/" + tocsintest.LargestAddress(3) + "?limit=100", "/community-reports?limit=100",
		"/community-reports/search?q=swindle&limit=100",
	} {
		payment := s.sign("GET", path)
		paid := s.paid(payment, "GET", path, nil)
		s.served(path, paid)
		if len(paid.raw) > 300<<10 || len(paid.raw) < 200<<10 {
			t.Errorf("%s: an answer of %d bytes is kept", path, len(paid.raw))
		}
		want(t, "the same answer again", string(s.paid(payment, "GET", path, nil).raw) == string(paid.raw), true)
	}
}

// TestTheWholeServiceTakesSoManyReportsAnHour: 40, of which 30 are anybody's, two for a network, and then one for each.
func TestTheWholeServiceTakesSoManyReportsAnHour(t *testing.T) {
	n := 0
	file := func(s *service, network int, headers ...string) *answer {
		n++
		headers = append(headers, fmt.Sprintf("X-Forwarded-For: 203.0.%d.7", network))
		return s.file(filing("title", fmt.Sprint(n)), headers...)
	}
	s := start(t, behindAProxy, func(c *Config) { c.Limits.Filings, c.Limits.TotalFilings = 3, 40 })
	key := "x-api-key: " + s.key(-1)
	for i := range 29 {
		want(t, "within both limits", file(s, i/2).status, 201)
	}
	again := s.file(filing("title", fmt.Sprint(n)), "X-Forwarded-For: 203.0.14.7")
	want(t, "a duplicate takes none", again.status, 200)
	want(t, "with a key", file(s, 20, key).status, 201)
	for i := range 10 { // ten networks that have filed before
		want(t, "of the last quarter", file(s, i, key).status, 201)
	}
	for _, headers := range [][]string{nil, {key}} {
		over := file(s, 21, headers...)
		want(t, "over it", []any{over.status, over.text("code")}, []any{429, "filings_exhausted"})
		if !strings.Contains(over.text("detail"), "all its users") || over.header.Get("Retry-After") == "" {
			t.Errorf("%v %s", over.header, over.raw)
		}
	}
	again = s.file(filing("title", "4"), "X-Forwarded-For: 203.0.1.7")
	want(t, "a duplicate is answered", []any{again.status, again.in("duplicate")}, []any{200, true})
	s.Sleep(62 * time.Minute)
	for range 2 { // what was refused took none of the network's either
		want(t, "an hour later", file(s, 21).status, 201)
	}
	own := file(s, 21)
	want(t, "the network's own limit", []any{own.status, own.text("code")}, []any{429, "too_many_filings"})

	none := start(t, behindAProxy, func(c *Config) { c.Limits.Filings = 100 })
	for i := range 50 {
		want(t, "without a limit", file(none, i%250).status, 201)
	}
}

// TestNetworksWithFreeKeysDoNotStopAVictim: each files as often as it may.
func TestNetworksWithFreeKeysDoNotStopAVictim(t *testing.T) {
	s := start(t, behindAProxy, func(c *Config) { c.Limits.Filings, c.Limits.TotalFilings = 30, 320 })
	key, n := "x-api-key: "+s.key(-1), 0
	var filed []int
	for network := range 60 {
		for own := 0; ; own++ {
			a := s.file(filing("title", fmt.Sprint(n)), key, fmt.Sprintf("X-Forwarded-For: 203.0.%d.7", network))
			if a.status != 201 {
				want(t, "refused", a.status, 429)
				filed = append(filed, own)
				break
			}
			n++
		}
	}
	want(t, "what they filed", []any{n, filed[:12], filed[12:16]},
		[]any{288, slices.Repeat([]int{20}, 12), slices.Repeat([]int{1}, 4)})
	victim := s.file(filing("title", "It took all that I had"), "X-Forwarded-For: 198.51.100.7")
	want(t, "the report of a victim", victim.status, 201)
}

// TestTheBytesOfReportsAreLimitedForANetworkAndForAll: with the largest reports.
func TestTheBytesOfReportsAreLimitedForANetworkAndForAll(t *testing.T) {
	s := start(t, behindAProxy, func(c *Config) {
		c.Limits.TotalFiledBytes = 16 * 100 << 10 // two of the largest reports from each network
	})
	n := 0
	file := func(network int) *answer {
		d := tocsintest.Largest(t, n)
		n++
		return s.file(filing("title", d.Title, "description", d.Description, "scammerAddresses", d.ScammerAddresses,
			"reportedDomains", d.ReportedDomains, "evidence", d.Evidence), fmt.Sprintf("X-Forwarded-For: 203.0.%d.7", network))
	}
	small := func(network int) *answer {
		return s.file(filing("title", fmt.Sprint(network)), fmt.Sprintf("X-Forwarded-For: 203.0.%d.7", network))
	}
	for network := range 12 {
		for range 2 {
			want(t, "within both limits", file(network).status, 201)
		}
		own := file(network)
		want(t, "the network's own limit", []any{own.status, own.text("code")}, []any{429, "too_many_filings"})
		want(t, "a small one", small(network).status, 201)
	}
	over := file(12)
	want(t, "over all", []any{over.status, over.text("code")}, []any{429, "filings_exhausted"})
	want(t, "a small one then", small(12).status, 201)
}

func TestWithdrawalsAreLimitedByNetwork(t *testing.T) {
	s := start(t, behindAProxy)
	filed, other := s.file(filing()), s.file(filing("title", "another"))
	withdraw := func(of *answer, network int) *answer {
		return s.do("DELETE", "/community-reports/"+of.text("id"), nil, "x-manage-token: "+of.text("manageToken"),
			fmt.Sprintf("X-Forwarded-For: 203.0.%d.7", network))
	}
	for range 600 {
		if a := withdraw(filed, 1); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.raw)
		}
	}
	over := withdraw(other, 1)
	want(t, "over it", []any{over.status, over.text("code"), over.header.Get("Retry-After") != ""},
		[]any{429, "too_many_withdrawals", true})
	want(t, "nothing was withdrawn", s.get("/community-reports/"+other.text("id")).status, 200)
	want(t, "another network", withdraw(other, 2).status, 200)
	s.Sleep(62 * time.Minute)
	want(t, "an hour later", withdraw(filed, 1).status, 200)
}
