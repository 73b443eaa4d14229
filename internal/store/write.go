package store

import (
	"context"
	"errors"
	"time"
)

// maxBatch is how many writes share a commit at most.
const maxBatch = 128

// job is one write that waits for its commit.
type job struct {
	ctx     context.Context
	durable bool
	do      func(ctx context.Context, s *session) error
	done    chan error
}

var errClosed = errors.New("the database is closed")

// write runs do in a transaction and returns when it is committed: on disk if
// durable, otherwise handed to the operating system, which survives the death
// of the process but not of the machine.
//
// Whoever waits while a commit is under way shares the next one: under load a
// commit costs each of them little. A batch in which one write fails is rolled
// back and its writes run again one by one, so do may run twice: it must leave
// nothing behind outside the database but its results.
func (db *DB) write(ctx context.Context, durable bool, do func(ctx context.Context, s *session) error) error {
	j := &job{ctx, durable, do, make(chan error, 1)}
	select {
	case db.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	}
	// From here on the write may happen, so its end is awaited, come what may.
	return <-j.done
}

// runWriter commits what write queues, until the context ends and the queue is empty.
func (db *DB) runWriter(ctx context.Context, s *session) {
	background := context.WithoutCancel(ctx)
	for {
		var first *job
		select {
		case first = <-db.jobs:
		case <-ctx.Done():
			for {
				select {
				case j := <-db.jobs:
					j.done <- errClosed
				default:
					s.close()
					return
				}
			}
		}
		batch := append(make([]*job, 0, maxBatch), first)
	fill:
		for len(batch) < maxBatch {
			select {
			case j := <-db.jobs:
				batch = append(batch, j)
			default:
				break fill
			}
		}
		if err := commit(background, s, batch); err == nil {
			finish(batch, nil)
		} else if len(batch) == 1 {
			finish(batch, err)
		} else {
			for _, j := range batch {
				finish([]*job{j}, commit(background, s, []*job{j}))
			}
		}
	}
}

func commit(ctx context.Context, s *session, batch []*job) error {
	durable := false
	for _, j := range batch {
		durable = durable || j.durable
	}
	if err := s.durable(ctx, durable); err != nil {
		return err
	}
	return s.transact(ctx, "BEGIN IMMEDIATE", func() error {
		for _, j := range batch {
			if err := j.ctx.Err(); err != nil {
				return err // its caller has gone before it began
			}
			if err := j.do(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

func finish(batch []*job, err error) {
	for _, j := range batch {
		j.done <- err
	}
}

// followEvents empties the caches when another process has changed evidence.
func (db *DB) followEvents(ctx context.Context) {
	tick := time.NewTicker(follow)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			db.view(ctx, func(s *session) error {
				var seq int64
				if err := s.row(ctx, "SELECT coalesce(max(seq), 0) FROM event", nil, &seq); err != nil {
					return err
				}
				db.dossiers.advance(seq)
				return nil
			})
		}
	}
}
