package web

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

// TestWhatIsFoundIsHighlighted: a search finds a report by its title if and only if
// each term is highlighted in the title.
func TestWhatIsFoundIsHighlighted(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "t.db"), store.Options{
		Now: func() time.Time { return noon },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	dice := rand.New(rand.NewPCG(1, 2))
	words := []string{"Bäckerei", "backerei", "BACK", "οδός", "ΟΔΟΣ", "claim", "Claims", "claim-site", "0xAbCdEf",
		"Ёлка", "елка",
		"हिन्दी", "हिन", "محمد", "مُحَمَّد", "한국어", "한국", "12,5", "a_b", "İstanbul", "istanbul",
		"ﬁne", "fine", "ſcam", "scam", "½", "東京"}
	joints := []string{" ", " ", " ", "-", "/", " – ", "_", ".", "' "}
	text := func(most int) string {
		b := strings.Builder{}
		for i := range 1 + dice.IntN(most) {
			if i > 0 {
				b.WriteString(joints[dice.IntN(len(joints))])
			}
			b.WriteString(words[dice.IntN(len(words))])
		}
		return b.String()
	}
	titles := map[string]string{}
	for i := range 60 {
		d, err := tocsin.Draft{
			CrimeType:       tocsin.Scam,
			Title:           text(5),
			Description:     "Nothing to see.",
			ReportedDomains: []string{fmt.Sprintf("x%d.example.org", i)},
		}.Parse(noon)
		if err != nil {
			t.Fatal(err)
		}
		filed, err := db.FileReport(t.Context(), store.Filing{Draft: d, Network: netip.MustParsePrefix("203.0.113.0/24")})
		if err != nil {
			t.Fatal(err)
		}
		titles[filed.Report.ID] = d.Title
	}
	count := 0
	for range 400 {
		q := text(2)
		switch dice.IntN(3) {
		case 0:
			q = `"` + q + `"`
		case 1:
			q += "*"
		}
		terms, fault := tocsin.ParseQuery(q)
		if fault != nil {
			continue // too short for a *
		}
		page, err := db.Search(t.Context(), terms, "", store.Page{Limit: 100})
		if err != nil {
			t.Fatal(q, err)
		}
		found := map[string]bool{}
		for _, r := range page.Reports {
			found[r.ID] = true
			count++
		}
		for id, title := range titles {
			shown := true
			for _, n := range searchTerms(terms) {
				shown = shown && len(matches(title, []searchTerm{n})) > 0
			}
			if shown != found[id] {
				t.Errorf("%q in %q: found %t, highlighted %t", q, title, found[id], shown)
			}
		}
	}
	if count < 300 {
		t.Errorf("only %d matches", count)
	}
}

// TestOnlyTheLastWordOfATermMayGoOn, and only if the term says so.
func TestOnlyTheLastWordOfATermMayGoOn(t *testing.T) {
	for _, c := range []struct {
		words  string
		prefix bool
		end    int
	}{
		{"fake claim", false, 10}, {"fake cl", true, 10}, {"fake claim", true, 10}, {"fake cl", false, 0},
		{"fak claim", true, 0}, {"fake claim site", true, 0}, {"fa", true, 4}, {"claim", false, 0},
	} {
		end, ok := searchTerm{words: strings.Fields(c.words), prefix: c.prefix}.at(tocsin.Words("Fake claim"))
		want(t, c.words, []any{end, ok}, []any{c.end, c.end > 0})
	}
}

// TestMatchesThatOverlapAreOneHighlight, as long as the longer one, in whatever order the terms are.
func TestMatchesThatOverlapAreOneHighlight(t *testing.T) {
	for query, marked := range map[string]string{
		`"fake claim site" claim`:        "A [fake claim site] of yesterday",
		`claim "fake claim site"`:        "A [fake claim site] of yesterday",
		`"fake claim" "claim site"`:      "A [fake claim site] of yesterday",
		`fake "site of"`:                 "A [fake] claim [site of] yesterday",
		`"claim site of" site yesterday`: "A fake [claim site of] [yesterday]",
	} {
		terms, fault := tocsin.ParseQuery(query)
		if fault != nil {
			t.Fatal(fault)
		}
		var b strings.Builder
		for _, piece := range highlight("A fake claim site of yesterday", searchTerms(terms)) {
			if piece.Hit {
				piece.Text = "[" + piece.Text + "]"
			}
			b.WriteString(piece.Text)
		}
		want(t, query, b.String(), marked)
	}
}
