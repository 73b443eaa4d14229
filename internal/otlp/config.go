package otlp

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
)

// Config says where spans are sent, and which. The zero value is not usable: see [FromEnvironment].
type Config struct {
	URL     string // to which batches are posted
	Headers http.Header
	Timeout time.Duration // of one try
	Gzip    bool

	Resource []*commonpb.KeyValue // what the spans are of

	// Ratio is the share of traces that are recorded, from 0 to 1.
	Ratio float64
	// ByParent says that of a trace that a caller has begun the caller decides.
	ByParent bool
}

// FromEnvironment reads the standard variables of OpenTelemetry ("Environment Variable Specification", "OTLP Exporter
// Configuration"). It returns nil if they name no collector, or switch the export off, and an error if they ask for
// what this package does not do: another protocol than http/protobuf, another sampler, files of certificates. Get
// returns a variable, "" if it is not set.
func FromEnvironment(get func(name string) (string, error), version string) (*Config, error) {
	env := environment{get: get}
	if strings.EqualFold(env.value("OTEL_SDK_DISABLED"), "true") {
		return nil, env.fault
	}
	exporter := env.value("OTEL_TRACES_EXPORTER")
	endpoint := env.value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := env.value("OTEL_EXPORTER_OTLP_ENDPOINT"); endpoint == "" && (base != "" || exporter == "otlp") {
		endpoint = strings.TrimRight(cmp.Or(base, "http://localhost:4318"), "/") + "/v1/traces"
	}
	if endpoint == "" || exporter == "none" || env.fault != nil {
		return nil, env.fault
	}
	env.oneOf("OTEL_TRACES_EXPORTER", exporter, "otlp", "none")
	c := &Config{URL: endpoint, Headers: http.Header{}, Timeout: 10 * time.Second, Ratio: 1, ByParent: true}
	if u, err := url.Parse(endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		env.refuse("the endpoint of OTEL_EXPORTER_OTLP_ENDPOINT is not like http://localhost:4318")
	}
	env.oneOf("OTEL_EXPORTER_OTLP_PROTOCOL", env.either("PROTOCOL"), "http/protobuf")
	c.Gzip = env.oneOf("OTEL_EXPORTER_OTLP_COMPRESSION", env.either("COMPRESSION"), "none", "gzip") == "gzip"
	for _, name := range []string{"CERTIFICATE", "CLIENT_KEY", "CLIENT_CERTIFICATE"} {
		if env.either(name) != "" {
			env.refuse("OTEL_EXPORTER_OTLP_" + name + " is not supported: send to a collector on this machine")
		}
	}
	if text := env.either("TIMEOUT"); text != "" {
		ms, err := strconv.ParseUint(text, 10, 31)
		if err != nil || ms == 0 {
			env.refuse("OTEL_EXPORTER_OTLP_TIMEOUT is not a number of milliseconds")
		}
		c.Timeout = time.Duration(ms) * time.Millisecond
	}
	for key, value := range env.pairs("OTEL_EXPORTER_OTLP_HEADERS", env.either("HEADERS")) {
		c.Headers.Set(key, value)
	}
	c.resource(&env, version)
	c.sampler(&env)
	return c, env.fault
}

// resource says what the spans are of.
func (c *Config) resource(env *environment, version string) {
	attributes := env.pairs("OTEL_RESOURCE_ATTRIBUTES", env.value("OTEL_RESOURCE_ATTRIBUTES"))
	attributes["service.name"] = cmp.Or(env.value("OTEL_SERVICE_NAME"), attributes["service.name"], "tocsin")
	attributes["service.version"] = cmp.Or(attributes["service.version"], version)
	for key, value := range attributes {
		c.Resource = append(c.Resource, text(key, value))
	}
}

// sampler says which traces are recorded.
func (c *Config) sampler(env *environment) {
	name := env.oneOf("OTEL_TRACES_SAMPLER", env.value("OTEL_TRACES_SAMPLER"), "parentbased_always_on", "always_on",
		"always_off", "traceidratio", "parentbased_always_off", "parentbased_traceidratio")
	kind, byParent := strings.CutPrefix(name, "parentbased_")
	c.ByParent = byParent
	switch kind {
	case "always_off":
		c.Ratio = 0
	case "traceidratio":
		ratio, err := strconv.ParseFloat(cmp.Or(env.value("OTEL_TRACES_SAMPLER_ARG"), "1"), 64)
		if err != nil || !(ratio >= 0 && ratio <= 1) {
			env.refuse("OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1")
		}
		c.Ratio = ratio
	}
}

// environment reads variables, and keeps the first thing that is wrong with them. No error has a value: headers are
// secrets.
type environment struct {
	get   func(name string) (string, error)
	fault error
}

func (e *environment) refuse(why string) {
	if e.fault == nil {
		e.fault = fmt.Errorf("%s", why)
	}
}

func (e *environment) value(name string) string {
	value, err := e.get(name)
	if err != nil && e.fault == nil {
		e.fault = err
	}
	return strings.TrimSpace(value)
}

// either returns a variable of the exporter: the one for traces or, if it is not set, the one for everything.
func (e *environment) either(name string) string {
	return cmp.Or(e.value("OTEL_EXPORTER_OTLP_TRACES_"+name), e.value("OTEL_EXPORTER_OTLP_"+name))
}

// oneOf returns a value if it is one of those, and the first of them if it is empty.
func (e *environment) oneOf(name, value string, known ...string) string {
	for _, k := range known {
		if strings.EqualFold(value, k) {
			return k
		}
	}
	if value != "" {
		e.refuse(name + " must be " + strings.Join(known, " or "))
	}
	return known[0]
}

// pairs reads key=value,key=value with percent-encoded values, as W3C Baggage writes them.
func (e *environment) pairs(name, list string) map[string]string {
	found := map[string]string{}
	for entry := range strings.SplitSeq(list, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		key, value, ok := strings.Cut(entry, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !ok || key == "" || err != nil || strings.ContainsAny(key+value, "\r\n\x00") {
			e.refuse(name + " is not like key=value,key=value")
			continue
		}
		found[key] = value
	}
	return found
}
