package feed

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tocsin"
)

// TestRealLists reads the real lists in the folder TOCSIN_SHARED. They are not part
// of the repository, because several licences forbid redistribution.
func TestRealLists(t *testing.T) {
	dir := os.Getenv("TOCSIN_SHARED")
	if dir == "" {
		t.Skip("TOCSIN_SHARED is not set: no real lists")
	}
	least := map[string]int{ // entries, somewhat below the real numbers
		"cryptoscamdb": 23000, "eth-labels": 22000, "eth-phishing-detect": 59000, "etherscan-labels": 15000,
		"forta": 15900, "mew-ethereum-lists": 5700, "misp-warninglists": 70000, "ofac": 945, "phantom": 44000,
		"polkadot": 54000, "revoke-approval-exploits": 49, "scamsniffer": 340000, "spmedia": 1270,
		"uniswap-default-list": 990,
	}
	safe := map[tocsin.Subject]bool{}
	sanctioned := map[tocsin.Subject]bool{}
	for _, s := range Sources() {
		if least[s.Name] == 0 {
			continue // not an upstream list
		}
		files, err := s.Open(t.Context(), filepath.Join(dir, "data", "feeds", s.Name), nil, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		start := time.Now()
		kinds, refused := map[string]int{}, map[string]int{}
		var done, total int64
		_, err = s.Read(context.Background(), files, time.Now(), Sink{
			Entry: func(e tocsin.Entry) error {
				check(t, s.Name, e)
				if e.Report != nil {
					kinds["report"]++
				}
				if l := e.Listing; l != nil {
					kinds[string(l.Kind)]++
					if l.Since != nil {
						kinds["dated"]++
					}
					switch l.Kind {
					case tocsin.Safe:
						safe[l.Subject] = true
					case tocsin.Sanction:
						sanctioned[l.Subject] = true
					}
				}
				return nil
			},
			Refuse:   func(_, reason, _ string) { refused[reason]++ },
			Progress: func(d, of int64) { done, total = d, of },
		})
		if err != nil {
			t.Error(err)
		}
		t.Logf("%s in %s: %v, refused %v", s.Name, time.Since(start).Round(time.Millisecond), kinds, refused)
		if n := kinds["report"] + kinds["risk"] + kinds["safe"] + kinds["shared"] + kinds["sanction"]; n < least[s.Name] {
			t.Errorf("%s gave %d entries, at least %d are there", s.Name, n, least[s.Name])
		}
		if done != total {
			t.Errorf("%s: %d of %d bytes were read", s.Name, done, total)
		}
	}
	if usdc := address(t, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"); !safe[usdc] {
		t.Error("no list knows USDC as safe")
	}

	ofac, _ := Find(OFAC)
	_, starting, _, err := collect(ofac, Starter())
	if err != nil {
		t.Fatal(err)
	}
	begun := map[tocsin.Subject]bool{}
	for _, l := range starting {
		begun[l.Subject] = true
	}
	if !maps.Equal(begun, sanctioned) {
		t.Errorf("the starter set sanctions %d addresses, the list %d", len(begun), len(sanctioned))
	}
}
