package contract

import (
	"slices"
	"strings"
)

// Field is a parameter, a header, or a field of a body.
type Field struct {
	Name        string // of the items of an array with [] at the end
	In          string // path, query or header; "" in a body
	Type        string // with its limits, in words
	Description string
	Required    bool
	Default     string  // "" for none
	Example     *Value  // nil for none; only parameters and whole bodies have one
	Schema      string  // name of the schema that it, or each item, refers to; "" for none
	Choice      string  // of several forms: which comes when. Schema and Fields are of the first
	Fields      []Field // of the object that it, or each item, is
	Value       *Value  // the whole schema, references resolved
}

// field reads a resolved schema.
func field(name string, schema *Value) Field {
	f := Field{
		Name:        name,
		Type:        typeOf(schema),
		Description: schema.text("description"),
		Default:     schema.text("default"),
		Schema:      schema.ref,
		Value:       schema,
	}
	inner := schema
	if items := schema.At("items"); items != nil {
		inner = items
		f.Name += "[]"
		f.Schema = items.ref
	}
	if forms := inner.forms(); forms != nil {
		f.Choice = inner.text("description")
		inner = forms[0]
		f.Schema = inner.ref
	}
	properties, required := inner.properties()
	for _, p := range properties {
		child := field(p.Name, p.Value)
		child.Required = slices.Contains(required, p.Name)
		f.Fields = append(f.Fields, child)
	}
	return f
}

// arrange sorts fields in the order of an example, which is that of the answers. A schema with allOf has them in the
// order of its parts.
func arrange(fields []Field, example *Value) {
	place := func(f Field) int {
		for i, known := range example.Members {
			if known.Name == strings.TrimSuffix(f.Name, "[]") {
				return i
			}
		}
		return len(example.Members)
	}
	if example == nil {
		return
	}
	slices.SortStableFunc(fields, func(a, b Field) int { return place(a) - place(b) })
	for _, f := range fields {
		inner := example.At(strings.TrimSuffix(f.Name, "[]"))
		if inner != nil && len(inner.Items) > 0 {
			inner = inner.Items[0]
		}
		arrange(f.Fields, inner)
	}
}

// typeOf describes in words what a schema accepts.
func typeOf(schema *Value) string {
	if either := schema.At("oneOf"); either != nil && schema.forms() == nil { // of something and null
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
	if high := schema.text("maxItems"); high != "" {
		count = "at most " + high + " "
		if low := schema.text("minItems"); low != "" {
			count = low + "–" + high + " "
		}
	}
	items := schema.At("items")
	kinds := items.At("type").items()
	switch {
	case len(kinds) > 0 && kinds[0].String() == "object": // the other is null
		return count + "objects and nulls"
	case items.text("type") == "object", items.At("allOf") != nil, items.forms() != nil:
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
	switch low, high := schema.number("minLength"), schema.number("maxLength"); {
	case low != "" && high != "":
		return "text, " + low + "–" + high + " characters"
	case high != "":
		return "text, at most " + high + " characters"
	}
	return "text"
}
