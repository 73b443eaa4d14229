package web

import (
	"errors"
	"net/http"

	"tocsin"
)

// previewPage is a report before it is published: as everybody will see it, with what is asked before.
type previewPage struct {
	*reportPage
	Form  *form
	Again bool // it was to be published, and something is not answered yet
}

// previewPage shows the report that a form makes. It writes nothing.
func (s *Site) previewPage(req *request, f *form, draft tocsin.Draft, again bool) *page {
	var fault *tocsin.Error
	switch err := s.db.CheckDraft(req.Context(), &draft); {
	case errors.As(err, &fault) && fault.Code == tocsin.Invalid:
		f.addStoreFaults(draft, fault)
		return s.formPage(req, f, http.StatusUnprocessableEntity)
	case err != nil:
		return s.failedForm(req, f, err)
	}
	now := s.db.Now()
	r := tocsin.Report{Draft: draft, Status: tocsin.Published, Source: tocsin.Community, CreatedAt: now, PublishedAt: &now}
	if by := req.caller(); by != nil {
		r.Reporter = &tocsin.Reporter{ID: by.Agent.ID, Name: by.Agent.Name}
	}
	shown, err := s.loadReport(req, r)
	if err != nil {
		return s.failedForm(req, f, err)
	}
	status := 0
	if again {
		status = http.StatusUnprocessableEntity
	}
	s.formPage(req, f, 0) // which fills in what every form has
	return &page{
		Template:    "preview",
		Title:       req.lang.Text("Not public yet: read it once more"),
		Status:      status,
		Description: req.lang.Text("Your report as everybody will see it."),
		Secret:      f.Corrects.Code != "",
		Body:        previewPage{reportPage: shown, Form: f, Again: again},
	}
}
