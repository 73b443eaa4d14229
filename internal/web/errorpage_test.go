package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/health"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestEachErrorHasItsPage, as testdata/errors.txt has them: its status, its title, its text, when to come back, and
// where to go on.
func TestEachErrorHasItsPage(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.NewAgents = 7 })
	at := tocsin.TimeOf(tocsintest.Noon)
	long := strings.Repeat("x", 170)
	fault := func(f tocsin.Error) error {
		f.Detail = "it is so"
		return fmt.Errorf("x: %w", &f)
	}
	faults := func(f tocsin.Fault) error {
		return tocsin.Faults([]tocsin.Fault{f, {Reason: "another", Fix: "another"}})
	}
	later := func(code tocsin.Code) error {
		return &api.Later{Wait: 90 * time.Second, Fault: tocsin.Error{Code: code}}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	get := httptest.NewRequest(http.MethodGet, "/", nil)
	given := get.WithContext(cancelled)
	list := httptest.NewRequest(http.MethodPost, "/bulk", nil)
	var said strings.Builder
	say := func(about string, p *page, header http.Header) {
		fmt.Fprintf(&said, "=== %s\n%d %s\n", about, p.Status, p.Title)
		switch body := p.Body.(type) {
		case failedPage:
			fmt.Fprintf(&said, "%s\n%v\n", body.Text, body.Ways)
		case bulkPage:
			fmt.Fprintln(&said, body.Wrong)
		}
		for name, values := range header {
			fmt.Fprintf(&said, "%s: %s\n", name, values)
		}
	}
	for _, c := range []struct {
		about string
		err   error
		r     *http.Request
	}{
		{"banned", fault(tocsin.Error{Code: tocsin.AgentBanned}), get},
		{"closed", fault(tocsin.Error{Code: tocsin.FilingClosed}), get},
		{"needs a key", fault(tocsin.Error{Code: tocsin.FilingNeedsKey}), get},
		{"not found", fault(tocsin.Error{Code: tocsin.NotFound}), get},
		{"withdrawn", fault(tocsin.Error{Code: tocsin.ReportWithdrawn}), get},
		{"withdrawn on a day", fault(tocsin.Error{Code: tocsin.ReportWithdrawn, At: &at}), get},
		{"hidden", fault(tocsin.Error{Code: tocsin.ReportHidden}), get},
		{"hidden on a day", fault(tocsin.Error{Code: tocsin.ReportHidden, At: &at}), get},
		{"dropped", fault(tocsin.Error{Code: tocsin.ReportDropped, At: &at}), get},
		{"invalid", fault(tocsin.Error{Code: tocsin.Invalid}), get},
		{"a field", faults(tocsin.Fault{Reason: "it is wrong", Fix: "send another"}), get},
		{"a long reason", faults(tocsin.Fault{Reason: long, Fix: "send another"}), get},
		{"a translated field", faults(tocsin.Fault{Format: "it has %d characters, %d are allowed", Args: []any{201, 200},
			Fix: "shorten it", Reason: "x"}), get},
		{"the letters of an address", faults(tocsin.Fault{Cause: tocsin.WrongCase, Reason: "x", Fix: "y"}), get},
		{"too often", later(""), get},
		{"too much of all", later("filings_exhausted"), get},
		{"new wallets", later("too_many_new_agents"), get},
		{"searches", errSearchBusy, get},
		{"cards", errCardsBusy, get},
		{"another site", errCrossSite, get},
		{"a large form", fmt.Errorf("a form: %w", errLargeForm), get},
		{"a large list", fmt.Errorf("a form: %w", errLargeForm), list},
		{"HEAD", errHead, get},
		{"read-only", &store.Outage{Part: health.Mode}, get},
		{"no database", &store.Outage{Part: health.Database}, get},
		{"no events", &store.Outage{Part: health.Events}, get},
		{"the clock", &store.Outage{Part: health.Clock}, get},
		{"given up", errors.New("x"), given},
		{"cancelled", context.Canceled, get},
		{"anything else", errors.New("x"), get},
	} {
		req := &request{Request: c.r.WithContext(front.With(c.r.Context(), &front.Request{ID: "abc-1"})), id: "abc-1",
			header: http.Header{}, lang: english()}
		say(c.about, s.site.errorPageOf(req, c.err), req.header)
	}
	want(t, "errors in the log", strings.Count(s.log.String(), `level=ERROR msg="internal error" id=abc-1 error=x`), 1)
	for _, id := range []string{"rep_aaaaaaaaaaaaaaaa", "rep_nowhere", "nonsense"} {
		say(id, noReportPage(english(), id), nil)
	}
	for _, method := range []string{http.MethodPost, http.MethodDelete} {
		req := &request{Request: httptest.NewRequest(method, "/x", nil), header: http.Header{}, lang: english()}
		p, err := s.site.notFound(req)
		tocsintest.Must(t, err)
		say(method, p, req.header)
	}
	tocsintest.Golden(t, "testdata/errors.txt", said.String())
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		_, err := s.site.notFound(&request{Request: httptest.NewRequest(method, "/x", nil)})
		want(t, method, isMissing(err), true)
	}
}
