package front

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// ErrCrowded is the error of a request for which there was no place in time; see [Room].
var ErrCrowded = errors.New("too many requests are being answered")

// RetryCrowded is the header Retry-After of an answer to ErrCrowded. The door sets it.
const RetryCrowded = time.Second

// How long a request waits for a place. A burst may wait until it is over. When requests have been waiting without a
// pause for standingAfter, more come than can be answered, and to wait longer would only make every answer late.
const (
	burstPatience    = 500 * time.Millisecond
	standingAfter    = 100 * time.Millisecond
	standingPatience = 20 * time.Millisecond
)

// placesPerProcessor is how many requests are worked on at once for each processor: enough that some may wait for the
// disk or the database, and few enough that none takes much longer than alone.
const placesPerProcessor = 16

// LimitWork bounds how many requests are worked on at once; those that come on top wait a moment, and get 503 if there
// is no place by then. Probes need none. Who waits for a reader or for another server has none ([Request.Leave]). Call
// it before the door serves.
func (d *Door) LimitWork() {
	d.crowd = newCrowd(placesPerProcessor*max(2, runtime.GOMAXPROCS(0)), d.deployment.Now)
}

// runnablePerProcessor is how many goroutines for each processor may be ready to run and wait for it before requests
// are refused: what one of them takes, times their number, is how long each of them waits. It is no matter of time, so
// that a machine that is busy with something else is not taken for one to which too many requests come.
const runnablePerProcessor = 24

// standingPerProcessor is how many may be for longer than standingAfter: a burst has more for a moment. Once requests
// are refused no more may be, until none was refused for as long as those who come again wait (RetryCrowded).
const standingPerProcessor = 8

// spared is of how many requests one is accepted however many wait for a processor: who ignores Retry-After and comes
// back at once would otherwise keep the queue as long as it is, and everybody out.
const spared = 4

// refusalsPerProcessor is how many refused requests are answered a second for each processor. A caller that comes back
// at once gets its next refusal that much later, and the processors are left to the requests that are accepted. Without
// it most of their time went into refusals, and each step of an accepted request waited behind those.
const refusalsPerProcessor = 500

// crowd bounds how many requests are worked on at once, so that what is accepted is answered soon however many come.
// Work that waits for a processor and work that waits for a disk or a database are bounded each by its own queue.
// Who waits is served in the order of arrival. When too many come the last is served first: it is answered in time,
// and the one who has waited longest is given up, which somebody has to be. A nil crowd has a place for everybody.
type crowd struct {
	now          func() time.Time
	burst, brief time.Duration // see burstPatience and standingPatience

	runnable func() int // goroutines that wait for a processor
	most     int        // of them, before requests are refused at once
	standing int        // of them, before requests are refused when there have been more for a while
	came     atomic.Uint64
	long     atomic.Bool // there were too many when it was looked last

	mu      sync.Mutex
	more    time.Time // since when there have been more than standing; zero if there are not
	tooMany time.Time // when there were too many last
	free    int
	waiting []chan struct{} // closed for who has a place; by arrival
	since   time.Time       // when somebody began to wait and others have ever since; only with waiting

	every   time.Duration // between refusals; see refusalsPerProcessor
	refusal time.Time     // when the last one was due, or will be
}

func newCrowd(places int, now func() time.Time) *crowd {
	return &crowd{
		now:      now,
		burst:    burstPatience,
		brief:    standingPatience,
		runnable: runnable,
		most:     places / placesPerProcessor * runnablePerProcessor,
		standing: places / placesPerProcessor * standingPerProcessor,
		free:     places,
		every:    time.Second * placesPerProcessor / time.Duration(places*refusalsPerProcessor),
	}
}

// runnable returns how many goroutines wait for a processor. It takes less than a microsecond.
func runnable() int {
	sample := [1]metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}
	metrics.Read(sample[:])
	return int(sample[0].Value.Uint64())
}

// late reports whether a request would wait too long for a processor.
func (c *crowd) late() bool {
	spare := c.came.Add(1)%spared == 0
	if spare || c.long.Load() {
		c.long.Store(c.tooLong(c.runnable()))
	}
	return !spare && c.long.Load()
}

// tooLong reports whether requests are refused while so many goroutines wait for a processor.
func (c *crowd) tooLong(waiting int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if waiting <= c.standing {
		c.more = time.Time{}
		return false
	}
	now := c.now()
	if c.more.IsZero() {
		c.more = now
	}
	refusedLately := now.Sub(c.tooMany).Abs() <= RetryCrowded
	if waiting <= c.most && now.Sub(c.more) <= standingAfter && !refusedLately {
		return false
	}
	c.tooMany = now
	return true
}

// enter takes a place and returns the function that gives it back, nil if there is none in time. Another call of that
// function does nothing.
func (c *crowd) enter() (leave func()) {
	if c == nil {
		return func() {}
	}
	if c.late() {
		return nil
	}
	c.mu.Lock()
	if c.free > 0 {
		c.free--
		c.mu.Unlock()
		return sync.OnceFunc(c.leave)
	}
	if len(c.waiting) == 0 {
		c.since = c.now()
	}
	patience := c.burst
	if c.tooManyCome() {
		patience = c.brief
	}
	turn := make(chan struct{})
	c.waiting = append(c.waiting, turn)
	c.mu.Unlock()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-turn:
		return sync.OnceFunc(c.leave)
	case <-late.C:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, other := range c.waiting {
		if other == turn {
			c.waiting = append(c.waiting[:i], c.waiting[i+1:]...)
			return nil
		}
	}
	return sync.OnceFunc(c.leave) // it got a place at the same moment
}

// turnOfRefusal returns how long the next refusal has to wait: nothing as a rule, and RetryCrowded at most.
func (c *crowd) turnOfRefusal() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	next := c.refusal.Add(c.every)
	if next.Before(now) || next.After(now.Add(2*RetryCrowded)) { // the latter: the clock was set back
		next = now
	}
	if next.Before(now.Add(RetryCrowded)) {
		c.refusal = next
	}
	return c.refusal.Sub(now)
}

// tooManyCome reports whether requests have been waiting for a place without a pause. C is locked.
func (c *crowd) tooManyCome() bool { return len(c.waiting) > 0 && c.now().Sub(c.since) > standingAfter }

// leave hands a place on.
func (c *crowd) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		c.free++
		return
	}
	next, last := 0, len(c.waiting)-1
	if c.tooManyCome() {
		next = last
	}
	close(c.waiting[next])
	c.waiting = append(c.waiting[:next], c.waiting[next+1:]...)
}

// Leave gives back the place of a request among those that are worked on, since from now on it waits: for a server
// of somebody else, for its turn, or for its reader. Another call does nothing.
func (r *Request) Leave() {
	if r.leave != nil {
		r.leave()
	}
}
