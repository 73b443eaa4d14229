package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
)

// dates returns title and date of each report, "" for none.
func dates(reports []tocsin.Report) (all []string) {
	for _, r := range reports {
		date := ""
		if r.PublishedAt != nil {
			date = r.PublishedAt.Std().Format(time.DateOnly)
		}
		all = append(all, r.Title+" "+date)
	}
	return all
}

// TestAStoryWithoutADateHasNone: not in a list, in a search, in the dossier of what it names, nor as the date of the
// first or the last report about that. It comes after those that have one.
func TestAStoryWithoutADateHasNone(t *testing.T) {
	s := fresh(t)
	old := story(t, "old", "evil.com")
	old.SourceDate = tocsin.TimeOf(noon.Add(-5 * 365 * 24 * time.Hour))
	later := story(t, "later", "evil.com")
	later.SourceDate = tocsin.TimeOf(noon.Add(time.Hour)) // than the import, which cannot be
	s.imports(t, "list", told(story(t, "undated", "evil.com", "worse.com"), "1"), told(old, "2"), told(later, "3"))
	s.sleep(time.Minute)
	s.files(t, story(t, "filed", "evil.com"), nil)
	s.sleep(24 * time.Hour)
	s.imports(t, "another list", told(story(t, "undated too", "evil.com"), "1"))
	want := []string{"filed 2026-03-04", "old 2021-03-05", "undated too ", "later ", "undated "}

	for limit := 1; limit <= 6; limit++ {
		var listed, about []tocsin.Report
		f, p := Filter{Page: Page{Limit: limit}}, Page{Limit: limit}
		for more := true; more; more = f.Cursor != "" {
			page, err := s.Reports(t.Context(), f)
			do(t, err)
			listed, f.Cursor = append(listed, page.Reports...), page.NextCursor
		}
		for more := true; more; more = p.Cursor != "" {
			d, err := s.AboutSubject(t.Context(), evil, p)
			do(t, err)
			about, p.Cursor = append(about, d.Reports...), d.NextCursor
		}
		equal(t, fmt.Sprint("listed by ", limit), dates(listed), want)
		equal(t, fmt.Sprint("about evil.com by ", limit), dates(about), want)
	}
	found, err := s.Search(t.Context(), []tocsin.Term{{Text: "wallet"}}, "", Page{Limit: 9})
	do(t, err)
	equal(t, "found in the story", dates(found.Reports), want)
	found, err = s.Search(t.Context(), []tocsin.Term{{Text: "evil"}}, tocsin.Phishing, Page{Limit: 9})
	do(t, err)
	equal(t, "found outside of it", dates(found.Reports), want)

	d := dossier(t, s.DB, evil)
	equal(t, "first and last", []tocsin.Time{d.First, d.Last}, []tocsin.Time{old.SourceDate, *d.Reports[0].PublishedAt})
	screening := tocsin.Screen(dossier(t, s.DB, worse), noon)
	equal(t, "of one that only an undated story names",
		[]any{screening.ReportCount, screening.FirstReportedAt, screening.LastReportedAt},
		[]any{1, (*tocsin.Time)(nil), (*tocsin.Time)(nil)})
	text, err := json.Marshal(d.Reports[2])
	do(t, err)
	equal(t, "in JSON", strings.Contains(string(text), `"publishedAt":null`), true)

	var since []string
	for follow := (Filter{Since: new(tocsin.Time), Page: Page{Limit: 2}}); len(since) < 5; {
		page, err := s.Reports(t.Context(), follow)
		do(t, err)
		for _, r := range page.Reports {
			since = append(since, r.Title)
		}
		follow.Since = &page.NextSince
	}
	equal(t, "followed in the order of recording", since, []string{"undated", "old", "later", "filed", "undated too"})
}

// TestAWalkThroughTheReportsLosesAndRepeatsNone of those that were there when it began, whatever is imported meanwhile.
func TestAWalkThroughTheReportsLosesAndRepeatsNone(t *testing.T) {
	s := fresh(t)
	imported := func(list string, days int) {
		var entries []tocsin.Entry
		for i := range 8 {
			d := story(t, fmt.Sprint(list, " ", i), "evil.com")
			if i > 1 {
				d.SourceDate = tocsin.TimeOf(noon.Add(-time.Duration(days*i/2) * 24 * time.Hour))
			}
			entries = append(entries, told(d, fmt.Sprint(i)))
		}
		s.imports(t, list, entries...)
	}
	imported("a", 3)
	imported("b", 3) // with the same dates
	there, err := s.Reports(t.Context(), Filter{Page: Page{Limit: 50}})
	do(t, err)
	var walked []string
	f := Filter{Page: Page{Limit: 3}}
	for step := 0; ; step++ {
		page, err := s.Reports(t.Context(), f)
		do(t, err)
		walked = append(walked, dates(page.Reports)...)
		if f.Cursor = page.NextCursor; f.Cursor == "" {
			break
		}
		s.files(t, story(t, fmt.Sprint("filed ", step), "evil.com"), nil)
		imported(fmt.Sprint("c", step), 2)
	}
	before := slices.DeleteFunc(slices.Clone(walked), func(one string) bool { return one[0] == 'c' })
	equal(t, "those that were there", before, dates(there.Reports))
	slices.Sort(walked)
	equal(t, "none twice", len(slices.Compact(slices.Clone(walked))), len(walked))
	if len(walked) == len(before) {
		t.Error("nothing was imported behind the walk")
	}
}

// TestAnOldDatabaseForgetsTheDatesThatSourcesNeverGave: they were those of the import.
func TestAnOldDatabaseForgetsTheDatesThatSourcesNeverGave(t *testing.T) {
	onlySQLite(t)
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := sql.Open("sqlite", path)
	do(t, err)
	for version := 1; version < 11; version++ {
		text, err := schema.ReadFile(fmt.Sprintf("schema/sqlite/%d.sql", version))
		do(t, err)
		_, err = old.Exec(string(text))
		do(t, err)
	}
	_, err = old.Exec(`PRAGMA application_id = 1414480723; PRAGMA user_version = 10;
		INSERT INTO list (id, name, family, url, imported) VALUES (1, 'one', 'one', '', 1);
		INSERT INTO subject (id, kind, value) VALUES (1, 'domain', 'evil.com')`)
	do(t, err)
	created := noon.UnixMicro()
	for i, report := range []struct {
		list      any
		published int64
	}{
		{1, created},                  // without a date
		{1, created - 6},              // likewise, in the middle of an import
		{1, created - 86_400_000_000}, // of the day before
		{nil, created + 3},            // filed here
	} {
		_, err = old.Exec(`INSERT INTO report (seq, id, created, published, list, status, crime_type, body)
				VALUES ($1, 'rep_' || $1, $2, $3, $4, 'published', 'scam', '{"title": "T", "reportedDomains": ["evil.com"]}');
			INSERT INTO report_subject (subject, report, list, crime_type, published) VALUES (1, $1, $4, 'scam', $3)`,
			i+1, created+int64(i), report.published, report.list)
		do(t, err)
	}
	old.Close()
	s := &shelf{DB: open(t, path, new(atomic.Int64))}
	d := dossier(t, s.DB, evil)
	equal(t, "reports", dates(d.Reports), []string{"T 2026-03-04", "T 2026-03-03", "T ", "T "})
	equal(t, "first", d.First.Micro(), created-86_400_000_000)
	changes, err := s.Changes(t.Context(), 0, 100)
	do(t, err)
	var told []any
	for _, c := range changes {
		told = append(told, c.Op, c.Report)
	}
	equal(t, "events", told, []any{ReportDated, "rep_1", ReportDated, "rep_2"})
}

// TestAPageOfReportsIsReadFromAnIndex: neither sorted, nor looked for among the others.
func TestAPageOfReportsIsReadFromAnIndex(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	s.imports(t, "list", told(story(t, "told", "evil.com"), "1"))
	dated, without := cursor(place{noon.UnixMicro(), 5}), cursor(place{0, 5})
	for _, f := range []Filter{
		{}, {Page: Page{Cursor: without}}, {Page: Page{Cursor: without}, Source: "list", CrimeType: tocsin.Scam},
		{CrimeType: tocsin.Scam}, {Source: "list"}, {Source: "list", CrimeType: tocsin.Scam},
		{Source: tocsin.Community}, {Source: tocsin.Community, CrimeType: tocsin.Scam}, {Agent: "agt_a"},
		{Since: new(tocsin.Time)}, {Since: new(tocsin.Time), CrimeType: tocsin.Scam},
		{Since: new(tocsin.Time), Source: "list", CrimeType: tocsin.Scam},
	} {
		if f.Limit = 20; f.Cursor == "" && f.Since == nil {
			f.Cursor = dated
		}
		var query string
		for range readers {
			c := <-s.readers
			c.ran = func(ran string) error {
				if strings.Contains(ran, "FROM report r LEFT JOIN list") {
					query = ran
				}
				return nil
			}
			s.readers <- c
		}
		_, err := s.Reports(t.Context(), f)
		do(t, err)
		var plan []string
		do(t, s.read(t.Context(), primary, func(c *conn) error {
			args := make([]any, 12)
			for i := range args {
				args[i] = 5
			}
			return c.each(t.Context(), "EXPLAIN QUERY PLAN "+query, args[:strings.Count(query, "$")],
				func(rows *sql.Rows) error {
					var id, parent, unused int
					var detail string
					err := rows.Scan(&id, &parent, &unused, &detail)
					plan = append(plan, detail)
					return err
				})
		}))
		text := strings.Join(plan, "; ")
		t.Logf("%+v: %s", f, text)
		if strings.Contains(text, "TEMP B-TREE") || strings.Contains(text, "SCAN r") ||
			f.Cursor == without && !strings.Contains(text, "published=? AND rowid<?") {
			t.Errorf("%+v: %s", f, text)
		}
	}
}
