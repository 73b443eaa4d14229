package store

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"tocsin"
)

// TestSearchesLeaveReadersToOthers begins as many searches as are let in at
// once, and none of them ends.
func TestSearchesLeaveReadersToOthers(t *testing.T) {
	s := fresh(t)
	s.files(t, story(t, "a drainer", "evil.com"), nil)
	query, fault := tocsin.ParseQuery("drainer")
	if fault != nil {
		t.Fatal(fault)
	}
	var leave []func()
	for range readers / 2 {
		one, ok := s.searches.Try(netip.Prefix{})
		equal(t, "a slot is free", ok, true)
		leave = append(leave, one)
	}
	found := make(chan Listed, 1)
	go func() {
		page, err := s.Search(t.Context(), query, "", Page{Limit: 5})
		do(t, err)
		found <- page
	}()
	for range 2000 { // others read meanwhile
		equal(t, "published", len(dossier(t, s.DB, evil).Reports), 1)
		if _, err := s.Reports(t.Context(), Filter{Page: Page{Limit: 5}}); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-found:
		t.Fatal("more searches than half of the readers")
	default:
	}
	leave[0]()
	equal(t, "found when there is room", len((<-found).Reports), 1)
	for range readers { // each search gives its slot back
		_, err := s.Search(t.Context(), query, "", Page{Limit: 5})
		do(t, err)
	}
}

func TestAMatchOutsideTheStoryComesFirstWhereverItIs(t *testing.T) {
	s := fresh(t)
	text := "mallory"
	for about, change := range map[string]func(*tocsin.Draft){
		"title":   func(d *tocsin.Draft) { d.Title = text },
		"project": func(d *tocsin.Draft) { d.SubjectProjectName = &text },
		"subject": func(d *tocsin.Draft) { d.ReportedDomains = []string{text + ".com"} },
		"handle":  func(d *tocsin.Draft) { d.SocialMedia.Telegram = &text },
	} {
		d := story(t, "In the "+about, "evil.com")
		change(&d)
		outside := s.files(t, d, nil).Report.ID
		d = story(t, "Newer than in the "+about, "evil.com")
		d.Description = "It was mallory."
		s.files(t, d, nil)
		found, err := s.Search(t.Context(), []tocsin.Term{{Text: text}}, "", Page{Limit: 1})
		if err != nil || len(found.Reports) != 1 || found.Reports[0].ID != outside {
			t.Errorf("%s: %+v, %v", about, found.Reports, err)
		}
	}
}

// TestReadingReportsFindsWhatTheIndexFinds outside the story, for a few matches and for many.
func TestReadingReportsFindsWhatTheIndexFinds(t *testing.T) {
	s := fresh(t)
	titles := []string{
		"drained wallets by claim site", "Site, claim: BY drained Wallets", "claim by drained", "wallets", "sité claiming",
	}
	var entries []tocsin.Entry
	for i := range fewMatches + 50 {
		d := story(t, fmt.Sprint("Report ", i), "evil.com")
		if i%10 == 0 {
			d.Title = titles[i/10%len(titles)]
		} else if i%10 == 1 {
			d.ReportedHandles = []string{"name:" + titles[i/10%len(titles)]}
		}
		d.Description = "Wallets were drained by a claim site."
		entries = append(entries, told(d, fmt.Sprint(i)))
	}
	s.imports(t, "list", entries...)
	for _, q := range []string{
		"wallets", "claim", "drained wallets claim site by", `"claim site" drained by wal*`, `"by drained" claim wallets`,
		`"by claim"`, "clai* site", "evil.com", "drained wallets claim site evil", "a were",
	} {
		terms, fault := tocsin.ParseQuery(q)
		if fault != nil {
			t.Fatal(fault)
		}
		err := s.read(t.Context(), primary, func(c *conn) error {
			all, err := c.dialect.matches(t.Context(), c, terms, "", false, 0, 1<<20, SearchWindow)
			do(t, err)
			want, err := c.dialect.matches(t.Context(), c, terms, "", true, 0, 1<<20, SearchWindow)
			do(t, err)
			for name, find := range map[string]func() ([]place, error){
				"read": func() ([]place, error) { return readOutside(t.Context(), c, terms, all) },
				"of all matches": func() ([]place, error) {
					return outsideStory(t.Context(), c, terms, "", all, 1<<20, SearchWindow)
				},
			} {
				got, err := find()
				do(t, err)
				equal(t, q+", "+name, rank(slices.Clone(all), got), rank(slices.Clone(all), want))
			}
			return nil
		})
		do(t, err)
	}
}

// TestOfManyReportsWithTheLongestWordsAllAreRanked: those that have the other words as well may be behind more reports
// than the index is asked for.
func TestOfManyReportsWithTheLongestWordsAllAreRanked(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	for i := range fewMatches + 2 + SearchWindow {
		d := story(t, fmt.Sprint("Drained wallets, claim site ", i), "evil.com")
		switch {
		case i == 0:
			d.Title += " by"
		case i < fewMatches+2:
			d.Description = "It was done by mallory."
		}
		entries = append(entries, told(d, fmt.Sprint(i)))
	}
	s.imports(t, "list", entries...)
	terms, fault := tocsin.ParseQuery("drained wallets claim site by")
	if fault != nil {
		t.Fatal(fault)
	}
	found, err := s.Search(t.Context(), terms, "", Page{Limit: 1})
	do(t, err)
	equal(t, "found", []any{found.Found, found.Reports[0].Title},
		[]any{fewMatches + 2, "Drained wallets, claim site 0 by"})
}
