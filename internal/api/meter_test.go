package api

import (
	"net/http"
	"sync"
	"testing"

	"tocsin/internal/front"
	"tocsin/internal/x402/x402test"
)

// tally is a meter that adds up what was settled.
type tally struct {
	front.Uncounted
	mu     sync.Mutex
	amount map[string]int64
}

func (m *tally) Settled(network, outcome string, amount int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.amount[network+" "+outcome] += amount
}

func TestOutcomesOfSettlementsAreCounted(t *testing.T) {
	meter := &tally{amount: map[string]int64{}}
	s := openShop(t, func(c *Config) { c.Meter = meter })
	s.served("settled", s.paid(s.sign("GET", "/screen/"+thief), "GET", "/screen/"+thief, nil))
	refuse := x402test.Status(200,
		`{"success":false,"errorReason":"invalid_exact_evm_insufficient_balance","transaction":""}`)
	s.facilitator.Do(func() {
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return !moved && refuse(w) }
	})
	s.paid(s.sign("GET", "/screen/"+thief), "GET", "/screen/"+thief, nil)
	want(t, "amounts", meter.amount, map[string]int64{"eip155:8453 settled": 10_000, "eip155:8453 refused": 10_000})
}
