package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // driver "sqlite", in pure Go

	"tocsin/internal/health"
)

// This file and its neighbours sqlite_*.go hold what is particular to SQLite.

//go:embed schema
var schema embed.FS

// schemaVersion is the highest number among the files of schema/sqlite, and of schema/postgres.
const schemaVersion = 16

// applicationID marks a file as a database of Tocsin ("TOCS").
const applicationID = 0x544f4353

// sqliteDialect is a database file of SQLite.
type sqliteDialect struct {
	pool    *sql.DB
	name    string // of the file, as it was given
	log     *os.File
	flusher flusher
	wrote   atomic.Bool // since the log was last moved into the file
	file    file
}

// smallestFile is how many bytes a database has at least: its smallest page. In a smaller file SQLite begins one.
const smallestFile = 512

// openSQLite opens a database file, creating it if need be. The pragmas hold
// for each connection: busy_timeout waits for a command in another process, and
// cache is how many bytes of pages each connection keeps.
func openSQLite(path string, mustExist bool, cache int) (*sqliteDialect, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// Created here so that it is nobody else's to read: it holds hashes of keys and wallets.
	create := os.O_CREATE
	if mustExist {
		create = 0
	}
	_, noLog := os.Lstat(abs + "-wal") // looked for first: whoever begins a database makes its log after its file
	there, gone := os.Stat(abs)
	began := errors.Is(gone, fs.ErrNotExist)
	if gone == nil && noLog != nil && there.Mode().IsRegular() && there.Size() < smallestFile &&
		(mustExist || there.Size() > 0) {
		return nil, fmt.Errorf("%s is no database: it has %d bytes, as what an interrupted copy leaves. Move it away and "+
			"restore a copy with `tocsin restore`, or name another file with -db", path, there.Size())
	}
	if began && noLog == nil {
		return nil, fmt.Errorf("%[1]s is missing, but %[1]s-wal is there: it is the rest of a database whose file was "+
			"moved or deleted. Move that file back; or move %[1]s-wal and %[1]s-shm away, and restore a copy with "+
			"tocsin restore", path)
	}
	f, err := os.OpenFile(abs, create|os.O_RDWR, 0o600)
	if mustExist && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no database %s: name one that exists, with -db or with -from of migrate; "+
			"`tocsin serve` begins a new one", path)
	}
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if began {
		err = ownAsFolder(f)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := cutOff(abs); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// rw: it is there by now. A connection that is opened after somebody has moved it must not put an empty file in its
	// place, in which the watch would see another database, and over which the right one would have to be put back.
	q := url.Values{"mode": {"rw"}}
	for _, p := range []string{fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()),
		"synchronous(NORMAL)", "foreign_keys(1)",
		fmt.Sprintf("cache_size(-%d)", max(1, cache>>10)),
		"wal_autocheckpoint(16000)", "temp_store(MEMORY)", "journal_size_limit(67108864)"} {
		q.Add("_pragma", p)
	}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: abs, RawQuery: q.Encode()}
	pool, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, err
	}
	pool.SetMaxIdleConns(-1) // a connection that is closed is closed: see file.intact
	return &sqliteDialect{pool: pool, name: path}, nil
}

// preparedOnce returns a query that SQLite does not prepare again for each value of its limit. For LIMIT $1 it does,
// since the value might lead to another plan, and that takes longer than to read a page. For an expression it does not.
func preparedOnce(query string) string {
	return boundLimit.ReplaceAllString(query, "LIMIT 0+${1}")
}

var boundLimit = regexp.MustCompile(`LIMIT (\$\d+)`)

func (d *sqliteDialect) lanes() int { return 1 }

// now: all processes on a file run on one machine.
func (d *sqliteDialect) now() (micros int64, known bool) { return 0, false }

func (d *sqliteDialect) contains(in, what string) string {
	return "instr(" + in + ", " + what + ") > 0"
}

func (d *sqliteDialect) path() string { return d.name }

// connect opens a connection.
func (d *sqliteDialect) connect(ctx context.Context) (*conn, error) {
	c, err := d.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{conn: c, stmts: map[string]*sql.Stmt{}, dialect: d}, nil
}

// close closes the database once its connections are closed.
func (d *sqliteDialect) close() error {
	if d.log != nil {
		d.log.Close()
	}
	err := d.pool.Close()
	d.file.close()
	return err
}

// migrate brings the schema to this program's version, or refuses a file that
// a newer program has written or that is another program's.
func (d *sqliteDialect) migrate(ctx context.Context, s *conn) error {
	if pages, err := pragma(ctx, s, "page_count"); err != nil {
		return err
	} else if pages == 0 {
		if err := s.allowShrinking(ctx); err != nil {
			return err
		}
	}
	if err := d.upgrade(ctx, s); err != nil {
		return err
	}
	// WAL lets readers go on beside the writer. It is switched on only now, because it changes the file.
	// Two programs that do so at once may get in each other's way, for which SQLite does not wait by itself.
	var err error
	for range 100 {
		var mode string
		if err = s.row(ctx, "PRAGMA journal_mode = WAL", nil, &mode); err == nil && mode == "wal" {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("switch the write-ahead log on: %w", err)
}

func (d *sqliteDialect) schemaNumber(ctx context.Context, s *conn) (number int64, err error) {
	err = s.row(ctx, "PRAGMA user_version", nil, &number)
	return number, err
}

func (d *sqliteDialect) upgrade(ctx context.Context, s *conn) error {
	return s.transact(ctx, beginWrite, func() error {
		version, err := d.schemaNumber(ctx, s)
		if err != nil {
			return err
		}
		var app, tables int64
		if err := s.row(ctx, "PRAGMA application_id", nil, &app); err != nil {
			return err
		}
		if err := s.row(ctx, "SELECT count(*) FROM sqlite_master", nil, &tables); err != nil {
			return err
		}
		switch {
		case tables > 0 && app != applicationID:
			return errors.New("the file is a database of another program")
		case version > schemaVersion:
			return NewerSchema{version}
		}
		for v := version + 1; v <= schemaVersion; v++ {
			text, err := fs.ReadFile(schema, "schema/sqlite/"+strconv.FormatInt(v, 10)+".sql")
			if err != nil {
				return err
			}
			if _, err := s.conn.ExecContext(ctx, string(text)); err != nil {
				return fmt.Errorf("schema %d: %w", v, err)
			}
			switch v {
			case reindexed:
				err = reindex(ctx, s, true, d.indexWords)
			case transactionsIndexed:
				err = reindex(ctx, s, false, d.indexWords)
			case namedSince:
				err = renameAll(ctx, s)
			}
			if err != nil {
				return fmt.Errorf("schema %d: %w", v, err)
			}
		}
		if version == schemaVersion {
			return nil
		}
		_, err = s.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d",
			schemaVersion, applicationID))
		return err
	})
}

// beginWrite begins a transaction that will write. It waits for other processes
// now, rather than fail at its first write.
const beginWrite = "BEGIN IMMEDIATE"

// read runs do in a snapshot.
func (d *sqliteDialect) read(ctx context.Context, s *conn, do func() error) error {
	return s.transact(ctx, "BEGIN", do)
}

func (d *sqliteDialect) readStatement(_ context.Context, _ *conn, do func() error) error { return do() }

// write runs do in a transaction of a lane; with durable it is on disk (fsync)
// when write returns, otherwise with the operating system. SQLite has one writer
// for all lanes. Elsewhere the evidence lane begins by taking a lock.
func (d *sqliteDialect) write(ctx context.Context, s *conn, _ lane, durable bool, do func() error) (err error) {
	if s.state.full != durable || !s.state.levelKnown {
		level := "NORMAL"
		if durable {
			level = "FULL"
		}
		if _, err := s.conn.ExecContext(ctx, "PRAGMA synchronous = "+level); err != nil {
			return err
		}
		s.state.full, s.state.levelKnown = durable, true
	}
	if !s.state.impatient {
		if _, err := s.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", turn.Milliseconds())); err != nil {
			return err
		}
		s.state.impatient = true
	}
	s.state.words = s.state.words[:0]
	d.wrote.Store(true)
	begun := false
	for range patience / turn {
		err = s.transact(ctx, beginWrite, func() error {
			begun = true
			if err := do(); err != nil {
				return err
			}
			return d.indexWords(ctx, s)
		})
		if begun || classOf(err) != health.Busy {
			break
		}
	}
	return err
}

// turn is how long SQLite waits for the lock of another process before it is asked again. It looks 1, 3 and 8 ms after
// the beginning, then more and more seldom: left alone it would miss the moments in which an import holds no lock.
const turn = 8 * time.Millisecond

// othersWrote reports whether another connection than this one has written since
// it was asked last.
func (d *sqliteDialect) othersWrote(ctx context.Context, s *conn) bool {
	var version int64
	// An error here is that of a broken disk, which the next write reports as well.
	if err := s.row(ctx, "PRAGMA data_version", nil, &version); err != nil || version == s.state.otherVersion {
		return false
	}
	s.state.otherVersion = version
	return true
}

// contended: a process that waits for the lock of a file is not seen before it has had it.
func (d *sqliteDialect) contended(ctx context.Context, s *conn) (bool, error) {
	before := s.state.anyVersion
	err := s.row(ctx, "PRAGMA data_version", nil, &s.state.anyVersion)
	return before != s.state.anyVersion, err
}

// rows has no numbers: SQLite looks for those one by one.
func (d *sqliteDialect) rows(rows, columns int) string {
	return repeat("("+repeat("?", columns)+")", rows)
}

// charge: statements cost no round trips here.
func (d *sqliteDialect) charge(_ context.Context, _ *conn, _ *quotaBatch, keys []quotaKey) ([]quotaKey, error) {
	return keys, nil
}

func (d *sqliteDialect) giveBack(ctx context.Context, s *conn, calls map[agentDay]int) error {
	for row, n := range calls {
		// The row of a day to come is deleted once the clock was put right: what was charged since stays.
		if _, err := s.exec(ctx, "UPDATE usage SET used = used - $1 WHERE agent = $2 AND day = $3 AND used >= $1",
			n, row.agent, row.day); err != nil {
			return err
		}
	}
	return nil
}

// insert is not RETURNING, because that opens a savepoint, at which FTS5 writes out
// the words that it has gathered.
func (d *sqliteDialect) insert(ctx context.Context, s *conn, _, query string, args []any) (id int64, err error) {
	done, err := s.exec(ctx, query, args...)
	if n, err := affected(done, err); err != nil || n == 0 {
		return 0, err
	}
	return done.LastInsertId()
}

// NewerSchema is the error of a database that a newer program has written.
type NewerSchema struct{ Number int64 }

// Error implements error.
func (e NewerSchema) Error() string {
	return fmt.Sprintf("the database has schema %d, this program knows up to %d: run a newer tocsin",
		e.Number, schemaVersion)
}
