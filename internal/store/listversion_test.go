package store

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// importVersion imports a version of a list.
func (s *shelf) importVersion(
	t *testing.T, v *tocsin.ListVersion, prepare func(*Importing), entries ...tocsin.Entry,
) error {
	t.Helper()
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list", URL: "https://lists.example"})
	do(t, err)
	defer im.Close()
	for _, e := range entries {
		do(t, im.Add(e))
	}
	if v != nil {
		im.Version(*v)
	}
	prepare(im)
	_, err = im.Finish(t.Context(), false, nil)
	return err
}

func plainly(*Importing) {}

// of is a version of so many days before noon.
func of(days int) *tocsin.ListVersion {
	at := tocsin.TimeOf(noon.AddDate(0, 0, -days))
	return &tocsin.ListVersion{Date: &at, Entries: 1, Refused: map[string]int{"wrong checksum": 2},
		Files: []tocsin.ListFile{{Name: "list.json", SHA256: "ab"}}}
}

// onRecord is the only list.
func (s *shelf) onRecord(t *testing.T) ListStats {
	t.Helper()
	s.sleep(2 * time.Second)
	st, err := s.Stats(t.Context())
	do(t, err)
	return st.Lists[0]
}

func TestTheVersionOfAListIsOnRecord(t *testing.T) {
	s := fresh(t)
	do(t, s.importVersion(t, of(20), plainly, listing(evil, nil)))
	l := s.onRecord(t)
	equal(t, "version", l.Version, *of(20))
	equal(t, "as of", l.AsOf(), *of(20).Date)
	equal(t, "out of date, though it was read just now", l.OutOfDate(s.Now()), true)
	read, err := s.ListRead(t.Context(), "list")
	do(t, err)
	equal(t, "alone", []any{read.Version, read.Imported}, []any{l.Version, l.Imported})
	do(t, s.importVersion(t, of(13), plainly, listing(evil, nil)))
	equal(t, "a newer one", s.onRecord(t).OutOfDate(s.Now()), false)
	do(t, s.importVersion(t, &tocsin.ListVersion{}, (*Importing).Partial, listing(worse, nil)))
	equal(t, "after a part without a date", s.onRecord(t).Version.Date, of(13).Date)
	do(t, s.importVersion(t, of(1), (*Importing).Partial, listing(worse, nil)))
	equal(t, "after a part of the next", s.onRecord(t).Version.Date, of(13).Date)
	do(t, s.importVersion(t, nil, plainly, listing(evil, nil)))
	l = s.onRecord(t)
	equal(t, "of one without a date", []any{l.Version.Date, l.AsOf()}, []any{(*tocsin.Time)(nil), l.Imported})
}

func TestAnOlderVersionOfAListIsRefused(t *testing.T) {
	s := fresh(t)
	do(t, s.importVersion(t, of(5), plainly, listing(evil, nil), listing(worse, nil)))
	err := s.importVersion(t, of(6), plainly, listing(evil, nil))
	equal(t, "older", errors.Is(err, ErrOlder), true)
	equal(t, "says", err.Error(), "the list is older than the one on record: it is of "+of(6).Day()+
		", and that on record is of "+of(5).Day()+"; nothing was changed; import it with -older if it is right")
	equal(t, "nothing was withdrawn", len(dossier(t, s.DB, worse).Listings), 1)
	do(t, s.importVersion(t, of(5), plainly, listing(evil, nil), listing(worse, nil)))
	served := of(7)
	served.Served = true
	do(t, s.importVersion(t, of(6), (*Importing).AllowOlder, listing(evil, nil)))
	equal(t, "if it is meant", []any{s.onRecord(t).Version.Day(), len(dossier(t, s.DB, worse).Listings)},
		[]any{of(6).Day(), 0})
	undated := &tocsin.ListVersion{Entries: 1}
	err = s.importVersion(t, undated, plainly, listing(worse, nil))
	equal(t, "without a date", []any{errors.Is(err, ErrUndated), errors.Is(err, ErrOlder)}, []any{true, false})
	equal(t, "says", err.Error(), "the list has no date, and the one on record is of "+of(6).Day()+": it may be older, "+
		"and withdraw what was added since; nothing was changed; import a copy with its date or, if you know that this one "+
		"is newer, import it with -older")
	equal(t, "the version on record", s.onRecord(t).Version.Day(), of(6).Day())
	do(t, s.importVersion(t, undated, (*Importing).AllowOlder, listing(evil, nil)))
	do(t, s.importVersion(t, undated, plainly, listing(evil, nil), listing(worse, nil)))

	do(t, s.importVersion(t, served, plainly, listing(evil, nil))) // servers do not agree on Last-Modified
	do(t, s.importVersion(t, undated, plainly, listing(evil, nil)))
}

// TestWhatAnOldCopyLackedMayHaveBeenOnTheList, so a report that is newer than the copy was not ahead of the list.
func TestWhatAnOldCopyLackedMayHaveBeenOnTheList(t *testing.T) {
	s := fresh(t)
	unseen := func() (at int64) {
		do(t, s.read(t.Context(), primary, func(c *conn) error {
			return c.row(t.Context(), "SELECT max(unseen) FROM listing", nil, &at)
		}))
		return at
	}
	do(t, s.importVersion(t, of(95), plainly, listing(evil, nil)))
	do(t, s.importVersion(t, of(0), plainly, listing(evil, nil), listing(worse, nil)))
	equal(t, "unseen", unseen(), of(95).Date.Micro())
	at := s.onRecord(t).Imported
	third := tocsin.Subject{Kind: tocsin.DNS, Value: "third.com"}
	do(t, s.importVersion(t, of(0), plainly, listing(evil, nil), listing(worse, nil), listing(third, nil)))
	equal(t, "unseen in a fresh one", unseen(), at.Micro())
}

// TestTheLogHasTheHashesOfSoManyFiles: a list of a file for each incident has hundreds.
func TestTheLogHasTheHashesOfSoManyFiles(t *testing.T) {
	im := &Importing{list: tocsin.List{Name: "list"}, version: &tocsin.ListVersion{}}
	for range maxLogged + 1 {
		im.version.Files = append(im.version.Files, tocsin.ListFile{Name: "a.json", SHA256: "5a"})
	}
	const all = "list: added 0, withdrawn 0, refused 0"
	hashes := strings.Repeat("; SHA-256 5a a.json", maxLogged)
	equal(t, "the act", im.did(), all+hashes+"; more files: 1")
	im.version.Files = im.version.Files[1:]
	equal(t, "the act", im.did(), all+hashes)
}
