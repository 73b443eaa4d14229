package health

import "time"

// The last day is kept in steps, each of which begins with a half hour of UTC. The present one counts as a whole: the
// last day is 23.5 to 24 hours long.
const (
	Step  = 30 * time.Minute
	Steps = 48
)

// Parts are those of which the last day is kept.
var Parts = []Part{Database, Events, Writes, Disk, Clock, ReadModel, Imports, Facilitator, Load, Log, Mode}

// LastDay is what failed in the last day, as far as this process has seen it.
type LastDay struct {
	Start time.Time // of the oldest step
	Since time.Time // from when on it is known: Start, or when the board was made
	Parts []PartDay // one for each of [Parts], in their order
}

// PartDay is the last day of a part.
type PartDay struct {
	Part    Part
	Works   bool          // now
	Failing time.Duration // for how long it did not work, in total
	Count   int           // how often it stopped working, or something of it failed
	Last    time.Time     // when it last did not work, or something of it failed; zero if nothing did
	Steps   []DayStep     // those in which something failed, the oldest first
}

// DayStep is what failed within a [Step].
type DayStep struct {
	Start   time.Time
	Failing time.Duration
	Count   int
}

// LastDay returns the last day. It is the zero value on nil.
func (b *Board) LastDay() (last LastDay) {
	if b == nil {
		return last
	}
	now := b.now().Round(0)
	b.mu.Lock()
	defer b.mu.Unlock()
	last.Start = now.Truncate(Step).Add(-(Steps - 1) * Step)
	if last.Since = last.Start; b.made.After(last.Start) {
		last.Since = b.made
	}
	for _, part := range Parts {
		var h history
		if kept := b.histories[part]; kept != nil {
			h = *kept
		}
		last.Parts = append(last.Parts, h.lastDay(part, now))
	}
	return last
}

// Note adds n failures of a part to the last day only, for failures that do not belong in [Board.Troubles]: their state
// is known elsewhere, or strangers can cause them.
func (b *Board) Note(part Part, n int) {
	if b == nil || n <= 0 {
		return
	}
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.history(part).count(now, n)
}

// Mark records, for the last day only, whether a part works.
func (b *Board) Mark(part Part, works bool) {
	if b == nil {
		return
	}
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.history(part).mark(now, works)
}

// history returns that of a part. B is locked.
func (b *Board) history(part Part) *history {
	h := b.histories[part]
	if h == nil {
		h = &history{}
		b.histories[part] = h
	}
	return h
}

// history is what became of a part: a ring of the last steps, a kilobyte and a half.
type history struct {
	since time.Time // when it stopped working; zero while it works
	last  time.Time
	steps [Steps]struct {
		number  int64 // of the step, since 1970
		failing time.Duration
		count   int
	}
}

// stepNumber returns the number of the step that a moment is in.
func stepNumber(at time.Time) int64 { return at.Unix() / int64(Step/time.Second) }

// count adds failures to the step of a moment.
func (h *history) count(at time.Time, n int) {
	h.last = at.Round(0)
	h.at(h.last, 0, n)
}

// mark notes whether the part works from a moment on.
func (h *history) mark(at time.Time, works bool) {
	at = at.Round(0) // steps are those of the clock, which may have been set
	switch {
	case works && !h.since.IsZero():
		h.end(at)
		h.since = time.Time{}
	case !works && h.since.IsZero():
		h.since = at
		h.count(at, 1)
	}
}

// end adds what has failed up to a moment.
func (h *history) end(at time.Time) {
	from := h.since
	if oldest := at.Add(-Steps * Step); from.Before(oldest) {
		from = oldest
	}
	for from.Before(at) {
		to := from.Truncate(Step).Add(Step)
		if to.After(at) {
			to = at
		}
		h.at(from, to.Sub(from), 0)
		from = to
	}
	h.last = at
}

// at adds to the step of a moment. The oldest step of the ring gives way to a new one.
func (h *history) at(at time.Time, failing time.Duration, n int) {
	number := stepNumber(at)
	step := &h.steps[(number%Steps+Steps)%Steps]
	if step.number != number {
		step.number, step.failing, step.count = number, 0, 0
	}
	step.failing += failing
	step.count += n
}

// lastDay returns the day that ends at a moment. H is a copy.
func (h history) lastDay(part Part, now time.Time) PartDay {
	d := PartDay{Part: part, Works: h.since.IsZero()}
	if !d.Works {
		h.end(now)
	}
	for n := stepNumber(now) - Steps + 1; n <= stepNumber(now); n++ {
		if step := h.steps[(n%Steps+Steps)%Steps]; step.number == n && (step.failing > 0 || step.count > 0) {
			d.Failing += step.failing
			d.Count += step.count
			start := time.Unix(n*int64(Step/time.Second), 0).UTC()
			d.Steps = append(d.Steps, DayStep{Start: start, Failing: step.failing, Count: step.count})
		}
	}
	if len(d.Steps) > 0 {
		d.Last = h.last
	}
	return d
}
