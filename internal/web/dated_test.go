package web

import (
	"strings"
	"testing"
	"time"

	"tocsin"
)

// tells imports a list of stories about a subject, without a date unless at is one.
func (s *service) tells(list, title, domain string, at tocsin.Time) {
	s.t.Helper()
	im, err := s.db.Import(s.t.Context(), tocsin.List{Name: list, Family: list, URL: "https://lists.example"})
	if err != nil {
		s.t.Fatal(err)
	}
	d, err := tocsin.Draft{CrimeType: tocsin.Phishing, Title: title, Description: "A list says so.",
		ReportedDomains: []string{domain}}.Parse(s.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	d.SourceDate = at
	if err := im.Add(tocsin.Entry{Report: &d, Key: title}); err != nil {
		s.t.Fatal(err)
	}
	if _, err := im.Finish(s.t.Context(), true, nil); err != nil {
		s.t.Fatal(err)
	}
}

// TestNoPageGivesAStoryTheDateOfItsImport: its date is unknown, and it comes after what has one.
func TestNoPageGivesAStoryTheDateOfItsImport(t *testing.T) {
	s := start(t)
	s.tells("cryptoscamdb", "Without a date", "old.example", tocsin.Time{})
	const unknown = "date unknown, on our record since 4 Mar 2026"
	v := s.visitor()
	v.get("/").says(unknown)
	v.get("/reports").says("Date unknown", "on our record since 4 Mar 2026")
	p := v.get("/screen/old.example")
	p.says(unknown, "The date of the report is unknown.")
	for _, said := range []string{"First report", "Last report", "The report is of", "today"} {
		if strings.Contains(p.main(), said) {
			t.Errorf("%q: %s", said, p.main())
		}
	}
	_, told := s.call("GET", "/community-reports", nil, "x-api-key: "+s.key(tocsin.Address{}, "", nil))
	v.get("/reports/"+told.Reports[0].ID).says("Published date unknown", "On our record since 4 Mar 2026")
	s.tells("mew", "Of long ago", "old.example", tocsin.TimeOf(time.Date(2017, 7, 8, 0, 0, 0, 0, time.UTC)))
	s.Sleep(time.Minute) // until the numbers and the newest reports are read anew
	for _, path := range []string{"/", "/reports", "/screen/old.example"} {
		text, says := s.visitor().get(path).main(), unknown
		if path == "/reports" {
			says = "Date unknown"
		}
		if dated, not := strings.Index(text, "8 July 2017"), strings.Index(text, says); dated < 0 || dated > not {
			t.Errorf("%s: the dated one at %d, the other at %d", path, dated, not)
		}
	}
}
