package store

import (
	"fmt"
	"testing"

	"tocsin"
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

// TestADossierWithItsReportsReplacesThatOfABatch: a batch reads no reports, and
// its dossiers must not keep those that have some out of the memory.
func TestADossierWithItsReportsReplacesThatOfABatch(t *testing.T) {
	s := fresh(t)
	address, fault := tocsin.ParseAddress("0x52908400098527886e0f7030069857d2e4169ee7")
	if fault != nil {
		t.Fatal(fault)
	}
	d := story(t, "a", "evil.com")
	d.ScammerAddresses = []string{address.String()}
	s.files(t, d, nil)
	if _, err := s.AboutAll(t.Context(), []tocsin.Address{address}); err != nil {
		t.Fatal(err)
	}
	first := dossier(t, s.DB, address.Subject())
	if len(first.Reports) != 1 || dossier(t, s.DB, address.Subject()) != first {
		t.Errorf("%d reports, or they were read again", len(first.Reports))
	}
}

func TestAPageThatHoldsTheLastReportHasNoNextPage(t *testing.T) {
	d := &keptDossier{
		Dossier: tocsin.Dossier{Reports: make([]tocsin.Report, 3)},
		cursors: []string{"after 1", "after 2", "after 3"},
	}
	for n, next := range map[int]string{0: "after 1", 1: "after 1", 2: "after 2", 3: "", 4: ""} {
		if cut := d.cut(n); cut.NextCursor != next || len(cut.Reports) != min(max(n, 1), 3) {
			t.Errorf("the first %d: %d reports, the next cursor is %q, want %q", n, len(cut.Reports), cut.NextCursor, next)
		}
	}
	if d.NextCursor != "" || len(d.Reports) != 3 {
		t.Errorf("the dossier itself was cut: %+v", d)
	}
}
