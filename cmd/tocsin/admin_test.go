package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"tocsin/internal/health"
	"tocsin/internal/store"
)

// admin makes a request to the socket of -admin.
func (s *server) admin(path string) (status int, text string) {
	s.Helper()
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(s.dir, "a.sock"))
		},
	}}
	return s.text(&client, "http://tocsin"+path)
}

// metric returns the value of a metric, "" if there is none.
func (s *server) metric(name string) string {
	s.Helper()
	_, text := s.admin("/metrics")
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return found[1]
}

// socketMachine is a machine whose directory has a path that is short enough for a socket.
func socketMachine(t *testing.T) *machine {
	m := newMachine(t)
	dir, err := os.MkdirTemp("/tmp", "tocsin")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	m.dir = dir
	return m
}

// tooFast sends requests of one network until one is too many.
func (s *server) tooFast() {
	s.Helper()
	s.soon("a request is too many", func() bool {
		r, err := http.NewRequest(http.MethodGet, s.url+"/robots.txt", nil)
		if err != nil {
			s.Fatal(err)
		}
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			s.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode == http.StatusTooManyRequests && res.Header.Get("Retry-After") != ""
	})
}

// TestMetricsSayWhatHappens, on a socket of their own, and not on the address of the service.
func TestMetricsSayWhatHappens(t *testing.T) {
	m := socketMachine(t)
	s := m.serve("-first-key", "-admin", "unix:a.sock", "-memory", "200MiB", "-rate", "1", "-trusted-proxies", "127.0.0.1")
	key := s.printed(`toc_\w+`)
	for range 3 {
		s.screen(address(1), key)
	}
	s.screen(address(1), "")
	id := s.file("", "Counted", address(2))
	s.tooFast()
	if r, err := http.NewRequest("BREW", s.url+"/coffee", nil); err == nil {
		if res, err := http.DefaultClient.Do(r); err == nil {
			res.Body.Close()
		}
	}
	for name, want := range map[string]string{
		`tocsin_requests_total{method="GET",route="/api/v1/screen/{address}",status="200"}`:   "3",
		`tocsin_requests_total{method="GET",route="/api/v1/screen/{address}",status="402"}`:   "1",
		`tocsin_requests_total{method="POST",route="/api/v1/community-reports",status="201"}`: "1",
		`tocsin_requests_total{method="other",route="/",status="405"}`:                        "1",
		`tocsin_request_seconds_count{route="/api/v1/screen/{address}"}`:                      "4",
		`tocsin_free_calls_total{outcome="answered"}`:                                         "3",
		`tocsin_payments_open{state="settling"}`:                                              "0",
		`tocsin_reports_filed`:                                                                "1",
		`tocsin_memory_limit_bytes`:                                                           "2.097152e+08",
		`tocsin_filing_open`:                                                                  "1",
		`tocsin_refused_total{what="requests"}`:                                               "1",
		`tocsin_log_lines_dropped_total`:                                                      "0",
		`tocsin_database_readable`:                                                            "1",
		`tocsin_list_entries{list="ofac"}`:                                                    "958",
		`tocsin_build_info{version="` + version + `"}`:                                        "1",
		`tocsin_writes_waiting`:                                                               "0",
	} {
		m.soon(name+" is "+want, func() bool { return s.metric(name) == want })
	}
	read, err := strconv.ParseFloat(s.metric(`tocsin_list_imported_timestamp_seconds{list="ofac"}`), 64)
	if at := time.Unix(int64(read), 0).UTC(); err != nil || at.Year() < 2026 || at.Year() > 2100 {
		t.Errorf("the list was read at %v: %v", at, err)
	}
	m.fails(exitFailure, `scamsniffer`, "import", "scamsniffer", "-from", m.write("page.json", "<html>"))
	m.soon("a failed import is a trouble", func() bool {
		return s.metric(`tocsin_trouble{part="import",reason="scamsniffer"}`) == "1"
	})
	m.soon("/status says so", func() bool {
		is := s.call("/status", "", nil).body
		failures, _ := json.Marshal(is["failures"])
		return is["works"] == false && strings.Contains(string(failures), `"list":"scamsniffer"`)
	})
	m.want("without a backup", s.metric("tocsin_backup_timestamp_seconds"), "0")
	m.must("backup", "copy.db")
	m.soon("a backup is on record", func() bool { return len(s.metric("tocsin_backup_timestamp_seconds")) > 1 })
	s.says(&s.err, `level=ERROR msg="the import of a list failed; [^"]*" list=scamsniffer reason=read durationMs=`)
	s.says(&s.err, `level=INFO msg="backup made"`)
	m.soon("the read model is loaded", func() bool { return s.metric(`tocsin_read_model_state{state="loaded"}`) == "1" })
	_, text := s.admin("/metrics")
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
	for _, secret := range []string{key, id, "coffee", "BREW", address(1)} {
		if strings.Contains(text, secret) {
			t.Errorf("metrics have %s", secret)
		}
	}
	if status, text := s.admin("/debug/pprof/goroutine?debug=1"); status != 200 || !strings.Contains(text, "runWriter") {
		t.Errorf("a profile: %d %s", status, text)
	}
	for _, path := range []string{"/metrics", "/debug/pprof/"} {
		if status, _ := s.page(path); status != http.StatusNotFound {
			t.Errorf("%s on the address of the service: %d", path, status)
		}
	}
	is, err := os.Stat(filepath.Join(m.dir, "a.sock"))
	if err != nil || is.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", is.Mode(), err)
	}
	m.fails(exitFailure, `another process listens there`,
		"serve", "-listen", "127.0.0.1:0", "-db", "2.db", "-admin", "unix:a.sock")
	s.end(syscall.SIGKILL) // it leaves the socket
	s = m.serve("-admin", "unix:a.sock")
	m.want("after a crash", s.metric("tocsin_reports_filed"), "1")
	m.want("exit status", s.end(syscall.SIGTERM), 0)
}

func TestTheAddressOfAdminIsLoopbackUnlessItSaysOtherwise(t *testing.T) {
	m := newMachine(t)
	s := m.serve("-admin", ":0")
	at := s.says(&s.err, `admin=127\.0\.0\.1:\d+`)
	address := strings.TrimPrefix(at, "admin=")
	_, port, _ := strings.Cut(address, ":")
	for host, status := range map[string]int{
		address: 200, "localhost:" + port: 200, "[::1]:" + port: 200, "127.0.0.1": 200,
		"rebound.example:" + port: 403, "127.0.0.1.rebound.example": 403, "localhost.rebound.example": 403,
	} {
		for _, path := range []string{"/metrics", "/debug/pprof/cmdline"} {
			r, err := http.NewRequest("GET", "http://"+address+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			m.want(path+" of "+host, res.StatusCode, status)
		}
	}
	if strings.Contains(s.err.String(), "not on a loopback") {
		t.Errorf("it warns: %s", &s.err)
	}
	s.end(syscall.SIGTERM)
	s = m.serve("-admin", "0.0.0.0:0")
	s.says(&s.err, `level=WARN msg="-admin is not on a loopback address`)
	s.end(syscall.SIGTERM)
	m.fails(exitUsage, `-admin "8403" is not like`, "serve", "-listen", "127.0.0.1:0", "-admin", "8403")
}

// TestProbesSayWhetherToSendRequestsHere: alive is who answers, ready is who answers rightly.
func TestProbesSayWhetherToSendRequestsHere(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	ready := `{"ready":true,"checks":[{"name":"database","ok":true},{"name":"schema","ok":true},` +
		`{"name":"events","ok":true},{"name":"readModel","ok":true,"detail":"loaded"},{"name":"disk","ok":true}]}` + "\n"
	m.soon("it is ready", func() bool { status, text := s.page("/readyz"); return status == 200 && text == ready })
	if status, text := s.page("/healthz"); status != 200 || text != "ok\n" {
		t.Errorf("/healthz: %d %q", status, text)
	}
	path := filepath.Join(m.dir, "tocsin.db")
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	m.soon("it is not ready", func() bool {
		status, text := s.page("/readyz")
		return status == 503 && strings.HasPrefix(text, `{"ready":false,"checks":[{"name":"database","ok":false,`+
			`"detail":"The database file was moved or deleted.`)
	})
	if status, _ := s.page("/healthz"); status != 200 {
		t.Errorf("/healthz without a database: %d", status)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	m.soon("it is ready again", func() bool { status, _ := s.page("/readyz"); return status == 200 })
	m.sqlite("tocsin.db", "PRAGMA user_version = 99")
	m.soon("the schema is newer", func() bool {
		status, text := s.page("/readyz")
		return status == 503 && strings.Contains(text, `{"name":"schema","ok":false,"detail":"the database has schema 99, `)
	})
	res, err := http.Post(s.url+"/readyz", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	m.want("POST", fmt.Sprint(res.StatusCode, res.Header.Get("Allow")), "405GET, HEAD")
	s.end(syscall.SIGTERM)
	log := s.err.String()
	if n := strings.Count(log, "path=/readyz"); n < 3 || strings.Contains(log, "path=/healthz") ||
		strings.Contains(log, "path=/readyz route=/readyz status=200") {
		t.Errorf("the access log has %d lines about probes: %s", n, log)
	}
}

// TestALoadIsNoFailureOfTheReadModel, by a start or anew: that it cannot be loaded is one.
func TestALoadIsNoFailureOfTheReadModel(t *testing.T) {
	for _, c := range []struct {
		is   []store.Condition
		want int
	}{
		{[]store.Condition{{Model: store.ModelLoading}, {Model: store.ModelLoading}, {Model: store.ModelLoaded}}, 0},
		{[]store.Condition{{Model: store.ModelLoading, ModelFault: errReported}}, 1},
		{[]store.Condition{{Model: store.ModelLoaded}, {Model: store.ModelLoading}, {Model: store.ModelLoaded}}, 0},
		{[]store.Condition{{Model: store.ModelLoaded}, {Model: store.ModelLoading, ModelFault: errReported}}, 1},
		{[]store.Condition{{Model: store.ModelTooLarge}}, 1},
	} {
		l := &upkeepLog{board: health.New(time.Now, nil)}
		for _, is := range c.is {
			l.markModel(is)
		}
		for _, part := range l.board.LastDay().Parts {
			if part.Part == health.ReadModel && part.Count != c.want {
				t.Errorf("%v: %d failures", c.is, part.Count)
			}
		}
	}
}

// TestTheLastDaySaysWhetherListsAreRead: an import that goes on has not failed, and one that has is counted once.
func TestTheLastDaySaysWhetherListsAreRead(t *testing.T) {
	now := time.Now()
	l := &upkeepLog{board: health.New(func() time.Time { return now }, nil), started: true}
	for _, c := range []struct {
		is, want string
		try      store.ImportTry
	}{
		{"it goes on", "true 0", store.ImportTry{Running: true, Failures: 1, Failed: 1}},
		{"it has worked", "true 0", store.ImportTry{}},
		{"it has failed", "false 1", store.ImportTry{Reason: store.FailedRead, Failures: 1, Failed: 1}},
		{"it goes on again", "false 1", store.ImportTry{Running: true, Failures: 2, Failed: 2}},
		{"it has failed again", "false 2", store.ImportTry{Reason: store.FailedRead, Failures: 2, Failed: 2}},
		{"it has worked again", "true 2", store.ImportTry{Failed: 2}},
		{"it has failed and worked meanwhile", "true 3", store.ImportTry{Failed: 3}},
	} {
		now = now.Add(time.Minute)
		l.markImports([]store.ImportTry{c.try})
		for _, part := range l.board.LastDay().Parts {
			if got := fmt.Sprint(part.Works, " ", part.Count); part.Part == health.Imports && got != c.want {
				t.Errorf("%s: %s, not %s", c.is, got, c.want)
			}
		}
	}
}
