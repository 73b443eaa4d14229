package api

import "tocsin"

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
	sc, err := split(accountFindings{
		Account:   account.String(),
		Kind:      account.Kind,
		Chain:     optional(account.Chain()),
		Address:   account.Plain(),
		Screening: s.screen(&d.Dossier, now),
	}, tocsin.TimeOf(now))
	if err != nil {
		return nil, err
	}
	return s.screeningPage(c, d, sc)
}

// subjectScreening is the schema SubjectScreening.
type subjectScreening struct {
	Subject string      `json:"subject"`
	Kind    tocsin.Kind `json:"kind"`
	tocsin.Screening
}

// subjectBatch is the schema SubjectBatchScreening.
type subjectBatch struct {
	Count   int                `json:"count"`
	Results []subjectScreening `json:"results"`
}

// parseSubjects names the faults of all subjects at once.
func parseSubjects(c *call) ([]tocsin.Subject, error) {
	return parseList(c, "subjects", tocsin.ParseSubject)
}

func (s *Server) checkSubjects(c *call, subjects []tocsin.Subject) (any, error) {
	now := s.asOf(s.now())
	dossiers, err := s.db.AboutAll(c.Context(), subjects)
	if err != nil {
		return nil, err
	}
	batch := subjectBatch{Count: len(subjects), Results: make([]subjectScreening, len(subjects))}
	for i, d := range dossiers {
		batch.Results[i] = subjectScreening{subjects[i].String(), subjects[i].Kind, s.screen(&d.Dossier, now)}
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
