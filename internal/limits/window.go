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
// The time is divided into slots of a sixtieth of the period. The events of a slot
// are counted together and forgotten together, with the last of them. Its methods
// may be called from any goroutine. A nil Window admits everything.
type Window[K comparable] struct {
	limit  int
	period time.Duration
	now    func() time.Time

	mu     sync.Mutex
	keys   map[Key][]burst // by time
	size   int             // bytes that the keys take
	bound  int             // bytes that they take at most
	untold untold
}

// burst is the events of a slot. Last is when the last of them was, in nanoseconds since 1970.
type burst struct {
	last   int64
	events int
	untold int // of the events, how many other processes have not been told of
}

const burstsPerPeriod = 60

// NewWindow returns a window that admits limit events per key in any period.
// A limit of 0 admits none. Now is the clock.
func NewWindow[K comparable](limit int, period time.Duration, now func() time.Time) *Window[K] {
	return &Window[K]{limit: limit, period: period, now: now, keys: map[Key][]burst{}, bound: defaultBound}
}

// slot returns the number of the slot of a moment.
func (w *Window[K]) slot(at int64) int64 { return at / w.width() }

// width is how long a slot is.
func (w *Window[K]) width() int64 { return int64(w.period) / burstsPerPeriod }

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
func (w *Window[K]) TakeMany(of K, events int) (wait time.Duration, undo func()) {
	if w == nil {
		return 0, func() {}
	}
	key := keyOf(w.untold.secret, of)
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
	n := len(bursts)
	if n == 0 || w.slot(bursts[n-1].last) < w.slot(now) { // else the clock may have gone back
		bursts = append(bursts, burst{last: now})
		n++
	}
	b := &bursts[n-1]
	b.last = max(b.last, now)
	b.events += events
	b.untold += events
	slot := w.slot(b.last)
	w.untold.note(key)
	w.hold(key, held, bursts)
	w.makeRoom(key, now)
	return 0, func() { w.giveBack(key, events, slot) }
}

// Full returns how long to wait until an event of the key is admitted, 0 if one is
// admitted now. It counts nothing.
func (w *Window[K]) Full(of K) (wait time.Duration) {
	key := keyOf(w.untold.secret, of)
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now().UnixNano()
	return w.wait(w.recent(w.keys[key], now), 1, now)
}

// wait returns how long to wait until so many events are admitted beside those that
// are counted, 0 if they are admitted now.
func (w *Window[K]) wait(bursts []burst, events int, now int64) (wait time.Duration) {
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

// giveBack removes events of the key that were counted in a slot.
func (w *Window[K]) giveBack(key Key, events int, slot int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.burst(key, slot); b != nil {
		b.events -= events
		b.untold -= events
		w.untold.note(key)
	}
}

// burst returns the events of a key in a slot, nil if they are not kept.
func (w *Window[K]) burst(key Key, slot int64) *burst {
	bursts := w.keys[key]
	for i := len(bursts) - 1; i >= 0; i-- {
		if w.slot(bursts[i].last) == slot {
			return &bursts[i]
		}
	}
	return nil
}

// hold stores the bursts of a key, in the place of others, and counts what they take.
func (w *Window[K]) hold(key Key, before, bursts []burst) {
	if cap(bursts) < cap(before) {
		bursts = slices.Clone(bursts) // without those that are over
	}
	w.size += w.bytes(bursts) - w.bytes(before)
	w.keys[key] = bursts
}

// bytes is how much memory a key takes.
func (w *Window[K]) bytes(bursts []burst) int {
	if bursts == nil {
		return 0
	}
	return churned(unsafe.Sizeof(Key{})+unsafe.Sizeof(bursts)) + cap(bursts)*int(unsafe.Sizeof(burst{}))
}

// makeRoom drops keys while all take more than the bound: of those that come by the
// idle ones, which changes nothing, and otherwise one that has its whole limit again
// then. The new key stays.
func (w *Window[K]) makeRoom(added Key, now int64) {
	for w.size > w.bound && len(w.keys) > 1 {
		seen, dropped := 0, false
		var busy Key
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

func (w *Window[K]) drop(key Key) {
	w.size -= w.bytes(w.keys[key])
	delete(w.keys, key)
}

// recent returns the bursts that are not over for a period yet, as a part of those.
func (w *Window[K]) recent(bursts []burst, now int64) []burst {
	for len(bursts) > 0 &&
		(bursts[0].last <= now-int64(w.period) || bursts[0].events == 0 && bursts[0].untold == 0) {
		bursts = bursts[1:]
	}
	return bursts
}

func (w *Window[K]) share(secret []byte) { w.untold.begin(secret) }

func (w *Window[K]) tell(pass func(Count)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key := range w.untold.keys {
		settled := true
		for _, b := range w.keys[key] {
			if b.untold == 0 {
				continue
			}
			settled = false
			slot := w.slot(b.last)
			pass(Count{Key: string(key[:]), Slot: slot, Events: int64(b.untold),
				Ends: time.Unix(0, (slot+1)*w.width()).Add(w.period)})
		}
		if settled {
			delete(w.untold.keys, key)
		}
	}
}

func (w *Window[K]) told(c Count) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.burst(Key([]byte(c.Key)), c.Slot); b != nil {
		b.untold -= int(c.Events)
	}
}

// learn takes the events of all processes in a slot. When the last of those of others was is not known: at the latest
// at the end of the slot, and not after now.
func (w *Window[K]) learn(c Count) {
	if len(c.Key) != len(Key{}) {
		return
	}
	key := Key([]byte(c.Key))
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now().UnixNano()
	last := max(c.Slot*w.width(), min((c.Slot+1)*w.width()-1, now))
	if b := w.burst(key, c.Slot); b != nil {
		if events := int(c.Events) + b.untold; events != b.events {
			b.events, b.last = events, max(b.last, last)
		}
		return
	}
	held := w.keys[key]
	bursts := w.recent(held, now)
	if c.Events <= 0 || last <= now-int64(w.period) {
		return
	}
	at := len(bursts)
	for at > 0 && bursts[at-1].last > last {
		at--
	}
	// A copy: the burst may not be written over those that are over.
	bursts = slices.Insert(slices.Clone(bursts), at, burst{last: last, events: int(c.Events)})
	w.hold(key, held, bursts)
	w.makeRoom(key, now)
}
