package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// mergeStep is how many pages of the full-text index one step merges.
const mergeStep = 2000

// mergeWords merges a part of the full-text index into one segment, so that what is
// marked as deleted is left behind. The first step begins the merge; it reports
// whether there is more to do (FTS5, "The 'merge' Command").
func (d *sqliteDialect) mergeWords(ctx context.Context, s *conn, first bool) (more bool, err error) {
	pages := mergeStep
	if first {
		pages = -mergeStep // of all segments, not only of those that are due
	}
	var before, after int64
	if err := s.row(ctx, "SELECT total_changes()", nil, &before); err != nil {
		return false, err
	}
	if _, err := s.exec(ctx, "INSERT INTO report_words (report_words, rank) VALUES ('merge', $1)", pages); err != nil {
		return false, err
	}
	err = s.row(ctx, "SELECT total_changes()", nil, &after)
	return after-before >= 2, err
}

// rewriteAttempts is how often the write-ahead log is asked to be emptied, a tenth
// of a second after another: a snapshot that is being read prevents it.
const rewriteAttempts = 300

// rewrite writes the database file anew, without the space of what was deleted, and
// empties the write-ahead log. Only that removes what was deleted or moved from all
// pages (https://www.sqlite.org/lang_vacuum.html).
func (d *sqliteDialect) rewrite(ctx context.Context) error {
	s, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	// The copy may be larger than the memory.
	for _, statement := range []string{"PRAGMA temp_store = FILE", "VACUUM"} {
		if _, err := s.conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("rewrite the database: %w", err)
		}
	}
	for range rewriteAttempts {
		var busy, log, moved int64
		err = s.row(ctx, "PRAGMA wal_checkpoint(TRUNCATE)", nil, &busy, &log, &moved)
		if err == nil && busy == 0 {
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err == nil {
		err = errors.New("another process was reading all the time")
	}
	return fmt.Errorf("empty the write-ahead log: %w", err)
}
