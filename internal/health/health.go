// Package health collects what fails, so that the status of the service can say so. Each part reports to one [Board].
package health

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Part is a part of the service that can fail.
type Part string

// The parts that report.
const (
	Database Part = "database" // the file: missing, replaced, overwritten, damaged
	Events   Part = "events"   // the log of changes, which memory follows
	Clock    Part = "clock"    // the time that is stored
	Writes   Part = "writes"   // transactions that failed
	Disk     Part = "disk"     // free space for the database
	Log      Part = "log"      // lines that were dropped
	Mode     Part = "mode"     // what the operator has switched off
	Load     Part = "load"     // connections, bodies and requests that were refused because there were too many

	// Only the last day of these is kept here: [Board.Note], [Board.Mark].
	ReadModel   Part = "readModel"   // whether answers come from memory
	Imports     Part = "import"      // of lists
	Facilitator Part = "facilitator" // whether payments can be carried out
)

// Reason is a class of failures of one part, in a word or two; never the text of a caller. "" means that it works.
type Reason string

// The reasons; [words] says what each means.
const (
	Missing     Reason = "missing" // of the database
	Replaced    Reason = "replaced"
	Overwritten Reason = "overwritten"
	LogMissing  Reason = "log missing"
	LogReplaced Reason = "log replaced"
	OutOfReach  Reason = "out of reach"
	Unreachable Reason = "unreachable" // the database server, the facilitator
	Exchanged   Reason = "exchanged"   // for another database on it

	Unread Reason = "unread" // of the log of changes
	Stale  Reason = "stale"  // of what is in memory

	Behind      Reason = "behind" // of the clock
	Ahead       Reason = "ahead"
	JumpedAhead Reason = "jumped ahead"
	JumpedBack  Reason = "jumped back"

	Refused  Reason = "refused" // of writes
	Full     Reason = "full"
	Busy     Reason = "busy"
	Lost     Reason = "lost" // the connection
	IO       Reason = "io"
	ReadOnly Reason = "read-only"
	Corrupt  Reason = "corrupt"
	Other    Reason = "other"

	Halted      Reason = "read-only"   // of the mode
	Low         Reason = "low"         // of the disk
	Dropped     Reason = "dropped"     // of the log
	Connections Reason = "connections" // of the load
	Bodies      Reason = "bodies"      // of the load
	Overload    Reason = "overload"    // requests, of the load
	Rate        Reason = "rate"        // requests of one network, of the load
)

// Trouble is one failure: it lasts until it is cleared, or is counted each time that it happens.
type Trouble struct {
	Part    Part
	Reason  Reason
	Lasting bool      // it goes on until it is cleared
	Since   time.Time // when it began, or first happened
	Last    time.Time // when it last happened
	Count   int       // how often it happened; 1 for what lasts
	Over    bool      // the part has worked since; see [Board.Works]
}

// recent is how long a failure is shown after it last happened.
const recent = 10 * time.Minute

// maxTroubles bounds the memory: reasons are classes, so there are few.
const maxTroubles = 100

// Board holds the failures of one process. Its methods may be called from any goroutine, and on nil, which keeps
// nothing.
type Board struct {
	now    func() time.Time
	notify func(t Trouble, begun bool)

	made time.Time

	mu    sync.Mutex
	known map[key]*Trouble

	histories map[Part]*history
}

type key struct {
	part   Part
	reason Reason
}

// New returns a board with a clock. Notify, if not nil, is called once when a lasting failure begins and once when it
// ends, and when a read first finds the database damaged, or for the first time in ten minutes.
func New(now func() time.Time, notify func(t Trouble, begun bool)) *Board {
	return &Board{now: now, notify: notify, made: now().Round(0), known: map[key]*Trouble{},
		histories: map[Part]*history{}}
}

// Count records that something failed n times. It reports whether it is the first time in ten minutes.
func (b *Board) Count(part Part, reason Reason, n int) (first bool) {
	if b == nil || n <= 0 {
		return false
	}
	now := b.now()
	if first = b.add(now, part, reason, n); first && told(part, reason) && b.notify != nil {
		b.notify(Trouble{Part: part, Reason: reason, Since: now, Last: now, Count: n}, true)
	}
	return first
}

// told reports whether the first of several failures is told, with what to do: that reads or writes failed. Of writes
// that are refused, what does not work is told.
func told(part Part, reason Reason) bool {
	return part == Database || part == Writes && reason != Refused
}

// add counts failures. It reports whether they are the first in ten minutes.
func (b *Board) add(now time.Time, part Part, reason Reason, n int) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.history(part).count(now, n)
	k := key{part, reason}
	t := b.known[k]
	if t == nil || now.Sub(t.Last) > recent {
		if t == nil && len(b.known) >= maxTroubles {
			return false
		}
		t = &Trouble{Part: part, Reason: reason, Since: now}
		b.known[k] = t
		first = true
	}
	t.Last, t.Over = now, false
	t.Count += n
	return first
}

// Works records that a part works, after failures that were counted.
func (b *Board) Works(part Part) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for k, t := range b.known {
		if k.part == part && !t.stays() {
			t.Over = true
		}
	}
}

// stays reports whether a trouble goes on though nobody counts it: a database does not become sound by itself.
func (t *Trouble) stays() bool { return t.Lasting || t.Reason == Corrupt }

// Set records why a part does not work, until Set is called with another reason; "" means that it works.
func (b *Board) Set(part Part, reason Reason) {
	if b == nil {
		return
	}
	now := b.now()
	var changes []Trouble
	b.mu.Lock()
	b.history(part).mark(now, reason == "")
	for k, t := range b.known {
		if t.Lasting && k.part == part && k.reason != reason {
			delete(b.known, k)
			changes = append(changes, *t)
		}
	}
	ended := len(changes)
	if refused := b.known[key{Writes, Refused}]; ended > 0 && refused != nil && (part == Database || part == Clock) {
		refused.Over = true // for the reason that has ended; another one is counted anew
	}
	if k := (key{part, reason}); reason != "" && b.known[k] == nil {
		t := &Trouble{Part: part, Reason: reason, Lasting: true, Since: now, Last: now, Count: 1}
		b.known[k] = t
		changes = append(changes, *t)
	}
	b.mu.Unlock()
	if b.notify == nil {
		return
	}
	for i, t := range changes {
		b.notify(t, i >= ended)
	}
}

// Troubles returns what lasts, and what failed in the last ten minutes, by part and reason. That the database is
// damaged is among them until the process ends.
func (b *Board) Troubles() (found []Trouble) {
	if b == nil {
		return nil
	}
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	for k, t := range b.known {
		if age := now.Sub(t.Last); t.stays() || age <= recent && age >= -recent {
			found = append(found, *t)
		} else {
			delete(b.known, k)
		}
	}
	slices.SortFunc(found, func(a, c Trouble) int {
		return cmp.Or(cmp.Compare(a.Part, c.Part), cmp.Compare(a.Reason, c.Reason))
	})
	return found
}
