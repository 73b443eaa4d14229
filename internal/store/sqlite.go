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
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"modernc.org/sqlite" // driver "sqlite", in pure Go
	sqlite3 "modernc.org/sqlite/lib"
)

// This file and its neighbours sqlite_*.go hold what is particular to SQLite.
// Every other file of the package is plain SQL, which PostgreSQL takes as well.

//go:embed schema/sqlite/*.sql
var schema embed.FS

// schemaVersion is the highest number among the files of schema/sqlite.
const schemaVersion = 11

// applicationID marks a file as a database of Tocsin ("TOCS").
const applicationID = 0x544f4353

// dialect is the database engine, which is SQLite.
type dialect struct {
	pool    *sql.DB
	flusher flusher
	wrote   atomic.Bool // since the log was last moved into the file
	file    file

	writes func(durable bool) // for tests: called before each write
}

// connState is what the dialect knows of a connection.
type connState struct {
	words        []wordsOf // to be indexed before the commit
	full         bool      // the next commit is on disk when it returns
	levelKnown   bool      // the connection was set to what full says
	otherVersion int64     // what othersWrote found last
}

// openSQLite opens a database file, creating it if need be. The pragmas hold
// for each connection: busy_timeout waits for a command in another process, and
// cache is how many bytes of pages each connection keeps.
func openSQLite(path string, mustExist bool, cache int) (*dialect, error) {
	if strings.Contains(path, "://") {
		return nil, fmt.Errorf(
			"%s is not the path of a database file; only the embedded SQLite database is supported so far", path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// Created here so that it is nobody else's to read: it holds hashes of keys and wallets.
	create := os.O_CREATE
	if mustExist {
		create = 0
	}
	f, err := os.OpenFile(abs, create|os.O_RDWR, 0o600)
	if mustExist && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no database %s: say with -db where it is; `tocsin serve` begins a new one", path)
	}
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	q := url.Values{}
	for _, p := range []string{"busy_timeout(15000)", "synchronous(NORMAL)", "foreign_keys(1)",
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
	return &dialect{pool: pool}, nil
}

// connect opens a connection.
func (d *dialect) connect(ctx context.Context) (*conn, error) {
	c, err := d.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{conn: c, stmts: map[string]*sql.Stmt{}, dialect: d}, nil
}

// close closes the database once its connections are closed.
func (d *dialect) close() error {
	if d.flusher.log != nil {
		d.flusher.log.Close()
	}
	err := d.pool.Close()
	d.file.close()
	return err
}

// migrate brings the schema to this program's version, or refuses a file that
// a newer program has written or that is another program's.
func (d *dialect) migrate(ctx context.Context, s *conn) error {
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

func (d *dialect) upgrade(ctx context.Context, s *conn) error {
	return s.transact(ctx, beginWrite, func() error {
		var version, app, tables int64
		if err := s.row(ctx, "PRAGMA user_version", nil, &version); err != nil {
			return err
		}
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
			return fmt.Errorf("the database has schema %d, this program knows up to %d: run a newer tocsin",
				version, schemaVersion)
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
				err = d.reindex(ctx, s)
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
		_, err := s.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d",
			schemaVersion, applicationID))
		return err
	})
}

// beginWrite begins a transaction that will write. It waits for other processes
// now, rather than fail at its first write.
const beginWrite = "BEGIN IMMEDIATE"

// read runs do in a snapshot.
func (d *dialect) read(ctx context.Context, s *conn, do func() error) error {
	return s.transact(ctx, "BEGIN", do)
}

// write runs do in a transaction of a lane; with durable it is on disk (fsync)
// when write returns, otherwise with the operating system. SQLite has one writer
// for all lanes. Elsewhere the evidence lane begins by taking a lock.
func (d *dialect) write(ctx context.Context, s *conn, _ lane, durable bool, do func() error) error {
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
	if d.writes != nil {
		d.writes(durable)
	}
	s.state.words = s.state.words[:0]
	d.wrote.Store(true)
	return s.transact(ctx, beginWrite, func() error {
		if err := do(); err != nil {
			return err
		}
		return d.indexWords(ctx, s)
	})
}

// othersWrote reports whether another connection than this one has written since
// it was asked last.
func (d *dialect) othersWrote(ctx context.Context, s *conn) bool {
	var version int64
	// An error here is that of a broken disk, which the next write reports as well.
	if err := s.row(ctx, "PRAGMA data_version", nil, &version); err != nil || version == s.state.otherVersion {
		return false
	}
	s.state.otherVersion = version
	return true
}

// Unavailable reports whether an error is that of a database that another
// process holds, of a full disk, or a [Fault]: what may work again in a moment.
func Unavailable(err error) bool {
	if Reported(err) {
		return true
	}
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return false
	}
	code := failure.Code() & 0xff
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_FULL
}

// insert inserts a row and returns its id, or 0 if ON CONFLICT DO NOTHING has
// kept it out. It is not RETURNING, because that opens a savepoint, at which
// FTS5 writes out the words that it has gathered.
func (s *conn) insert(ctx context.Context, query string, args ...any) (id int64, err error) {
	done, err := s.exec(ctx, query, args...)
	if n, err := affected(done, err); err != nil || n == 0 {
		return 0, err
	}
	return done.LastInsertId()
}
