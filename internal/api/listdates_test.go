package api

import (
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestEachScreeningSaysWhichVersionOfTheSanctionsItRestsOn, also one that is kept as JSON, or about an address of which
// nothing is known. An import changes the date and no entry.
func TestEachScreeningSaysWhichVersionOfTheSanctionsItRestsOn(t *testing.T) {
	s := start(t)
	imports := func(day string) {
		t.Helper()
		at, _, fault := tocsin.ParseDay(day)
		if fault != nil {
			t.Fatal(fault)
		}
		im, err := s.db.Import(t.Context(), tocsin.List{Name: tocsin.SanctionsList, Family: "ofac"})
		tocsintest.Must(t, err)
		defer im.Close()
		im.Version(tocsin.ListVersion{Date: &at})
		subject, _ := tocsin.ParseSubject(thief)
		tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Sanction, Subject: subject}}))
		_, err = im.Finish(t.Context(), false, nil)
		tocsintest.Must(t, err)
	}
	key := "x-api-key: " + s.key(100)
	want(t, "without a list", s.get("/screen/"+another, key).in("sanctionsListDate"), nil)
	for _, day := range []string{"2025-12-30", "2026-01-20"} {
		imports(day)
		date := day + "T00:00:00.000000Z"
		for range 3 { // the second and the third are kept
			a := s.get("/screen/"+thief, key)
			want(t, "of one on it", []any{a.text("sanctions.0.listDate"), a.text("sanctionsListDate")}, []any{date, date})
			want(t, "of one that is not", s.get("/screen/"+another, key).text("sanctionsListDate"), date)
			want(t, "of a site", s.get("/domains/check/evil.example", key).text("sanctionsListDate"), date)
		}
	}
}
