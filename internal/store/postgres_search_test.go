package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tocsin"
)

// TestASearchFindsTheSameOnBothDatabases, in the same order, on all pages, and says the same of what it leaves out.
func TestASearchFindsTheSameOnBothDatabases(t *testing.T) {
	onlyPostgres(t)
	now := func() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }
	var both []*shelf
	for _, path := range []string{filepath.Join(t.TempDir(), "t.db"), newPlace(t)} {
		db, err := Open(t.Context(), path, Options{Now: now})
		do(t, err)
		t.Cleanup(func() { db.Close() })
		both = append(both, &shelf{DB: db, path: path})
	}
	entries := corpus(t)
	for _, s := range both {
		s.spread(t, entries, 1, blocks[0]-20, blocks[1]-30, blocks[2]-40, 7*blocks[2]+5*blocks[1])
	}
	found := 0
	for q, terms := range searches() {
		for _, crime := range []tocsin.CrimeType{"", tocsin.Phishing, tocsin.Scam} {
			for _, window := range []int{KindWindow, 100} {
				lite, postgres := both[0].finds(t, terms, crime, window), both[1].finds(t, terms, crime, window)
				found += len(lite)
				if !slices.Equal(lite, postgres) {
					t.Errorf("%.60q of %q among %d: PostgreSQL finds %d, SQLite %d:\n%.200q\n%.200q",
						q, crime, window, len(postgres), len(lite), postgres, lite)
				}
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d were found in all", found)
	}
}

// finds returns what a search finds on all its pages, and what it says of the whole.
func (s *shelf) finds(t *testing.T, terms []tocsin.Term, crime tocsin.CrimeType, window int) (found []string) {
	t.Helper()
	page := Page{Limit: 100}
	for {
		l, err := s.search(t.Context(), terms, crime, page, window)
		do(t, err)
		for _, r := range l.Reports {
			found = append(found, fmt.Sprint(r.Title, r.PublishedAt, r.Description[:min(20, len(r.Description))]))
		}
		if l.NextCursor == "" {
			return append(found, fmt.Sprint(l.Found, l.Partial))
		}
		page.Cursor = l.NextCursor
	}
}

// TestTheStepsOfASearchAreAllReports, each once, the newest first, by blocks that have all of them.
func TestTheStepsOfASearchAreAllReports(t *testing.T) {
	tops := []int64{1, 5, 9*blocks[2] - 1, 9 * blocks[2], 70*blocks[2] + blocks[1]/2,
		3*blocks[2] + 5*blocks[1] + 2*blocks[0] + 3}
	for _, size := range blocks {
		tops = append(tops, size-1, size, size+1, 3*size+7)
	}
	var d *postgresDialect
	for _, first := range tops {
		top, steps, read := first, 0, int64(0)
		for size := int64(firstStep); top > 0; size *= 2 {
			from := max(d.stepBack(top, size), 1)
			if from > top || steps > 30 {
				t.Fatalf("a step from %d to %d", top, from)
			}
			words := blocksOf(from, top)
			for _, at := range []int64{from, (from + top) / 2, top} {
				if !slices.ContainsFunc([]int{0, 1, 2}, func(size int) bool { return slices.Contains(words, blockOf(size, at)) }) {
					t.Errorf("report %d is in none of the blocks %q", at, words)
				}
			}
			for size := range blocks {
				if blockOf(size, from) == words[0] {
					read += int64(len(words)) * blocks[size]
				}
			}
			top, steps = from-1, steps+1
		}
		if read > 2*first+4*blocks[0] {
			t.Errorf("%d steps back from %d read blocks of %d reports", steps, first, read)
		}
	}
}
