package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"tocsin"
	"tocsin/internal/contract"
	"tocsin/internal/front"
	"tocsin/internal/x402"
)

// ToolCall is one call of a tool.
type ToolCall struct {
	Arguments json.RawMessage // a JSON object, or nothing
	Payment   json.RawMessage // a PaymentPayload of x402; nil for none

	// From is the request that the call came in: whose key it holds and which
	// network it comes from decide as if it were the operation's own.
	From *http.Request
	// Local is a call by the operator, on the operator's own database: it needs no
	// key and is not charged. From is nil then.
	Local bool
}

// ToolResult is what the operation returned.
type ToolResult struct {
	Body    json.RawMessage // of a call that succeeds: one JSON object, without the free text of reporters
	Reports []tocsin.Report // whose free text is asked for

	Problem    *Problem        // of a call that fails
	RetryAfter int             // seconds; 0 if the problem does not say
	Required   json.RawMessage // a PaymentRequired of x402; nil for none
	Receipt    json.RawMessage // a SettlementResponse of x402; nil for none
}

// Call calls a tool. The context is that of the call and holds its [front.Request].
func (s *Server) Call(ctx context.Context, t *Tool, from ToolCall) ToolResult {
	start := s.now()
	r := &http.Request{Method: t.op.Method, Header: http.Header{}, RemoteAddr: "127.0.0.1:0"}
	c := &call{
		Request: r.WithContext(ctx),
		id:      front.Of(ctx).ID,
		tool:    &toolCall{tool: t, local: from.Local},
		header:  http.Header{},
		out:     new(bytes.Buffer),
	}
	c.tool.faults = t.fill(c.Request, from.Arguments)
	if from.From != nil {
		if keys := from.From.Header.Values("X-Api-Key"); len(keys) > 0 {
			c.Header["X-Api-Key"] = keys
		}
	}
	if from.Payment != nil {
		c.Header.Set(x402.PaymentHeader, base64.StdEncoding.EncodeToString(from.Payment))
	}
	res, err := s.run(t.op, c)
	result := ToolResult{Body: res.body, Reports: res.reports}
	status := res.status
	if err != nil {
		f := s.failure(ctx, err)
		result = ToolResult{Problem: &f.Problem, RetryAfter: f.retryAfter}
		if f.required != nil {
			result.Required = plainJSON(f.required)
		}
		status = f.Status
	}
	if c.receipt != nil {
		result.Receipt = plainJSON(c.receipt)
	}
	// Without its arguments, which may be what a model was told in confidence.
	s.log.LogAttrs(ctx, slog.LevelInfo, "request", slog.String("id", c.id), slog.String("method", "CALL"),
		slog.String("path", c.tool.resource()), slog.Int("status", status),
		slog.Int64("us", s.now().Sub(start).Microseconds()))
	return result
}

// plainJSON encodes a value of texts and numbers.
func plainJSON(value any) json.RawMessage {
	var b bytes.Buffer
	if err := encodeJSON(&b, value); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// compactPage takes the free text of reporters out of a response that was kept
// for its payment, and returns the reports that it is in.
func compactPage(whole []byte) (body []byte, reports []tocsin.Report, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(whole, &fields); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(fields["reports"], &reports); err != nil {
		return nil, nil, err
	}
	brief := make([]briefReport, len(reports))
	for i, r := range reports {
		brief[i] = briefly(r)
	}
	fields["reports"] = plainJSON(brief)
	return plainJSON(fields), reports, nil
}

// fill puts the arguments where the operation has them, and says what is wrong with
// those that are its parameters. The others are its body, and are looked at there.
func (t *Tool) fill(r *http.Request, arguments json.RawMessage) (faults []tocsin.Fault) {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(cmp.Or(string(arguments), "{}")))
	given, ok := value.(map[string]any)
	if given == nil {
		given = map[string]any{}
	}
	if err != nil || !ok && value != nil { // null is nothing
		faults = append(faults, tocsin.Fault{Field: "arguments", Reason: "they are no object", Fix: "send an object of arguments by their names"})
	}
	for _, p := range t.slots {
		if v := given[p.argument]; v == nil || v == "" && p.in != "path" && !p.needed { // models fill in what they do not need
			delete(given, p.argument)
		}
	}
	if fault := contract.TooComplex(given, "arguments"); fault != nil {
		faults = append(faults, *fault)
	} else {
		faults = append(faults, t.shape.Check(given, "")...)
	}
	path, query := t.op.Path, url.Values{}
	escaped := path
	for _, p := range t.slots {
		value, found := given[p.argument]
		if !found && p.usual != nil {
			value, found = p.usual, true
		}
		delete(given, p.argument)
		text := fmt.Sprint(value)
		if n, ok := value.(json.Number); ok {
			if whole, err := n.Float64(); err == nil {
				text = strconv.FormatFloat(whole, 'f', -1, 64) // 5.0 is a whole number, too
			}
		}
		switch {
		case p.parameter == "view":
			view := "compact"
			if text == "full" {
				view = text
			}
			query.Set(p.parameter, view)
		case !found: // what is needed was missed above
		case p.in == "path":
			at := "{" + p.parameter + "}"
			path, escaped = strings.Replace(path, at, text, 1), strings.Replace(escaped, at, url.PathEscape(text), 1)
			r.SetPathValue(p.parameter, text)
		case p.in == "header":
			r.Header.Set(p.parameter, text)
		default:
			query.Set(p.parameter, text)
		}
	}
	r.URL = &url.URL{Path: path, RawPath: escaped, RawQuery: query.Encode()}
	if r.Body = http.NoBody; t.op.TakesBody() {
		body, _ := json.Marshal(given) // it was JSON; its names in order, so that it is the same request however a client writes it
		r.Header.Set("Content-Type", "application/json")
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return faults
}

// toolCall tells a call of a tool from a request that came as itself; nil is the latter.
type toolCall struct {
	tool   *Tool
	local  bool
	faults []tocsin.Fault
}

func (c *toolCall) isLocal() bool { return c != nil && c.local }

// fault is what is wrong with the arguments.
func (c *toolCall) fault() error {
	if c == nil {
		return nil
	}
	return tocsin.Faults(c.faults)
}

// ToolResource returns the URL by which x402 knows a tool (specs/transports-v2/mcp.md).
func ToolResource(name string) string { return toolScheme + name }

const toolScheme = "mcp://tool/"

func isTool(resource string) bool { return strings.HasPrefix(resource, toolScheme) }

func (c *toolCall) resource() string { return ToolResource(c.tool.Name) }

// extensions returns those of a 402. Catalogues know tools by the address of
// their server, which the URL of a tool is not: bazaar is for HTTP only.
func (c *toolCall) extensions(op *operation) map[string]json.RawMessage {
	if c == nil {
		return op.extensions
	}
	own := maps.Clone(op.extensions)
	delete(own, "bazaar")
	return own
}

// catalogued returns what a facilitator is told for its catalogue.
func (c *toolCall) catalogued(op *operation) map[string]jsontext.Value {
	if c != nil {
		return nil
	}
	return map[string]jsontext.Value{"bazaar": jsontext.Value(op.bazaar)}
}
