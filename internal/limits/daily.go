package limits

import (
	"slices"
	"sync"
	"time"
	"unsafe"
)

// Daily admits a number of different things per visitor and UTC day. To ask for
// the same thing again the same day is free. Its methods may be called from any
// goroutine.
type Daily struct {
	limit int
	now   func() time.Time

	mu    sync.Mutex
	day   int64
	seen  map[string][]string // things by visitor
	size  int                 // bytes that they take
	bound int                 // bytes that they take at most: who is dropped has the whole limit again
}

// NewDaily returns a limit of different things per visitor and UTC day.
func NewDaily(limit int, now func() time.Time) *Daily {
	return &Daily{limit: limit, now: now, bound: defaultBound}
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
		d.size -= bytesOf(visitor, d.seen[visitor])
		d.seen[visitor] = slices.DeleteFunc(d.seen[visitor], func(known string) bool { return known == thing })
		d.size += bytesOf(visitor, d.seen[visitor])
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

// turn empties the memory when another day has begun.
func (d *Daily) turn() {
	if today := d.now().Unix() / 86400; today != d.day {
		d.day, d.size, d.seen = today, 0, map[string][]string{}
	}
}

func (d *Daily) add(visitor, thing string) {
	seen := d.seen[visitor]
	d.size -= bytesOf(visitor, seen)
	seen = append(seen, thing)
	d.size += bytesOf(visitor, seen)
	d.seen[visitor] = seen
	for other, things := range d.seen { // in no order: any will do
		if d.size <= d.bound {
			break
		}
		if other != visitor {
			d.size -= bytesOf(other, things)
			delete(d.seen, other)
		}
	}
}

// bytesOf is how much memory a visitor takes.
func bytesOf(visitor string, things []string) int {
	if things == nil {
		return 0
	}
	const header = unsafe.Sizeof(visitor)
	bytes := mapped(header+unsafe.Sizeof(things)) + stringBytes(visitor) + cap(things)*int(header)
	for _, thing := range things {
		bytes += stringBytes(thing)
	}
	return bytes
}
