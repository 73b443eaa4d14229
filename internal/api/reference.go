package api

import (
	"cmp"
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
	Base                                 string // the path that all operations stand under: /api/v1

	Tags []ReferenceTag
	// Problem is what any call may be answered, and the form of every failure.
	Problem ReferenceAnswer
}

// Operations returns all operations, in the order of the contract.
func (r *Reference) Operations() (all []*ReferenceOperation) {
	for _, t := range r.Tags {
		all = append(all, t.Operations...)
	}
	return all
}

// Codes returns the codes of all failures, each once, by status.
func (r *Reference) Codes() (all []ReferenceCode) {
	answers := []ReferenceAnswer{r.Problem}
	for _, op := range r.Operations() {
		answers = append(answers, op.Answers...)
	}
	for _, a := range answers {
		for _, c := range a.Codes {
			if !slices.ContainsFunc(all, func(known ReferenceCode) bool { return known.Code == c.Code }) {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b ReferenceCode) int { return cmp.Compare(a.Status, b.Status) })
	return all
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
func (s *Server) Reference() (*Reference, error) {
	ref, err := readReference(s.contract, s.names(), s.config.Payments.taken())
	if err == nil {
		ref.Description = s.described(ref.Description)
	}
	return ref, err
}

func readReference(c *contract, names *strings.Replacer, paid bool) (*Reference, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(contractText, &doc); err != nil {
		return nil, err
	}
	r := reader{root: doc.Content[0], names: names}
	whole := r.read(r.root)
	if !paid {
		withoutPayments(whole)
	}
	info := whole.At("info")
	ref := &Reference{Title: info.text("title"), Version: info.text("version"), Summary: info.text("summary"), Description: info.text("description"), Base: c.base}
	for _, t := range whole.At("tags").Items {
		ref.Tags = append(ref.Tags, ReferenceTag{Name: t.text("name"), Description: t.text("description")})
	}
	for _, path := range whole.At("paths").Fields {
		for _, method := range []string{"get", "post", "delete"} {
			node := path.Value.At(method)
			if node == nil {
				continue
			}
			op := operationOf(node, path.Value, whole.At("components", "securitySchemes"))
			i := slices.IndexFunc(c.operations, func(known *operation) bool { return known.id == op.ID })
			op.Method, op.Path, op.Price = c.operations[i].method, c.operations[i].path, c.operations[i].price
			tag := slices.IndexFunc(ref.Tags, func(t ReferenceTag) bool { return t.Name == op.Tag })
			if tag < 0 {
				return nil, fmt.Errorf("%s has a tag that is not described", op.ID)
			}
			ref.Tags[tag].Operations = append(ref.Tags[tag].Operations, op)
		}
	}
	ref.Problem = answerOf("default", whole.At("components", "responses", "Problem"))
	return ref, nil
}

func operationOf(node, path, schemes *Value) *ReferenceOperation {
	op := &ReferenceOperation{ID: node.text("operationId"), Tag: node.At("tags").Items[0].String(), Summary: node.text("summary"), Description: node.text("description"),
		Tool: node.At("x-mcp-tool").text("name")}
	for _, shared := range []*Value{path.At("parameters"), node.At("parameters")} {
		if shared == nil {
			continue
		}
		for _, p := range shared.Items {
			f := field(p.text("name"), p.At("schema"))
			f.In, f.Description, f.Required, f.Example = p.text("in"), p.text("description"), p.text("required") == "true", p.text("example")
			op.Parameters = append(op.Parameters, f)
		}
	}
	for _, way := range node.At("security").Items {
		op.Open = op.Open || len(way.Fields) == 0
		for _, f := range way.Fields {
			scheme := schemes.At(f.Name)
			op.Credentials = append(op.Credentials, ReferenceField{Name: scheme.text("name"), In: scheme.text("in"), Type: "text", Description: scheme.text("description"), Schema: f.Name})
		}
	}
	if body := node.At("requestBody", "content", "application/json"); body != nil {
		whole := field("", body.At("schema"))
		op.BodyText, op.Body, op.BodyExample = whole.Description, whole.Fields, body.At("example")
	}
	for _, f := range node.At("responses").Fields {
		op.Answers = append(op.Answers, answerOf(f.Name, f.Value))
	}
	return op
}

func answerOf(status string, node *Value) ReferenceAnswer {
	a := ReferenceAnswer{Status: status, Description: node.text("description"), Retry: node.At("headers", "Retry-After") != nil}
	for _, content := range node.At("content").fields() { // there is one
		whole := field("", content.Value.At("schema"))
		a.Schema, a.Choice, a.Fields, a.Example = whole.Schema, whole.Choice, whole.Fields, content.Value.At("example")
		arrange(a.Fields, a.Example)
	}
	if codes := node.At("x-codes"); codes != nil {
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
	if items := schema.At("items"); items != nil {
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
	if all := inner.At("allOf"); all != nil {
		parts = all.Items
	}
	var required []string
	for _, part := range parts {
		if names := part.At("required"); names != nil {
			for _, n := range names.Items {
				required = append(required, n.String())
			}
		}
		if properties := part.At("properties"); properties != nil {
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
	if either := schema.At("oneOf"); either != nil && either.Items[len(either.Items)-1].At("properties") != nil {
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
		inner := example.At(strings.TrimSuffix(f.Name, "[]"))
		if inner != nil && len(inner.Items) > 0 {
			inner = inner.Items[0]
		}
		arrange(f.Fields, inner)
	}
}

// typeOf says what a schema takes, in words.
func typeOf(schema *Value) string {
	if either := schema.At("oneOf"); either != nil && objectForms(schema) == nil { // of something and null
		return typeOf(either.Items[0]) + " or null"
	}
	if fixed := schema.text("const"); fixed != "" {
		return "always " + fixed
	}
	kind, orNull := schema.text("type"), ""
	if kinds := schema.At("type"); kinds != nil && kinds.array {
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
	items := schema.At("items")
	switch {
	case items.text("type") == "object", items.At("allOf") != nil, objectForms(items) != nil:
		return count + "objects"
	case items.text("type") == "integer":
		return count + "whole numbers"
	case items.At("enum") != nil:
		return count + stringType(items)
	case items.text("maxLength") != "":
		return count + "texts of at most " + items.number("maxLength") + " characters"
	}
	return count + "texts"
}

func stringType(schema *Value) string {
	if listed := schema.At("enum"); listed != nil {
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
