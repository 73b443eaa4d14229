package ops

import (
	"context"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/health"
	"tocsin/internal/store"
)

// Metrics are the numbers of one process in the form of Prometheus (text format 0.0.4, OpenMetrics). No label has a
// text of a caller: routes are those of this program, reasons are classes.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	payments *prometheus.CounterVec
	value    *prometheus.CounterVec
	free     *prometheus.CounterVec
	filings  *prometheus.CounterVec
	refused  *prometheus.CounterVec
	signals  *prometheus.CounterVec
}

// NewMetrics returns metrics of a version of the program. It implements front.Meter.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tocsin_requests_total", Help: "Requests by route, method and HTTP status.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tocsin_request_seconds", Help: "Time to answer, by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route"}),
		payments: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tocsin_payments_total",
			Help: "Outcomes of settlements: settled, refused, unsent or pending, which is asked about again.",
		}, []string{"network", "outcome"}),
		value: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tocsin_payments_value_total", Help: "Their amounts, in atomic units of the asset: 1,000,000 are 1 USDC.",
		}, []string{"network", "outcome"}),
		free: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tocsin_free_calls_total",
			Help: "Calls with a key: answered, failed, which are not charged, or exhausted, since no free call was left.",
		}, []string{"outcome"}),
		filings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tocsin_filings_total",
			Help: "Valid reports that were sent: filed, duplicate, or the code of the problem for which they were refused.",
		}, []string{"outcome"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tocsin_refused_total",
			Help: "What was refused: requests of a network over -rate, connections and bodies too many, calls under overload.",
		}, []string{"what"}),
		signals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tocsin_signals_total",
			Help: "What became of questions about domains (-rdap, -ct-search, -resolver): known, unknown, failed or dropped.",
		}, []string{"signal", "outcome"}),
	}
	built := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "tocsin_build_info", Help: "1, with the version as a label.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	built.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.payments, m.value, m.free, m.filings, m.refused, m.signals, built,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Served implements front.Meter.
func (m *Metrics) Served(method, route string, status int, took time.Duration) {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodHead, http.MethodOptions:
	default:
		method = "other" // it is whatever a caller has sent
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// Settled implements front.Meter.
func (m *Metrics) Settled(network, outcome string, amount int64) {
	m.payments.WithLabelValues(network, outcome).Inc()
	m.value.WithLabelValues(network, outcome).Add(float64(amount))
}

// Called implements front.Meter.
func (m *Metrics) Called(outcome string) { m.free.WithLabelValues(outcome).Inc() }

// Filed implements front.Meter.
func (m *Metrics) Filed(outcome string) { m.filings.WithLabelValues(outcome).Inc() }

// Refused implements front.Meter.
func (m *Metrics) Refused(what string) { m.refused.WithLabelValues(what).Inc() }

// Asked counts a question about a domain, by its signal and its outcome.
func (m *Metrics) Asked(signal, outcome string) { m.signals.WithLabelValues(signal, outcome).Inc() }

// Sources are what is asked for the gauges when metrics are read.
type Sources struct {
	DB      *store.DB
	API     *api.Server
	Board   *health.Board
	Dropped func() int64                             // lines of the log so far
	Spans   func() (sent, dropped int64, known bool) // for OpenTelemetry so far; known is false if there are none
	Memory  int64                                    // bytes that the process takes at most: the flag -memory
}

// Watch adds the gauges of a service. Call it once.
func (m *Metrics) Watch(s Sources) { m.registry.MustRegister(gauges{s}) }

// gauges are read when they are asked for.
type gauges struct{ Sources }

// gauge is the description of one metric.
func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("tocsin_"+name, help, labels, nil)
}

var (
	readable     = gauge("database_readable", "1 if the database could be read, 0 if not, or if it is damaged.")
	reports      = gauge("reports", "Published reports.")
	filed        = gauge("reports_filed", "Of them, those that were filed here.")
	subjects     = gauge("subjects", "Subjects that a report or a list has ever named.")
	filing       = gauge("filing_open", "Who may file reports: 1 everybody, 0.5 keys only, 0 nobody.")
	readOnly     = gauge("read_only", "1 while nothing is recorded, by the operator.")
	listEntries  = gauge("list_entries", "Entries of a list that are in force.", "list")
	listReports  = gauge("list_reports", "Published reports of a list.", "list")
	listImported = gauge("list_imported_timestamp_seconds", "When a public list was last read.", "list")
	listDated    = gauge("list_date_timestamp_seconds", "A public list's own date, of those that are known.", "list")
	listFailed   = gauge("list_failed_timestamp_seconds", "When reading a list failed, if it has since.", "list", "reason")
	listTries    = gauge("list_tries_total", "Tries to import a list.", "list")
	listFailures = gauge("list_tries_failed_total", "Of them, those that failed.", "list")
	listInARow   = gauge("list_failures", "How often the import of a list has failed in a row.", "list")
	listLost     = gauge("list_withdrawn_ratio", "Part of a list that it has lost, until it has grown again.", "list")
	listNext     = gauge("list_next_timestamp_seconds", "When -refresh will import a list next.", "list")

	backup = gauge("backup_timestamp_seconds", "When a backup ended well last; 0 for never, of a file.")

	openPayments = gauge("payments_open",
		"Payments that are not settled: claimed, before anything was sent, or settling, whose end is not known.", "state")
	openValue = gauge("payments_open_value", "Their amounts, in atomic units of the asset.", "state")

	lag        = gauge("events_lag_seconds", "How long ago the log of changes was read.")
	modelState = gauge("read_model_state", "1 for its state: off, loading, loaded or too large.", "state")
	modelSize  = gauge("read_model_bytes", "Memory that the read model takes.")
	modelKnown = gauge("read_model_subjects", "Subjects that the read model knows.")
	modelLate  = gauge("read_model_changed", "Of them, those that are asked of the database until they were read again.")
	waiting    = gauge("writes_waiting", "Writes that wait for a commit or are in one.")
	writes     = gauge("writes_total", "Writes, those that failed included.")
	commits    = gauge("commits_total", "Commits of writes; many writes share one.")
	logSize    = gauge("wal_bytes", "Size of SQLite's write-ahead log.")
	diskFree   = gauge("disk_free_bytes", "What the database can still grow by.")

	memoryLimit  = gauge("memory_limit_bytes", "What the process takes at most: -memory.")
	dropped      = gauge("log_lines_dropped_total", "Lines of the log that could not be written.")
	spansSent    = gauge("spans_sent_total", "Spans that the collector of OpenTelemetry has taken.")
	spansDropped = gauge("spans_dropped_total", "Spans that it has not, or that were too many.")
	trouble      = gauge("trouble", "1 for what /status shows as not working; of part import, the reason is the list.",
		"part", "reason")
	facilitator = gauge("facilitator_reachable", "1 if the facilitator answered when it was last asked.")
	networks    = gauge("payments_offered", "1 for a network on which payments can be taken now, else 0.", "network")
)

// Describe implements [prometheus.Collector]: with no description the collector is unchecked, since its labels vary.
func (g gauges) Describe(chan<- *prometheus.Desc) {}

// statsTimeout is how long the numbers of the database may take.
const statsTimeout = 5 * time.Second

// Collect implements [prometheus.Collector].
func (g gauges) Collect(out chan<- prometheus.Metric) {
	set := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	count := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...)
	}
	condition := g.DB.Condition()
	set(lag, condition.Lag.Seconds())
	set(modelState, 1, string(condition.Model))
	set(modelSize, float64(condition.ModelBytes))
	set(modelKnown, float64(condition.Subjects))
	set(modelLate, float64(condition.Changed))
	set(waiting, float64(condition.Waiting))
	count(writes, float64(condition.Writes))
	count(commits, float64(condition.Commits))
	set(logSize, float64(condition.LogBytes))
	if free, known := g.DB.FreeDisk(); known {
		set(diskFree, float64(free))
	}
	set(memoryLimit, float64(g.Memory))
	count(dropped, float64(g.Dropped()))
	if sent, lost, known := g.Spans(); known {
		count(spansSent, float64(sent))
		count(spansDropped, float64(lost))
	}
	g.collectTroubles(set)
	g.collectPayments(set)
	g.collectStats(set, count)
}

func (g gauges) collectTroubles(set func(*prometheus.Desc, float64, ...string)) {
	for _, t := range g.Board.Troubles() {
		if t.Lasting || !t.Over {
			set(trouble, 1, string(t.Part), string(t.Reason))
		}
	}
}

func (g gauges) collectPayments(set func(*prometheus.Desc, float64, ...string)) {
	status := g.API.Payments()
	if f := status.Facilitator; f != nil && f.Reachable != nil {
		set(facilitator, oneIf(*f.Reachable))
		if !*f.Reachable {
			set(trouble, 1, "facilitator", "unreachable")
		}
	}
	for _, n := range status.Networks {
		set(networks, oneIf(n.Offered), n.Network)
	}
}

func (g gauges) collectStats(set, count func(*prometheus.Desc, float64, ...string)) {
	ctx, cancel := context.WithTimeout(context.Background(), statsTimeout)
	defer cancel()
	st, err := g.DB.Stats(ctx)
	set(readable, oneIf(err == nil && g.DB.Readable(ctx) == nil))
	if err != nil {
		return
	}
	if open, err := g.DB.OpenPayments(ctx); err == nil {
		for _, payments := range open {
			set(openPayments, float64(payments.Payments), payments.State)
			set(openValue, float64(payments.Amount), payments.State)
		}
	}
	set(reports, float64(st.Reports))
	set(filed, float64(st.Filed))
	set(subjects, float64(st.Subjects))
	set(filing, openness[st.Filing])
	set(readOnly, oneIf(st.ReadOnly))
	if st.Backup.Made() {
		set(backup, float64(st.Backup.At.Std().Unix()))
	} else if st.Backup.Files {
		set(backup, 0)
	}
	for _, l := range st.Lists {
		set(listEntries, float64(l.Listings), l.Name)
		set(listReports, float64(l.Reports), l.Name)
		if !l.Public() { // an operator's own list is as new as its last change
			continue
		}
		set(listImported, float64(l.Imported.Std().Unix()), l.Name)
		if l.Version.Date != nil {
			set(listDated, float64(l.Version.Date.Std().Unix()), l.Name)
		}
	}
	for _, t := range st.Tries {
		inARow, failed := t.Counts()
		count(listTries, float64(t.Tries), t.List)
		count(listFailures, float64(failed), t.List)
		set(listInARow, float64(inARow), t.List)
		if t.Peak > 0 {
			set(listLost, float64(t.Lost())/float64(t.Peak), t.List)
		}
		if t.Next != nil {
			set(listNext, float64(t.Next.Std().Unix()), t.List)
		}
	}
	for _, f := range st.Failed() {
		set(listFailed, float64(f.At.Std().Unix()), f.List, f.Reason)
		set(trouble, 1, "import", f.List)
	}
}

// openness is the value of filing_open.
var openness = map[tocsin.FilingState]float64{tocsin.FilingOpen: 1, tocsin.FilingKeysOnly: 0.5, tocsin.FilingShut: 0}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Admin returns what is served on the address of -admin: /metrics and /debug/pprof/. A caller can read the memory
// of the process, so it must not be public, and [local] keeps the pages of browsers out. The probes are not there: they
// say whether the service's own address answers.
func (m *Metrics) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		EnableOpenMetrics: true, MaxRequestsInFlight: 2, ErrorHandling: promhttp.ContinueOnError,
	}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("/metrics\n/debug/pprof/\n"))
	})
	return local(mux)
}

// local refuses requests over a loopback address that name another host: they are those of a page of a stranger in a
// browser on this machine, whose name was made to lead here (DNS rebinding) and which could read the answers.
func local(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if at, ok := at.(*net.TCPAddr); ok && at.IP.IsLoopback() && !isLocal(r.Host) {
			http.Error(w, "Ask for it by an IP address or as localhost: a page of a browser may not read this.",
				http.StatusForbidden)
			return
		}
		to.ServeHTTP(w, r)
	})
}

// isLocal reports whether a Host is localhost or an IP address, whatever the port. No page of a stranger has such an
// origin here.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost")
}
