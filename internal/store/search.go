package store

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"
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
// project, subjects and handles) come first, the newest by date among equals. It
// ranks the 2,000 matches that were recorded last; those of one crime type it
// takes from among the last 20,000 matches of any.
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
		if err != nil || len(all) == 0 {
			return err
		}
		outside, err := db.dialect.matches(ctx, s, terms, crime, true, all[len(all)-1].seq, top, window)
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
