package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/store"
)

// draft shows the form, with what the link to it names.
func (s *Site) draft(v *visit) (*view, error) {
	typed := url.Values{}
	for _, text := range v.URL.Query()["subject"] {
		subject, fault := tocsin.ParseSubject(text)
		if fault != nil {
			continue
		}
		name := domainBox
		if subject.IsAddress() {
			name = addressBox
		}
		typed.Set(name, strings.TrimSpace(typed.Get(name)+"\n"+subject.String()))
	}
	return s.form(v, newForm(typed), 0), nil
}

// form is the view of the form.
func (s *Site) form(v *visit, f *form, status int) *view {
	now := s.db.Now().Std()
	f.Latest = now.Add(14 * time.Hour).Format(time.DateOnly) // it has begun somewhere on earth
	if v.caller() != nil {
		f.Keyed = true
		if name := v.session.Agent.Name; name != nil {
			f.Name = *name
		}
	}
	title := "Report a scam"
	switch {
	case f.Notice != nil:
		title = f.Notice.Title + " – " + title
	case f.Wrong() > 0:
		title = f.Verdict() + " – " + title
	}
	return &view{Page: "file", Title: title, Status: status, Description: "Report a scam: no account, no wallet, no fee. Your report warns the next person who looks.", Body: f}
}

// file takes a report. Whatever goes wrong, the answer is the form with all that
// was typed, but for secrets.
func (s *Site) file(v *visit) (*view, error) {
	f := newForm(v.PostForm)
	draft := f.parse(s.db.Now().Std())
	if f.Wrong() > 0 {
		return s.form(v, f, http.StatusUnprocessableEntity), nil
	}
	filed, err := s.api.File(v.Context(), store.Filing{Draft: draft, By: v.caller(), Network: front.Of(v.Context()).Network})
	var fault *tocsin.Error
	if errors.As(err, &fault) && fault.Code == tocsin.Invalid {
		f.refused(draft, fault)
		return s.form(v, f, http.StatusUnprocessableEntity), nil
	}
	var later *api.Later
	if errors.As(err, &later) {
		v.header.Set("Retry-After", later.RetryAfter())
		f.Notice = &notice{"Your report was not filed yet", "Many reports came from your network within the hour. Nothing is lost: all that you typed is below. Send it again in " + plural(int(later.Wait.Minutes())+1, "minute") + "."}
		return s.form(v, f, http.StatusTooManyRequests), nil
	}
	if err != nil {
		why := s.failure(v, err)
		f.Notice = &notice{why.Title, fmt.Sprint(why.Body) + " All that you typed is below."}
		return s.form(v, f, why.Status), nil
	}
	if filed.Report.Status != tocsin.Published { // the operator has hidden it since
		return apology(http.StatusOK, "We have this report already", "The operator of this service has looked at it and does not show it. Nothing was filed twice."), nil
	}
	told, err := s.tell(v.Context(), filed.Report)
	if err != nil {
		return nil, err
	}
	told.Filed = &receipt{Token: filed.ManageToken, Duplicate: filed.Duplicate, First: *told.First}
	shown := told.view()
	shown.Secret = true
	if filed.Duplicate {
		shown.Title = "We have this report already – " + shown.Title
		return shown, nil
	}
	v.header.Set("Location", "/reports/"+filed.Report.ID)
	shown.Title, shown.Status = "Your report is public – "+shown.Title, http.StatusCreated
	return shown, nil
}
