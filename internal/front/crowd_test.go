package front

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// TestWhoWaitsIsServedInOrderUntilTooManyCome: then the last is served first, and nobody waits for long.
func TestWhoWaitsIsServedInOrderUntilTooManyCome(t *testing.T) {
	passed := time.Duration(0)
	c := newCrowd(2, func() time.Time { return time.Unix(0, 0).Add(passed) })
	c.burst, c.brief = time.Hour, time.Hour
	one, two := c.enter(), c.enter()
	served := make(chan string)
	leaves := make(chan func(), 10)
	wait := func(names ...string) {
		for _, name := range names {
			before := waiters(c)
			go func() {
				leaves <- c.enter()
				served <- name
			}()
			for waiters(c) == before {
				time.Sleep(time.Millisecond)
			}
		}
	}
	wait("a", "b", "c", "d")
	one()
	one() // does nothing
	first := <-served
	passed = standingAfter + 1
	two()
	last := <-served
	(<-leaves)()
	next := <-served
	if got := fmt.Sprint(first, last, next); got != "adc" {
		t.Errorf("served: %s", got)
	}
	c.mu.Lock()
	c.brief = 0
	c.mu.Unlock()
	if c.enter() != nil {
		t.Error("one waits longer though too many come")
	}
	(<-leaves)()
	if got := <-served; got != "b" || waiters(c) > 0 {
		t.Errorf("the last is %s, and %d wait", got, waiters(c))
	}
	(<-leaves)()
	(<-leaves)()
	if c.free != 2 {
		t.Errorf("%d places are free", c.free)
	}
	if again, all := c.enter(), (*crowd)(nil).enter(); again == nil || all == nil {
		t.Error("there is no place though all are free")
	}
}

func waiters(c *crowd) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

// TestARequestWithoutAPlaceIsRefused, at once here. Who writes, or waits for others, has no place any more.
func TestARequestWithoutAPlaceIsRefused(t *testing.T) {
	var s *service
	var free []int
	s = open(func(w http.ResponseWriter, r *http.Request) {
		free = append(free, s.crowd.free)
		if r.URL.Path == "/away" {
			Of(r.Context()).Leave()
		} else {
			w.Write([]byte("a part"))
		}
		free = append(free, s.crowd.free)
	}, nothing)
	meter := new(tally)
	s.Door.meter, s.Door.deployment.Meter = meter, meter
	s.HandleProbe("GET /healthz", &room{Handler: http.HandlerFunc(nothing)})
	s.LimitWork()
	s.crowd.free, s.crowd.burst = 1, 0
	s.get("/")
	s.get("/away")
	if !slices.Equal(free, []int{0, 1, 0, 1}) || s.crowd.free != 1 {
		t.Errorf("free places: %v, %d at the end", free, s.crowd.free)
	}
	s.crowd.free = 0
	w := s.get("/")
	if len(s.site.errors) != 1 || s.site.errors[0] != ErrCrowded || w.Header().Get("Retry-After") != "1" ||
		!slices.Contains(meter.lines, "refused overload") {
		t.Errorf("%v, %v, %v", s.site.errors, w.Header(), meter.lines)
	}
	if probe := s.get("/healthz"); probe.Code != http.StatusOK {
		t.Errorf("a probe: %d", probe.Code)
	}
}

// TestThreeOfFourAreRefusedWhileTooMuchWaitsForAProcessor, and none of them once it does not. What waits may be more
// for a tenth of a second, unless requests were refused within the last second.
func TestThreeOfFourAreRefusedWhileTooMuchWaitsForAProcessor(t *testing.T) {
	passed, queue := time.Duration(0), 0
	c := newCrowd(2*placesPerProcessor, func() time.Time { return time.Unix(0, 0).Add(passed) })
	c.runnable = func() int { return queue }
	for _, step := range []struct {
		at             time.Duration
		queue, accepts int // of 40
	}{
		{0, 48, 40}, // a burst
		{100 * time.Millisecond, 48, 40},
		{100 * time.Millisecond, 49, 10},
		{200 * time.Millisecond, 16, 40},
		{300 * time.Millisecond, 17, 10}, // soon after one that was too long
		{1300 * time.Millisecond, 17, 10},
		{1301 * time.Millisecond, 16, 40},
		{2301 * time.Millisecond, 17, 40}, // more than a second after it
		{2401 * time.Millisecond, 17, 40},
		{2402 * time.Millisecond, 17, 10}, // without a pause
		{2403 * time.Millisecond, 0, 40},
		{9 * time.Second, 17, 40},
		{9050 * time.Millisecond, 16, 40}, // a pause
		{9101 * time.Millisecond, 17, 40},
		{9301 * time.Millisecond, 17, 10},
	} {
		passed, queue = step.at, step.queue
		accepted := 0
		for i := range spared + 40 {
			leave := c.enter()
			if leave != nil {
				leave()
			}
			if leave != nil && i >= spared { // by then it was looked at again
				accepted++
			}
		}
		if accepted != step.accepts {
			t.Errorf("after %v with %d in line: %d of 40 accepted, want %d", step.at, step.queue, accepted, step.accepts)
		}
	}
	if n := runnable(); n < 0 || n > 100_000 {
		t.Errorf("%d goroutines are runnable", n)
	}
}

// TestRefusalsArePaced: 500 a second for each processor, at once while there are fewer, and none later than the header
// Retry-After says.
func TestRefusalsArePaced(t *testing.T) {
	passed := time.Duration(0)
	c := newCrowd(2*placesPerProcessor, func() time.Time { return time.Unix(0, 0).Add(passed) })
	for i, want := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond} {
		if got := c.turnOfRefusal(); got != want {
			t.Errorf("refusal %d waits %v, want %v", i, got, want)
		}
	}
	passed = 2500 * time.Microsecond
	if got := c.turnOfRefusal(); got != 500*time.Microsecond {
		t.Errorf("2.5 ms later the next one waits %v", got)
	}
	passed = 3200 * time.Microsecond
	if got := c.turnOfRefusal(); got != 800*time.Microsecond {
		t.Errorf("one that comes after the turn of the last one waits %v", got)
	}
	passed = time.Minute
	if got := c.turnOfRefusal(); got != 0 {
		t.Errorf("after a quiet minute a refusal waits %v", got)
	}
	passed = 0
	if got := c.turnOfRefusal(); got != 0 {
		t.Errorf("after the clock was set back a refusal waits %v", got)
	}
	for range 10_000 {
		if got := c.turnOfRefusal(); got > RetryCrowded {
			t.Fatalf("a refusal waits %v", got)
		}
	}
}
