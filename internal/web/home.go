package web

import (
	"tocsin"
	"tocsin/internal/store"
)

// home shows the box, the numbers and what was filed last.
func (s *Site) home(v *visit) (*view, error) {
	if s.config.Links != "" {
		v.header.Set("Link", s.config.Links)
	}
	st, err := s.db.Stats(v.Context())
	if err != nil {
		return nil, err
	}
	last, err := s.db.Reports(v.Context(), store.Filter{Page: store.Page{Limit: 3}})
	if err != nil {
		return nil, err
	}
	newest := entries(last.Reports, true)
	if err := s.weigh(v.Context(), newest); err != nil {
		return nil, err
	}
	return &view{Page: "home", Title: "Tocsin: has the bell rung for this address?",
		Description: "Look up an EVM address or a website in sanctions lists, public scam lists and community reports.",
		Body: struct {
			Terms   terms
			Stats   numbers
			Last    *tocsin.Time
			Reports []entry
		}{s.terms(), numbers{st}, lastImport(st), newest}}, nil
}
