package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tocsin"
)

func FuzzReadCursor(f *testing.F) {
	f.Add(cursor(place{5, 7}))
	f.Add(searchCursor(7, 20))
	f.Fuzz(func(t *testing.T, text string) {
		if at, err := readCursor(text); err == nil && (at.published < 0 || at.seq < 0) {
			t.Errorf("%q gives %+v", text, at)
		}
		if top, skip, err := readSearchCursor(text); err == nil && (top < 0 || skip < 0) {
			t.Errorf("%q gives %d, %d", text, top, skip)
		}
	})
}

// FuzzSearch sends what a caller may type through to the database: none of it
// may be syntax there.
func FuzzSearch(f *testing.F) {
	for _, q := range []string{
		`fake "claim site" drain*`, `a AND b`, `"`, `col:x`,
		`{a b}:c`, `^a`, `a+b`, `NEAR(a b)`, "a\x00b", `'`, `"a"*`,
	} {
		f.Add(q)
	}
	db, err := Open(context.Background(), filepath.Join(f.TempDir(), "t.db"), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	f.Fuzz(func(t *testing.T, q string) {
		terms, fault := tocsin.ParseQuery(q)
		if fault != nil {
			return
		}
		if _, err := db.Search(t.Context(), terms, "", Page{Limit: 20}); err != nil {
			t.Errorf("%q: %v", q, err)
		}
	})
}

func TestASearchMayBeOfOneCrimeType(t *testing.T) {
	s := fresh(t)
	var scams []string
	for i := range 7 {
		d := story(t, fmt.Sprintf("Approval %d", i), "evil.com")
		if i%2 == 1 {
			d.CrimeType = tocsin.Scam
		}
		if i == 3 {
			d.Title, d.Description = "Told in the story", "It asked for an approval."
		}
		filed, err := s.FileReport(t.Context(), Filing{Draft: d, Network: network})
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 {
			scams = append(scams, filed.Report.ID)
		}
	}
	terms := []tocsin.Term{{Text: "approval"}}
	for crime, want := range map[tocsin.CrimeType]int{"": 7, tocsin.Phishing: 4, tocsin.Scam: 3, tocsin.Hack: 0} {
		found, err := s.Search(t.Context(), terms, crime, Page{Limit: 20})
		if err != nil || found.Found != want || len(found.Reports) != want {
			t.Errorf("%q: %d of %d found, %v", crime, len(found.Reports), found.Found, err)
		}
	}
	// Page by page, and the one that has the word in its story alone comes last.
	var got []string
	for cursor := ""; ; {
		found, err := s.Search(t.Context(), terms, tocsin.Scam, Page{Limit: 2, Cursor: cursor})
		if err != nil || found.Found != 3 {
			t.Fatalf("%d found, %v", found.Found, err)
		}
		for _, r := range found.Reports {
			got = append(got, r.ID)
		}
		if cursor = found.NextCursor; cursor == "" {
			break
		}
	}
	if want := []string{scams[2], scams[0], scams[1]}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestASearchOfOneCrimeTypeSaysWhatItHasNotLookedAt(t *testing.T) {
	s := fresh(t)
	for i := range 10 { // every fifth is a scam
		d := story(t, fmt.Sprintf("Approval %d", i), "evil.com")
		if i%5 == 0 {
			d.CrimeType = tocsin.Scam
		}
		s.files(t, d, nil)
	}
	terms := []tocsin.Term{{Text: "approval"}}
	for _, c := range []struct {
		crime  tocsin.CrimeType
		window int
		want   Listed
	}{
		{tocsin.Scam, 10, Listed{Found: 2}},
		{tocsin.Scam, 9, Listed{Found: 1, Partial: true}},
		{tocsin.Scam, 4, Listed{Found: 0, Partial: true}},
		{tocsin.Hack, 10, Listed{}},
		{"", 4, Listed{Found: 10}},
	} {
		got, err := s.search(t.Context(), terms, c.crime, Page{Limit: 1}, c.window)
		if err != nil || got.Found != c.want.Found || got.Partial != c.want.Partial {
			t.Errorf("%q among %d: %d, %t, %v", c.crime, c.window, got.Found, got.Partial, err)
		}
	}
}

func TestLaterPagesOfASearchRankWhatWasThereAtTheFirst(t *testing.T) {
	s := fresh(t)
	file := func(i int) string { return s.files(t, story(t, fmt.Sprint("Approval ", i), "evil.com"), nil).Report.ID }
	var want, got []string
	for i := range 5 {
		want = append([]string{file(i)}, want...)
	}
	p := Page{Limit: 2}
	for i := range 3 {
		found, err := s.Search(t.Context(), []tocsin.Term{{Text: "approval"}}, "", p)
		if err != nil || found.Found != 5 {
			t.Fatalf("%d found, %v", found.Found, err)
		}
		for _, r := range found.Reports {
			got = append(got, r.ID)
		}
		p.Cursor = found.NextCursor
		file(5 + i)
	}
	equal(t, "pages", append(got, p.Cursor), append(want, ""))
	for _, skip := range []int64{5, SearchWindow, SearchWindow + 1, 1 << 62} {
		next := Page{Limit: 2, Cursor: searchCursor(5, skip)}
		found, err := s.Search(t.Context(), []tocsin.Term{{Text: "approval"}}, "", next)
		equal(t, fmt.Sprint("beyond the end: ", skip), []any{len(found.Reports), found.NextCursor, found.Found, err},
			[]any{0, "", 5, nil})
	}
}

func TestACursorBeyondAllReportsBeginsWithTheNewest(t *testing.T) {
	s := fresh(t)
	s.files(t, story(t, "Approval", "evil.com"), nil)
	next := Page{Limit: 2, Cursor: searchCursor(math.MaxInt64, 0)}
	found, err := s.Search(t.Context(), []tocsin.Term{{Text: "approval"}}, "", next)
	equal(t, "found", []any{found.Found, err}, []any{1, nil})
}

func TestASearchRanksTheNewestOfMany(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	for i := range SearchWindow + 2 {
		d := story(t, fmt.Sprint("Approval ", i), "evil.com")
		if i == 1 {
			d.CrimeType = tocsin.Scam
		}
		entries = append(entries, told(d, fmt.Sprint(i)))
	}
	s.imports(t, "list", entries...)
	for _, c := range []struct {
		crime   tocsin.CrimeType
		found   int
		partial bool
		window  int
	}{
		{"", SearchWindow, false, KindWindow}, {tocsin.Phishing, SearchWindow, false, KindWindow},
		{tocsin.Scam, 1, false, KindWindow}, {tocsin.Scam, 1, true, SearchWindow + 1}, {tocsin.Scam, 0, true, SearchWindow},
	} {
		page, err := s.search(t.Context(), []tocsin.Term{{Text: "approval"}}, c.crime, Page{Limit: 1}, c.window)
		equal(t, fmt.Sprint(c), []any{page.Found, page.Partial, err}, []any{c.found, c.partial, nil})
	}
	_, err := s.Search(t.Context(), []tocsin.Term{{Text: "approval"}}, "", Page{Limit: 1, Cursor: cursor(place{5, 5})})
	equal(t, "a cursor of another list", codeOf(err), tocsin.Invalid)
	_, err = s.Reports(t.Context(), Filter{Page: Page{Limit: 1, Cursor: searchCursor(5, 1)}})
	equal(t, "a cursor of a search", codeOf(err), tocsin.Invalid)
}

func TestOnlyACursorOfTheSameListIsRead(t *testing.T) {
	s := fresh(t)
	numbers := func(form byte, all ...uint64) string {
		raw := []byte{form}
		for _, n := range all {
			raw = binary.AppendUvarint(raw, n)
		}
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	for text, want := range map[string][2]tocsin.Code{
		"":                             {"", ""},
		numbers(3, 0, 5):               {"", tocsin.Invalid},
		numbers(1, 5):                  {tocsin.Invalid, tocsin.Invalid}, // up to 0.4
		numbers(2, 5, 0):               {tocsin.Invalid, ""},
		numbers(3, 0, math.MaxInt64):   {"", tocsin.Invalid},
		numbers(3, math.MaxInt64+1, 5): {tocsin.Invalid, tocsin.Invalid},
		numbers(2, 5):                  {tocsin.Invalid, tocsin.Invalid},
		numbers(3, 5, 0, 0):            {tocsin.Invalid, tocsin.Invalid},
		numbers(2, 5, 0, 0):            {tocsin.Invalid, tocsin.Invalid},
		numbers(3, 1):                  {tocsin.Invalid, tocsin.Invalid},
		"!":                            {tocsin.Invalid, tocsin.Invalid},
	} {
		_, list := s.Reports(t.Context(), Filter{Page: Page{Limit: 1, Cursor: text}})
		_, about := s.AboutSubject(t.Context(), evil, Page{Limit: 1, Cursor: text})
		_, search := s.Search(t.Context(), []tocsin.Term{{Text: "approval"}}, "", Page{Limit: 1, Cursor: text})
		equal(t, text, []tocsin.Code{codeOf(list), codeOf(about), codeOf(search)}, []tocsin.Code{want[0], want[0], want[1]})
	}
}

func TestASearchThatIsGivenUpWaitsNoLonger(t *testing.T) {
	s := fresh(t)
	for range readers / 2 {
		leave, ok := s.searches.Try(netip.Prefix{})
		equal(t, "a slot is free", ok, true)
		defer leave()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Search(ctx, []tocsin.Term{{Text: "approval"}}, "", Page{Limit: 1})
	equal(t, "given up", errors.Is(err, context.Canceled), true)
}

func ids(reports []tocsin.Report) (all []string) {
	for _, r := range reports {
		all = append(all, r.ID)
	}
	return all
}

func TestAReportIsFoundByItsTransactions(t *testing.T) {
	s := fresh(t)
	tron, evm := strings.Repeat("6d9e", 16), "0x"+strings.Repeat("88df", 16)
	d := story(t, "Paid in vain", "evil.com")
	d.Evidence = tocsin.Attachments{TransactionHashes: []string{tron},
		URLs: []string{"https://etherscan.io/tx/" + evm + "?a=1", "https://evil.example/" + strings.Repeat("a", 70)}}
	filed := s.files(t, d, nil)
	s.files(t, story(t, "Another", "evil.com"), nil)
	for _, term := range []tocsin.Term{{Text: tron}, {Text: evm}, {Text: strings.ToUpper(tron)},
		{Text: tron[:10], Prefix: true}} {
		found, err := s.Search(t.Context(), []tocsin.Term{term}, "", Page{Limit: 5})
		do(t, err)
		equal(t, term.Text, ids(found.Reports), []string{filed.Report.ID})
	}
}

// TestAnOldDatabaseFindsReportsByTheirTransactions, and by a number of WhatsApp that people write in two ways.
func TestAnOldDatabaseFindsReportsByTheirTransactions(t *testing.T) {
	onlySQLite(t)
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := sql.Open("sqlite", path)
	do(t, err)
	for version := 1; version < 14; version++ {
		text, err := schema.ReadFile(fmt.Sprintf("schema/sqlite/%d.sql", version))
		do(t, err)
		_, err = old.Exec(string(text))
		do(t, err)
	}
	_, err = old.Exec(`PRAGMA application_id = 1414480723; PRAGMA user_version = 13`)
	do(t, err)
	hash := "0x" + strings.Repeat("88df", 16)
	for i, evidence := range []string{`"evidence": {"transactionHashes": ["` + hash + `"]}`,
		`"evidence": {}`, `"socialMedia": {"whatsapp": "+52 1 55 9876 5432"}`} {
		_, err = old.Exec(`INSERT INTO report (seq, id, created, published, status, crime_type, body)
				VALUES ($1, 'rep_' || $1, $1, $1, 'published', 'scam', '{"title": "paid", ' || $2 || '}');
			INSERT INTO report_words (rowid, title, description, project, subjects, handles)
				VALUES ($1, 'paid', '', '', '', '')`, i+1, evidence)
		do(t, err)
	}
	old.Close()
	s := &shelf{DB: open(t, path, new(atomic.Int64))}
	for term, want := range map[string][]string{hash: {"rep_1"}, "525598765432": {"rep_3"},
		"paid": {"rep_3", "rep_2", "rep_1"}} {
		found, err := s.Search(t.Context(), []tocsin.Term{{Text: term}}, "", Page{Limit: 5})
		do(t, err)
		equal(t, term, ids(found.Reports), want)
	}
}
