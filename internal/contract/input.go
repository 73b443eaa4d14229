package contract

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tocsin"
)

// Input is the checked query and headers of a request, by the names of their parameters. Integers are of type int,
// and what is true or false of type bool.
type Input map[string]any

// Text returns a parameter that is a text, "" if it was not sent.
func (in Input) Text(name string) string { s, _ := in[name].(string); return s }

// Number returns a parameter that is an integer, 0 if it was not sent and has no default.
func (in Input) Number(name string) int { n, _ := in[name].(int); return n }

// Is reports whether a parameter that is true or false is true; false if it was not sent.
func (in Input) Is(name string) bool { is, _ := in[name].(bool); return is }

// input is a parameter of the query or a header, and how it is checked.
type input struct {
	Field
	integer  bool
	boolean  bool
	fallback any // the default of an integer; nil without one
	schema   *Schema
}

// Read checks the query and the headers of a request for the operation. The error is a [tocsin.Error] that names every
// fault. Parameters of the path are not looked at.
func (op *Operation) Read(r *http.Request) (Input, error) {
	var query url.Values
	if r.URL.RawQuery != "" {
		var err error
		if query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
			fault := tocsin.Fault{Field: "query", Reason: "it is not well encoded", Fix: "percent-encode its values"}
			return nil, tocsin.Faults([]tocsin.Fault{fault})
		}
	}
	in := Input{}
	var faults []tocsin.Fault
	for _, p := range op.inputs {
		if p.In == "query" {
			faults = append(faults, p.read(query[p.Name], in)...)
			delete(query, p.Name)
		}
	}
	var unknown []string
	if len(query) > 0 {
		unknown = slices.Sorted(maps.Keys(query))
	}
	for _, name := range unknown {
		fix := op.instead(name)
		faults = append(faults, tocsin.Fault{Field: tocsin.Clip(name, 60), Reason: "there is no such parameter", Fix: fix})
	}
	for _, p := range op.inputs {
		if p.In == "header" {
			faults = append(faults, p.read(r.Header.Values(p.Name), in)...)
		}
	}
	return in, tocsin.Faults(faults)
}

// read adds the value of a parameter to the input, or its default, or says what is wrong with it.
func (p input) read(values []string, in Input) []tocsin.Fault {
	fault := func(reason, fix string) []tocsin.Fault {
		return []tocsin.Fault{{Field: p.Name, Reason: reason, Fix: fix}}
	}
	switch {
	case len(values) > 1:
		return fault("it is given more than once", "send it once")
	case len(values) == 0 && p.Required:
		return fault("it is missing", "send "+p.Name)
	case len(values) == 0:
		if p.fallback != nil {
			in[p.Name] = p.fallback
		}
		return nil
	}
	var value any = values[0]
	if p.integer {
		n, err := strconv.Atoi(values[0])
		if err != nil {
			return fault("it is not a whole number", "send a number such as 20")
		}
		value = n
	}
	if p.boolean {
		if values[0] != "true" && values[0] != "false" {
			return fault("it is neither true nor false", "send true or false")
		}
		value = values[0] == "true"
	}
	if faults := p.schema.Check(value, p.Name); faults != nil {
		if value == "" && !p.Required {
			return fault("it is empty", "send a value, or leave "+p.Name+" out")
		}
		return faults
	}
	in[p.Name] = value
	return nil
}

// instead says what to do about a parameter of the query that an operation does not have.
func (op *Operation) instead(name string) string {
	for _, c := range op.Credentials { // a key that was sent as api_key, for example
		bare := bareName(name)
		if !op.CatchAll && len(bare) > 2 && strings.HasSuffix(bareName(c.Name), bare) {
			return "send it in the header " + c.Name + ", never in a URL"
		}
	}
	var known []string
	for _, p := range op.inputs {
		if p.In == "query" {
			known = append(known, p.Name)
		}
	}
	fix := CorrectName(name, known)
	if known != nil {
		fix += ": the parameters are " + strings.Join(known, ", ")
	}
	if op.CatchAll {
		fix = "percent-encode it if it belongs to the URL in the path; else " + fix
	}
	return fix
}

// CheckBody decodes the body of a request, with numbers as [json.Number], and checks it. The first error says why it
// cannot be read as JSON, or not in one way only, the second what the schema has against it; an endpoint can add its
// own faults to those.
func (op *Operation) CheckBody(body []byte) (value any, malformed, invalid error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return nil, &tocsin.Error{
			Code: tocsin.Invalid, Detail: "The body is not JSON", Fields: []tocsin.Fault{syntaxFault(body)},
		}, nil
	}
	fault := TooComplex(value, "body")
	if fault == nil {
		fault = repeated(body)
	}
	if fault != nil {
		return nil, tocsin.Faults([]tocsin.Fault{*fault}), nil
	}
	return value, nil, tocsin.Faults(op.body.Check(value, ""))
}

// TakesBody reports whether the operation takes a body.
func (op *Operation) TakesBody() bool { return op.body != nil }
