package store

import (
	"context"
	"os"
	"time"
)

// flush begins to put all that is committed by now on disk.
func (d *sqliteDialect) flush() *flush { return d.flusher.begin() }

// openLog opens the write-ahead log, to flush it. It is there as long as the
// database is open, and SQLite keeps no locks on it that closing it would break.
func (d *sqliteDialect) openLog(ctx context.Context, s *conn) (err error) {
	var file string // as SQLite sees it, behind all links
	if err := s.row(ctx, "PRAGMA database_list", nil, new(int), new(string), &file); err != nil {
		return err
	}
	d.log, err = os.OpenFile(file+"-wal", os.O_RDWR, 0)
	if err == nil {
		d.flusher.sync = d.log.Sync
	}
	return err
}

func (d *sqliteDialect) logBytes() int64 {
	info, err := d.log.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// checkpointInterval is how often the write-ahead log is moved into the file:
// often enough that each time is short, since the disk serves the writer as well.
const checkpointInterval = 20 * time.Millisecond

// maintain does the housekeeping until closed: it moves what the write-ahead log
// holds into the file, beside the writer rather than in its way: were it left to
// the writer, a filing now and then would wait for it. The writer still does so
// when the log has 16,000 pages, of which most have then been moved.
func (d *sqliteDialect) maintain(ctx context.Context, s *conn, closed <-chan struct{}) {
	defer s.close()
	tick := time.NewTicker(checkpointInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if !d.wrote.Swap(false) || d.file.replaced() {
				continue
			}
			var busy, pages, moved int64 // if it fails now, it will not later
			err := s.row(ctx, "PRAGMA wal_checkpoint(PASSIVE)", nil, &busy, &pages, &moved)
			if err == nil && (busy != 0 || moved < pages) {
				d.wrote.Store(true) // another process moves pages, or a reader still needs the older ones
			}
		case <-closed:
			return
		}
	}
}
