package limits

import (
	"math"
	"net/netip"
	"sync"
	"testing"
	"time"
)

func TestALimitOfADayEndsAtMidnight(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 23, 59, 0, 0, time.UTC)}
	p := NewPerDay[string](2, c.now)
	take := func(key string) time.Duration {
		wait, undo := p.Take(key)
		if (undo == nil) != (wait > 0) {
			t.Errorf("%s: it waits %v, undo %t", key, wait, undo != nil)
		}
		return wait
	}
	for i, want := range []time.Duration{0, 0, time.Minute, time.Minute} {
		if wait := take("a"); wait != want {
			t.Errorf("event %d waits %v, not %v", i+1, wait, want)
		}
	}
	if wait := take("b"); wait != 0 {
		t.Errorf("another key waits %v", wait)
	}
	_, undo := p.Take("b")
	c.at = c.at.Add(time.Minute)
	undo() // an event of the day before
	for i, want := range []time.Duration{0, 0, 24 * time.Hour} {
		if wait := take("b"); wait != want {
			t.Errorf("the next day: event %d waits %v, not %v", i+1, wait, want)
		}
	}
	if p.Limit() != 2 {
		t.Errorf("limit %d", p.Limit())
	}
}

func TestAnEventOfADayCanBeTakenBack(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	p := NewPerDay[string](50, c.now)
	var all sync.WaitGroup
	for range 100 { // each is taken back, or there would be too few
		all.Go(func() {
			if _, undo := p.Take("a"); undo != nil {
				undo()
			}
		})
	}
	all.Wait()
	for i := range 50 {
		if wait, _ := p.Take("a"); wait > 0 {
			t.Fatalf("event %d waits", i+1)
		}
	}
	if wait, undo := p.Take("a"); wait != 12*time.Hour || undo != nil {
		t.Errorf("one too many waits %v", wait)
	}
}

func TestNoLimitOfADayAdmitsEverything(t *testing.T) {
	p := NewPerDay[string](0, nil)
	for range 1000 {
		if wait, undo := p.Take("a"); wait > 0 {
			t.Fatal(wait)
		} else {
			undo()
		}
	}
	if p.Limit() != 0 {
		t.Error(p.Limit())
	}
}

func TestWhatIsLeftOfADayIsWholeAgainAtMidnight(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 23, 59, 0, 0, time.UTC)}
	p := NewPerDay[string](2, c.now)
	left := func(about string, key string, want int) {
		t.Helper()
		if got := p.Left(key); got != want {
			t.Errorf("%s: %d are left, not %d", about, got, want)
		}
	}
	left("before all", "a", 2)
	p.Take("a")
	left("after one", "a", 1)
	_, undo := p.Take("a")
	left("after two", "a", 0)
	left("of another", "b", 2)
	undo()
	left("given back", "a", 1)
	_, undo = p.Take("a")
	c.at = c.at.Add(time.Minute)
	left("the next day", "a", 2)
	p.Take("a")
	undo()
	left("after one of the day before was given back", "a", 1)
	p = NewPerDay[string](0, c.now)
	left("without a limit", "a", math.MaxInt)
}

// TestTheCountsOfADayLeaveTheirRoomToTheNextDay, or with the days ever more keys would be forgotten, and have their
// limit again.
func TestTheCountsOfADayLeaveTheirRoomToTheNextDay(t *testing.T) {
	c := newClock()
	p := NewPerDay[netip.Prefix](1, c.now)
	p.bound = 3 * bytesOfCount
	for day := range 3 {
		for i := range 6 { // each of three keys twice
			if _, undo := p.Take(network(i % 3)); (undo == nil) != (i >= 3) {
				t.Errorf("day %d, event %d: admitted %t", day, i, undo != nil)
			}
		}
		c.advance(24 * time.Hour)
	}
}
