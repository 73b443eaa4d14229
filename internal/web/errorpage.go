package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/health"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// errCrossSite is the error of a request that another site caused.
var errCrossSite = errors.New("the request comes from another site")

// errHead is the error of a HEAD request for a priced page, which gets an empty answer
// and is not charged.
var errHead = errors.New("a HEAD request is not answered")

// errorPageOf returns the page for an error that a handler returned. It logs those that
// are not the visitor's fault.
func (s *Site) errorPageOf(req *request, err error) *page {
	var fault *tocsin.Error
	var later *api.Later
	var spent *quotaError
	var broken *store.Outage
	p := req.lang
	switch {
	case errors.As(err, &spent):
		return s.quotaPage(req, spent)
	case errors.As(err, &fault) && fault.Code == tocsin.ReportWithdrawn && req.PathValue("id") != "":
		return s.withdrawnPage(req, fault)
	case errors.Is(err, errHead):
		return errorPage(http.StatusOK, "Tocsin", "")
	case errors.As(err, &later):
		req.header.Set("Retry-After", later.RetryAfter())
		return errorPage(http.StatusTooManyRequests, p.Text("Not so fast, please"), s.laterText(p, later))
	case errors.Is(err, errSearchBusy):
		req.header.Set("Retry-After", "5")
		return errorPage(http.StatusServiceUnavailable, p.Text("Many people are searching at the moment"),
			p.Text("Try again in a few seconds. Searches with a key, through the API, do not wait for this."))
	case errors.Is(err, errCardsBusy):
		req.header.Set("Retry-After", "5")
		return errorPage(http.StatusServiceUnavailable, p.Text("Tocsin is busy at the moment"),
			p.Text("Try again in a few seconds."))
	case errors.Is(err, errCrossSite):
		return errorPage(http.StatusForbidden, p.Text("This came from another site"),
			p.Text("We take forms from our own pages only, and show answers to nobody else’s. "+
				"If you meant it, open the page here and do it again."))
	case errors.Is(err, errLargeForm) && req.URL.Path == "/bulk":
		return s.bulkPage(req, bulkPage{Wrong: p.Text("The list is too large: a file may have at most %d KB, and what is "+
			"pasted %d KB. Send it in parts.", maxForm>>10-6, maxTyped>>10)}, http.StatusRequestEntityTooLarge)
	case errors.Is(err, errLargeForm):
		return errorPage(http.StatusRequestEntityTooLarge, p.Text("This is too large"),
			p.Text("The form is too large. It may have at most %d KB of text. Go back, and send less of it at a time.",
				maxTyped>>10))
	case errors.As(err, &fault):
		return faultPage(p, fault)
	case errors.As(err, &broken) && broken.Part == health.Mode:
		req.header.Set("Retry-After", strconv.Itoa(broken.RetryAfter()))
		return errorPage(http.StatusServiceUnavailable, p.Text("Nothing is recorded at the moment"), readOnlyText(p))
	case errors.As(err, &broken): // logged when it began
		req.header.Set("Retry-After", "5")
		return errorPage(http.StatusServiceUnavailable, p.Text("Tocsin does not work at the moment"),
			outageText(p, broken))
	case store.DiskFull(err):
		req.header.Set("Retry-After", "5")
		s.logError(req, "database unavailable", err)
		return errorPage(http.StatusServiceUnavailable, p.Text("Nothing is recorded at the moment"),
			p.Text("The disk of this service is full. Nothing was recorded. Go back, keep what you have typed, and send it "+
				"again later. Look-ups work."))
	case store.Unavailable(err):
		req.header.Set("Retry-After", "5")
		s.logError(req, "database unavailable", err)
		return errorPage(http.StatusServiceUnavailable, p.Text("Tocsin is busy at the moment"),
			p.Text("Nothing was lost. Try again in a few seconds."))
	case req.Context().Err() != nil || errors.Is(err, context.Canceled):
		return errorPage(http.StatusServiceUnavailable, p.Text("The page was given up before it was made"),
			p.Text("Try again."))
	}
	s.logError(req, "internal error", err)
	return internalErrorPage(req)
}

func (s *Site) logError(req *request, message string, err error) {
	s.log.LogAttrs(req.Context(), slog.LevelError, message,
		slog.String("id", req.id), slog.String("error", err.Error()))
}

// laterText says why something is refused for a while.
func (s *Site) laterText(p *locale.Printer, later *api.Later) string {
	switch {
	case later.OfAll():
		return p.Text("Too much is going on here at the moment. Try again in %s.", p.Span(later.Wait))
	case later.OfNewWallets():
		return p.Text("From your network %d new wallets have signed in today, and no more may until midnight UTC. "+
			"Wallets that have signed in before still can.", s.config.Limits.NewAgents)
	}
	return p.Text("Your network has done this very often within the last minutes. Try again in %s.", p.Span(later.Wait))
}

// readOnlyText says what does not work while the service is read-only.
func readOnlyText(p *locale.Printer) string {
	return p.Text("The operator has made this service read-only for a while, to move it or to work on it. " +
		"Nothing was recorded. Go back, keep what you have typed, and send it again later. Look-ups work.")
}

// outageText says what does not work.
func outageText(p *locale.Printer, broken *store.Outage) string {
	if broken.Reason == health.Corrupt {
		return p.Text("The database is damaged. Nothing was recorded. No report is accepted until the operator has " +
			"restored a copy.")
	}
	switch broken.Part {
	case health.Events:
		return p.Text("Nothing can be looked up until the operator has corrected it. " +
			"The page /status says what is wrong, and when it works again.")
	case health.Clock:
		return p.Text("New reports, keys, sign-ins and payments are not taken until the operator has corrected it; " +
			"look-ups work. The page /status says what is wrong, and when it works again.")
	}
	return p.Text("Nothing can be looked up or recorded until the operator has corrected it. " +
		"The page /status says what is wrong, and when it works again.")
}

// faultPage returns the page for a fault of the visitor.
func faultPage(p *locale.Printer, fault *tocsin.Error) *page {
	switch fault.Code {
	case tocsin.AgentBanned:
		return errorPage(http.StatusForbidden, p.Text("This account is banned"), p.Text(
			"The operator of this service has banned it: its keys and its wallet are refused, and its reports do not count."))
	case tocsin.FilingClosed, tocsin.FilingNeedsKey:
		n := noticeOf(p, fault.Code)
		return errorPage(http.StatusForbidden, n.Title, n.Text)
	case tocsin.NotFound:
		return errorPage(http.StatusNotFound, p.Text("There is nothing here"),
			p.Text("The page you asked for does not exist, or no longer. "+
				"Look up an address or a website, or browse the reports."))
	case tocsin.ReportWithdrawn, tocsin.ReportHidden, tocsin.ReportDropped:
		return gonePage(p, fault)
	}
	return errorPage(http.StatusBadRequest, p.Text("That does not work"), explain(p, fault))
}

// isMissing reports whether nothing has what was asked for.
func isMissing(err error) bool {
	var fault *tocsin.Error
	return errors.As(err, &fault) && fault.Code == tocsin.NotFound
}

// noReportPage returns the page for a number that no report has.
func noReportPage(p *locale.Printer, id string) *page {
	shown := errorPage(http.StatusNotFound, p.Text("No report has this number"), noReportText(p, id))
	on := []way{toReports, toObject}
	if likeReportID.MatchString(id) {
		search := way{Text: "Search the reports for it", Path: "/reports?" + url.Values{"q": {id}}.Encode()}
		on = append([]way{search}, on...)
	}
	shown.Body = failedPage{noReportText(p, id), on}
	return shown
}

// noReportText says why no report may have a number.
func noReportText(p *locale.Printer, id string) string {
	if !reportID.MatchString(id) {
		return p.Text("The number of a report is rep_ and 16 characters: small letters, and digits from 2 to 7. " +
			"This one differs, so a part of it was lost or mistyped. Copy it again from where you have it.")
	}
	return p.Text("Perhaps a character of it was mistyped. If the operator has erased the report, nothing of it is " +
		"left, and it counts in no score. Copy the number again from where you have it.")
}

// gonePage returns the page for a report that is gone. It has nothing of what the report said or named.
func gonePage(p *locale.Printer, fault *tocsin.Error) *page {
	counts := p.Text("It counts in no score any more.")
	switch {
	case fault.Code == tocsin.ReportDropped:
		return errorPage(http.StatusGone, p.Text("This report was dropped"),
			p.Sentences(p.Text("The list that it came from has it no longer, or says something else now."), counts))
	case fault.Code == tocsin.ReportHidden && fault.At == nil:
		return errorPage(http.StatusGone, p.Text("This report is hidden"),
			p.Sentences(p.Text("The operator of this service has hidden it."), counts))
	case fault.Code == tocsin.ReportHidden:
		return errorPage(http.StatusGone, p.Text("This report is hidden"),
			p.Sentences(p.Text("The operator of this service hid it on %s.", p.Day(fault.At.Std())), counts))
	case fault.At == nil:
		return errorPage(http.StatusGone, p.Text("This report was withdrawn"),
			p.Sentences(p.Text("Its reporter took it back."), counts))
	}
	return errorPage(http.StatusGone, p.Text("This report was withdrawn"),
		p.Sentences(p.Text("Its reporter took it back on %s.", p.Day(fault.At.Std())), counts))
}

// explain returns what is wrong and how to fix it, in two sentences.
func explain(p *locale.Printer, fault *tocsin.Error) string {
	if len(fault.Fields) == 0 {
		return tocsin.Sentence(fault.Detail)
	}
	if fault.Fields[0].Cause == tocsin.WrongCase { // whose fix has the address in it
		return p.Sentences(p.Text("Copy it again from where you have it."), p.Text(wrongCase))
	}
	return p.Sentences(faultSentence(p, fault.Fields[0]), fixSentence(p, fault.Fields[0]))
}

// faultReason says what is wrong, translated if the reason has a format, and at most so many characters.
func faultReason(p *locale.Printer, fault tocsin.Fault, most int) string {
	if fault.Format == "" {
		return tocsin.Shorten(fault.Reason, most)
	}
	return tocsin.Shorten(p.Text(locale.Key(fault.Format), fault.Args...), most)
}

// faultSentence is [faultReason] as a sentence.
func faultSentence(p *locale.Printer, fault tocsin.Fault) string {
	return sentence(p, faultReason(p, fault, 160))
}

// fixSentence says what to do instead. Of a reason with a format the fix is translated too, unless it has an argument.
func fixSentence(p *locale.Printer, fault tocsin.Fault) string {
	if fault.Format == "" {
		return tocsin.Sentence(fault.Fix)
	}
	return sentence(p, p.Text(locale.Key(fault.Fix)))
}

// sentence is a text that begins with a capital letter and ends as a sentence of the language does.
func sentence(p *locale.Printer, text string) string {
	text = tocsin.Sentence(text)
	if whole, ended := strings.CutSuffix(text, "."); ended {
		return p.Text("%s.", whole)
	}
	return text
}

// internalErrorPage returns the page for an error of ours. The operator finds its cause in
// the log by the id of the request.
func internalErrorPage(req *request) *page {
	return errorPage(http.StatusInternalServerError, req.lang.Text("Something failed on our side"),
		req.lang.Text("It is not your fault. If it lasts, tell the operator this number: %s", req.id))
}

// failedPage is a page that only says what went wrong.
type failedPage struct {
	Text string
	Ways []way
}

// way is a link to where a visitor may go on.
type way struct {
	Text locale.Key
	Path string
}

// The ways on from an error page.
var (
	toReports = way{"Browse the reports", "/reports"}
	toReport  = way{"Report a scam", "/report"}
	toBulk    = way{"Look up many at once", "/bulk"}
	toStatus  = way{"See what works at the moment", "/status"}
	toDocs    = way{"Read the documentation", "/docs"}
	toKeys    = way{"Use the API with a key", "/docs/keys"}
	toAccount = way{"Go to your account", "/account"}
	toObject  = way{"See what names your address or site", "/object"}
	toScore   = way{"How the score works", "/docs/risk"}
)

// ways are the ways on, by status.
var ways = map[int][]way{
	http.StatusForbidden:             {toReports, toAccount},
	http.StatusGone:                  {toObject, toReports, toScore},
	http.StatusRequestEntityTooLarge: {toBulk, toReport},
	http.StatusTooManyRequests:       {toReports, toKeys},
	http.StatusInternalServerError:   {toStatus, toReports},
	http.StatusServiceUnavailable:    {toStatus, toKeys},
}

// errorPage returns a page that only says what went wrong, and where to go on.
func errorPage(status int, title, text string) *page {
	on, known := ways[status]
	if !known {
		on = []way{toReports, toReport, toDocs}
	}
	return &page{Template: "error", Title: title, Status: status, Body: failedPage{text, on}}
}

// notFound answers requests that no other pattern matches.
func (s *Site) notFound(req *request) (*page, error) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		req.header.Set("Allow", "GET, HEAD")
		return errorPage(http.StatusMethodNotAllowed, req.lang.Text("This page cannot be used that way"),
			req.lang.Text("Nothing was changed. Go back to the page that you came from, and open the link or send the form "+
				"again.")), nil
	}
	return nil, &tocsin.Error{Code: tocsin.NotFound}
}
