package store

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/health"
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
