package store

import (
	"bytes"
	"context"
	"errors"
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

// TestABackupOverTheDatabaseIsNoticedBeforeTheNextReportIsAnswered, though what the log holds is moved into the file
// that was overwritten, and makes it look newer than it is.
func TestABackupOverTheDatabaseIsNoticedBeforeTheNextReportIsAnswered(t *testing.T) {
	onlySQLite(t)
	for run := range 6 {
		w := watchedDB(t)
		copied := filepath.Join(t.TempDir(), "copy.db")
		do(t, w.file(t, "before"))
		_, err := w.Backup(t.Context(), copied)
		do(t, err)
		older, err := os.ReadFile(copied)
		do(t, err)
		for n := range run {
			do(t, w.file(t, "after the copy "+strings.Repeat("x", n)))
		}
		time.Sleep(time.Duration(run%3) * checkpointInterval)
		f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_TRUNC, 0)
		do(t, err)
		t.Cleanup(func() { f.Close() }) // closing it before would drop SQLite's locks
		_, err = f.Write(older)
		do(t, err)
		w.refuses(t, "overwritten", health.Overwritten)
	}
}

// TestADatabaseKnownToBeDamagedRecordsNothing: a sound copy replaces it, in which the record would not be. Look-ups of
// what can be read, and counts of calls, go on.
func TestADatabaseKnownToBeDamagedRecordsNothing(t *testing.T) {
	onlySQLite(t)
	w := watchedDB(t)
	id := w.files(t, story(t, "before", "evil.com"), nil).Report.ID
	w.Close()
	damage(t, w.path, "claim")
	w.reopen(Options{})
	if err := w.file(t, "while nobody knows"); err != nil {
		t.Fatal(err)
	}
	if err := w.read(t.Context(), primary, func(s *conn) error {
		return s.row(t.Context(), "SELECT count(*) FROM claim NOT INDEXED", nil, new(int))
	}); !Damaged(err) {
		t.Fatal(err)
	}
	_, key := w.CreateKey(t.Context(), nil, "one", nil)
	for about, err := range map[string]error{
		"a report": w.file(t, "lost"), "hiding one": w.Hide(t.Context(), Operator{}, id), "a key": key,
	} {
		var outage *Outage
		if !errors.As(err, &outage) || !Unavailable(err) ||
			outage.Public() != "The database is damaged. Nothing was recorded" {
			t.Errorf("%s: %v", about, err)
		}
	}
	if _, err := w.Report(t.Context(), id); err != nil {
		t.Errorf("reading: %v", err)
	}
	if w.shows(health.Writes) != health.Corrupt {
		t.Errorf("the board shows %v", w.board.Troubles())
	}
}
