package api

import (
	"cmp"
	"context"
	"slices"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/paste"
)

// meantAccount is the account on record that a text is but for the case of its letters, in the schema SubjectError.
type meantAccount struct {
	Meant      string        `json:"meant,omitempty"`
	Sanctioned *bool         `json:"sanctioned,omitempty"`
	Result     tocsin.Result `json:"meantResult,omitempty"`

	subject tocsin.Subject
	lists   string // of the sanctions that name it
}

// meant returns for each text the account that it means with its letters in the wrong case; nil for none. That an
// account is on record is what others pay for, and the refusal of such a text may cost nothing: for a network that has
// asked in vain too often only what is sanctioned is named, which is public and an alarm.
func (s *Server) meant(ctx context.Context, texts ...string) ([]*meantAccount, error) {
	all := make([]*meantAccount, len(texts))
	typed := make([]string, len(texts)) // also in a link
	for i, text := range texts {
		typed[i] = cmp.Or(paste.Mistyped(text), text)
	}
	found, err := s.db.Respelled(ctx, typed...)
	if err != nil {
		return nil, err
	}
	network := front.Of(ctx).Network()
	for i, subject := range found {
		if subject == (tocsin.Subject{}) {
			continue
		}
		dossiers, err := s.db.AboutAll(ctx, []tocsin.Subject{subject})
		if err != nil {
			return nil, err
		}
		d := dossiers[0]
		m := &meantAccount{Meant: subject.String(), Result: tocsin.NoReports, Sanctioned: new(bool), subject: subject}
		for _, l := range d.Listings {
			if l.Kind == tocsin.Sanction {
				*m.Sanctioned = true
				m.lists = l.List
			}
		}
		if d.ReportCount > 0 || slices.ContainsFunc(d.Listings, func(l tocsin.Listing) bool {
			return l.Kind == tocsin.Risk || l.Kind == tocsin.Sanction
		}) {
			m.Result = tocsin.Caution
		}
		if wait, _ := s.budgets.Hints.Take(network); *m.Sanctioned || wait == 0 {
			all[i] = m
		}
	}
	return all, nil
}

// named is the fault of a text that means the account: its own or, of an address without a checksum, that of
// [tocsin.RespelledFault]. It says whether the account is sanctioned or is warned of.
func (m *meantAccount) named(fault *tocsin.Error) *tocsin.Error {
	if m.subject.Kind != tocsin.EVM || fault == nil {
		fault = tocsin.RespelledFault(m.subject)
	}
	fields := slices.Clone(fault.Fields)
	switch {
	case *m.Sanctioned:
		fields[0].Reason += "; written as " + m.subject.Plain() + " it is sanctioned (" + m.lists + ")"
	case m.Result == tocsin.Caution:
		fields[0].Reason += "; written as " + m.subject.Plain() + " it is on record with a warning"
	}
	return &tocsin.Error{Code: fault.Code, Detail: fault.Detail, Fields: fields}
}

// withSanctions is the fault of a text that was asked for as an EVM address. If only the case of its letters is wrong,
// and the address is sanctioned, it says so: an alarm is not withheld because the text is wrong.
func (s *Server) withSanctions(ctx context.Context, text string, fault *tocsin.Error) (*tocsin.Error, error) {
	if fault.Fields[0].Cause != tocsin.WrongCase {
		return fault, nil
	}
	meant, err := s.meant(ctx, text)
	if err == nil && meant[0] != nil && *meant[0].Sanctioned {
		return meant[0].named(fault), nil
	}
	return fault, err
}
