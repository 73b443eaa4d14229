package limits

import (
	"math"
	"sync"
	"time"
	"unsafe"
)

// PerDay admits a number of events per key and UTC day. All counts end at midnight
// UTC, as the free calls of a key do: a sliding window would refuse a key the calls
// of its new day. Its methods may be called from any goroutine. A nil PerDay admits
// everything.
type PerDay[K comparable] struct {
	limit int
	now   func() time.Time

	mu     sync.Mutex
	day    int64
	keys   map[Key]dayCount
	size   int // bytes that they take
	bound  int // bytes that they take at most: the key that is dropped has its whole limit again
	untold untold
}

// dayCount is the events of a key, and how many of them other processes have not been told of.
type dayCount struct{ events, untold int32 }

// NewPerDay returns a limit of events per key and UTC day, or nil for a limit of 0.
// Now is the clock.
func NewPerDay[K comparable](limit int, now func() time.Time) *PerDay[K] {
	if limit <= 0 {
		return nil
	}
	limit = min(limit, math.MaxInt32)
	return &PerDay[K]{limit: limit, now: now, keys: map[Key]dayCount{}, bound: defaultBound}
}

// Limit is how many events are admitted per key and day; 0 for a nil PerDay.
func (p *PerDay[K]) Limit() int {
	if p == nil {
		return 0
	}
	return p.limit
}

// Left returns how many events of the key are still admitted today; math.MaxInt for a nil PerDay.
func (p *PerDay[K]) Left(of K) int {
	if p == nil {
		return math.MaxInt
	}
	key := keyOf(p.untold.secret, of)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn()
	return max(0, p.limit-int(p.keys[key].events))
}

// Take counts one event of the key. If the limit is reached it counts nothing, and
// returns how long to wait until the next day; undo is nil then. Otherwise undo takes
// the event back; it must be called at most once.
func (p *PerDay[K]) Take(of K) (wait time.Duration, undo func()) {
	if p == nil {
		return 0, func() {}
	}
	key := keyOf(p.untold.secret, of)
	p.mu.Lock()
	defer p.mu.Unlock()
	today := p.turn()
	c := p.keys[key]
	if int(c.events) >= p.limit {
		return dayStart(today + 1).Sub(p.now()), nil
	}
	p.set(key, dayCount{c.events + 1, c.untold + 1})
	p.untold.note(key)
	return 0, func() { p.giveBack(key, today) }
}

// turn begins a new count when another day has begun, and returns the day.
func (p *PerDay[K]) turn() (today int64) {
	if today = dayOf(p.now()); p.day != today {
		p.day, p.keys, p.size = today, map[Key]dayCount{}, 0
	}
	return today
}

// giveBack takes back an event of the key that was counted on a day.
func (p *PerDay[K]) giveBack(key Key, day int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, kept := p.keys[key]
	if p.day != day || !kept || c.events == 0 { // the count has ended
		return
	}
	p.set(key, dayCount{c.events - 1, c.untold - 1})
	p.untold.note(key)
}

// set sets the count of a key. A new one makes room for itself.
func (p *PerDay[K]) set(key Key, c dayCount) {
	_, kept := p.keys[key]
	switch {
	case c == dayCount{} && kept:
		p.drop(key)
		return
	case c == dayCount{}:
		return
	case !kept:
		p.size += bytesOfCount
		for other := range p.keys { // in no order: any will do
			if p.size <= p.bound {
				break
			}
			p.drop(other)
		}
	}
	p.keys[key] = c
}

func (p *PerDay[K]) drop(key Key) {
	p.size -= bytesOfCount
	delete(p.keys, key)
}

func (p *PerDay[K]) share(secret []byte) { p.untold.begin(secret) }

func (p *PerDay[K]) tell(pass func(Count)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn()
	for key := range p.untold.keys {
		if c := p.keys[key]; c.untold != 0 {
			pass(Count{Key: string(key[:]), Slot: p.day, Events: int64(c.untold), Ends: dayStart(p.day + 1)})
		} else {
			delete(p.untold.keys, key)
		}
	}
}

func (p *PerDay[K]) told(count Count) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := Key([]byte(count.Key))
	if c, kept := p.keys[key]; kept && p.day == count.Slot {
		p.set(key, dayCount{c.events, c.untold - int32(count.Events)})
	}
}

func (p *PerDay[K]) learn(count Count) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turn() != count.Slot || len(count.Key) != len(Key{}) {
		return
	}
	key := Key([]byte(count.Key))
	c := p.keys[key]
	c.events = int32(min(max(0, count.Events+int64(c.untold)), math.MaxInt32))
	p.set(key, c)
}

// bytesOfCount is how much memory the count of a key takes.
var bytesOfCount = churned(unsafe.Sizeof(Key{}) + unsafe.Sizeof(dayCount{}))

// dayOf numbers the days of UTC since 1970.
func dayOf(t time.Time) int64 { return t.Unix() / 86400 }

// dayStart is when a day begins.
func dayStart(day int64) time.Time { return time.Unix(day*86400, 0) }
