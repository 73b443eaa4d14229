package limits

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// whole checks what holds of budgets at any time: what they say they take is what they hold, within their bounds, and
// nothing is held that counts nothing.
func whole(t *testing.T, about string, b *Budgets) {
	t.Helper()
	size := func(name string, size, counted, bound, keys int) {
		t.Helper()
		if size != counted || size > bound && keys > 1 {
			t.Fatalf("%s: %s: %d bytes are held, %d counted, of at most %d", about, name, counted, size, bound)
		}
	}
	for name, c := range b.counters() {
		switch c := c.(type) {
		case interface {
			check() (size, counted, keys int)
		}:
			bytes, counted, keys := c.check()
			size(name, bytes, counted, defaultBound, keys)
		case *DistinctPerDay:
			counted := 0
			for _, things := range c.seen {
				counted += bytesOf(things)
				for _, thing := range things {
					if thing.times == 0 && thing.untold == 0 {
						t.Fatalf("%s: a thing that was taken back is kept", about)
					}
				}
				if len(things) == 0 {
					t.Fatalf("%s: a visitor without things is kept", about)
				}
			}
			size(name, c.size, counted, c.bound, len(c.seen))
		}
	}
}

// check returns what a window says it takes, what it holds, and for how many keys.
func (w *Window[K]) check() (size, counted, keys int) {
	for _, bursts := range w.keys {
		counted += w.bytes(bursts)
		for i := range bursts[1:] {
			if bursts[i].last > bursts[i+1].last || w.slot(bursts[i].last) == w.slot(bursts[i+1].last) {
				return w.size, -1, len(w.keys) // not in order
			}
		}
	}
	return w.size, counted, len(w.keys)
}

func (p *PerDay[K]) check() (size, counted, keys int) {
	for _, c := range p.keys {
		if (c == dayCount{}) {
			return p.size, -1, len(p.keys)
		}
	}
	return p.size, len(p.keys) * bytesOfCount, len(p.keys)
}

// used is how many events of all keys a budget counts now, and how many of them others have not been told of.
func used(c counter) (events, untold int64) {
	switch c := c.(type) {
	case *DistinctPerDay:
		c.turn()
		for _, things := range c.seen {
			for _, thing := range things {
				events, untold = events+int64(thing.times), untold+int64(thing.untold)
			}
		}
		untold += int64(len(c.untold.keys))
	case *Verifications:
		for _, s := range c.networks {
			for _, r := range s.slots {
				if r.slot > c.oldest() {
					events += r.events
				}
				untold += r.untold
			}
		}
		untold += int64(len(c.untold.keys))
	case interface{ used() (events, untold int64) }:
		return c.used()
	}
	return events, untold
}

func (w *Window[K]) used() (events, untold int64) {
	for _, bursts := range w.keys {
		for _, b := range w.recent(bursts, w.now().UnixNano()) {
			events, untold = events+int64(b.events), untold+int64(b.untold)
		}
	}
	return events, untold + int64(len(w.untold.keys))
}

func (p *PerDay[K]) used() (events, untold int64) {
	p.turn()
	for _, c := range p.keys {
		events, untold = events+int64(c.events), untold+int64(c.untold)
	}
	return events, untold + int64(len(p.untold.keys))
}

// TestProcessesAgreeOnWhatWasTaken whatever was taken, taken back and exchanged in which order, and while the ledger
// was away: what is not over counts, once, in each of them.
func TestProcessesAgreeOnWhatWasTaken(t *testing.T) {
	type taking struct {
		name  string
		by    int // the process
		undo  func()
		count int64
	}
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		c, ledger := newClock(), &rows{}
		seats := []*seat{{rows: ledger}, {rows: ledger}, {rows: ledger}}
		var all []*Budgets
		for _, s := range seats {
			all = append(all, process(t, c, s))
		}
		var taken []taking
		for step := range 150 {
			at := random.IntN(len(all))
			b := all[at]
			switch random.IntN(8) {
			case 0, 1, 2:
				for name, take := range takes {
					if random.IntN(2) == 0 {
						continue
					}
					// What is shared out takes from several counts, and is looked at one by one elsewhere.
					before, _ := used(b.counters()[name])
					if undo := take(b, random.IntN(4)); undo != nil {
						after, _ := used(b.counters()[name])
						taken = append(taken, taking{name, at, undo, after - before})
					} else if after, _ := used(b.counters()[name]); after != before {
						t.Fatalf("seed %d, step %d: %s: what was refused counts %d", seed, step, name, after-before)
					}
				}
			case 3:
				b.Verifications.Refused(networkOf(1))
				taken = append(taken, taking{name: "refused payments", by: at, count: 1})
			case 4:
				if len(taken) > 0 {
					i := random.IntN(len(taken))
					if taken[i].undo != nil {
						taken[i].undo()
						taken = append(taken[:i], taken[i+1:]...)
					}
				}
			case 5:
				c.advance(time.Duration(random.IntN(400)) * time.Millisecond)
			case 6:
				seats[at].away = nil
				if random.IntN(3) == 0 {
					seats[at].away = errors.New("the database is away")
				}
				fallthrough
			default:
				_ = b.exchange.once(t.Context()) // it may be away
			}
			whole(t, fmt.Sprintf("seed %d, step %d", seed, step), b)
			own := map[string]int64{}
			for _, took := range taken {
				if took.by == at {
					own[took.name] += took.count
				}
			}
			for name, n := range own {
				if events, _ := used(b.counters()[name]); events < n {
					t.Fatalf("seed %d, step %d: %s: %d are taken here, and %d count", seed, step, name, n, events)
				}
			}
		}
		for _, s := range seats {
			s.away = nil
		}
		swap(t, all...)
		want := map[string]int64{}
		for _, took := range taken {
			want[took.name] += took.count
		}
		for i, b := range all {
			for name := range takes {
				events, untold := used(b.counters()[name])
				first, _ := used(all[0].counters()[name])
				if events != first || untold != 0 || name != "lookups" && name[:5] != "total" && events != want[name] {
					t.Errorf("seed %d: process %d counts %d of %s, the first %d, of %d; %d not told",
						seed, i, events, name, first, want[name], untold)
				}
			}
			events, untold := used(b.Verifications)
			if events != want["refused payments"] || untold != 0 {
				t.Errorf("seed %d: process %d knows of %d refused payments of %d; %d not told",
					seed, i, events, want["refused payments"], untold)
			}
		}
		late := seed%2 == 0
		if late {
			c.advance(24 * time.Hour)
			swap(t, all...)
		}
		for _, took := range taken { // and then all is taken back, perhaps when it is over
			if took.undo != nil {
				took.undo()
			}
		}
		swap(t, all...)
		for i, b := range all {
			for name, c := range b.counters() {
				if events, untold := used(c); (late || name != "refused payments") && (events != 0 || untold != 0) {
					t.Errorf("seed %d: process %d still counts %d of %s, and %d are not told", seed, i, events, name, untold)
				}
			}
			whole(t, "all is over", b)
			for name, take := range takes {
				if undo := take(b, i); undo == nil {
					t.Errorf("seed %d: %s is used up by what is over", seed, name)
				} else {
					undo()
				}
			}
		}
	}
}
