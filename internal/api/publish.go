package api

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"tocsin"
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
	contract := reader{root: doc.Content[0], verbatim: true, names: s.names()}.read(doc.Content[0])
	if !s.config.Payments.taken() {
		withoutPayments(contract)
	}
	info := contract.At("info")
	info.Set("description", ValueOf(s.described(info.At("description").String())))
	return contract, nil
}

// withoutPayments takes out of a contract, with its references or without, what
// cannot happen where no payments are taken: a way to be let in, and failures.
func withoutPayments(contract *Value) {
	gone := map[string]bool{}
	strip := func(answers *Value) {
		for _, a := range slices.Clone(answers.Fields) {
			codes := a.Value.At("x-codes")
			for _, c := range slices.Clone(codes.fields()) {
				if ofPayments[tocsin.Code(c.Name)] {
					codes.Remove(c.Name)
				} else {
					codes.Set(c.Name, ValueOf(strings.ReplaceAll(c.Value.String(), ", or pay: sign one of the offers in `accepts`", "")))
				}
			}
			if codes != nil && len(codes.Fields) == 0 || gone[a.Value.At("$ref").String()] {
				answers.Remove(a.Name)
				gone["#/components/responses/"+a.Name] = true
			}
		}
	}
	contract.At("components", "securitySchemes").Remove("x402")
	strip(contract.At("components", "responses"))
	for _, path := range contract.At("paths").Fields {
		for _, op := range path.Value.Fields {
			if answers := op.Value.At("responses"); answers != nil {
				strip(answers)
			}
			if security := op.Value.At("security"); security != nil {
				security.Items = slices.DeleteFunc(security.Items, func(way *Value) bool { return way.At("x402") != nil })
			}
		}
	}
}

// described puts before the contract's own words what is different here.
func (s *Server) described(text string) string {
	if s.config.Payments.taken() {
		return text
	}
	return "This deployment takes no payments: an operation with a price needs a key, and `accepts` of a 402 is empty. " +
		"What is said of payments below does not apply here.\n\n" + text
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
