package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/pgtest"
)

// TestTheURLOfADatabaseIsInNoError: it has a password.
func TestTheURLOfADatabaseIsInNoError(t *testing.T) {
	for _, url := range []string{
		"postgres://tocsin:hunter2@127.0.0.1:1/x?connect_timeout=1",
		"postgres://tocsin:hunter2/with#signs@127.0.0.1:1/x",
		"postgres://tocsin:hunter2@127.0.0.1:port/x",
		"postgres://tocsin:hunter2@127.0.0.1:1/x?sslmode=nonsense",
		"postgres://tocsin@127.0.0.1:1/x?password=hunter2&connect_timeout=1",
		"mysql://tocsin:hunter2@127.0.0.1:1/x",
	} {
		db, err := Open(t.Context(), url, Options{})
		if err == nil {
			db.Close()
			t.Fatal("it was opened: ", url)
		}
		if text := fmt.Sprintf("%v %+v %q", err, err, err); strings.Contains(text, "hunter2") {
			t.Errorf("%s: %s", url, text)
		}
	}
}

// TestASchemaOfAnotherProgramOrANewerOneIsLeftAlone in a database of PostgreSQL.
func TestASchemaOfAnotherProgramOrANewerOneIsLeftAlone(t *testing.T) {
	onlyPostgres(t)
	s := fresh(t)
	do(t, s.Close())
	for about, c := range map[string]struct{ at, spoil, want string }{
		"another program's": {newPlace(t), "CREATE TABLE theirs (x int)", "another program"},
		"a newer one":       {s.path, "UPDATE meta SET value = '99' WHERE name = 'schema'", "run a newer tocsin"},
		"none":              {newPlace(t), "SELECT 1", "there is no database"},
	} {
		pgtest.Exec(t, c.at, c.spoil)
		db, err := Open(t.Context(), c.at, Options{MustExist: about == "none"})
		if err == nil {
			db.Close()
		}
		equal(t, about, strings.Contains(fmt.Sprint(err), c.want), true)
	}
}

// TestOfManyProcessesThatBeginADatabaseOneMakesIt, and all go on.
func TestOfManyProcessesThatBeginADatabaseOneMakesIt(t *testing.T) {
	onlyPostgres(t)
	at := newPlace(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			db, err := Open(context.Background(), at, Options{Silence: busy})
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestALostConnectionIsOpenedAgain: the server ends all connections of the program, and nothing has to be restarted.
func TestALostConnectionIsOpenedAgain(t *testing.T) {
	onlyPostgres(t)
	s := &shelf{path: newPlace(t), ahead: new(atomic.Int64)}
	s.DB = open(t, s.path+"&application_name=lost", s.ahead)
	a := s.agent(t)
	s.files(t, story(t, "before", evil.Value), a)
	for n := range 3 {
		pgtest.Exec(t, s.path, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lost'")
		for {
			_, err := s.FileReport(t.Context(), Filing{Draft: story(t, fmt.Sprint("after ", n), evil.Value), By: a})
			if err == nil {
				break
			}
			if !Unavailable(err) {
				t.Fatalf("%v", err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		for range 2 * readers {
			d, err := s.AboutSubject(t.Context(), evil, Page{Limit: 5})
			do(t, err)
			equal(t, "reports", d.ReportCount, n+2)
			s.dossiers.clear()
		}
	}
}

// TestADatabaseThatIsReplacedIsNotUsed any more, as with a file.
func TestADatabaseThatIsReplacedIsNotUsed(t *testing.T) {
	onlyPostgres(t)
	w := watchedDB(t)
	do(t, w.file(t, "before"))
	pgtest.Exec(t, w.path, "UPDATE meta SET value = '0123456789abcdef' WHERE name = 'identity'")
	eventually(t, "it is noticed", func() bool { return w.shows(health.Database) == health.Exchanged })
	if err := w.file(t, "after"); !Reported(err) || !Unavailable(err) {
		t.Errorf("it is written: %v", err)
	}
}

// TestAnImportElsewhereHoldsUpNoQuota: the lock of the evidence is held by another process all the time.
func TestAnImportElsewhereHoldsUpNoQuota(t *testing.T) {
	onlyPostgres(t)
	s := fresh(t)
	a := s.agent(t)
	other := open(t, s.path, s.ahead)
	err := other.write(t.Context(), evidence, false, func(context.Context, *conn) error {
		for n := range 5 {
			used, ok, err := s.Spend(t.Context(), a, 10)
			if err != nil || !ok || used != n+1 {
				return fmt.Errorf("call %d: %d, %v, %w", n, used, ok, err)
			}
		}
		return nil
	})
	do(t, err)
}

// TestReportsAreDatedInTheOrderOfTheirCommits by processes whose clocks differ.
func TestReportsAreDatedInTheOrderOfTheirCommits(t *testing.T) {
	path := newPlace(t)
	var all []*DB
	for i := range 3 {
		now := func() time.Time { return noon.Add(time.Duration(i) * time.Minute) }
		db, err := Open(t.Context(), path, Options{Now: now, Silence: busy})
		do(t, err)
		t.Cleanup(func() { db.Close() })
		all = append(all, db)
	}
	const each = 20
	var filing sync.WaitGroup
	for i, db := range all {
		filing.Go(func() {
			for n := range each {
				d := story(t, fmt.Sprintf("report %d of %d", n, i), evil.Value)
				if _, err := db.FileReport(t.Context(), Filing{Draft: d, Network: network}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	filing.Wait()
	since, last, seen := tocsin.MicroTime(0), tocsin.MicroTime(0), 0
	for {
		page, err := all[0].Reports(t.Context(), Filter{Since: &since, Page: Page{Limit: 7}})
		do(t, err)
		if len(page.Reports) == 0 {
			break
		}
		for _, r := range page.Reports {
			equal(t, "later than the one before", r.CreatedAt.Micro() > last.Micro(), true)
			last = r.CreatedAt
			seen++
		}
		since = page.NextSince
	}
	equal(t, "reports", seen, len(all)*each)
}

// TestTextThatPostgresRefusesFindsNothing: it is not known rather than an error of ours.
func TestTextThatPostgresRefusesFindsNothing(t *testing.T) {
	s := fresh(t)
	for _, id := range []string{"rep_\x00", "rep_\xff\xfe", "\x00"} {
		_, err := s.Report(t.Context(), id)
		var fault *tocsin.Error
		if !errors.As(err, &fault) || fault.Code != tocsin.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// TestALogThatWentBackStaysAFault, even when others have added to it: new events have numbers that were followed.
func TestALogThatWentBackStaysAFault(t *testing.T) {
	onlyPostgres(t)
	for about, lose := range map[string]func(w *watched) (followed int64){
		"of what was looked at": func(w *watched) int64 {
			pgtest.Exec(t, w.path, "DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)")
			return 0
		},
		"of what was only followed": func(w *watched) int64 { return w.log.at() + 1 },
	} {
		w := watchedDB(t)
		do(t, w.file(t, "before"))
		pg := w.dialect.(*postgresDialect)
		equal(t, about+": before", pg.look(t.Context(), w.log.at()), "")
		equal(t, about, pg.look(t.Context(), lose(w)), health.Exchanged)
		pgtest.Exec(t, w.path, "UPDATE event SET seq = seq + 10")
		equal(t, about+": later", pg.look(t.Context(), 0), health.Exchanged)
		eventually(t, "it is noticed", func() bool { return w.usable() != nil })
		w.refuses(t, about, health.Exchanged)
	}
}

// TestEvidenceIsOnDiskThoughNobodyWaitsForIt: others have followed its events when the server is killed.
func TestEvidenceIsOnDiskThoughNobodyWaitsForIt(t *testing.T) {
	onlyPostgres(t)
	s := fresh(t)
	for l, want := range map[lane]string{accounts: "off", evidence: "on"} {
		var setting string
		do(t, s.write(t.Context(), l, false, func(ctx context.Context, c *conn) error {
			return c.row(ctx, "SELECT current_setting('synchronous_commit')", nil, &setting)
		}))
		equal(t, fmt.Sprint("lane ", l), setting, want)
	}
}

// TestAClaimThatIsReleasedWhileItIsInTheWayIsTakenOver: each statement sees what was committed before it.
func TestAClaimThatIsReleasedWhileItIsInTheWayIsTakenOver(t *testing.T) {
	onlyPostgres(t)
	all, _ := handles(t, 2)
	for _, c := range []struct {
		about  string
		others int // claims that are in the way, one after the other
		want   ClaimResult
	}{
		{about: "once", others: 1, want: Acquired},
		{about: "and claimed and released again", others: 2, want: InProgress},
	} {
		other := claims(t, all[0], claimOf(1, 1), Acquired)
		hook := func(ran func(string) error) {
			do(t, all[1].write(t.Context(), accounts, false, func(_ context.Context, c *conn) error {
				c.ran = ran
				return nil
			}))
		}
		released := 0
		hook(func(query string) error {
			switch {
			case strings.HasPrefix(query, "UPDATE claim"):
				do(t, all[0].Release(t.Context(), other))
				released++
			case strings.HasPrefix(query, "INSERT INTO claim") && 0 < released && released < c.others:
				other = claims(t, all[0], claimOf(1, 1), Acquired)
			}
			return nil
		})
		own := claims(t, all[1], claimOf(1, 1), c.want)
		hook(nil)
		equal(t, c.about, []any{released, own.Operation}, []any{c.others, "screenAddress"})
		do(t, all[1].Release(t.Context(), own))
		all[1].Unlock(own)
		equal(t, c.about+": claims that are left", count(t, all[0], "claim"), 0)
	}
}

// TestACallerWhoGoesAwayIsNoFaultOfTheDatabase, though the server says that its statement was cancelled.
func TestACallerWhoGoesAwayIsNoFaultOfTheDatabase(t *testing.T) {
	onlyPostgres(t)
	s := fresh(t)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		gone <- s.read(ctx, primary, func(c *conn) error {
			return c.row(ctx, "SELECT pg_sleep(600)::text", nil, new(string))
		})
	}()
	eventually(t, "it runs", func() (runs bool) {
		do(t, s.read(t.Context(), primary, func(c *conn) error {
			return c.row(t.Context(), "SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'",
				nil, &runs)
		}))
		return runs
	})
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) || Unavailable(err) {
		t.Errorf("it failed with: %v", err)
	}
}

// TestAReadDoesNotWaitForALockForLong: others need its connection.
func TestAReadDoesNotWaitForALockForLong(t *testing.T) {
	onlyPostgres(t)
	path := newPlace(t)
	db, err := Open(t.Context(), path, Options{Silence: time.Second / 4})
	do(t, err)
	t.Cleanup(func() { db.Close() })
	other, err := open(t, path, new(atomic.Int64)).dialect.connect(t.Context())
	do(t, err)
	t.Cleanup(other.close)
	_, err = other.exec(t.Context(), "BEGIN; LOCK TABLE report IN ACCESS EXCLUSIVE MODE")
	do(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), busy)
	defer cancel()
	eventually(t, "it is refused for the lock", func() bool {
		_, err := db.Reports(ctx, Filter{Page: Page{Limit: 1}})
		return sqlState(err) == "55P03" && Unavailable(err)
	})
	_, err = other.exec(t.Context(), "ROLLBACK")
	do(t, err)
	eventually(t, "it goes on", func() bool {
		_, err := db.Reports(t.Context(), Filter{Page: Page{Limit: 1}})
		return err == nil
	})
}
