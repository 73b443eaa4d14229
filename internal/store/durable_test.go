package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// levels commits writes together, in this order, and returns how SQLite was told
// to commit each: 1 leaves it with the operating system, 2 is on disk (fsync).
func (s *shelf) levels(t *testing.T, c *conn, durable ...bool) []int {
	t.Helper()
	levels := make([]int, len(durable))
	var batch []*job
	for i, yes := range durable {
		batch = append(batch, &job{
			ctx:     t.Context(),
			durable: yes,
			do: func(ctx context.Context, c *conn) error {
				return c.row(ctx, "PRAGMA synchronous", nil, &levels[i])
			},
		})
	}
	if err := s.commit(t.Context(), c, batch); err != nil {
		t.Fatal(err)
	}
	return levels
}

func TestOneDurableWritePutsItsGroupOnDisk(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	c, err := s.dialect.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for range 2 { // from whatever the last one left
		equal(t, "none is durable", s.levels(t, c, false, false), []int{1, 1})
		equal(t, "the first is durable", s.levels(t, c, true, false), []int{2, 2})
		equal(t, "none is durable", s.levels(t, c, false), []int{1})
		equal(t, "the last is durable", s.levels(t, c, false, true), []int{2, 2})
	}
}

// TestWhatMustBeOnDiskIs: the last write of each is committed as its promise demands.
func TestWhatMustBeOnDiskIs(t *testing.T) {
	s := fresh(t)
	a := s.agent(t)
	last := false
	s.writes = func(durable bool) { last = durable }
	var f Filed
	for _, c := range []struct {
		about string
		want  bool
		do    func() error
	}{
		{"a filing", true, func() error { f = s.files(t, story(t, "a", "evil.com"), nil); return nil }},
		{"a call", false, func() error { _, _, err := s.Spend(t.Context(), a, 10); return err }},
		{"hiding", true, func() error { return s.Hide(t.Context(), Operator{}, f.Report.ID) }},
		{"restoring", true, func() error { return s.Restore(t.Context(), Operator{}, f.Report.ID) }},
		{"withdrawing", true, func() error { return s.Withdraw(t.Context(), f.Report.ID, f.ManageToken) }},
		{"an import", true, func() error { s.imports(t, "list", listing(evil, nil)); return nil }},
	} {
		last = !c.want
		if err := c.do(); err != nil {
			t.Fatal(c.about, err)
		}
		equal(t, c.about, last, c.want)
	}
}

func TestAFlushThatFailsSaysSo(t *testing.T) {
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	do(t, err)
	f := flusher{sync: log.Sync}
	for range 3 {
		do(t, f.begin().wait())
	}
	do(t, log.Close())
	for range 3 {
		equal(t, "failed", f.begin().wait() != nil, true)
	}
}

// TestNoPaymentIsSentBeforeItsClaimIsOnDisk: after a loss of power it would not be known that it was sent.
func TestNoPaymentIsSentBeforeItsClaimIsOnDisk(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	full := errors.New("the disk is full")
	s.dialect.(*sqliteDialect).flusher.sync = func() error { return full }
	c := claims(t, s.DB, claimOf(1, 1), Acquired)
	if _, err := s.BeginSettlement(t.Context(), c); !errors.Is(err, full) {
		t.Errorf("it is sent: %v", err)
	}
}
