package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"tocsin/internal/health"
)

// file is the database file as it was opened, to notice when another takes its place.
//
// SQLite goes on with the file that it has opened, even if it was deleted, replaced or overwritten: its commits
// succeed, and are lost or mixed with another database (sqlite.org/howtocorrupt.html, sections 2.4 and 4). It says
// nothing of it.
type file struct {
	path    string // as it was given, so that a link that points elsewhere is noticed as well
	logPath string
	main    os.FileInfo
	log     os.FileInfo

	// Kept open until SQLite has closed the file: closing it before would drop SQLite's locks, which POSIX keeps by
	// process.
	open *os.File

	id          []byte       // of the database, in meta
	lastEvent   atomic.Int64 // of the last look: the number of events ever written, which never goes back
	changed     time.Time    // of the file, at the last look
	overwritten atomic.Bool  // it cannot become right again by itself

	changes atomic.Uint32 // the change counter of the header, as it was seen last, which never goes back
}

// opened notes which file was opened. It gives the database an id if it has none.
func (d *sqliteDialect) opened(ctx context.Context, s *conn) error {
	if err := d.openLog(ctx, s); err != nil {
		return err
	}
	var err error
	if d.file.id, err = getMeta(ctx, s, metaIdentity); missing(err) {
		// No secret, and needed by nothing but a comparison, so that the engine may choose it.
		var fresh []byte
		if err := s.row(ctx, "SELECT randomblob(16)", nil, &fresh); err != nil {
			return err
		}
		d.file.id, err = keepMeta(ctx, s, metaIdentity, fresh)
	}
	if err != nil {
		return err
	}
	var real string // as SQLite sees it, behind all links
	if err := s.row(ctx, "PRAGMA database_list", nil, new(int), new(string), &real); err != nil {
		return err
	}
	f := &d.file
	f.path, f.logPath = d.name, real+"-wal"
	if f.main, err = os.Stat(f.path); err != nil {
		return err
	}
	if f.log, err = os.Stat(f.logPath); err != nil {
		return err
	}
	if f.open, err = os.Open(f.path); err != nil {
		return err
	}
	f.begins()
	var events int64
	err = s.row(ctx, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'event'", nil, &events)
	f.lastEvent.Store(events)
	return err
}

// close closes the file after SQLite has.
func (f *file) close() {
	if f.open != nil {
		f.open.Close()
	}
}

// moved says why the paths of the database do not lead to its files; "" if they do.
func (f *file) moved() health.Reason {
	for _, c := range []struct {
		path          string
		want          os.FileInfo
		gone, another health.Reason
	}{{f.path, f.main, health.Missing, health.Replaced}, {f.logPath, f.log, health.LogMissing, health.LogReplaced}} {
		info, err := os.Stat(c.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return c.gone
		case err != nil:
			return health.OutOfReach
		case !os.SameFile(info, c.want):
			return c.another
		}
	}
	return ""
}

// check says why the file is not the database any more; "" if it is.
func (d *sqliteDialect) check(ctx context.Context, _ int64) health.Reason {
	return d.file.check(ctx, d)
}

func (d *sqliteDialect) moved() health.Reason {
	if reason := d.file.moved(); reason != "" {
		return reason
	}
	if d.file.replaced() {
		return health.Overwritten
	}
	return ""
}

// replaced reports whether the file was overwritten, as far as its header shows it. What is moved from the log into
// such a file may hide that, so it is looked at before, and before a commit is answered.
func (f *file) replaced() bool {
	if !f.overwritten.Load() && !f.begins() {
		f.overwritten.Store(true)
	}
	return f.overwritten.Load()
}

// check says why the file is not the database any more; "" if it is.
func (f *file) check(ctx context.Context, d *sqliteDialect) health.Reason {
	reason := f.moved()
	if reason != "" && reason != health.LogMissing && reason != health.LogReplaced {
		return reason
	}
	switch {
	case f.replaced(): // for SQLite an empty file is a new database, whose log it deletes: that is no trouble of its own
	case reason == "" && !f.intact(ctx, d):
		if reason := f.moved(); reason != "" {
			return reason // meanwhile, which may be mended
		}
		f.overwritten.Store(true)
	}
	if f.overwritten.Load() {
		return health.Overwritten
	}
	return reason
}

const (
	header        = "SQLite format 3\x00" // the first bytes of a database (sqlite.org/fileformat.html, section 1.3)
	writesAt      = 18                    // 2 with a write-ahead log; a copy of `tocsin backup` has 1
	changesAt     = 24                    // the change counter
	applicationAt = 68                    // where the application id is
)

// begins reports whether the file begins as a database of this program does that has a write-ahead log, and has changed
// since it was looked at last, if at all: the change counter of a copy that is older is less.
func (f *file) begins() bool {
	before := f.changes.Load() // first: others look as well
	var start [100]byte
	_, err := f.open.ReadAt(start[:], 0)
	if err != nil || !bytes.HasPrefix(start[:], []byte(header)) || start[writesAt] != 2 ||
		!bytes.Equal(start[applicationAt:applicationAt+4], []byte("TOCS")) {
		return false
	}
	changes := binary.BigEndian.Uint32(start[changesAt:])
	f.changes.CompareAndSwap(before, max(before, changes))
	return changes >= before
}

// intact reports whether the content of the file is the database. It looks inside only after the file has changed,
// which is after a checkpoint or when somebody else has written.
func (f *file) intact(ctx context.Context, d *sqliteDialect) bool {
	info, err := f.open.Stat()
	if err != nil || info.ModTime().Equal(f.changed) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	s, err := d.connect(ctx) // another connection, because the pages of the others are in memory
	if err != nil {
		return !corrupt(err)
	}
	defer s.close()
	var id []byte
	var events int64
	err = s.row(ctx, `SELECT value, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0)
		FROM meta WHERE name = $1`, []any{metaIdentity}, &id, &events)
	switch {
	case err != nil && !missing(err):
		return !corrupt(err) // of another error more is known the next time
	case !bytes.Equal(id, f.id) || events < f.lastEvent.Load():
		return false
	}
	f.changed = info.ModTime()
	f.lastEvent.Store(events)
	return true
}

// corrupt reports whether an error says that the file is not a database of this program: SQLITE_ERROR is a table that
// is not there.
func corrupt(err error) bool {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return false
	}
	code := failure.Code() & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_ERROR
}

// damaged reports whether an error says that a database is damaged, rather than no database at all.
func damaged(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_CORRUPT
}

// classOfSQLite names the kind of a failure.
func classOfSQLite(err error) health.Reason {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return health.Other
	}
	switch failure.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return health.Full
	case sqlite3.SQLITE_BUSY:
		return health.Busy
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return health.IO
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return health.ReadOnly
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return health.Corrupt
	}
	return health.Other
}
