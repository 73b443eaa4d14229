package store

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/pgtest"
)

// rewriting is the same database, but each write is first done in a group that
// fails: it is rolled back and done again.
func (s *shelf) rewriting(t *testing.T) *shelf {
	t.Helper()
	jobs := make(chan *job)
	db := &DB{
		dialect:   s.dialect,
		readers:   s.readers,
		searches:  s.searches,
		jobs:      [2]chan *job{jobs, jobs},
		closed:    make(chan struct{}),
		now:       s.now,
		random:    s.random,
		monotonic: s.monotonic,
	}
	db.logRead(0, db.now())
	db.followLists(s.lists.current.Load())
	c, err := s.dialect.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	failure := errors.New("on purpose")
	failing := &job{ctx: context.Background(), do: func(context.Context, *conn) error { return failure }}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case j := <-jobs:
				if err := db.commit(context.Background(), c, []*job{j, failing}); !errors.Is(err, failure) {
					t.Errorf("the group: %v", err)
				}
				err := db.commit(context.Background(), c, []*job{j})
				if err == nil {
					err = j.err
				}
				j.ended(err)
			case <-db.closed:
				return
			}
		}
	}()
	t.Cleanup(func() { close(db.closed); <-ended; c.close() })
	return &shelf{DB: db, path: s.path, ahead: s.ahead}
}

func TestAWriteThatIsDoneAgainIsDoneOnce(t *testing.T) {
	plain := fresh(t)
	s := plain.rewriting(t)
	a := plain.agent(t)
	found := func(about, word string, want int) {
		t.Helper()
		page, err := s.Search(t.Context(), []tocsin.Term{{Text: word}}, "", Page{Limit: 5})
		do(t, err)
		equal(t, about, []int{page.Found, len(page.Reports)}, []int{want, want})
	}
	for _, by := range []*Caller{a, nil} {
		f := s.files(t, story(t, "A drainer", "evil.com"), by)
		equal(t, "filed", []bool{f.Duplicate, f.ManageToken != ""}, []bool{false, true})
		again := s.files(t, story(t, "A drainer", "evil.com"), by)
		equal(t, "filed again", []any{again.Duplicate, again.Report.ID, again.ManageToken}, []any{true, f.Report.ID, ""})
		found("filed", "drainer", 1)
		equal(t, "filed", dossier(t, s.DB, evil).ReportCount, 1)
		do(t, s.Hide(t.Context(), Operator{}, f.Report.ID))
		found("hidden", "drainer", 0)
		equal(t, "hidden", dossier(t, s.DB, evil).ReportCount, 0)
		do(t, s.Restore(t.Context(), Operator{}, f.Report.ID))
		found("restored", "drainer", 1)
		equal(t, "restored", dossier(t, s.DB, evil).ReportCount, 1)
		do(t, s.Withdraw(t.Context(), f.Report.ID, f.ManageToken))
	}
	equal(t, "events", s.events(t), "filed 2, hidden 2, restored 2, withdrawn 2")

	entries := []tocsin.Entry{listing(evil, nil), told(story(t, "A drainer told", "evil.com"), "1")}
	equal(t, "imported", s.imports(t, "list", entries...), Counts{Added: 2, Reports: 1})
	equal(t, "imported again", s.imports(t, "list", entries...), Counts{Unchanged: 2})
	found("told", "told", 1)
	do(t, s.Hide(t.Context(), Operator{}, dossier(t, s.DB, evil).Reports[0].ID))
	equal(t, "hidden with its listing", len(dossier(t, s.DB, evil).Listings), 0)

	wallet := tocsin.Address{19: 7}
	for replaced := range 2 {
		made, err := s.CreateKey(t.Context(), &wallet, "", nil)
		equal(t, "created", []any{made.Replaced, err}, []any{replaced, nil})
		if replaced == 1 {
			prefix, err := s.RevokeKey(t.Context(), Operator{}, string(made.Key))
			equal(t, "revoked", []any{prefix, err}, []any{made.Key.Prefix(), nil})
		}
	}
	nonce, _, err := s.NewNonce(t.Context(), 1e9)
	do(t, err)
	fresh, err := s.UseNonce(t.Context(), nonce)
	equal(t, "a nonce", []any{fresh, err}, []any{true, nil})
	for n := range 3 {
		used, ok := spend(t, s.DB, a, 2)
		equal(t, "used", []any{used, ok}, []any{min(n+1, 2), n < 2})
	}
	c := claims(t, s.DB, claimOf(1, 1), Acquired)
	equal(t, "sent", settle(t, s.DB, c), true)
	s.Settled(t.Context(), c, func(err error) { t.Error(err) })
	s.Unlock(c)
	claims(t, s.DB, claimOf(1, 1), Replayed) // it is settled
}

// TestWhatIsRolledBackIsNotFound: the words of a report that is undone are not
// indexed with the next one.
func TestWhatIsRolledBackIsNotFound(t *testing.T) {
	s := fresh(t)
	failure := errors.New("on purpose")
	err := s.write(t.Context(), evidence, false, func(ctx context.Context, c *conn) error {
		r := row{id: "rep_undone", draft: story(t, "Undone", "evil.com"), body: []byte("{}"), manage: []byte{1}}
		return errors.Join(insertReports(ctx, c, []*row{&r}, s.Now()), failure)
	})
	equal(t, "undone", errors.Is(err, failure), true)
	s.files(t, story(t, "The next", "worse.com"), nil)
	for word, want := range map[string]int{"undone": 0, "next": 1} {
		found, err := s.Search(t.Context(), []tocsin.Term{{Text: word}}, "", Page{Limit: 5})
		equal(t, word, []any{found.Found, len(found.Reports), err}, []any{want, want, nil})
	}
}

// drained is a source of randomness that has some bytes left.
type drained struct{ left int }

func (r *drained) Read(p []byte) (int, error) {
	if r.left -= len(p); r.left < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return rand.Read(p)
}

// TestNothingIsMadeWithoutRandomness: no id, key, token or salt is guessable.
func TestNothingIsMadeWithoutRandomness(t *testing.T) {
	source := &drained{left: 1 << 20}
	db, err := Open(t.Context(), newPlace(t), Options{Random: source, Silence: busy})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &shelf{DB: db}
	by := s.agent(t)
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	do(t, err)
	do(t, im.Add(told(story(t, "told", "evil.com"), "1")))
	for about, act := range map[string]func() error{
		"file": func() error {
			_, err := s.FileReport(t.Context(), Filing{Draft: story(t, "a", "evil.com"), Network: network})
			return err
		},
		"file with a key": func() error {
			_, err := s.FileReport(t.Context(), Filing{Draft: story(t, "a", "evil.com"), By: by, Network: network})
			return err
		},
		"create a key": func() error { _, err := s.CreateKey(t.Context(), nil, "", nil); return err },
		"nonce":        func() error { _, _, err := s.NewNonce(t.Context(), time.Hour); return err },
		"sign in":      func() error { _, err := s.NewSession(t.Context(), tocsin.Address{1}, time.Hour); return err },
		"claim":        func() error { _, err := s.Claim(t.Context(), claimOf(1, 1), true); return err },
		"import":       func() error { _, err := im.Finish(t.Context(), true, nil); return err },
	} {
		for n := 0; ; n++ {
			source.left = n
			if err := act(); err == nil {
				equal(t, about+": random bytes, bad salts", []any{n >= 8, count(t, db, "meta", "value = "+zeros(32))},
					[]any{true, 0})
				break
			} else if n > 200 || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s with %d bytes: %v", about, n, err)
				break
			}
		}
	}
}

// locked returns the error of a transaction that has waited in vain for another one.
func (s *shelf) locked(t *testing.T) (err error) {
	t.Helper()
	take := "BEGIN IMMEDIATE"
	wait := []string{"PRAGMA busy_timeout = 0", take}
	if pgtest.On() {
		take = "BEGIN; SELECT pg_advisory_xact_lock(12)"
		wait = []string{"BEGIN; SET LOCAL lock_timeout = 1", "SELECT pg_advisory_xact_lock(12)"}
	}
	for _, queries := range [][]string{{take}, wait} {
		c, fault := s.dialect.connect(t.Context())
		do(t, fault)
		defer c.close()
		defer c.exec(t.Context(), "ROLLBACK")
		for _, query := range queries {
			do(t, err)
			_, err = c.exec(t.Context(), query)
		}
	}
	equal(t, "class of the error", classOf(err), health.Busy)
	return err
}

// TestWritesThatHaveWaitedInVainDoNotWaitOneByOne: the last of a group would wait for as long as all of them.
func TestWritesThatHaveWaitedInVainDoNotWaitOneByOne(t *testing.T) {
	s := fresh(t)
	locked := s.locked(t)
	for shared := false; !shared; { // until they share a commit
		var group sync.WaitGroup
		begun, end := make(chan struct{}), make(chan struct{})
		group.Go(func() {
			_ = s.write(context.Background(), evidence, false, func(context.Context, *conn) error {
				close(begun)
				<-end
				return nil
			})
		})
		<-begun
		var runs [8]int
		var errs [8]error
		for i := range runs {
			group.Go(func() {
				errs[i] = s.write(context.Background(), evidence, false, func(context.Context, *conn) error {
					if runs[i]++; i == 0 {
						return locked
					}
					return nil
				})
			})
		}
		time.Sleep(time.Millisecond)
		close(end)
		group.Wait()
		for i, n := range runs {
			if n > 1 {
				t.Fatalf("write %d has run %d times", i, n)
			}
			shared = shared || i > 0 && errors.Is(errs[i], locked)
		}
	}
}

// TestAHiddenReportLeadsToNoCorrection, or its page would show where it was published again.
func TestAHiddenReportLeadsToNoCorrection(t *testing.T) {
	s := fresh(t)
	first, second := s.files(t, story(t, "First", "evil.com"), nil), s.files(t, story(t, "Second", "evil.com"), nil)
	do(t, s.Hide(t.Context(), Operator{}, first.Report.ID))
	do(t, s.Replace(t.Context(), first.Report.ID, first.ManageToken, second.Report.ID))
	by, err := s.Correction(t.Context(), first.Report.ID)
	do(t, err)
	equal(t, "its correction", by, "")
}

// TestAWithdrawnReportLeadsToItsCorrection, over those that were withdrawn too, and only by its own code.
func TestAWithdrawnReportLeadsToItsCorrection(t *testing.T) {
	s := fresh(t)
	var filed []Filed
	for _, title := range []string{"First", "Second", "Third"} {
		filed = append(filed, s.files(t, story(t, title, "evil.com"), nil))
		s.sleep(time.Minute)
	}
	leads := func(about string, want string) {
		t.Helper()
		by, err := s.Correction(t.Context(), filed[0].Report.ID)
		do(t, err)
		equal(t, about, by, want)
	}
	for i, f := range filed[:2] {
		next := filed[i+1]
		equal(t, "another code", codeOf(s.Replace(t.Context(), f.Report.ID, next.ManageToken, "rep_x")), tocsin.Forbidden)
		do(t, s.Replace(t.Context(), f.Report.ID, f.ManageToken, next.Report.ID))
		do(t, s.Replace(t.Context(), f.Report.ID, f.ManageToken, "rep_later"))
		leads("replaced", next.Report.ID)
	}
	formers, err := s.Formers(t.Context(), filed[2].Report.ID)
	do(t, err)
	equal(t, "what it corrects", formers, []Former{{filed[0].Report.ID, filed[0].Report.CreatedAt},
		{filed[1].Report.ID, filed[1].Report.CreatedAt}})
	do(t, s.Hide(t.Context(), Operator{}, filed[2].Report.ID))
	leads("hidden", "")
	do(t, s.Restore(t.Context(), Operator{}, filed[2].Report.ID))
	leads("restored", filed[2].Report.ID)
	_, _, err = s.Erase(t.Context(), Operator{}, filed[0].Report.ID)
	do(t, err)
	leads("erased", "")
	equal(t, "kept of it", count(t, s.DB, "report", "corrected_by IS NOT NULL"), 1)
}
