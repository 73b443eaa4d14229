package store

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
)

// clock stands still until a test moves it. Its zero value shows noon.
type clock struct{ passed atomic.Int64 }

func (c *clock) now() time.Time {
	return noon.Add(time.Duration(c.passed.Load()))
}

func (c *clock) sleep(d time.Duration) { c.passed.Add(int64(d)) }

// handles opens one new database file n times, as n processes would, by one clock.
func handles(t *testing.T, n int) ([]*DB, *clock) {
	t.Helper()
	c, path := &clock{}, newPlace(t)
	var all []*DB
	for range n {
		db, err := Open(t.Context(), path, Options{Now: c.now, Silence: busy})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		all = append(all, db)
	}
	return all, c
}

// count counts the rows of a table, those for which conditions hold.
func count(t *testing.T, db *DB, table string, conditions ...string) (n int) {
	t.Helper()
	do(t, db.read(t.Context(), primary, func(s *conn) error {
		query := "SELECT count(*) FROM " + table
		for i, c := range conditions {
			query += []string{" WHERE ", " AND "}[min(i, 1)] + c
		}
		return s.row(t.Context(), query, nil, &n)
	}))
	return n
}

// TestAStartDeletesWhatHasExpired to the microsecond.
func TestAStartDeletesWhatHasExpired(t *testing.T) {
	s := fresh(t)
	s.files(t, story(t, "a", "evil.com"), nil)
	_, err := s.NewSession(t.Context(), tocsin.Address{19: 7}, 24*time.Hour)
	do(t, err)
	for _, c := range []struct {
		at                       time.Duration // the first midnight is at 12 h
		sessions, filings, salts int
	}{
		{0, 1, 1, 2}, {12*time.Hour - 1000, 1, 1, 2}, {12 * time.Hour, 1, 1, 1}, {24*time.Hour - 1000, 1, 1, 1},
		{24 * time.Hour, 0, 0, 1}, {36*time.Hour - 1000, 0, 0, 1}, {36 * time.Hour, 0, 0, 0},
	} {
		s.ahead.Store(int64(c.at))
		do(t, open(t, s.path, s.ahead).Close())
		got := []int{count(t, s.DB, "session"), count(t, s.DB, "filing"), count(t, s.DB, "meta", "name LIKE 'salt %'")}
		equal(t, fmt.Sprint("sessions, filings and salts after ", c.at), got, []int{c.sessions, c.filings, c.salts})
	}
}
