package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
)

// TestSpansReachTheCollectorOfTheEnvironment, when the server ends at the latest. They have the caller's trace and the
// route, and neither a key, a payment nor who was looked up.
func TestSpansReachTheCollectorOfTheEnvironment(t *testing.T) {
	taken := make(chan string, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		taken <- r.URL.Path + " " + r.Header.Get("X-Secret") + " " + string(body)
	}))
	t.Cleanup(collector.Close)
	m := socketMachine(t)
	m.write("headers", "x-secret=of-a-file\n")
	s := m.with("OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_EXPORTER_OTLP_HEADERS_FILE=headers").
		serve("-first-key", "-admin", "unix:a.sock")
	key := s.printed(`toc_\w+`)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	r, err := http.NewRequest(http.MethodGet, s.url+"/api/v1/screen/"+address(1)+"?view=compact", nil)
	if err != nil {
		t.Fatal(err)
	}
	const payment = "cGF5bWVudCBvZiBzb21lYm9keQ"
	for name, value := range map[string]string{"x-api-key": key, "Payment-Signature": payment,
		"Traceparent": "00-" + trace + "-00f067aa0ba902b7-01", "Tracestate": "vendor=told"} {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	s.says(&s.err, `msg=request id=`+res.Header.Get("X-Request-Id")+` trace=`+trace)
	m.want("dropped spans", s.metric("tocsin_spans_dropped_total"), "0")
	m.want("exit status", s.end(syscall.SIGTERM), 0)
	sent := <-taken
	id, err := hex.DecodeString(trace)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"/v1/traces of-a-file ", "GET /api/v1/screen/{address}", string(id),
		res.Header.Get("X-Request-Id"), "service.version", version} {
		if !strings.Contains(sent, text) {
			t.Errorf("what was sent lacks %q: %q", text, sent)
		}
	}
	for _, text := range []string{key, payment, address(1), "compact", "told", "127.0.0.1"} {
		if strings.Contains(sent, text) {
			t.Errorf("what was sent has %q: %q", text, sent)
		}
	}
	if strings.Contains(s.err.String(), "of-a-file") {
		t.Error("the log has a header of the collector")
	}
	m.with("OTEL_EXPORTER_OTLP_ENDPOINT=nowhere").fails(exitUsage,
		`OTEL_EXPORTER_OTLP_ENDPOINT is not like http://localhost:4318`, "serve")
}
