package store

import (
	"fmt"
	"testing"
)

// TestAShorterFirstPageIsPartOfTheOneInMemory pages through reports with every
// limit, from memory and from the database.
func TestAShorterFirstPageIsPartOfTheOneInMemory(t *testing.T) {
	s := fresh(t)
	const reports = FirstPage + 5
	for i := range reports {
		s.files(t, story(t, fmt.Sprint("story ", i), evil.Value), nil)
	}
	ids := func(limit int, forget bool) (ids []string) {
		cursor := ""
		for {
			if forget {
				s.dossiers.clear()
			}
			d, err := s.AboutSubject(t.Context(), evil, Page{Limit: limit, Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Reports) > limit || d.ReportCount != reports {
				t.Fatalf("limit %d: %d reports of %d", limit, len(d.Reports), d.ReportCount)
			}
			for _, r := range d.Reports {
				ids = append(ids, r.ID)
			}
			if cursor = d.NextCursor; cursor == "" {
				return ids
			}
		}
	}
	all := ids(100, true)
	if len(all) != reports {
		t.Fatalf("%d reports", len(all))
	}
	for limit := 1; limit <= reports; limit++ {
		for _, forget := range []bool{true, false} {
			if got := ids(limit, forget); fmt.Sprint(got) != fmt.Sprint(all) {
				t.Errorf("limit %d, read anew %t: %v, want %v", limit, forget, got, all)
			}
		}
	}
	s.dossiers.clear()
	first, err := s.AboutSubject(t.Context(), evil, Page{Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.AboutSubject(t.Context(), evil, Page{Limit: 7})
	if err != nil || len(again.Reports) != 7 || &again.Reports[0] != &first.Reports[0] {
		t.Errorf("%v: %d reports, or they were read again", err, len(again.Reports))
	}
}
