package store

import (
	"errors"
	"testing"
	"time"

	"tocsin"
)

// silent is a lease whose process does nothing any more, as one that was killed or stopped.
func silent(t *testing.T, db *DB) *ImportLease {
	t.Helper()
	l, err := db.LeaseImport(t.Context(), "list")
	do(t, err)
	l.stop()
	return l
}

func TestAListIsImportedByOneProcessAtATime(t *testing.T) {
	all, clock := handles(t, 2)
	l, err := all[0].LeaseImport(t.Context(), "list")
	do(t, err)
	for _, db := range all {
		_, err := db.LeaseImport(t.Context(), "list")
		equal(t, "while it is imported", errors.Is(err, ErrImporting), true)
	}
	other, err := all[1].LeaseImport(t.Context(), "other")
	do(t, err)
	do(t, other.Release(t.Context()))
	for range 5 {
		clock.sleep(importTerm / 2)
		do(t, l.extend(t.Context()))
	}
	_, err = all[1].LeaseImport(t.Context(), "list")
	equal(t, "while the lease is renewed", errors.Is(err, ErrImporting), true)
	do(t, l.Release(t.Context()))
	next, err := all[1].LeaseImport(t.Context(), "list")
	do(t, err)
	do(t, l.Release(t.Context())) // again, which is not its own any more
	_, err = all[0].LeaseImport(t.Context(), "list")
	equal(t, "while the next one has it", errors.Is(err, ErrImporting), true)
	do(t, next.Release(t.Context()))
}

// TestAnImportThatWasOvertakenChangesNothing, in none of its transactions.
func TestAnImportThatWasOvertakenChangesNothing(t *testing.T) {
	all, clock := handles(t, 2)
	old := silent(t, all[0])
	list := tocsin.List{Name: "list", Family: "list", URL: "https://lists.example"}
	im, err := all[0].Import(t.Context(), list)
	do(t, err)
	defer im.Close()
	im.Under(old)
	im.Validators([]byte("old"))
	do(t, im.Add(listing(evil, nil)))
	clock.sleep(importTerm - time.Microsecond)
	_, err = all[1].LeaseImport(t.Context(), "list")
	equal(t, "before it has ended", errors.Is(err, ErrImporting), true)
	clock.sleep(time.Microsecond)
	current := silent(t, all[1])
	do(t, current.Begin(t.Context(), ImportTry{List: "list"}, nil))
	do(t, old.extend(t.Context()))

	overtaken := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrOvertaken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = im.Finish(t.Context(), false, nil)
	overtaken("finish", err)
	overtaken("write", im.writeAll(t.Context(), gone{}, nil))
	overtaken("end", im.finishList(t.Context(), 1))
	overtaken("unchanged", old.Unchanged(t.Context()))
	overtaken("begin", old.Begin(t.Context(), ImportTry{List: "list"}, nil))
	overtaken("note", old.End(t.Context(), ImportTry{List: "list", Reason: FailedRead}))
	overtaken("abandon", old.Abandon(t.Context(), ImportTry{List: "list"}))
	do(t, old.Release(t.Context()))
	done, err := all[1].Imported(t.Context(), "list")
	do(t, err)
	equal(t, "imported", done, false)
	text, err := all[1].Validators(t.Context(), "list")
	do(t, err)
	equal(t, "validators", string(text), "")
	is, err := all[1].ImportTry(t.Context(), "list")
	do(t, err)
	equal(t, "the try of the one who has it", is.Running, true)
	clock.sleep(importTerm)
	is, err = all[0].ImportTry(t.Context(), "list")
	do(t, err)
	equal(t, "when that one is silent too", []any{is.Running, is.Reason, is.Failures, is.Tries},
		[]any{false, Interrupted, 1, int64(1)})
}

// TestALeaseOfAClockThatWasAheadIsNotWaitedFor: the clock of SQLite is that of the machine.
func TestALeaseOfAClockThatWasAheadIsNotWaitedFor(t *testing.T) {
	onlySQLite(t)
	all, clock := handles(t, 2)
	silent(t, all[0])
	clock.sleep(-time.Second)
	l, err := all[1].LeaseImport(t.Context(), "list")
	do(t, err)
	do(t, l.Release(t.Context()))
}

// TestATryThatIsTakenBackLeavesWhatWasOnRecord, which is nothing for the first one.
func TestATryThatIsTakenBackLeavesWhatWasOnRecord(t *testing.T) {
	s := fresh(t)
	l, err := s.LeaseImport(t.Context(), "list")
	do(t, err)
	for _, before := range []*ImportTry{nil, {List: "list", Reason: FailedShrunk, Failures: 2, Tries: 5, Failed: 3}} {
		if before != nil {
			do(t, l.End(t.Context(), *before))
			s.sleep(time.Hour)
		}
		old, err := s.ImportTry(t.Context(), "list")
		do(t, err)
		next := s.Now()
		do(t, l.Begin(t.Context(), old, &next))
		begun, err := s.ImportTry(t.Context(), "list")
		do(t, err)
		equal(t, "begun", []any{begun.Failures, begun.Tries, begun.Failed, *begun.Next},
			[]any{old.Failures + 1, old.Tries + 1, old.Failed + 1, next})
		do(t, l.Abandon(t.Context(), old))
		all, err := s.ImportTries(t.Context())
		do(t, err)
		want := []ImportTry{old}
		if before == nil {
			want = nil
		}
		equal(t, "taken back", all, want)
	}
	do(t, l.Release(t.Context()))
}

// TestTheServersOfAListAreAskedAboutWhatIsOnRecordOnly: whatever else is imported, nothing is known of its files.
func TestTheServersOfAListAreAskedAboutWhatIsOnRecordOnly(t *testing.T) {
	s := fresh(t)
	list := tocsin.List{Name: "list", Family: "list", URL: "https://lists.example"}
	imports := func(prepare func(*Importing), finish bool) string {
		im, err := s.Import(t.Context(), list)
		do(t, err)
		defer im.Close()
		prepare(im)
		do(t, im.Add(listing(evil, nil)))
		if do(t, im.saveList(t.Context(), false)); finish {
			_, err = im.Finish(t.Context(), false, nil)
			do(t, err)
		}
		text, err := s.DB.Validators(t.Context(), "list")
		do(t, err)
		return string(text)
	}
	known := func(im *Importing) { im.Validators([]byte("known")) }
	for _, c := range []struct {
		what    string
		prepare func(*Importing)
		finish  bool
	}{
		{"of a file", func(*Importing) {}, true},
		{"of a part", func(im *Importing) { known(im); im.Partial() }, true},
		{"that was cut off", known, false},
	} {
		equal(t, "an import that is complete", imports(known, true), "known")
		equal(t, "an import "+c.what, imports(c.prepare, c.finish), "")
	}
}

func TestWhenAListIsDue(t *testing.T) {
	noon := tocsin.MicroTime(1_800_000_000_000_000)
	at := func(d time.Duration) *tocsin.Time { t := tocsin.TimeOf(noon.Std().Add(d)); return &t }
	for _, c := range []struct {
		what string
		try  ImportTry
		read *tocsin.Time
		want *tocsin.Time // nil: at once
	}{
		{"never tried or read", ImportTry{}, nil, nil},
		{"read before tries were recorded", ImportTry{}, at(-time.Hour), at(10 * time.Hour)},
		{"planned", ImportTry{At: *at(-time.Hour), Next: at(7 * time.Hour)}, at(-time.Hour), at(7 * time.Hour)},
		{"planned by a slower server", ImportTry{At: noon, Next: at(700 * time.Hour)}, at(0), at(11 * time.Hour)},
		{"imported by hand", ImportTry{At: noon}, at(0), at(11 * time.Hour)},
		{"failed", ImportTry{At: noon, Reason: FailedRead, Next: at(time.Minute)}, at(-time.Hour), at(time.Minute)},
		{"failed by hand", ImportTry{At: noon, Reason: FailedDownload}, at(-time.Hour), nil},
		{"by a clock that was ahead", ImportTry{At: *at(time.Hour), Next: at(7 * time.Hour)}, nil, nil},
	} {
		var want time.Time
		if c.want != nil {
			want = c.want.Std()
		}
		var read *ListStats
		if c.read != nil {
			read = &ListStats{Imported: *c.read}
		}
		equal(t, c.what, c.try.DueAt(noon, 10*time.Hour, read).Equal(want), true)
	}
}
