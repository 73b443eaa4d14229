package store

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
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

// inVersions writes down in which versions of its list an entry was, and in which it was no longer.
func (s *shelf) inVersions(t *testing.T, subject tocsin.Subject) string {
	t.Helper()
	history, err := s.ListHistory(t.Context(), subject)
	do(t, err)
	day := func(at *tocsin.Time) string {
		if at == nil {
			return "?"
		}
		return at.Std().Format("02 Jan")
	}
	var all []string
	for _, l := range history {
		text := day(l.RecordedIn)
		if l.Dropped != nil {
			text += "–" + day(l.DroppedIn)
		}
		if l.Older {
			text += " older"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// TestTheVersionsThatHadAnEntryAreOnRecord, and those that had it no longer. An older version is no end that the list
// has put to it, until a newer one lacks it, too.
func TestTheVersionsThatHadAnEntryAreOnRecord(t *testing.T) {
	s := fresh(t)
	reads := func(days int, entries ...tocsin.Entry) {
		s.sleep(24 * time.Hour)
		do(t, s.importVersion(t, of(days), (*Importing).AllowOlder, entries...))
	}
	hit, rest := listing(evil, nil), listing(worse, nil)
	reads(30, hit, rest)
	equal(t, "in force", s.inVersions(t, evil), "02 Feb")
	reads(20, rest)
	equal(t, "dropped", s.inVersions(t, evil), "02 Feb–12 Feb")
	reads(10, hit, rest)
	equal(t, "again", s.inVersions(t, evil), "22 Feb, 02 Feb–12 Feb")
	reads(15, rest)
	equal(t, "missing from an older one", s.inVersions(t, evil), "22 Feb–17 Feb older, 02 Feb–12 Feb")
	reads(12, rest)
	equal(t, "from another one", s.inVersions(t, evil), "22 Feb–17 Feb older, 02 Feb–12 Feb")
	reads(5, rest)
	equal(t, "from a newer one, too", s.inVersions(t, evil), "22 Feb–27 Feb, 02 Feb–12 Feb")
	reads(4, hit, rest)
	equal(t, "and back", s.inVersions(t, evil), "28 Feb, 22 Feb–17 Feb older, 02 Feb–12 Feb")
	s.sleep(24 * time.Hour)
	do(t, s.importVersion(t, nil, (*Importing).AllowOlder, rest))
	equal(t, "missing from one without a date", s.inVersions(t, evil),
		"28 Feb–?, 22 Feb–17 Feb older, 02 Feb–12 Feb")
	equal(t, "of another one", s.inVersions(t, worse), "02 Feb")
}

// TestOfAnOldDatabaseTheVersionsAreNotKnown, from the next import on they are.
func TestOfAnOldDatabaseTheVersionsAreNotKnown(t *testing.T) {
	onlySQLite(t)
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := sql.Open("sqlite", path)
	do(t, err)
	for version := 1; version < 16; version++ {
		text, err := schema.ReadFile(fmt.Sprintf("schema/sqlite/%d.sql", version))
		do(t, err)
		_, err = old.Exec(string(text))
		do(t, err)
	}
	_, err = old.Exec(`PRAGMA application_id = 1414480723; PRAGMA user_version = 15;
		INSERT INTO list (id, name, family, url, imported) VALUES (1, 'list', 'list', '', $1);
		INSERT INTO subject (id, kind, value) VALUES (1, 'domain', 'evil.com');
		INSERT INTO listing (subject, list, chain, kind, category, url, name, program, recorded)
			VALUES (1, 1, '', 'risk', '', '', '', '', $1)`, noon.UnixMicro()-1)
	do(t, err)
	old.Close()
	s := &shelf{DB: open(t, path, new(atomic.Int64))}
	equal(t, "in force", s.inVersions(t, evil), "?")
	do(t, s.importVersion(t, of(20), plainly, listing(worse, nil)))
	equal(t, "dropped", s.inVersions(t, evil), "?–12 Feb")
}
