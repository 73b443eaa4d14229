package store

import (
	"testing"

	"tocsin"
)

// TestANewStoryIsShownThoughAnotherWasHidden: the operator hid what a list said then, and not whatever it says of the
// subject later. What was hidden stays hidden, and with it the entry once the new story has gone.
func TestANewStoryIsShownThoughAnotherWasHidden(t *testing.T) {
	for _, when := range []string{"while the list has it", "after the list has dropped it"} {
		s := fresh(t)
		rest, first := listing(worse, nil), told(story(t, "One", evil.Value), "row 1")
		s.imports(t, "list", listing(evil, nil), rest, first)
		id := s.mustFind(t, Selection{Source: "list"})
		if when == "after the list has dropped it" {
			do(t, second(s.tryImport(t, "list", true, rest)))
		}
		do(t, s.Hide(t.Context(), warden, id))
		says := func() []int {
			d := dossier(t, s.DB, evil)
			return []int{d.ReportCount, len(d.Listings)}
		}
		equal(t, "hidden "+when, says(), []int{0, 0})
		s.imports(t, "list", listing(evil, nil), rest, told(story(t, "Two", evil.Value), "row 2"))
		equal(t, "another story", says(), []int{1, 1})
		s.imports(t, "list", listing(evil, nil), rest, told(story(t, "Two, told anew", evil.Value), "row 2"))
		equal(t, "told anew", says(), []int{1, 1})
		do(t, second(s.tryImport(t, "list", true, listing(evil, nil), rest, first)))
		equal(t, "only what was hidden", says(), []int{0, 0})
		r, err := s.AnyReport(t.Context(), id)
		do(t, err)
		equal(t, "the first", r.Status, tocsin.Hidden)
	}
}

// TestARestoredStoryThatItsListHasDroppedIsHistory: also while the list says something else of its subject, and until
// it tells the story again.
func TestARestoredStoryThatItsListHasDroppedIsHistory(t *testing.T) {
	s := fresh(t)
	rest, other := listing(evil, nil), told(story(t, "Two", evil.Value), "row 2")
	first := told(story(t, "One", evil.Value, worse.Value), "row 1")
	s.imports(t, "list", rest, first, other)
	id := s.mustFind(t, Selection{Source: "list", Subject: &worse})
	status := func() tocsin.Status {
		r, err := s.AnyReport(t.Context(), id)
		do(t, err)
		return r.Status
	}
	do(t, s.Hide(t.Context(), warden, id))
	s.imports(t, "list", rest, other)
	s.imports(t, "list", rest, other)
	do(t, s.Restore(t.Context(), warden, id))
	equal(t, "dropped while it was hidden", status(), tocsin.Removed)
	do(t, s.Hide(t.Context(), warden, id))
	do(t, s.Restore(t.Context(), warden, id))
	equal(t, "hidden and restored once more", status(), tocsin.Removed)
	do(t, s.Hide(t.Context(), warden, id))
	s.imports(t, "list", rest, first, other)
	equal(t, "told again while it is hidden", status(), tocsin.Hidden)
	do(t, s.Restore(t.Context(), warden, id))
	equal(t, "told again and restored", status(), tocsin.Published)
	equal(t, "events", s.events(t), "filed 3, gone 2, hidden 6, listed 1, restored 6, returned 2")
}

// TestWhatListsHaveDroppedCanBeHiddenTogether: the selection has no version that another has replaced.
func TestWhatListsHaveDroppedCanBeHiddenTogether(t *testing.T) {
	s := fresh(t)
	rest := listing(worse, nil)
	s.imports(t, "list", rest, told(story(t, "One", evil.Value), "row 1"), told(story(t, "Old", evil.Value), "row 2"))
	s.imports(t, "list", rest, told(story(t, "Two", evil.Value), "row 1"), told(story(t, "New", evil.Value), "row 2"))
	equal(t, "replaced", s.selects(t, Selection{Status: tocsin.Removed}), "")
	do(t, second(s.tryImport(t, "list", true, rest, told(story(t, "New", evil.Value), "row 2"))))
	equal(t, "dropped", s.selects(t, Selection{Status: tocsin.Removed}), "Two")
	do(t, second(s.tryImport(t, "list", true, rest)))
	found, err := s.Select(t.Context(), Selection{Status: tocsin.Removed}, 5)
	do(t, err)
	equal(t, "dropped, both", len(found.IDs), 2)
	ids, err := s.DroppedReports(t.Context(), evil)
	do(t, err)
	equal(t, "what the owner asks for", len(ids), 2)
	do(t, s.Hide(t.Context(), warden, found.IDs...))
	equal(t, "hidden", s.selects(t, Selection{Status: tocsin.Removed}), "")
}
