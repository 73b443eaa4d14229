package ops

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tocsin/internal/front"
	"tocsin/internal/health"
	"tocsin/internal/tocsintest"
)

// TestReadinessIsFoundOutAtMostTwiceASecond: what it says, and when it is asked for again.
func TestReadinessIsFoundOutAtMostTwiceASecond(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.OpenAt(t, &clock, tocsintest.NewDatabase(t))
	board := health.New(clock.Now, nil)
	var at time.Duration
	begun := clock.Now()
	h := &ready{db: db, board: board, now: func() time.Time { return begun.Add(at) }}
	ask := func(about string, status int, body string) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, ReadyPath, nil))
		retry := map[int]string{503: "1"}[status]
		tocsintest.Want(t, about, []any{w.Code, w.Header().Get("Retry-After"), w.Header().Get("Content-Type"),
			w.Header().Get("Cache-Control")}, []any{status, retry, "application/json", "no-store"})
		if !strings.Contains(w.Body.String(), body) || !strings.HasSuffix(w.Body.String(), "]}\n") {
			t.Errorf("%s: %s", about, w.Body)
		}
	}
	const fine = `{"ready":true,"checks":[{"name":"database","ok":true},{"name":"schema","ok":true},` +
		`{"name":"events","ok":true},{"name":"readModel","ok":true,"detail":`
	ask("all works", 200, fine)
	board.Count(health.Disk, health.Full, 1) // which is over
	board.Set(health.Clock, health.Ahead)    // which is no disk
	at = readyKept
	ask("other troubles", 200, `},{"name":"disk","ok":true}]}`)
	board.Set(health.Disk, health.Low)
	at = 2*readyKept - 1
	ask("kept", 200, `},{"name":"disk","ok":true}]}`)
	at = 2 * readyKept
	ask("little disk", 200, fine)
	ask("little disk", 200, `{"name":"disk","ok":true,"detail":"`)
	tocsintest.Must(t, db.Close())
	at = 3*readyKept - 1
	ask("kept", 200, fine)
	at = 3 * readyKept
	ask("no database", 503, `{"ready":false,"checks":[{"name":"database","ok":false,"detail":"`)
	h.last.Checks[0].Detail = "kept"
	ask("kept", 503, `"detail":"kept"`)
	at-- // the clock was set back
	ask("asked again", 503, `{"ready":false,"checks":[{"name":"database","ok":false,"detail":"The database`)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, ReadyPath, nil))
	tocsintest.Want(t, "POST", []any{w.Code, w.Body.String()}, []any{405, "Send GET or HEAD.\n"})
	w = httptest.NewRecorder()
	alive{}.ServeHTTP(w, httptest.NewRequest(http.MethodGet, AlivePath, nil))
	tocsintest.Want(t, "alive", []any{w.Body.String(), w.Header().Get("Content-Type")},
		[]any{"ok\n", "text/plain; charset=utf-8"})
	for err, status := range map[error]int{front.ErrForeign: 403, front.ErrBusy: 503, fmt.Errorf("x"): 500,
		fmt.Errorf("x: %w", front.ErrBusy): 503} {
		w := httptest.NewRecorder()
		errorPage{}.ServeError(w, nil, err)
		tocsintest.Want(t, fmt.Sprint(err), []any{w.Code, w.Body.String()}, []any{status, http.StatusText(status) + "\n"})
	}
}

// TestAPageOfABrowserCannotReadTheMetrics over a loopback address; over others the name says nothing.
func TestAPageOfABrowserCannotReadTheMetrics(t *testing.T) {
	served := NewMetrics("1.2.3").Admin()
	for address, statuses := range map[string][]int{"127.0.0.1": {200, 200, 403}, "::1": {200, 200, 403},
		"192.0.2.1": {200, 200, 200}} {
		for i, host := range []string{"localhost:9402", "127.0.0.1", "evil.example"} {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = host
			ctx := t.Context()
			served.ServeHTTP(w, r.WithContext(context.WithValue(ctx, http.LocalAddrContextKey,
				&net.TCPAddr{IP: net.ParseIP(address)})))
			body := map[int]string{200: "/metrics\n/debug/pprof/\n", 403: "Ask for it by an IP address or as localhost: " +
				"a page of a browser may not read this.\n"}[statuses[i]]
			tocsintest.Want(t, address+" "+host, []any{w.Code, w.Body.String()}, []any{statuses[i], body})
		}
	}
	w := httptest.NewRecorder()
	served.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/other", nil))
	tocsintest.Want(t, "no other page", w.Code, 404)
}

// TestEachNumberHasItsName, its labels and its help: dashboards read them.
func TestEachNumberHasItsName(t *testing.T) {
	m := NewMetrics("1.2.3")
	m.Served("GET", "/a", 201, 3*time.Second)
	m.Settled("base", "settled", 25)
	m.Called("answered")
	m.Filed("filed")
	m.Refused("rate")
	m.Asked("rdap", "known")
	families, err := m.registry.Gather()
	tocsintest.Must(t, err)
	var all strings.Builder
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "tocsin_") {
			continue
		}
		fmt.Fprintf(&all, "%s %s: %s\n", family.GetName(), family.GetType(), family.GetHelp())
		for _, one := range family.GetMetric() {
			for _, label := range one.GetLabel() {
				fmt.Fprintf(&all, "  %s=%s", label.GetName(), label.GetValue())
			}
			fmt.Fprint(&all, " ", one.GetCounter().GetValue()+one.GetGauge().GetValue())
			for _, bucket := range one.GetHistogram().GetBucket() {
				fmt.Fprint(&all, " ", bucket.GetUpperBound(), ":", bucket.GetCumulativeCount())
			}
			all.WriteByte('\n')
		}
	}
	for _, d := range []*prometheus.Desc{readable, reports, filed, subjects, filing, readOnly, listEntries,
		listReports, listImported, listDated, listFailed, listTries, listFailures, listInARow, listNext, backup,
		openPayments, openValue, lag, modelState, modelSize, modelKnown, modelLate, waiting, writes, commits, logSize,
		diskFree, memoryLimit, dropped, spansSent, spansDropped, trouble, facilitator, networks} {
		fmt.Fprintln(&all, d)
	}
	tocsintest.Golden(t, "testdata/metrics.txt", all.String())
}
