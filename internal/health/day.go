package health

import "time"

// The last day of each part is kept in steps of half an hour, the present one included.
const (
	Step  = 30 * time.Minute
	Steps = 48
)

// Parts are those of which the last day is kept.
var Parts = []Part{Database, Events, Writes, Disk, Clock, ReadModel, Imports, Facilitator, Load, Log, Mode}

// Day is what became of a part in the last day, as far as this process has seen it.
type Day struct {
	Part    Part
	Works   bool          // it does now
	Failing time.Duration // so long it did not work, all in all
	Count   int           // so often it began not to work, or something of it failed
	Last    time.Time     // when it last did not work, or something of it failed; zero if nothing did
	Steps   []StepOfDay   // those in which something failed, the oldest first
}

// StepOfDay is what failed within a [Step].
type StepOfDay struct {
	Start   time.Time
	Failing time.Duration
	Count   int
}

// LastDay returns the last day of each of [Parts], and the moment from which on it is known: the beginning of the
// oldest step, or when the board was made. It is empty on nil.
func (b *Board) LastDay() (since time.Time, parts []Day) {
	if b == nil {
		return time.Time{}, nil
	}
	now := b.now().Round(0)
	b.mu.Lock()
	defer b.mu.Unlock()
	if since = now.Truncate(Step).Add(-(Steps - 1) * Step); since.Before(b.made) {
		since = b.made
	}
	for _, part := range Parts {
		d := day{}
		if kept := b.days[part]; kept != nil {
			d = *kept
		}
		parts = append(parts, d.of(part, now))
	}
	return since, parts
}

// Note records for the last day alone that something failed n times: the status has its state from elsewhere, or any
// stranger can cause it.
func (b *Board) Note(part Part, n int) {
	if b == nil || n <= 0 {
		return
	}
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.day(part).count(now, n)
}

// Mark records for the last day alone whether a part works.
func (b *Board) Mark(part Part, works bool) {
	if b == nil {
		return
	}
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.day(part).mark(now, works)
}

// day returns the last day of a part. B is locked.
func (b *Board) day(part Part) *day {
	d := b.days[part]
	if d == nil {
		d = &day{}
		b.days[part] = d
	}
	return d
}

// day is a ring of steps: a kilobyte and a half.
type day struct {
	since time.Time // when it began not to work; zero while it works
	last  time.Time
	steps [Steps]struct {
		number  int64 // of the step, since 1970
		failing time.Duration
		count   int
	}
}

func number(at time.Time) int64 { return at.Unix() / int64(Step/time.Second) }

// count adds failures to the step of a moment.
func (d *day) count(at time.Time, n int) {
	d.last = at.Round(0)
	d.at(d.last, 0, n)
}

// mark notes whether the part works from a moment on.
func (d *day) mark(at time.Time, works bool) {
	at = at.Round(0) // steps are those of the clock, which may have been set
	switch {
	case works && !d.since.IsZero():
		d.end(at)
		d.since = time.Time{}
	case !works && d.since.IsZero():
		d.since = at
		d.count(at, 1)
	}
}

// end adds what has failed up to a moment.
func (d *day) end(at time.Time) {
	from := d.since
	if oldest := at.Add(-Steps * Step); from.Before(oldest) {
		from = oldest
	}
	for from.Before(at) {
		to := from.Truncate(Step).Add(Step)
		if to.After(at) {
			to = at
		}
		d.at(from, to.Sub(from), 0)
		from = to
	}
	d.last = at
}

func (d *day) at(at time.Time, failing time.Duration, n int) {
	step := &d.steps[(number(at)%Steps+Steps)%Steps]
	if this := number(at); step.number != this {
		step.number, step.failing, step.count = this, 0, 0
	}
	step.failing += failing
	step.count += n
}

// of returns the day that ends at a moment. D is a copy.
func (d day) of(part Part, now time.Time) Day {
	is := Day{Part: part, Works: d.since.IsZero()}
	if !is.Works {
		d.end(now)
	}
	for n := number(now) - Steps + 1; n <= number(now); n++ {
		if step := d.steps[(n%Steps+Steps)%Steps]; step.number == n && (step.failing > 0 || step.count > 0) {
			is.Failing += step.failing
			is.Count += step.count
			start := time.Unix(n*int64(Step/time.Second), 0).UTC()
			is.Steps = append(is.Steps, StepOfDay{Start: start, Failing: step.failing, Count: step.count})
		}
	}
	if len(is.Steps) > 0 {
		is.Last = d.last
	}
	return is
}
