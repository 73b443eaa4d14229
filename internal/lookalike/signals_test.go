package lookalike

import (
	"testing"
	"time"

	"tocsin"
)

// TestANewDomainUnderANearNameCountsBySignals, by the moment at which it was asked about.
func TestANewDomainUnderANearNameCountsBySignals(t *testing.T) {
	asked := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	ago := func(days int) *tocsin.Time { at := tocsin.TimeOf(asked.AddDate(0, 0, -days)); return &at }
	away := false
	var cases []Case
	for name, signals := range map[string]*tocsin.Signals{
		"mymetamask.com":     {RegisteredAt: ago(3), Resolves: &away}, // near, and new
		"mymetamask.org":     {FirstCertificateAt: ago(3)},
		"mymetamask.net":     {RegisteredAt: ago(300)},
		"mymetamask.app":     {Resolves: &away},
		"mymetamask.dev":     nil,
		"gardening.com":      {RegisteredAt: ago(3)}, // new, but not near
		"metamask-login.com": {RegisteredAt: ago(3)}, // suspicious by the name
	} {
		cases = append(cases, Case{Domain: domain(name), Groups: []string{"all"}, Signals: signals, At: asked})
	}
	r := &Report{Groups: map[string]*Count{}}
	r.judge(NewDetector(ShippedBrands(), nil), cases, func(*Case) bool { return true })
	r.count()
	c := r.Groups["all"]
	if got, want := [4]int{c.Dated, c.ByName, c.BySignals, c.Unresolved}, [4]int{5, 1, 3, 1}; got != want {
		t.Errorf("dated, by name, by signals, without an address: %v, want %v", got, want)
	}
}
