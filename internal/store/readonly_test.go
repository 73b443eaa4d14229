package store

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/health"
)

// TestNothingIsRecordedWhileTheDatabaseIsReadOnly that somebody relies on, in any process; calls are counted.
func TestNothingIsRecordedWhileTheDatabaseIsReadOnly(t *testing.T) {
	all, _ := handles(t, 2)
	one, two := &shelf{DB: all[0]}, all[1]
	wallet := tocsin.Address{19: 7}
	made, err := two.CreateKey(t.Context(), &wallet, "", nil)
	do(t, err)
	by, err := two.Caller(t.Context(), made.Key)
	do(t, err)
	filed, err := two.FileReport(t.Context(), Filing{Draft: story(t, "A report", "evil.com")})
	do(t, err)
	begun := claims(t, two, claimOf(1, 1), Acquired)
	changed, err := all[0].SetReadOnly(t.Context(), Operator{Name: "o"}, true)
	do(t, err)
	equal(t, "changed", changed, true)
	changed, err = all[1].SetReadOnly(t.Context(), Operator{Name: "o"}, true)
	do(t, err)
	equal(t, "changed again", changed, false)

	recorded := one.footprint(t, func() error {
		for what, record := range map[string]func() error{
			"a report": func() error {
				_, err := two.FileReport(t.Context(), Filing{Draft: story(t, "Another", "evil.com")})
				return err
			},
			"a withdrawal": func() error { return two.Withdraw(t.Context(), filed.Report.ID, filed.ManageToken) },
			"a key":        func() error { _, err := two.CreateKey(t.Context(), nil, "", nil); return err },
			"a revocation": func() error { return two.Revoke(t.Context(), by, "") },
			"a nonce":      func() error { _, _, err := two.NewNonce(t.Context(), time.Hour); return err },
			"a session":    func() error { _, err := two.NewSession(t.Context(), wallet, time.Hour); return err },
			"a payment":    func() error { _, err := two.Claim(t.Context(), claimOf(2, 1), true); return err },
			"a lease":      func() error { _, err := two.LeaseImport(t.Context(), "list"); return err },
			"an act": func() error {
				_, err := two.SetFiling(t.Context(), Operator{Name: "o"}, tocsin.FilingShut)
				return err
			},
		} {
			var refusal *Outage
			if err := record(); !errors.As(err, &refusal) || refusal.Part != health.Mode {
				t.Errorf("%s: %v", what, err)
			}
		}
		return nil
	})
	equal(t, "recorded", recorded, "")
	equal(t, "it counts as a failure", two.failing.Load(), false)
	_, taken, err := two.Spend(t.Context(), by, 10)
	do(t, err)
	equal(t, "a free call", taken, true)
	equal(t, "a payment that was begun", settle(t, two, begun), true)

	_, err = all[0].SetReadOnly(t.Context(), Operator{Name: "o"}, false)
	do(t, err)
	_, err = two.FileReport(t.Context(), Filing{Draft: story(t, "Another", "evil.com")})
	do(t, err)
	acts, err := two.Acts(t.Context(), ActFilter{Limit: 9, Since: tocsin.MicroTime(0)})
	do(t, err)
	equal(t, "acts", []any{len(acts), acts[0].Action, acts[0].Objects[0], acts[1].Objects[0]},
		[]any{2, ChangedReadOnly, "on", "off"})
}

// TestWhatIsAcknowledgedWhenTheDatabaseBecomesReadOnlyIsThere: nothing is recorded after that either.
func TestWhatIsAcknowledgedWhenTheDatabaseBecomesReadOnlyIsThere(t *testing.T) {
	all, _ := handles(t, 2)
	var acknowledged atomic.Int64
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 1000 {
				if i%2 == 0 {
					if _, _, err := all[i/2%2].NewNonce(t.Context(), time.Hour); err != nil {
						return
					}
					acknowledged.Add(1)
					continue
				}
				c := claimOf(byte(i), 1)
				c.ID[1], c.ID[2] = byte(n), byte(n>>8)
				if _, err := all[i/2%2].Claim(t.Context(), c, true); err != nil {
					return
				}
				acknowledged.Add(1)
			}
		})
	}
	for acknowledged.Load() < 20 {
		time.Sleep(time.Millisecond)
	}
	_, err := all[0].SetReadOnly(t.Context(), Operator{Name: "o"}, true)
	do(t, err)
	rows := func() (n int64) {
		do(t, all[0].read(t.Context(), primary, func(s *conn) error {
			return s.row(t.Context(), "SELECT (SELECT count(*) FROM nonce) + (SELECT count(*) FROM claim)", nil, &n)
		}))
		return n
	}
	there := rows()
	group.Wait()
	equal(t, "rows when all have ended", rows(), there)
	if acknowledged.Load() > there {
		t.Errorf("%d were acknowledged, and %d are there", acknowledged.Load(), there)
	}
}

// TestAProcessMayBeReadOnlyByItself: it records nothing, and others go on.
func TestAProcessMayBeReadOnlyByItself(t *testing.T) {
	s := fresh(t)
	db, err := Open(t.Context(), s.path, Options{Now: s.DB.now, Silence: busy, ReadOnly: true})
	do(t, err)
	t.Cleanup(func() { db.Close() })
	for about, c := range map[string]struct {
		db *DB
		is bool
	}{"this process": {db, true}, "another": {s.DB, false}} {
		is, err := c.db.ReadOnly(t.Context())
		do(t, err)
		stats, err := c.db.Stats(t.Context())
		do(t, err)
		_, err = c.db.FileReport(t.Context(), Filing{Draft: story(t, about, "evil.com")})
		var refusal *Outage
		refused := errors.As(err, &refusal) && refusal.Part == health.Mode
		equal(t, about, []bool{is, stats.ReadOnly, refused, err != nil}, []bool{c.is, c.is, c.is, c.is})
	}
}
