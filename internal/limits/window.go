package limits

import (
	"slices"
	"sync"
	"time"
	"unsafe"
)

// Window admits a number of events per key in any period. It never admits more
// than its limit within one period, wherever the period begins: a token bucket
// with a burst as large as the limit would admit twice as many.
//
// Events that lie within a sixtieth of the period of each other are counted
// together and forgotten together, with the last of them. Its methods may be
// called from any goroutine. A nil Window admits everything.
type Window[K comparable] struct {
	limit  int
	period time.Duration
	now    func() time.Time

	mu    sync.Mutex
	keys  map[K][]burst
	size  int // bytes that the keys take
	bound int // bytes that they take at most
}

// burst is a number of events close to each other. Times are nanoseconds since 1970.
type burst struct {
	first, last int64
	events      int
}

const burstsPerPeriod = 60

// NewWindow returns a window that admits limit events per key in any period.
// A limit of 0 admits none. Now is the clock.
func NewWindow[K comparable](limit int, period time.Duration, now func() time.Time) *Window[K] {
	return &Window[K]{limit: limit, period: period, now: now, keys: map[K][]burst{}, bound: defaultBound}
}

// Take counts one event of the key. If the limit is reached it counts nothing
// and returns how long to wait until the next event is admitted, at most the
// period; undo is nil then. Otherwise undo takes the event back; it must be
// called at most once.
func (w *Window[K]) Take(key K) (wait time.Duration, undo func()) { return w.TakeMany(key, 1) }

// Limit is how many events are admitted per key in any period; 0 for a nil Window.
func (w *Window[K]) Limit() int {
	if w == nil {
		return 0
	}
	return w.limit
}

// TakeMany is [Window.Take] for several events that are admitted together or not
// at all. More than the limit are never admitted.
func (w *Window[K]) TakeMany(key K, events int) (wait time.Duration, undo func()) {
	if w == nil {
		return 0, func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now().UnixNano()
	held := w.keys[key]
	bursts := w.recent(held, now)
	if wait := w.wait(bursts, events, now); wait > 0 {
		if len(bursts) > 0 {
			w.hold(key, held, bursts)
		}
		return wait, nil
	}
	if n := len(bursts); n > 0 && now-bursts[n-1].first < int64(w.period)/burstsPerPeriod {
		bursts[n-1].last = max(bursts[n-1].last, now) // the clock may have gone back
		bursts[n-1].events += events
	} else {
		bursts = append(bursts, burst{now, now, events})
	}
	w.hold(key, held, bursts)
	w.makeRoom(key, now)
	return 0, func() { w.giveBack(key, events, now) }
}

// Full returns how long to wait until an event of the key is admitted, 0 if one is
// admitted now. It counts nothing.
func (w *Window[K]) Full(key K) (wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now().UnixNano()
	return w.wait(w.recent(w.keys[key], now), 1, now)
}

// wait returns how long to wait until so many events are admitted beside those that
// are counted, 0 if they are admitted now.
func (w *Window[K]) wait(bursts []burst, events int, now int64) (wait time.Duration) {
	if w.limit <= 0 || events > w.limit {
		return w.period
	}
	used := 0
	for _, b := range bursts {
		used += b.events
	}
	if used+events <= w.limit {
		return 0
	}
	for _, b := range bursts {
		if used -= b.events; used+events <= w.limit {
			wait = time.Duration(b.last - now)
			break
		}
	}
	return min(wait, 0) + w.period
}

// giveBack removes events of the key that were counted at a moment.
func (w *Window[K]) giveBack(key K, events int, at int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	bursts := w.keys[key]
	for i := len(bursts) - 1; i >= 0; i-- {
		if (bursts[i].first <= at || i == 0) && bursts[i].events > 0 {
			bursts[i].events = max(0, bursts[i].events-events)
			return
		}
	}
}

// hold stores the bursts of a key, in the place of others, and counts what they take.
func (w *Window[K]) hold(key K, before, bursts []burst) {
	if cap(bursts) < cap(before) {
		bursts = slices.Clone(bursts) // without those that are over
	}
	w.size += w.bytes(key, bursts) - w.bytes(key, before)
	w.keys[key] = bursts
}

// bytes is how much memory a key takes.
func (w *Window[K]) bytes(key K, bursts []burst) int {
	if bursts == nil {
		return 0
	}
	return mapped(unsafe.Sizeof(key)+unsafe.Sizeof(bursts)) + textOf(key) + cap(bursts)*int(unsafe.Sizeof(burst{}))
}

// makeRoom drops keys while all take more than the bound: of those that come by the
// idle ones, which changes nothing, and otherwise one that has its whole limit again
// then. The new key stays.
func (w *Window[K]) makeRoom(added K, now int64) {
	for w.size > w.bound && len(w.keys) > 1 {
		seen, dropped := 0, false
		var busy K
		for key, bursts := range w.keys { // in no order
			if key == added {
				continue
			}
			if seen++; len(w.recent(bursts, now)) == 0 {
				w.drop(key)
				dropped = true
			}
			if busy = key; seen == looks {
				break
			}
		}
		if !dropped {
			w.drop(busy)
		}
	}
}

func (w *Window[K]) drop(key K) {
	w.size -= w.bytes(key, w.keys[key])
	delete(w.keys, key)
}

// recent returns the bursts that are not over for a period yet, as a part of those.
func (w *Window[K]) recent(bursts []burst, now int64) []burst {
	for len(bursts) > 0 && (bursts[0].last <= now-int64(w.period) || bursts[0].events == 0) {
		bursts = bursts[1:]
	}
	return bursts
}
