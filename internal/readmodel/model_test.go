package readmodel

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"tocsin"
)

// world makes random changes, and keeps what they amount to in a map.
type world struct {
	*rand.Rand
	model   *Model
	records map[tocsin.Subject]*Record
	doubted map[tocsin.Subject]bool
}

func newWorld(seed uint64) *world {
	return &world{rand.New(rand.NewPCG(seed, 1)), New(), map[tocsin.Subject]*Record{}, map[tocsin.Subject]bool{}}
}

func (w *world) subject() tocsin.Subject {
	n := w.IntN(3000)
	switch n % 4 {
	case 0:
		return tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("n%d.example", n)}
	case 1:
		return tocsin.Subject{Kind: tocsin.DNS, Value: strings.Repeat("long.", 45) + fmt.Sprint(n)}
	case 2:
		return tocsin.Subject{Kind: "of a later version", Value: fmt.Sprint(n)}
	}
	return tocsin.Subject{Kind: tocsin.EVM, Value: fmt.Sprintf("0x%040x", n)}
}

func (w *world) text(texts ...string) string { return texts[w.IntN(len(texts))] }

func (w *world) record() *Record {
	r := &Record{Ask: w.IntN(50) == 0}
	for range w.IntN(4) {
		l := Listing{List: 1 + w.Int64N(3), Listing: tocsin.Listing{
			Kind:     tocsin.Risk,
			Category: fmt.Sprint("category ", w.IntN(4000)), // more than there is room for in the table of shapes
			URL:      w.text("", "https://a.example/", "https://a.example/b/c", "no slash"),
			Chain:    w.text("", "", "eip155:1"),
			Name:     w.text("", "", "Somebody"),
			Program:  w.text("", strings.Repeat("P", w.IntN(400))),
		}}
		if w.IntN(2) == 0 {
			at := tocsin.MicroTime(w.Int64N(1e15) - 5e14)
			l.Since = &at
		}
		r.Listings = append(r.Listings, l)
	}
	for i := range w.IntN(6) * w.IntN(14) {
		m := Mention{Place: Place{Report: int64(i)}, Told: w.IntN(3) == 0, Crime: tocsin.CrimeType(fmt.Sprint(w.IntN(9)))}
		if m.Published = w.Int64N(2e15); m.Told && w.IntN(3) == 0 {
			m.Published = 0
		}
		if !m.Told {
			m.Agent = w.Int64N(4)
		}
		r.Mentions = append(r.Mentions, m)
	}
	slices.SortFunc(r.Mentions, func(a, b Mention) int {
		return cmp.Or(cmp.Compare(b.Published, a.Published), cmp.Compare(b.Report, a.Report))
	})
	return r
}

func (w *world) step() {
	c := Change{Records: map[tocsin.Subject]*Record{}}
	for range w.IntN(20) {
		s := w.subject()
		if c.Records[s] = w.record(); w.IntN(3) == 0 {
			c.Records[s] = nil
		}
		w.records[s] = c.Records[s]
		delete(w.doubted, s)
	}
	w.model.Apply(c)
	if w.IntN(4) == 0 {
		s := w.subject()
		w.model.Doubt([]tocsin.Subject{s})
		w.doubted[s] = true
	}
}

// check compares all that the model holds with the map.
func (w *world) check(t *testing.T) {
	t.Helper()
	known := 0
	seen := map[tocsin.Subject]bool{}
	for s := range w.doubted {
		seen[s] = true
	}
	for s := range w.records {
		seen[s] = true
	}
	for range 100 {
		seen[w.subject()] = true
	}
	for s := range seen {
		r := w.records[s]
		there := r != nil && (r.Ask || len(r.Listings)+len(r.Mentions) > 0)
		ask := w.doubted[s] || there && (r.Ask || len(r.Mentions) > Most)
		if there || w.doubted[s] {
			known++
		}
		key := appendKey(nil, s)
		part, hash := w.model.table(key)
		value := part.get(hash, key)
		if (value != nil) != (there || w.doubted[s]) {
			t.Fatalf("%v: %v is there, want %v", s, value, r)
		}
		if _, ok := w.model.About([]tocsin.Subject{s}); ok == ask && (there || w.doubted[s]) {
			t.Fatalf("%v: known %t, want %t", s, ok, !ask)
		}
		if value == nil || ask {
			continue
		}
		listings, mentions := w.model.encoding.decode(value, s, map[int64]List{1: {"1", "f"}, 2: {"2", "f"}, 3: {"3", "f"}})
		var want []tocsin.Listing
		for _, l := range r.Listings {
			l.Listing.List, l.Listing.Family, l.Subject = fmt.Sprint(l.List), "f", s
			want = append(want, l.Listing)
		}
		if !reflect.DeepEqual(listings, want) || !reflect.DeepEqual(mentions, r.Mentions) {
			t.Fatalf("%v:\n%v %v\nand not\n%v %v", s, listings, mentions, want, r.Mentions)
		}
	}
	if n := w.model.Subjects(); n != known {
		t.Fatalf("%d subjects, want %d", n, known)
	}
}

// TestTheModelHoldsWhatWasPutIntoIt also when all hashes are equal, or few of them differ.
func TestTheModelHoldsWhatWasPutIntoIt(t *testing.T) {
	for hashes, steps := range map[uint64]int{1: 40, 5: 100, 1 << 63: 600} {
		w := newWorld(hashes)
		hash := w.model.hash
		w.model.hash = func(key []byte) uint64 { return hash(key) % hashes * 0x9e3779b97f4a7c15 }
		for step := range steps {
			if w.step(); step%20 == 0 {
				w.check(t)
			}
		}
		w.check(t)
	}
}

// TestSpaceIsUsedAgain: a model whose records change takes no more memory than one in which they never did.
func TestSpaceIsUsedAgain(t *testing.T) {
	w := newWorld(1)
	for range 5000 {
		w.step()
	}
	c := Change{Records: w.records}
	once := New()
	once.Apply(c)
	if is, least := w.model.Bytes(), once.Bytes(); is > 2*least {
		t.Errorf("%d bytes, and %d if it is filled at once", is, least)
	}
}

// TestItTakesAsManyBytesAsItSays and few for a subject.
func TestItTakesAsManyBytesAsItSays(t *testing.T) {
	const n = 200_000
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	m := New()
	for i := range n {
		m.Apply(Change{Records: map[tocsin.Subject]*Record{
			{Kind: tocsin.EVM, Value: fmt.Sprintf("0x%040x", i)}: {Listings: []Listing{{1, tocsin.Listing{Kind: tocsin.Risk,
				Category: "phishing", URL: "https://list.example/"}}}}}})
	}
	grown, counted := heap()-before, m.Bytes()
	t.Logf("%d bytes, %d counted: %d for a subject", grown, counted, counted/n)
	if counted < grown*9/10 || counted > grown*11/10 || counted > 80*n {
		t.Errorf("%d bytes, %d counted for %d subjects", grown, counted, n)
	}
	runtime.KeepAlive(m)
}

// TestAChangeIsSeenAsAWhole by those who read while it is made.
func TestAChangeIsSeenAsAWhole(t *testing.T) {
	below := tocsin.Subject{Kind: tocsin.DNS, Value: "a.evil.example"}
	above := tocsin.Subject{Kind: tocsin.DNS, Value: "evil.example"}
	m := New()
	var group sync.WaitGroup
	done := make(chan bool)
	for range 2 {
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if a, ok := m.About([]tocsin.Subject{below, above}); !ok || a != nil && a.ReportCount != 1 {
					t.Errorf("%+v %t", a, ok)
					return
				}
			}
		})
	}
	for i := range 3000 {
		r := &Record{Mentions: []Mention{{Place: Place{int64(i + 1), int64(i + 1)}, Crime: "scam"}}}
		m.Apply(Change{Records: map[tocsin.Subject]*Record{below: r, above: r}}) // one report names both
	}
	close(done)
	group.Wait()
}
