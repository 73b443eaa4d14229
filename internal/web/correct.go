package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/store"
)

// A report does not change, so to correct one is to file another and to withdraw the first, in this order: if the
// second step fails, both are public, and the receipt says so. The first keeps the id of the new one, since only its
// code leads there: what reports say of each other, anybody can write.

// The hidden fields of a form that corrects a report.
const (
	correctsField = "corrects" // its id
	codeField     = "code"     // which withdraws it
)

// correction is what a form corrects; the zero value is that of a form for a new report.
type correction struct{ ID, Code string }

// correctionOf reads the hidden fields.
func correctionOf(typed url.Values) correction {
	c := correction{typed.Get(correctsField), manageToken.FindString(typed.Get(codeField))}
	if !reportID.MatchString(c.ID) || c.Code == "" {
		return correction{}
	}
	return c
}

// correct shows the form with what a report says, to whoever has its code: as typed, or as this browser has it from the
// receipt.
func (s *Site) correct(req *request) (*page, error) {
	id, code := req.PathValue("id"), manageToken.FindString(req.PostFormValue("token"))
	if c, err := req.Cookie(receiptCookie); err == nil {
		code = cmp.Or(code, c.Value)
	}
	r, err := s.db.Report(req.Context(), id)
	if err != nil {
		return nil, err
	}
	switch ours, err := s.db.IsManagedBy(req.Context(), id, code); {
	case err != nil:
		return nil, err
	case !ours:
		return s.wrongCode(req)
	}
	typed := typedOf(s.reportPageOf(req.lang, r))
	typed.Set(correctsField, id)
	typed.Set(codeField, code)
	return s.formPage(req, newForm(req.lang, typed), 0), nil
}

// typedOf is what has to be typed into the form for a report.
func typedOf(p *reportPage) url.Values {
	lines := func(list []string) string { return strings.Join(list, "\n") }
	typed := url.Values{
		thingsField: {lines(thingsNamed(p.Report))},
		crimeField:  {string(p.CrimeType)},
		titleField:  {p.Title},
		storyField:  {p.Story},
		hashField:   {lines(p.Evidence.TransactionHashes)},
		linkField:   {lines(p.Evidence.URLs)},
	}
	if p.LostText != "" {
		typed.Set(amountField, p.LostText)
	} else if p.AmountLost != nil {
		typed.Set(amountField, strconv.FormatFloat(float64(*p.AmountLost)/100, 'f', -1, 64))
	}
	if p.AmountLost != nil || p.Currency != "USD" {
		typed.Set(currencyField, p.Currency)
	}
	for field, text := range map[string]*string{dateField: p.IncidentDate, projectField: p.SubjectProjectName} {
		if text != nil {
			typed.Set(field, *text)
		}
	}
	return typed
}

// thingsNamed is all that a report names, each as it is typed into the first field.
func thingsNamed(r tocsin.Report) (things []string) {
	for _, subject := range r.Subjects() {
		things = append(things, thing(subject))
	}
	for _, handle := range r.ReportedHandles {
		things = append(things, asTyped(handle))
	}
	return things
}

// finish withdraws the report that a new one corrects, and reports whether it stays public.
func (s *Site) finish(req *request, c correction, filed store.Filed) (stays bool) {
	if c.ID == "" || c.ID == filed.Report.ID {
		return false
	}
	if filed.Duplicate { // which may be of a stranger
		return true
	}
	by := ""
	if former, err := s.db.Report(req.Context(), c.ID); err == nil && haveInCommon(former, filed.Report) {
		by = filed.Report.ID
	}
	err := s.api.Withdraw(req.Context(), c.ID, c.Code, by)
	if err != nil && !errors.As(err, new(*tocsin.Error)) {
		s.logError(req, "a corrected report was not withdrawn", err)
	}
	return err != nil
}

// haveInCommon reports whether two reports name one subject: else one is no correction of the other.
func haveInCommon(one, other tocsin.Report) bool {
	subjects := other.Subjects()
	return slices.ContainsFunc(one.Subjects(), func(s tocsin.Subject) bool { return slices.Contains(subjects, s) })
}

// former is the id of the report that was not withdrawn when this browser has corrected it, if it is still published;
// "" if not.
func (s *Site) former(req *request) string {
	c, err := req.Cookie(formerCookie)
	if err != nil || !reportID.MatchString(c.Value) {
		return ""
	}
	if _, err := s.db.Report(req.Context(), c.Value); err != nil {
		return ""
	}
	return c.Value
}

// withdrawnPage is the page of a report that was withdrawn. That of a corrected one leads to the one in its place.
func (s *Site) withdrawnPage(req *request, fault *tocsin.Error) *page {
	id, err := s.db.Correction(req.Context(), req.PathValue("id"))
	if err != nil {
		s.logError(req, "no correction was looked for", err)
	}
	if id == "" || fault.At == nil {
		return gonePage(req.lang, fault)
	}
	p := errorPage(http.StatusGone, req.lang.Text("This report was corrected"), req.lang.Sentences(
		req.lang.Text("Corrected on %s.", req.lang.Day(fault.At.Std())), req.lang.Text("The report is now %s.", id)))
	shown := p.Body.(failedPage)
	shown.Ways = append([]way{{"See the corrected report", "/reports/" + id}}, shown.Ways...)
	p.Body = shown
	return p
}

// wrongCode shows a report again, whose code was asked for and is another one.
func (s *Site) wrongCode(req *request) (*page, error) {
	shown, err := s.readReport(req)
	if err != nil {
		return nil, err
	}
	shown.Refused = req.lang.Text("This is not the code of this report. " +
		"It begins with man_, and was shown when you sent the report.")
	p := shown.page()
	p.Title, p.Status = req.lang.Text("Nothing was changed – %s", p.Title), http.StatusForbidden
	return p, nil
}
