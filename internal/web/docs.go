package web

import (
	"strings"

	"tocsin"
	"tocsin/internal/manual"
)

// languageCookie names the cookie with the language of the examples that a visitor chose.
const languageCookie = "example"

// readManual makes the pages of the documentation, and their index.
func (s *Site) readManual() (map[string]manual.Page, *manual.Index) {
	service := manual.Service{
		BaseURL:      s.config.BaseURL,
		Local:        s.config.Local(),
		MCP:          s.config.MCP,
		FreeCalls:    s.config.Quota,
		NetworkCalls: s.config.Limits.NetworkCalls,
		Rate:         s.config.Limits.Rate,
	}
	for _, n := range s.api.Payments().Networks {
		service.Networks = append(service.Networks, manual.Network{Name: n.Name, ID: n.Network})
	}
	pages, index, err := manual.Pages(s.api.Contract(), service)
	if err != nil {
		panic(err) // what it is made from is part of the program
	}
	return pages, index
}

// docs shows one page of the documentation.
func (s *Site) docs(req *request) (*page, error) {
	pages, _ := s.manual()
	p, found := pages[req.PathValue("name")]
	if !found {
		return nil, &tocsin.Error{Code: tocsin.NotFound}
	}
	return docsPage(req, p), nil
}

// searchDocs searches the documentation, which costs nothing.
func (s *Site) searchDocs(req *request) (*page, error) {
	const longest = 200 // bytes of a query
	pages, index := s.manual()
	p, query := pages[manual.Search], strings.TrimSpace(req.FormValue("q"))
	p.Query = strings.ToValidUTF8(query[:min(len(query), longest)], "")
	p.Found = index.Find(p.Query)
	return docsPage(req, p), nil
}

// docsPage shows a page of the documentation to a visitor.
func docsPage(req *request, p manual.Page) *page {
	language, key := "", ""
	if c, err := req.Cookie(languageCookie); err == nil {
		language = c.Value
	}
	if caller := req.caller(); caller != nil {
		key = caller.Prefix
	}
	p = p.For(language, key)
	return &page{Template: "docs", Title: p.Title, Description: p.Description, Body: p}
}

// keepExamples keeps the language of the examples that the visitor chose, and returns to the page.
func (s *Site) keepExamples(req *request) (*page, error) {
	return s.keepChoice(req, languageCookie, req.PostFormValue("language"), manual.Languages...), nil
}
