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
type reportPage struct {
	reportRow
	Permalink       string // where it stands for ever
	Paragraphs []string
	Named      []subjectRow
	More       []tocsin.Subject // named too, not looked at
	Links      []evidenceLink
	Accounts   []socialAccount
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
type evidenceLink struct{ URL, Host, Reason string }

// Shown is the text of the link.
func (e evidenceLink) Label() string { return tocsin.Shorten(e.URL, 200) }

// handle is a name that the fraudster used.
type socialAccount struct{ Service, Name string }

// receipt is what its sender alone sees of a report.
type receipt struct {
	Token     string // "" of a duplicate
	Duplicate bool
	First     tocsin.Subject // what it names first
}

// weighed is of how many subjects a report says what is known of them, and again
// of how many sites that back it. A report may name two hundred, and filing one
// is free: its page must not be the way to screen them all for nothing.
const maxScreened = 5

// report shows one.
func (s *Site) report(req *request) (*page, error) {
	r, err := s.db.Report(req.Context(), req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	told, err := s.loadReport(req.Context(), r)
	if err != nil {
		return nil, err
	}
	return told.page(), nil
}

// tell gathers what is to be shown of a report.
func (s *Site) loadReport(ctx context.Context, r tocsin.Report) (*reportPage, error) {
	t := &reportPage{reportRow: reportRows([]tocsin.Report{r}, true)[0], Permalink: s.config.BaseURL + "/reports/" + r.ID, Paragraphs: paragraphs(r.Description)}
	subjects := r.Subjects()
	for i, subject := range subjects {
		if i == maxScreened {
			t.More = subjects[i:]
			break
		}
		f, err := s.screening(ctx, subject, "")
		if err != nil {
			return nil, err
		}
		row := subjectRow{subject, f.sourceCount(), f.RiskLevel}
		if row.Level == tocsin.Clean {
			row.Level = ""
		}
		t.Named = append(t.Named, row)
	}
	var err error
	if t.Links, err = s.evidenceLinks(ctx, r.Evidence.URLs, subjects); err != nil {
		return nil, err
	}
	m := r.SocialMedia
	for _, a := range []struct {
		where string
		name  *string
	}{{"WhatsApp", m.WhatsApp}, {"Telegram", m.Telegram}, {"Facebook", m.Facebook}, {"Elsewhere", m.Other}} {
		if a.name != nil {
			t.Accounts = append(t.Accounts, socialAccount{a.where, *a.name})
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
func (f screening) sourceCount() string {
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

// exhibits decides which of the pages that back a report are links: none on a
// name of somebody whom this report is about, nor on one against which anything
// is on record, nor where strangers have pages, nor where we cannot tell.
func (s *Site) evidenceLinks(ctx context.Context, links []string, reported []tocsin.Subject) (list []evidenceLink, err error) {
	owners := map[tocsin.Subject]bool{}
	for _, name := range reported {
		owners[name.Owner()] = true
	}
	whys := map[string]string{} // of the sites looked at
	for _, link := range links {
		e := evidenceLink{URL: link, Reason: "It is not clear where it leads, so it is no link."}
		if domain, ok := linkedDomain(link); ok {
			e.Host = domain.String()
			why, known := whys[e.Host]
			switch {
			case owners[domain.Subject().Owner()]:
				e.Reason = "Its site is reported here, so it is no link."
			case domain.Shared():
				e.Reason = sharedSite
			case known:
				e.Reason = why
			case len(whys) == maxScreened:
				e.Reason = "We have not looked at this site, so it is no link."
			default:
				if e.Reason, err = s.reasonAgainst(ctx, domain); err != nil {
					return nil, err
				}
				whys[e.Host] = e.Reason
			}
		}
		list = append(list, e)
	}
	return list, nil
}

const sharedSite = "Anybody can have a page there, so it is no link."

// against says why a site is not linked, or nothing.
func (s *Site) reasonAgainst(ctx context.Context, domain tocsin.Domain) (string, error) {
	names := domain.SelfAndParents() // of these a shared service says nothing of those below it
	if n := len(names); n > 4 {
		names = append(names[:1], names[n-3:]...)
	}
	for _, name := range names {
		f, err := s.screening(ctx, name, "")
		if err != nil {
			return "", err
		}
		switch {
		case name == domain.Subject() && f.Result == tocsin.Caution:
			return "There is something on record against this site, so it is no link.", nil
		case slices.ContainsFunc(f.dossier.Listings, func(l tocsin.Listing) bool { return l.Kind == tocsin.Shared }):
			return sharedSite, nil
		}
	}
	return "", nil
}

// whereTo returns the site to which browsers would go, if that is clear.
func linkedDomain(link string) (tocsin.Domain, bool) {
	domain, fault := tocsin.ParseDomain(link)
	if fault != nil {
		return domain, false
	}
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return domain, false
	}
	host, fault := tocsin.ParseDomain(u.Hostname())
	return domain, fault == nil && host.String() == domain.String()
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
func (t *reportPage) Amount() string {
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
func (t *reportPage) Incident() *dateText {
	if t.IncidentDate == nil {
		return nil
	}
	at, text, fault := tocsin.ParseDay(*t.IncidentDate)
	if fault != nil {
		return nil
	}
	if len(text) == len("2026-01-31") {
		return &dateText{at.Std().Format("2 January 2006"), text}
	}
	return &dateText{minute(at), text}
}

type dateText struct{ Text, ISO string }

// Loss is how the money goes in such a crime, which decides what helps.
func (t *reportPage) LossKind() string {
	switch t.CrimeType {
	case tocsin.PigButchering, tocsin.InvestmentScam, tocsin.RomanceScam, tocsin.Impersonation, tocsin.Scam, tocsin.RugPull:
		return "payment"
	case tocsin.AddressPoison:
		return "mistake"
	case tocsin.Ransomware:
		return "ransom"
	}
	return "approval"
}

// Here reports whether it was filed here, rather than told by a list.
func (t *reportPage) FiledHere() bool { return t.Source == tocsin.Community }

// view is the page of the report.
func (t *reportPage) page() *page {
	parts := []string{t.CrimeType.Name()}
	if at := t.Incident(); at != nil {
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
	return &page{Template: "report", Title: t.Title, Description: about, Body: t}
}

// toReport sends whoever comes back to the answer of a withdrawal to what it is about.
func (s *Site) toReport(req *request) (*page, error) {
	return &page{Location: "/reports/" + url.PathEscape(req.PathValue("id"))}, nil
}

// withdraw takes a report back for whoever has its token.
func (s *Site) withdraw(req *request) (*page, error) {
	id := req.PathValue("id")
	err := s.db.Withdraw(req.Context(), id, strings.TrimSpace(req.PostFormValue("token")))
	var fault *tocsin.Error
	if errors.As(err, &fault) && fault.Code == tocsin.Forbidden {
		r, err := s.db.Report(req.Context(), id)
		if err != nil {
			return nil, err
		}
		told, err := s.loadReport(req.Context(), r)
		if err != nil {
			return nil, err
		}
		told.Refused = "This is not the token of this report. It begins with man_, and was shown once, when you sent the report."
		p := told.page()
		p.Title, p.Status = "Not withdrawn – "+p.Title, http.StatusForbidden
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	return errorPage(http.StatusOK, "Your report is withdrawn", "Nobody finds it any more, and it counts in no score. Its address says that it was taken back."), nil
}
