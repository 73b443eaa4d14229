package otlp

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"tocsin/internal/front"
)

// counting makes ids of one byte after the other.
type counting struct{ n byte }

func (c *counting) Read(p []byte) (int, error) {
	for i := range p {
		c.n++
		p[i] = c.n
	}
	return len(p), nil
}

// variables returns an environment.
func variables(pairs ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		for _, p := range pairs {
			if key, value, _ := strings.Cut(p, "="); key == name {
				return value, nil
			}
		}
		return "", nil
	}
}

// collector is a server that takes batches; answer may answer instead.
type collector struct {
	*httptest.Server
	taken  chan *http.Request
	spans  chan []*tracepb.ResourceSpans
	answer func(w http.ResponseWriter, r *http.Request) bool
	waits  []time.Duration // before a batch was sent again
}

func startCollector(t *testing.T) *collector {
	c := &collector{taken: make(chan *http.Request, 100), spans: make(chan []*tracepb.ResourceSpans, 100)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.answer != nil && c.answer(w, r) {
			return
		}
		var from io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			unpacked, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Error(err)
				return
			}
			from = unpacked
		}
		body, err := io.ReadAll(from)
		var sent collectorpb.ExportTraceServiceRequest
		if err := errors.Join(err, proto.Unmarshal(body, &sent)); err != nil {
			t.Error(err)
		}
		c.taken <- r
		c.spans <- sent.ResourceSpans
	}))
	t.Cleanup(c.Close)
	return c
}

// exporter returns one for a collector, and the function that ends it.
func (c *collector) exporter(t *testing.T, env ...string) (e *Exporter, tick chan time.Time, end func()) {
	t.Helper()
	config, err := FromEnvironment(variables(append(env, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)...), "1.2.3")
	if err != nil || config == nil {
		t.Fatal(config, err)
	}
	e = New(*config, &counting{}, func(err error) { t.Log("reported: ", err) })
	e.after = func(wait time.Duration) <-chan time.Time {
		c.waits = append(c.waits, wait)
		return time.After(0)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	tick = make(chan time.Time)
	go func() {
		defer close(ended)
		e.run(ctx, tick)
	}()
	end = func() {
		cancel()
		<-ended
	}
	t.Cleanup(end)
	return e, tick, end
}

// flush has the exporter send what it was given.
func flush(e *Exporter, tick chan time.Time) {
	for len(e.queue) > 0 {
		runtime.Gosched()
	}
	tick <- noon
}

func attributes(of []*commonpb.KeyValue) (all []string) {
	for _, a := range of {
		value := a.Value.GetStringValue()
		switch is := a.Value.Value.(type) {
		case *commonpb.AnyValue_IntValue:
			value = fmt.Sprint(is.IntValue)
		case *commonpb.AnyValue_ArrayValue:
			var texts []string
			for _, v := range is.ArrayValue.Values {
				texts = append(texts, v.GetStringValue())
			}
			value = fmt.Sprint(texts)
		}
		all = append(all, a.Key+"="+value)
	}
	slices.Sort(all)
	return all
}

func equal(t *testing.T, about string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", about, got, want)
	}
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// TestASpanOfEachRequestReachesTheCollector, with what the standard variables say, and the caller's trace.
func TestASpanOfEachRequestReachesTheCollector(t *testing.T) {
	c := startCollector(t)
	e, _, end := c.exporter(t, "OTEL_EXPORTER_OTLP_HEADERS=api-key=s%20ecret,x=y", "OTEL_SERVICE_NAME=bell",
		"OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=test,service.name=other",
		"OTEL_EXPORTER_OTLP_COMPRESSION=gzip")
	parent := front.TraceContext{Trace: [16]byte{15: 7}, Span: [8]byte{7: 9}, Sampled: true}
	equal(t, "the trace of a caller", e.Ended(front.Ended{ID: "a-1", Method: "GET", Route: "/api/v1/screen/{address}",
		Status: 200, Start: noon, End: noon.Add(time.Millisecond), Parent: parent}), "00000000000000000000000000000007")
	equal(t, "a trace of ours", e.Ended(front.Ended{ID: "a-2", Method: "BREW", Route: "/", Status: 503, Start: noon,
		End: noon}), "191a1b1c1d1e1f202122232425262728")
	parent.Sampled = false
	equal(t, "a trace that its caller does not record", e.Ended(front.Ended{Parent: parent}),
		"00000000000000000000000000000007")
	end()
	r, sent := <-c.taken, <-c.spans
	equal(t, "the request", []string{r.Method, r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("api-key"),
		r.Header.Get("x")}, []string{"POST", "/v1/traces", "application/x-protobuf", "s ecret", "y"})
	equal(t, "the service", attributes(sent[0].Resource.Attributes),
		[]string{"deployment.environment.name=test", "service.name=bell", "service.version=1.2.3"})
	spans := sent[0].ScopeSpans[0].Spans
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	first, second := spans[0], spans[1]
	equal(t, "the first", []any{first.Name, first.Kind, fmt.Sprintf("%x %x", first.SpanId, first.ParentSpanId),
		fmt.Sprintf("%x", first.Flags), first.EndTimeUnixNano - first.StartTimeUnixNano, first.Status.GetCode()},
		[]any{"GET /api/v1/screen/{address}", tracepb.Span_SPAN_KIND_SERVER, "1112131415161718 0000000000000009", "301",
			1_000_000, tracepb.Status_STATUS_CODE_UNSET})
	equal(t, "what is said of it", attributes(first.Attributes), []string{"http.request.method=GET",
		"http.response.header.x-request-id=[a-1]", "http.response.status_code=200", "http.route=/api/v1/screen/{address}"})
	equal(t, "the second", []any{second.Name, len(second.ParentSpanId), second.Status.GetCode()},
		[]any{"HTTP /", 0, tracepb.Status_STATUS_CODE_ERROR})
	equal(t, "what is said of it", attributes(second.Attributes), []string{"error.type=503", "http.request.method=_OTHER",
		"http.response.header.x-request-id=[a-2]", "http.response.status_code=503", "http.route=/"})
	ok, lost := e.Counts()
	equal(t, "sent and dropped", []int64{ok, lost}, []int64{2, 0})
}

// TestACollectorThatIsStuckHoldsUpNobody: what is too much is dropped and counted, and the end does not wait for it.
func TestACollectorThatIsStuckHoldsUpNobody(t *testing.T) {
	c := startCollector(t)
	stuck, free := make(chan struct{}, 100), make(chan struct{})
	c.answer = func(http.ResponseWriter, *http.Request) bool {
		stuck <- struct{}{}
		<-free
		return true
	}
	t.Cleanup(func() { close(free) }) // before the server is closed
	e, tick, end := c.exporter(t)
	e.Ended(front.Ended{Start: noon, End: noon})
	flush(e, tick)
	<-stuck
	const many = 10_000
	for range many {
		e.Ended(front.Ended{Start: noon, End: noon})
	}
	sent, dropped := e.Counts()
	equal(t, "sent and dropped", []int64{sent, dropped}, []int64{0, many - maxWaiting})
	end()
	if sent, dropped = e.Counts(); sent != 0 || dropped != many+1 {
		t.Errorf("at the end %d are sent and %d dropped", sent, dropped)
	}
}

// TestABatchIsSentAgainIfTheCollectorAsksForIt, twice at most, and no other.
func TestABatchIsSentAgainIfTheCollectorAsksForIt(t *testing.T) {
	for _, of := range []struct {
		status, refused int
		want            [3]int64
		waits           []time.Duration
	}{
		{503, 1, [3]int64{2, 1, 0}, []time.Duration{2 * time.Second}},
		{503, 2, [3]int64{3, 1, 0}, []time.Duration{2 * time.Second, 4 * time.Second}},
		{503, 9, [3]int64{3, 0, 1}, []time.Duration{2 * time.Second, 4 * time.Second}},
		{400, 1, [3]int64{1, 0, 1}, nil},
		{302, 1, [3]int64{1, 0, 1}, nil},
	} {
		c := startCollector(t)
		calls := make(chan int, 100)
		c.answer = func(w http.ResponseWriter, r *http.Request) bool {
			calls <- 1
			if len(calls) > of.refused {
				return false
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(of.status)
			return true
		}
		e, tick, _ := c.exporter(t)
		e.Ended(front.Ended{Start: noon, End: noon})
		flush(e, tick)
		tick <- noon // when the first is dealt with
		sent, dropped := e.Counts()
		about := fmt.Sprintf("%d, %d times: ", of.status, of.refused)
		equal(t, about+"calls, sent, dropped", [3]int64{int64(len(calls)), sent, dropped}, of.want)
		equal(t, about+"waits", c.waits, of.waits)
	}
}

// TestTheCollectorSaysWhatIsSentAgain by the status of its answer (OTLP, "Retryable Response Codes").
func TestTheCollectorSaysWhatIsSentAgain(t *testing.T) {
	c, status := startCollector(t), 0
	c.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		return true
	}
	e, _, _ := c.exporter(t)
	var again []int
	for _, status = range []int{200, 400, 401, 404, 429, 500, 501, 502, 503, 504} {
		if err := e.try(t.Context(), nil); errors.Is(err, errAgain) {
			again = append(again, status)
		}
	}
	equal(t, "sent again", again, []int{429, 502, 503, 504})
}

func TestTheVariablesOfOpenTelemetry(t *testing.T) {
	const at = "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318/"
	for _, c := range []struct {
		env  []string
		want string // URL, ratio and whether the caller decides; or the error
	}{
		{nil, "off"},
		{[]string{"OTEL_SERVICE_NAME=x"}, "off"},
		{[]string{at}, "http://collector:4318/v1/traces 1 true"},
		{[]string{at, "OTEL_SDK_DISABLED=true"}, "off"},
		{[]string{at, "OTEL_TRACES_EXPORTER=none"}, "off"},
		{[]string{"OTEL_TRACES_EXPORTER=otlp"}, "http://localhost:4318/v1/traces 1 true"},
		{[]string{at, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://b/t"}, "https://b/t 1 true"},
		{[]string{at, "OTEL_TRACES_SAMPLER=always_off"}, "http://collector:4318/v1/traces 0 false"},
		{[]string{at, "OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=0.25"},
			"http://collector:4318/v1/traces 0.25 true"},
		{[]string{at, "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=NaN"},
			"OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1"},
		{[]string{at, "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=1.5"},
			"OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1"},
		{[]string{at, "OTEL_TRACES_EXPORTER=zipkin"}, "OTEL_TRACES_EXPORTER must be otlp or none"},
		{[]string{at, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf"},
		{[]string{at, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf"},
			"http://collector:4318/v1/traces 1 true"},
		{[]string{at, "OTEL_EXPORTER_OTLP_CERTIFICATE=ca.pem"},
			"OTEL_EXPORTER_OTLP_CERTIFICATE is not supported: send to a collector on this machine"},
		{[]string{at, "OTEL_EXPORTER_OTLP_HEADERS=secret"}, "OTEL_EXPORTER_OTLP_HEADERS is not like key=value,key=value"},
		{[]string{at, "OTEL_EXPORTER_OTLP_HEADERS==secret"}, "OTEL_EXPORTER_OTLP_HEADERS is not like key=value,key=value"},
		{[]string{at, "OTEL_EXPORTER_OTLP_HEADERS=a=b%0ac"},
			"OTEL_EXPORTER_OTLP_HEADERS is not like key=value,key=value"},
		{[]string{at, "OTEL_EXPORTER_OTLP_TIMEOUT=soon"}, "OTEL_EXPORTER_OTLP_TIMEOUT is not a number of milliseconds"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318"},
			"the endpoint of OTEL_EXPORTER_OTLP_ENDPOINT is not like http://localhost:4318"},
	} {
		got := "off"
		config, err := FromEnvironment(variables(c.env...), "1")
		switch {
		case err != nil:
			got = err.Error()
		case config != nil:
			got = fmt.Sprintf("%s %v %t", config.URL, config.Ratio, config.ByParent)
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.env, got, c.want)
		}
	}
}

// TestAVariableThatCannotBeReadSwitchesNothingOff: the operator wanted traces.
func TestAVariableThatCannotBeReadSwitchesNothingOff(t *testing.T) {
	unreadable := errors.New("no such file")
	config, err := FromEnvironment(func(name string) (string, error) {
		if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			return "", unreadable
		}
		return "", nil
	}, "1")
	if config != nil || !errors.Is(err, unreadable) {
		t.Errorf("%v, %v", config, err)
	}
}

// TestAShareOfTheTracesIsRecorded: that of the sampler, whichever process decides.
func TestAShareOfTheTracesIsRecorded(t *testing.T) {
	for ratio, want := range map[float64]string{0: "false false", 0.5: "true false", 1: "true true"} {
		e := New(Config{Ratio: ratio}, &counting{}, func(error) {})
		low, high := make([]byte, 16), slices.Repeat([]byte{255}, 16)
		equal(t, fmt.Sprint(ratio), fmt.Sprint(e.samples(front.TraceContext{}, low), " ",
			e.samples(front.TraceContext{}, high)), want)
	}
}
