package api

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"go.yaml.in/yaml/v3"

	"tocsin/internal/x402"
)

// Contract returns the contract for others to publish: in the order in which it
// is written, with its references, without aliases and merges, which only YAML
// knows, and with this service in its examples. It is the caller's to change. An
// error is a fault of the contract.
func (s *Server) Contract() (*Value, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(contractText, &doc); err != nil {
		return nil, err
	}
	return referenceReader{root: doc.Content[0], verbatim: true, names: s.names()}.read(doc.Content[0]), nil
}

// documented is the service that the contract's examples are of.
const documented = "https://tocsin.example"

// names puts this service into the place of the documented one.
func (s *Server) names() *strings.Replacer {
	at, err := url.Parse(s.config.BaseURL)
	if err != nil || at.Host == "" {
		return strings.NewReplacer()
	}
	return strings.NewReplacer(documented, s.config.BaseURL, strings.TrimPrefix(documented, "https://"), at.Host)
}

// Discovery returns how an operation is called, as its 402 tells catalogues in
// the extension bazaar: an example, and its schema (specs/extensions/bazaar.md
// of the x402 foundation). Free operations have it as well.
func (s *Server) Discovery(id string) json.RawMessage {
	if op := s.contract.find(id); op != nil {
		return json.RawMessage(s.names().Replace(string(op.bazaar)))
	}
	return nil
}

// Accepts returns the ways in which an operation can be paid for at the moment,
// as its 402 offers them. It is empty for a free one, and asks nobody.
func (s *Server) Accepts(id string) []x402.Requirements {
	if op := s.contract.find(id); op != nil && op.price != "" {
		return s.offers(op, false)
	}
	return []x402.Requirements{}
}

// FreeCalls returns how many free calls a day a key has.
func (s *Server) FreeCalls() int { return s.config.Quota }

func (c *contract) find(id string) *operation {
	for _, op := range c.operations {
		if op.id == id {
			return op
		}
	}
	return nil
}

// ValueOf returns what encoding/json makes of something, as a Value.
func ValueOf(content any) (*Value, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node // JSON is YAML, and this keeps the order
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	return referenceReader{verbatim: true}.read(doc.Content[0]), nil
}

// At returns the field at the end of a path of names, nil if it is not there.
func (v *Value) At(path ...string) *Value {
	for _, name := range path {
		v = v.at(name)
	}
	return v
}

// Set puts a field in its place, or at the end.
func (v *Value) Set(name string, value *Value) { v.set(name, value) }

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
func (v *Value) MarshalJSON() ([]byte, error) { return []byte(v.line()), nil }

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
