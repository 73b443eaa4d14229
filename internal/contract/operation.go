package contract

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"tocsin"
)

// Operation is one method on one path.
type Operation struct {
	ID, Tag              string
	Method, Path         string // the path with its base: /api/v1/screen/{address}
	CatchAll             bool   // the last parameter of the path takes all that follows, slashes included
	Summary, Description string
	Price                string    // in US dollars, such as "0.01"; "" for a free operation
	Tool                 *ToolNote // nil if it is not offered as a tool of MCP

	// Credentials are those that it takes, each as the header that holds it. One of them is enough, and if Open is
	// set none is needed.
	Credentials []Field
	Open        bool

	Parameters []Field
	Body       Field // its Value is nil if the operation takes no body
	Responses  []Response

	inputs []input // parameters of the query and the headers
	body   *Schema // nil without a body
}

// ToolNote is what the contract says of an operation as a tool of the Model Context Protocol, besides what it says of
// the operation itself: x-mcp-tool.
type ToolNote struct {
	Name                 string
	Note                 string            // added to the description, for models
	Arguments            map[string]string // descriptions of those that are written otherwise than over HTTP
	ReadOnly, Idempotent bool              // a GET is both anyway
	OpenWorld            bool
}

// Response is what an operation answers with one status.
type Response struct {
	Status      string // "200", or "default" for all that are not named
	Description string
	Retry       bool   // Retry-After says when to send the request again
	Codes       []Code // of a failure

	// Of the body, as in Field:
	Schema, Choice string
	Fields         []Field
	Example        *Value
	Value          *Value
}

// Code is a code of a failure, and what the caller does about it.
type Code struct {
	Code   string
	Status int // of HTTP
	ToDo   string
	Retry  bool // Retry-After says when to send the request again
}

// Name returns the id in lower case, with hyphens: screen-address.
func (op *Operation) Name() string {
	var b strings.Builder
	for _, r := range op.ID {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Success returns the response to a call that succeeds.
func (op *Operation) Success() *Response {
	for i := range op.Responses {
		if op.Responses[i].Status < "300" {
			return &op.Responses[i]
		}
	}
	return nil
}

// operation reads an operation from its resolved node. Parameters that belong to a path are not looked for: some
// readers of OpenAPI do not know them, so the contract has none.
func (c *Contract) operation(method, path string, node, schemes *Value) (op *Operation, err error) {
	op = &Operation{
		ID:          node.text("operationId"),
		Tag:         node.At("tags").Items[0].String(),
		Method:      strings.ToUpper(method),
		Path:        c.Base + path,
		Summary:     node.text("summary"),
		Description: node.text("description"),
		Price:       node.At("x-payment-info", "price").text("amount"),
	}
	if tool := node.At("x-mcp-tool"); tool != nil {
		if err := json.Unmarshal([]byte(tool.Line()), &op.Tool); err != nil {
			return op, err
		}
	}
	for _, p := range node.At("parameters").items() {
		f := field(p.text("name"), p.At("schema"))
		f.In, f.Description, f.Example = p.text("in"), p.text("description"), p.At("example")
		f.Required = p.text("required") == "true"
		op.Parameters = append(op.Parameters, f)
		op.CatchAll = op.CatchAll || p.text("x-rest-of-path") == "true"
		if f.In == "path" {
			continue // the endpoint parses it
		}
		schema, err := CompileInput(f.Value.Any())
		if err != nil {
			return op, err
		}
		kind := f.Value.text("type")
		in := input{Field: f, integer: kind == "integer", boolean: kind == "boolean", schema: schema}
		if in.integer && f.Default != "" {
			if in.fallback, err = strconv.Atoi(f.Default); err != nil {
				return op, err
			}
		}
		op.inputs = append(op.inputs, in)
	}
	for _, alternative := range node.At("security").items() {
		op.Open = op.Open || len(alternative.Members) == 0
		for _, m := range alternative.Members {
			s := schemes.At(m.Name)
			credential := Field{
				Name: s.text("name"), In: s.text("in"), Type: "text", Description: s.text("description"), Schema: m.Name,
			}
			if s.text("type") == "http" {
				credential.Name, credential.In = "Authorization", "header"
			}
			op.Credentials = append(op.Credentials, credential)
		}
	}
	if body := node.At("requestBody", "content", "application/json"); body != nil {
		op.Body = field("", body.At("schema"))
		op.Body.Example = body.At("example")
		if op.body, err = CompileInput(op.Body.Value.Any()); err != nil {
			return op, err
		}
	}
	for _, m := range node.At("responses").members() {
		op.Responses = append(op.Responses, c.response(m.Name, m.Value))
	}
	return op, nil
}

// response reads a response from its resolved node.
func (c *Contract) response(status string, node *Value) Response {
	r := Response{Status: status, Description: node.text("description"), Retry: node.At("headers", "Retry-After") != nil}
	for _, content := range node.At("content").members() { // there is one
		body := field("", content.Value.At("schema"))
		r.Schema, r.Choice, r.Fields, r.Value = body.Schema, body.Choice, body.Fields, body.Value
		r.Example = content.Value.At("example")
		arrange(r.Fields, r.Example)
	}
	for _, m := range node.At("x-codes").members() {
		status := c.statuses[tocsin.Code(m.Name)]
		r.Codes = append(r.Codes, Code{Code: m.Name, Status: status, ToDo: m.Value.String(), Retry: r.Retry})
	}
	return r
}
