package discovery

import (
	"cmp"
	"reflect"
	"sync"

	"tocsin/internal/api"
	"tocsin/internal/contract"
	"tocsin/internal/x402"
)

// manifest is /.well-known/x402.json, in the shape of the x402 foundation's
// draft (issue 2582, specs/extensions/well-known-discovery.md), which leaves room
// for more fields. The live 402 has the last word; what can be offered at the
// moment changes while the program runs, and the document with it.
type manifest struct {
	facts *facts

	mu      sync.Mutex
	items   []item
	offers  [][]x402.Requirements // that text is made of
	written []byte
}

// item is one operation. Beside what the draft names it has price, operationId,
// schemas, credentials, and the tool of MCP that it is; those without a price are free.
type item struct {
	Resource resource            `json:"resource"`
	Type     string              `json:"type"`
	Accepts  []x402.Requirements `json:"accepts"`
	Input    input               `json:"input"`
	Output   output              `json:"output"`

	OperationID string   `json:"operationId"`
	Price       price    `json:"price"`
	Credentials []string `json:"credentials"` // headers, of which one is enough
	Open        bool     `json:"open"`        // none is needed
	MCP         *tool    `json:"mcp,omitempty"`
}

// tool is an operation as a tool of MCP: a call has the price of the operation, and
// its 402 this resource (specs/transports-v2/mcp.md).
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

// input says how the operation is called: JSON Schemas, and an example.
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

func newManifest(f *facts) (*manifest, error) {
	m := &manifest{facts: f}
	for _, op := range f.Ref.Operations() {
		how, success := op.Bazaar(), op.Success()
		route := cmp.Or(how.RouteTemplate, op.Path)
		i := item{
			Resource: resource{f.BaseURL + route, op.Summary, "application/json", f.Ref.Title, []string{op.Tag}},
			Type:     "http",
			Input: input{Method: op.Method, RouteTemplate: route, PathParams: how.PathParams, QueryParams: how.QueryParams,
				Body: how.Body, Example: how.Example},
			Output:      output{"application/json", map[string]string{"$ref": f.BaseURL + "/openapi.json#/components/schemas/" + success.Schema}, success.Example},
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
	return m, nil
}

// current returns the manifest, made anew if the offers are others than last time.
func (m *manifest) current() []byte {
	m.mu.Lock() // first, or old offers could be written over newer ones
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
	}{x402.Version, f.Now().Unix(), f.Ref.Title, f.Ref.Summary, f.payments(), map[string]string{
		"openapi": f.BaseURL + "/openapi.json", "llms": f.BaseURL + "/llms.txt", "paying": f.BaseURL + "/docs/paying", "status": f.API + "/x402/status",
	}, m.items})
	return m.written
}

// payments says in words whether calls can be paid for.
func (f *facts) payments() string {
	if !f.Pays {
		return "This deployment takes no payments: operations with a price take a key in the header x-api-key, which is free."
	}
	return "An operation with a price takes a key with a free call left, or one of its accepts. The live 402 has the last word."
}
