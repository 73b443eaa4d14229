package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"tocsin"
)

// Value is a JSON value whose objects keep the order of their members.
type Value struct {
	Members []Member   // of an object
	Items   []*Value   // of an array
	scalar  *yaml.Node // nil for an object or array; shared by copies, never changed

	object, array bool
	ref           string // the last name of the reference that it replaced; "" for none
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value *Value
}

// readYAML reads a node, without aliases and merges. A merged member gives way to one of the same name beside the
// merge, and to one that was merged before. Texts pass through names, if it is not nil.
func readYAML(n *yaml.Node, names *strings.Replacer) *Value {
	switch n.Kind {
	case yaml.AliasNode:
		return readYAML(n.Alias, names)
	case yaml.SequenceNode:
		v := &Value{array: true}
		for _, item := range n.Content {
			v.Items = append(v.Items, readYAML(item, names))
		}
		return v
	case yaml.MappingNode:
		v := &Value{object: true}
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].Tag == "!!merge" {
				merged := readYAML(n.Content[i+1], names)
				for _, part := range append(merged.Items, merged) {
					for _, m := range part.Members {
						if v.At(m.Name) == nil {
							v.Set(m.Name, m.Value)
						}
					}
				}
			}
		}
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].Tag != "!!merge" {
				v.Set(n.Content[i].Value, readYAML(n.Content[i+1], names))
			}
		}
		return v
	}
	if names != nil {
		own := *n // aliases share the node
		own.Value = names.Replace(n.Value)
		n = &own
	}
	return &Value{scalar: n}
}

// resolve returns a copy of the value in which each reference is replaced by what it names in the root, and by the
// members beside it. Without a root, references stay. What several references name is one value in the copy, which
// therefore must not be changed if there is a root.
func (v *Value) resolve(root *Value) *Value { return v.copy(root, map[string]*Value{}) }

// copy is [Value.resolve]; named are the values that were resolved already, by their references.
func (v *Value) copy(root *Value, named map[string]*Value) *Value {
	c := &Value{scalar: v.scalar, object: v.object, array: v.array}
	for _, item := range v.Items {
		c.Items = append(c.Items, item.copy(root, named))
	}
	ref := ""
	if root != nil {
		ref = v.text("$ref")
	}
	if ref != "" {
		steps := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
		if named[ref] == nil {
			at := root.At(steps...)
			if at == nil {
				panic("the contract has no " + ref)
			}
			named[ref] = at.copy(root, named)
		}
		c.Members, c.ref = slices.Clone(named[ref].Members), steps[len(steps)-1]
	}
	for _, m := range v.Members {
		if ref == "" {
			c.Members = append(c.Members, Member{m.Name, m.Value.copy(root, named)})
		} else if m.Name != "$ref" {
			c.Set(m.Name, m.Value.copy(root, named))
		}
	}
	return c
}

// ValueOf returns what encoding/json makes of a Go value. It panics if that cannot be JSON.
func ValueOf(content any) *Value {
	text, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	var doc yaml.Node // JSON is YAML, and this keeps the order
	if err := yaml.Unmarshal(text, &doc); err != nil {
		panic(err)
	}
	return readYAML(doc.Content[0], nil)
}

// At returns the member at the end of a path of names, nil if it is not there.
func (v *Value) At(path ...string) *Value {
	for _, name := range path {
		i := -1
		if v != nil {
			i = slices.IndexFunc(v.Members, func(m Member) bool { return m.Name == name })
		}
		if i < 0 {
			return nil
		}
		v = v.Members[i].Value
	}
	return v
}

// text returns a member as text, "" if it is not there.
func (v *Value) text(name string) string { return v.At(name).String() }

// number returns a member that is a whole number, with commas between thousands.
func (v *Value) number(name string) string { return tocsin.Grouped(v.text(name)) }

// String returns a scalar as it is written in the contract, without space around it. It is "" for nil.
func (v *Value) String() string {
	if v == nil || v.scalar == nil {
		return ""
	}
	return strings.TrimSpace(v.scalar.Value)
}

// members returns the members of an object that may be nil.
func (v *Value) members() []Member {
	if v == nil {
		return nil
	}
	return v.Members
}

// items returns the items of an array that may be nil.
func (v *Value) items() []*Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// Set replaces a member, or adds it at the end.
func (v *Value) Set(name string, value *Value) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			v.Members[i].Value = value
			return
		}
	}
	v.Members = append(v.Members, Member{name, value})
}

// Remove removes a member, if it is there.
func (v *Value) Remove(name string) {
	v.Members = slices.DeleteFunc(v.Members, func(m Member) bool { return m.Name == name })
}

// Open returns a copy of a schema of which each object may have other fields than those that it describes. The contract
// is closed as it is written, so that the tests notice a field that it lacks; but clients must accept new ones.
func (v *Value) Open() *Value {
	c := *v
	c.Members, c.Items = nil, nil
	for _, m := range v.Members {
		closes := m.Name == "additionalProperties" || m.Name == "unevaluatedProperties"
		if !closes || m.Value.String() != "false" {
			c.Members = append(c.Members, Member{m.Name, m.Value.Open()})
		}
	}
	for _, item := range v.Items {
		c.Items = append(c.Items, item.Open())
	}
	return &c
}

// Any returns the value as encoding/json decodes it, with numbers as [json.Number]. It is nil for nil.
func (v *Value) Any() any {
	if v == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(v.Line()))
	if err != nil {
		panic(err) // Line writes JSON
	}
	return value
}

// JSON writes the value on several lines: an object or array is on one line if it fits into the width.
func (v *Value) JSON(width int) string {
	var b strings.Builder
	v.write(&b, "", 0, width)
	return b.String()
}

func (v *Value) write(b *strings.Builder, indent string, before, width int) {
	line, fits := v.appendLine(nil, width-len(indent)-before)
	if v.scalar != nil || len(v.Members)+len(v.Items) == 0 || fits && indent != "" {
		b.Write(line)
		return
	}
	inner, ends := indent+"  ", "[]"
	if v.object {
		ends = "{}"
	}
	b.WriteString(ends[:1])
	for i, m := range v.Members {
		b.WriteString(strings.Repeat(",", min(i, 1)) + "\n" + inner)
		name := quoteJSON(m.Name) + ": "
		b.WriteString(name)
		m.Value.write(b, inner, len(name), width)
	}
	for i, item := range v.Items {
		b.WriteString(strings.Repeat(",", min(i, 1)) + "\n" + inner)
		item.write(b, inner, 0, width)
	}
	b.WriteString("\n" + indent + ends[1:])
}

// Line returns the value as JSON on one line.
func (v *Value) Line() string {
	line, _ := v.appendLine(nil, math.MaxInt)
	return string(line)
}

// appendLine appends the value as JSON on one line, and reports whether the whole line has at most so many bytes. Once
// it has more, members and items are left out: a document would be written once for each of its levels otherwise.
func (v *Value) appendLine(line []byte, longest int) (whole []byte, fits bool) {
	ends := "[]"
	switch {
	case v.object:
		ends = "{}"
	case v.array:
	case v.scalar.Tag == "!!str" || v.scalar.Tag == "!!timestamp":
		line = append(line, quoteJSON(v.scalar.Value)...)
		return line, len(line) <= longest
	default:
		line = append(line, v.scalar.Value...)
		return line, len(line) <= longest
	}
	line, fits = append(line, ends[0]), true
	for i, m := range v.Members {
		if i > 0 {
			line = append(line, ", "...)
		}
		line = append(append(line, quoteJSON(m.Name)...), ": "...)
		if line, fits = m.Value.appendLine(line, longest); !fits {
			return line, false
		}
	}
	for i, item := range v.Items {
		if i > 0 {
			line = append(line, ", "...)
		}
		if line, fits = item.appendLine(line, longest); !fits {
			return line, false
		}
	}
	line = append(line, ends[1])
	return line, len(line) <= longest
}

func quoteJSON(text string) string {
	if strings.IndexFunc(text, mustEscape) < 0 {
		return `"` + text + `"`
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(text) // a text into memory: it cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// mustEscape reports whether a character may have another form in JSON.
func mustEscape(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }

// MarshalJSON implements [json.Marshaler].
func (v *Value) MarshalJSON() ([]byte, error) { return []byte(v.Line()), nil }

// YAML writes the value as YAML 1.2.
func (v *Value) YAML() []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(v.node()), e.Close()); err != nil {
		panic(err) // it writes plain nodes into memory
	}
	return b.Bytes()
}

// node returns the value as YAML, without the anchors of where it was read.
func (v *Value) node() *yaml.Node {
	switch {
	case v.object:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, m := range v.Members {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: m.Name}, m.Value.node())
		}
		return n
	case v.array:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v.Items {
			n.Content = append(n.Content, item.node())
		}
		return n
	}
	tag := v.scalar.Tag
	if tag == "!!timestamp" { // JSON has none
		tag = "!!str"
	}
	// The style is kept, because readers of YAML 1.1 take an unquoted 0x1f for a number.
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.scalar.Value, Style: v.scalar.Style}
}
