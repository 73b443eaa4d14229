package api

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// TestSubjectsAreLimitedRatherThanReports: a report may name 200, so that a limit of reports alone lets a key guess
// 60,000 an hour.
func TestSubjectsAreLimitedRatherThanReports(t *testing.T) {
	s := start(t, func(c *Config) {
		c.Limits.Filings = 30
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	n := 0
	file := func(subjects int, headers ...string) *answer {
		var sites, wallets []string
		for range subjects {
			if n++; len(sites) < 100 {
				sites = append(sites, fmt.Sprintf("site%d.com", n))
			} else {
				wallets = append(wallets, fmt.Sprintf("0x%040x", n))
			}
		}
		return s.file(filing("title", fmt.Sprint(n), "reportedDomains", sites, "scammerAddresses", wallets), headers...)
	}
	refused := func(about string, a *answer, limit string) {
		t.Helper()
		want(t, about, []any{a.status, a.text("code"), strings.Contains(a.text("detail"), limit)},
			[]any{429, "too_many_filings", true})
	}
	from := func(n int) string { return fmt.Sprintf("X-Forwarded-For: 203.0.%d.1", n) }
	want(t, "anonymous", file(200, from(1)).status, 201)
	refused("anonymous, one more", file(1, from(1)), "your network would name more than 200 addresses")
	key := "x-api-key: " + s.key(-1)
	for range 3 {
		want(t, "a key", file(100, key, from(2)).status, 201)
	}
	refused("a key, one more", file(1, key, from(2)), "your key would name more than 300 addresses")
	refused("a key, from elsewhere", file(1, key, from(3)), "your key")
	for range 4 {
		key := "x-api-key: " + s.key(-1)
		want(t, "other keys", file(100, key, from(2)).status, 201)
		want(t, "other keys", file(200, key, from(2)).status, 201)
	}
	last := "x-api-key: " + s.key(-1)
	refused("a key of a network that has named enough", file(1, last, from(2)),
		"your network would name more than 1500 addresses")
	for range 2 { // what was refused counts nowhere
		want(t, "elsewhere", file(150, last, from(4)).status, 201)
	}
	s.Sleep(time.Hour)
	want(t, "an hour later", file(200, from(1)).status, 201)
	want(t, "an hour later, a key", file(200, key, from(2)).status, 201)
}
