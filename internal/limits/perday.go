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
	events map[K]int
	size   int // bytes that they take
	bound  int // bytes that they take at most: the key that is dropped has its whole limit again
}

// NewPerDay returns a limit of events per key and UTC day, or nil for a limit of 0.
// Now is the clock.
func NewPerDay[K comparable](limit int, now func() time.Time) *PerDay[K] {
	if limit <= 0 {
		return nil
	}
	return &PerDay[K]{limit: limit, now: now, events: map[K]int{}, bound: defaultBound}
}

// Limit is how many events are admitted per key and day; 0 for a nil PerDay.
func (p *PerDay[K]) Limit() int {
	if p == nil {
		return 0
	}
	return p.limit
}

// Left returns how many events of the key are still admitted today; math.MaxInt for a nil PerDay.
func (p *PerDay[K]) Left(key K) int {
	if p == nil {
		return math.MaxInt
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.day != p.now().Unix()/86400 {
		return p.limit
	}
	return max(0, p.limit-p.events[key])
}

// Take counts one event of the key. If the limit is reached it counts nothing, and
// returns how long to wait until the next day; undo is nil then. Otherwise undo takes
// the event back; it must be called at most once.
func (p *PerDay[K]) Take(key K) (wait time.Duration, undo func()) {
	if p == nil {
		return 0, func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	today := now.Unix() / 86400
	if p.day != today {
		p.day, p.events, p.size = today, map[K]int{}, 0
	}
	if p.events[key] >= p.limit {
		return time.Unix((today+1)*86400, 0).Sub(now), nil
	}
	if p.events[key] == 0 {
		p.size += bytesOfCount(key)
		for other := range p.events { // in no order: any will do
			if p.size <= p.bound {
				break
			}
			p.drop(other)
		}
	}
	p.events[key]++
	return 0, func() { p.giveBack(key, today) }
}

// giveBack takes back an event of the key that was counted on a day.
func (p *PerDay[K]) giveBack(key K, day int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.day != day || p.events[key] == 0 { // the count has ended
		return
	}
	if p.events[key]--; p.events[key] == 0 {
		p.drop(key)
	}
}

func (p *PerDay[K]) drop(key K) {
	p.size -= bytesOfCount(key)
	delete(p.events, key)
}

// bytesOfCount is how much memory the count of a key takes.
func bytesOfCount[K comparable](key K) int {
	return mapped(unsafe.Sizeof(key)+unsafe.Sizeof(0)) + textOf(key)
}
