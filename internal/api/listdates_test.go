package api

import (
	"fmt"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestEachScreeningSaysWhichVersionOfTheSanctionsItRestsOn, also one that is kept as JSON, or about an address of which
// nothing is known. An import changes the date and no entry.
func TestEachScreeningSaysWhichVersionOfTheSanctionsItRestsOn(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	want(t, "without a list", s.get("/screen/"+another, key).in("sanctionsListDate"), nil)
	for _, day := range []string{"2025-12-30", "2026-01-20"} {
		at, _, fault := tocsin.ParseDay(day)
		if fault != nil {
			t.Fatal(fault)
		}
		s.importSanctions(at)
		date := day + "T00:00:00.000000Z"
		for range 3 { // the second and the third are kept
			a := s.get("/screen/"+thief, key)
			want(t, "of one on it", []any{a.text("sanctions.0.listDate"), a.text("sanctionsListDate")}, []any{date, date})
			want(t, "of one that is not", s.get("/screen/"+another, key).text("sanctionsListDate"), date)
			want(t, "of a site", s.get("/domains/check/evil.example", key).text("sanctionsListDate"), date)
		}
	}
}

// TestEachScreeningSaysWhetherNewerSanctionsMayBeMissing, also one that is kept as JSON, or about an address of which
// nothing is known: by when the list was read, by its own date, and without a list.
func TestEachScreeningSaysWhetherNewerSanctionsMayBeMissing(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	all := map[string]any{"subjects": []string{thief, another, "evil.example"}}
	says := func(about string, outOfDate bool) {
		t.Helper()
		for range 3 { // the second and the third are kept
			for _, path := range []string{"/screen/" + thief, "/screen/" + another, "/domains/check/evil.example"} {
				want(t, about+": "+path, s.get(path, key).in("sanctionsOutOfDate"), outOfDate)
			}
			batch := s.do("POST", "/subjects/check", all, key)
			for i := range 3 {
				want(t, about, batch.in(fmt.Sprintf("results.%d.sanctionsOutOfDate", i)), outOfDate)
			}
		}
	}
	says("without a list", true)
	dated := tocsin.TimeOf(s.Clock.Now())
	s.importSanctions(dated)
	says("just read", false)
	s.Clock.Sleep(tocsin.MaxListRead)
	says("read three days ago", false)
	s.Clock.Sleep(time.Second)
	says("read longer ago", true)
	s.importSanctions(dated)
	says("the same version was read again", false)
	s.Clock.Sleep(tocsin.MaxListRead + time.Second)
	says("read longer ago again", true)
	lease, err := s.db.LeaseImport(t.Context(), tocsin.SanctionsList)
	tocsintest.Must(t, err)
	tocsintest.Must(t, lease.Unchanged(t.Context()))
	tocsintest.Must(t, lease.Release(t.Context()))
	tocsintest.Eventually(t, "nothing has changed upstream", func() bool {
		return s.get("/screen/"+another, key).in("sanctionsOutOfDate") == false
	})
	s.Clock.Sleep(tocsin.MaxListDate)
	s.importSanctions(dated)
	says("an old version was read", true)
}

// importSanctions imports a version of the list of sanctions that names the thief.
func (s *service) importSanctions(date tocsin.Time) {
	s.t.Helper()
	im, err := s.db.Import(s.t.Context(), tocsin.List{Name: tocsin.SanctionsList, Family: "ofac"})
	tocsintest.Must(s.t, err)
	defer im.Close()
	im.Version(tocsin.ListVersion{Date: &date})
	subject, _ := tocsin.ParseSubject(thief)
	tocsintest.Must(s.t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Sanction, Subject: subject}}))
	_, err = im.Finish(s.t.Context(), false, nil)
	tocsintest.Must(s.t, err)
}
