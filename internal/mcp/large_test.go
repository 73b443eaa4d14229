package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tocsin/internal/tocsintest"
)

// large is the length of a message that is answered a few at a time.
const large = 40 << 10

// TestLargeMessagesOfOneNetworkLeaveOthersTheirPlaces: one network has all that it gets, and its messages do not end.
func TestLargeMessagesOfOneNetworkLeaveOthersTheirPlaces(t *testing.T) {
	s := start(t, func(c *setup) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	pots, held := s.api.Budgets().LargeMessages, 0
	for _, ok := pots.Try(netip.MustParsePrefix("198.51.100.0/24")); ok; held++ {
		_, ok = pots.Try(netip.MustParsePrefix("198.51.100.0/24"))
	}
	s.want("held", held, 4)
	message := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"pad":"` + strings.Repeat("x", large) + `"}}}`
	status, _, _ := s.post("POST", message, "X-Forwarded-For: 198.51.100.7")
	s.want("one more", status, http.StatusServiceUnavailable)
	for range 20 {
		status, _, text := s.post("POST", message, "X-Forwarded-For: 203.0.113.7")
		s.want(text, status, http.StatusOK)
	}
}

// TestALargeMessageLeavesItsPlaceOnceItIsRead: the facilitator holds the payments of more than one network may send at
// once.
func TestALargeMessageLeavesItsPlaceOnceItIsRead(t *testing.T) {
	s := openShop(t)
	price := s.connect("", "").call("check_address", calls["check_address"])
	release := make(chan struct{})
	end := sync.OnceFunc(func() { close(release) })
	defer end()
	var held atomic.Int32
	s.facilitator.Do(func() {
		s.facilitator.Verifying = func(http.ResponseWriter) bool { held.Add(1); <-release; return false }
	})
	var sending sync.WaitGroup
	const paid = 6
	for n := range int32(paid) {
		params := map[string]any{"name": "check_address", "arguments": calls["check_address"],
			"_meta": map[string]any{"x402/payment": s.pay(price), "pad": strings.Repeat("x", large)}}
		message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
		tocsintest.Must(t, err)
		sending.Go(func() {
			if status, _, text := s.post("POST", string(message)); status != http.StatusOK {
				t.Errorf("%d %s", status, text)
			}
		})
		tocsintest.Eventually(t, "the facilitator holds it", func() bool { return held.Load() == n+1 })
	}
	end()
	sending.Wait()
	s.want("moved", s.facilitator.Counts().Moved, paid)
}
