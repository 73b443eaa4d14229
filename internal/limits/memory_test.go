package limits

import (
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

func network(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{byte(n >> 16), byte(n >> 8), byte(n), 0}), 24)
}

func TestAFloodOfKeysForgetsTheIdleOnesFirst(t *testing.T) {
	c := newClock()
	w := NewWindow[netip.Prefix](1, time.Hour, c.now)
	w.bound = 1000 * w.bytes(make([]burst, 1))
	for n := range 500 {
		w.Take(network(100_000 + n))
	}
	c.advance(2 * time.Hour) // these are idle now
	for n := range 600 {
		w.Take(network(n))
	}
	forgotten := 0
	for n := range 600 {
		if w.Full(network(n)) == 0 {
			forgotten++
		}
	}
	if forgotten > 20 { // of the keys that come by, eight in a row may be busy
		t.Errorf("%d busy keys were forgotten while there were 400 idle ones", forgotten)
	}
}

// TestWhatIsCountedByKeyIsBoundedInRealBytes floods each budget with keys, and compares what it says it takes with what
// the heap has grown by.
func TestWhatIsCountedByKeyIsBoundedInRealBytes(t *testing.T) {
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	const bound = 1 << 20
	for about, flood := range map[string]func() (take func(n int), size *int){
		"by network": func() (func(int), *int) {
			w := NewWindow[netip.Prefix](5, time.Hour, newClock().now)
			w.bound = bound
			return func(n int) { w.Take(network(n)) }, &w.size
		},
		"by network, at many times": func() (func(int), *int) {
			c := newClock()
			w := NewWindow[netip.Prefix](100, time.Hour, c.now)
			w.bound = bound
			return func(n int) { w.Take(network(n % 3000)); c.advance(25 * time.Millisecond) }, &w.size
		},
		"by network and day": func() (func(int), *int) {
			p := NewPerDay[netip.Prefix](5, newClock().now)
			p.bound = bound
			return func(n int) {
				if _, undo := p.Take(network(n)); n%3 == 0 {
					undo()
				}
			}, &p.size
		},
		"of other processes": func() (func(int), *int) {
			c := newClock()
			w := NewWindow[netip.Prefix](5, time.Hour, c.now)
			w.bound = bound
			return func(n int) {
				key := Key{byte(n), byte(n >> 8), byte(n >> 16)}
				w.learn(Count{Key: string(key[:]), Slot: c.now().UnixNano() / w.width(), Events: 1})
			}, &w.size
		},
		"by agent": func() (func(int), *int) {
			w := NewWindow[string](5, time.Hour, newClock().now)
			w.bound = bound
			return func(n int) { w.Take(fmt.Sprintf("agt_%020d", n)) }, &w.size
		},
		"by visitor": func() (func(int), *int) {
			d := NewDistinctPerDay(3, newClock().now)
			d.bound = bound
			return func(n int) {
				d.Take(fmt.Sprintf("visitor %d", n/3), fmt.Sprintf("0x%040x", n))
				d.Remember(fmt.Sprintf("visitor %d", n/5), fmt.Sprintf("n%d.example.com", n))
			}, &d.size
		},
	} {
		before := heap()
		take, size := flood()
		for n := range 100_000 {
			if take(n); *size > bound {
				t.Fatalf("%s: %d bytes are held", about, *size)
			}
		}
		grown := heap() - before
		t.Logf("%s: %d bytes, %d counted", about, grown, *size)
		if *size < bound/2 || grown > bound*13/10 || grown < *size/2 { // a map is fuller or emptier by chance
			t.Errorf("%s: the heap has grown by %d bytes, and %d are counted", about, grown, *size)
		}
		runtime.KeepAlive(take)
	}
}

// TestAVisitorIsNotForgottenByWhatTheyAskFor: when memory is short, others are.
func TestAVisitorIsNotForgottenByWhatTheyAskFor(t *testing.T) {
	d := NewDistinctPerDay(100, newClock().now)
	d.bound = 2000
	for n := range 200 {
		visitor, thing := fmt.Sprintf("visitor %d", n/5), fmt.Sprintf("thing %d", n)
		if d.Take(visitor, thing); !d.Seen(visitor, thing) || d.Left(visitor) != 99-n%5 {
			t.Fatalf("%s of %s: seen %v, %d left", thing, visitor, d.Seen(visitor, thing), d.Left(visitor))
		}
	}
}

// TestTheBudgetsShareTheirMemory, all of them.
func TestTheBudgetsShareTheirMemory(t *testing.T) {
	b := New(Config{Filings: 1, Lookups: 1, TotalFiledBytes: 1, NewAgents: 1, NetworkCalls: 1, Memory: 18_000}, time.Now)
	for about, bound := range map[string]int{
		"Filings": b.Filings.bound, "Lookups": b.Lookups.bound, "FiledBytes": b.FiledBytes.bound, "Guesses": b.Guesses.bound,
		"NewAgents": b.NewAgents.bound, "FreeSearches": b.FreeSearches.bound, "NetworkCalls": b.NetworkCalls.bound,
	} {
		if bound != 1000 {
			t.Errorf("%s may take %d bytes", about, bound)
		}
	}
	if few := New(Config{Memory: 1400}, time.Now); few.Filings.bound != 100 {
		t.Errorf("without limits of all networks %d bytes are for filings, of a fourteenth", few.Filings.bound)
	}
}
