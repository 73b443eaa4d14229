package api

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"weak"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestTheCacheOfReportsCountsWhatItKeeps puts pages of one dossier again, and
// more dossiers than the bound has room for.
func TestTheCacheOfReportsCountsWhatItKeeps(t *testing.T) {
	report := json.RawMessage(`"` + strings.Repeat("a", 98) + `"`) // 100 bytes
	reports := func(n int) (list encodedReports) {
		for range n {
			list = append(list, report)
		}
		return list
	}
	c := newReportCache(1000)
	held := func() int {
		size := 0
		for _, reports := range c.kept {
			size += reports.json.size()
		}
		return size
	}
	first := new(tocsin.Report)
	at := func(first *tocsin.Report) reportsKey { return reportsKey{first: weak.Make(first)} }
	var alive []*tocsin.Report
	for _, put := range []struct{ reports, kept int }{{2, 2}, {4, 4}, {4, 4}, {3, 4}, {11, 4}, {10, 10}, {1, 10}} {
		c.put(first, false, reports(put.reports))
		want(t, "reports, size, held", []int{len(c.get(at(first))), c.size, held()},
			[]int{put.kept, 100 * put.kept, 100 * put.kept})
	}
	for range 20 {
		first = new(tocsin.Report)
		alive = append(alive, first)
		c.put(first, false, reports(3))
		want(t, "the latest", len(c.get(at(first))), 3)
		if c.size != held() || c.size > 1000 {
			t.Errorf("the size is %d, and %d bytes are held", c.size, held())
		}
	}
	want(t, "dossiers, size", []int{len(c.kept), c.size}, []int{3, 900})
	c.put(first, true, reports(1))
	want(t, "the other view", []int{len(c.kept), c.size}, []int{4, 1000})
	alive = append(alive, new(tocsin.Report))
	c.put(alive[len(alive)-1], false, reports(1))
	if len(c.kept) < 4 {
		t.Errorf("of four dossiers %d are left after one was evicted", len(c.kept)-1)
	}
	runtime.KeepAlive(alive)
}

// TestTheCacheOfReportsKeepsNoDossierInMemory: a report can be a hundred times
// as large as its compact JSON, and the bound counts JSON.
func TestTheCacheOfReportsKeepsNoDossierInMemory(t *testing.T) {
	c := newReportCache(1000)
	gone := make(chan bool, 1)
	first := new(tocsin.Report)
	runtime.AddCleanup(first, func(gone chan bool) { gone <- true }, gone)
	c.put(first, true, encodedReports{json.RawMessage("{}")})
	want(t, "kept", c.size, 2)
	runtime.KeepAlive(first)
	runtime.GC()
	<-gone
	tocsintest.Eventually(t, "its JSON is dropped", func() bool {
		c.mu.RLock()
		defer c.mu.RUnlock()
		return c.size == 0 && len(c.kept) == 0
	})
}

// TestTheSizeOfKeptReportsIsThatOfTheirJSON asks for a dossier with two limits,
// as many clients do in turn.
func TestTheSizeOfKeptReportsIsThatOfTheirJSON(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	for _, title := range []string{"one", "two", "three"} {
		s.file(filing("title", title))
	}
	address, fault := tocsin.ParseAddress(thief)
	if fault != nil {
		t.Fatal(fault)
	}
	// All of them are in memory, as the site asks for them.
	if _, err := s.db.About(t.Context(), address, store.Page{Limit: store.FirstPage}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"?limit=1", "?limit=3", "?limit=2", "?limit=1"} {
		s.get("/screen/"+thief+query, key)
	}
	held := 0
	for _, reports := range s.api.encoded.kept {
		held += reports.json.size()
	}
	want(t, "dossiers, size", []int{len(s.api.encoded.kept), s.api.encoded.size}, []int{1, held})
}

// TestEncodedReportsAreJSONInEveryEncoder: encoding/json writes bytes as base64.
func TestEncodedReportsAreJSONInEveryEncoder(t *testing.T) {
	text, err := json.Marshal(page{Reports: encodedReports{json.RawMessage(`{"id":"a"}`)}})
	want(t, "page", []any{string(text), err}, []any{`{"reports":[{"id":"a"}],"nextCursor":null}`, nil})
}
