package store

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/pgtest"
	"tocsin/internal/synth"
)

// TestASearchFindsTheSameOnBothDatabases, in the same order, on all pages, and says the same of what it leaves out.
func TestASearchFindsTheSameOnBothDatabases(t *testing.T) {
	onlyPostgres(t)
	now := func() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }
	var both []*shelf
	for _, path := range []string{filepath.Join(t.TempDir(), "t.db"), newPlace(t)} {
		db, err := Open(t.Context(), path, Options{Now: now, Silence: busy})
		do(t, err)
		t.Cleanup(func() { db.Close() })
		both = append(both, &shelf{DB: db, path: path})
	}
	var entries []tocsin.Entry
	for d := range synth.Reports(7) {
		if len(entries) == volume(500, 200) {
			break
		}
		if len(d.CrimeType) == 0 {
			d.CrimeType = tocsin.Scam
		}
		entries = append(entries, told(d, fmt.Sprint("synthetic ", len(entries))))
	}
	long := strings.Repeat("é", maxLexeme/2) // so many bytes, of which folding leaves half
	tail := strings.Repeat("ж", maxLexeme)
	for i, text := range []string{
		"Claim site fake drainer", "claim the site of fake drainers", "CLAIM SITE", "the claim. Site", "claim-site",
		"site claim", "Café DÉJÀ vu", "cafe deja-vu", "Мошенник украл", "мошенники", "詐欺サイト 警告", "القلم الرصاص",
		"שָׁלוֹם", "Straße ǅ İstanbul ſ", "it's 'quoted' \\ back & slash | bar : colon * star ! not", "a | b", "b a",
		"x" + long, long, tail + " end", tail + "ж end",
		"0xfa15e0000000000000000000000000000000beef", "1e9 ½ ² x²", "word_with_underscores", "\ue000private",
	} {
		d := story(t, fmt.Sprintf("Title %d %.150s", i, text), fmt.Sprintf("www.claim%d.example", i), "site.example")
		d.Description = "Story " + text + " | " + text
		if i%3 == 0 {
			d.Description = "Nothing to see."
		}
		if i%2 == 0 {
			d.SubjectProjectName = &text
		}
		if i%5 == 0 {
			handle := "@" + strings.Fields(text)[0]
			d.SocialMedia.Telegram = &handle
		}
		entries = append(entries, told(d, fmt.Sprint("own ", i)))
	}
	// As if there were many more, so that a search takes several steps.
	for i, part := range slices.Collect(slices.Chunk(entries, len(entries)/5+1)) {
		next := []int64{1, blocks[0] - 20, blocks[1] - 30, blocks[2] - 40, 7*blocks[2] + 5*blocks[1]}[i]
		do(t, both[0].write(t.Context(), evidence, false, func(ctx context.Context, s *conn) error {
			_, err := s.exec(ctx, "UPDATE sqlite_sequence SET seq = $1 WHERE name = 'report'", next-1)
			return err
		}))
		pgtest.Exec(t, both[1].path, fmt.Sprint("ALTER TABLE report ALTER COLUMN seq RESTART WITH ", next))
		for _, s := range both {
			s.imports(t, fmt.Sprint("list ", i), part...)
		}
	}
	queries := []string{
		"claim", "claim site", `"claim site"`, `"claim site" drain*`, "cla*", "sit*", `"fake drainer"`, "drainer*",
		"fak* dra*", "café", "CAFE", "déjà-vu", "мошенник", "мошенник*", "мош*", "詐欺サイト", "詐欺*", "القلم", "שלום",
		"strasse", "straße", "ǆ", "istanbul", "s", "it's", "a", "b a", `"a b"`, `"b a"`, `"a | b"`, "|", "x²", "²", "½",
		"word_with", "with underscores", "0xfa15e0*", "0xfa15e0000000000000000000000000000000beef", "claim7.example",
		"site.example", "www.claim7.example", `"www claim7"`, "synthetic", "synthetic wallet", "the", "the of", `"of the"`,
		"wal*", "phishing", "\ue000private", "example", `"example site"`, `"title 3" nothing`,
		"nothing to see", "end", "null", "& | !", "'", `\`,
	}
	terms := map[string][]tocsin.Term{
		"a long word": {{Text: "x" + long}}, "a longer one": {{Text: long + "e"}},
		"its beginning": {{Text: long, Prefix: true}}, "very long": {{Text: tail}}, "longer": {{Text: tail + "ж"}},
		"both":           {{Text: tail, Prefix: true}},
		"a phrase of it": {{Text: tail + " end"}}, "another": {{Text: tail + "ж en", Prefix: true}},
	}
	for _, q := range queries {
		if parsed, fault := tocsin.ParseQuery(q); fault == nil {
			terms[q] = parsed
		}
	}
	found := 0
	for q, terms := range terms {
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
	ends := []int64{0, 1, 5, 9*blocks[2] - 1, 9 * blocks[2], 70*blocks[2] + blocks[1]/2,
		3*blocks[2] + 5*blocks[1] + 2*blocks[0] + 3}
	for _, size := range blocks {
		ends = append(ends, size-1, size, size+1, 3*size+7)
	}
	for _, top := range ends {
		for _, floor := range ends {
			if floor > top {
				equal(t, "no steps", len(steps(floor, top)), 0)
				continue
			}
			next := top
			all := steps(floor, top)
			for _, st := range all {
				equal(t, fmt.Sprint("a step of ", floor, " to ", top, " begins where the last has ended"), st.to, next)
				for _, at := range []int64{st.from, (st.from + st.to) / 2, st.to} {
					if !slices.ContainsFunc([]int{0, 1, 2}, func(size int) bool {
						return slices.Contains(st.blocks, blockOf(size, at))
					}) {
						t.Errorf("report %d is in none of the blocks %q", at, st.blocks)
					}
				}
				if len(st.blocks) > 8 && !strings.HasPrefix(st.blocks[0], "###") {
					t.Errorf("a step of %d to %d looks into %d small blocks", floor, top, len(st.blocks))
				}
				next = st.from - 1
			}
			if next != floor-1 || len(all) > 15 {
				t.Errorf("%d steps from %d to %d end at %d", len(all), top, floor, next+1)
			}
		}
	}
}
