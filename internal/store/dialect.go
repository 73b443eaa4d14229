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
	"time"

	"modernc.org/sqlite" // driver "sqlite", in pure Go
	sqlite3 "modernc.org/sqlite/lib"

	"tocsin"
)

// This file holds what is particular to SQLite; every other file of the
// package is plain SQL.

//go:embed schema/sqlite/*.sql
var schema embed.FS

// schemaVersion is the highest number among the files of schema/sqlite.
const schemaVersion = 5

// applicationID marks a file as a database of Tocsin ("TOCS").
const applicationID = 0x544f4353

// openSQLite opens a database file, creating it if need be. The pragmas hold
// for each connection: busy_timeout waits for a command in another process, and
// the page cache is bounded since each connection has one. Foreign keys are not
// enforced: hardly a row is ever deleted that another names, and a filing would
// be a tenth slower.
func openSQLite(path string, mustExist bool) (*sql.DB, error) {
	if strings.Contains(path, "://") {
		return nil, fmt.Errorf("%s is not the path of a database file; only the embedded SQLite database is supported so far", path)
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
	for _, p := range []string{"busy_timeout(15000)", "synchronous(NORMAL)",
		"cache_size(-16000)", "wal_autocheckpoint(16000)", "temp_store(MEMORY)", "journal_size_limit(67108864)"} {
		q.Add("_pragma", p)
	}
	return sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: abs, RawQuery: q.Encode()}).String())
}

// migrate brings the schema to this program's version, or refuses a file that
// a newer program has written or that is another program's.
func migrate(ctx context.Context, s *conn) error {
	if err := upgrade(ctx, s); err != nil {
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

func upgrade(ctx context.Context, s *conn) error {
	return s.transact(ctx, beginWrite(evidence), func() error {
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
			return fmt.Errorf("the database has schema %d, this program knows up to %d: run a newer tocsin", version, schemaVersion)
		}
		for v := version + 1; v <= schemaVersion; v++ {
			text, err := fs.ReadFile(schema, "schema/sqlite/"+strconv.FormatInt(v, 10)+".sql")
			if err != nil {
				return err
			}
			if _, err := s.conn.ExecContext(ctx, string(text)); err != nil {
				return fmt.Errorf("schema %d: %w", v, err)
			}
		}
		if version == schemaVersion {
			return nil
		}
		_, err := s.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", schemaVersion, applicationID))
		return err
	})
}

// durable tells the writing connection whether its next commit must be on disk
// when it returns (fsync), or only with the operating system.
func (s *conn) durable(ctx context.Context, yes bool) error {
	if s.full == yes && s.pragmaSet {
		return nil
	}
	level := "NORMAL"
	if yes {
		level = "FULL"
	}
	if _, err := s.conn.ExecContext(ctx, "PRAGMA synchronous = "+level); err != nil {
		return err
	}
	s.full, s.pragmaSet = yes, true
	return nil
}

// matchExpression writes terms in the query syntax of FTS5. Each term is a
// quoted string, within which nothing is syntax.
func matchExpression(terms []tocsin.Term) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(`"` + strings.ReplaceAll(t.Text, `"`, `""`) + `"`)
		if t.Prefix {
			b.WriteString(" *")
		}
	}
	return b.String()
}

// keepLogShort moves what the write-ahead log holds into the file, beside the
// writer rather than in its way: were it left to the writer, a filing now and
// then would wait for it. The writer still does so when the log has 16,000
// pages, of which most have then been moved.
func keepLogShort(ctx context.Context, s *conn) error {
	return s.row(ctx, "PRAGMA wal_checkpoint(PASSIVE)", nil, new(int64), new(int64), new(int64))
}

// openLog opens the write-ahead log, to flush it. It is there as long as the
// database is open, and SQLite keeps no locks on it that closing it would break.
func openLog(ctx context.Context, s *conn) (*os.File, error) {
	var file string // as SQLite sees it, behind all links
	if err := s.row(ctx, "PRAGMA database_list", nil, new(int), new(string), &file); err != nil {
		return nil, err
	}
	return os.OpenFile(file+"-wal", os.O_RDWR, 0)
}

// beginWrite begins a transaction that will write. It waits for other processes
// now, rather than fail at its first write. SQLite has one writer for all lanes.
func beginWrite(lane) string { return "BEGIN IMMEDIATE" }

// otherWrites returns a number that changes when another connection than this
// one has written.
func otherWrites(ctx context.Context, s *conn) (version int64, err error) {
	err = s.row(ctx, "PRAGMA data_version", nil, &version)
	return version, err
}

// Unavailable reports whether an error is that of a database that another
// process holds, or of a full disk: what may work again in a moment.
func Unavailable(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && (failure.Code()&0xff == sqlite3.SQLITE_BUSY || failure.Code()&0xff == sqlite3.SQLITE_FULL)
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

// wordsOf is a change of the full-text index: the words of a report, or with
// gone that it has none any more.
type wordsOf struct {
	report                                         int64
	gone                                           bool
	title, description, project, subjects, handles string
}

// indexWords changes the full-text index as it was asked for since the
// transaction began. It does so for a whole group of writes at once, because
// FTS5 writes out what it has gathered whenever other tables are written.
func (s *conn) indexWords(ctx context.Context) error {
	for _, w := range s.words {
		query, args := "INSERT INTO report_words (rowid, title, description, project, subjects, handles) VALUES ($1, $2, $3, $4, $5, $6)",
			[]any{w.report, w.title, w.description, w.project, w.subjects, w.handles}
		if w.gone {
			query, args = "DELETE FROM report_words WHERE rowid = $1", []any{w.report}
		}
		if _, err := s.exec(ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}

// matches returns the newest reports within the bounds that have all the terms,
// SearchWindow of them at most, newest first; outside the story (the description)
// if so asked. Unless crime is "" they are those of that type among as many as
// the window takes.
func matches(ctx context.Context, s *conn, terms []tocsin.Term, crime tocsin.CrimeType, outside bool, floor, top int64, window int) (seqs []int64, err error) {
	match := matchExpression(terms)
	if outside {
		match = "{title project subjects handles} : (" + match + ")"
	}
	query := "SELECT rowid AS seq FROM report_words WHERE report_words MATCH $1 AND rowid BETWEEN $2 AND $3 ORDER BY rowid DESC LIMIT $4"
	args := []any{match, floor, top, SearchWindow}
	if crime != "" { // the index has no crime types: each match is looked at
		query = "SELECT m.seq FROM (" + query + ") m CROSS JOIN report r ON r.seq = m.seq WHERE r.crime_type = $5 AND r.status = 'published' ORDER BY m.seq DESC LIMIT $6"
		args = []any{match, floor, top, window, string(crime), SearchWindow}
	}
	err = s.each(ctx, query, args, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	})
	return seqs, err
}

// moreMatch reports whether more reports than the window takes have all the terms.
func moreMatch(ctx context.Context, s *conn, terms []tocsin.Term, top int64, window int) (yes bool, err error) {
	err = s.row(ctx, "SELECT EXISTS (SELECT 1 FROM report_words WHERE report_words MATCH $1 AND rowid <= $2 ORDER BY rowid DESC LIMIT 1 OFFSET $3)",
		[]any{matchExpression(terms), top, window}, &yes)
	return yes, err
}
