package web

import (
	"maps"
	"slices"

	"tocsin/internal/manual"
	"tocsin/internal/store"
)

// homePage is the front page.
type homePage struct {
	Terms   terms
	Stats   stats
	Lists   freshness
	Reports []reportRow
}

// home shows the front page: the search field, the numbers and the newest reports.
func (s *Site) home(req *request) (*page, error) {
	if s.config.Links != "" {
		req.header.Set("Link", s.config.Links)
	}
	st, err := s.db.Stats(req.Context())
	if err != nil {
		return nil, err
	}
	last, err := s.db.Reports(req.Context(), store.Filter{Page: store.Page{Limit: 3}})
	if err != nil {
		return nil, err
	}
	newest := reportRows(req.lang, last.Reports, true)
	if err := s.loadLevels(req, newest); err != nil {
		return nil, err
	}
	return &page{
		Template:    "home",
		Title:       "Tocsin: has the bell rung for this address?",
		Description: tagline,
		Feed:        feedPath,
		Body:        homePage{Terms: s.terms(), Stats: stats{st}, Lists: freshnessOf(st, s.db.Now()), Reports: newest},
	}, nil
}

// Pages returns the paths of the pages that search engines should find: those that are
// the same for every visitor.
func (s *Site) Pages() []string {
	pages := []string{"/", "/reports", "/bulk", "/leaderboard", "/status", "/docs", "/help", "/object"}
	for _, name := range slices.Sorted(maps.Keys(s.manual)) {
		if name != "" && name != manual.Search {
			pages = append(pages, "/docs/"+name)
		}
	}
	return pages
}
