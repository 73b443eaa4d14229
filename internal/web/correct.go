package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// A report does not change, so to correct one is to file another and to withdraw the first, in this order: if the
// second step fails, both are public, and the receipt says so. The text of the new one names the first.

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
	var things []string
	for _, subject := range p.Subjects() {
		things = append(things, thing(subject))
	}
	for _, handle := range p.ReportedHandles {
		things = append(things, asTyped(handle))
	}
	typed := url.Values{
		thingsField: {lines(things)},
		crimeField:  {string(p.CrimeType)},
		titleField:  {p.Title},
		storyField:  {strings.TrimSpace(correctsIn.ReplaceAllString(p.Description, ""))},
		hashField:   {lines(p.Evidence.TransactionHashes)},
		linkField:   {lines(p.Evidence.URLs)},
	}
	if stated := p.stated(); p.AmountLost == nil && stated != "" {
		story := typed.Get(storyField)
		typed.Set(storyField, strings.TrimSpace(story[:strings.LastIndexByte(story, '\n')+1]))
		typed.Set(amountField, stated)
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

// correctsIn matches the last paragraph of a story that names the report which it corrects.
var correctsIn = regexp.MustCompile(`\n\n[^\n]{0,80}(rep_[a-z2-7]{16})[^\n]{0,40}$`)

// addTo adds to a story which report it corrects.
func (c correction) addTo(p *locale.Printer, story string) string {
	if c.ID == "" || story == "" {
		return story
	}
	return story + "\n\n" + p.Text("This corrects the report %s.", c.ID)
}

// finish withdraws the report that a new one corrects. If that fails, the receipt of the new one says that both are
// public.
func (s *Site) finish(req *request, c correction, filed store.Filed) {
	if c.ID == "" || c.ID == filed.Report.ID {
		return
	}
	if err := s.api.Withdraw(req.Context(), c.ID, c.Code); err != nil && !errors.As(err, new(*tocsin.Error)) {
		s.logError(req, "a corrected report was not withdrawn", err)
	}
}

// stillPublic is the id of the report that another one corrects, if it is still published; "" if not.
func (s *Site) stillPublic(req *request, r tocsin.Report) string {
	m := correctsIn.FindStringSubmatch(r.Description)
	if m == nil {
		return ""
	}
	if _, err := s.db.Report(req.Context(), m[1]); err != nil {
		return ""
	}
	return m[1]
}

// withdrawnWithin is how long after a correction was filed its first report is withdrawn at most. The clock may have
// gone back between the two.
const withdrawnWithin = time.Minute

// corrected returns the id of the report that corrects one which was withdrawn; "" for none. Anybody can write that a
// report corrects another one, but only its reporter withdraws that right afterwards.
func (s *Site) corrected(req *request, id string, withdrawn *tocsin.Time) string {
	terms, fault := tocsin.ParseQuery(id)
	if withdrawn == nil || fault != nil {
		return ""
	}
	found, err := s.search(req, terms, "", store.Page{Limit: maxSeveral})
	if err != nil {
		return ""
	}
	i := slices.IndexFunc(found.Reports, func(r tocsin.Report) bool {
		m, after := correctsIn.FindStringSubmatch(r.Description), withdrawn.Std().Sub(r.CreatedAt.Std())
		return m != nil && m[1] == id && after.Abs() < withdrawnWithin
	})
	if i < 0 {
		return ""
	}
	return found.Reports[i].ID
}

// withdrawnPage is the page of a report that was withdrawn, with the way to the one that corrects it.
func (s *Site) withdrawnPage(req *request, fault *tocsin.Error) *page {
	p := gonePage(req.lang, fault)
	if id := s.corrected(req, req.PathValue("id"), fault.At); id != "" {
		shown := p.Body.(failedPage)
		shown.Ways = append([]way{{"See the corrected report", "/reports/" + id}}, shown.Ways...)
		p.Body = shown
	}
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
	p.Title, p.Status = req.lang.Text("Not withdrawn – %s", p.Title), http.StatusForbidden
	return p, nil
}
