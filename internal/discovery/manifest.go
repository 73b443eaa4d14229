package discovery

import (
	"cmp"
	"reflect"
	"sync"

	"tocsin/internal/api"
	"tocsin/internal/contract"
	"tocsin/internal/x402"
)

// manifest is /.well-known/x402.json, as the draft of the x402 foundation describes it (issue 2582,
// specs/extensions/well-known-discovery.md), with more fields, which the draft allows. What can be offered changes
// while the program runs, and the document with it. If it differs from a live 402, the 402 is right.
type manifest struct {
	facts *facts

	mu      sync.Mutex
	items   []item
	offers  [][]x402.Requirements // in written
	written []byte                // the document; nil before the first
}

// item is one operation. The fields from operationId on, and the schemas, are not in the draft. Operations without a
// price are listed as well.
type item struct {
	Resource resource            `json:"resource"`
	Type     string              `json:"type"`
	Accepts  []x402.Requirements `json:"accepts"`
	Input    input               `json:"input"`
	Output   output              `json:"output"`

	OperationID string   `json:"operationId"`
	Price       price    `json:"price"`
	Credentials []string `json:"credentials"` // headers; one of them is enough
	Open        bool     `json:"open"`        // no credential is needed
	MCP         *tool    `json:"mcp,omitempty"`
}

// tool is an operation as a tool of MCP: a call has the price of the operation, and its 402 names this resource
// (specs/transports-v2/mcp.md).
type tool struct {
	Endpoint string `json:"endpoint"`
	Name     string `json:"tool"`
	Resource string `json:"resource"`
}

type resource struct {
	URL         string   `json:"url"`
	Description string   `json:"description"`
	MimeType    string   `json:"mimeType"`
	ServiceName string   `json:"serviceName"`
	Tags        []string `json:"tags"`
}

// input describes a call of the operation: JSON Schemas, and an example.
type input struct {
	Method        string `json:"method"`
	RouteTemplate string `json:"routeTemplate"`
	PathParams    any    `json:"pathParams,omitempty"`
	QueryParams   any    `json:"queryParams,omitempty"`
	BodyType      string `json:"bodyType,omitempty"`
	Body          any    `json:"body,omitempty"`
	Example       any    `json:"example"`
}

type output struct {
	MimeType string            `json:"mimeType"`
	Schema   map[string]string `json:"schema"` // refers to the contract
	Example  *contract.Value   `json:"example"`
}

type price struct {
	Mode     string `json:"mode"`
	Currency string `json:"currency"`
	Amount   string `json:"amount"`
}

func newManifest(f *facts) *manifest {
	m := &manifest{facts: f}
	for _, op := range f.Contract.Operations() {
		how, success := op.Bazaar(), op.Success()
		route := cmp.Or(how.RouteTemplate, op.Path)
		i := item{
			Resource: resource{
				URL:         f.BaseURL + route,
				Description: op.Summary,
				MimeType:    "application/json",
				ServiceName: f.Contract.Title,
				Tags:        []string{op.Tag},
			},
			Type: "http",
			Input: input{
				Method:        op.Method,
				RouteTemplate: route,
				PathParams:    how.PathParams,
				QueryParams:   how.QueryParams,
				Body:          how.Body,
				Example:       how.Example,
			},
			Output: output{
				MimeType: "application/json",
				Schema:   map[string]string{"$ref": f.BaseURL + "/openapi.json#/components/schemas/" + success.Schema},
				Example:  success.Example,
			},
			OperationID: op.ID,
			Price:       price{"fixed", "USD", "0"},
			Credentials: []string{},
			Open:        op.Open,
		}
		if op.Tool != nil {
			i.MCP = &tool{f.BaseURL + f.MCP, op.Tool.Name, api.ToolResource(op.Tool.Name)}
		}
		if how.Body != nil {
			i.Input.BodyType = "json"
		}
		if op.Price != "" {
			i.Price.Amount = op.Price
		}
		for _, c := range op.Credentials {
			i.Credentials = append(i.Credentials, c.Name)
		}
		m.items = append(m.items, i)
	}
	m.current()
	return m
}

// current returns the manifest. It is made again if the offers have changed.
func (m *manifest) current() []byte {
	m.mu.Lock() // before the offers are read, so that older ones do not replace newer ones
	defer m.mu.Unlock()
	offers := make([][]x402.Requirements, len(m.items))
	for i := range m.items {
		offers[i] = m.facts.api.Accepts(m.items[i].OperationID)
	}
	if m.written != nil && reflect.DeepEqual(offers, m.offers) {
		return m.written
	}
	for i := range m.items {
		m.items[i].Accepts = offers[i]
	}
	m.offers = offers
	f := m.facts
	m.written = encode(struct {
		X402Version   int               `json:"x402Version"`
		LastUpdated   int64             `json:"lastUpdated"`
		Name          string            `json:"name"`
		Description   string            `json:"description"`
		Payments      string            `json:"payments"`
		Documentation map[string]string `json:"documentation"`
		Items         []item            `json:"items"`
	}{
		X402Version: x402.Version,
		LastUpdated: f.Now().Unix(),
		Name:        f.Contract.Title,
		Description: f.Contract.Summary,
		Payments:    f.payments(),
		Documentation: map[string]string{
			"openapi": f.BaseURL + "/openapi.json",
			"llms":    f.BaseURL + "/llms.txt",
			"paying":  f.BaseURL + "/docs/paying",
			"status":  f.API + "/x402/status",
		},
		Items: m.items,
	})
	return m.written
}

// payments says whether calls can be paid for.
func (f *facts) payments() string {
	if !f.Pays {
		return "This deployment takes no payments: operations with a price take a key in the header x-api-key, which is free."
	}
	return "An operation with a price takes a key with a free call left, or one of its accepts. " +
		"The live 402 has the last word."
}
