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
	db, err := Open(t.Context(), path, Options{Now: func() time.Time { return noon.Add(time.Duration(ahead.Load())) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func fresh(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{path: filepath.Join(t.TempDir(), "t.db"), ahead: new(atomic.Int64)}
	s.DB = open(t, s.path, s.ahead)
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
	d, err := tocsin.Draft{CrimeType: tocsin.Phishing, Title: title, Description: "It emptied my wallet.", ReportedDomains: domains}.Parse(noon)
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
	return d
}

func equal(t *testing.T, about string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", about, got, want)
	}
}

func TestASecondImportOfTheSameListChangesNothing(t *testing.T) {
	s := fresh(t)
	entries := []tocsin.Entry{listing(evil, nil), listing(worse, nil), told(story(t, "a", "evil.com"), "1")}
	equal(t, "first", s.imports(t, "list", entries...), Counts{Added: 3})
	equal(t, "second", s.imports(t, "list", append(entries, entries...)...), Counts{Unchanged: 3})
	equal(t, "events", s.events(t), "filed 1, listed 2")
}

func TestAnEntryThatHasLeftItsListIsWithdrawnAndMayComeBack(t *testing.T) {
	s := fresh(t)
	others := []tocsin.Entry{listing(worse, nil), told(story(t, "b"+"", "worse.com"), "2")}
	both := append([]tocsin.Entry{listing(evil, nil), told(story(t, "a", "evil.com"), "1")}, others...)
	s.imports(t, "list", both...)
	d := dossier(t, s.DB, evil)
	equal(t, "before", []int{len(d.Listings), d.ReportCount}, []int{1, 1})
	if d.Listings[0].Since != nil {
		t.Error("an undated entry of a first import has a date")
	}
	equal(t, "without it", s.imports(t, "list", others...), Counts{Unchanged: 2, Withdrawn: 2})
	d = dossier(t, s.DB, evil)
	equal(t, "withdrawn", []int{len(d.Listings), d.ReportCount}, []int{0, 0})
	s.sleep(time.Hour)
	equal(t, "with it again", s.imports(t, "list", both...), Counts{Added: 2, Unchanged: 2})
	d = dossier(t, s.DB, evil)
	if len(d.Listings) != 1 || d.ReportCount != 1 || d.Listings[0].Since != nil {
		t.Errorf("%+v", d)
	}
	equal(t, "events", s.events(t), "delisted 1, filed 3, gone 1, listed 2, relisted 1")
}

func TestAListThatHasLostMoreThanHalfIsRefused(t *testing.T) {
	s := fresh(t)
	s.imports(t, "list", listing(evil, nil), listing(worse, nil), listing(tocsin.Subject{Kind: tocsin.DNS, Value: "third.com"}, nil))
	newcomer := listing(tocsin.Subject{Kind: tocsin.DNS, Value: "new.com"}, nil)
	if _, err := s.tryImport(t, "list", false, newcomer); err == nil {
		t.Fatal("it was believed")
	}
	equal(t, "nothing was added", len(dossier(t, s.DB, newcomer.Listing.Subject).Listings), 0)
	equal(t, "nothing was withdrawn", len(dossier(t, s.DB, worse).Listings), 1)
	c, err := s.tryImport(t, "list", false, newcomer, listing(evil, nil))
	equal(t, "not so small", []any{c, err}, []any{Counts{Added: 1, Unchanged: 1, Withdrawn: 2}, nil})
	c, err = s.tryImport(t, "list", true)
	equal(t, "forced to nothing", []any{c, err}, []any{Counts{Withdrawn: 2}, nil})
}

func TestAPartOfAListLeavesTheOtherKindAlone(t *testing.T) {
	s := fresh(t)
	address := listing(tocsin.Subject{Kind: tocsin.EVM, Value: "0x52908400098527886e0f7030069857d2e4169ee7"}, nil)
	s.imports(t, "list", address, listing(evil, nil), listing(worse, nil))
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	if err != nil {
		t.Fatal(err)
	}
	im.Partial()
	if err := im.Add(listing(evil, nil)); err != nil {
		t.Fatal(err)
	}
	c, err := im.Finish(t.Context(), true, nil)
	equal(t, "one file of two", []any{c, err}, []any{Counts{Unchanged: 1, Withdrawn: 1}, nil})
	equal(t, "still listed", len(dossier(t, s.DB, address.Listing.Subject).Listings), 1)
	equal(t, "the whole list", s.imports(t, "list", listing(evil, nil)), Counts{Unchanged: 1, Withdrawn: 1})
}

func TestAHiddenStoryTakesItsListingWithIt(t *testing.T) {
	s := fresh(t)
	s.imports(t, "list", listing(evil, nil), told(story(t, "a", "evil.com"), "1"), told(story(t, "b", "evil.com"), "2"))
	ids := []string{dossier(t, s.DB, evil).Reports[0].ID, dossier(t, s.DB, evil).Reports[1].ID}
	listings := func() int { return len(dossier(t, s.DB, evil).Listings) }
	for i, id := range ids {
		if err := s.Hide(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint(i+1, " hidden"), listings(), 1-i)
	}
	s.imports(t, "list", listing(evil, nil), told(story(t, "a", "evil.com"), "1"), told(story(t, "b", "evil.com"), "2"))
	equal(t, "imported again", listings(), 0)
	if err := s.Restore(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	equal(t, "restored", listings(), 1)
}

func TestTwoImportsOfAListAtOnceDoNoHarm(t *testing.T) {
	s := fresh(t)
	other := &shelf{DB: open(t, s.path, s.ahead), path: s.path, ahead: s.ahead}
	var group sync.WaitGroup
	for _, side := range []*shelf{s, other} {
		group.Go(func() {
			if _, err := side.tryImport(t, "list", false, listing(evil, nil), told(story(t, "a", "evil.com"), "1")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	d := dossier(t, open(t, s.path, s.ahead), evil)
	equal(t, "once", []int{d.ReportCount, len(d.Listings)}, []int{1, 1})
}

func TestWhatTheOperatorHidStaysHiddenWhateverItsListSays(t *testing.T) {
	s := fresh(t)
	s.imports(t, "list", told(story(t, "a", "evil.com"), "1"))
	id := dossier(t, s.DB, evil).Reports[0].ID
	if err := s.Hide(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	s.imports(t, "list", told(story(t, "a, told anew", "evil.com"), "1"))
	if _, err := s.tryImport(t, "list", true, listing(worse, nil)); err != nil { // it leaves, and comes back
		t.Fatal(err)
	}
	s.imports(t, "list", listing(worse, nil), told(story(t, "a, told anew", "evil.com"), "1"))
	equal(t, "hidden", dossier(t, s.DB, evil).ReportCount, 0)
	if err := s.Restore(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	s.imports(t, "list", told(story(t, "a, told anew", "evil.com"), "1"))
	d := dossier(t, s.DB, evil)
	equal(t, "told anew", []any{d.ReportCount, d.Reports[0].Title}, []any{1, "a, told anew"})
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
		if err := errors.Join(s.Hide(t.Context(), f.Report.ID), s.Hide(t.Context(), f.Report.ID), s.Restore(t.Context(), f.Report.ID)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Withdraw(t.Context(), f.Report.ID, f.ManageToken), s.Withdraw(t.Context(), f.Report.ID, f.ManageToken)); err != nil {
		t.Fatal(err)
	}
	if s.Restore(t.Context(), f.Report.ID) == nil {
		t.Error("the operator has restored what its reporter withdrew")
	}
	equal(t, "events", s.events(t), "filed 2, hidden 4, restored 4, withdrawn 2")
}

func TestOnlyALaterIndependentListProvesAKey(t *testing.T) {
	s := fresh(t)
	a := s.agent(t)
	copied := tocsin.Subject{Kind: tocsin.DNS, Value: "copied.com"}
	weekAgo := tocsin.TimeOf(s.Now().Std().Add(-7 * 24 * time.Hour))
	s.imports(t, "other", listing(copied, &weekAgo))
	s.files(t, story(t, "a", "evil.com"), a)
	s.files(t, story(t, "copied from a list", "copied.com"), a)
	proven := func() bool {
		s.dossiers.clear()
		for _, o := range dossier(t, s.DB, evil).Reporters {
			if o.Agent == a.Agent.ID {
				return o.Proven
			}
		}
		return false
	}
	early := tocsin.TimeOf(s.Now().Std().Add(time.Hour))
	s.imports(t, "an hour later", listing(evil, &early))
	if proven() {
		t.Error("a list that named it an hour later proves the key")
	}
	s.sleep(25 * time.Hour)
	s.imports(t, "weekly", listing(worse, nil))
	s.imports(t, "weekly", listing(worse, nil), listing(copied, nil))
	if proven() {
		t.Error("a list that copied what stood on another one proves the key")
	}
	s.imports(t, "weekly", listing(worse, nil), listing(copied, nil), listing(evil, nil))
	if !proven() {
		t.Error("a list that named it a day later proves nothing")
	}
	s.imports(t, "weekly", listing(worse, nil), listing(copied, nil))
	if proven() {
		t.Error("a listing that was withdrawn proves the key")
	}
	s.files(t, story(t, "b", "worse.com"), a) // stood undated in a first import
	s.imports(t, "first import", listing(evil, nil), listing(worse, nil))
	if proven() {
		t.Error("an undated entry of a first import proves the key")
	}
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
	if err := s.Hide(t.Context(), f.Report.ID); err != nil {
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
				if _, err := c.exec(ctx, "INSERT INTO meta (name, value) VALUES ($1, $2)", fmt.Sprint("n", i), []byte{1}); err != nil {
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
	s.sleep(23 * time.Hour) // over midnight
	equal(t, "within a day", s.files(t, d, nil).Report.ID, first.Report.ID)
	s.sleep(2 * time.Hour)
	if s.files(t, d, nil).Duplicate {
		t.Error("it is remembered for more than a day")
	}
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
	if _, err := Open(t.Context(), "postgres://localhost/x", Options{}); err == nil || !strings.Contains(err.Error(), "SQLite") {
		t.Errorf("a URL: %v", err)
	}
}

func FuzzReadCursor(f *testing.F) {
	f.Add(cursor(7))
	f.Add(searchCursor(7, 20))
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := readCursor(text); err == nil && n < 0 {
			t.Errorf("%q gives %d", text, n)
		}
		if top, skip, err := readSearchCursor(text); err == nil && (top < 0 || skip < 0) {
			t.Errorf("%q gives %d, %d", text, top, skip)
		}
	})
}

// FuzzSearch sends what a caller may type through to the database: none of it
// may be syntax there.
func FuzzSearch(f *testing.F) {
	for _, q := range []string{`fake "claim site" drain*`, `a AND b`, `"`, `col:x`, `{a b}:c`, `^a`, `a+b`, `NEAR(a b)`, "a\x00b", `'`, `"a"*`} {
		f.Add(q)
	}
	db, err := Open(context.Background(), filepath.Join(f.TempDir(), "t.db"), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	f.Fuzz(func(t *testing.T, q string) {
		terms, fault := tocsin.ParseQuery(q)
		if fault != nil {
			return
		}
		if _, err := db.Search(t.Context(), terms, "", Page{Limit: 20}); err != nil {
			t.Errorf("%q: %v", q, err)
		}
	})
}

func TestASearchMayBeOfOneCrimeType(t *testing.T) {
	s := fresh(t)
	var scams []string
	for i := range 7 {
		d := story(t, fmt.Sprintf("Approval %d", i), "evil.com")
		if i%2 == 1 {
			d.CrimeType = tocsin.Scam
		}
		if i == 3 {
			d.Title, d.Description = "Told in the story", "It asked for an approval."
		}
		filed, err := s.FileReport(t.Context(), Filing{Draft: d, Network: network})
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 {
			scams = append(scams, filed.Report.ID)
		}
	}
	terms := []tocsin.Term{{Text: "approval"}}
	for crime, want := range map[tocsin.CrimeType]int{"": 7, tocsin.Phishing: 4, tocsin.Scam: 3, tocsin.Hack: 0} {
		found, err := s.Search(t.Context(), terms, crime, Page{Limit: 20})
		if err != nil || found.Found != want || len(found.Reports) != want {
			t.Errorf("%q: %d of %d found, %v", crime, len(found.Reports), found.Found, err)
		}
	}
	// Page by page, and the one that has the word in its story alone comes last.
	var got []string
	for cursor := ""; ; {
		found, err := s.Search(t.Context(), terms, tocsin.Scam, Page{Limit: 2, Cursor: cursor})
		if err != nil || found.Found != 3 {
			t.Fatalf("%d found, %v", found.Found, err)
		}
		for _, r := range found.Reports {
			got = append(got, r.ID)
		}
		if cursor = found.NextCursor; cursor == "" {
			break
		}
	}
	if want := []string{scams[2], scams[0], scams[1]}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestASearchOfOneCrimeTypeSaysWhatItHasNotLookedAt(t *testing.T) {
	s := fresh(t)
	for i := range 10 { // every fifth is a scam
		d := story(t, fmt.Sprintf("Approval %d", i), "evil.com")
		if i%5 == 0 {
			d.CrimeType = tocsin.Scam
		}
		s.files(t, d, nil)
	}
	terms := []tocsin.Term{{Text: "approval"}}
	for _, c := range []struct {
		crime  tocsin.CrimeType
		window int
		want   Listed
	}{
		{tocsin.Scam, 10, Listed{Found: 2}},
		{tocsin.Scam, 9, Listed{Found: 1, Partial: true}},
		{tocsin.Scam, 4, Listed{Found: 0, Partial: true}},
		{tocsin.Hack, 10, Listed{}},
		{"", 4, Listed{Found: 10}},
	} {
		got, err := s.search(t.Context(), terms, c.crime, Page{Limit: 1}, c.window)
		if err != nil || got.Found != c.want.Found || got.Partial != c.want.Partial {
			t.Errorf("%q among %d: %d, %t, %v", c.crime, c.window, got.Found, got.Partial, err)
		}
	}
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
