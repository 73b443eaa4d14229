package store

import (
	"os"
	"sync"
)

// flusher puts what was committed on disk without stopping the writer: a commit
// that need not be on disk at once is followed by a flush of the log, which
// others who wait for one share.
type flusher struct {
	log *os.File // the write-ahead log

	mu      sync.Mutex
	next    *flush // whoever comes now joins it
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
func (db *DB) flush() *flush {
	f := &db.flusher
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
