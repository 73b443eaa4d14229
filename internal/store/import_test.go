package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
)

func TestASecondImportOfTheSameListChangesNothing(t *testing.T) {
	s := fresh(t)
	entries := []tocsin.Entry{listing(evil, nil), listing(worse, nil), told(story(t, "a", "evil.com"), "1")}
	equal(t, "first", s.imports(t, "list", entries...), Counts{Added: 3, Reports: 1})
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
	equal(t, "with it again", s.imports(t, "list", both...), Counts{Added: 2, Unchanged: 2, Reports: 1})
	d = dossier(t, s.DB, evil)
	if len(d.Listings) != 1 || d.ReportCount != 1 || d.Listings[0].Since != nil {
		t.Errorf("%+v", d)
	}
	equal(t, "events", s.events(t), "delisted 1, filed 3, gone 1, listed 2, relisted 1")
}

func TestAHiddenStoryThatLeavesItsListIsNoLoss(t *testing.T) {
	s := fresh(t)
	a, b, c := story(t, "a", "evil.com"), story(t, "b", "worse.com"), story(t, "c", "third.com")
	all := []tocsin.Entry{told(a, "1"), told(b, "2"), told(c, "3")}
	s.imports(t, "list", all...)
	for _, subject := range []tocsin.Subject{evil, worse} {
		if err := s.Hide(t.Context(), Operator{}, dossier(t, s.DB, subject).Reports[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "without them", s.imports(t, "list", all[2]), Counts{Unchanged: 1})
	equal(t, "with them again", s.imports(t, "list", all...), Counts{Unchanged: 3})
	equal(t, "events", s.events(t), "filed 3, gone 2, hidden 2, returned 2")
}

func TestAListThatHasLostMoreThanHalfIsRefused(t *testing.T) {
	s := fresh(t)
	s.imports(
		t,
		"list",
		listing(evil, nil),
		listing(worse, nil),
		listing(tocsin.Subject{Kind: tocsin.DNS, Value: "third.com"}, nil),
	)
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

func TestAPartOfAListWithdrawsNothing(t *testing.T) {
	s := fresh(t)
	address := listing(tocsin.Subject{Kind: tocsin.EVM, Value: "0x52908400098527886e0f7030069857d2e4169ee7"}, nil)
	s.imports(t, "list", address, listing(evil, nil), listing(worse, nil), told(story(t, "a", "worse.com"), "1"))
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	if err != nil {
		t.Fatal(err)
	}
	im.Partial()
	if err := im.Add(listing(evil, nil)); err != nil {
		t.Fatal(err)
	}
	c, err := im.Finish(t.Context(), false, nil) // a third of the list is no sign that it is broken
	equal(t, "one file of two", []any{c, err}, []any{Counts{Unchanged: 1}, nil})
	for _, e := range []tocsin.Entry{address, listing(worse, nil)} {
		equal(t, "still listed", len(dossier(t, s.DB, e.Listing.Subject).Listings), 1)
	}
	equal(t, "still told", dossier(t, s.DB, worse).ReportCount, 1)
	c, err = s.tryImport(t, "list", true, listing(evil, nil))
	equal(t, "the whole list", []any{c, err}, []any{Counts{Unchanged: 1, Withdrawn: 3}, nil})
}

func TestAHiddenStoryTakesItsListingWithIt(t *testing.T) {
	s := fresh(t)
	entries := []tocsin.Entry{listing(evil, nil), listing(worse, nil),
		told(story(t, "a", "evil.com"), "1"), told(story(t, "b", "evil.com"), "2")}
	s.imports(t, "list", entries...)
	ids := []string{dossier(t, s.DB, evil).Reports[0].ID, dossier(t, s.DB, evil).Reports[1].ID}
	listings := func() int { return len(dossier(t, s.DB, evil).Listings) }
	for i, id := range ids {
		if err := s.Hide(t.Context(), Operator{}, id); err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint(i+1, " hidden"), listings(), 1-i)
	}
	s.imports(t, "list", entries...)
	equal(t, "imported again", listings(), 0)
	equal(t, "what has no story", len(dossier(t, s.DB, worse).Listings), 1)
	if err := s.Restore(t.Context(), Operator{}, ids[0]); err != nil {
		t.Fatal(err)
	}
	equal(t, "restored", listings(), 1)
}

// TestOnlyTheListingsThatAStoryHidesHaveAnEvent: its list's own, that are in force and speak of a risk.
func TestOnlyTheListingsThatAStoryHidesHaveAnEvent(t *testing.T) {
	s := fresh(t)
	sanction, elsewhere := listing(evil, nil), listing(evil, nil)
	sanction.Listing.Kind, elsewhere.Listing.Chain = tocsin.Sanction, "eip155:1"
	entries := []tocsin.Entry{listing(evil, nil), sanction, told(story(t, "a", "evil.com"), "1"),
		told(story(t, "b", "evil.com"), "2"), elsewhere}
	s.imports(t, "list", entries...)
	s.imports(t, "list", entries[:4]...)
	s.imports(t, "other", listing(evil, nil))
	d := dossier(t, s.DB, evil)
	for i, id := range []string{d.Reports[0].ID, d.Reports[1].ID} {
		do(t, s.Hide(t.Context(), Operator{}, id))
		equal(t, "listings", len(dossier(t, s.DB, evil).Listings), 3-i)
	}
	do(t, s.Restore(t.Context(), Operator{}, d.Reports[0].ID, d.Reports[1].ID))
	equal(t, "listings", len(dossier(t, s.DB, evil).Listings), 3)
	equal(t, "events", s.events(t),
		"delisted 1, filed 2, hidden 2, listed 4, listing_hidden 1, listing_restored 1, restored 2")
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
	if err := s.Hide(t.Context(), Operator{}, id); err != nil {
		t.Fatal(err)
	}
	s.imports(t, "list", told(story(t, "a, told anew", "evil.com"), "1"))
	if _, err := s.tryImport(t, "list", true, listing(worse, nil)); err != nil { // it leaves, and comes back
		t.Fatal(err)
	}
	s.imports(t, "list", listing(worse, nil), told(story(t, "a, told anew", "evil.com"), "1"))
	equal(t, "hidden", dossier(t, s.DB, evil).ReportCount, 0)
	if err := s.Restore(t.Context(), Operator{}, id); err != nil {
		t.Fatal(err)
	}
	s.imports(t, "list", told(story(t, "a, told anew", "evil.com"), "1"))
	d := dossier(t, s.DB, evil)
	equal(t, "told anew", []any{d.ReportCount, d.Reports[0].Title}, []any{1, "a, told anew"})
}

// TestAnEntryHasNoDateThatItsListDoesNotGive: the day on which an import found it is when it came on record, and not
// the date of a sanction.
func TestAnEntryHasNoDateThatItsListDoesNotGive(t *testing.T) {
	s := fresh(t)
	early := tocsin.TimeOf(noon.Add(-time.Hour))
	since := func(name tocsin.Subject) any {
		for _, l := range dossier(t, s.DB, name).Listings {
			if l.Since != nil {
				return *l.Since
			}
		}
		return nil
	}
	recorded := func(name tocsin.Subject) []any {
		history, err := s.ListHistory(t.Context(), name)
		do(t, err)
		if history[0].Since != nil {
			return []any{*history[0].Since, *history[0].Recorded}
		}
		return []any{nil, *history[0].Recorded}
	}
	third := tocsin.Subject{Kind: tocsin.DNS, Value: "third.com"}
	s.imports(t, "list", listing(evil, nil), listing(worse, &early))
	s.sleep(time.Hour)
	entries := []tocsin.Entry{listing(evil, nil), listing(worse, nil), listing(third, nil)}
	entries[0].Listing.Name, entries[1].Listing.Name = "changed", "changed"
	added := s.Now()
	s.imports(t, "list", entries...)
	equal(t, "since", []any{since(evil), since(worse), since(third)}, []any{nil, early, nil})
	equal(t, "on record", recorded(third), []any{nil, added})
	s.imports(t, "list", entries[:2]...)
	s.sleep(time.Hour)
	s.imports(t, "list", entries...)
	equal(t, "when it comes back", recorded(third), []any{nil, s.Now()})
}

func TestAnImportOfHalfTheListIsTakenAndSaysHowFarItIs(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	for i := range chunk + 2 {
		entries = append(entries, listing(tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("n%d.com", i)}, nil))
	}
	read := func(want Counts, steps []int, entries ...tocsin.Entry) {
		t.Helper()
		im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
		do(t, err)
		for _, e := range entries {
			do(t, im.Add(e))
		}
		var got []int
		c, err := im.Finish(t.Context(), false, func(done, total int) { got = append(got, done, total) })
		equal(t, "counts", []any{c, err}, []any{want, nil})
		equal(t, "progress", got, steps)
	}
	read(Counts{Added: chunk + 2}, []int{chunk, chunk + 2, chunk + 2, chunk + 2}, entries...)
	half := len(entries) / 2
	read(Counts{Unchanged: half, Withdrawn: half}, []int{half, half}, entries[:half]...)
	st, err := s.Stats(t.Context())
	equal(t, "listings", []any{st.Lists[0].Listings, err}, []any{half, nil})
	done, err := s.Imported(t.Context(), "list")
	never, other := s.Imported(t.Context(), "another")
	equal(t, "imported", []any{done, never, err, other}, []any{true, false, nil, nil})
}

// TestAnEntryLeavesItsListAlone: what else the list says about the subject stays.
func TestAnEntryLeavesItsListAlone(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	for _, kind := range []tocsin.ListingKind{tocsin.Risk, tocsin.Sanction} {
		for _, chain := range []string{"", "eip155:1"} {
			e := listing(evil, nil)
			e.Listing.Kind, e.Listing.Chain = kind, chain
			entries = append(entries, e)
		}
	}
	entries = append(entries, listing(worse, nil))
	s.imports(t, "other", entries...)
	for i := range entries {
		s.imports(t, "list", entries...)
		rest := slices.Concat(entries[:i], entries[i+1:])
		equal(t, "counts", s.imports(t, "list", rest...), Counts{Unchanged: 4, Withdrawn: 1})
		equal(t, "listings", count(t, s.DB, "listing", "withdrawn IS NULL"), 5+4)
		var got, want []string
		for _, l := range dossier(t, s.DB, evil).Listings {
			if l.List == "list" {
				got = append(got, fmt.Sprint(l.Kind, l.Chain))
			}
		}
		for _, e := range rest {
			if e.Listing.Subject == evil {
				want = append(want, fmt.Sprint(e.Listing.Kind, e.Listing.Chain))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		equal(t, "in force", got, want)
	}
}

// TestAPartOfAListIsNoNewReadingOfIt: what was not read is as old as before.
func TestAPartOfAListIsNoNewReadingOfIt(t *testing.T) {
	s := fresh(t)
	part := func(entries ...tocsin.Entry) tocsin.Time {
		t.Helper()
		im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
		do(t, err)
		im.Partial()
		for _, e := range entries {
			do(t, im.Add(e))
		}
		_, err = im.Finish(t.Context(), false, nil)
		do(t, err)
		s.sleep(time.Minute)
		st, err := s.Stats(t.Context())
		do(t, err)
		return st.Lists[0].Imported
	}
	first := part(listing(evil, nil))
	s.sleep(time.Hour)
	s.imports(t, "list", listing(evil, nil), listing(worse, nil))
	s.sleep(time.Minute)
	st, err := s.Stats(t.Context())
	do(t, err)
	whole := st.Lists[0].Imported
	equal(t, "the whole is newer than the first part", whole.Std().After(first.Std()), true)
	s.sleep(24 * time.Hour)
	equal(t, "after a part", part(listing(evil, nil)), whole)
}

// TestAnImportLeavesOthersWhoWriteTheirTurn: SQLite knows no queue, so that a server could miss every moment in which
// the import of another process holds no lock.
func TestAnImportLeavesOthersWhoWriteTheirTurn(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path, s.ahead)
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	do(t, err)
	const chunks = 20
	for n := range chunks * chunk {
		do(t, im.Add(listing(tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("n%d.example", n)}, nil)))
	}
	var commits, written atomic.Int64
	ended := make(chan error, 1)
	go func() {
		_, err := im.Finish(t.Context(), false, func(done, _ int) {
			commits.Add(1)
			written.Store(int64(done))
		})
		ended <- err
	}()
	longest, writes := int64(0), 0
	for written.Load() < chunks*chunk {
		before := commits.Load()
		do(t, other.write(t.Context(), accounts, false, func(ctx context.Context, s *conn) error {
			return setMeta(ctx, s, "turn", []byte("taken"))
		}))
		longest, writes = max(longest, commits.Load()-before), writes+1
	}
	do(t, <-ended)
	if longest > 6 || writes < 3 {
		t.Errorf("%d writes, of which one waited while the import committed %d times", writes, longest)
	}
}

// TestAnImportThatFailedCanBeFinishedLater: what it counts, it counts once.
func TestAnImportThatFailedCanBeFinishedLater(t *testing.T) {
	s := fresh(t)
	entries := []tocsin.Entry{listing(evil, nil), listing(worse, nil), told(story(t, "a", evil.Value), "1")}
	for n := 1; ; n++ {
		im, err := s.Import(t.Context(), tocsin.List{Name: fmt.Sprint("list ", n), Family: "list"})
		do(t, err)
		for _, e := range entries {
			do(t, im.Add(e))
		}
		failed := s.sabotage(t, n, func() { _, err = im.Finish(t.Context(), false, nil) })
		if !failed {
			do(t, err)
			break
		}
		c, err := im.Finish(t.Context(), false, nil)
		do(t, err)
		equal(t, fmt.Sprint("counts after statement ", n), c, Counts{Added: 3, Reports: 1})
	}
	equal(t, "lists that count otherwise", count(t, s.DB, "list", "listings <> 2"), 0)
	equal(t, "lists without their story", count(t, s.DB, "report"), count(t, s.DB, "list"))
}
