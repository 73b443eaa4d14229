package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// large is a report of about n bytes as it is stored. The store takes what was
// parsed; an older version let reports of 244 KB pass.
func large(t *testing.T, title string, n int, domains ...string) tocsin.Draft {
	t.Helper()
	d := story(t, title, domains...)
	d.Description = strings.Repeat("word ", (n-d.Size())/5)
	return d
}

// walk follows a list of reports page by page, and returns their ids and the
// largest page, in reports and in bytes as they are stored.
func walk(t *testing.T, page func(cursor string) ([]tocsin.Report, string)) (ids []string, most, bytes int) {
	t.Helper()
	for cursor := ""; len(ids) < 1000; {
		reports, next := page(cursor)
		size := 0
		for i := range reports {
			ids, size = append(ids, reports[i].ID), size+reports[i].Size()
		}
		if most = max(most, len(reports)); len(reports) > 1 {
			bytes = max(bytes, size)
		}
		if len(reports) == 0 {
			t.Fatal("a page without a report")
		}
		if cursor = next; next == "" {
			break
		}
	}
	return ids, most, bytes
}

// TestAPageOfReportsIsBoundedInBytes: of large reports a page has fewer, and the
// walk through the pages loses and repeats none, not even one that is larger than
// a page by itself.
func TestAPageOfReportsIsBoundedInBytes(t *testing.T) {
	s := fresh(t)
	var all []string
	for i := range 24 {
		n := 40 << 10
		switch i {
		case 5:
			n = 2 * PageBytes // of an older version
		case 9, 10, 11:
			n = 1000
		}
		all = append([]string{s.files(t, large(t, fmt.Sprint("story ", i), n, evil.Value), nil).Report.ID}, all...)
	}
	terms := []tocsin.Term{{Text: "word"}}
	for name, list := range map[string]func(Page) ([]tocsin.Report, string, error){
		"list": func(p Page) ([]tocsin.Report, string, error) {
			l, err := s.Reports(t.Context(), Filter{Page: p})
			return l.Reports, l.NextCursor, err
		},
		"dossier": func(p Page) ([]tocsin.Report, string, error) {
			d, err := s.AboutSubject(t.Context(), evil, p)
			return d.Reports, d.NextCursor, err
		},
		"search": func(p Page) ([]tocsin.Report, string, error) {
			l, err := s.Search(t.Context(), terms, "", p)
			return l.Reports, l.NextCursor, err
		},
	} {
		for _, p := range []Page{
			{Limit: 100}, {Limit: FirstPage}, {Limit: 4}, {Limit: 1}, {Limit: FirstPage, Bytes: PageBytes / 2},
		} {
			for again := range 2 { // from the database, and perhaps from memory
				if again == 1 && name == "search" {
					continue // nothing of a search is kept
				}
				ids, most, bytes := walk(t, func(cursor string) ([]tocsin.Report, string) {
					p.Cursor = cursor
					reports, next, err := list(p)
					do(t, err)
					return reports, next
				})
				p.Cursor = ""
				equal(t, fmt.Sprintf("%s, %+v", name, p), ids, all)
				if most > p.Limit || bytes > p.bytes() || p.Limit >= FirstPage && bytes < p.bytes()-(48<<10) {
					t.Errorf("%s, %+v: pages of up to %d reports and %d bytes", name, p, most, bytes)
				}
			}
		}
	}
	var got []string
	for since, more := tocsin.MicroTime(0), true; more; {
		page, err := s.Reports(t.Context(), Filter{Since: &since, Page: Page{Limit: 100}})
		do(t, err)
		for _, r := range page.Reports {
			got = append([]string{r.ID}, got...)
		}
		since, more = page.NextSince, len(page.Reports) > 0
	}
	equal(t, "since", got, all)
}

// TestJudgingASubjectReadsNoReport: whoever wants the level only asks for no reports.
func TestJudgingASubjectReadsNoReport(t *testing.T) {
	s := fresh(t)
	s.files(t, story(t, "a", evil.Value), nil)
	judge := func() *tocsin.Dossier {
		d, err := s.AboutSubject(t.Context(), evil, Page{})
		do(t, err)
		return &d.Dossier
	}
	var d *tocsin.Dossier
	// The first statement finds the name and its listings, the second counts the reporters.
	equal(t, "statements", s.statements(func() { d = judge() }), 2)
	equal(t, "what is known", []int{d.ReportCount, len(d.Reporters), len(d.Reports)}, []int{1, 1, 0})
	equal(t, "statements, from memory", s.statements(func() { d = judge() }), 0)
	equal(t, "with its reports", len(dossier(t, s.DB, evil).Reports), 1)
	equal(t, "statements, beside the reports", s.statements(func() { d = judge() }), 0)
	equal(t, "reports of a judgment", []any{len(d.Reports), d.NextCursor}, []any{0, ""})
}

// TestAPageOfOneReadsOneReport: what is kept in memory is what was asked for.
func TestAPageOfOneReadsOneReport(t *testing.T) {
	s := fresh(t)
	for i := range 5 {
		s.files(t, story(t, fmt.Sprint("story ", i), evil.Value), nil)
	}
	s.dossiers.clear()
	one, err := s.AboutSubject(t.Context(), evil, Page{Limit: 1})
	do(t, err)
	kept, _ := s.dossiers.get(evil, 1)
	if kept == nil || len(kept.Reports) != 1 || len(one.Reports) != 1 || one.NextCursor == "" {
		t.Fatalf("%+v is kept, and %+v is answered", kept, one)
	}
	equal(t, "all of them, next", len(dossier(t, s.DB, evil).Reports), 5)
}

// TestAnEventIsFollowedOnce: between a commit and what its writer does about it, followLog may read the same event.
func TestAnEventIsFollowedOnce(t *testing.T) {
	s := fresh(t)
	s.files(t, story(t, "a", evil.Value), nil)
	read := newEvents{last: s.log.at(), subjects: []tocsin.Subject{evil}}
	kept := dossier(t, s.DB, evil)
	s.follow(read)
	if dossier(t, s.DB, evil) != kept {
		t.Error("a dossier that rests on the event is dropped")
	}
}

// TestAnOwnCommitBringsWhatOthersHaveCommittedBefore: its events are not taken for all that are new.
func TestAnOwnCommitBringsWhatOthersHaveCommittedBefore(t *testing.T) {
	s := fresh(t)
	other := &shelf{DB: open(t, s.path, s.ahead)}
	for i := range 10 {
		name := tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("name%d.com", i)}
		equal(t, "before", dossier(t, s.DB, name).ReportCount, 0)
		other.files(t, story(t, "of another process", name.Value), nil)
		s.files(t, story(t, fmt.Sprint("own ", i), "own.com"), nil)
		equal(t, name.Value, dossier(t, s.DB, name).ReportCount, 1)
	}
}

// TestWhatChangesNoRowForgetsNothing: a request that was repeated must not cost
// everybody their memory.
func TestWhatChangesNoRowForgetsNothing(t *testing.T) {
	s := fresh(t)
	f := s.files(t, story(t, "a", evil.Value), nil)
	do(t, s.Hide(t.Context(), Operator{}, f.Report.ID))
	hidden := func() error { return s.Hide(t.Context(), Operator{}, f.Report.ID) }
	withdrawn := func() error { return s.Withdraw(t.Context(), f.Report.ID, f.ManageToken) }
	published := func() error { return s.Restore(t.Context(), Operator{}, f.Report.ID) }
	for _, change := range []func() error{hidden, published, withdrawn} {
		do(t, change())
		s.sleep(2 * time.Second)
		_, err := s.Stats(t.Context())
		do(t, err)
		_, err = s.Leaderboard(t.Context())
		do(t, err)
		log, remembered := s.events(t), []*tocsin.Dossier{dossier(t, s.DB, evil), dossier(t, s.DB, worse)}
		_, generation := s.dossiers.get(evil, 0)
		for range 3 {
			do(t, change())
		}
		equal(t, "events", s.events(t), log)
		_, now := s.dossiers.get(evil, 0)
		equal(t, "changes of the memory", now-generation, 0)
		equal(t, "numbers are stale", []bool{s.summary.stale.Load(), s.board.stale.Load()}, []bool{false, false})
		for i, subject := range []tocsin.Subject{evil, worse} {
			if dossier(t, s.DB, subject) != remembered[i] {
				t.Errorf("%s is forgotten", subject)
			}
		}
	}
}

// TestAWithdrawalThatWasDoneWaitsForNoCommit: repeating it costs a read.
func TestAWithdrawalThatWasDoneWaitsForNoCommit(t *testing.T) {
	s := fresh(t)
	f := s.files(t, story(t, "a", evil.Value), nil)
	do(t, s.Withdraw(t.Context(), f.Report.ID, f.ManageToken))
	writes := 0
	s.writes = func(bool) { writes++ }
	do(t, s.Withdraw(t.Context(), f.Report.ID, f.ManageToken))
	do(t, s.write(t.Context(), accounts, false, func(context.Context, *conn) error { return nil })) // it has ended
	equal(t, "writes", writes, 1)
}

// TestACommitOfManySubjectsForgetsThoseAlone: filings that share a commit, each
// with as many subjects as a report may name.
func TestACommitOfManySubjectsForgetsThoseAlone(t *testing.T) {
	s := fresh(t)
	touched := tocsin.Subject{Kind: tocsin.DNS, Value: "n0-7.com"}
	changed, same := dossier(t, s.DB, touched), dossier(t, s.DB, worse)
	names := func(i int) (names []string) {
		for n := range tocsin.MaxSubjects {
			names = append(names, fmt.Sprintf("n%d-%d.com", i, n))
		}
		return names
	}
	err := s.write(t.Context(), evidence, false, func(ctx context.Context, c *conn) error {
		var failed error
		for i := range 40 {
			d := story(t, fmt.Sprint("a ", i), names(i)...)
			r := row{id: fmt.Sprint("rep_", i), draft: d, body: []byte("{}"), manage: []byte{1}}
			failed = errors.Join(failed, insertReports(ctx, c, []*row{&r}, s.Now()))
		}
		return failed
	})
	do(t, err)
	if dossier(t, s.DB, touched) == changed {
		t.Error("what was changed is remembered")
	}
	if dossier(t, s.DB, worse) != same {
		t.Error("what was not changed is forgotten")
	}
}
