package store

import (
	"testing"

	"tocsin"
)

// TestAnswersHaveTheDatesOfTheirListsAlsoInMemory: an import changes the date of a list and none of its entries, and no
// answer has the old one afterwards, whether it is kept, made of the read model, about nothing that is on record, or
// given by another process.
func TestAnswersHaveTheDatesOfTheirListsAlsoInMemory(t *testing.T) {
	s := modelled(t)
	listed, unknown := address(t, 1).Subject(), address(t, 2).Subject()
	do(t, s.importVersion(t, of(5), plainly, listing(listed, nil)))
	upToDate(t, s.DB)
	other := open(t, s.path, s.ahead)
	dates := func(db *DB) (found []tocsin.Time) {
		t.Helper()
		for range 3 { // what is asked for again is kept
			all, err := db.AboutAll(t.Context(), []tocsin.Subject{listed, unknown})
			do(t, err)
			one, err := db.AboutSubject(t.Context(), listed, Page{Limit: 1})
			do(t, err)
			found = found[:0]
			for _, d := range append(all, one) {
				d.Keep("the JSON of an answer", 10)
				found = append(found, *d.Lists.Dates["list"])
			}
		}
		return found
	}
	is := func(v *tocsin.ListVersion) []tocsin.Time { return []tocsin.Time{*v.Date, *v.Date, *v.Date} }
	equal(t, "at first", dates(s.DB), is(of(5)))
	equal(t, "in another process", dates(other), is(of(5)))
	kept, err := s.AboutSubject(t.Context(), listed, Page{})
	do(t, err)
	equal(t, "an answer is kept", kept.Memo(), any("the JSON of an answer"))
	before := s.log.at()
	do(t, s.importVersion(t, of(4), plainly, listing(listed, nil)))
	equal(t, "no entry has changed", s.log.at(), before)
	equal(t, "after an import", dates(s.DB), is(of(4)))
	kept, err = s.AboutSubject(t.Context(), listed, Page{})
	do(t, err)
	d := tocsin.Screen(&kept.Dossier, noon)
	equal(t, "of the listing", d.Listings[0].ListDate, of(4).Date)
	equal(t, "the dossier itself, which others share, is as it was", kept.Listings[0].ListDate, (*tocsin.Time)(nil))
	eventually(t, "the other process has heard of it", func() bool {
		return dates(other)[0] == *of(4).Date
	})
	equal(t, "in the other process", dates(other), is(of(4)))
	do(t, s.importVersion(t, of(4), plainly, listing(listed, nil)))
	after, err := s.AboutSubject(t.Context(), listed, Page{})
	do(t, err)
	equal(t, "the same version again forgets nothing", after.kept == kept.kept, true)
}
