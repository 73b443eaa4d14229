package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// soundFile returns a database with a report that was filed and a list with a story, as bytes.
func soundFile(t *testing.T) []byte {
	t.Helper()
	s := fresh(t)
	s.files(t, story(t, "Told", "evil.com"), nil)
	s.imports(t, "list", listing(worse, nil), told(story(t, "A story", "worse.com"), "1"))
	checked, err := s.Check(t.Context(), nil)
	do(t, err)
	if len(checked.Faults) > 0 || checked.Reports != 2 || checked.Listings != 1 {
		t.Fatalf("of a sound database: %+v", checked)
	}
	do(t, s.Close())
	sound, err := os.ReadFile(s.path)
	do(t, err)
	return sound
}

// faults says what a check finds in a database after it was damaged.
func faults(t *testing.T, sound []byte, damage func(path string)) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.db")
	do(t, os.WriteFile(path, sound, 0o600))
	damage(path)
	db := open(t, path, new(atomic.Int64))
	defer db.Close()
	checked, err := db.Check(t.Context(), nil)
	if err != nil {
		return []string{err.Error()}
	}
	return checked.Faults
}

// TestACheckFindsWhatDoesNotAgree: each statement is something that no code of this program does.
func TestACheckFindsWhatDoesNotAgree(t *testing.T) {
	onlySQLite(t)
	sound := soundFile(t)
	for statement, fault := range map[string]string{
		"DELETE FROM report_subject WHERE report = 1":                   "0 count, 1 have an event, in the index: true",
		"DELETE FROM event WHERE op = 'filed'":                          "1 count, 0 have an event, in the index: true",
		"DELETE FROM report_words WHERE rowid = 1":                      "1 count, 1 have an event, in the index: false",
		"UPDATE report SET status = 'hidden'":                           "a report counts that is not published",
		"UPDATE report SET body = '{'":                                  "cannot be read",
		"UPDATE event SET report = 7 WHERE report = 1":                  "a report 7 is not on record",
		"UPDATE listing SET hidden = 1":                                 "a listing is hidden though",
		"DELETE FROM event WHERE op = 'listed'":                         "a subject of a list has no event",
		"PRAGMA foreign_keys = 0; DELETE FROM subject WHERE id = 1":     "refers to a row of subject that is not there",
		"UPDATE report_subject SET crime_type = 'other', published = 1": "not as it is on record",
		"CREATE TRIGGER t AFTER INSERT ON act BEGIN SELECT 1; END":      "it has a trigger that is not of",
		"UPDATE OR REPLACE report SET seq = -1":                         "the numbers of reports, from -1 to -1",
		"UPDATE OR REPLACE report SET seq = 1 << 60":                    "are not from 1 to",
	} {
		found := faults(t, sound, func(path string) {
			c, err := openCopy(t.Context(), path)
			do(t, err)
			defer c.dialect.close()
			defer c.close()
			if _, err := c.conn.ExecContext(t.Context(), statement); err != nil && fault != "" {
				t.Errorf("%s: %v", statement, err)
			}
		})
		if fault == "" && len(found) > 0 ||
			fault != "" && !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, fault) }) {
			t.Errorf("%s: found %q, want %q", statement, found, fault)
		}
	}
}

// TestACheckFindsADamagedPage overwrites a part of an index, which no answer would show.
func TestACheckFindsADamagedPage(t *testing.T) {
	onlySQLite(t)
	found := faults(t, soundFile(t), func(path string) {
		c, err := openCopy(t.Context(), path)
		do(t, err)
		var page, size int64
		do(t, c.row(t.Context(), "SELECT rootpage FROM sqlite_master WHERE name = 'filing_by_age'", nil, &page))
		do(t, c.row(t.Context(), "PRAGMA page_size", nil, &size))
		c.close()
		c.dialect.close()
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		do(t, err)
		_, err = f.WriteAt([]byte(strings.Repeat("\xff", 8)), page*size-8) // the end of the page: the only entry
		do(t, err)
		do(t, f.Close())
	})
	if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, "the file is damaged: ") }) ||
		slices.ContainsFunc(found, func(f string) bool { return strings.ContainsAny(f, "*\n\\") }) { // a line each
		t.Errorf("found %q", found)
	}
}
