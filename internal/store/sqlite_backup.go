package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/health"
)

// copyTo writes a copy of the database into an empty file, without what must not
// leave this machine.
func (d *sqliteDialect) copyTo(ctx context.Context, path string, at tocsin.Time) error {
	s, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.allowShrinking(ctx); err != nil {
		return err
	}
	if _, err := s.conn.ExecContext(ctx, "VACUUM INTO $1", path); err != nil {
		return err
	}
	copied, err := openCopy(ctx, path, "secure_delete(1)", "journal_mode(OFF)")
	if err != nil {
		return err
	}
	defer copied.dialect.close()
	defer copied.close()
	for _, secret := range []string{
		"DELETE FROM meta WHERE name LIKE '" + metaSalt + "%' OR name = '" + metaTokens + "'",
		"DELETE FROM origin",
		"DELETE FROM filing", // hashes that networks are part of
		"DELETE FROM session",
		"DELETE FROM nonce",
	} {
		if _, err := copied.exec(ctx, secret); err != nil {
			return err
		}
	}
	return setMetaTime(ctx, copied, metaBackup, at)
}

// checkCopy returns what a copy holds, or why it is not a sound database.
func checkCopy(ctx context.Context, path string) (c Copied, err error) {
	if err := cutOff(path); err != nil {
		return c, err
	}
	s, err := openCopy(ctx, path, "query_only(1)")
	if err != nil {
		return c, err
	}
	defer s.dialect.close()
	defer s.close()
	var verdict string
	switch err := s.row(ctx, "PRAGMA integrity_check(1)", nil, &verdict); {
	case classOf(err) == health.Corrupt:
		return c, errors.New("it is no database of SQLite, or its beginning is damaged")
	case err != nil:
		return c, err
	}
	if damages := damagesOf(verdict); len(damages) > 0 {
		return c, fmt.Errorf("it is damaged: %s", damages[0])
	}
	var app int
	if err := s.row(ctx, "PRAGMA application_id", nil, &app); err != nil {
		return c, err
	}
	if app != applicationID {
		return c, errors.New("it is not a database of Tocsin")
	}
	if err := s.row(ctx, "PRAGMA user_version", nil, &c.schema); err != nil {
		return c, err
	}
	switch faults, err := strangers(ctx, s); {
	case err != nil:
		return c, err
	case len(faults) > 0:
		return c, errors.New(strings.Join(faults, "; "))
	}
	if _, err := getMeta(ctx, s, metaReadOnly); err == nil {
		c.ReadOnly = true
	} else if !missing(err) {
		return c, err
	}
	return c, countRows(ctx, s, &c)
}

// damagesOf returns what SQLite's integrity check has found, each in a line: a verdict has one or many of them, below a
// line that names the database. Nothing is "ok".
func damagesOf(verdict string) (damages []string) {
	for line := range strings.SplitSeq(verdict, "\n") {
		if line != "" && line != "ok" && !strings.HasPrefix(line, "***") {
			damages = append(damages, tocsin.Shorten(line, 200))
		}
	}
	return damages
}

// strangers finds what runs SQL of its own in a database: this program makes neither triggers nor views, but somebody
// who hands out a file could, and they would change what is written and read after it was restored.
func strangers(ctx context.Context, s *conn) (faults []string, err error) {
	const query = "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT $1"
	err = s.each(ctx, query, []any{maxFaults}, func(rows *sql.Rows) error {
		var kind, name string
		err := rows.Scan(&kind, &name)
		faults = append(faults, fmt.Sprintf("it has a %s that is not of Tocsin: %.60q", kind, name))
		return err
	})
	return faults, err
}

func (d *sqliteDialect) checkStorage(ctx context.Context, s *conn) (faults []string, err error) {
	err = s.each(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", maxFaults), nil, func(rows *sql.Rows) error {
		var verdict string
		err := rows.Scan(&verdict)
		for _, damage := range damagesOf(verdict) {
			if len(faults) < maxFaults {
				faults = append(faults, "the file is damaged: "+damage)
			}
		}
		return err
	})
	if err != nil {
		return faults, err
	}
	found, err := strangers(ctx, s)
	if faults = append(faults, found...); err != nil {
		return faults, err
	}
	err = s.each(ctx, "PRAGMA foreign_key_check", nil, func(rows *sql.Rows) error {
		var table, parent string
		var row sql.NullInt64
		err := rows.Scan(&table, &row, &parent, new(int))
		if len(faults) < 2*maxFaults {
			faults = append(faults, fmt.Sprintf("row %d of %s refers to a row of %s that is not there",
				row.Int64, table, parent))
		}
		return err
	})
	return faults, err
}

func (d *sqliteDialect) indexed() string { return "SELECT rowid FROM report_words" }

// cutOff returns an error if a database file is shorter than its head says, which SQLite calls malformed. It says
// nothing of a file with a log or a journal beside it, which may have the rest
// (https://www.sqlite.org/fileformat.html#the_database_header).
func cutOff(path string) error {
	for _, suffix := range []string{"-wal", "-journal"} {
		if _, err := os.Lstat(path + suffix); err == nil {
			return nil
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	head := make([]byte, 100)
	_, short := io.ReadFull(f, head)
	if err != nil || short != nil || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) ||
		!bytes.Equal(head[24:28], head[92:96]) { // these say that the number of pages is kept
		return err
	}
	page := cmp.Or(int64(binary.BigEndian.Uint16(head[16:])&^1), 65536) // 1 is 65,536, which takes 17 bits
	if is, was := info.Size(), page*int64(binary.BigEndian.Uint32(head[28:])); is < was {
		return fmt.Errorf("it is cut off: it has %s of %s bytes; copy it again",
			tocsin.Grouped(strconv.FormatInt(is, 10)), tocsin.Grouped(strconv.FormatInt(was, 10)))
	}
	return nil
}

// openCopy opens a file that no other process uses.
func openCopy(ctx context.Context, path string, pragmas ...string) (*conn, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: abs, RawQuery: url.Values{"_pragma": pragmas}.Encode()}
	pool, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, err
	}
	d := &sqliteDialect{pool: pool}
	s, err := d.connect(ctx)
	if err != nil {
		d.close()
	}
	return s, err
}
