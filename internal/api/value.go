package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

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

// At returns the field at the end of a path of names, nil if it is not there.
func (v *Value) At(path ...string) *Value {
	for _, name := range path {
		i := -1
		if v != nil {
			i = slices.IndexFunc(v.Fields, func(f ValueField) bool { return f.Name == name })
		}
		if i < 0 {
			return nil
		}
		v = v.Fields[i].Value
	}
	return v
}

// text returns a field as text, "" if it is not there.
func (v *Value) text(name string) string { return v.At(name).String() }

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

func (v *Value) fields() []ValueField {
	if v == nil {
		return nil
	}
	return v.Fields
}

// Set puts a field in its place, or at the end.
func (v *Value) Set(name string, value *Value) {
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
	line := v.Line()
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

// Line returns the value as JSON on one line.
func (v *Value) Line() string {
	var parts []string
	for _, f := range v.Fields {
		parts = append(parts, quoteJSON(f.Name)+": "+f.Value.Line())
	}
	for _, item := range v.Items {
		parts = append(parts, item.Line())
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

// reader reads YAML with its order, and without aliases, merges and references.
type reader struct {
	root     *yaml.Node
	verbatim bool              // references stay as they are written
	names    *strings.Replacer // in texts; nil for none
}

func (r reader) read(n *yaml.Node) *Value {
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
					v.Set(key.Value, r.read(value))
					continue
				}
				whole := r.read(value)
				for _, part := range append(whole.Items, whole) { // of several merged ones the first has a say
					for _, f := range part.Fields {
						if v.At(f.Name) == nil {
							v.Set(f.Name, f.Value)
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
func (r reader) lookup(ref string) *yaml.Node {
	at := r.root
steps:
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		for i := 0; i < len(at.Content); i += 2 {
			if at.Content[i].Value == name {
				at = at.Content[i+1]
				continue steps
			}
		}
		panic("the contract has no " + ref)
	}
	return at
}

// ValueOf returns what encoding/json makes of a value. What cannot be JSON is a
// fault of the program, and panics.
func ValueOf(content any) *Value {
	text, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	var doc yaml.Node // JSON is YAML, and this keeps the order
	if err := yaml.Unmarshal(text, &doc); err != nil {
		panic(err)
	}
	return reader{verbatim: true}.read(doc.Content[0])
}

// Remove takes a field out.
func (v *Value) Remove(name string) {
	for i, f := range v.Fields {
		if f.Name == name {
			v.Fields = append(v.Fields[:i:i], v.Fields[i+1:]...)
			return
		}
	}
}

// MarshalJSON implements json.Marshaler.
func (v *Value) MarshalJSON() ([]byte, error) { return []byte(v.Line()), nil }

// YAML writes the value as YAML 1.2.
func (v *Value) YAML() ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(v.node()); err != nil {
		return nil, err
	}
	err := e.Close()
	return b.Bytes(), err
}

// node returns the value as YAML, without the anchors of where it was read.
func (v *Value) node() *yaml.Node {
	switch {
	case v.object:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, f := range v.Fields {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: f.Name}, f.Value.node())
		}
		return n
	case v.array:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v.Items {
			n.Content = append(n.Content, item.node())
		}
		return n
	}
	tag := v.Scalar.Tag
	if tag == "!!timestamp" { // JSON has none
		tag = "!!str"
	}
	// In quotes stays what is in quotes: other readers take 0x1f for a number.
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.Scalar.Value, Style: v.Scalar.Style}
}
