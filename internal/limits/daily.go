package limits

import (
	"slices"
	"sync"
	"time"
)

// Daily admits a number of different things per visitor and UTC day. To ask for
// the same thing again the same day is free. Its methods may be called from any
// goroutine.
type Daily struct {
	limit int
	now   func() time.Time

	mu   sync.Mutex
	day  int64
	seen map[string][]string // things by visitor
}

// maxVisitors bounds the memory. Reaching it empties the memory, which gives
// every visitor the whole limit again: it takes more networks than a free
// look-up is worth.
const maxVisitors = 100_000

// NewDaily returns a limit of different things per visitor and UTC day.
func NewDaily(limit int, now func() time.Time) *Daily {
	return &Daily{limit: limit, now: now}
}

// Take reports whether the visitor may ask for the thing: they asked for it
// before today, or for fewer things than the limit. Undo takes it back.
func (d *Daily) Take(visitor, thing string) (undo func(), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.turn()
	if slices.Contains(d.seen[visitor], thing) {
		return func() {}, true
	}
	if len(d.seen[visitor]) >= d.limit {
		return nil, false
	}
	d.add(visitor, thing)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.seen[visitor] = slices.DeleteFunc(d.seen[visitor], func(known string) bool { return known == thing })
	}, true
}

// Seen reports whether the visitor asked for the thing before today.
func (d *Daily) Seen(visitor, thing string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.turn()
	return slices.Contains(d.seen[visitor], thing)
}

// Remember records a thing that the visitor paid for in another way, whatever
// the limit: asking for it again that day is free.
func (d *Daily) Remember(visitor, thing string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.turn()
	if !slices.Contains(d.seen[visitor], thing) {
		d.add(visitor, thing)
	}
}

// turn empties the memory when another day has begun, or when it is full.
func (d *Daily) turn() {
	if today := d.now().Unix() / 86400; today != d.day || len(d.seen) >= maxVisitors {
		d.day, d.seen = today, map[string][]string{}
	}
}

func (d *Daily) add(visitor, thing string) { d.seen[visitor] = append(d.seen[visitor], thing) }
