package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/health"
)

// watched is a database whose troubles a test can see.
type watched struct {
	*shelf
	t     *testing.T
	board *health.Board

	unread atomic.Int64 // how often it was reported that the log of events cannot be read
}

func watchedDB(t *testing.T) *watched {
	t.Helper()
	s := fresh(t)
	s.Close()
	w := &watched{shelf: s, t: t}
	w.reopen(Options{})
	return w
}

// reopen opens the database again, by the same clock.
func (w *watched) reopen(o Options) {
	w.t.Helper()
	o.Now = func() time.Time { return noon.Add(time.Duration(w.ahead.Load())) }
	w.board = health.New(o.Now, func(t health.Trouble, begun bool) {
		if t.Part == health.Events && begun {
			w.unread.Add(1)
		}
	})
	o.Health = w.board
	o.Silence = cmp.Or(o.Silence, busy)
	db, err := Open(w.t.Context(), w.path, o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.DB = db
	w.t.Cleanup(func() { db.Close() })
}

// shows says what the board shows of a part, "" for nothing.
func (w *watched) shows(part health.Part) health.Reason {
	for _, t := range w.board.Troubles() {
		if t.Part == part {
			return t.Reason
		}
	}
	return ""
}

func (w *watched) file(t *testing.T, title string) error {
	_, err := w.FileReport(t.Context(), Filing{Draft: story(t, title, "evil.com"), Network: network})
	return err
}

// refuses checks that nothing is written or read because of the file.
func (w *watched) refuses(t *testing.T, about string, reason health.Reason) {
	t.Helper()
	var fault *Outage
	if err := w.file(t, about); !errors.As(err, &fault) || fault.Reason != reason || !Unavailable(err) || !Reported(err) {
		t.Errorf("%s: a filing: %v", about, err)
	}
	if _, err := w.AboutSubject(t.Context(), evil, Page{Limit: 5}); !errors.As(err, &fault) {
		t.Errorf("%s: a dossier: %v", about, err)
	}
	if w.shows(health.Database) != reason {
		t.Errorf("%s: the board shows %q, want %q", about, w.shows(health.Database), reason)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// TestAFileThatWasMovedTakesNoReport moves each of the files away, puts another in its place, and moves it back. The
// first report afterwards is refused, without waiting for the watch.
func TestAFileThatWasMovedTakesNoReport(t *testing.T) {
	onlySQLite(t)
	for suffix, reasons := range map[string][2]health.Reason{
		"": {"missing", "replaced"}, "-wal": {"log missing", "log replaced"},
	} {
		t.Run("t.db"+suffix, func(t *testing.T) {
			w := watchedDB(t)
			if err := w.file(t, "before"); err != nil {
				t.Fatal(err)
			}
			path := w.path + suffix
			rename(t, path, path+".away")
			w.refuses(t, "moved away", reasons[0])
			if err := os.WriteFile(path, []byte("another"), 0o600); err != nil {
				t.Fatal(err)
			}
			eventually(t, "another file is noticed", func() bool { return w.shows(health.Database) == reasons[1] })
			w.refuses(t, "replaced", reasons[1])
			rename(t, path+".away", path)
			eventually(t, "the file is back", func() bool { return w.shows(health.Database) == "" })
			if err := w.file(t, "after"); err != nil {
				t.Errorf("the same file is back: %v", err)
			}
		})
	}
}

// TestAConnectionPutsNoFileInThePlaceOfOneThatWasMoved: the watch may open one just after the file was moved.
func TestAConnectionPutsNoFileInThePlaceOfOneThatWasMoved(t *testing.T) {
	onlySQLite(t)
	w := watchedDB(t)
	if err := os.Rename(w.path, w.path+".away"); err != nil {
		t.Fatal(err)
	}
	if s, err := w.dialect.connect(t.Context()); err == nil {
		if err := s.row(t.Context(), "SELECT count(*) FROM sqlite_master", nil, new(int)); err == nil {
			t.Error("a database that is not there was read")
		}
		s.close()
	}
	if _, err := os.Stat(w.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in the place of the file: %v, want nothing", err)
	}
}

// TestADatabaseOutOfReachIsOneTrouble: that its log of events cannot be read meanwhile is not another one, with another
// remedy; nor is it when the database is back.
func TestADatabaseOutOfReachIsOneTrouble(t *testing.T) {
	onlySQLite(t)
	r := serving(t)
	rename(t, r.path, r.path+".away")
	eventually(t, "it is noticed", func() bool { return r.shows(health.Database) == health.Missing })
	r.passes(time.Minute)
	eventually(t, "the watch looks again", func() bool { return r.log.outOfReach.Load() == r.passed.Load() })
	rename(t, r.path+".away", r.path)
	eventually(t, "the log is read again", func() bool { return r.shows(health.Database) == "" && r.lag() == 0 })
	if n := r.unread.Load(); n > 0 {
		t.Errorf("the log was reported %d times", n)
	}
}

// TestAServerThatHungForLongIsOneTrouble: while it hangs, each look at it takes longer than the log may stay unread.
func TestAServerThatHungForLongIsOneTrouble(t *testing.T) {
	passed := time.Duration(0)
	now := func() time.Time { return noon.Add(passed) }
	var shown []health.Trouble
	db := &DB{now: now, monotonic: func() time.Duration { return passed }}
	db.health = health.New(now, func(t health.Trouble, begun bool) {
		if begun {
			shown = append(shown, t)
		}
	})
	db.logRead(db.monotonic(), now())
	for _, reason := range []health.Reason{health.Unreachable, health.Unreachable, "", ""} {
		db.setFileFault(reason)
		db.checkLog()
		passed += maxLag / 2
		if reason != "" {
			passed += maxLag
		}
	}
	if len(shown) != 1 || shown[0].Reason != health.Unreachable {
		t.Errorf("%v", shown)
	}
	passed += maxLag
	db.checkLog()
	if len(shown) != 2 || shown[1].Reason != health.Unread {
		t.Errorf("the log is not read when the server is back: %v", shown)
	}
}

// TestALogThatWasDeletedIsSavedAtTheEnd: SQLite has it open, and moves what it holds into the file when it is closed.
func TestALogThatWasDeletedIsSavedAtTheEnd(t *testing.T) {
	onlySQLite(t)
	w := watchedDB(t)
	if err := w.file(t, "before"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(w.path + "-wal"); err != nil {
		t.Fatal(err)
	}
	w.refuses(t, "deleted", "log missing")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.reopen(Options{})
	page, err := w.Reports(t.Context(), Filter{Page: Page{Limit: 5}})
	if err != nil || len(page.Reports) == 0 || page.Reports[len(page.Reports)-1].Title != "before" {
		t.Errorf("after a restart: %v %v", page.Reports, err)
	}
}

// TestAFileThatWasEmptiedIsOverwrittenThoughItsLogIsGone: SQLite deletes the log of an empty file.
func TestAFileThatWasEmptiedIsOverwrittenThoughItsLogIsGone(t *testing.T) {
	onlySQLite(t)
	w := watchedDB(t)
	if err := errors.Join(os.Remove(w.path+"-wal"), os.Truncate(w.path, 0)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is overwritten", func() bool { return w.shows(health.Database) == health.Overwritten })
}

// TestAFileThatWasOverwrittenIsNoticed writes into the file that SQLite has open: nothing, junk, another database of
// Tocsin, and an older copy of itself.
func TestAFileThatWasOverwrittenIsNoticed(t *testing.T) {
	onlySQLite(t)
	content := func(path string) []byte {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	another := fresh(t)
	for n := range 9 {
		another.files(t, story(t, fmt.Sprint(n), "other.com"), nil)
	}
	another.Close()
	for about, with := range map[string]func(before []byte) []byte{
		"nothing":        func([]byte) []byte { return nil },
		"junk":           func([]byte) []byte { return []byte(strings.Repeat("junk", 10_000)) },
		"another":        func([]byte) []byte { return content(another.path) },
		"an older one":   func(before []byte) []byte { return before },
		"a header alone": func(before []byte) []byte { return before[:4096] },
	} {
		t.Run(about, func(t *testing.T) {
			w := watchedDB(t)
			w.Close()
			before := content(w.path)
			w.reopen(Options{})
			for n := range 3 {
				if err := w.file(t, fmt.Sprint(n)); err != nil {
					t.Fatal(err)
				}
			}
			c, err := w.dialect.connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer c.close()
			eventually(t, "the log is in the file", func() bool {
				var busy, pages, moved int64 // busy: the store moves the log at this moment, and no numbers are given
				err := c.row(t.Context(), "PRAGMA wal_checkpoint(PASSIVE)", nil, &busy, &pages, &moved)
				return err == nil && busy == 0 && pages == moved
			})
			eventually(t, "the watch has looked", func() bool { return lite(w.DB).file.lastEvent.Load() >= 3 })
			f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_TRUNC, 0)
			if err == nil {
				_, err = io.Copy(f, strings.NewReader(string(with(before))))
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() }) // closing it before would drop SQLite's locks
			eventually(t, "it is noticed", func() bool { return w.shows(health.Database) == "overwritten" })
			w.refuses(t, about, "overwritten")
		})
	}
}

// TestAnAnswerFromMemoryIsNoLongerGiven: what is kept in memory is that of a file that is not the database any more.
func TestAnAnswerFromMemoryIsNoLongerGiven(t *testing.T) {
	onlySQLite(t)
	w := watchedDB(t)
	if _, err := w.AboutSubject(t.Context(), evil, Page{Limit: 5}); err != nil {
		t.Fatal(err)
	}
	rename(t, w.path, w.path+".away")
	eventually(t, "it is noticed", func() bool { return w.shows(health.Database) == "missing" })
	if _, err := w.AboutSubject(t.Context(), evil, Page{Limit: 5}); !Reported(err) {
		t.Errorf("the dossier in memory is given: %v", err)
	}
	rename(t, w.path+".away", w.path)
	eventually(t, "the file is back", func() bool { return w.shows(health.Database) == "" })
	if kept, _ := w.dossiers.get(evil, 0); kept != nil {
		t.Error("it is given when a file is back, which may have changed meanwhile")
	}
}

// TestWritesThatFailAreReported by their kind: here the file may not grow any more.
func TestWritesThatFailAreReported(t *testing.T) {
	onlySQLite(t)
	w := watchedDB(t)
	err := w.write(t.Context(), evidence, true, func(ctx context.Context, s *conn) error {
		return s.row(ctx, "PRAGMA max_page_count = 1", nil, new(int64))
	})
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	for n := 0; n < 1000 && failed == nil; n++ {
		failed = w.file(t, strings.Repeat("x ", 40)+fmt.Sprint(n))
	}
	if !Unavailable(failed) || w.shows(health.Writes) != "full" {
		t.Errorf("%v, the board shows %q", failed, w.shows(health.Writes))
	}
	before := len(w.board.Troubles())
	if err := w.Hide(t.Context(), Operator{}, "rep_none"); err == nil || len(w.board.Troubles()) != before {
		t.Errorf("a caller's fault is reported: %v", err)
	}
}

// TestAnImportOfAnotherProcessIsNoFault: others may write, check the log into the file and empty it.
func TestAnImportOfAnotherProcessIsNoFault(t *testing.T) {
	onlySQLite(t)
	w := watchedDB(t)
	other := open(t, w.path, w.ahead)
	for n := range 5 {
		if err := (&watched{shelf: &shelf{DB: other}}).file(t, fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
		if err := w.file(t, fmt.Sprint("own ", n)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(watchInterval / 2)
	}
	c, err := other.dialect.connect(t.Context())
	if err == nil {
		_, err = c.conn.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE); VACUUM")
		c.close()
	}
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	time.Sleep(2 * watchInterval)
	if err := w.file(t, "after"); err != nil || w.shows(health.Database) != "" {
		t.Errorf("%v, the board shows %q", err, w.shows(health.Database))
	}
}

// TestADiskThatCannotBeMeasuredIsStillFull: what was low stays low until a measurement says otherwise.
func TestADiskThatCannotBeMeasuredIsStillFull(t *testing.T) {
	onlySQLite(t)
	w := watchedDB(t)
	rename(t, w.path, w.path+".away")
	w.board.Set(health.Disk, health.Low)
	w.checkDisk()
	equal(t, "the disk", w.shows(health.Disk), health.Low)
}

// TestAnOutageSaysWhatDoesNotWork, and of a wrong clock what still does.
func TestAnOutageSaysWhatDoesNotWork(t *testing.T) {
	for part, want := range map[health.Part]string{
		health.Database: "Nothing can be looked up or recorded until that is corrected",
		health.Events:   "Nothing can be looked up until that is corrected",
		health.Clock: "New reports, keys, sign-ins and payments are not taken until that is corrected; " +
			"look-ups and free calls work",
	} {
		_, got, _ := strings.Cut((&Outage{part, health.Missing}).Public(), ". ")
		equal(t, string(part), got, want)
	}
}
