package store

import (
	"testing"

	"tocsin"
)

// TestSearchesLeaveReadersToOthers begins as many searches as are let in at
// once, and none of them ends.
func TestSearchesLeaveReadersToOthers(t *testing.T) {
	s := fresh(t)
	s.files(t, story(t, "a drainer", "evil.com"), nil)
	query, fault := tocsin.ParseQuery("drainer")
	if fault != nil {
		t.Fatal(fault)
	}
	for range readers / 2 {
		s.searches <- struct{}{}
	}
	found := make(chan Listed, 1)
	go func() {
		page, err := s.Search(t.Context(), query, "", Page{Limit: 5})
		do(t, err)
		found <- page
	}()
	for range 2000 { // others read meanwhile
		equal(t, "published", len(dossier(t, s.DB, evil).Reports), 1)
		if _, err := s.Reports(t.Context(), Filter{Page: Page{Limit: 5}}); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-found:
		t.Fatal("more searches than half of the readers")
	default:
	}
	<-s.searches
	equal(t, "found when there is room", len((<-found).Reports), 1)
	for range readers/2 - 1 {
		<-s.searches
	}
	eventually(t, "nobody searches any more", func() bool { return len(s.searches) == 0 })
}
