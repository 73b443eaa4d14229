package web

import (
	"maps"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/manual"
	"tocsin/internal/store"
)

// homePage is the front page.
type homePage struct {
	Terms   terms
	Stats   stats
	Lists   freshness
	Example *example // nil if the thief is not on record
	Reports []reportRow
}

// example is an answer that the front page shows.
type example struct {
	answer.Answer
	Verdict answer.Verdict
}

// Path is the path of the answer.
func (e example) Path() string { return screenPath(e.Subject) }

// ronin is the account of who robbed the Ronin bridge in 2022, which OFAC sanctioned. It is in the starter set.
var ronin = tocsin.Subject{Kind: tocsin.EVM, Value: "0x098b716b8aaf21512996dc57eb0615e2383e2f96"}

// home shows the front page: the search field, an answer, the two ways in, the numbers and the newest reports.
func (s *Site) home(req *request) (*page, error) {
	if strings.TrimSpace(req.URL.Query().Get("q")) != "" {
		return s.find(req)
	}
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
	known, err := s.judge(req, ronin)
	if err != nil {
		return nil, err
	}
	body := homePage{Terms: s.terms(), Stats: stats{st}, Lists: freshnessOf(st, s.db.Now()), Reports: newest}
	if known.RiskLevel == tocsin.Critical { // an alarm costs no visitor a look-up, so the page may show it
		body.Example = &example{known, known.Verdict()}
	}
	return &page{
		Template:    "home",
		Title:       req.lang.Text("%s: has the bell rung for this address?", "Tocsin"),
		Description: req.lang.Text(tagline),
		Feed:        feedPath,
		Body:        body,
	}, nil
}

// Pages returns the paths of the pages that search engines should find: those that are
// the same for every visitor.
func (s *Site) Pages() []string {
	pages := []string{"/", "/reports", "/bulk", "/leaderboard", "/status", "/docs", "/help", "/privacy", "/object"}
	documentation, _ := s.manual()
	for _, name := range slices.Sorted(maps.Keys(documentation)) {
		if name != "" && name != manual.Search {
			pages = append(pages, "/docs/"+name)
		}
	}
	return pages
}
