package web

import (
	"tocsin"
	"tocsin/internal/manual"
)

// readManual makes the pages of the documentation.
func (s *Site) readManual() (map[string]manual.Page, error) {
	service := manual.Service{BaseURL: s.config.BaseURL, MCP: s.config.MCP, FreeCalls: s.config.Quota}
	for _, n := range s.api.Payments().Networks {
		service.Networks = append(service.Networks, manual.Network{Name: n.Name, ID: n.Network})
	}
	return manual.Pages(s.api.Contract(), service)
}

// docs shows one page of the documentation.
func (s *Site) docs(req *request) (*page, error) {
	p, found := s.manual[req.PathValue("name")]
	if !found {
		return nil, &tocsin.Error{Code: tocsin.NotFound}
	}
	return &page{Template: "docs", Title: p.Title, Description: p.Description, Body: p}, nil
}
