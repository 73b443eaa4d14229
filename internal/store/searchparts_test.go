package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/pgtest"
	"tocsin/internal/synth"
)

// corpus returns reports to search in.
func corpus(t *testing.T) []tocsin.Entry {
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
	long, tail := longWords()
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
	return entries
}

// longWords returns words that the index of PostgreSQL cuts off.
func longWords() (long, tail string) {
	return strings.Repeat("é", maxLexeme/2), strings.Repeat("ж", maxLexeme) // of the bytes of é folding leaves half
}

// searches returns what to look for in the corpus, by name.
func searches() map[string][]tocsin.Term {
	long, tail := longWords()
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
	return terms
}

// spread imports reports as if there were many more between them, so that a search takes several steps. They have the
// numbers from those given.
func (s *shelf) spread(t *testing.T, entries []tocsin.Entry, at ...int64) {
	t.Helper()
	for i, part := range slices.Collect(slices.Chunk(entries, len(entries)/len(at)+1)) {
		next := at[i]
		if strings.Contains(s.path, "://") {
			pgtest.Exec(t, s.path, fmt.Sprint("ALTER TABLE report ALTER COLUMN seq RESTART WITH ", next))
		} else {
			do(t, s.write(t.Context(), evidence, false, func(ctx context.Context, s *conn) error {
				_, err := s.exec(ctx, "UPDATE sqlite_sequence SET seq = $1 WHERE name = 'report'", next-1)
				return err
			}))
		}
		s.imports(t, fmt.Sprint("list ", i), part...)
	}
}

// TestASearchThatEndsEarlyLosesNothing: the pages after those that it has found go on, and repeat nothing.
func TestASearchThatEndsEarlyLosesNothing(t *testing.T) {
	s := fresh(t)
	s.spread(t, corpus(t), 1, blocks[0]-20, blocks[1]-30, 2*blocks[1]-40, 3*blocks[1]+blocks[0])
	parts := 0
	for q, terms := range searches() {
		for crime, window := range map[tocsin.CrimeType]int{"": KindWindow, tocsin.Phishing: 7} {
			s.searchTime = searchTime
			all := s.walks(t, terms, crime, 100)
			s.searchTime = 0 // after each step
			some := s.walks(t, terms, crime, window)
			parts += len(some) - len(all)
			want, got := slices.Concat(all...), slices.Concat(some...)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("%.60q of %q: %d of %d reports are found", q, crime, len(got), len(want))
			}
		}
	}
	if parts < 100 {
		t.Errorf("only %d searches have ended early", parts)
	}
}

// walks returns the ids of what a search finds, by the parts of the reports that it ranks. All pages of a part say
// that it is one.
func (s *shelf) walks(t *testing.T, terms []tocsin.Term, crime tocsin.CrimeType, window int) (parts [][]string) {
	t.Helper()
	found := 0
	for page := (Page{Limit: 9}); ; {
		l, err := s.search(t.Context(), terms, crime, page, window)
		do(t, err)
		at, err := readSearchCursor(page.Cursor)
		do(t, err)
		if at.skip == 0 {
			parts, found = append(parts, nil), l.Found
		}
		equal(t, "found, on each page of the part", l.Found, found)
		for _, r := range l.Reports {
			last := len(parts) - 1
			parts[last] = append(parts[last], r.ID)
		}
		if l.NextCursor == "" {
			equal(t, "partial, at the end", l.Partial, len(parts) > 1)
			return parts
		}
		page.Cursor = l.NextCursor
	}
}

// TestTheRowsSayOfTheStoryWhatTheIndexSays: which matches come first does not depend on where it was looked up.
func TestTheRowsSayOfTheStoryWhatTheIndexSays(t *testing.T) {
	s := fresh(t)
	s.spread(t, corpus(t), 1, blocks[0]-20, blocks[1]-30, 2*blocks[1]-40, 3*blocks[1]+blocks[0])
	first := 0
	for q, terms := range searches() {
		do(t, s.read(t.Context(), primary, func(c *conn) error {
			all, _, err := s.look(t.Context(), c, terms, "", searchPlace{top: 4 * blocks[1]}, KindWindow)
			do(t, err)
			byIndex, err := s.outside(t.Context(), c, terms, all, 0)
			do(t, err)
			byRows, err := s.outside(t.Context(), c, terms, all, 1<<40)
			do(t, err)
			maps.DeleteFunc(byRows, func(_ int64, first bool) bool { return !first })
			first += len(byRows)
			if !maps.Equal(byIndex, byRows) {
				t.Errorf("%.60q: %v by the index, %v by the rows", q, byIndex, byRows)
			}
			return nil
		}))
	}
	if first < 500 {
		t.Errorf("only %d matches come first in all", first)
	}
}
