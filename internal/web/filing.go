package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// newReport shows the form, with the subjects that the link to it names.
func (s *Site) newReport(req *request) (*page, error) {
	var things []string
	for _, text := range req.URL.Query()["subject"] {
		subject, fault := tocsin.ParseSubject(text)
		if fault != nil {
			continue
		}
		things = append(things, thing(subject))
	}
	offered := ""
	if h, fault := tocsin.ParseHandle(req.URL.Query().Get("handle")); fault == nil {
		if slices.Contains(askedServices, h.Service) {
			offered = h.String()
		} else {
			things = append(things, h.String())
		}
	}
	thing, story := typedInto(req.URL.Query().Get("typed"))
	if thing != "" {
		things = append(things, thing)
	}
	f := newForm(req.lang, url.Values{storyField: {story}, offeredField: {offered}})
	same, err := s.namedBy(req, req.URL.Query().Get(sameField))
	if err != nil {
		return nil, err
	}
	if len(same) > 0 {
		f.Same, things = true, append(things, same...)
	}
	f.Field(thingsField).Text = tocsin.CleanText(strings.Join(things, "\n"))
	state, err := s.db.FilingState(req.Context())
	if err != nil {
		return nil, err
	}
	var refusal *tocsin.Error
	if errors.As(state.Refuse(req.caller() != nil), &refusal) { // before anybody types
		f.Notice, f.Closed = noticeOf(req.lang, refusal.Code), true
		f.SignIn = refusal.Code == tocsin.FilingNeedsKey
	}
	switch halted, err := s.db.ReadOnly(req.Context()); {
	case err != nil:
		return nil, err
	case halted:
		f.Notice, f.Closed, f.SignIn = &notice{req.lang.Text("Nothing is recorded at the moment"),
			req.lang.Text("The operator has made this service read-only for a while, to move it or to work on it. " +
				"Keep what you have, and come back later. Look-ups work.")}, true, false
	}
	return s.formPage(req, f, 0), nil
}

// sameField is the parameter of a link to the form with the id of a report, of which somebody else reports the same.
const sameField = "same"

// namedBy is all that a published report names, as it is typed; nil if there is no such report, or no more.
func (s *Site) namedBy(req *request, id string) ([]string, error) {
	if !reportID.MatchString(id) {
		return nil, nil
	}
	r, err := s.db.Report(req.Context(), id)
	if errors.As(err, new(*tocsin.Error)) {
		return nil, nil
	}
	return thingsNamed(r), err
}

// thing is a subject as it is typed into the first field: as people know it, unless that may be something else.
func thing(subject tocsin.Subject) string {
	if again, fault := tocsin.ParseSubject(subject.Plain()); fault == nil && again == subject {
		return subject.Plain()
	}
	return subject.String()
}

// typedInto returns what was typed where a subject is asked for as a thing of theirs or as a name, and, if it is longer
// than a name, as the story. A secret is left out.
func typedInto(text string) (thing, story string) {
	if text = tocsin.CleanText(text); text == "" || tocsin.FindSecret(text) != nil {
		return "", ""
	}
	if paste.IsStory(text) {
		return "", text
	}
	found := paste.Read(paste.Things, text)
	nothing := slices.ContainsFunc(found.Problems, func(p paste.Problem) bool { return p.Kind == paste.NoThing })
	switch {
	case !nothing:
		return text, ""
	case len(strings.Fields(text)) <= 4 && !strings.Contains(text, "\n"):
		return "name: " + text, ""
	}
	return "", text
}

// noticeOf says that reports are not taken at the moment.
func noticeOf(p *locale.Printer, code tocsin.Code) *notice {
	if code == tocsin.FilingNeedsKey {
		return &notice{p.Text("Reports are taken with a key only at the moment"),
			p.Text("Connect a wallet to get a key: it is free, moves nothing, and your wallet is shown to nobody.")}
	}
	return &notice{p.Text("The operator takes no reports at the moment"),
		p.Text("Keep what you have, and come back another day. Looking up addresses and sites works as always.")}
}

// formPage returns the page with the form.
func (s *Site) formPage(req *request, f *form, status int) *page {
	now := s.db.Now().Std()
	f.LastDay = now.Add(14 * time.Hour).Format(time.DateOnly) // the date in the easternmost time zone
	if f.Once == "" {
		f.Once, _ = s.db.NewTicket() // without one a report that is sent twice is still filed once
	}
	if req.caller() != nil {
		f.HasKey = true
		if name := req.session.Agent.Name; name != nil {
			f.Name = *name
		}
	}
	title := req.lang.Text("Report a scam")
	description := req.lang.Text("Report a scam: no account, no wallet, no fee. " +
		"Your report warns the next person who looks.")
	if f.Closed {
		description = req.lang.Text("Report a scam. %s.", f.Notice.Title)
	}
	switch {
	case f.Notice != nil:
		title = req.lang.Text("%s – Report a scam", f.Notice.Title)
	case f.ProblemCount() > 0:
		title = req.lang.Text("%s – Report a scam", f.ProblemTitle())
	}
	shown := &page{
		Template:    "file",
		Title:       title,
		Status:      status,
		Description: description,
		Secret:      f.Corrects.Code != "",
		Body:        f,
	}
	if !f.Closed {
		shown.Form = "filing"
	}
	return shown
}

// unfinished is the form as it was left to choose another language. It says only that a secret was typed, which it does
// not show again: what else is wrong nobody has asked yet.
func (s *Site) unfinished(req *request) *page {
	f := newForm(req.lang, req.PostForm)
	f.parse(s.db.Now().Std())
	f.Nothing = false
	for _, field := range f.Fields {
		if !field.secret {
			field.Problems, field.MoreProblems = nil, 0
		}
	}
	return s.formPage(req, f, 0)
}

// fileReport shows a report as everybody will see it, and files it once that page says so. If that fails, it shows the
// form again with everything that was typed, except secrets.
func (s *Site) fileReport(req *request) (*page, error) {
	if s.choseLanguage(req) {
		return s.unfinished(req), nil
	}
	if req.PostForm.Has(takeOutField) && req.PostForm.Get(platformField) == "" {
		req.PostForm.Del(platformField) // that button answers nothing else, so the platform is asked for again
	}
	f := newForm(req.lang, req.PostForm)
	draft := f.parse(s.db.Now().Std())
	if req.PostForm.Has(takeOutField) {
		f.takeAllOut()
	}
	changed := false // by answers, so that it is seen once more
	for range maxAnswered {
		if f.ProblemCount() > 0 { // which may be a story of any length
			break
		}
		typed, change := f.answered()
		if !change {
			break
		}
		f, changed = newForm(req.lang, typed), true
		draft = f.parse(s.db.Now().Std())
	}
	if err := s.leaveKnown(req, f); err != nil {
		return s.failedForm(req, f, err), nil
	}
	if f.ProblemCount() == 0 {
		f.checkOwn(&draft)
	}
	if f.ProblemCount() > 0 {
		return s.formPage(req, f, http.StatusUnprocessableEntity), nil
	}
	if req.PostForm.Has(changeField) {
		return s.formPage(req, f, 0), nil
	}
	if publish := req.PostForm.Has(publishField); !publish || changed || f.Asks() {
		return s.previewPage(req, f, draft, (publish || req.PostForm.Has(nextField)) && !changed && f.Asks()), nil
	}
	filing := store.Filing{Draft: draft, By: req.caller(), Network: front.Of(req.Context()).Network(),
		IdempotencyKey: f.idempotencyKey(&draft)}
	filed, err := s.api.File(req.Context(), filing)
	var fault *tocsin.Error
	if errors.As(err, &fault) && fault.Code == tocsin.Invalid {
		f.addStoreFaults(draft, fault)
		return s.formPage(req, f, http.StatusUnprocessableEntity), nil
	}
	var later *api.Later
	if errors.As(err, &later) {
		req.header.Set("Retry-After", later.RetryAfter())
		f.Notice = &notice{req.lang.Text("Your report was not filed yet"), req.lang.Sentences(whyLater(req.lang, later),
			req.lang.Text("Nothing is lost: all that you typed is below."),
			req.lang.Text("Send it again in %d minutes.", int(later.Wait.Minutes())+1))}
		return s.formPage(req, f, http.StatusTooManyRequests), nil
	}
	if errors.As(err, &fault) && (fault.Code == tocsin.FilingClosed || fault.Code == tocsin.FilingNeedsKey) {
		f.Notice, f.Refused = noticeOf(req.lang, fault.Code), true
		f.Notice.Text = req.lang.Sentences(f.Notice.Text, req.lang.Text(keptText))
		return s.formPage(req, f, http.StatusForbidden), nil
	}
	if errors.As(err, &fault) && fault.Code == tocsin.ReportWithdrawn {
		f.Once = "" // sent again, it is filed anew
		f.Notice = &notice{req.lang.Text("This report was withdrawn"), req.lang.Sentences(
			req.lang.Text("You have sent it before, and it was withdrawn since. Nothing was published."),
			req.lang.Text("To publish it again, send it once more."), req.lang.Text(keptText))}
		return s.formPage(req, f, http.StatusGone), nil
	}
	if err != nil {
		return s.failedForm(req, f, err), nil
	}
	if filed.Report.Status != tocsin.Published { // a duplicate that the operator has hidden
		return errorPage(http.StatusOK, req.lang.Text("We have this report already"), req.lang.Text(
			"The operator of this service has looked at it and does not show it. Nothing was filed twice.")), nil
	}
	at := "/reports/" + filed.Report.ID + "/receipt"
	if s.finish(req, f.Corrects, filed) {
		s.setReceipt(req, formerCookie, f.Corrects.ID, at, receiptLife)
	}
	if filed.ManageToken != "" {
		s.setReceipt(req, receiptCookie, filed.ManageToken, at, receiptLife)
	}
	s.knowAbout(req, filed.Report)
	if filed.Duplicate {
		s.setReceipt(req, againCookie, "1", at, againLife)
	}
	return &page{Location: at}, nil
}

// keptText is what a form says that is shown again for no fault in it.
const keptText = "All that you typed is below."

// failedForm is the form with what was typed, after we have failed.
func (s *Site) failedForm(req *request, f *form, err error) *page {
	failure := s.errorPageOf(req, err)
	f.Notice = &notice{failure.Title, req.lang.Sentences(failure.Body.(failedPage).Text, req.lang.Text(keptText))}
	return s.formPage(req, f, failure.Status)
}

// knowAbout counts the subjects of a report among what the filer's network has been shown beside its look-ups, so that
// their case file says what is known of each: most victims file first and look nothing up.
func (s *Site) knowAbout(req *request, r tocsin.Report) {
	beside, network := s.api.Budgets().UncountedLookups, front.Of(req.Context()).Network().String()
	for i, subject := range r.Subjects() {
		if i == maxScreened {
			break
		}
		beside.Take(network, lookUpOf(subject, ""))
	}
}

// whyLater says whose limit of filings is reached.
func whyLater(p *locale.Printer, l *api.Later) string {
	if l.OfAll() {
		return p.Text("We have been sent more reports within the hour than we can take, by everybody together.")
	}
	return p.Text("Your network or your key has reported a lot within the hour.")
}
