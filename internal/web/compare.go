package web

import (
	"net/http"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
)

// comparePage sets two accounts against each other. They come in a form that is posted, so that no log, no history and
// no link has who somebody pays to; nothing of them is kept.
type comparePage struct {
	Address, Known compareField
	Alike          *answer.Alike // nil before both could be read
	Subject, Other tocsin.Subject
}

// compareField is one of the two fields.
type compareField struct {
	Name         string
	Label        locale.Key
	Typed, Wrong string
}

// compare shows the form, and what differs in the accounts that it holds.
func (s *Site) compare(req *request) (*page, error) {
	v := comparePage{
		Address: compareField{Name: "address", Label: "The address that you were given"},
		Known:   compareField{Name: "known", Label: "The address that you know"},
	}
	p := &page{
		Template:    "compare",
		Title:       req.lang.Text("Compare two addresses"),
		Description: req.lang.Text("Are they the same? Every character that differs is marked."),
	}
	if req.Method == http.MethodPost {
		if err := req.ParseForm(); err != nil {
			return nil, err
		}
		v.Subject = v.Address.read(req)
		v.Other = v.Known.read(req)
		if v.Address.Wrong+v.Known.Wrong == "" {
			alike := answer.Compare(v.Subject, v.Other)
			v.Alike = &alike
		} else {
			p.Status = http.StatusBadRequest
		}
	}
	p.Body = v
	return p, nil
}

// read reads the account that was typed into a field.
func (f *compareField) read(req *request) tocsin.Subject {
	text := strings.TrimSpace(req.PostFormValue(f.Name))
	subject, fault := tocsin.ParseAccount(text)
	f.Typed = redisplay(text)
	if fault != nil {
		f.Wrong = req.lang.Text("We cannot read this as an address. Paste all of it, as it was given.")
	}
	return subject
}

// Title says what came of the comparison.
func (v comparePage) Title(p *locale.Printer) string {
	switch {
	case v.Alike.Same:
		return p.Text("They are the same address.")
	case v.Alike.LooksAlike():
		return p.Text("They look alike, but are different addresses. Send nothing.")
	}
	return p.Text("They are different addresses.")
}
