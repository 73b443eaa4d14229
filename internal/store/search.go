package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
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

// Search returns one page of the reports that have all the terms, of one crime
// type unless it is "". Those that have them all outside the story (in title,
// project, subjects, handles and transactions) come first, the newest by date
// among equals. It ranks the 2,000 matches that were recorded last; those of one
// crime type it takes from among the last 20,000 matches of any.
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
	top, skip, err := readSearchCursor(p.Cursor)
	if err != nil {
		return Listed{}, err
	}
	var page Listed
	err = db.read(ctx, replica, func(s *conn) error {
		var newest int64
		if err := s.row(ctx, "SELECT coalesce(max(seq), 0) FROM report", nil, &newest); err != nil {
			return err
		}
		if top == 0 || top > newest { // later pages rank what was there when the first was made
			top = newest
		}
		all, err := db.dialect.matches(ctx, s, terms, crime, false, 0, top, window)
		if err == nil && crime != "" && len(all) < SearchWindow {
			page.Partial, err = db.dialect.moreMatch(ctx, s, terms, top, window)
		}
		if err == nil {
			page.Partial = page.Partial || len(all) == SearchWindow && slices.ContainsFunc(terms, isWhole)
			all, page.Unnamed, err = onlyWhole(ctx, s, terms, all)
		}
		if err != nil || len(all) == 0 {
			return err
		}
		outside, err := outsideStory(ctx, s, terms, crime, all, top, window)
		if err != nil {
			return err
		}
		ranked := rank(all, outside)
		page.Found = len(ranked)
		ranked = ranked[min(skip, int64(len(ranked))):]
		page.Reports, err = readThese(ctx, s, ranked[:min(len(ranked), p.Limit)], p)
		if n := len(page.Reports); n > 0 && n < len(ranked) {
			page.NextCursor = searchCursor(top, skip+int64(n))
		}
		return err
	})
	return page, err
}

const (
	fewMatches = 256 // so many reports are read rather than looked for in the index once more
	manyWords  = 4   // the index is asked for so many words at once where it need not be asked for all
)

// outsideStory returns those of the matches that have all the terms outside the story, and maybe reports that are no
// matches. For rare phrases and for many words the index takes as long as it took to find the matches, or longer: then
// it is asked for the longest words alone, and the reports that are left are read.
func outsideStory(
	ctx context.Context, s *conn, terms []tocsin.Term, crime tocsin.CrimeType, all []place, top int64, window int,
) ([]place, error) {
	floor, left := all[len(all)-1].seq, all
	if words := longestWords(terms); len(words) == manyWords && len(left) > fewMatches {
		some, err := s.dialect.matches(ctx, s, words, "", true, floor, top, SearchWindow)
		if err != nil {
			return nil, err
		}
		if len(some) < SearchWindow { // they are all
			has := map[int64]bool{}
			for _, at := range some {
				has[at.seq] = true
			}
			left = slices.DeleteFunc(slices.Clone(all), func(at place) bool { return !has[at.seq] })
		}
	}
	if len(left) > fewMatches {
		return s.dialect.matches(ctx, s, terms, crime, true, floor, top, window)
	}
	return readOutside(ctx, s, terms, left)
}

// longestWords returns the longest words of the terms, manyWords of them at most: they are the rarest as a rule.
func longestWords(terms []tocsin.Term) []tocsin.Term {
	var words []tocsin.Term
	for _, t := range terms {
		all := tocsin.Words(t.Text)
		for i, w := range all {
			words = append(words, tocsin.Term{Text: w.Text, Prefix: t.Prefix && i == len(all)-1})
		}
	}
	slices.SortStableFunc(words, func(a, b tocsin.Term) int { return cmp.Compare(len(b.Text), len(a.Text)) })
	return words[:min(len(words), manyWords)]
}

// phrasesOf are the terms as they are found in a text of words with a space before and behind it.
func phrasesOf(terms []tocsin.Term) []string {
	phrases := make([]string, len(terms))
	for i, t := range terms {
		if phrases[i] = " " + foldText(t.Text); !t.Prefix {
			phrases[i] += " "
		}
	}
	return phrases
}

// readOutside reads reports, and returns those that have all the terms outside the story.
func readOutside(ctx context.Context, s *conn, terms []tocsin.Term, reports []place) (found []place, err error) {
	phrases := phrasesOf(terms)
	for part := range slices.Chunk(reports, 64) {
		seqs := make([]int64, 64) // one statement for any number of reports
		for i := range seqs {
			seqs[i] = part[min(i, len(part)-1)].seq
		}
		in, args := placeholders(seqs)
		query := "SELECT seq, body FROM report WHERE seq IN (" + in + ")"
		err := s.each(ctx, query, args, func(rows *sql.Rows) error {
			var at place
			var body []byte
			var d tocsin.Draft
			if err := rows.Scan(&at.seq, &body); err != nil {
				return err
			}
			if err := json.Unmarshal(body, &d); err != nil {
				return err
			}
			d.Description = "" // which is long, and not compared
			w := wordsOfDraft(at.seq, &d)
			fields := []string{" " + w.title + " ", " " + w.project + " ", " " + w.subjects + " ", " " + w.handles + " "}
			for _, phrase := range phrases {
				if !slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(field, phrase) }) {
					return nil
				}
			}
			found = append(found, at)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// rank puts the matches that are outside the story before the others, and each of
// both in the order of dates.
func rank(all, outside []place) (seqs []int64) {
	first := make(map[int64]bool, len(outside))
	for _, at := range outside {
		first[at.seq] = true
	}
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
