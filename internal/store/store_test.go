package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
)

// noon is when the clocks of the tests begin: far from midnight, where quotas end.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// eventually waits for what another goroutine does. The two minutes pass only if the test fails.
func eventually(t *testing.T, about string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it does not come about: %s", about)
		}
	}
}

// shelf is a database with a clock that can be set forward.
type shelf struct {
	*DB
	path  string
	ahead *atomic.Int64
}

func open(t *testing.T, path string, ahead *atomic.Int64) *DB {
	t.Helper()
	return openWith(t, path, ahead, Memory{})
}

func openWith(t *testing.T, path string, ahead *atomic.Int64, memory Memory) *DB {
	t.Helper()
	now := func() time.Time { return noon.Add(time.Duration(ahead.Load())) }
	db, err := Open(t.Context(), path, Options{Now: now, Memory: memory, Silence: busy})
	if err == nil {
		db.LoadModel()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// volume is how much a test works through: everything, or less of it under the race detector, which makes the
// database about ten times slower and finds the same in less.
func volume(all, raced int) int {
	info, ok := debug.ReadBuildInfo()
	if ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return raced
	}
	return all
}

func fresh(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{path: newPlace(t), ahead: new(atomic.Int64)}
	s.DB = open(t, s.path, s.ahead)
	t.Cleanup(func() { s.audit(t) })
	return s
}

func (s *shelf) sleep(d time.Duration) { s.ahead.Add(int64(d)) }

var (
	evil    = tocsin.Subject{Kind: tocsin.DNS, Value: "evil.com"}
	worse   = tocsin.Subject{Kind: tocsin.DNS, Value: "worse.com"}
	network = netip.MustParsePrefix("203.0.113.0/24")
)

func story(t *testing.T, title string, domains ...string) tocsin.Draft {
	t.Helper()
	d, err := tocsin.Draft{
		CrimeType:       tocsin.Phishing,
		Title:           title,
		Description:     "It emptied my wallet.",
		ReportedDomains: domains,
	}.Parse(
		noon,
	)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func listing(s tocsin.Subject, since *tocsin.Time) tocsin.Entry {
	return tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Risk, Category: "phishing", Subject: s, Since: since}}
}

func told(d tocsin.Draft, key string) tocsin.Entry { return tocsin.Entry{Report: &d, Key: key} }

func (s *shelf) imports(t *testing.T, name string, entries ...tocsin.Entry) Counts {
	t.Helper()
	c, err := s.tryImport(t, name, false, entries...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *shelf) tryImport(t *testing.T, name string, force bool, entries ...tocsin.Entry) (Counts, error) {
	t.Helper()
	im, err := s.Import(t.Context(), tocsin.List{Name: name, Family: name, URL: "https://lists.example"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := im.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	return im.Finish(t.Context(), force, nil)
}

func (s *shelf) files(t *testing.T, d tocsin.Draft, by *Caller) Filed {
	t.Helper()
	f, err := s.FileReport(t.Context(), Filing{Draft: d, By: by, Network: network})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (s *shelf) agent(t *testing.T) *Caller {
	t.Helper()
	made, err := s.CreateKey(t.Context(), nil, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Caller(t.Context(), made.Key)
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	return c
}

func dossier(t *testing.T, db *DB, s tocsin.Subject) *tocsin.Dossier {
	t.Helper()
	d, err := db.AboutSubject(t.Context(), s, Page{Limit: FirstPage})
	if err != nil {
		t.Fatal(err)
	}
	return &d.Dossier
}

func equal(t *testing.T, about string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", about, got, want)
	}
}

// events counts the log by what happened.
func (s *shelf) events(t *testing.T) string {
	t.Helper()
	var parts []string
	err := s.read(t.Context(), primary, func(c *conn) error {
		return c.each(t.Context(), "SELECT op, count(*) FROM event GROUP BY op ORDER BY op", nil, func(rows *sql.Rows) error {
			var op string
			var n int
			err := rows.Scan(&op, &n)
			parts = append(parts, fmt.Sprint(op, " ", n))
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(parts, ", ")
}

func TestEveryChangeOfAReportIsOneEventForEachSubject(t *testing.T) {
	s := fresh(t)
	f := s.files(t, story(t, "a", "evil.com", "worse.com"), nil)
	for range 2 { // the second time changes nothing
		if err := errors.Join(
			s.Hide(t.Context(), Operator{}, f.Report.ID),
			s.Hide(t.Context(), Operator{}, f.Report.ID),
			s.Restore(t.Context(), Operator{}, f.Report.ID),
		); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(
		s.Withdraw(t.Context(), f.Report.ID, f.ManageToken),
		s.Withdraw(t.Context(), f.Report.ID, f.ManageToken),
	); err != nil {
		t.Fatal(err)
	}
	if s.Restore(t.Context(), Operator{}, f.Report.ID) == nil {
		t.Error("the operator has restored what its reporter withdrew")
	}
	equal(t, "events", s.events(t), "filed 2, hidden 4, restored 4, withdrawn 2")
}

func TestAChangeByAnotherProcessIsFeltWithinASecond(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path, s.ahead)
	f := s.files(t, story(t, "a", "evil.com"), nil)
	felt := func(about string, count int) {
		t.Helper()
		eventually(t, about, func() bool { return dossier(t, other, evil).ReportCount == count })
	}
	felt("filed", 1)
	if err := s.Hide(t.Context(), Operator{}, f.Report.ID); err != nil {
		t.Fatal(err)
	}
	felt("hidden", 0)
}

func TestOneFailedWriteDoesNotHarmItsNeighbours(t *testing.T) {
	s := fresh(t)
	failure := errors.New("on purpose")
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			err := s.write(context.Background(), accounts, i%3 == 0, func(ctx context.Context, c *conn) error {
				if _, err := c.exec(
					ctx,
					"INSERT INTO meta (name, value) VALUES ($1, $2)",
					fmt.Sprint("n", i),
					[]byte{1},
				); err != nil {
					return err
				}
				if i%10 == 0 {
					return failure
				}
				return nil
			})
			if (i%10 == 0) != errors.Is(err, failure) {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	group.Wait()
	var n int
	if err := s.read(t.Context(), primary, func(c *conn) error {
		return c.row(t.Context(), "SELECT count(*) FROM meta WHERE name LIKE 'n%'", nil, &n)
	}); err != nil {
		t.Fatal(err)
	}
	equal(t, "written", n, 180)
}

func TestCallersWhoLeaveMidwayBreakNothing(t *testing.T) {
	s := fresh(t)
	c := s.agent(t)
	id := s.files(t, story(t, "a", "evil.com"), nil).Report.ID
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 300 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%50)*4*time.Microsecond)
				_, _ = s.AnyReport(ctx, id) // whether they get it or not is all the same
				_, _, _ = s.Spend(ctx, c, 1<<30)
				cancel()
			}
		})
	}
	group.Wait()
	for range 2 * readers {
		if _, err := s.AnyReport(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := s.Spend(t.Context(), c, 1<<30); !ok || err != nil {
		t.Error(ok, err)
	}
}

func TestAClosedDatabaseSaysSo(t *testing.T) {
	s := fresh(t)
	c := s.agent(t)
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Spend(context.Background(), c, 10); !errors.Is(err, errClosed) {
		t.Errorf("a write: %v", err)
	}
	if _, err := s.Stats(context.Background()); !errors.Is(err, errClosed) {
		t.Errorf("a read: %v", err)
	}
}

func TestTheAnonymousAreRememberedForADayAndNoLonger(t *testing.T) {
	s := fresh(t)
	d := story(t, "a", "evil.com")
	first := s.files(t, d, nil)
	s.sleep(24*time.Hour - time.Microsecond) // over midnight
	equal(t, "within a day", s.files(t, d, nil).Report.ID, first.Report.ID)
	s.sleep(time.Microsecond)
	if s.files(t, d, nil).Duplicate {
		t.Error("it is remembered for more than a day")
	}
	equal(t, "the new one is remembered for a day of its own", s.files(t, d, nil).Duplicate, true)
	s.sleep(96 * time.Hour)
	eventually(t, "nobody files, and the salts are forgotten all the same", func() bool {
		salts := -1
		do(t, s.read(t.Context(), primary, func(c *conn) error {
			return c.row(t.Context(), "SELECT count(*) FROM meta WHERE name LIKE 'salt %'", nil, &salts)
		}))
		return salts == 0
	})
}

func TestNothingSecretIsStoredInClear(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	made, err := s.CreateKey(t.Context(), nil, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	f := s.files(t, story(t, "a", "evil.com"), nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{string(made.Key)[len(made.Key.Prefix()):], f.ManageToken, "203.0.113"} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%q is in the file", secret)
		}
	}
	if info, err := os.Stat(s.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the file: %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(s.path + "-wal"); err == nil {
		t.Error("a closed database leaves its log beside it")
	}
}

func TestAForeignOrNewerFileIsRefusedAndLeftAlone(t *testing.T) {
	onlySQLite(t)
	for name, spoil := range map[string]string{
		"another program's": "CREATE TABLE theirs (x)",
		"a newer one":       "PRAGMA application_id = 1414480723; PRAGMA user_version = 99; CREATE TABLE later (x)",
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(spoil); err != nil {
			t.Fatal(err)
		}
		db.Close()
		before, _ := os.ReadFile(path)
		if db, err := Open(t.Context(), path, Options{}); err == nil {
			db.Close()
			t.Errorf("%s: opened", name)
		}
		after, _ := os.ReadFile(path)
		if len(before) == 0 || !bytes.Equal(before, after) {
			t.Errorf("%s: changed", name)
		}
	}
	if _, err := Open(t.Context(), t.TempDir(), Options{}); err == nil {
		t.Error("a directory was opened")
	}
	_, err := Open(t.Context(), "mysql://localhost/x", Options{})
	equal(t, "a URL is refused", strings.Contains(fmt.Sprint(err), "is not supported"), true)
}

func TestADatabaseMayStandBehindALink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(filepath.Join(dir, "real.db"), link); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), link, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
