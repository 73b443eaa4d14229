package tocsintest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/lookalike"
)

// Brands are those of the program, made once.
var Brands = sync.OnceValue(func() *lookalike.Brands { return lookalike.ShippedBrands() })

// NameModel returns a model of names that has learnt names made up here: lures under cheap suffixes, and brands with a
// letter more, against words under .com, .org and .de. Version tells models apart.
func NameModel(t testing.TB, version string) *lookalike.Model {
	t.Helper()
	m, err := nameModel()
	Must(t, err)
	other := *m
	other.Version = version
	return &other
}

var nameModel = sync.OnceValues(func() (*lookalike.Model, error) {
	r := rand.New(rand.NewPCG(3, 4))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	syllables := func(n int) (s string) {
		for range n {
			s += pick("ba", "co", "di", "fe", "gu", "ha", "lo", "mi", "no", "pe", "ra", "so", "tu", "vi")
		}
		return s
	}
	var examples []lookalike.Example
	cutoff := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	add := func(e lookalike.Example, name string) {
		if d, fault := tocsin.ParseDomain(name); fault == nil {
			e.Domain = d
			examples = append(examples, e)
		}
	}
	brands := []string{"uniswap", "metamask", "pancakeswap", "opensea", "trezor", "coinbase", "binance", "kraken"}
	for i := range 1500 {
		fraud := lookalike.Example{Fraud: true, Since: cutoff.Add(-time.Duration(r.IntN(400*24)) * time.Hour)}
		if i%3 > 0 {
			add(fraud, fmt.Sprintf("%s-%s.%s", pick("claim", "airdrop", "verify", "wallet"), syllables(2), pick("xyz", "top")))
			continue
		}
		b := pick(brands...)
		at := 1 + r.IntN(len(b)-1)
		add(fraud, b[:at]+string(b[at-1])+b[at:]+pick("", "s", "1", syllables(1))+"."+pick("xyz", "org", "top"))
	}
	for range 3000 {
		add(lookalike.Example{Class: tocsin.TopSite}, syllables(2+r.IntN(3))+"."+pick("com", "org", "de"))
	}
	return lookalike.Train(examples, lookalike.Options{Brands: Brands(), Cutoff: cutoff, Workers: 2})
})
