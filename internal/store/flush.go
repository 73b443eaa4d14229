package store

import "sync"

// flusher puts what was committed on disk without stopping the writer: a commit
// that need not be on disk at once is followed by a flush, which others who wait
// for one share.
type flusher struct {
	sync func() error // puts all that is committed by now on disk

	mu      sync.Mutex
	next    *flush // callers that come now join it
	running bool
}

// flush is one writing to disk.
type flush struct {
	done chan struct{}
	err  error // final once done is closed
}

// wait returns when what was committed before the flush was asked for is on disk.
func (f *flush) wait() error {
	<-f.done
	return f.err
}

// begin begins a flush, or joins the one that begins next.
func (f *flusher) begin() *flush {
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
		now.err = f.sync()
		close(now.done)
	}
}
