package store

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/limits"
	"tocsin/internal/pgtest"
)

// process is a process on a database that shares its budgets.
func process(t *testing.T, path string, ahead *atomic.Int64, c limits.Config) (*DB, *limits.Budgets) {
	t.Helper()
	db := open(t, path, ahead)
	ledger, secret, err := db.Ledger(t.Context())
	do(t, err)
	b := limits.New(c, func() time.Time { return db.Now().Std() })
	run, err := b.Share(t.Context(), ledger, secret)
	do(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); run(ctx) }()
	t.Cleanup(func() { stop(); <-ended }) // before the database is closed
	return db, b
}

// seen reports whether a visitor has asked for all the things.
func seen(b *limits.Budgets, things ...string) bool {
	for _, thing := range things {
		if !b.Lookups.Seen("visitor", thing) {
			return false
		}
	}
	return true
}

var aNetwork = netip.MustParsePrefix("192.0.2.0/24")

// TestProcessesOnOneServerShareTheirLimits: the exact ones exactly, the others within an exchange.
func TestProcessesOnOneServerShareTheirLimits(t *testing.T) {
	onlyPostgres(t)
	const limit, callers = 60, 20
	path, ahead := newPlace(t), new(atomic.Int64)
	config := limits.Config{NetworkCalls: limit, Filings: 8, Lookups: 5}
	var all [3]*limits.Budgets
	var dbs [3]*DB
	for i := range all {
		dbs[i], all[i] = process(t, path, ahead, config)
	}
	var admitted, filed atomic.Int64
	var callersDone sync.WaitGroup
	for i := range len(all) * callers {
		b := all[i%len(all)]
		callersDone.Go(func() {
			for range limit / callers {
				b.Exactly(t.Context(), func() {
					if _, undo := b.NetworkCalls.Take(aNetwork); undo != nil {
						admitted.Add(1)
					}
				})
			}
			b.Exactly(t.Context(), func() {
				if _, undo := b.Filings.Take(aNetwork); undo != nil {
					filed.Add(1)
				}
			})
		})
	}
	callersDone.Wait()
	equal(t, "calls that are admitted", admitted.Load(), int64(limit))
	equal(t, "filings that are admitted", filed.Load(), 8)

	all[0].Lookups.Take("visitor", "a")
	all[1].Lookups.Take("visitor", "b")
	eventually(t, "look-ups are known everywhere", func() bool {
		return seen(all[2], "a", "b") && seen(all[0], "b")
	})

	// A process that begins later, or again, knows all.
	_, late := process(t, path, ahead, config)
	if _, undo := late.NetworkCalls.Take(aNetwork); undo != nil {
		t.Error("a process that begins now admits more")
	}

	// What has ended is deleted.
	ahead.Add(int64(25 * time.Hour))
	eventually(t, "the rows of yesterday are deleted", func() bool {
		n := 0
		do(t, dbs[0].read(t.Context(), primary, func(s *conn) error {
			return s.row(t.Context(), "SELECT count(*) FROM used WHERE ends <= $1", []any{dbs[0].Now().Micro()}, &n)
		}))
		return n == 0
	})
}

// TestTheLedgerIsReadAgainAfterItWasLost: a server that loses its connections loses no counts.
func TestTheLedgerIsReadAgainAfterItWasLost(t *testing.T) {
	onlyPostgres(t)
	path, ahead := newPlace(t), new(atomic.Int64)
	config := limits.Config{Lookups: 5, Filings: 1}
	_, first := process(t, path+"&application_name=ledger", ahead, config)
	_, second := process(t, path, ahead, config)
	for _, thing := range []string{"a", "b", "c"} {
		first.Lookups.Take("visitor", thing)
		pgtest.Exec(t, path, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ledger'")
		first.Exactly(t.Context(), func() {}) // it fails, or not
	}
	eventually(t, "everything was told", func() bool {
		return seen(second, "a", "b", "c")
	})
}

// TestOnlyAfterALostConnectionTheLedgerIsReadAsAWhole: a server that was killed may give numbers of changes again. A
// failure of another kind must not make everybody read everything.
func TestOnlyAfterALostConnectionTheLedgerIsReadAsAWhole(t *testing.T) {
	onlyPostgres(t)
	path, ahead := newPlace(t), new(atomic.Int64)
	db := open(t, path+"&application_name=ledgerwhole", ahead)
	ledger, _, err := db.Ledger(t.Context())
	do(t, err)
	reads := func() (counts int, err error) {
		err = ledger.Exchange(t.Context(), func(limits.Count) { counts++ }, nil)
		return counts, err
	}
	do(t, ledger.Exchange(t.Context(), func(limits.Count) {}, func() []limits.Count {
		return []limits.Count{{Budget: "b", Key: "k", Slot: 1, Events: 1, Ends: noon.Add(time.Hour)}}
	}))
	counts, err := reads()
	do(t, err)
	equal(t, "counts that are read again", counts, 0)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ledger.Exchange(ended, func(limits.Count) {}, nil); err == nil {
		t.Error("an exchange of a caller who has gone is done")
	}
	counts, err = reads()
	do(t, err)
	equal(t, "counts after a failure", counts, 0)
	pgtest.Exec(t, path, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ledgerwhole'")
	eventually(t, "all is read again", func() bool {
		counts, err := reads()
		return err == nil && counts == 1
	})
}

// TestAProcessThatHangsHoldsUpNoLimit for long: its exchange is ended, and the others go on.
func TestAProcessThatHangsHoldsUpNoLimit(t *testing.T) {
	onlyPostgres(t)
	path, ahead := newPlace(t), new(atomic.Int64)
	config := limits.Config{NewAgents: 3, Filings: 1}
	db, first := process(t, path, ahead, config)
	_, second := process(t, path, ahead, config)
	ledger, _, err := db.Ledger(t.Context())
	do(t, err)
	taken := 0
	err = ledger.Exchange(t.Context(), func(limits.Count) {}, func() []limits.Count {
		for range 5 {
			second.Exactly(t.Context(), func() {
				if _, undo := second.NewAgents.Take(aNetwork); undo != nil {
					taken++
				}
			})
		}
		return nil
	})
	if err == nil {
		t.Error("the exchange of the process that hung was done")
	}
	equal(t, "new agents while the lock is held", taken, 3)
	eventually(t, "they are told", func() bool {
		_, undo := first.NewAgents.Take(aNetwork)
		if undo != nil {
			undo()
		}
		return undo == nil
	})
}

// TestProcessesOnOneFileCountForThemselves: no write is made for a limit.
func TestProcessesOnOneFileCountForThemselves(t *testing.T) {
	onlySQLite(t)
	ledger, secret, err := fresh(t).Ledger(t.Context())
	if ledger != nil || secret != nil || err != nil {
		t.Errorf("a file has a ledger: %v", err)
	}
}
