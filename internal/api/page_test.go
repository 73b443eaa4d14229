package api

import (
	"encoding/json"
	"strings"
	"testing"

	"tocsin"
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
			size += reports.size()
		}
		return size
	}
	dossier := reportsKey{first: new(tocsin.Report)}
	for _, put := range []struct{ reports, kept int }{{2, 2}, {4, 4}, {4, 4}, {3, 4}, {11, 4}, {10, 10}, {1, 10}} {
		c.put(dossier, reports(put.reports))
		want(t, "reports, size, held", []int{len(c.get(dossier)), c.size, held()},
			[]int{put.kept, 100 * put.kept, 100 * put.kept})
	}
	for range 20 {
		dossier = reportsKey{first: new(tocsin.Report)}
		c.put(dossier, reports(3))
		want(t, "the latest", len(c.get(dossier)), 3)
		if c.size != held() || c.size > 1000 {
			t.Errorf("the size is %d, and %d bytes are held", c.size, held())
		}
	}
	want(t, "dossiers, size", []int{len(c.kept), c.size}, []int{3, 900})
	c.put(reportsKey{first: dossier.first, compact: true}, reports(1))
	want(t, "the other view", []int{len(c.kept), c.size}, []int{4, 1000})
	c.put(reportsKey{first: new(tocsin.Report)}, reports(1))
	if len(c.kept) < 4 {
		t.Errorf("of four dossiers %d are left after one was evicted", len(c.kept)-1)
	}
}

// TestTheSizeOfKeptReportsIsThatOfTheirJSON asks for a dossier with two limits,
// as many clients do in turn.
func TestTheSizeOfKeptReportsIsThatOfTheirJSON(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	for _, title := range []string{"one", "two", "three"} {
		s.file(filing("title", title))
	}
	for _, query := range []string{"?limit=1", "?limit=3", "?limit=2", "?limit=1"} {
		s.get("/screen/"+thief+query, key)
	}
	held := 0
	for _, reports := range s.api.encoded.kept {
		held += reports.size()
	}
	want(t, "dossiers, size", []int{len(s.api.encoded.kept), s.api.encoded.size}, []int{1, held})
}

// TestEncodedReportsAreJSONInEveryEncoder: encoding/json writes bytes as base64.
func TestEncodedReportsAreJSONInEveryEncoder(t *testing.T) {
	text, err := json.Marshal(page{Reports: encodedReports{json.RawMessage(`{"id":"a"}`)}})
	want(t, "page", []any{string(text), err}, []any{`{"reports":[{"id":"a"}],"nextCursor":null}`, nil})
}
