package store

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
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
	c, path := &clock{}, filepath.Join(t.TempDir(), "t.db")
	var all []*DB
	for range n {
		db, err := Open(t.Context(), path, Options{Now: c.now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		all = append(all, db)
	}
	return all, c
}
