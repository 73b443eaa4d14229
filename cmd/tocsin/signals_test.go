package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestAServerAsksWhoTheOperatorNames about a name that is near those of fraud, and about no other. Its first answer
// does not wait for them.
func TestAServerAsksWhoTheOperatorNames(t *testing.T) {
	m := socketMachine(t)
	registered := time.Now().Add(-73 * time.Hour).UTC().Truncate(time.Second)
	asked, answer := make(chan string, 100), make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.RequestURI
		<-answer
		if r.URL.Path == "/ct" {
			fmt.Fprintf(w, `[{"entry_timestamp":"2026-01-02T03:04:05.678","not_before":"2026-01-02T03:00:00"}]`)
			return
		}
		fmt.Fprintf(w, `{"objectClassName":"domain","ldhName":"MYMETAMASK.COM","events":[{"eventAction":"registration",
			"eventDate":%q}]}`, registered.Format(time.RFC3339))
	}))
	t.Cleanup(service.Close)
	file := m.write("dns.json", fmt.Sprintf(`{"publication":"2026-01-02T00:00:00Z","services":[[["com"],[%q]]]}`,
		service.URL))
	key := m.newKey("-quota", "100000") // it is asked until the answer is there
	s := m.serve("-admin", "unix:a.sock", "-rdap", "-rdap-bootstrap", filepath.Join(m.dir, file),
		"-ct-search", service.URL+"/ct?q={domain}", "-resolver", "127.0.0.1:1")
	screened := func(name string) map[string]any { return s.screen(name, key).body }
	m.want("of an honest name", []any{screened("mihalo.com")["signals"], len(asked)}, []any{nil, 0})
	first := screened("mymetamask.com")
	m.want("at first", []any{first["signals"].(map[string]any)["registeredAt"], first["result"]},
		[]any{nil, "no_reports"})
	close(answer)
	is := first
	m.soon("a later answer has the signals", func() bool {
		is = screened("mymetamask.com")
		signals := is["signals"].(map[string]any)
		return signals["registeredAt"] != nil && signals["firstCertificateAt"] != nil
	})
	m.want("later", []any{is["result"], is["riskScore"], is["signals"]}, []any{"suspicious", 25, map[string]any{
		"registeredAt":       registered.Format("2006-01-02T15:04:05.000000Z"),
		"firstCertificateAt": "2026-01-02T03:00:00.000000Z", "resolves": nil}})
	m.want("questions", []any{len(asked), strings.Contains(<-asked+<-asked, "/domain/mymetamask.com")}, []any{2, true})
	status, page := s.page("/screen/mymetamask.com")
	if day := registered.Format("2 Jan 2006"); status != 200 || !strings.Contains(page, "it is new, and its name is ") ||
		!regexp.MustCompile(`Site registered</dt><dd><time [^>]+>`+day).MatchString(page) {
		t.Errorf("the page, %d, does not say that it is of %s", status, day)
	}
	m.soon("a service that fails is counted", func() bool {
		return s.metric(`tocsin_signals_total{outcome="failed",signal="resolves"}`) != ""
	})
	m.want("metrics", s.metric(`tocsin_signals_total{outcome="known",signal="registered"}`), "1")
	s.says(&s.err, `registries are asked about domains .* suffixes=1 published=2026-01-02T00:00:00Z`)
	s.says(&s.err, `a service that is asked about domains fails.* signal=resolves`)
}

func TestWhoIsAskedAboutDomainsIsChecked(t *testing.T) {
	m := newMachine(t)
	m.fails(exitUsage, "-rdap-bootstrap is for -rdap", "serve", "-rdap-bootstrap", "dns.json")
	m.fails(exitUsage, "-rdap-bootstrap: open missing.json", "serve", "-rdap", "-rdap-bootstrap", "missing.json")
	m.fails(exitUsage, "-rdap-bootstrap: it is no bootstrap file", "serve", "-rdap", "-rdap-bootstrap",
		filepath.Join(m.dir, m.write("wrong.json", "services")))
	m.fails(exitUsage, "-ct-search: it is not like https", "serve", "-ct-search", "https://crt.example/")
	m.fails(exitUsage, `-resolver "dns.example" is not like 9.9.9.9`, "serve", "-resolver", "dns.example")
}

// TestEvalMeasuresWhatSignalsAdd by further columns of its file.
func TestEvalMeasuresWhatSignalsAdd(t *testing.T) {
	m := newMachine(t)
	m.learns()
	m.must("train", "-cutoff", "2030-01-01")
	rows := []string{"label,domain,source,resolves,registered,firstCertificate,asOf"}
	for _, fields := range []string{"false,2030-01-01,2030-01-01,2030-01-30", "true,,2030-01-01T10:00:00Z,2030-01-31",
		"true,2020-01-01,2030-01-01,2030-01-31", ",2030-01-01,,2030-02-01", ",,,"} {
		rows = append(rows, fmt.Sprintf("malicious,claim-pepo%c.xyz,scamsniffer,%s", 'a'+len(rows), fields),
			fmt.Sprintf("benign,pepe%cpepo.com,new,%s", 'a'+len(rows), fields))
	}
	cases := m.write("cases.csv", rows...)
	out := m.must("eval", "-domains", cases)
	for _, row := range []string{`SUSPICIOUS +NAMES +WITH A DATE`, `innocent: new +5 +4 +\d`,
		`listed by scamsniffer +5 +4 +100.00 \S+ +100.00 \S+ +1$`} {
		if !regexp.MustCompile(`(?m)^` + row).MatchString(out) {
			t.Errorf("no row is like %s:\n%s", row, out)
		}
	}
	m.fails(exitFailure, "a.com: registered \"soon\" is neither a date nor a time", "eval", "-domains",
		m.write("wrong.csv", "label,domain,source,registered", "malicious,a.com,x,soon"))
	m.fails(exitFailure, "a.com: resolves \"perhaps\" is neither true nor false", "eval", "-domains",
		m.write("wrong.csv", "label,domain,source,resolves", "malicious,a.com,x,perhaps"))
}
