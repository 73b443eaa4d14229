package api

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/x402"
)

// ToolCall is a call of an operation as a tool of the Model Context Protocol. It is answered like a request for the
// operation: the gate, the checks and the log are the same.
type ToolCall struct {
	Operation  string            // its id
	Parameters map[string]string // by their names in the contract; what is missing is not sent
	Body       json.RawMessage   // nil if the operation takes none
	Faults     []tocsin.Fault    // of the arguments that the parameters were made from
	Payment    json.RawMessage   // a PaymentPayload of x402; nil for none

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
	Required   json.RawMessage // the problem with a PaymentRequired of x402; nil for none
	Receipt    json.RawMessage // a SettlementResponse of x402; nil for none
}

// Call calls an operation that is a tool. The context is that of the call and holds its [front.Request].
func (s *Server) Call(ctx context.Context, from ToolCall) ToolResult {
	start, op := s.now(), s.operations[from.Operation]
	c := &call{
		Request:        from.request(op).WithContext(ctx),
		id:             front.Of(ctx).ID,
		tool:           &toolCall{name: op.Tool.Name, local: from.Local, faults: from.Faults},
		responseHeader: http.Header{},
		out:            new(bytes.Buffer),
	}
	if from.From != nil {
		for _, name := range []string{"X-Api-Key", "Authorization"} {
			if keys := from.From.Header.Values(name); len(keys) > 0 {
				c.Header[name] = keys
			}
		}
	}
	if from.Payment != nil {
		c.Header.Set(x402.PaymentHeader, base64.StdEncoding.EncodeToString(from.Payment))
	}
	res, err := s.run(op, c)
	result := ToolResult{Body: res.body, Reports: res.reports}
	status := res.status
	if err != nil {
		f := s.failureOf(c, err)
		result = ToolResult{Problem: &f.Problem, RetryAfter: f.retryAfter}
		if f.required != nil {
			result.Required = plainJSON(paymentProblem{f.Problem, *f.required})
		}
		status = f.Status
	}
	if c.receipt != nil {
		result.Receipt = plainJSON(c.receipt)
	}
	// Without its arguments, which may be confidential to the model's user.
	s.log.LogAttrs(ctx, slog.LevelInfo, "call", slog.String("id", c.id), slog.String("method", "CALL"),
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
		brief[i] = toBrief(r)
	}
	fields["reports"] = plainJSON(brief)
	return plainJSON(fields), reports, nil
}

// request makes the request of an operation.
func (from ToolCall) request(op *operation) *http.Request {
	r := &http.Request{Method: op.Method, Header: http.Header{}, RemoteAddr: "127.0.0.1:0", Body: http.NoBody}
	path, escaped, query := op.Path, op.Path, url.Values{}
	for _, p := range op.Parameters {
		text, given := from.Parameters[p.Name]
		switch {
		case !given:
		case p.In == "path":
			at := "{" + p.Name + "}"
			path, escaped = strings.Replace(path, at, text, 1), strings.Replace(escaped, at, url.PathEscape(text), 1)
			r.SetPathValue(p.Name, text)
		case p.In == "header":
			r.Header.Set(p.Name, text)
		default:
			query.Set(p.Name, text)
		}
	}
	r.URL = &url.URL{Path: path, RawPath: escaped, RawQuery: query.Encode()}
	if from.Body != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Body = io.NopCloser(bytes.NewReader(from.Body))
	}
	return r
}

// toolCall is what the gate knows of a call of a tool; nil for a request over HTTP.
type toolCall struct {
	name   string // of the tool
	local  bool
	faults []tocsin.Fault
}

func (c *toolCall) isLocal() bool { return c != nil && c.local }

// fault returns the faults of the arguments, nil without any.
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

func (c *toolCall) resource() string { return ToolResource(c.name) }

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

// catalogued returns what is sent to a facilitator for its catalogue.
func (c *toolCall) catalogued(op *operation) map[string]jsontext.Value {
	if c != nil {
		return nil
	}
	return map[string]jsontext.Value{"bazaar": jsontext.Value(op.bazaar)}
}
