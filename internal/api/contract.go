package api

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"

	"tocsin"
	"tocsin/internal/x402"
)

//go:embed openapi.yaml
var contractText []byte

// contract is openapi.yaml, read. Routes, prices and the shapes of input are
// taken from it and stand nowhere else.
type contract struct {
	base       string // path that all operations stand under
	operations []*operation
	document   any // as plain JSON values
	compiler   *jsonschema.Compiler
}

// operation is one method on one path.
type operation struct {
	id      string
	summary string
	method  string
	path    string // with the base: /api/v1/screen/{address}
	rest    bool   // the last parameter takes the rest of the path, slashes included
	price   string // in US dollars, such as "0.01"; "" for a free one
	atomic  string // the same in atomic units of USDC
	query   []parameter
	body    *jsonschema.Schema // nil without a body
	header  []parameter

	bazaar     json.RawMessage            // how it is called
	extensions map[string]json.RawMessage // of its 402; nil for a free one
	tool       *Tool                      // what MCP calls it; nil if it does not
}

type parameter struct {
	name     string
	required bool
	integer  bool
	fallback any
	schema   *jsonschema.Schema
}

const contractURL = "openapi.json"

// readContract reads the embedded contract. An error is a fault of the program.
func readContract() (*contract, error) {
	var raw any
	if err := yaml.Unmarshal(contractText, &raw); err != nil {
		return nil, err
	}
	text, err := json.Marshal(raw) // so that numbers and keys are those of JSON
	if err != nil {
		return nil, err
	}
	var doc struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	c := &contract{base: doc.Servers[0].URL, compiler: jsonschema.NewCompiler()}
	if c.document, err = jsonschema.UnmarshalJSON(strings.NewReader(string(text))); err != nil {
		return nil, err
	}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := c.compiler.AddResource(contractURL, c.document); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range []string{"get", "post", "delete"} {
			if text, ok := doc.Paths[path][method]; ok {
				op, err := c.operation(path, method, text)
				if err != nil {
					return nil, fmt.Errorf("%s %s: %w", method, path, err)
				}
				c.operations = append(c.operations, op)
			}
		}
	}
	return c, nil
}

func (c *contract) operation(path, method string, text json.RawMessage) (*operation, error) {
	type param struct {
		Ref      string `json:"$ref"`
		Name, In string
		Required bool
		Rest     bool `json:"x-rest-of-path"`
		Schema   struct {
			Type    any
			Default any
		}
	}
	var doc struct {
		OperationID string
		Summary     string
		Payment     *struct{ Price struct{ Amount string } } `json:"x-payment-info"`
		Tool        *toolNote                                `json:"x-mcp-tool"`
		Parameters  []param
		RequestBody *struct{}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	op := &operation{id: doc.OperationID, summary: doc.Summary, method: strings.ToUpper(method), path: c.base + path}
	var err error
	if op.bazaar, err = c.bazaar(op, path, method); err != nil {
		return nil, err
	}
	if doc.Payment != nil {
		op.price = doc.Payment.Price.Amount
		if op.atomic, err = x402.Atomic(op.price); err != nil {
			return nil, err
		}
		op.extensions = map[string]json.RawMessage{"bazaar": op.bazaar, "payment-identifier": identifierExtension}
	}
	pointer := "#/paths/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path) + "/" + method
	for i, p := range doc.Parameters {
		at := fmt.Sprintf("%s/parameters/%d", pointer, i)
		if p.Ref != "" {
			at = p.Ref
			text, err := json.Marshal(c.lookup(p.Ref))
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(text, &p); err != nil {
				return nil, err
			}
		}
		schema, err := c.compiler.Compile(contractURL + at + "/schema")
		if err != nil {
			return nil, err
		}
		known := parameter{p.Name, p.Required, p.Schema.Type == "integer", p.Schema.Default, schema}
		switch p.In {
		case "query":
			op.query = append(op.query, known)
		case "header":
			op.header = append(op.header, known)
		case "path":
			op.rest = op.rest || p.Rest
		}
	}
	if doc.RequestBody != nil {
		if op.body, err = c.compiler.Compile(contractURL + pointer + "/requestBody/content/application~1json/schema"); err != nil {
			return nil, err
		}
	}
	if doc.Tool != nil {
		if op.tool, err = c.tool(op, *doc.Tool, path, method); err != nil {
			return nil, err
		}
	}
	return op, nil
}

// lookup returns what a local reference such as "#/components/parameters/cursor" names.
func (c *contract) lookup(ref string) any {
	at := c.document
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.(map[string]any)[name]
	}
	return at
}

// input is the checked query and headers of a call.
type input map[string]any

func (in input) text(name string) string { s, _ := in[name].(string); return s }
func (in input) number(name string) int  { n, _ := in[name].(int); return n }

// read holds the query and the headers of a call against the contract.
func (op *operation) read(r *http.Request) (input, error) {
	in := input{}
	var faults []tocsin.Fault
	query, err := urlQuery(r)
	if err != nil {
		return nil, err
	}
	for _, p := range op.query {
		faults = p.read(query[p.name], in, faults)
		delete(query, p.name)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		fix := "take it out, or mend its spelling"
		if op.rest {
			fix = "percent-encode it if it belongs to the URL in the path; else " + fix
		}
		faults = append(faults, tocsin.Fault{Field: tocsin.Clip(name, 60), Reason: "there is no such parameter", Fix: fix})
	}
	for _, p := range op.header {
		faults = p.read(r.Header.Values(p.name), in, faults)
	}
	return in, tocsin.Faults(faults)
}

func (p parameter) read(values []string, in input, faults []tocsin.Fault) []tocsin.Fault {
	switch {
	case len(values) > 1:
		return append(faults, tocsin.Fault{Field: p.name, Reason: "it is given more than once", Fix: "send it once"})
	case len(values) == 0 && p.required:
		return append(faults, tocsin.Fault{Field: p.name, Reason: "it is missing", Fix: "send " + p.name})
	case len(values) == 0:
		if n, ok := p.fallback.(float64); ok {
			in[p.name] = int(n)
		}
		return faults
	}
	var value any = values[0]
	if p.integer {
		n, err := strconv.Atoi(values[0])
		if err != nil {
			return append(faults, tocsin.Fault{Field: p.name, Reason: "it is not a whole number", Fix: "send a number such as 20"})
		}
		value = n
	}
	if err := p.schema.Validate(value); err != nil {
		return append(faults, schemaFaults(err, p.name)...)
	}
	in[p.name] = value
	return faults
}

// schemaFaults tells what a value has against its schema, in words that help.
func schemaFaults(err error, root string) []tocsin.Fault {
	invalid, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return []tocsin.Fault{{Field: root, Reason: "it does not have the documented form", Fix: "see the documentation"}}
	}
	var faults []tocsin.Fault
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, c := range e.Causes {
			walk(c)
		}
		if len(e.Causes) > 0 {
			return
		}
		at := fieldPath(root, e.InstanceLocation)
		switch k := e.ErrorKind.(type) {
		case *kind.AdditionalProperties:
			for _, name := range k.Properties {
				faults = append(faults, tocsin.Fault{Field: fieldPath(at, []string{tocsin.Clip(name, 60)}), Reason: "there is no such field", Fix: "take it out, or mend its spelling"})
			}
		case *kind.Required:
			for _, name := range k.Missing {
				faults = append(faults, tocsin.Fault{Field: fieldPath(at, []string{name}), Reason: "it is missing", Fix: "send " + name})
			}
		case *kind.Type:
			if at == "" {
				at = "body"
			}
			faults = append(faults, tocsin.Fault{Field: at, Reason: "it is of type " + k.Got, Fix: "send " + inWords(k.Want)})
		case *kind.Enum:
			names := make([]string, len(k.Want))
			for i, w := range k.Want {
				names[i] = fmt.Sprint(w)
			}
			faults = append(faults, tocsin.Fault{Field: at, Reason: "it is none of the allowed values", Fix: "send one of " + strings.Join(names, ", ")})
		case *kind.MaxLength:
			faults = append(faults, tocsin.Fault{Field: at, Reason: fmt.Sprintf("it has %d characters, %d are allowed", k.Got, k.Want), Fix: "shorten it"})
		case *kind.MinLength:
			faults = append(faults, tocsin.Fault{Field: at, Reason: "it is empty", Fix: "send a text"})
		case *kind.MaxItems:
			faults = append(faults, tocsin.Fault{Field: at, Reason: fmt.Sprintf("it has %d entries, %d are allowed", k.Got, k.Want), Fix: "split the call"})
		case *kind.MinItems:
			faults = append(faults, tocsin.Fault{Field: at, Reason: "it is empty", Fix: fmt.Sprintf("send at least %d", k.Want)})
		case *kind.Minimum:
			faults = append(faults, tocsin.Fault{Field: at, Reason: "it is less than " + k.Want.RatString(), Fix: "send " + k.Want.RatString() + " or more"})
		case *kind.Maximum:
			faults = append(faults, tocsin.Fault{Field: at, Reason: "it is more than " + k.Want.RatString(), Fix: "send " + k.Want.RatString() + " or less"})
		default:
			faults = append(faults, tocsin.Fault{Field: at, Reason: "it does not have the documented form", Fix: "see the schema of this field in the documentation"})
		}
	}
	walk(invalid)
	return faults
}

// inWords names types of JSON; null is left out, since whoever means it sends nothing.
func inWords(types []string) string {
	words := map[string]string{"string": "a text", "number": "a number", "integer": "a whole number", "boolean": "true or false", "array": "a list, in brackets", "object": "an object"}
	var named []string
	for _, t := range types {
		if words[t] != "" {
			named = append(named, words[t])
		}
	}
	return strings.Join(named, " or ")
}

// fieldPath writes a place in a body as callers know it: evidence.urls[2].
func fieldPath(root string, steps []string) string {
	var b strings.Builder
	b.WriteString(root)
	for _, s := range steps {
		if _, err := strconv.Atoi(s); err == nil {
			b.WriteString("[" + s + "]")
		} else {
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s)
		}
	}
	return b.String()
}

// maxEntries is more than any array or object of the contract may hold, by far.
const maxEntries = 500

// unwieldy finds what no schema allows and what would be dear to check: huge
// arrays and objects, deep nesting, numbers like 1e1000000.
func unwieldy(value any) *tocsin.Fault {
	fault := unwieldyAt(value, 0)
	if fault != nil {
		fault.Field = cmp.Or(fault.Field, "body")
	}
	return fault
}

// unwieldyAt names the place of a fault on its way back, since most have none.
func unwieldyAt(value any, depth int) *tocsin.Fault {
	number, isNumber := value.(json.Number)
	list, _ := value.([]any)
	object, _ := value.(map[string]any)
	switch entries := max(len(list), len(object)); {
	case isNumber:
		if f, err := number.Float64(); err != nil || len(number) > 40 || math.Abs(f) < 1e-30 && strings.ContainsAny(string(number), "eE") {
			return &tocsin.Fault{Reason: "the number is out of all bounds", Fix: "send an ordinary number"}
		}
	case entries > maxEntries:
		return &tocsin.Fault{Reason: fmt.Sprintf("it has %d entries, more than anything here may have", entries), Fix: "split the call"}
	case entries > 0 && depth > 10:
		return &tocsin.Fault{Reason: "it is nested too deep", Fix: "see the fields in the documentation"}
	}
	within := func(place string, item any) *tocsin.Fault {
		fault := unwieldyAt(item, depth+1)
		if fault != nil {
			if fault.Field != "" && fault.Field[0] != '[' {
				place += "."
			}
			fault.Field = place + fault.Field
		}
		return fault
	}
	for i, item := range list {
		if fault := within("["+strconv.Itoa(i)+"]", item); fault != nil {
			return fault
		}
	}
	for name, item := range object {
		if fault := within(name, item); fault != nil {
			fault.Field = tocsin.Clip(name, 60) + strings.TrimPrefix(fault.Field, name)
			return fault
		}
	}
	return nil
}
