package api

import (
	"tocsin"
	"tocsin/internal/paste"
)

// relatedSubjects are the schema RelatedSubjects.
type relatedSubjects struct {
	Subject string            `json:"subject"`
	Kind    tocsin.Kind       `json:"kind"`
	Count   int               `json:"count"`
	Related []relatedSubject  `json:"related"`
	Parties []sanctionedParty `json:"sanctionedParties"`
}

type relatedSubject struct {
	Subject string      `json:"subject"`
	Kind    tocsin.Kind `json:"kind"`
	Reports int         `json:"reportCount"`
}

func (s *Server) parseSubject(c *call) (tocsin.Subject, error) {
	return s.parseOne(c, "subject", paste.Cell)
}

func (s *Server) relatedSubjects(c *call, subject tocsin.Subject) (any, error) {
	found, same, err := s.db.RelatedTo(c.Context(), subject, c.input.Number("limit"), tocsin.SamePartyAccounts)
	if err != nil {
		return nil, err
	}
	related := make([]relatedSubject, len(found))
	for i, r := range found {
		related[i] = relatedSubject{r.String(), r.Kind, r.Reports}
	}
	return relatedSubjects{subject.String(), subject.Kind, len(related), related, sanctionedParties(same)}, nil
}

// sanctionedParty is the schema SanctionedParty.
type sanctionedParty struct {
	List     string       `json:"list"`
	Name     string       `json:"name"`
	Alias    string       `json:"alias,omitempty"`
	Program  string       `json:"program"`
	URL      string       `json:"url"`
	ListDate *tocsin.Time `json:"listDate"`
	Count    int          `json:"accountCount"`
	Accounts []string     `json:"accounts"`
}

func sanctionedParties(parties []tocsin.Party) []sanctionedParty {
	all := make([]sanctionedParty, len(parties))
	for i, p := range parties {
		all[i] = sanctionedParty{p.List, p.Name, p.Alias, p.Program, p.URL, p.ListDate, p.Count,
			make([]string, len(p.Accounts))}
		for j, account := range p.Accounts {
			all[i].Accounts[j] = account.String()
		}
	}
	return all
}
