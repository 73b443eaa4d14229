package store

import (
	"context"
	"os"
	"sync"
	"time"
)

// flusher puts what was committed on disk without stopping the writer: a commit
// that need not be on disk at once is followed by a flush of the log, which
// others who wait for one share.
type flusher struct {
	log *os.File // the write-ahead log

	mu      sync.Mutex
	next    *flush // callers that come now join it
	running bool
}

// flush is one writing of the log to disk.
type flush struct {
	done chan struct{}
	err  error // final once done is closed
}

// wait returns when what was committed before the flush was asked for is on disk.
func (f *flush) wait() error {
	<-f.done
	return f.err
}

// flush begins to put all that is committed by now on disk.
func (d *dialect) flush() *flush {
	f := &d.flusher
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		f.next = &flush{done: make(chan struct{})}
	}
	asked := f.next
	if !f.running {
		f.running = true
		go f.run()
	}
	return asked
}

// run flushes until nobody waits.
func (f *flusher) run() {
	for {
		f.mu.Lock()
		now := f.next
		f.next = nil
		f.running = now != nil
		f.mu.Unlock()
		if now == nil {
			return
		}
		now.err = f.log.Sync()
		close(now.done)
	}
}

// openLog opens the write-ahead log, to flush it. It is there as long as the
// database is open, and SQLite keeps no locks on it that closing it would break.
func (d *dialect) openLog(ctx context.Context, s *conn) (err error) {
	var file string // as SQLite sees it, behind all links
	if err := s.row(ctx, "PRAGMA database_list", nil, new(int), new(string), &file); err != nil {
		return err
	}
	d.flusher.log, err = os.OpenFile(file+"-wal", os.O_RDWR, 0)
	return err
}

// checkpointInterval is how often the write-ahead log is moved into the file:
// often enough that each time is short, since the disk serves the writer as well.
const checkpointInterval = 20 * time.Millisecond

// maintain does the housekeeping until closed: it moves what the write-ahead log
// holds into the file, beside the writer rather than in its way: were it left to
// the writer, a filing now and then would wait for it. The writer still does so
// when the log has 16,000 pages, of which most have then been moved.
func (d *dialect) maintain(ctx context.Context, s *conn, closed <-chan struct{}) {
	defer s.close()
	tick := time.NewTicker(checkpointInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if !d.wrote.Swap(false) || d.file.overwritten.Load() {
				continue
			}
			var pages, moved int64 // if it fails now, it will not later
			if s.row(ctx, "PRAGMA wal_checkpoint(PASSIVE)", nil, new(int64), &pages, &moved) == nil && moved < pages {
				d.wrote.Store(true) // a reader still needs the older pages
			}
		case <-closed:
			return
		}
	}
}
