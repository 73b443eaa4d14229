package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"tocsin"
)

// Without these bounds a word that is in half of all reports would take seconds.
const (
	SearchWindow = 2000   // how many of the matches recorded last a search ranks
	KindWindow   = 20_000 // among how many of them it looks for those of one crime type
)

// searchTime is how long a search looks for matches, longer while there are none: somebody pays for each page. It then
// ends with the part of the reports that it is at, and the next page begins with those recorded before.
const searchTime = 40 * time.Millisecond

// Search returns one page of the reports that have all the terms, of one crime
// type unless it is "". Those that have them all outside the story (in title,
// project, subjects and handles) come first, the newest by date among equals. It
// ranks the 2,000 matches that were recorded last; those of one crime type it
// takes from among the last 20,000 matches of any. If it has not found 2,000 when it
// has looked for long enough, it ranks those that it has found. The pages after
// them go on with what was recorded earlier, so that nothing is lost.
//
// The rank is not bm25: FTS5 walks every report that has a word to know how
// rare the word is, which for common words takes a hundred times as long as
// the search. This rank also stays the same while reports are being filed, so
// that pages neither repeat nor lose one.
func (db *DB) Search(ctx context.Context, terms []tocsin.Term, crime tocsin.CrimeType, p Page) (Listed, error) {
	return db.search(ctx, terms, crime, p, KindWindow)
}

func (db *DB) search(
	ctx context.Context, terms []tocsin.Term, crime tocsin.CrimeType, p Page, window int,
) (Listed, error) {
	leave, err := db.searches.Wait(ctx, netip.Prefix{})
	if err != nil {
		return Listed{}, err
	}
	defer leave()
	return db.find(ctx, terms, crime, p, window)
}

// ErrSearchTooLong is the error of a search that has taken longer than it may.
var ErrSearchTooLong = errors.New("the search takes too long")

// SearchWithin is [DB.Search] for callers who do not pay for it: it is given up, with
// the error [ErrSearchTooLong], when it has taken the time. Waiting for its turn does
// not count.
func (db *DB) SearchWithin(
	ctx context.Context, limit time.Duration, terms []tocsin.Term, crime tocsin.CrimeType, p Page,
) (Listed, error) {
	leave, err := db.searches.Wait(ctx, netip.Prefix{})
	if err != nil {
		return Listed{}, err
	}
	defer leave()
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found, err := db.find(timed, terms, crime, p, KindWindow)
	if err != nil && timed.Err() != nil && ctx.Err() == nil {
		return Listed{}, ErrSearchTooLong
	}
	return found, err
}

// find is a search that has its turn.
func (db *DB) find(
	ctx context.Context, terms []tocsin.Term, crime tocsin.CrimeType, p Page, window int,
) (Listed, error) {
	at, err := readSearchCursor(p.Cursor)
	if err != nil {
		return Listed{}, err
	}
	var page Listed
	err = db.read(ctx, replica, func(s *conn) error {
		var newest int64
		if err := s.row(ctx, "SELECT coalesce(max(seq), 0) FROM report", nil, &newest); err != nil {
			return err
		}
		if at.top == 0 || at.top > newest { // later pages rank what was there when the first was made
			at.top = newest
		}
		began := db.now()
		all, floor, err := db.look(ctx, s, terms, crime, at, window)
		if err != nil {
			return err
		}
		outside, err := db.outside(ctx, s, terms, all, db.now().Sub(began))
		if err != nil {
			return err
		}
		ranked := rank(all, outside)
		page.Found, page.Partial = len(ranked), at.part || floor > 0
		ranked = ranked[min(at.skip, int64(len(ranked))):]
		page.Reports, err = readThese(ctx, s, ranked[:min(len(ranked), p.Limit)], p)
		if n := len(page.Reports); n < len(ranked) {
			page.NextCursor = searchCursor(searchPlace{at.top, floor, at.skip + int64(n), page.Partial})
		} else if floor > 0 {
			page.NextCursor = searchCursor(searchPlace{top: floor - 1, part: true})
		}
		return err
	})
	return page, err
}

// look returns the matches that a search ranks, the one recorded last first. It goes back from at.top in steps. Floor
// is how far it got, 0 if all reports were looked at or as many were found as are ranked. A page that is not the
// first of its part looks as far as the first did.
func (db *DB) look(
	ctx context.Context, s *conn, terms []tocsin.Term, crime tocsin.CrimeType, at searchPlace, window int,
) (found []place, floor int64, err error) {
	began, size := db.now(), int64(firstStep)
	enough := func() bool {
		passed := db.now().Sub(began)
		return at.skip == 0 && passed >= db.searchTime && (len(found) > 0 || passed >= 2*db.searchTime)
	}
	lowest := max(at.floor, 1)
	for top := at.top; top >= lowest; {
		from := max(db.dialect.stepBack(top, size), lowest)
		begun := db.now()
		limit := SearchWindow - len(found)
		if crime != "" {
			limit = window
		}
		part, err := db.dialect.matches(ctx, s, terms, crime, false, from, top, limit, func() bool {
			return at.skip == 0 && db.now().Sub(began) >= db.searchTime
		})
		if err != nil {
			return nil, 0, err
		}
		found = append(found, part.found[:min(len(part.found), SearchWindow-len(found))]...)
		if len(found) == SearchWindow {
			return found, at.floor, nil
		}
		if crime != "" {
			window -= part.candidates
		}
		switch {
		case part.early || window == 0:
			return found, below(part.last), nil
		case enough():
			return found, below(from), nil
		}
		if top = from - 1; db.now().Sub(begun) < db.searchTime/8 && size < math.MaxInt64/2 {
			size *= 2 // the fewer steps, the faster
		}
	}
	return found, at.floor, nil
}

// firstStep is how many reports a search looks at first.
const firstStep = 4096

// below is the floor of a part of the reports that ends with one; 0 if none was recorded before it.
func below(last int64) int64 {
	if last <= 1 {
		return 0
	}
	return last
}

// perRow is about how long it takes to look at a row for its words.
const perRow = 10 * time.Microsecond

// outside returns which of the matches have all terms outside the story. It asks the index, in which words of the
// story may be in the way, or reads the rows, if that is faster than what the look has taken.
func (db *DB) outside(
	ctx context.Context, s *conn, terms []tocsin.Term, all []place, took time.Duration,
) (map[int64]bool, error) {
	if len(all) == 0 {
		return nil, nil
	}
	if took > time.Duration(len(all))*perRow {
		return outsideByRows(ctx, s, terms, all)
	}
	some, err := db.dialect.matches(ctx, s, terms, "", true, all[len(all)-1].seq, all[0].seq, SearchWindow, nil)
	first := make(map[int64]bool, len(some.found))
	for _, m := range some.found {
		first[m.seq] = true
	}
	return first, err
}

// outsideByRows is outside without the index.
func outsideByRows(ctx context.Context, s *conn, terms []tocsin.Term, all []place) (map[int64]bool, error) {
	const rows = 50 // of a statement
	first := map[int64]bool{}
	for part := range slices.Chunk(all, rows) {
		seqs := make([]int64, rows) // no report has the number 0
		for i, m := range part {
			seqs[i] = m.seq
		}
		in, args := placeholders(seqs)
		err := s.each(ctx, "SELECT seq, body FROM report WHERE seq IN ("+in+")", args, func(rows *sql.Rows) error {
			var seq int64
			var body []byte
			var draft tocsin.Draft
			if err := rows.Scan(&seq, &body); err != nil {
				return err
			}
			if err := json.Unmarshal(body, &draft); err != nil {
				return err
			}
			draft.Description = ""
			first[seq] = hasTerms(wordsOfDraft(seq, &draft).fields(), terms)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return first, nil
}

// between divides fields: no word has it.
const between = " | "

// fields returns the words outside the story, with what divides fields between them and spaces around all words.
func (w wordsOf) fields() string {
	return " " + strings.Join([]string{w.title, w.project, w.subjects, w.handles}, between) + " "
}

// hasTerms reports whether a text of folded words, with spaces around them, has all the terms.
func hasTerms(text string, terms []tocsin.Term) bool {
	for _, t := range terms {
		phrase := " " + foldText(t.Text)
		if !t.Prefix {
			phrase += " "
		}
		if !strings.Contains(text, phrase) {
			return false
		}
	}
	return true
}

// rank puts the matches that are outside the story before the others, and each of
// both in the order of dates.
func rank(all []place, first map[int64]bool) (seqs []int64) {
	slices.SortFunc(all, func(a, b place) int {
		switch {
		case first[a.seq] != first[b.seq] && first[a.seq]:
			return -1
		case first[a.seq] != first[b.seq]:
			return 1
		}
		return cmp.Or(cmp.Compare(b.published, a.published), cmp.Compare(b.seq, a.seq))
	})
	for _, at := range all {
		seqs = append(seqs, at.seq)
	}
	return seqs
}
