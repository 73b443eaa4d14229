package api

import (
	"math"
	"net/http"
	"sync"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
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

// filings is a meter that counts what became of filings.
type filings struct {
	front.Uncounted
	mu sync.Mutex
	of map[string]int
}

func (m *filings) Filed(outcome string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of[outcome]++
}

func TestOutcomesOfFilingsAreCounted(t *testing.T) {
	meter := &filings{of: map[string]int{}}
	s := start(t, func(c *Config) { c.Meter = meter })
	for range 2 {
		s.file(filing("reportedDomains", []string{"evil.example"}))
	}
	_, err := s.db.SetFiling(t.Context(), store.Operator{}, tocsin.FilingShut)
	tocsintest.Must(t, err)
	s.file(filing("reportedDomains", []string{"other.example"}))
	want(t, "filings", meter.of, map[string]int{"filed": 1, "duplicate": 1, "filing_closed": 1})
}

// calls is a meter that counts what became of free calls.
type calls struct {
	front.Uncounted
	mu sync.Mutex
	of map[string]int
}

func (m *calls) Called(outcome string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of[outcome]++
}

func TestOutcomesOfFreeCallsAreCounted(t *testing.T) {
	meter := &calls{of: map[string]int{}}
	s := start(t, func(c *Config) { c.Meter = meter })
	key := "x-api-key: " + s.key(2)
	for range 3 {
		s.get("/screen/"+thief, key)
	}
	s.file(filing("reportedDomains", []string{"evil.example"})) // so that it is judged
	s.api.screen = func(*tocsin.Dossier, time.Time) tocsin.Screening { return tocsin.Screening{Confidence: math.NaN()} }
	s.get("/domains/check/evil.example", "x-api-key: "+s.key(2))
	want(t, "calls", meter.of, map[string]int{"answered": 2, "exhausted": 1, "failed": 1})
}
