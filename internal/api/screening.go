package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

// briefScreening is the schema BriefScreening.
type briefScreening struct {
	address tocsin.Address
	dossier *tocsin.Dossier
	now     time.Time
}

// encode implements encoder. What lists say does not grow old, so all but the
// moment is encoded once.
func (a briefScreening) encode(b *bytes.Buffer) error {
	b.WriteString(`{"address":"`)
	b.WriteString(a.address.String())
	b.WriteString(`",`)
	const last = `"asOf":`
	if kept := a.dossier.Judged.Load(); kept != nil {
		b.Write(*kept)
		b.WriteString(last + `"`)
		b.WriteString(tocsin.TimeOf(a.now).String())
		b.WriteString("\"}\n")
		return nil
	}
	var own bytes.Buffer
	if err := encodeJSON(&own, tocsin.Screen(a.dossier, a.now)); err != nil {
		return err
	}
	text := own.Bytes()[len("{"):]
	b.Write(text)
	if a.dossier.Ageless() {
		text = text[:bytes.LastIndex(text, []byte(last))]
		a.dossier.Judged.Store(&text)
	}
	return nil
}

// withReports is a screening followed by a page of reports: the schemas
// AddressScreening and DomainScreening. Reports are the bulk of an answer and
// change less often than they are asked for, so they are encoded once.
type withReports struct {
	screening any
	reports   []byte // JSON
	next      string
}

// encode implements encoder.
func (a withReports) encode(b *bytes.Buffer) error {
	if err := encodeJSON(b, a.screening); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("}\n"))
	b.WriteString(`,"reports":`)
	b.Write(a.reports)
	b.WriteString(`,"nextCursor":`)
	next, err := json.Marshal(optional(a.next))
	b.Write(next)
	b.WriteString("}\n")
	return err
}

// told returns the reports of a dossier in JSON, as the call wants to see them.
func (s *Server) told(c *call, d *tocsin.Dossier) ([]byte, error) {
	if kept := d.Told.Load(); kept != nil && !c.compact() {
		return *kept, nil
	}
	var b bytes.Buffer
	if err := encodeJSON(&b, s.shown(c, d.Reports)); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(b.Bytes())
	if !c.compact() {
		d.Told.Store(&text)
	}
	return text, nil
}

func (s *Server) screenAddress(_ http.Header, c *call) (any, error) {
	address, fault := tocsin.ParseAddress(c.PathValue("address"))
	if fault != nil {
		return nil, tocsin.Faults(fault.In("address"))
	}
	d, err := s.db.About(c.Context(), address, c.page())
	if err != nil {
		return nil, err
	}
	reports, err := s.told(c, d)
	return withReports{briefScreening{address, d, s.now()}, reports, d.NextCursor}, err
}

// domainScreening is the schema DomainScreening without its reports.
type domainScreening struct {
	Domain            string  `json:"domain"`
	RegistrableDomain *string `json:"registrableDomain"`
	tocsin.Screening
	Matches []tocsin.Match `json:"matches"`
}

func (s *Server) checkDomain(_ http.Header, c *call) (any, error) {
	domain, fault := tocsin.ParseDomain(c.PathValue("domain"))
	if fault != nil {
		return nil, tocsin.Faults(fault.In("domain"))
	}
	d, err := s.db.AboutDomain(c.Context(), domain, c.page())
	if err != nil {
		return nil, err
	}
	matches := d.Matches
	if matches == nil {
		matches = []tocsin.Match{}
	}
	reports, err := s.told(c, d)
	return withReports{domainScreening{domain.String(), optional(domain.Registrable()), tocsin.Screen(d, s.now()), matches}, reports, d.NextCursor}, err
}

// batchScreening is the schema BatchScreening.
type batchScreening []briefScreening

// encode implements encoder.
func (a batchScreening) encode(b *bytes.Buffer) error {
	fmt.Fprintf(b, `{"count":%d,"results":[`, len(a))
	for i, one := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := one.encode(b); err != nil {
			return err
		}
		b.Truncate(b.Len() - len("\n"))
	}
	b.WriteString("]}\n")
	return nil
}

func (s *Server) checkAddresses(_ http.Header, c *call) (any, error) {
	var in struct{ Addresses []any }
	if err := json.Unmarshal(c.raw, &in); err != nil {
		return nil, merge(c.bad, &tocsin.Error{Code: tocsin.Invalid, Detail: "The body is no batch"})
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
	if err := merge(c.bad, tocsin.Faults(faults)); err != nil {
		return nil, err
	}
	dossiers, err := s.db.AboutAll(c.Context(), addresses)
	if err != nil {
		return nil, err
	}
	now := s.now()
	results := make(batchScreening, len(dossiers))
	for i, d := range dossiers {
		results[i] = briefScreening{addresses[i], d, now}
	}
	return results, nil
}

// page is the part of a list that a call asks for.
func (c *call) page() store.Page {
	return store.Page{Limit: c.input.Number("limit"), Cursor: c.input.Text("cursor")}
}

// optional is null for nothing.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
