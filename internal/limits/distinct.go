package limits

import (
	"encoding/binary"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// DistinctPerDay admits a number of different things per visitor and UTC day; [PerDay] counts events. To ask for
// the same thing again the same day is free. Its methods may be called from any
// goroutine.
type DistinctPerDay struct {
	limit int
	now   func() time.Time

	mu     sync.Mutex
	day    int64
	seen   map[Key][]thing // by visitor
	size   int             // bytes that they take
	bound  int             // bytes that they take at most: who is dropped has the whole limit again
	untold untold          // visitors
}

// thing is what a visitor has asked for.
type thing struct {
	name   uint64 // half of its Key: a visitor has few
	times  int32  // in how many processes; 0 when it was taken back
	untold int32  // of them, how many other processes have not been told of
}

// NewDistinctPerDay returns a limit of different things per visitor and UTC day.
func NewDistinctPerDay(limit int, now func() time.Time) *DistinctPerDay {
	return &DistinctPerDay{limit: limit, now: now, bound: defaultBound, seen: map[Key][]thing{}}
}

// Take reports whether the visitor may ask for the thing: they asked for it
// before today, or for fewer things than the limit. Undo takes it back.
func (d *DistinctPerDay) Take(visitor, what string) (undo func(), ok bool) {
	key, name := d.names(visitor, what)
	d.mu.Lock()
	defer d.mu.Unlock()
	today := d.turn()
	if d.asked(key, name) {
		return func() {}, true
	}
	if d.count(key) >= d.limit {
		return nil, false
	}
	d.add(key, name, 1)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.turn() == today && d.asked(key, name) {
			d.add(key, name, -1)
		}
	}, true
}

// Left returns for how many more different things the visitor may ask today.
func (d *DistinctPerDay) Left(visitor string) int {
	key, _ := d.names(visitor, "")
	d.mu.Lock()
	defer d.mu.Unlock()
	d.turn()
	return max(0, d.limit-d.count(key))
}

// Seen reports whether the visitor asked for the thing before today.
func (d *DistinctPerDay) Seen(visitor, what string) bool {
	key, name := d.names(visitor, what)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.turn()
	return d.asked(key, name)
}

// Remember records a thing that the visitor paid for in another way, whatever
// the limit: asking for it again that day is free.
func (d *DistinctPerDay) Remember(visitor, what string) {
	key, name := d.names(visitor, what)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.turn()
	if !d.asked(key, name) {
		d.add(key, name, 1)
	}
}

// names returns the keys of a visitor and of a thing.
func (d *DistinctPerDay) names(visitor, what string) (Key, uint64) {
	of := keyOf(d.untold.secret, what)
	return keyOf(d.untold.secret, visitor), binary.BigEndian.Uint64(of[:])
}

// turn empties the memory when another day has begun, and returns the day.
func (d *DistinctPerDay) turn() int64 {
	if today := dayOf(d.now()); today != d.day {
		d.day, d.size, d.seen = today, 0, map[Key][]thing{}
	}
	return d.day
}

// count returns for how many things a visitor has asked.
func (d *DistinctPerDay) count(visitor Key) (things int) {
	for _, t := range d.seen[visitor] {
		if t.times > 0 {
			things++
		}
	}
	return things
}

// asked reports whether a visitor has asked for a thing.
func (d *DistinctPerDay) asked(visitor Key, name uint64) bool {
	t := d.thing(visitor, name)
	return t != nil && t.times > 0
}

func (d *DistinctPerDay) thing(visitor Key, name uint64) *thing {
	seen := d.seen[visitor]
	for i := range seen {
		if seen[i].name == name {
			return &seen[i]
		}
	}
	return nil
}

// add adds to how often a thing was asked for.
func (d *DistinctPerDay) add(visitor Key, name uint64, times int32) {
	d.untold.note(visitor)
	if t := d.thing(visitor, name); t != nil {
		t.times, t.untold = t.times+times, t.untold+times
		d.tidy(visitor)
		return
	}
	d.insert(visitor, thing{name, times, times})
}

// insert adds a thing, and drops others when there is no room.
func (d *DistinctPerDay) insert(visitor Key, t thing) {
	d.keep(visitor, append(d.seen[visitor], t))
	for other := range d.seen { // in no order: any will do
		if d.size <= d.bound {
			break
		}
		if other != visitor {
			d.keep(other, nil)
		}
	}
}

// tidy removes the things that were taken back.
func (d *DistinctPerDay) tidy(visitor Key) {
	gone := func(t thing) bool { return t.times == 0 && t.untold == 0 }
	if seen := d.seen[visitor]; slices.ContainsFunc(seen, gone) {
		d.keep(visitor, slices.DeleteFunc(slices.Clone(seen), gone))
	}
}

// keep keeps the things of a visitor, in the place of others.
func (d *DistinctPerDay) keep(visitor Key, things []thing) {
	d.size += bytesOf(things) - bytesOf(d.seen[visitor])
	if d.seen[visitor] = things; len(things) == 0 {
		d.size -= bytesOf(things)
		delete(d.seen, visitor)
	}
}

// bytesOf is how much memory a visitor takes.
func bytesOf(things []thing) int {
	if things == nil {
		return 0
	}
	return churned(unsafe.Sizeof(Key{})+unsafe.Sizeof(things)) + cap(things)*int(unsafe.Sizeof(thing{}))
}

func (d *DistinctPerDay) share(secret []byte) { d.untold.begin(secret) }

// The key of a count is that of the visitor and the name of the thing.
func (d *DistinctPerDay) tell(pass func(Count)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.turn()
	for visitor := range d.untold.keys {
		settled := true
		for _, t := range d.seen[visitor] {
			if t.untold == 0 {
				continue
			}
			settled = false
			pass(Count{Key: string(binary.BigEndian.AppendUint64(visitor[:], t.name)), Slot: d.day, Events: int64(t.untold),
				Ends: dayStart(d.day + 1)})
		}
		if settled {
			delete(d.untold.keys, visitor)
		}
	}
}

func (d *DistinctPerDay) told(c Count) {
	visitor, name, ok := d.parse(c)
	d.mu.Lock()
	defer d.mu.Unlock()
	if !ok || d.turn() != c.Slot {
		return
	}
	if t := d.thing(visitor, name); t != nil {
		t.untold -= int32(c.Events)
		d.tidy(visitor)
	}
}

func (d *DistinctPerDay) learn(c Count) {
	visitor, name, ok := d.parse(c)
	d.mu.Lock()
	defer d.mu.Unlock()
	if !ok || d.turn() != c.Slot {
		return
	}
	times := int32(min(max(0, c.Events), 1<<30))
	if t := d.thing(visitor, name); t != nil {
		t.times = max(0, times+t.untold)
		d.tidy(visitor)
	} else if times > 0 {
		d.insert(visitor, thing{name: name, times: times})
	}
}

// parse reads the key of a count.
func (d *DistinctPerDay) parse(c Count) (visitor Key, name uint64, ok bool) {
	const n = len(visitor)
	if len(c.Key) != n+8 {
		return visitor, 0, false
	}
	return Key([]byte(c.Key[:n])), binary.BigEndian.Uint64([]byte(c.Key[n:])), true
}
