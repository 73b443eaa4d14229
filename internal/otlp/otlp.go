// Package otlp sends a span of each request to a collector of OpenTelemetry: OTLP over HTTP, in protobuf
// (https://opentelemetry.io/docs/specs/otlp/#otlphttp). Why it does so by itself is in decision 55.
package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"tocsin/internal/front"
)

// The bounds of what waits: a span takes up to a kilobyte of memory.
const (
	maxWaiting = 2048
	maxBatch   = 512

	delay       = 5 * time.Second // between batches that are not full
	tries       = 3               // of a batch
	lastMoments = 2 * time.Second // for what waits when the process ends
)

// Exporter sends spans. Its methods may be called from any goroutine.
type Exporter struct {
	config Config
	client *http.Client
	random io.Reader
	report func(error)
	after  func(time.Duration) <-chan time.Time

	queue         chan *tracepb.Span
	sent, dropped atomic.Int64
	failing       bool // of Run alone
}

// New returns an exporter. Random makes ids. Report is called with an error when a batch could not be sent and the one
// before could, and with nil when it works again. No error has a header or a part of the URL.
func New(c Config, random io.Reader, report func(error)) *Exporter {
	return &Exporter{
		config: c,
		client: &http.Client{
			Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: time.Minute},
			// The headers are for the collector alone.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		random: random,
		report: report,
		after:  time.After,
		queue:  make(chan *tracepb.Span, maxWaiting),
	}
}

// Ended takes a request that has ended, and returns the id of its trace, "" if it has none. It never waits: while more
// come than can be sent, they are dropped and counted.
func (e *Exporter) Ended(r front.Ended) (trace string) {
	var fresh [24]byte
	if _, err := io.ReadFull(e.random, fresh[:]); err != nil {
		return ""
	}
	id, parent := r.Parent.Trace[:], r.Parent.Span[:]
	flags := uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK)
	if !r.Parent.Known() {
		id, parent = fresh[:16], nil
	} else {
		trace = hex.EncodeToString(id)
		flags |= uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)
	}
	if !e.samples(r.Parent, id) {
		return trace
	}
	select {
	case e.queue <- span(r, id, fresh[16:], parent, flags|1):
	default:
		e.dropped.Add(1)
	}
	return hex.EncodeToString(id)
}

// samples reports whether a trace is recorded.
func (e *Exporter) samples(parent front.TraceContext, id []byte) bool {
	if e.config.ByParent && parent.Known() {
		return parent.Sampled
	}
	// By its last bits, which are random also in ids that begin with a time.
	return float64(binary.BigEndian.Uint64(id[8:])>>11) < e.config.Ratio*(1<<53)
}

// methods are those of the semantic conventions for HTTP, of what is served here.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete, http.MethodOptions}

// span is a request in the semantic conventions for HTTP servers (1.40), but for url.path, which names who was looked
// up.
func span(r front.Ended, trace, id, parent []byte, flags uint32) *tracepb.Span {
	method, name := r.Method, r.Method
	if !slices.Contains(methods, method) {
		method, name = "_OTHER", "HTTP" // it is whatever a caller has sent
	}
	s := &tracepb.Span{
		TraceId:           slices.Clone(trace),
		SpanId:            slices.Clone(id),
		ParentSpanId:      slices.Clone(parent),
		Flags:             flags,
		Name:              name + " " + r.Route,
		Kind:              tracepb.Span_SPAN_KIND_SERVER,
		StartTimeUnixNano: uint64(r.Start.UnixNano()),
		EndTimeUnixNano:   uint64(r.End.UnixNano()),
		Attributes: []*commonpb.KeyValue{text("http.request.method", method), text("http.route", r.Route),
			texts("http.response.header.x-request-id", r.ID)},
	}
	if r.Status != 0 {
		s.Attributes = append(s.Attributes, &commonpb.KeyValue{Key: "http.response.status_code",
			Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(r.Status)}}})
	}
	if r.Status == 0 || r.Status >= http.StatusInternalServerError {
		s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR}
		s.Attributes = append(s.Attributes, text("error.type", strconv.Itoa(r.Status)))
	}
	return s
}

func text(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: textValue(value)}
}

// texts is an array, as the conventions want it of headers.
func texts(key string, values ...string) *commonpb.KeyValue {
	array := &commonpb.ArrayValue{}
	for _, value := range values {
		array.Values = append(array.Values, textValue(value))
	}
	return &commonpb.KeyValue{Key: key,
		Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: array}}}
}

func textValue(value string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}
}

// Counts returns how many spans were sent so far, and how many were dropped.
func (e *Exporter) Counts() (sent, dropped int64) { return e.sent.Load(), e.dropped.Load() }

// Run sends until the context ends, and then what still waits, for two seconds at most.
func (e *Exporter) Run(ctx context.Context) {
	tick := time.NewTicker(delay)
	defer tick.Stop()
	e.run(ctx, tick.C)
}

func (e *Exporter) run(ctx context.Context, tick <-chan time.Time) {
	batch := make([]*tracepb.Span, 0, maxBatch)
	for {
		select {
		case s := <-e.queue:
			if batch = append(batch, s); len(batch) < maxBatch {
				continue
			}
		case <-tick:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastMoments)
			defer cancel()
			for {
				select {
				case s := <-e.queue:
					if batch = append(batch, s); len(batch) < maxBatch {
						continue
					}
				default:
				}
				if len(batch) == 0 {
					return
				}
				e.send(last, batch)
				batch = batch[:0]
			}
		}
		if len(batch) > 0 {
			e.send(ctx, batch)
			batch = batch[:0]
		}
	}
}

// send posts a batch, again after a while if the collector asks for that or is away.
func (e *Exporter) send(ctx context.Context, batch []*tracepb.Span) {
	err := e.try(ctx, batch)
	for n := 1; n < tries && errors.Is(err, errAgain); n++ {
		select {
		case <-e.after(time.Second << n):
			err = e.try(ctx, batch)
			continue
		case <-ctx.Done():
		}
		break
	}
	if err == nil {
		e.sent.Add(int64(len(batch)))
	} else {
		e.dropped.Add(int64(len(batch)))
	}
	if (err != nil) != e.failing && !(err != nil && ctx.Err() != nil) {
		e.failing = err != nil
		e.report(err)
	}
}

// errAgain is wrapped by errors after which a batch is sent again (OTLP, "Retryable Response Codes").
var errAgain = errors.New("it is tried again")

func (e *Exporter) try(ctx context.Context, batch []*tracepb.Span) error {
	body, err := proto.Marshal(&collectorpb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   &resourcepb.Resource{Attributes: e.config.Resource},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: &commonpb.InstrumentationScope{Name: "tocsin"}, Spans: batch}},
	}}})
	if err != nil {
		return err
	}
	if e.config.Gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Write(body)
		w.Close()
		body = packed.Bytes()
	}
	ctx, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.config.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the URL of the collector is not valid")
	}
	for name, values := range e.config.Headers {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	if e.config.Gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	res, err := e.client.Do(r)
	if err != nil {
		if wrapped := new(url.Error); errors.As(err, &wrapped) {
			err = wrapped.Err // without the URL
		}
		return fmt.Errorf("%w (%w)", err, errAgain)
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection is used again
	switch res.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fmt.Errorf("it answers %d (%w)", res.StatusCode, errAgain)
	}
	return fmt.Errorf("it answers %d", res.StatusCode)
}
