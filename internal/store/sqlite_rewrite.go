package store

import (
	"context"
	"database/sql"
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

// allowShrinking makes the engine keep, with each page, which page refers to it, so that pages can be moved and the
// file can become smaller a step at a time. It is for a file without tables, or before the file is written anew
// (https://www.sqlite.org/pragma.html#pragma_auto_vacuum).
func (s *conn) allowShrinking(ctx context.Context) error {
	mode, err := pragma(ctx, s, "auto_vacuum")
	if err != nil || mode == incremental { // to set it again would wait for the lock of the file
		return err
	}
	_, err = s.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA auto_vacuum = %d", incremental))
	return err
}

// incremental is the mode in which SQLite gives space back when it is asked to.
const incremental = 2

// pragma returns a number that SQLite says of the file.
func pragma(ctx context.Context, s *conn, name string) (n int64, err error) {
	err = s.row(ctx, "PRAGMA "+name, nil, &n)
	return n, err
}

// How the file gives unused pages back, of 4 KiB each: those of a step take the writer a few milliseconds. It begins
// when more than an eighth of the file is unused, and ends at a sixteenth: a file that grows again at once is not made
// smaller, and what is left has no holes that an import would fill.
const (
	shrinkStep  = 256
	leastUnused = 1024
)

// shrink gives unused pages at the end of the file back, and moves others there first. A file that an older program has
// made cannot, until it is written anew.
func (d *sqliteDialect) shrink(ctx context.Context, s *conn, first bool) (more bool, err error) {
	var is [3]int64
	for i, name := range []string{"auto_vacuum", "page_count", "freelist_count"} {
		if is[i], err = pragma(ctx, s, name); err != nil {
			return false, err
		}
	}
	pages, unused := is[1], is[2]
	if is[0] != incremental || unused <= pages/16 || first && (unused < leastUnused || unused <= pages/8) {
		return false, nil
	}
	step := min(shrinkStep, unused-pages/16)
	// Each page is a row, and the next one is moved when that row is asked for.
	err = s.each(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", step), nil,
		func(*sql.Rows) error { return nil })
	return err == nil, err
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
	if err := s.allowShrinking(ctx); err != nil {
		return fmt.Errorf("rewrite the database: %w", err)
	}
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
