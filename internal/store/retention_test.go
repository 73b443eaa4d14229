package store

import (
	"testing"
	"time"
)

// TestWhatIsOverIsKeptAsLongAsTheOperatorSays: the calls of a key by the day, and settled payments.
func TestWhatIsOverIsKeptAsLongAsTheOperatorSays(t *testing.T) {
	const days = 24 * time.Hour
	s := fresh(t)
	c := caller(t, s.DB)
	old := claims(t, s.DB, claimOf(1, 1), Acquired)
	settle(t, s.DB, old)
	s.Settled(t.Context(), old, func(err error) { t.Error(err) })
	open := claims(t, s.DB, claimOf(2, 1), Acquired)
	settle(t, s.DB, open)
	do(t, s.Postpone(t.Context(), open, 0))
	s.Unlock(open)
	left, err := s.OpenPayments(t.Context())
	do(t, err)
	equal(t, "payments without an end", left, []OpenPayments{{State: "claimed"}, {State: "settling", Payments: 1,
		Amount: claimOf(2, 1).Amount}})
	for range 6 {
		spend(t, s.DB, c, 10)
		spend(t, s.DB, c, 10)
		s.sleep(days)
	}
	young := claims(t, s.DB, claimOf(3, 1), Acquired)
	settle(t, s.DB, young)
	s.Settled(t.Context(), young, func(err error) { t.Error(err) })
	s.Unlock(old)
	s.Unlock(young)
	spend(t, s.DB, c, 10)
	again := func(keep Keep) (usage, payments, calls int) {
		t.Helper()
		s.reopens(t, keep)
		account, err := s.Account(t.Context(), c.Agent)
		do(t, err)
		return count(t, s.DB, "usage"), count(t, s.DB, "claim"), account.Calls
	}
	for _, step := range []struct {
		about string
		keep  Keep
		want  [3]int
	}{
		{"for good", Keep{}, [3]int{7, 3, 13}},
		{"two days of calls", Keep{Usage: 2 * days}, [3]int{4, 3, 13}}, // that day, and what was before them
		{"one day", Keep{Usage: days}, [3]int{3, 3, 13}},
		{"payments for five days", Keep{Payments: 5 * days}, [3]int{3, 2, 13}},
	} {
		usage, payments, calls := again(step.keep)
		equal(t, step.about, [3]int{usage, payments, calls}, step.want)
	}
	used, ok := spend(t, s.DB, c, 10)
	equal(t, "today's calls", []any{used, ok}, []any{2, true})
	s.sleep(keepLateAnswer)
	_, payments, _ := again(Keep{Payments: time.Hour})
	equal(t, "payments, while their answers may be kept", payments, 2)
	s.sleep(time.Minute)
	_, payments, _ = again(Keep{Payments: time.Hour})
	equal(t, "payments, when no answer is", payments, 1)
}

// TestWhatIsShownNoMoreIsForgottenInTheEnd: what a withdrawn report said, what a list said before, and the details of
// old changes. What is shown stays, and the database is sound.
func TestWhatIsShownNoMoreIsForgottenInTheEnd(t *testing.T) {
	const days = 24 * time.Hour
	s := fresh(t)
	withdrawn := s.files(t, story(t, "Withdrawn", "evil.com"), nil)
	s.files(t, story(t, "Filed", "evil.com"), nil)
	s.imports(t, "list", told(story(t, "Former", "evil.com"), "1"), told(story(t, "Left", "evil.com"), "2"),
		told(story(t, "Told", "worse.com"), "3"), told(story(t, "Stays", "worse.com"), "4"))
	s.sleep(days)
	do(t, s.Withdraw(t.Context(), withdrawn.Report.ID, withdrawn.ManageToken))
	s.imports(t, "list", told(story(t, "Present", "evil.com"), "1"), told(story(t, "Told", "worse.com"), "3"),
		told(story(t, "Stays", "worse.com"), "4"))
	s.sleep(9 * days)
	late := s.files(t, story(t, "Withdrawn late", "evil.com"), nil)
	do(t, s.Withdraw(t.Context(), late.Report.ID, late.ManageToken))
	told := func() (texts []string, events int) {
		t.Helper()
		for _, word := range []string{"Withdrawn", "Former", "Left", "Told", "Present", "Filed", "Withdrawn late"} {
			var n int
			do(t, s.read(t.Context(), primary, func(c *conn) error {
				return c.row(t.Context(), "SELECT count(*) FROM report WHERE body LIKE $1", []any{`%"` + word + `"%`}, &n)
			}))
			if n > 0 {
				texts = append(texts, word)
			}
		}
		return texts, count(t, s.DB, "event")
	}
	all, events := told()
	equal(t, "before", all, []string{"Withdrawn", "Former", "Left", "Told", "Present", "Filed", "Withdrawn late"})
	followed, err := s.Changes(t.Context(), 0, 1000)
	do(t, err)
	for range 2 { // the second time nothing is left to do
		s.reopens(t, Keep{History: 5 * days})
		texts, left := told()
		equal(t, "after five days", texts, []string{"Told", "Present", "Filed", "Withdrawn late"})
		if left != events-3 { // one withdrawn, two gone
			t.Errorf("%d of %d events are left", left, events)
		}
		after, err := s.Changes(t.Context(), 0, 1000)
		do(t, err)
		equal(t, "the last event", after[len(after)-1].Seq, followed[len(followed)-1].Seq)
		checked, err := s.Check(t.Context(), nil)
		do(t, err)
		equal(t, "faults", checked.Faults, []string(nil))
	}
	s.sleep(9 * days)
	s.reopens(t, Keep{History: 5 * days})
	texts, _ := told()
	equal(t, "later", texts, []string{"Told", "Present", "Filed"})
	page, err := s.Reports(t.Context(), Filter{Page: Page{Limit: 10}})
	do(t, err)
	equal(t, "shown", len(page.Reports), 4)
}

// reopens opens the database again, as a start of a server does.
func (s *shelf) reopens(t *testing.T, keep Keep) {
	t.Helper()
	do(t, s.Close())
	now := func() time.Time { return noon.Add(time.Duration(s.ahead.Load())) }
	db, err := Open(t.Context(), s.path, Options{Now: now, Silence: busy, Keep: keep})
	do(t, err)
	t.Cleanup(func() { db.Close() })
	s.DB = db
}
