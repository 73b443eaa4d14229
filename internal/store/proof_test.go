package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"tocsin"
)

var elsewhere = netip.MustParsePrefix("198.51.100.0/24")

// watch is a database whose lists are imported every day.
type watch struct {
	*shelf
	t       *testing.T
	entries map[string][]tocsin.Entry // by list; each list is a family
	names   int
}

func newWatch(t *testing.T) *watch {
	w := &watch{shelf: fresh(t), t: t, entries: map[string][]tocsin.Entry{}}
	// Under a random key one of 256 databases would take two networks for the same.
	do(t, w.write(t.Context(), accounts, false, func(ctx context.Context, s *conn) error {
		_, err := keepMeta(ctx, s, metaNetworks, bytes.Repeat([]byte{7}, 32))
		return err
	}))
	for _, name := range []string{"one", "two"} {
		w.entries[name] = []tocsin.Entry{listing(w.name(), nil)}
	}
	w.read()
	return w
}

// name is a domain that nobody has ever named.
func (w *watch) name() tocsin.Subject {
	w.names++
	return tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("name%d.com", w.names)}
}

// read imports every list.
func (w *watch) read() {
	w.t.Helper()
	for _, name := range []string{"one", "two"} {
		w.imports(w.t, name, w.entries[name]...)
	}
}

// days lets days pass, each with an import.
func (w *watch) days(n int) {
	w.t.Helper()
	for range n {
		w.sleep(24*time.Hour + time.Minute)
		w.read()
	}
}

// take makes lists take in subjects with the next import.
func (w *watch) take(subjects []tocsin.Subject, lists ...string) {
	for _, name := range lists {
		for _, s := range subjects {
			w.entries[name] = append(w.entries[name], listing(s, nil))
		}
	}
}

// filed files reports of an agent, each of so many subjects, from a network.
func (w *watch) filed(by *Caller, from netip.Prefix, size int, subjects ...tocsin.Subject) (all []Filed) {
	w.t.Helper()
	for part := range slices.Chunk(subjects, size) {
		var domains []string
		for _, s := range part {
			domains = append(domains, s.Value)
		}
		draft := story(w.t, fmt.Sprint(w.names, part[0]), domains...)
		f, err := w.FileReport(w.t.Context(), Filing{Draft: draft, By: by, Network: from})
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// fresh returns n subjects that nobody has named.
func (w *watch) fresh(n int) (subjects []tocsin.Subject) {
	for range n {
		subjects = append(subjects, w.name())
	}
	return subjects
}

// proofs makes an agent report n sites that both lists take in two days later.
func (w *watch) proofs(by *Caller, from netip.Prefix, n int) []tocsin.Subject {
	w.t.Helper()
	right := w.fresh(n)
	w.filed(by, from, 1, right...)
	w.take(right, "one", "two")
	return right
}

func (w *watch) isProven(by *Caller) bool {
	w.t.Helper()
	probe := w.name()
	f := w.filed(by, network, 1, probe)
	defer func() { // what is asked must not change the answer
		err := w.write(w.t.Context(), evidence, false, func(ctx context.Context, s *conn) error {
			_, err := s.exec(ctx, "DELETE FROM named WHERE subject = (SELECT id FROM subject WHERE value = $1)", probe.Value)
			return err
		})
		do(w.t, err)
		do(w.t, w.Withdraw(w.t.Context(), f[0].Report.ID, f[0].ManageToken))
		do(w.t, w.prove(w.t.Context()))
	}()
	return dossier(w.t, w.DB, probe).Reporters[0].Proven(w.Now().Std())
}

// score is the screening of a subject now.
func (w *watch) score(s tocsin.Subject) tocsin.Screening {
	w.t.Helper()
	return tocsin.Screen(dossier(w.t, w.DB, s), w.Now().Std())
}

func TestAKeyIsProvenByWhatListsConfirmAndByNothingElse(t *testing.T) {
	both := []string{"one", "two"}
	for about, c := range map[string]struct {
		want bool
		do   func(w *watch, by *Caller)
	}{
		"ten sites, of two families": {true, func(w *watch, by *Caller) {
			right := w.fresh(10)
			w.filed(by, network, 5, right...)
			w.days(2)
			w.take(right, both...)
		}},
		"nine": {false, func(w *watch, by *Caller) {
			right := w.fresh(9)
			w.filed(by, network, 1, right...)
			w.days(2)
			w.take(right, both...)
		}},
		"one family": {false, func(w *watch, by *Caller) {
			right := w.fresh(40)
			w.filed(by, network, 1, right...)
			w.days(2)
			w.take(right, "one")
			w.take(right[:2], "two")
		}},
		"most by one family, some by another": {true, func(w *watch, by *Caller) {
			right := w.fresh(12)
			w.filed(by, network, 1, right...)
			w.days(2)
			w.take(right, "one")
			w.take(right[:3], "two")
		}},
		"many at a time": {false, func(w *watch, by *Caller) {
			right := w.fresh(60)
			w.filed(by, network, 6, right...)
			w.days(2)
			w.take(right, both...)
		}},
		"within a day": {false, func(w *watch, by *Caller) {
			right := w.fresh(10)
			w.filed(by, network, 1, right...)
			w.take(right, both...)
		}},
		"no import between a day after the report and the entry": {false, func(w *watch, by *Caller) {
			right := w.fresh(10)
			w.filed(by, network, 1, right...)
			w.sleep(23 * time.Hour)
			w.read()
			w.sleep(30 * 24 * time.Hour)
			w.take(right, both...)
		}},
		"one of the lists had it before": {false, func(w *watch, by *Caller) {
			right := w.fresh(10)
			w.take(right, "one")
			w.days(1)
			w.filed(by, network, 1, right...)
			w.days(2)
			w.take(right, "two")
		}},
		"an anonymous report was first": {false, func(w *watch, by *Caller) {
			right := w.fresh(10)
			w.filed(nil, network, 10, right...)
			w.filed(by, network, 1, right...)
			w.days(2)
			w.take(right, both...)
		}},
		"an anonymous report of a name below was first": {false, func(w *watch, by *Caller) {
			right := w.fresh(10)
			for _, s := range right {
				w.filed(nil, network, 1, tocsin.Subject{Kind: tocsin.DNS, Value: "login." + s.Value})
			}
			w.filed(by, network, 1, right...)
			w.days(2)
			w.take(right, both...)
		}},
		"ten names below one": {false, func(w *watch, by *Caller) {
			var right []tocsin.Subject
			for i := range 10 {
				right = append(right, tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("n%d.name0.com", i)})
			}
			w.filed(by, network, 1, right...)
			w.days(2)
			w.take(right, both...)
		}},
		"names of a hosting service": {false, func(w *watch, by *Caller) {
			var right []tocsin.Subject
			for i := range 10 {
				right = append(right, tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("n%d.github.io", i)})
			}
			w.filed(by, network, 1, right...)
			w.days(2)
			w.take(right, both...)
		}},
		"as many misses": {false, func(w *watch, by *Caller) {
			right := w.fresh(10)
			w.filed(by, network, 1, slices.Concat(right, w.fresh(10))...)
			w.days(2)
			w.take(right, both...)
		}},
		"misses of another kind": {true, func(w *watch, by *Caller) {
			right := w.fresh(10)
			w.filed(by, network, 1, right...)
			for i := range 10 {
				d := story(w.t, fmt.Sprint("Address ", i), right[0].Value)
				d.ScammerAddresses = []string{address(w.t, i+1).String()}
				w.files(w.t, d, by)
			}
			w.days(2)
			w.take(right, both...)
		}},
		"misses of somebody else": {true, func(w *watch, by *Caller) {
			right := w.fresh(10)
			w.filed(by, network, 1, right...)
			w.filed(w.agent(w.t), elsewhere, 1, w.fresh(10)...)
			w.days(2)
			w.take(right, both...)
		}},
		"misses of long ago": {true, func(w *watch, by *Caller) {
			w.filed(by, network, 1, w.fresh(10)...)
			w.sleep(tocsin.ProofWindow)
			right := w.fresh(10)
			w.filed(by, network, 1, right...)
			w.days(2)
			w.take(right, both...)
		}},
		"misses of long ago that it names again": {false, func(w *watch, by *Caller) {
			missed := w.fresh(10)
			w.filed(by, network, 1, missed...)
			w.sleep(tocsin.ProofWindow)
			right := w.fresh(10)
			w.filed(by, network, 1, slices.Concat(right, missed)...)
			w.days(2)
			w.take(right, both...)
		}},
		"misses that were withdrawn": {false, func(w *watch, by *Caller) {
			right := w.fresh(10)
			w.filed(by, network, 1, right...)
			for _, f := range w.filed(by, network, 1, w.fresh(10)...) {
				do(w.t, w.Withdraw(w.t.Context(), f.Report.ID, f.ManageToken))
			}
			w.days(2)
			w.take(right, both...)
		}},
		"reports that were withdrawn before the lists had them": {false, func(w *watch, by *Caller) {
			right := w.fresh(10)
			for _, f := range w.filed(by, network, 1, right...) {
				do(w.t, w.Withdraw(w.t.Context(), f.Report.ID, f.ManageToken))
			}
			w.days(2)
			w.take(right, both...)
		}},
		"what the operator hid is missed, though it was listed and then withdrawn": {false, func(w *watch, by *Caller) {
			right := w.fresh(15)
			for _, f := range w.filed(by, network, 1, right...)[:4] {
				do(w.t, w.Hide(w.t.Context(), Operator{}, f.Report.ID))
				do(w.t, w.Withdraw(w.t.Context(), f.Report.ID, f.ManageToken))
			}
			w.filed(by, network, 1, w.fresh(1)...)
			w.days(2)
			w.take(right, both...)
		}},
		"what was hidden and restored": {true, func(w *watch, by *Caller) {
			right := w.fresh(10)
			for _, f := range w.filed(by, network, 1, right...) {
				do(w.t, w.Hide(w.t.Context(), Operator{}, f.Report.ID))
				do(w.t, w.Restore(w.t.Context(), Operator{}, f.Report.ID))
			}
			w.days(2)
			w.take(right, both...)
		}},
		"what a list had already counts neither way": {true, func(w *watch, by *Caller) {
			old, right := w.fresh(50), w.fresh(10)
			w.take(old, "one")
			w.days(1)
			w.filed(by, network, 10, old...)
			w.filed(by, network, 1, right...)
			for i := range 5 {
				w.filed(by, network, 1, tocsin.Subject{Kind: tocsin.DNS, Value: "login." + old[i].Value})
			}
			w.days(2)
			w.take(right, both...)
		}},
	} {
		t.Run(about, func(t *testing.T) {
			w := newWatch(t)
			by := w.agent(t)
			c.do(w, by)
			if w.isProven(by) {
				t.Error("it is proven before the lists have anything")
			}
			w.read()
			equal(t, "on record as proven", count(t, w.DB, "standing") > 0, c.want)
			equal(t, "proven", w.isProven(by), c.want)
		})
	}
}

// TestEachRowOfWhatAnAgentHasProvenIsPutRight, also if the others of the agent are as they should be.
func TestEachRowOfWhatAnAgentHasProvenIsPutRight(t *testing.T) {
	w := newWatch(t)
	by := w.agent(t)
	right := w.fresh(10)
	w.filed(by, network, 1, right...)
	for i := range 10 {
		a := address(t, i+1)
		d := story(t, fmt.Sprint("Address ", i), right[i].Value)
		d.ScammerAddresses = []string{a.String()}
		w.files(t, d, by)
		right = append(right, a.Subject())
	}
	w.days(2)
	w.take(right, "one", "two")
	w.read()
	rows := func() (all []string) {
		do(t, w.DB.read(t.Context(), primary, func(s *conn) error {
			return s.each(t.Context(), "SELECT kind, until, confirmed, missed FROM standing ORDER BY kind", nil,
				func(rows *sql.Rows) error {
					var kind string
					var until, confirmed, missed int64
					err := rows.Scan(&kind, &until, &confirmed, &missed)
					all = append(all, fmt.Sprint(kind, " ", until, " ", confirmed, " ", missed))
					return err
				})
		}))
		return all
	}
	before := rows()
	equal(t, "kinds", len(before), 2)
	for _, change := range []string{
		"UPDATE standing SET missed = missed + 1 WHERE kind = 'dns'", "DELETE FROM standing WHERE kind = 'dns'",
		"UPDATE standing SET confirmed = 1 WHERE kind = 'evm'", "DELETE FROM standing WHERE kind = 'evm'",
		"INSERT INTO standing SELECT agent, 'other', until, confirmed, missed FROM standing WHERE kind = 'evm'",
		"DELETE FROM standing",
	} {
		for range 8 { // whichever row is compared last
			do(t, w.write(t.Context(), evidence, false, func(ctx context.Context, s *conn) error {
				return second(s.exec(ctx, change))
			}))
			do(t, w.prove(t.Context()))
			if after := rows(); !slices.Equal(after, before) {
				t.Fatalf("after %s:\n%q, not\n%q", change, after, before)
			}
		}
	}
}
