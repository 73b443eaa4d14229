package api

import (
	"bytes"
	"encoding/json"
	"fmt"

	"tocsin"
	"tocsin/internal/store"
)

// briefScreening is the schema BriefScreening.
type briefScreening struct {
	Address string `json:"address"`
	tocsin.Screening
}

// addressScreening is the schema AddressScreening.
type addressScreening struct {
	briefScreening
	page
}

func (a *addressScreening) encode(b *bytes.Buffer) error { return a.encodeAfter(b, &a.briefScreening) }

func parseAddress(c *call) (tocsin.Address, error) {
	address, fault := tocsin.ParseAddress(c.PathValue("address"))
	if fault != nil {
		return address, tocsin.Faults(fault.In("address"))
	}
	return address, nil
}

func (s *Server) screenAddress(c *call, address tocsin.Address) (any, error) {
	d, err := s.db.About(c.Context(), address, c.page())
	if err != nil {
		return nil, err
	}
	reports, err := s.dossierPage(c, d)
	return &addressScreening{briefScreening{address.String(), s.screen(d, s.now())}, reports}, err
}

// domainScreening is the schema DomainScreening.
type domainScreening struct {
	domainFindings
	page
}

// domainFindings are the fields of DomainScreening before its reports.
type domainFindings struct {
	Domain            string  `json:"domain"`
	RegistrableDomain *string `json:"registrableDomain"`
	tocsin.Screening
	Matches []tocsin.Match `json:"matches"`
}

func (d *domainScreening) encode(b *bytes.Buffer) error { return d.encodeAfter(b, &d.domainFindings) }

func parseDomain(c *call) (tocsin.Domain, error) {
	domain, fault := tocsin.ParseDomain(c.PathValue("domain"))
	if fault != nil {
		return domain, tocsin.Faults(fault.In("domain"))
	}
	return domain, nil
}

func (s *Server) checkDomain(c *call, domain tocsin.Domain) (any, error) {
	d, err := s.db.AboutDomain(c.Context(), domain, c.page())
	if err != nil {
		return nil, err
	}
	found := domainFindings{
		Domain:            domain.String(),
		RegistrableDomain: optional(domain.Registrable()),
		Screening:         s.screen(d, s.now()),
		Matches:           d.Matches,
	}
	if found.Matches == nil {
		found.Matches = []tocsin.Match{}
	}
	reports, err := s.dossierPage(c, d)
	return &domainScreening{found, reports}, err
}

// batchScreening is the schema BatchScreening.
type batchScreening struct {
	Count   int              `json:"count"`
	Results []briefScreening `json:"results"`
}

// parseBatch names the faults of all addresses at once.
func parseBatch(c *call) ([]tocsin.Address, error) {
	var in struct{ Addresses []any }
	if err := json.Unmarshal(c.body, &in); err != nil {
		return nil, merge(c.schemaErr, &tocsin.Error{Code: tocsin.Invalid, Detail: "The body is not a batch"})
	}
	addresses := make([]tocsin.Address, len(in.Addresses))
	var faults []tocsin.Fault
	for i, value := range in.Addresses {
		var fault *tocsin.Error
		if text, ok := value.(string); !ok {
			continue // the schema has named it
		} else if addresses[i], fault = tocsin.ParseAddress(text); fault != nil {
			faults = append(faults, fault.In(fmt.Sprintf("addresses[%d]", i))...)
		}
	}
	return addresses, merge(c.schemaErr, tocsin.Faults(faults))
}

func (s *Server) checkAddresses(c *call, addresses []tocsin.Address) (any, error) {
	dossiers, err := s.db.AboutAll(c.Context(), addresses)
	if err != nil {
		return nil, err
	}
	now := s.now()
	results := make([]briefScreening, len(dossiers))
	for i, d := range dossiers {
		results[i] = briefScreening{addresses[i].String(), s.screen(d, now)}
	}
	return batchScreening{len(results), results}, nil
}

// page is the part of a list that a call asks for. For a tool it is half as large:
// its result holds everything twice, as the protocol wants it.
func (c *call) page() store.Page {
	p := store.Page{Limit: c.input.Number("limit"), Cursor: c.input.Text("cursor")}
	if c.tool != nil {
		p.Bytes = store.PageBytes / 2
	}
	return p
}

// optional is null for nothing.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
