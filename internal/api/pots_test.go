package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tocsin"
	"tocsin/internal/evm"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402/x402test"
)

// TestPaymentsOfAFewNetworksThatWaitLeavePlacesToEveryOther: the facilitator holds the calls of two networks that never
// paid. Each sends 600 payments.
func TestPaymentsOfAFewNetworksThatWaitLeavePlacesToEveryOther(t *testing.T) {
	s := openMarket(t)
	const path, networks, calls, good = "/screen/" + thief, 2, 600, 20
	_, release := s.holdOthers()
	defer release()
	var over atomic.Int32
	price := s.get(path).header.Get("PAYMENT-REQUIRED")
	var sending sync.WaitGroup
	for n := range networks {
		for range calls {
			signed := x402test.NewWallet(s.Now).Pay(price, nil)
			sending.Go(func() {
				if s.paid(signed, "GET", path, nil, fromNetwork(n)).status == 429 {
					over.Add(1)
				}
			})
		}
	}
	tocsintest.Eventually(t, "most are turned away", func() bool { return over.Load() >= networks*(calls-128) })
	for range good {
		s.served("a payment of another network", s.paid(s.wallet.Pay(price, nil), "GET", path, nil, goodNetwork))
	}
	release()
	sending.Wait()
}

// TestContractWalletsOfOneNetworkLeaveThoseOfOthersTheirPlaces: the node does not answer about forty sign-ins of one.
func TestContractWalletsOfOneNetworkLeaveThoseOfOthersTheirPlaces(t *testing.T) {
	slow, quick := tocsin.Address{0xde, 0xad, 19: 1}, tocsin.Address{0xbe, 0xef, 19: 2}
	release := make(chan struct{})
	var held, over atomic.Int32
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		json.NewDecoder(r.Body).Decode(&call)
		result := `"0x01"`
		if call.Method == "eth_chainId" {
			result = `"0x2105"`
		} else if strings.Contains(strings.ToLower(string(call.Params)), strings.ToLower(slow.String()[2:])) {
			held.Add(1)
			<-release
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result)
	}))
	defer node.Close()
	asked, err := evm.NewNode(node.URL, 8453, tocsintest.Patience)
	tocsintest.Must(t, err)
	s := start(t, func(c *Config) {
		c.Node = asked
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	signIn := func(wallet tocsin.Address, network string) *answer {
		return s.do("POST", "/auth/verify",
			map[string]string{"message": s.message(wallet), "signature": "0x" + strings.Repeat("ab", 65)}, network)
	}
	var sending sync.WaitGroup
	for range 40 {
		sending.Go(func() {
			if signIn(slow, badNetwork).status == 503 {
				over.Add(1)
			}
		})
	}
	tocsintest.Eventually(t, "the others are turned away", func() bool { return over.Load() == 40-3 })
	want(t, "a contract wallet of another network", signIn(quick, goodNetwork).status, 200)
	close(release)
	sending.Wait()
}
