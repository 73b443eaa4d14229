package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// TestAPageWalkRepeatsAndLosesNothing follows nextCursor with pages of every
// size, through each operation that answers in pages of reports.
func TestAPageWalkRepeatsAndLosesNothing(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(10_000)
	const reports = 9
	var newestFirst []string
	for i := range reports {
		filed := s.file(filing("title", fmt.Sprint("walk ", i), "reportedDomains", []string{"evil.com"}))
		newestFirst = append([]string{filed.text("id")}, newestFirst...)
		if i%3 > 0 { // some are of the same moment
			s.Sleep(time.Second)
		}
	}
	for _, path := range []string{
		"/community-reports?", "/community-reports/search?q=walk&", "/screen/" + thief + "?", "/domains/check/evil.com?",
	} {
		for limit := 1; limit <= reports+1; limit++ {
			var ids []string
			for next := ""; len(ids) <= reports; {
				page := s.get(fmt.Sprintf("%slimit=%d%s", path, limit, next), key)
				if n := page.count("reports"); n > limit || page.status != http.StatusOK {
					t.Fatalf("%s, pages of %d: %d %s", path, limit, page.status, page.raw)
				}
				for i := range page.count("reports") {
					ids = append(ids, page.text(fmt.Sprintf("reports.%d.id", i)))
				}
				if page.in("nextCursor") == nil {
					break
				}
				next = "&cursor=" + page.text("nextCursor")
			}
			want(t, fmt.Sprintf("%s, pages of %d", path, limit), ids, newestFirst)
		}
	}
}

// TestADuplicateDoesNotCountAgainstTheLimit files the same report again and
// again, as a client does that has lost the answer.
func TestADuplicateDoesNotCountAgainstTheLimit(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.Filings = 3 })
	file := func(title string) int { return s.file(filing("title", title)).status }
	want(t, "the first", file("a"), 201)
	for range 10 {
		want(t, "again", file("a"), 200)
	}
	want(t, "the limit is that of reports", []int{file("b"), file("c"), file("d")}, []int{201, 201, 429})
	want(t, "again, over the limit", file("a"), 200)
	s.Sleep(2 * time.Hour)
	want(t, "two hours later", []int{file("d"), file("e"), file("f"), file("g")}, []int{201, 201, 201, 429})
}
