package api

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

// TestTheRequestsOfANetworkAreLimited, before a key or a payment is looked at.
func TestTheRequestsOfANetworkAreLimited(t *testing.T) {
	s := start(t, func(c *Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		c.Limits.Rate = 1
	})
	key := s.key(100)
	for i := range 10 {
		tocsintest.Want(t, fmt.Sprint("call ", i), s.get("/stats", badNetwork).status, http.StatusOK)
	}
	for _, path := range []string{"/stats", "/screen/" + thief, "/auth/nonce", "/nothing"} {
		a := s.get(path, badNetwork, "x-api-key: "+key)
		tocsintest.Want(t, path, []any{a.status, a.text("code"), a.header.Get("Retry-After")},
			[]any{http.StatusTooManyRequests, tooFast, "10"})
	}
	filed := s.do(http.MethodPost, "/community-reports", map[string]any{}, badNetwork)
	tocsintest.Want(t, "a filing", []any{filed.status, filed.text("code")}, []any{http.StatusTooManyRequests, tooFast})
	tocsintest.Want(t, "another network", s.get("/stats", goodNetwork).status, http.StatusOK)
	s.Sleep(10 * time.Second)
	a := s.get("/screen/"+thief, badNetwork, "x-api-key: "+key)
	tocsintest.Want(t, "ten seconds later", []any{a.status, a.header.Get("X-RateLimit-Remaining-Day")},
		[]any{http.StatusOK, "99"})
}
