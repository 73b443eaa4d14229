package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tocsin/internal/health"
)

// damage overwrites the first page of a table of a database that is closed.
func damage(t *testing.T, path, table string) {
	t.Helper()
	ctx := context.Background()
	c, err := openCopy(ctx, path)
	do(t, err)
	var page, size int64
	do(t, c.row(ctx, "SELECT rootpage FROM sqlite_schema WHERE name = $1", []any{table}, &page))
	do(t, c.row(ctx, "PRAGMA page_size", nil, &size))
	c.close()
	c.dialect.close()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	do(t, err)
	_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, int(size)), (page-1)*size)
	do(t, err)
	do(t, f.Close())
}

// TestADamagedDatabaseIsTroubleWithARemedy: a read that finds it is counted, and every error says what to do.
func TestADamagedDatabaseIsTroubleWithARemedy(t *testing.T) {
	board := health.New(func() time.Time { return time.Unix(1, 0) }, nil)
	path := filepath.Join(t.TempDir(), "x.db")
	open := func() (*DB, error) { return Open(t.Context(), path, Options{Health: board}) }
	db, err := open()
	do(t, err)
	do(t, db.Close())
	damage(t, path, "claim")
	db, err = open()
	do(t, err)
	err = db.read(t.Context(), primary, func(s *conn) error {
		return s.row(t.Context(), "SELECT count(*) FROM claim NOT INDEXED", nil, new(int))
	})
	if err == nil || !strings.HasSuffix(err.Error(), "malformed (11). "+health.Damaged) {
		t.Errorf("a read says %v", err)
	}
	found := board.Troubles()
	if len(found) != 1 || found[0].Part != health.Database || found[0].Reason != health.Corrupt {
		t.Errorf("troubles are %v", found)
	}
	if err := db.Readable(t.Context()); !Damaged(err) { // though all else can be read
		t.Errorf("it is readable: %v", err)
	}
	do(t, db.Close())
	damage(t, path, "event")
	if _, err = open(); err == nil || !strings.HasSuffix(err.Error(), "malformed (11). "+health.Damaged) {
		t.Errorf("opening says %v", err)
	}
}
