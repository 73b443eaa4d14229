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
		do(t, s.Close())
		now := func() time.Time { return noon.Add(time.Duration(s.ahead.Load())) }
		db, err := Open(t.Context(), s.path, Options{Now: now, Silence: busy, Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		s.DB = db
		account, err := db.Account(t.Context(), c.Agent)
		do(t, err)
		return count(t, db, "usage"), count(t, db, "claim"), account.Calls
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
		{"payments whose answers are kept", Keep{Payments: time.Hour}, [3]int{3, 2, 13}},
	} {
		usage, payments, calls := again(step.keep)
		equal(t, step.about, [3]int{usage, payments, calls}, step.want)
	}
	used, ok := spend(t, s.DB, c, 10)
	equal(t, "today's calls", []any{used, ok}, []any{2, true})
}
