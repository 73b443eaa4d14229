package store

import (
	"fmt"
	"testing"
	"time"

	"tocsin"
)

// TestAListThatWasTakenOutCountsNoMore, in no process, and is as if it had never been imported.
func TestAListThatWasTakenOutCountsNoMore(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	other := openWith(t, s.path, s.ahead, modelMemory)
	entries := []tocsin.Entry{listing(evil, nil), listing(worse, nil), told(story(t, "a", "evil.com"), "1")}
	s.imports(t, "list", entries...)
	s.imports(t, "stays", listing(worse, nil))
	upToDate(t, other)
	removes := func(name string) (Counts, error) {
		lease, err := s.LeaseImport(ctx, name)
		do(t, err)
		c, err := s.RemoveList(ctx, warden, lease, nil)
		do(t, lease.Release(ctx))
		return c, err
	}
	lease, err := s.LeaseImport(ctx, "list")
	do(t, err)
	do(t, lease.Begin(ctx, ImportTry{List: "list"}, nil))
	do(t, lease.End(ctx, ImportTry{List: "list", Reason: FailedDownload, Failures: 9, Tries: 9})) // it is gone upstream
	do(t, lease.Release(ctx))
	c, err := removes("list")
	equal(t, "what was withdrawn", []any{c, err}, []any{Counts{Withdrawn: 3}, nil})
	for _, db := range []*DB{s.DB, other} {
		eventually(t, "what counts", func() bool {
			a, b := dossier(t, db, evil), dossier(t, db, worse)
			return len(a.Listings) == 0 && a.ReportCount == 0 && len(b.Listings) == 1
		})
	}
	st, err := s.Stats(ctx)
	do(t, err)
	equal(t, "lists, tries", []any{len(st.Lists), st.Lists[0].Name, len(st.Tries)}, []any{1, "stays", 0})
	equal(t, "when it was removed", st.Removed, []ListRemoval{{Name: "list", At: s.Now(), Files: []tocsin.ListFile{}}})
	acts, err := s.Acts(ctx, ActFilter{Object: "list", Limit: 9})
	do(t, err)
	equal(t, "the log of acts", fmt.Sprint(len(acts), acts[0].Action, acts[0].Objects),
		"1list remove[list list: withdrawn 3]")
	_, err = removes("nothing")
	equal(t, "an unknown list", codeOf(err), tocsin.NotFound)
	c, err = removes("list")
	equal(t, "once more", []any{c, err}, []any{Counts{}, nil})
	equal(t, "it comes back", s.imports(t, "list", entries...), Counts{Added: 3, Reports: 1})
	s.ahead.Add(int64(time.Second))
	st, err = s.Stats(ctx)
	equal(t, "and is removed no more", []any{len(st.Removed), err}, []any{0, nil})
}
