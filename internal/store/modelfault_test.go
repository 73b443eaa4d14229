package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/readmodel"
)

// refusing is a database that refuses one connection.
type refusing struct {
	dialect
	refused atomic.Bool
}

var errRefused = errors.New("refused")

func (r *refusing) connect(ctx context.Context) (*conn, error) {
	if !r.refused.Swap(true) {
		return nil, errRefused
	}
	return r.dialect.connect(ctx)
}

// TestALoadThatFailsEndsAtOnce: what the other loader could still read would be thrown away.
func TestALoadThatFailsEndsAtOnce(t *testing.T) {
	s := fresh(t)
	do(t, s.write(t.Context(), evidence, false, func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, "INSERT INTO subject (id, kind, value) VALUES (1000000000000, 'dns', 'far.example')")
		return err
	}))
	db := &DB{dialect: &refusing{dialect: s.dialect}, readers: s.readers, closed: s.closed}
	db.model.bound = 1 << 30
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // to read all parts would take hours
	defer cancel()
	if _, err := db.loadModel(ctx); !errors.Is(err, errRefused) || ctx.Err() != nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
}

// TestWhatCannotBeReadAgainIsReported, when it goes on.
func TestWhatCannotBeReadAgainIsReported(t *testing.T) {
	r, change := servingModel(t)
	trouble := func() (found health.Trouble) {
		for _, t := range r.board.Troubles() {
			if t.Part == health.Events {
				found = t
			}
		}
		return found
	}
	change("ALTER TABLE listing RENAME COLUMN program TO lost")
	do(t, r.file(t, "Filed"))
	eventually(t, "the board shows it", func() bool { return trouble().Reason == health.Stale })
	change("ALTER TABLE listing RENAME COLUMN lost TO program")
	upToDate(t, r.DB)
	eventually(t, "the board shows that it works", func() bool { return trouble().Over })
}

// TestTheAgeOfTheLogNeedsNoClockOfTheSystem that counts suspension: where there is none, the process has its own.
func TestTheAgeOfTheLogNeedsNoClockOfTheSystem(t *testing.T) {
	db := &DB{now: time.Now, monotonic: monotonicClock(Options{})}
	db.logRead(db.monotonic(), time.Now().Add(-2*maxLag))
	time.Sleep(time.Millisecond)
	if lag := db.lag(); lag < time.Millisecond {
		t.Errorf("the log was read %v ago", lag)
	}
	db.logRead(db.monotonic()-2*maxLag, time.Now().Add(-2*maxLag))
	var fault *Outage
	if err := db.current(); !errors.As(err, &fault) || fault.Reason != health.Unread {
		t.Errorf("it answers: %v", err)
	}
	if _, err := db.AboutAll(t.Context(), nil); !errors.As(err, &fault) {
		t.Errorf("it answers many at once: %v", err)
	}
	// The clock was set back while the process was suspended, which its own clock leaves out.
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	db.now = func() time.Time { return now.Add(-time.Hour) }
	if db.logRead(db.monotonic()-2*maxLag, now); db.lag() < 2*maxLag {
		t.Errorf("with a clock that was set back the log was read %v ago", db.lag())
	}
}

// TestWhatHasChangedIsCollectedUpToABound: then all is read again, and what is collected for it is not kept.
func TestWhatHasChangedIsCollectedUpToABound(t *testing.T) {
	collect := func(n newEvents) (m *model, kept int) {
		m = &model{changed: map[tocsin.Subject]int64{}, wake: make(chan struct{}, 1)}
		m.current.Store(readmodel.New())
		for i := range maxChanged {
			m.changed[tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprint(i)}] = 1
		}
		m.follow(n)
		return m, len(m.changed)
	}
	known := []tocsin.Subject{{Kind: tocsin.DNS, Value: "0"}}
	another := []tocsin.Subject{{Kind: tocsin.DNS, Value: "evil.com"}}
	for about, c := range map[string]struct {
		events newEvents
		whole  bool
	}{
		"one that is known": {newEvents{subjects: known}, true},
		"one too many":      {newEvents{subjects: another}, false},
		"all":               {newEvents{all: true}, false},
	} {
		m, kept := collect(c.events)
		equal(t, about, fmt.Sprint(kept > 0, m.current.Load() != nil, !m.again, len(m.wake)),
			fmt.Sprint(c.whole, c.whole, c.whole, 1))
	}
}
