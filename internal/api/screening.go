package api

import (
	"encoding/json"
	"fmt"
	"net/http"

	"tocsin"
	"tocsin/internal/store"
)

// addressScreening is the schema AddressScreening.
type addressScreening struct {
	Address string `json:"address"`
	tocsin.Screening
	Reports    []tocsin.Report `json:"reports"`
	NextCursor *string         `json:"nextCursor"`
}

func (s *Server) screenAddress(_ http.Header, c *call) (any, error) {
	address, fault := tocsin.ParseAddress(c.PathValue("address"))
	if fault != nil {
		return nil, tocsin.Faults(tocsin.At("address", fault, nil))
	}
	d, err := s.db.About(c.Context(), address, c.page())
	if err != nil {
		return nil, err
	}
	return addressScreening{address.String(), tocsin.Screen(d, s.now()), s.link(d.Reports), optional(d.NextCursor)}, nil
}

// domainScreening is the schema DomainScreening.
type domainScreening struct {
	Domain            string  `json:"domain"`
	RegistrableDomain *string `json:"registrableDomain"`
	tocsin.Screening
	Matches    []tocsin.Match  `json:"matches"`
	Reports    []tocsin.Report `json:"reports"`
	NextCursor *string         `json:"nextCursor"`
}

func (s *Server) checkDomain(_ http.Header, c *call) (any, error) {
	domain, fault := tocsin.ParseDomain(c.PathValue("domain"))
	if fault != nil {
		return nil, tocsin.Faults(tocsin.At("domain", fault, nil))
	}
	d, err := s.db.AboutDomain(c.Context(), domain, c.page())
	if err != nil {
		return nil, err
	}
	matches := d.Matches
	if matches == nil {
		matches = []tocsin.Match{}
	}
	return domainScreening{domain.String(), optional(domain.Registrable()), tocsin.Screen(d, s.now()), matches, s.link(d.Reports), optional(d.NextCursor)}, nil
}

// briefScreening is the schema BriefScreening.
type briefScreening struct {
	Address string `json:"address"`
	tocsin.Screening
}

// batchScreening is the schema BatchScreening.
type batchScreening struct {
	Count   int              `json:"count"`
	Results []briefScreening `json:"results"`
}

func (s *Server) checkAddresses(_ http.Header, c *call) (any, error) {
	var in struct{ Addresses []string }
	if c.bad != nil {
		return nil, c.bad
	}
	if err := json.Unmarshal(c.raw, &in); err != nil {
		return nil, err
	}
	addresses := make([]tocsin.Address, len(in.Addresses))
	var faults []tocsin.Fault
	for i, text := range in.Addresses {
		var fault *tocsin.Error
		if addresses[i], fault = tocsin.ParseAddress(text); fault != nil {
			faults = tocsin.At(fmt.Sprintf("addresses[%d]", i), fault, faults)
		}
	}
	if err := tocsin.Faults(faults); err != nil {
		return nil, err
	}
	dossiers, err := s.db.AboutAll(c.Context(), addresses)
	if err != nil {
		return nil, err
	}
	now := s.now()
	results := make([]briefScreening, len(dossiers))
	for i, d := range dossiers {
		results[i] = briefScreening{addresses[i].String(), tocsin.Screen(d, now)}
	}
	return batchScreening{len(results), results}, nil
}

// page is the part of a list that a call asks for.
func (c *call) page() store.Page {
	return store.Page{Limit: c.input.number("limit"), Cursor: c.input.text("cursor")}
}

// optional is null for nothing.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
