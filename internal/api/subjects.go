package api

import (
	"context"
	"fmt"

	"tocsin"
	"tocsin/internal/store"
)

// accountFindings are the fields of AccountScreening before its reports.
type accountFindings struct {
	Account string      `json:"account"`
	Kind    tocsin.Kind `json:"kind"`
	Chain   *string     `json:"chain"`
	Address string      `json:"address"`
	tocsin.Screening
}

func parseAccount(c *call) (tocsin.Subject, error) {
	account, fault := tocsin.ParseAccount(c.PathValue("account"))
	if fault != nil {
		return account, tocsin.Faults(fault.In("account"))
	}
	return account, nil
}

func (s *Server) screenAccount(c *call, account tocsin.Subject) (any, error) {
	now := s.asOf(s.now())
	d, err := s.db.AboutSubject(c.Context(), account, c.page())
	if err != nil {
		return nil, err
	}
	judged, err := s.Judged(c.Context(), []tocsin.Subject{account}, []*store.Dossier{d}, nil)
	if err != nil {
		return nil, err
	}
	sc, err := split(accountFindings{
		Account:   account.String(),
		Kind:      account.Kind,
		Chain:     optional(account.Chain()),
		Address:   account.Plain(),
		Screening: s.screen(judged[0], now),
	}, tocsin.TimeOf(now))
	if err != nil {
		return nil, err
	}
	return s.screeningPage(c, d, sc)
}

// Judged returns dossiers with what their subjects say by themselves, in order: the name of a domain, with the signals
// that are known of it, and the digits of an address, which are compared with the contacts as well (see
// [store.DB.AddressFindings]).
func (s *Server) Judged(
	ctx context.Context, subjects []tocsin.Subject, dossiers []*store.Dossier, contacts []tocsin.Address,
) ([]*tocsin.Dossier, error) {
	found, err := s.db.AddressFindings(ctx, subjects, dossiers, contacts)
	if err != nil {
		return nil, err
	}
	judged := make([]*tocsin.Dossier, len(dossiers))
	for i, d := range dossiers {
		judged[i] = s.config.Names.About(subjects[i], withFindings(&d.Dossier, found[i]))
		if n := judged[i].Name; n != nil && n.Near {
			if domain, fault := tocsin.ParseDomain(subjects[i].Value); fault == nil {
				s.addSignals(judged[i], domain)
			}
		}
	}
	return judged, nil
}

// subjectScreening is the schema SubjectScreening.
type subjectScreening struct {
	Subject string      `json:"subject"`
	Kind    tocsin.Kind `json:"kind"`
	tocsin.Screening
}

// subjectBatch is the schema SubjectBatchScreening.
type subjectBatch struct {
	Count   int                 `json:"count"`
	Results []*subjectScreening `json:"results"` // in the order asked; nil for what is in Errors
	Errors  []subjectError      `json:"errors"`
}

// subjectError is the schema SubjectError.
type subjectError struct {
	Index   int    `json:"index"`
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
	Fix     string `json:"fix"`
}

// maxEcho is how many characters of an invalid subject are repeated.
const maxEcho = 64

// mixedBatch is the body of an operation that answers the valid ones of a list, whatever the others are.
type mixedBatch[T any] struct {
	asked  int
	valid  []T
	at     []int // their positions
	errors []subjectError
}

func parseSubjects(c *call) (mixedBatch[tocsin.Subject], error) {
	return parseMixed(c, "subjects", tocsin.ParseSubject)
}

// parseMixed reads a list of the body. It fails if no entry is valid, and names the faults of all then.
func parseMixed[T any](
	c *call, field string, parse func(string) (T, *tocsin.Error),
) (batch mixedBatch[T], err error) {
	if c.schemaErr != nil {
		return batch, c.schemaErr
	}
	list, _ := c.value.(map[string]any)[field].([]any)
	batch.asked, batch.errors = len(list), []subjectError{}
	var faults []tocsin.Fault
	for i, value := range list {
		text, _ := value.(string) // the schema has named anything else
		value, fault := parse(text)
		if fault == nil {
			batch.valid, batch.at = append(batch.valid, value), append(batch.at, i)
			continue
		}
		faults = append(faults, fault.In(fmt.Sprintf("%s[%d]", field, i))...)
		batch.errors = append(batch.errors, subjectError{
			Index:   i,
			Subject: tocsin.Clip(tocsin.CleanText(text), maxEcho), // not what may be a secret
			Reason:  fault.Fields[0].Reason,
			Fix:     fault.Fields[0].Fix,
		})
	}
	if len(batch.valid) == 0 {
		return batch, tocsin.Faults(faults)
	}
	return batch, nil
}

func (s *Server) checkSubjects(c *call, asked mixedBatch[tocsin.Subject]) (any, error) {
	now := s.asOf(s.now())
	dossiers, err := s.db.AboutAll(c.Context(), asked.valid)
	if err != nil {
		return nil, err
	}
	judged, err := s.Judged(c.Context(), asked.valid, dossiers, nil)
	if err != nil {
		return nil, err
	}
	batch := subjectBatch{Count: asked.asked, Results: make([]*subjectScreening, asked.asked), Errors: asked.errors}
	for i, subject := range asked.valid {
		batch.Results[asked.at[i]] = &subjectScreening{subject.String(), subject.Kind, s.screen(judged[i], now)}
	}
	return batch, nil
}

// relatedSubjects are the schema RelatedSubjects.
type relatedSubjects struct {
	Subject string           `json:"subject"`
	Kind    tocsin.Kind      `json:"kind"`
	Count   int              `json:"count"`
	Related []relatedSubject `json:"related"`
}

type relatedSubject struct {
	Subject string      `json:"subject"`
	Kind    tocsin.Kind `json:"kind"`
	Reports int         `json:"reportCount"`
}

func parseSubject(c *call) (tocsin.Subject, error) {
	subject, fault := tocsin.ParseSubject(c.PathValue("subject"))
	if fault != nil {
		return subject, tocsin.Faults(fault.In("subject"))
	}
	return subject, nil
}

func (s *Server) relatedSubjects(c *call, subject tocsin.Subject) (any, error) {
	found, err := s.db.RelatedTo(c.Context(), subject, c.input.Number("limit"))
	if err != nil {
		return nil, err
	}
	related := make([]relatedSubject, len(found))
	for i, r := range found {
		related[i] = relatedSubject{r.String(), r.Kind, r.Reports}
	}
	return relatedSubjects{subject.String(), subject.Kind, len(related), related}, nil
}
