package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// said writes down what lists say of a subject, and from when until when.
func (s *shelf) said(t *testing.T, subject tocsin.Subject) string {
	t.Helper()
	history, err := s.ListHistory(t.Context(), subject)
	do(t, err)
	var all []string
	for _, l := range history {
		until := "now"
		if l.Dropped != nil {
			until = l.Dropped.Std().Format(time.DateOnly)
		}
		if l.Removed {
			until += " removed"
		}
		all = append(all, fmt.Sprintf("%s %s %s–%s", l.List, l.Kind, l.Recorded.Std().Format(time.DateOnly), until))
	}
	return strings.Join(all, ", ")
}

// TestWhatAListHasDroppedIsOnRecordForAsLongAsHistoryIsKept, with the days on which imports found it and missed it.
func TestWhatAListHasDroppedIsOnRecordForAsLongAsHistoryIsKept(t *testing.T) {
	s := fresh(t)
	const day = 24 * time.Hour
	hit := listing(evil, nil)
	hit.Listing.Kind = tocsin.Sanction
	rest := listing(worse, nil)
	safe := listing(evil, nil)
	safe.Listing.Kind, safe.Listing.Category = tocsin.Safe, tocsin.TopSite
	s.imports(t, "ofac", hit, rest, safe)
	equal(t, "in force", s.said(t, evil), "ofac sanction 2026-03-04–now")
	recorded := func() string {
		s.sleep(2 * time.Second) // for which numbers are kept
		st, err := s.Stats(t.Context())
		do(t, err)
		return st.SanctionsRecorded().Std().Format(time.DateOnly)
	}
	equal(t, "the record begins", recorded(), "2026-03-04")
	s.sleep(day)
	s.imports(t, "ofac", rest, safe)
	equal(t, "dropped", s.said(t, evil), "ofac sanction 2026-03-04–2026-03-05")
	equal(t, "it counts no more", len(dossier(t, s.DB, evil).Listings), 1)
	s.imports(t, "another", listing(evil, nil))
	equal(t, "what is in force comes first", s.said(t, evil), "another risk 2026-03-05–now, ofac sanction "+
		"2026-03-04–2026-03-05")
	s.sleep(day)
	equal(t, "of a name below it", s.said(t, tocsin.Subject{Kind: tocsin.DNS, Value: "a." + evil.Value}), s.said(t, evil))
	s.reopens(t, Keep{History: 10 * day})
	s.sleep(8 * day)
	equal(t, "nine days later", strings.Contains(s.said(t, evil), "ofac"), true)
	s.sleep(2 * day)
	equal(t, "eleven days later", s.said(t, evil), "another risk 2026-03-05–now")
	equal(t, "the record goes back as far", recorded(), "2026-03-06") // ten days, as the history
	s.imports(t, "ofac", hit, rest)
	equal(t, "it has come back", s.said(t, evil), "another risk 2026-03-05–now, ofac sanction 2026-03-16–now")
	below := tocsin.Subject{Kind: tocsin.DNS, Value: "a." + evil.Value}
	all, err := s.ListHistories(t.Context(), []tocsin.Subject{worse, below, {Kind: tocsin.Tron, Value: tron}, evil})
	do(t, err)
	equal(t, "of several", []int{len(all[0]), len(all[1]), len(all[2]), len(all[3])}, []int{1, 2, 0, 2})
	equal(t, "of each", all[1], all[3])
}

// TestEveryTimeThatAListNamedItIsOnRecord: an entry that left its list and came back, twice; and the removal of a list
// by the operator is not taken for an end that the list has put to it.
func TestEveryTimeThatAListNamedItIsOnRecord(t *testing.T) {
	s := fresh(t)
	const day = 24 * time.Hour
	hit, rest := listing(evil, nil), listing(worse, nil)
	hit.Listing.Kind = tocsin.Sanction
	for range 2 {
		s.imports(t, "ofac", hit, rest)
		s.sleep(day)
		s.imports(t, "ofac", rest)
		s.sleep(day)
	}
	s.imports(t, "ofac", hit, rest)
	const again = "ofac sanction 2026-03-06–2026-03-07, ofac sanction 2026-03-04–2026-03-05"
	equal(t, "again", s.said(t, evil), "ofac sanction 2026-03-08–now, "+again)
	equal(t, "of another one", s.said(t, worse), "ofac risk 2026-03-04–now")
	s.reopens(t, Keep{History: 3 * day}) // of what ended on the 5th
	equal(t, "the last three days", s.said(t, evil), "ofac sanction 2026-03-08–now, ofac sanction 2026-03-06–2026-03-07")
	s.reopens(t, Keep{})
	s.sleep(day)
	lease, err := s.LeaseImport(t.Context(), "ofac")
	do(t, err)
	_, err = s.RemoveList(t.Context(), warden, lease, nil)
	do(t, err)
	do(t, lease.Release(t.Context()))
	const removed = "ofac sanction 2026-03-08–2026-03-09 removed, ofac sanction 2026-03-06–2026-03-07"
	equal(t, "removed", strings.HasPrefix(s.said(t, evil), removed), true)
	s.sleep(day)
	s.imports(t, "ofac", hit, rest)
	equal(t, "and used again", strings.HasPrefix(s.said(t, evil), "ofac sanction 2026-03-10–now, "+removed), true)
}

// TestTheDateOfAReturnOutlastsThePruning: what ended within the history that is kept has its beginning, however old.
func TestTheDateOfAReturnOutlastsThePruning(t *testing.T) {
	const day = 24 * time.Hour
	s := fresh(t)
	hit, rest := listing(evil, nil), listing(worse, nil)
	other := listing(tocsin.Subject{Kind: tocsin.DNS, Value: "third.com"}, nil)
	for _, step := range []struct {
		after   time.Duration
		entries []tocsin.Entry
	}{{0, []tocsin.Entry{hit, rest, other}}, {10 * day, []tocsin.Entry{rest, other}},
		{10 * day, []tocsin.Entry{hit, rest, other}}, {40 * day, []tocsin.Entry{rest, other}},
		{5 * day, []tocsin.Entry{hit, rest, other}}} {
		s.sleep(step.after)
		s.imports(t, "list", step.entries...)
	}
	s.sleep(5 * day)
	s.reopens(t, Keep{History: 30 * day})
	equal(t, "said", s.said(t, evil), "list risk 2026-05-08–now, list risk 2026-03-24–2026-05-03")
}

// endedAt writes down how many reports have ended, and when the last did.
func endedAt(e Ended) string {
	if e.Last == nil {
		return fmt.Sprint(e.Count)
	}
	return fmt.Sprint(e.Count, " ", e.Last.Std().Format(time.DateOnly))
}

// TestTheListsOwnDateOutlastsItsEntry: what is said of an entry that was dropped has the date that the list gave it.
func TestTheListsOwnDateOutlastsItsEntry(t *testing.T) {
	s := fresh(t)
	dated, own := listing(evil, nil), tocsin.TimeOf(time.Date(2024, 12, 11, 0, 0, 0, 0, time.UTC))
	dated.Listing.Since = &own
	s.imports(t, "a", dated, listing(worse, nil))
	s.sleep(24 * time.Hour)
	s.imports(t, "a", listing(worse, nil))
	history, err := s.ListHistory(t.Context(), evil)
	do(t, err)
	equal(t, "dropped", []any{len(history), history[0].Dropped != nil, *history[0].Since}, []any{1, true, own})
}

// TestHowManyReportsWereWithdrawnIsOnRecord: apart from those that were hidden, also if they were hidden before, and
// without those that were corrected.
func TestHowManyReportsWereWithdrawnIsOnRecord(t *testing.T) {
	s := fresh(t)
	first := s.files(t, story(t, "One", evil.Value), nil)
	second := s.files(t, story(t, "Two", evil.Value), nil)
	third := s.files(t, story(t, "Three", evil.Value), nil)
	do(t, s.Hide(t.Context(), Operator{}, second.Report.ID, third.Report.ID))
	s.sleep(24 * time.Hour)
	do(t, s.Withdraw(t.Context(), first.Report.ID, first.ManageToken))
	do(t, s.Withdraw(t.Context(), second.Report.ID, second.ManageToken))
	corrected, better := s.files(t, story(t, "Four", evil.Value), nil), s.files(t, story(t, "Five", evil.Value), nil)
	do(t, s.Replace(t.Context(), corrected.Report.ID, corrected.ManageToken, better.Report.ID))
	hidden, withdrawn, err := s.EndedReports(t.Context(), evil)
	do(t, err)
	equal(t, "hidden, withdrawn", []string{endedAt(hidden), endedAt(withdrawn)}, []string{"1 2026-03-04", "2 2026-03-05"})
	_, withdrawn, err = s.EndedReports(t.Context(), worse)
	do(t, err)
	equal(t, "of another one", endedAt(withdrawn), "0")
}

// TestHowManyReportsWereHiddenIsOnRecord: until they are restored or the ban is lifted, and about no other
// subject.
func TestHowManyReportsWereHiddenIsOnRecord(t *testing.T) {
	s := fresh(t)
	hidden := func() string {
		hidden, _, err := s.EndedReports(t.Context(), evil)
		do(t, err)
		return endedAt(hidden)
	}
	names := func(title, domain string) string {
		return s.files(t, story(t, title, domain), nil).Report.ID
	}
	first, second, other := names("One", evil.Value), names("Two", evil.Value), names("Three", worse.Value)
	equal(t, "before", hidden(), "0")
	do(t, s.Hide(t.Context(), Operator{}, first, other))
	equal(t, "one", hidden(), "1 2026-03-04")
	s.sleep(24 * time.Hour)
	do(t, s.Hide(t.Context(), Operator{}, second))
	equal(t, "two", hidden(), "2 2026-03-05")
	do(t, s.Restore(t.Context(), Operator{}, second))
	equal(t, "one is public again", hidden(), "1 2026-03-04")
	do(t, s.Hide(t.Context(), Operator{}, second))
	equal(t, "hidden again, counted once", hidden(), "2 2026-03-05")
	a := s.agent(t)
	s.files(t, story(t, "Four", evil.Value), a)
	s.sleep(24 * time.Hour)
	_, err := s.Ban(t.Context(), Operator{}, a.Agent.ID)
	do(t, err)
	equal(t, "its reporter is banned", hidden(), "3 2026-03-06")
	_, err = s.Unban(t.Context(), Operator{}, a.Agent.ID)
	do(t, err)
	equal(t, "the ban is lifted", hidden(), "2 2026-03-05")
}

// TestAReportNamedTwiceIsHiddenOnce, and counts once for who filed it.
func TestAReportNamedTwiceIsHiddenOnce(t *testing.T) {
	s := fresh(t)
	id := s.files(t, story(t, "One", evil.Value), s.agent(t)).Report.ID
	do(t, s.Hide(t.Context(), Operator{}, id, id))
	equal(t, "events", s.events(t), "filed 1, hidden 1")
	var hidden int
	do(t, s.read(t.Context(), primary, func(c *conn) error {
		return c.row(t.Context(), "SELECT hidden FROM named", nil, &hidden)
	}))
	equal(t, "counted", hidden, 1)
}

// TestWhatAListHasDroppedIsHiddenWithItsReport: it is no history then, stays hidden when the list names it again, and
// is history again once it is restored.
func TestWhatAListHasDroppedIsHiddenWithItsReport(t *testing.T) {
	for _, end := range []string{"hide", "erase"} {
		s := fresh(t)
		entry := []tocsin.Entry{listing(evil, nil), told(story(t, "One", evil.Value), "row 1")}
		s.imports(t, "list", entry...)
		do(t, second(s.tryImport(t, "list", true)))
		history := func() int {
			all, err := s.ListHistory(t.Context(), evil)
			do(t, err)
			return len(all)
		}
		equal(t, "its history", history(), 1)
		id := s.mustFind(t, Selection{Subject: &evil})
		switch end {
		case "hide":
			do(t, s.Hide(t.Context(), warden, id))
			equal(t, "its history while hidden", history(), 0)
			do(t, s.Restore(t.Context(), warden, id))
			equal(t, "restored: history, and reports that count", []int{history(), dossier(t, s.DB, evil).ReportCount},
				[]int{1, 0})
			do(t, s.Hide(t.Context(), warden, id))
		case "erase":
			_, _, err := s.Erase(t.Context(), warden, id)
			do(t, err)
		}
		equal(t, "its history after "+end, history(), 0)
		s.imports(t, "list", entry...)
		d := dossier(t, s.DB, evil)
		equal(t, "named again after "+end, []int{history(), d.ReportCount, len(d.Listings)}, []int{0, 0, 0})
	}
}

// TestAnOlderVersionOfAStoryIsNotHidden: what its list says now is hidden instead.
func TestAnOlderVersionOfAStoryIsNotHidden(t *testing.T) {
	s := fresh(t)
	s.imports(t, "list", listing(evil, nil), told(story(t, "One", evil.Value), "row 1"))
	older := s.mustFind(t, Selection{Subject: &evil})
	s.imports(t, "list", listing(evil, nil), told(story(t, "Two", evil.Value), "row 1"))
	equal(t, "to hide it", codeOf(s.Hide(t.Context(), warden, older)), tocsin.Invalid)
	equal(t, "what the list says", len(dossier(t, s.DB, evil).Listings), 1)
}

// TestAHiddenEntryIsKnownWhileItsListHasIt, with the day on which it was hidden, also below the name.
func TestAHiddenEntryIsKnownWhileItsListHasIt(t *testing.T) {
	s := fresh(t)
	s.imports(t, "list", listing(evil, nil), told(story(t, "One", evil.Value), "row 1"))
	at, id := s.DB.Now(), s.mustFind(t, Selection{Subject: &evil})
	do(t, s.Hide(t.Context(), warden, id))
	with, err := s.HiddenWith(t.Context(), id)
	do(t, err)
	equal(t, "hidden with the report", with, []tocsin.Subject{evil})
	for _, subject := range []tocsin.Subject{evil, {Kind: tocsin.DNS, Value: "pay." + evil.Value}} {
		hidden, err := s.HiddenEntries(t.Context(), subject)
		do(t, err)
		equal(t, "hidden", hidden, []HiddenEntry{{"list", &at}})
	}
	do(t, second(s.tryImport(t, "list", true)))
	hidden, err := s.HiddenEntries(t.Context(), evil)
	do(t, err)
	equal(t, "hidden once the list has dropped it", len(hidden), 0)
}
