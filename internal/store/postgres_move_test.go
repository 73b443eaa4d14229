package store

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
)

// TestADatabaseMovesToPostgresWhole: what callers have in their hands goes on working there.
func TestADatabaseMovesToPostgresWhole(t *testing.T) {
	onlyPostgres(t)
	ahead := new(atomic.Int64)
	file := filepath.Join(t.TempDir(), "t.db")
	old := &shelf{DB: open(t, file, ahead), path: file, ahead: ahead}
	told2 := told(story(t, "Told by a list", "told.example"), "1")
	old.imports(t, "list", listing(evil, nil), listing(worse, nil), told2)
	old.imports(t, "list", listing(evil, nil), told2, told(story(t, "Told\x00 twice", "told.example"), "2"))
	made, err := old.CreateKey(t.Context(), &tocsin.Address{19: 3}, "Ann", nil)
	do(t, err)
	a, err := old.Caller(t.Context(), made.Key)
	do(t, err)
	var last Filed
	for _, title := range []string{"first drainer", "second drainer", "third drainer", "hidden drainer"} {
		old.sleep(time.Minute)
		last = old.files(t, story(t, title, evil.Value, "sub.evil.com"), a)
	}
	do(t, old.Hide(t.Context(), Operator{Name: "op", Reason: "why"}, last.Report.ID))
	last = old.files(t, story(t, "an anonymous one", evil.Value), nil)
	_, ok, err := old.Spend(t.Context(), a, 10)
	do(t, err)
	equal(t, "granted", ok, true)
	session, err := old.NewSession(t.Context(), tocsin.Address{19: 3}, 24*time.Hour)
	do(t, err)
	c := claims(t, old.DB, claimOf(1, 1), Acquired)
	settle(t, old.DB, c)
	old.Unlock(c)
	do(t, old.Return(t.Context(), c))
	page, err := old.Reports(t.Context(), Filter{Page: Page{Limit: 2}})
	do(t, err)

	to := newPlace(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := func(done, total int64) {
		equal(t, "less than all", done < total, true)
		cancel()
	}
	for range 200 { // so that it is called
		old.files(t, story(t, "filler "+last.Report.ID+time.Now().String(), "filler.example"), nil)
	}
	if _, err := old.MoveTo(ctx, to, cancelled); !errors.Is(err, context.Canceled) {
		t.Fatalf("it was not interrupted: %v", err)
	}
	moved, err := old.MoveTo(t.Context(), to, nil)
	do(t, err)
	for _, m := range moved {
		if m.Table != "meta" {
			equal(t, m.Table+": rows", m.Rows, count(t, old.DB, m.Table))
		}
	}
	if _, err := old.MoveTo(t.Context(), to, nil); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("it was moved twice: %v", err)
	}

	fresh := &shelf{DB: open(t, to, ahead), path: to, ahead: ahead}
	events := func(s *shelf) (all []Change) {
		all, err := s.Changes(t.Context(), 0, 10_000)
		do(t, err)
		return all
	}
	equal(t, "events", events(fresh), events(old))
	for _, q := range []string{"drainer", "told", "anonymous"} {
		terms := []tocsin.Term{{Text: q}}
		equal(t, "found by "+q, fresh.finds(t, terms, "", KindWindow), old.finds(t, terms, "", KindWindow))
	}
	next := Filter{Page: Page{Limit: 3, Cursor: page.NextCursor}}
	want, err := old.Reports(t.Context(), next)
	do(t, err)
	got, err := fresh.Reports(t.Context(), next)
	do(t, err)
	equal(t, "the page behind a cursor", inJSON(t, got), inJSON(t, want))
	b, err := fresh.Caller(t.Context(), made.Key)
	do(t, err)
	equal(t, "calls used", fresh.Used(b), 1)
	signed, err := fresh.Session(t.Context(), session)
	do(t, err)
	equal(t, "the session", inJSON(t, signed.Agent), inJSON(t, a.Agent))
	again, err := fresh.FileReport(t.Context(), Filing{Draft: story(t, "an anonymous one", evil.Value), Network: network})
	do(t, err)
	equal(t, "a filing that comes again", []any{again.Duplicate, again.Report.ID}, []any{true, last.Report.ID})
	do(t, fresh.Withdraw(t.Context(), last.Report.ID, last.ManageToken))
	old.sleep(10 * time.Second)
	claims(t, fresh.DB, claimOf(1, 1), Resumed)
	filed := fresh.files(t, story(t, "later", evil.Value), b)
	equal(t, "later than all", filed.Report.CreatedAt.Micro() > last.Report.CreatedAt.Micro(), true)
	acts, err := fresh.Acts(t.Context(), ActFilter{Limit: 10})
	do(t, err)
	equal(t, "acts", len(acts), 1)
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	do(t, err)
	return string(text)
}
