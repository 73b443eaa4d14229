package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

func TestOnlyALocalNameOrAnAddressIsAHostOfTheMetrics(t *testing.T) {
	for host, local := range map[string]bool{
		"localhost": true, "LOCALHOST:80": true, "127.0.0.1": true, "127.0.0.1:9402": true, "[::1]": true, "[::1]:9402": true,
		"::1": true, "evil.example": false, "evil.example:9402": false, "localhost.evil.example": false, "": false,
	} {
		tocsintest.Want(t, host, isLocal(host), local)
	}
}

func TestProbesAnswerReadsAloneAndAreNotKept(t *testing.T) {
	for method, status := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405, "OPTIONS": 405} {
		w := httptest.NewRecorder()
		alive{}.ServeHTTP(w, httptest.NewRequest(method, AlivePath, nil))
		allow := map[int]string{405: "GET, HEAD"}[status]
		tocsintest.Want(t, method, []any{w.Code, w.Header().Get("Cache-Control"), w.Header().Get("Allow")},
			[]any{status, "no-store", allow})
	}
}

func TestWhatAProbeFindsIsSaidOfThePartThatFails(t *testing.T) {
	for _, c := range []struct {
		err              error
		database, schema check
	}{
		{nil, check{Name: "database", OK: true}, check{Name: "schema", OK: true}},
		{fmt.Errorf("x: %w", store.NewerSchema{}), check{Name: "database", OK: true},
			check{Name: "schema", Detail: store.NewerSchema{}.Error()}},
		{errors.New("host db.internal: refused"), check{Name: "database", Detail: "The database does not answer"},
			check{Name: "schema", OK: true}},
	} {
		database, schema := databaseChecks(c.err)
		tocsintest.Want(t, fmt.Sprint(c.err), []check{database, schema}, []check{c.database, c.schema})
	}
}

func TestTheProfilesAreServedWithTheMetrics(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end() // a profile takes seconds otherwise
	served := NewMetrics("1.2.3").Admin()
	for _, path := range []string{"/", "/metrics", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/symbol",
		"/debug/pprof/heap?debug=1", "/debug/pprof/profile", "/debug/pprof/trace?seconds=0.001"} {
		w := httptest.NewRecorder()
		served.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil).WithContext(ended))
		tocsintest.Want(t, path, w.Code, 200)
	}
}

func TestATroubleLastsUntilItIsClearedOrItsPartHasWorked(t *testing.T) {
	var clock tocsintest.Clock
	board := health.New(clock.Now, nil)
	board.Set(health.Disk, health.Low)
	board.Count(health.Events, health.Stale, 1)
	board.Count(health.Writes, health.Refused, 1)
	clock.Sleep(time.Second)
	board.Works(health.Writes)
	var got []string
	gauges{Sources{Board: board}}.collectTroubles(func(_ *prometheus.Desc, _ float64, labels ...string) {
		got = append(got, strings.Join(labels, " "))
	})
	slices.Sort(got)
	tocsintest.Want(t, "troubles", got, []string{"disk low", "events stale"})
}

// TestTheNumbersOfTheDatabaseAreThoseOfItsStats, each under its own name.
func TestTheNumbersOfTheDatabaseAreThoseOfItsStats(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.OpenAt(t, &clock, tocsintest.NewDatabase(t))
	begun := db.Now().Std().Unix()
	im, err := db.Import(t.Context(), tocsin.List{Name: "told", Family: "told", URL: "https://lists.example"})
	tocsintest.Must(t, err)
	defer im.Close()
	dated := tocsin.TimeOf(db.Now().Std().Add(-48 * time.Hour))
	im.Version(tocsin.ListVersion{Date: &dated})
	for i, name := range []string{"a.example", "b.example", "c.example"} {
		e := tocsin.Entry{}
		subject, _ := tocsin.ParseSubject(name)
		e.Listing = &tocsin.Listing{Kind: tocsin.Risk, Category: "phishing", Subject: subject}
		if i == 0 {
			d := tocsin.Draft{CrimeType: tocsin.Hack, Title: "told", Description: "x",
				ReportedDomains: []string{name}}
			d, fault := d.Parse(db.Now().Std())
			if fault != nil {
				t.Fatal(fault)
			}
			e.Report, e.Key = &d, "1"
		}
		tocsintest.Must(t, im.Add(e))
	}
	_, err = im.Finish(t.Context(), true, nil)
	tocsintest.Must(t, err)
	next := tocsin.TimeOf(db.Now().Std().Add(time.Hour))
	lease, err := db.LeaseImport(t.Context(), "other")
	tocsintest.Must(t, err)
	tocsintest.Must(t, lease.End(t.Context(), store.ImportTry{List: "other",
		Reason: store.FailedShrunk, Failures: 2, Tries: 7,
		Failed: 5, Next: &next}))
	tocsintest.Must(t, lease.Release(t.Context()))

	var got []string
	note := func(d *prometheus.Desc, value float64, labels ...string) {
		_, name, _ := strings.Cut(d.String(), `"tocsin_`)
		name, _, _ = strings.Cut(name, `"`)
		if value > 1e9 {
			value -= float64(begun) // a moment
		}
		got = append(got, fmt.Sprint(name, labels, " ", value))
	}
	gauges{Sources{DB: db}}.collectStats(note, note)
	slices.Sort(got)
	got = slices.DeleteFunc(got, func(line string) bool { return strings.HasPrefix(line, "backup") }) // of SQLite alone
	tocsintest.Want(t, "the numbers", strings.Join(got, "\n"), `database_readable[] 1
filing_open[] 1
list_date_timestamp_seconds[told] -172800
list_entries[told] 3
list_failed_timestamp_seconds[other shrunk] 0
list_failures[other] 2
list_imported_timestamp_seconds[told] 0
list_next_timestamp_seconds[other] 3600
list_reports[told] 1
list_tries_failed_total[other] 5
list_tries_total[other] 7
payments_open[claimed] 0
payments_open[settling] 0
payments_open_value[claimed] 0
payments_open_value[settling] 0
read_only[] 0
reports[] 1
reports_filed[] 0
subjects[] 3
trouble[import other] 1`)
}

// TestTheMethodsOfThisProgramAreCountedByTheirNames, and whatever else a caller sends as one.
func TestTheMethodsOfThisProgramAreCountedByTheirNames(t *testing.T) {
	m := NewMetrics("1.2.3")
	for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "BREW", "get"} {
		m.Served(method, "/", 200, time.Second)
	}
	families, err := m.registry.Gather()
	tocsintest.Must(t, err)
	counted := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "tocsin_requests_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "method" {
					counted[label.GetValue()] = metric.GetCounter().GetValue()
				}
			}
		}
	}
	tocsintest.Want(t, "methods", counted,
		map[string]float64{"GET": 1, "HEAD": 1, "POST": 1, "DELETE": 1, "OPTIONS": 1, "other": 3})
}
