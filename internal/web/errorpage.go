package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

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
	case errors.As(err, &fault):
		return faultPage(p, fault)
	case errors.As(err, &broken): // logged when it began
		req.header.Set("Retry-After", "5")
		return errorPage(http.StatusServiceUnavailable, p.Text("Tocsin does not work at the moment"),
			outageText(p, broken))
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

// outageText says what does not work.
func outageText(p *locale.Printer, broken *store.Outage) string {
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
		n := noticeOf(fault.Code)
		return errorPage(http.StatusForbidden, n.Title, n.Text)
	case tocsin.NotFound:
		return errorPage(http.StatusNotFound, p.Text("There is nothing here"),
			p.Text("The page you asked for does not exist, or no longer. "+
				"Look up an address or a website above, or browse the reports."))
	case tocsin.ReportWithdrawn:
		return errorPage(http.StatusGone, p.Text("This report was withdrawn"),
			p.Text("Its reporter took it back. It counts in no score any more."))
	}
	return errorPage(http.StatusBadRequest, p.Text("That does not work"), explain(fault))
}

// explain returns what is wrong and how to fix it, in two sentences.
func explain(fault *tocsin.Error) string {
	if len(fault.Fields) == 0 {
		return tocsin.Sentence(fault.Detail)
	}
	return tocsin.Sentence(fault.Fields[0].Reason) + " " + tocsin.Sentence(fault.Fields[0].Fix)
}

// internalErrorPage returns the page for an error of ours. The operator finds its cause in
// the log by the id of the request.
func internalErrorPage(req *request) *page {
	return errorPage(http.StatusInternalServerError, req.lang.Text("Something failed on our side"),
		req.lang.Text("It is not your fault. If it lasts, tell the operator this number: %s", req.id))
}

// errorPage returns a page that only says what went wrong.
func errorPage(status int, title, text string) *page {
	return &page{Template: "error", Title: title, Status: status, Body: text}
}

// notFound answers requests that no other pattern matches.
func (s *Site) notFound(req *request) (*page, error) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		req.header.Set("Allow", "GET, HEAD")
		return errorPage(http.StatusMethodNotAllowed, req.lang.Text("That does not work"),
			req.lang.Text("This page takes no such call.")), nil
	}
	return nil, &tocsin.Error{Code: tocsin.NotFound}
}
