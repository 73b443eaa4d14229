package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tocsin"
)

// story is what the page of one report shows.
type story struct {
	entry
	Page       string // where it stands for ever
	Paragraphs []string
	Named      []subjectRow
	More       []tocsin.Subject // named too, not looked at
	Links      []exhibit
	Accounts   []handle
	SourceURL  string // of the list that told it
	Filed      *receipt
	Refused    string // why it was not withdrawn
}

// subjectRow is a subject and what is known of it now.
type subjectRow struct {
	tocsin.Subject
	Known string
	Level tocsin.Level // "" if there is nothing to score
}

// exhibit is a page that backs a report. With Why it is no link.
type exhibit struct{ URL, Host, Why string }

// Shown is the text of the link.
func (e exhibit) Shown() string { return clipped(e.URL, 200) }

// handle is a name that the fraudster used.
type handle struct{ Where, Name string }

// receipt is what its sender alone sees of a report.
type receipt struct {
	Token     string // "" of a duplicate
	Duplicate bool
	First     tocsin.Subject // what it names first
}

// weighed is of how many subjects a report says what is known of them. A report
// may name two hundred, and filing one is free: its page must not be the way to
// screen them all for nothing. The others are links to their answers.
const weighed = 5

// report shows one.
func (s *Site) report(v *visit) (*view, error) {
	r, err := s.db.Report(v.Context(), v.PathValue("id"))
	if err != nil {
		return nil, err
	}
	told, err := s.tell(v.Context(), r)
	if err != nil {
		return nil, err
	}
	return told.view(), nil
}

// tell gathers what is to be shown of a report.
func (s *Site) tell(ctx context.Context, r tocsin.Report) (*story, error) {
	t := &story{entry: entries([]tocsin.Report{r}, true)[0], Page: s.config.BaseURL + "/reports/" + r.ID, Paragraphs: paragraphs(r.Description)}
	subjects := r.Subjects()
	for i, subject := range subjects {
		if i == weighed {
			t.More = subjects[i:]
			break
		}
		f, err := s.judge(ctx, subject, "")
		if err != nil {
			return nil, err
		}
		row := subjectRow{subject, f.sources(), f.RiskLevel}
		if row.Level == tocsin.Clean {
			row.Level = ""
		}
		t.Named = append(t.Named, row)
	}
	for _, u := range r.Evidence.URLs {
		e, err := s.exhibit(ctx, u, subjects)
		if err != nil {
			return nil, err
		}
		t.Links = append(t.Links, e)
	}
	m := r.SocialMedia
	for _, a := range []struct {
		where string
		name  *string
	}{{"WhatsApp", m.WhatsApp}, {"Telegram", m.Telegram}, {"Facebook", m.Facebook}, {"Elsewhere", m.Other}} {
		if a.name != nil {
			t.Accounts = append(t.Accounts, handle{a.where, *a.name})
		}
	}
	if r.Source != tocsin.Community {
		st, err := s.db.Stats(ctx)
		if err != nil {
			return nil, err
		}
		for _, l := range st.Lists {
			if l.Name == r.Source {
				t.SourceURL = l.URL
			}
		}
	}
	return t, nil
}

// sources counts those who speak of a subject that a report names.
func (f facts) sources() string {
	lists := map[string]bool{}
	for _, l := range f.dossier.Listings {
		if l.Kind == tocsin.Risk || l.Kind == tocsin.Sanction {
			lists[l.List] = true
		}
	}
	var parts []string
	if len(lists) > 0 {
		parts = append(parts, plural(len(lists), "list"))
	}
	switch {
	case f.ReportCount == 1 && len(parts) == 0:
		return "this report alone"
	case f.ReportCount == 1:
		parts = append(parts, "this report")
	case f.ReportCount > 1:
		parts = append(parts, plural(f.ReportCount, "report"))
	}
	return strings.Join(parts, ", ")
}

// exhibit decides whether a page that backs a report may be linked: never one
// on a site that this report is about, nor on one against which anything is on
// record, nor where we cannot tell.
func (s *Site) exhibit(ctx context.Context, link string, reported []tocsin.Subject) (exhibit, error) {
	e := exhibit{URL: link, Why: "It is not clear where it leads, so it is no link."}
	domain, fault := tocsin.ParseDomain(link)
	if fault != nil {
		return e, nil
	}
	e.Host = domain.String()
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return e, nil
	}
	if host, fault := tocsin.ParseDomain(u.Hostname()); fault != nil || host.String() != domain.String() {
		return e, nil // what browsers would open is not what was looked at
	}
	for _, name := range domain.Covering() {
		if slices.Contains(reported, name) {
			e.Why = "It is reported here, so it is no link."
			return e, nil
		}
	}
	f, err := s.judge(ctx, domain.Subject(), "")
	if err != nil {
		return e, err
	}
	if e.Why = ""; f.Result == tocsin.Caution {
		e.Why = "There is something on record against this site, so it is no link."
	}
	return e, nil
}

// paragraphs splits a story at its blank lines.
func paragraphs(text string) (list []string) {
	var b []string
	end := func() {
		if len(b) > 0 {
			list = append(list, strings.Join(b, "\n"))
			b = nil
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			end()
			continue
		}
		b = append(b, strings.TrimRight(line, " \t"))
	}
	end()
	return list
}

// Amount is what was lost, in words.
func (t *story) Amount() string {
	other := t.Currency != "" && t.Currency != "USD"
	switch {
	case t.AmountLost == nil && other:
		return "not told how much, in " + t.Currency
	case t.AmountLost == nil:
		return ""
	case *t.AmountLost == 0:
		return "nothing"
	case other:
		return "about " + money(*t.AmountLost) + ", in " + t.Currency
	}
	return "about " + money(*t.AmountLost)
}

// Happened is when it happened, in words, and as machines read it.
func (t *story) Happened() *moment {
	if t.IncidentDate == nil {
		return nil
	}
	at, text, fault := tocsin.ParseDay(*t.IncidentDate)
	if fault != nil {
		return nil
	}
	if len(text) == len("2026-01-31") {
		return &moment{at.Std().Format("2 January 2006"), text}
	}
	return &moment{minute(at), text}
}

type moment struct{ Text, ISO string }

// Here reports whether it was filed here, rather than told by a list.
func (t *story) Here() bool { return t.Source == tocsin.Community }

// view is the page of the report.
func (t *story) view() *view {
	parts := []string{crimeName(t.CrimeType)}
	if at := t.Happened(); at != nil {
		parts = append(parts, at.Text)
	}
	if t.Lost() != "" {
		parts = append(parts, "about "+t.Lost())
	}
	about := strings.Join(parts, ", ") + "."
	if t.First != nil {
		about += " Names " + short(*t.First)
		if n := len(t.Named) + len(t.More) - 1; n > 0 {
			about += " and " + number(n) + " more"
		}
		about += "."
	}
	return &view{Page: "report", Title: t.Title, Description: about, Body: t}
}

// withdraw takes a report back for whoever has its token.
func (s *Site) withdraw(v *visit) (*view, error) {
	id := v.PathValue("id")
	err := s.db.Withdraw(v.Context(), id, strings.TrimSpace(v.PostFormValue("token")))
	var fault *tocsin.Error
	if errors.As(err, &fault) && fault.Code == tocsin.Forbidden {
		r, err := s.db.Report(v.Context(), id)
		if err != nil {
			return nil, err
		}
		told, err := s.tell(v.Context(), r)
		if err != nil {
			return nil, err
		}
		told.Refused = "This is not the token of this report. It begins with man_, and was shown once, when you sent the report."
		shown := told.view()
		shown.Title, shown.Status = "Not withdrawn – "+shown.Title, http.StatusForbidden
		return shown, nil
	}
	if err != nil {
		return nil, err
	}
	return apology(http.StatusOK, "Your report is withdrawn", "Nobody finds it any more, and it counts in no score. Its address says that it was taken back."), nil
}
