package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tocsin"
)

func TestReportsAreRecordedInOrderWhateverTheClockDoes(t *testing.T) {
	s := fresh(t)
	var last tocsin.Time
	var all []string
	for i, step := range []time.Duration{0, 0, -time.Hour, 0, time.Microsecond, 2 * time.Hour} {
		s.sleep(step)
		r := s.files(t, story(t, fmt.Sprint("Story ", i), "evil.com"), nil).Report
		if i > 0 && r.CreatedAt.Micro() <= last.Micro() {
			t.Errorf("report %d is recorded at %s, the one before at %s", i, r.CreatedAt, last)
		}
		last = r.CreatedAt
		all = append(all, r.ID)
	}
	if last.Micro() != s.Now().Micro() {
		t.Error("a clock that goes on is not followed")
	}
	var got []string
	since := tocsin.MicroTime(0)
	for range all { // one at a time, forwards
		page, err := s.Reports(t.Context(), Filter{Since: &since, Page: Page{Limit: 1}})
		if err != nil || len(page.Reports) != 1 {
			t.Fatal(page, err)
		}
		got, since = append(got, page.Reports[0].ID), page.NextSince
	}
	equal(t, "since", got, all)
}

// TestACursorBeginsAfterTheLast: pages neither repeat nor lose a report, in the
// plain list, in a dossier and in a search.
func TestACursorBeginsAfterTheLast(t *testing.T) {
	s := fresh(t)
	var all []string
	for i := range 5 {
		all = append([]string{s.files(t, story(t, fmt.Sprint("Story ", i), "evil.com"), nil).Report.ID}, all...)
	}
	for name, page := range map[string]func(Page) ([]tocsin.Report, string, error){
		"list": func(p Page) ([]tocsin.Report, string, error) {
			l, err := s.Reports(t.Context(), Filter{Page: p})
			return l.Reports, l.NextCursor, err
		},
		"dossier": func(p Page) ([]tocsin.Report, string, error) {
			d, err := s.AboutSubject(t.Context(), evil, p)
			return d.Reports, d.NextCursor, err
		},
		"search": func(p Page) ([]tocsin.Report, string, error) {
			l, err := s.Search(t.Context(), []tocsin.Term{{Text: "story"}}, "", p)
			return l.Reports, l.NextCursor, err
		},
	} {
		for limit := 1; limit <= len(all)+1; limit++ {
			var got []string
			pages := 0
			for p := (Page{Limit: limit}); len(got) <= len(all); {
				reports, next, err := page(p)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range reports {
					got = append(got, r.ID)
				}
				pages++
				if p.Cursor = next; next == "" {
					break
				}
			}
			equal(t, fmt.Sprint(name, " by ", limit), got, all)
			equal(t, fmt.Sprint(name, " by ", limit, ": pages"), pages, (len(all)+limit-1)/limit)
		}
	}
}

func TestAListMayNotLoseMostOfItsStories(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	for i := range 5 {
		entries = append(entries, told(story(t, fmt.Sprint("Story ", i), "evil.com"), fmt.Sprint(i)))
	}
	s.imports(t, "list", entries...)
	if _, err := s.tryImport(t, "list", false, entries[:2]...); err == nil {
		t.Error("3 of 5 stories went")
	}
	equal(t, "stories", dossier(t, s.DB, evil).ReportCount, 5)
	_, err := s.tryImport(t, "list", false, entries[:3]...)
	equal(t, "2 of 5 may go", err, nil)
}

func TestAWellKnownNameMayNotBeReported(t *testing.T) {
	s := fresh(t)
	kinds := map[tocsin.ListingKind]bool{
		tocsin.Safe:     true,
		tocsin.Shared:   true,
		tocsin.Risk:     false,
		tocsin.Sanction: false,
	}
	for kind, refused := range kinds {
		name := fmt.Sprintf("%s.com", kind)
		entry := listing(tocsin.Subject{Kind: tocsin.DNS, Value: name}, nil)
		entry.Listing.Kind = kind
		file := func() error {
			_, err := s.FileReport(t.Context(), Filing{Draft: story(t, fmt.Sprint(s.Now()), name), Network: network})
			return err
		}
		s.imports(t, string(kind), entry)
		if err := file(); (err != nil) != refused {
			t.Errorf("%s: %v", kind, err)
		}
		if _, err := s.tryImport(t, string(kind), true); err != nil {
			t.Fatal(err)
		}
		s.sleep(time.Second)
		if err := file(); err != nil {
			t.Errorf("%s, withdrawn: %v", kind, err)
		}
	}
}

func TestAFamilyIsThatOfTheLastImport(t *testing.T) {
	s := fresh(t)
	for _, family := range []string{"one", "two"} {
		im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: family})
		if err != nil {
			t.Fatal(err)
		}
		if err := im.Add(listing(evil, nil)); err != nil {
			t.Fatal(err)
		}
		if _, err := im.Finish(t.Context(), false, nil); err != nil {
			t.Fatal(err)
		}
		equal(t, "family", dossier(t, s.DB, evil).Listings[0].Family, family)
	}
	changes, err := s.Changes(t.Context(), 1, 10)
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	equal(t, "event", []any{changes[0].Op, changes[0].OldFamily, changes[0].Family}, []any{FamilyChanged, "one", "two"})
}

// TestAPartOfAListDoesNotMakeItSmaller: what a part says nothing of stays in force.
func TestAPartOfAListDoesNotMakeItSmaller(t *testing.T) {
	s := fresh(t)
	address := listing(tocsin.Subject{Kind: tocsin.EVM, Value: "0x52908400098527886e0f7030069857d2e4169ee7"}, nil)
	s.imports(t, "list", address, listing(evil, nil), listing(worse, nil))
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	if err != nil {
		t.Fatal(err)
	}
	im.Partial()
	if err := im.Add(listing(evil, nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := im.Finish(t.Context(), true, nil); err != nil {
		t.Fatal(err)
	}
	st, err := s.Stats(t.Context())
	equal(t, "listings", []any{st.Lists[0].Listings, err}, []any{3, nil})
}

func TestForeignKeysAreEnforced(t *testing.T) {
	s := fresh(t)
	err := s.write(t.Context(), evidence, false, func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, "INSERT INTO event (at, op, subject) VALUES (1, 'filed', 99)")
		return err
	})
	if err == nil {
		t.Error("an event names a subject that is not there")
	}
}
