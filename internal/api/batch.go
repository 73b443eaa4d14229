package api

import (
	"bytes"
	"fmt"

	"tocsin"
	"tocsin/internal/paste"
)

func parseDomains(c *call) (mixedBatch[tocsin.Domain], error) {
	return parseMixed(c, "domains", paste.Site)
}

// checkDomains screens several domains as checkDomain does each.
func (s *Server) checkDomains(c *call, asked mixedBatch[tocsin.Domain]) (any, error) {
	now := s.asOf(s.now())
	subjects := make([]tocsin.Subject, len(asked.valid))
	for i, d := range asked.valid {
		subjects[i] = d.Subject()
	}
	dossiers, err := s.db.AboutAll(c.Context(), subjects)
	if err != nil {
		return nil, err
	}
	histories, err := s.histories(c, subjects)
	if err != nil {
		return nil, err
	}
	batch := domainBatch{make(batchScreening, asked.asked), asked.errors}
	for i, d := range dossiers {
		sc, err := s.domainScreening(asked.valid[i], d, now)
		if err != nil {
			return nil, err
		}
		sc.history = histories.of(i)
		batch.results[asked.at[i]] = sc
	}
	return &batch, nil
}

// domainBatch is the schema DomainBatchScreening: screenings of the schema BriefDomainScreening, nil for an invalid
// domain.
type domainBatch struct {
	results batchScreening
	errors  []subjectError
}

// encode implements encoder.
func (batch *domainBatch) encode(b *bytes.Buffer) error {
	if err := batch.results.encode(b); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("}"))
	b.WriteString(`,"errors":`)
	if err := encodeJSON(b, batch.errors); err != nil {
		return err
	}
	b.WriteByte('}')
	return nil
}

// batchScreening is the schema BatchScreening: screenings of the schema BriefScreening. A nil one is null.
type batchScreening []*screening

// encode implements encoder.
func (results batchScreening) encode(b *bytes.Buffer) error {
	fmt.Fprintf(b, `{"count":%d,"results":[`, len(results))
	at := ""
	for i, sc := range results {
		if i > 0 {
			b.WriteByte(',')
		}
		if sc == nil {
			b.WriteString("null")
			continue
		}
		if at == "" { // the same for all
			at = sc.at.String()
		}
		sc.encodeAt(b, at)
	}
	b.WriteString("]}")
	return nil
}

// parseBatch reads the addresses of the body, and names the faults of all of them at once. Of an account of another
// chain or a site it says which call takes it.
func (s *Server) parseBatch(c *call) ([]tocsin.Address, error) {
	body, _ := c.value.(map[string]any) // the schema has named anything else
	list, _ := body["addresses"].([]any)
	addresses := make([]tocsin.Address, len(list))
	var faults []tocsin.Fault
	var invalid []string // the text of each fault
	for i, value := range list {
		text, ok := value.(string)
		if !ok {
			continue // the schema has named it
		}
		a, fault := tocsin.ParseAddress(text)
		if addresses[i] = a; fault == nil {
			continue
		}
		fault, err := s.withSanctions(c.Context(), text, fault)
		if err != nil {
			return nil, err
		}
		for _, f := range fault.In(fmt.Sprintf("addresses[%d]", i)) {
			faults, invalid = append(faults, f), append(invalid, text)
		}
	}
	for i, text := range invalid {
		if _, unread := paste.Cell(text); unread == nil {
			faults[i].Fix = "to screen it with the others, " + c.mixed()
		} else if len(faults) < len(list) {
			faults[i].Fix += "; to get the answers for the others, " + c.mixed()
		}
	}
	return addresses, merge(c.schemaErr, tocsin.Faults(faults))
}

// mixed says what to call for a list of which some entries are invalid.
func (c *call) mixed() string {
	if c.tool != nil {
		return "call check_subjects"
	}
	return "use POST /subjects/check"
}

func (s *Server) checkAddresses(c *call, addresses []tocsin.Address) (any, error) {
	now := s.asOf(s.now())
	subjects := make([]tocsin.Subject, len(addresses))
	for i, a := range addresses {
		subjects[i] = a.Subject()
	}
	dossiers, err := s.db.AboutAll(c.Context(), subjects)
	if err != nil {
		return nil, err
	}
	found, err := s.db.AddressFindings(c.Context(), subjects, dossiers, nil)
	if err != nil {
		return nil, err
	}
	histories, err := s.histories(c, subjects)
	if err != nil {
		return nil, err
	}
	results := make(batchScreening, len(dossiers))
	for i, d := range dossiers {
		if results[i], err = s.addressScreening(addresses[i], d, found[i], now); err != nil {
			return nil, err
		}
		results[i].history = histories.of(i)
	}
	return results, nil
}
