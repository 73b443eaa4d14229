package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"tocsin"
)

// Reference is the contract as documentation shows it: everything in the order
// in which it is written there, references followed. Texts are Markdown.
type Reference struct {
	Title, Version, Summary, Description string

	Tags []ReferenceTag
	// Problem is what any call may be answered, and the form of every failure.
	Problem ReferenceAnswer
}

// ReferenceTag is a group of operations.
type ReferenceTag struct {
	Name, Description string
	Operations        []*ReferenceOperation
}

// ReferenceOperation is one operation of the contract.
type ReferenceOperation struct {
	ID, Tag              string
	Method, Path         string // the path with its base: /api/v1/screen/{address}
	Summary, Description string
	Price                string // in US dollars, such as "0.01"; "" for a free one
	Tool                 string // its name as a tool of MCP; "" if it is none

	// Credentials are those that it takes, each as the header that holds it. It is
	// open to those who have none if Open, and one of them is enough.
	Credentials []ReferenceField
	Open        bool

	Parameters  []ReferenceField
	BodyText    string // about the body as a whole; may be empty
	Body        []ReferenceField
	BodyExample *Value // nil without a body

	Answers []ReferenceAnswer
}

// Name returns how the operation is called where its id would be strange: screen-address.
func (op *ReferenceOperation) Name() string {
	var b strings.Builder
	for _, r := range op.ID {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Answer returns what the operation answers when all is well.
func (op *ReferenceOperation) Answer() *ReferenceAnswer {
	for i := range op.Answers {
		if op.Answers[i].Status < "300" {
			return &op.Answers[i]
		}
	}
	return nil
}

// ReferenceField is a parameter, a header, or a field of a body.
type ReferenceField struct {
	Name        string // of the items of an array with [] at the end
	In          string // path, query or header; "" in a body
	Type        string // with its limits, in words
	Description string
	Required    bool
	Default     string           // "" for none
	Example     string           // "" for none
	Schema      string           // the schema of the contract that it, or each item, is; "" when it has no name
	Choice      string           // of several forms: which comes when. Schema and Fields are of the first
	Fields      []ReferenceField // of the object that it, or each item, is
}

// ReferenceAnswer is what comes back with a status.
type ReferenceAnswer struct {
	Status      string // "200", or "default" for all that are not named
	Description string
	Schema      string // of its body
	Choice      string // of several forms: which comes when. Schema and Fields are of the first
	Fields      []ReferenceField
	Codes       []ReferenceCode // of a failure
	Retry       bool            // Retry-After says when to send it again
	Example     *Value          // nil for none
}

// ReferenceCode is a code of a problem, and what its caller does.
type ReferenceCode struct {
	Code   string
	Status int
	ToDo   string
	Retry  bool
}

// Reference reads the contract for documentation, with this service in its
// examples. An error is a fault of the contract.
func (s *Server) Reference() (*Reference, error) { return readReference(s.contract, s.names()) }

func readReference(c *contract, names *strings.Replacer) (*Reference, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(contractText, &doc); err != nil {
		return nil, err
	}
	r := referenceReader{root: doc.Content[0], names: names}
	info := r.read(r.root).at("info")
	ref := &Reference{Title: info.text("title"), Version: info.text("version"), Summary: info.text("summary"), Description: info.text("description")}
	for _, t := range r.read(r.root).at("tags").Items {
		ref.Tags = append(ref.Tags, ReferenceTag{Name: t.text("name"), Description: t.text("description")})
	}
	for _, path := range r.read(r.root).at("paths").Fields {
		for _, method := range []string{"get", "post", "delete"} {
			node := path.Value.at(method)
			if node == nil {
				continue
			}
			op := r.operation(node, path.Value)
			i := slices.IndexFunc(c.operations, func(known *operation) bool { return known.id == op.ID })
			op.Method, op.Path, op.Price = c.operations[i].method, c.operations[i].path, c.operations[i].price
			tag := slices.IndexFunc(ref.Tags, func(t ReferenceTag) bool { return t.Name == op.Tag })
			if tag < 0 {
				return nil, fmt.Errorf("%s has a tag that is not described", op.ID)
			}
			ref.Tags[tag].Operations = append(ref.Tags[tag].Operations, op)
		}
	}
	ref.Problem = r.answer("default", r.read(r.root).at("components").at("responses").at("Problem"))
	return ref, nil
}

// Value is a value of the contract with its fields in their order.
type Value struct {
	Fields []ValueField // of an object
	Items  []*Value     // of an array
	Scalar *yaml.Node   // of neither

	object, array bool
	ref           string // the name of what it was referred to by; "" when it stands there itself
}

// ValueField is one field of an object.
type ValueField struct {
	Name  string
	Value *Value
}

func (v *Value) at(name string) *Value {
	if v != nil {
		for _, f := range v.Fields {
			if f.Name == name {
				return f.Value
			}
		}
	}
	return nil
}

// text returns a field as text, "" if it is not there.
func (v *Value) text(name string) string { return v.at(name).String() }

// number returns a field that is a whole number, with its thousands apart.
func (v *Value) number(name string) string {
	text := v.text(name)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// String returns a scalar as it is written in the contract.
func (v *Value) String() string {
	if v == nil || v.Scalar == nil {
		return ""
	}
	return strings.TrimSpace(v.Scalar.Value)
}

// set puts a field in its place, or at the end.
func (v *Value) set(name string, value *Value) {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			v.Fields[i].Value = value
			return
		}
	}
	v.Fields = append(v.Fields, ValueField{name, value})
}

// JSON writes the value on several lines, of which each holds as much as fits
// into a width.
func (v *Value) JSON(width int) string {
	var b strings.Builder
	v.write(&b, "", 0, width)
	return b.String()
}

func (v *Value) write(b *strings.Builder, indent string, before, width int) {
	line := v.line()
	if v.Scalar != nil || len(v.Fields)+len(v.Items) == 0 || indent != "" && len(indent)+before+len(line) <= width {
		b.WriteString(line)
		return
	}
	inner, ends := indent+"  ", "[]"
	if v.object {
		ends = "{}"
	}
	b.WriteString(ends[:1])
	for i, f := range v.Fields {
		b.WriteString(strings.Repeat(",", min(i, 1)) + "\n" + inner)
		name := quoteJSON(f.Name) + ": "
		b.WriteString(name)
		f.Value.write(b, inner, len(name), width)
	}
	for i, item := range v.Items {
		b.WriteString(strings.Repeat(",", min(i, 1)) + "\n" + inner)
		item.write(b, inner, 0, width)
	}
	b.WriteString("\n" + indent + ends[1:])
}

// line returns the value as JSON on one line.
func (v *Value) line() string {
	var parts []string
	for _, f := range v.Fields {
		parts = append(parts, quoteJSON(f.Name)+": "+f.Value.line())
	}
	for _, item := range v.Items {
		parts = append(parts, item.line())
	}
	switch {
	case v.object && len(parts) > 0:
		return "{" + strings.Join(parts, ", ") + "}"
	case v.object:
		return "{}"
	case v.array:
		return "[" + strings.Join(parts, ", ") + "]"
	case v.Scalar.Tag == "!!str" || v.Scalar.Tag == "!!timestamp":
		return quoteJSON(v.Scalar.Value)
	}
	return v.Scalar.Value
}

func quoteJSON(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(text) // into memory, and of a text: neither fails
	return strings.TrimSuffix(b.String(), "\n")
}

// referenceReader reads YAML with its order, and without aliases, merges and references.
type referenceReader struct {
	root     *yaml.Node
	verbatim bool              // references stay as they are written
	names    *strings.Replacer // in texts; nil for none
}

func (r referenceReader) read(n *yaml.Node) *Value {
	switch n.Kind {
	case yaml.AliasNode:
		return r.read(n.Alias)
	case yaml.SequenceNode:
		v := &Value{array: true}
		for _, item := range n.Content {
			v.Items = append(v.Items, r.read(item))
		}
		return v
	case yaml.MappingNode:
		v := &Value{object: true}
		// What stands beside a reference or a merge has the last word.
		for _, inherited := range []bool{true, false} {
			for i := 0; i < len(n.Content); i += 2 {
				key, value := n.Content[i], n.Content[i+1]
				merge := key.Tag == "!!merge"
				if ref := key.Value == "$ref" && !r.verbatim; (merge || ref) != inherited {
					continue
				} else if ref {
					value, v.ref = r.lookup(value.Value), value.Value[strings.LastIndexByte(value.Value, '/')+1:]
				}
				if !inherited {
					v.set(key.Value, r.read(value))
					continue
				}
				whole := r.read(value)
				for _, part := range append(whole.Items, whole) { // of several merged ones the first has a say
					for _, f := range part.Fields {
						if v.at(f.Name) == nil {
							v.set(f.Name, f.Value)
						}
					}
				}
			}
		}
		return v
	}
	own := *n // the node stands in other places, too
	if r.names != nil {
		own.Value = r.names.Replace(n.Value)
	}
	return &Value{Scalar: &own}
}

// lookup returns what a local reference names.
func (r referenceReader) lookup(ref string) *yaml.Node {
	at := r.root
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		for i := 0; i < len(at.Content); i += 2 {
			if at.Content[i].Value == name {
				at = at.Content[i+1]
				break
			}
		}
	}
	return at
}

func (r referenceReader) operation(node, path *Value) *ReferenceOperation {
	op := &ReferenceOperation{ID: node.text("operationId"), Tag: node.at("tags").Items[0].String(), Summary: node.text("summary"), Description: node.text("description"),
		Tool: node.at("x-mcp-tool").text("name")}
	for _, shared := range []*Value{path.at("parameters"), node.at("parameters")} {
		if shared == nil {
			continue
		}
		for _, p := range shared.Items {
			f := field(p.text("name"), p.at("schema"))
			f.In, f.Description, f.Required, f.Example = p.text("in"), p.text("description"), p.text("required") == "true", p.text("example")
			op.Parameters = append(op.Parameters, f)
		}
	}
	schemes := r.read(r.root).at("components").at("securitySchemes")
	for _, way := range node.at("security").Items {
		op.Open = op.Open || len(way.Fields) == 0
		for _, f := range way.Fields {
			scheme := schemes.at(f.Name)
			op.Credentials = append(op.Credentials, ReferenceField{Name: scheme.text("name"), In: scheme.text("in"), Type: "text", Description: scheme.text("description"), Schema: f.Name})
		}
	}
	if body := node.at("requestBody").at("content").at("application/json"); body != nil {
		whole := field("", body.at("schema"))
		op.BodyText, op.Body, op.BodyExample = whole.Description, whole.Fields, body.at("example")
	}
	for _, f := range node.at("responses").Fields {
		op.Answers = append(op.Answers, r.answer(f.Name, f.Value))
	}
	return op
}

func (r referenceReader) answer(status string, node *Value) ReferenceAnswer {
	a := ReferenceAnswer{Status: status, Description: node.text("description"), Retry: node.at("headers").at("Retry-After") != nil}
	for _, content := range node.at("content").Fields { // there is one
		whole := field("", content.Value.at("schema"))
		a.Schema, a.Choice, a.Fields, a.Example = whole.Schema, whole.Choice, whole.Fields, content.Value.at("example")
		arrange(a.Fields, a.Example)
	}
	if codes := node.at("x-codes"); codes != nil {
		for _, f := range codes.Fields {
			a.Codes = append(a.Codes, ReferenceCode{f.Name, statusOf[tocsin.Code(f.Name)], f.Value.String(), a.Retry})
		}
	}
	return a
}

// field reads a schema.
func field(name string, schema *Value) ReferenceField {
	f := ReferenceField{Name: name, Description: schema.text("description"), Default: schema.text("default"), Schema: schema.ref}
	f.Type = typeOf(schema)
	inner := schema
	if items := schema.at("items"); items != nil {
		inner = items
		f.Name += "[]"
		f.Schema = items.ref
	}
	if forms := objectForms(inner); forms != nil {
		f.Choice = inner.text("description")
		inner = forms[0]
		f.Schema = inner.ref
	}
	parts := []*Value{inner}
	if all := inner.at("allOf"); all != nil {
		parts = all.Items
	}
	var required []string
	for _, part := range parts {
		if names := part.at("required"); names != nil {
			for _, n := range names.Items {
				required = append(required, n.String())
			}
		}
		if properties := part.at("properties"); properties != nil {
			for _, p := range properties.Fields {
				child := field(p.Name, p.Value)
				child.Required = slices.Contains(required, p.Name)
				f.Fields = append(f.Fields, child)
			}
		}
	}
	return f
}

// objectForms are the alternatives of a schema that is one of several objects;
// nil if it is not.
func objectForms(schema *Value) []*Value {
	if either := schema.at("oneOf"); either != nil && either.Items[len(either.Items)-1].at("properties") != nil {
		return either.Items
	}
	return nil
}

// arrange puts fields in the order in which they are answered, as far as an
// example shows it: a schema that is made of others has them by their origin.
func arrange(fields []ReferenceField, example *Value) {
	place := func(f ReferenceField) int {
		for i, known := range example.Fields {
			if known.Name == strings.TrimSuffix(f.Name, "[]") {
				return i
			}
		}
		return len(example.Fields)
	}
	if example == nil {
		return
	}
	slices.SortStableFunc(fields, func(a, b ReferenceField) int { return place(a) - place(b) })
	for _, f := range fields {
		inner := example.at(strings.TrimSuffix(f.Name, "[]"))
		if inner != nil && len(inner.Items) > 0 {
			inner = inner.Items[0]
		}
		arrange(f.Fields, inner)
	}
}

// typeOf says what a schema takes, in words.
func typeOf(schema *Value) string {
	if either := schema.at("oneOf"); either != nil && objectForms(schema) == nil { // of something and null
		return typeOf(either.Items[0]) + " or null"
	}
	if fixed := schema.text("const"); fixed != "" {
		return "always " + fixed
	}
	kind, orNull := schema.text("type"), ""
	if kinds := schema.at("type"); kinds != nil && kinds.array {
		kind, orNull = kinds.Items[0].String(), " or null"
	}
	low, high := schema.number("minimum"), schema.number("maximum")
	switch kind {
	case "string":
		return stringType(schema) + orNull
	case "integer", "number":
		word := map[string]string{"integer": "whole number", "number": "number"}[kind]
		switch {
		case low != "" && high != "":
			return word + ", " + low + "–" + high + orNull
		case low != "":
			return word + ", from " + low + orNull
		}
		return word + orNull
	case "boolean":
		return "true or false" + orNull
	case "array":
		return "list of " + itemsType(schema) + orNull
	}
	return "object" + orNull
}

func itemsType(schema *Value) string {
	count := ""
	if most := schema.text("maxItems"); most != "" {
		count = "at most " + most + " "
		if least := schema.text("minItems"); least != "" {
			count = least + "–" + most + " "
		}
	}
	items := schema.at("items")
	switch {
	case items.text("type") == "object", items.at("allOf") != nil, objectForms(items) != nil:
		return count + "objects"
	case items.text("type") == "integer":
		return count + "whole numbers"
	case items.at("enum") != nil:
		return count + stringType(items)
	case items.text("maxLength") != "":
		return count + "texts of at most " + items.number("maxLength") + " characters"
	}
	return count + "texts"
}

func stringType(schema *Value) string {
	if listed := schema.at("enum"); listed != nil {
		var values []string
		for _, v := range listed.Items {
			values = append(values, v.String())
		}
		return strings.Join(values, ", ")
	}
	switch schema.text("format") {
	case "date-time":
		return "time"
	case "uri":
		return "URL"
	}
	switch least, most := schema.number("minLength"), schema.number("maxLength"); {
	case least != "" && most != "":
		return "text, " + least + "–" + most + " characters"
	case most != "":
		return "text, at most " + most + " characters"
	}
	return "text"
}
