package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"tocsin"
)

// Schema is a JSON Schema (draft 2020-12) that values are checked against.
type Schema struct{ compiled *jsonschema.Schema }

// Compile makes a schema of plain JSON values, as [Value.Any] returns them. It must hold no references.
func Compile(schema any) (*Schema, error) {
	const name = "schema.json"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(name, schema); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(name)
	return &Schema{compiled}, err
}

// CompileInput is Compile for what callers send, without the patterns. Those are for callers: what has a pattern is
// parsed by its endpoint, which forgives more, such as spaces around it, and says in words what is wrong.
func CompileInput(schema any) (*Schema, error) { return Compile(withoutPatterns(schema)) }

func withoutPatterns(schema any) any {
	switch v := schema.(type) {
	case map[string]any:
		rest := map[string]any{}
		for name, value := range v {
			if _, isText := value.(string); name != "pattern" || !isText { // a property may have that name
				rest[name] = withoutPatterns(value)
			}
		}
		return rest
	case []any:
		rest := make([]any, len(v))
		for i := range v {
			rest[i] = withoutPatterns(v[i])
		}
		return rest
	}
	return schema
}

// Check returns what is wrong with a value, in words that help to correct it. Faults of the value as a whole have the
// name as their field, or "body" if it is empty.
func (s *Schema) Check(value any, name string) (faults []tocsin.Fault) {
	err := s.compiled.Validate(value)
	if err == nil {
		return nil
	}
	invalid, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return []tocsin.Fault{{Field: name, Reason: "it does not have the documented form", Fix: "see the documentation"}}
	}
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, c := range e.Causes {
			walk(c)
		}
		if len(e.Causes) == 0 {
			faults = append(faults, schemaFaults(e.ErrorKind, fieldPath(name, e.InstanceLocation),
				namesAt(s.compiled, e.InstanceLocation))...)
		}
	}
	walk(invalid)
	return faults
}

// schemaFaults describes one violation of a schema by the value of a field, which may have fields of these names.
func schemaFaults(violation jsonschema.ErrorKind, field string, names []string) (faults []tocsin.Fault) {
	add := func(field, reason, fix string) {
		faults = append(faults, tocsin.Fault{Field: field, Reason: reason, Fix: fix})
	}
	switch k := violation.(type) {
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			add(fieldPath(field, []string{tocsin.Clip(name, 60)}), NoSuchField, CorrectName(name, names))
		}
	case *kind.Required:
		for _, name := range k.Missing {
			add(fieldPath(field, []string{name}), "it is missing", "send "+name)
		}
	case *kind.Type:
		add(cmp.Or(field, "body"), "it is of type "+k.Got, "send "+inWords(k.Want))
	case *kind.Enum:
		names := make([]string, len(k.Want))
		for i, w := range k.Want {
			names[i] = fmt.Sprint(w)
		}
		add(field, "it is not one of the allowed values", "send one of "+strings.Join(names, ", "))
	case *kind.MaxLength:
		add(field, fmt.Sprintf("it has %d characters, %d are allowed", k.Got, k.Want), "shorten it")
	case *kind.MinLength:
		add(field, "it is empty", "send a text")
	case *kind.MaxItems:
		add(field, fmt.Sprintf("it has %d entries, %d are allowed", k.Got, k.Want), "split the call")
	case *kind.MinItems:
		add(field, "it is empty", fmt.Sprintf("send at least %d", k.Want))
	case *kind.Minimum:
		add(field, "it is less than "+k.Want.RatString(), "send "+k.Want.RatString()+" or more")
	case *kind.Maximum:
		add(field, "it is more than "+k.Want.RatString(), "send "+k.Want.RatString()+" or less")
	default:
		add(field, "it does not have the documented form", "see the schema of this field in the documentation")
	}
	return faults
}

// inWords names types of JSON. It leaves out null: a caller with nothing to send can leave the field out.
func inWords(types []string) string {
	words := map[string]string{
		"string": "a text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
		"array": "a list, in brackets", "object": "an object",
	}
	var named []string
	for _, t := range types {
		if words[t] != "" {
			named = append(named, words[t])
		}
	}
	return strings.Join(named, " or ")
}

// fieldPath writes a place in a value as callers know it: evidence.urls[2].
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

// Bounds of any value, far above what a schema of the contract allows: entries of an array or object, levels of
// nesting, characters of a number, and the smallest number with an exponent.
const (
	maxEntries = 500
	maxDepth   = 10
	maxDigits  = 40
	minNumber  = 1e-30
)

// TooComplex finds what no schema of the contract allows and what would take long to check: huge arrays and objects,
// deep nesting, numbers like 1e1000000. Faults of the value as a whole have the name as their field.
func TooComplex(value any, name string) *tocsin.Fault {
	fault := tooComplex(value, 0)
	if fault != nil {
		fault.Field = cmp.Or(fault.Field, name)
	}
	return fault
}

// tooComplex builds the path of a fault while it returns, because most values have none.
func tooComplex(value any, depth int) *tocsin.Fault {
	number, isNumber := value.(json.Number)
	list, _ := value.([]any)
	object, _ := value.(map[string]any)
	switch entries := max(len(list), len(object)); {
	case isNumber:
		f, err := number.Float64()
		tiny := math.Abs(f) < minNumber && strings.ContainsAny(string(number), "eE")
		if err != nil || len(number) > maxDigits || tiny {
			return &tocsin.Fault{Reason: "the number is out of all bounds", Fix: "send an ordinary number"}
		}
	case entries > maxEntries:
		reason := fmt.Sprintf("it has %d entries, more than anything here may have", entries)
		return &tocsin.Fault{Reason: reason, Fix: "split the call"}
	case entries > 0 && depth > maxDepth:
		return &tocsin.Fault{Reason: "it is nested too deep", Fix: "see the fields in the documentation"}
	}
	within := func(place string, item any) *tocsin.Fault {
		fault := tooComplex(item, depth+1)
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

// properties returns the properties of a schema and the names of the required ones, with those of the parts of its
// allOf.
func (v *Value) properties() (properties []Member, required []string) {
	for _, part := range v.At("allOf").items() {
		more, names := part.properties()
		properties, required = append(properties, more...), append(required, names...)
	}
	for _, name := range v.At("required").items() {
		required = append(required, name.String())
	}
	return append(properties, v.At("properties").members()...), required
}

// forms returns the alternatives of a schema that is one of several objects, nil if it is not. The first is the full
// form, the last the compact one.
func (v *Value) forms() []*Value {
	either := v.At("oneOf").items()
	if either == nil || either[len(either)-1].At("properties") == nil {
		return nil
	}
	return either
}

// Plain returns a schema as plain JSON values with few keywords, for clients that know few: the parts of allOf are
// joined, of several forms of an object it is the compact one, each type of several is an alternative of anyOf, and
// what only OpenAPI knows is left out.
func (v *Value) Plain() any {
	switch {
	case v.array:
		list := make([]any, len(v.Items))
		for i := range v.Items {
			list[i] = v.Items[i].Plain()
		}
		return list
	case !v.object:
		return v.Any()
	}
	if forms := v.forms(); forms != nil {
		return forms[len(forms)-1].Plain()
	}
	plain := map[string]any{}
	for _, m := range v.Members {
		double := m.Name == "format" && m.Value.String() == "double"
		if m.Name != "allOf" && m.Name != "unevaluatedProperties" && m.Name != "example" && !double {
			plain[m.Name] = m.Value.Plain()
		}
	}
	if types, several := plain["type"].([]any); several {
		description := plain["description"]
		delete(plain, "description")
		var kinds []any
		for _, one := range types {
			kind := map[string]any{"type": one}
			if one != "null" {
				kind = maps.Clone(plain)
				kind["type"] = one
			}
			kinds = append(kinds, kind)
		}
		if plain = map[string]any{"anyOf": kinds}; description != nil {
			plain["description"] = description
		}
	}
	if v.At("allOf") != nil {
		properties, required := v.properties()
		joined := map[string]any{}
		for _, m := range properties {
			joined[m.Name] = m.Value.Plain()
		}
		plain["type"], plain["properties"], plain["required"] = "object", joined, required
		if v.At("unevaluatedProperties") != nil { // which is false: [Value.Open] removes it
			plain["additionalProperties"] = false
		}
	}
	return plain
}
