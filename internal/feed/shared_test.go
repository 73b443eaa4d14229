package feed

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tocsin"
)

// TestRealLists reads the lists in the folder TOCSIN_SHARED, which is no part
// of the project: several of them may not be passed on.
func TestRealLists(t *testing.T) {
	dir := os.Getenv("TOCSIN_SHARED")
	if dir == "" {
		t.Skip("TOCSIN_SHARED does not say where the real lists are")
	}
	least := map[string]int{ // entries of each kind, somewhat below what is there
		"cryptoscamdb": 21000, "eth-labels": 22000, "eth-phishing-detect": 59000, "etherscan-labels": 15000,
		"forta": 15900, "mew-ethereum-lists": 5700, "misp-warninglists": 70000, "ofac": 104, "phantom": 44000,
		"polkadot": 54000, "revoke-approval-exploits": 49, "scamsniffer": 340000, "spmedia": 1270, "uniswap-default-list": 800,
	}
	safe := map[tocsin.Subject]bool{}
	sanctioned := map[tocsin.Subject]bool{}
	for _, s := range Sources() {
		if least[s.Name] == 0 {
			continue // our own forms
		}
		files, err := s.Open(t.Context(), filepath.Join(dir, "data", "feeds", s.Name), nil, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		start := time.Now()
		kinds, refused := map[string]int{}, map[string]int{}
		var done, total int64
		err = s.Read(context.Background(), files, time.Now(), Sink{
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

// check holds an entry against what the store and the score rely on.
func check(t *testing.T, list string, e tocsin.Entry) {
	t.Helper()
	if l := e.Listing; l != nil {
		again, err := tocsin.ParseSubject(l.Subject.Value)
		if err != nil || again != l.Subject {
			t.Fatalf("%s lists %+v, which is not canonical: %v", list, l.Subject, err)
		}
		own := list == "ndjson" || list == "csv" || list == StarterList // files of one's own have no page
		if l.List != list || l.URL == "" && !own {
			t.Errorf("%s: the listing of %s has list %q and URL %q", list, l.Subject, l.List, l.URL)
		}
		switch l.Kind {
		case tocsin.Risk:
			if _, err := tocsin.ParseCrimeType(l.Category); err != nil {
				t.Errorf("%s: %s has the category %q", list, l.Subject, l.Category)
			}
			fallthrough
		case tocsin.Safe:
			if d, err := tocsin.ParseDomain(l.Subject.Value); l.Subject.Kind == tocsin.DNS && (err != nil || d.Shared()) {
				t.Errorf("%s lists %s as %s, though strangers share it", list, l.Subject, l.Kind)
			}
			if l.Category == "" {
				t.Errorf("%s: %s has no category", list, l.Subject)
			}
		case tocsin.Shared, tocsin.Sanction:
		default:
			t.Errorf("%s: %s has the kind %q", list, l.Subject, l.Kind)
		}
	}
	if d := e.Report; d != nil {
		if e.Key == "" {
			t.Errorf("%s: the report %q has no key", list, d.Title)
		}
		if again, err := d.Parse(time.Now()); err != nil {
			t.Errorf("%s: the report %q is no valid one: %v", list, d.Title, err)
		} else if !slices.Equal(again.Subjects(), d.Subjects()) {
			t.Errorf("%s: the subjects of %q are not canonical", list, d.Title)
		}
	}
}

func address(t *testing.T, text string) tocsin.Subject {
	t.Helper()
	a, err := tocsin.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a.Subject()
}
