package contract

import (
	"encoding/json"
	"net/http"
	"regexp"
)

// Bazaar is how an operation is called, as catalogues of x402 want to know it: an example and JSON Schemas of its
// parts. Its JSON is the extension "bazaar" of a 402 (x402 foundation, specs/extensions/bazaar.md).
type Bazaar struct {
	RouteTemplate                 string         // the path with :name for each parameter; "" if it has none
	Example                       map[string]any // the member "input" of the extension
	PathParams, QueryParams, Body any            // schemas; nil for none

	shape    map[string]any // schema of Example
	required []string       // names in Example
	brief    bool           // nothing is said of what is answered
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// Bazaar describes a call of the operation, free operations included.
func (op *Operation) Bazaar() *Bazaar {
	type object = map[string]any
	b := &Bazaar{
		Example:  object{"type": "http", "method": op.Method},
		shape:    object{"type": object{"const": "http"}, "method": object{"enum": []string{op.Method}}},
		required: []string{"type", "method"},
	}
	if route := pathParameter.ReplaceAllString(op.Path, ":$1"); route != op.Path {
		b.RouteTemplate = route
	}
	parameters := func(in, name string) any {
		examples, schemas, required := object{}, object{}, []string{}
		for _, p := range op.Parameters {
			if p.In != in {
				continue
			}
			schema := p.Value.Any().(object)
			schema["description"] = p.Description
			schemas[p.Name] = schema
			if p.Required {
				required = append(required, p.Name)
			}
			if p.Example != nil {
				examples[p.Name] = p.Example.Any()
			} else if p.Default != "" {
				examples[p.Name] = schema["default"]
			}
		}
		if len(schemas) == 0 {
			return nil
		}
		b.Example[name] = examples
		b.shape[name] = object{"type": "object", "properties": schemas, "required": required}
		if len(required) > 0 {
			b.required = append(b.required, name)
		}
		return b.shape[name]
	}
	b.PathParams = parameters("path", "pathParams")
	b.QueryParams = parameters("query", "queryParams")
	if op.Method == http.MethodPost {
		b.Body = op.Body.Value.Any()
		b.Example["bodyType"], b.Example["body"] = "json", op.Body.Example.Any()
		b.shape["bodyType"], b.shape["body"] = object{"const": "json"}, b.Body
		b.required = append(b.required, "bodyType", "body")
	}
	return b
}

// Brief is b with schemas that hold nothing but names, types and what is required, and without what is answered. It is
// a third of the size, for a header of HTTP; what the parameters mean is in the contract.
func (b *Bazaar) Brief() *Bazaar {
	return &Bazaar{
		RouteTemplate: b.RouteTemplate,
		Example:       b.Example,
		PathParams:    skeleton(b.PathParams),
		QueryParams:   skeleton(b.QueryParams),
		Body:          skeleton(b.Body),
		shape:         skeleton(map[string]any{"properties": b.shape}).(map[string]any)["properties"].(map[string]any),
		required:      b.required,
		brief:         true,
	}
}

// skeleton returns a schema with the keywords of structure alone.
func skeleton(schema any) any {
	from, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	bare := map[string]any{}
	for name, value := range from {
		switch name {
		case "type", "const", "required":
			if list, ok := value.([]string); !ok || len(list) > 0 {
				bare[name] = value
			}
		case "enum":
			if only, ok := value.([]string); ok { // the method
				bare[name] = only
			}
		case "items":
			bare[name] = skeleton(value)
		case "properties":
			properties := map[string]any{}
			for property, its := range value.(map[string]any) {
				properties[property] = skeleton(its)
			}
			bare[name] = properties
		}
	}
	return bare
}

// MarshalJSON implements [json.Marshaler].
func (b *Bazaar) MarshalJSON() ([]byte, error) {
	type object = map[string]any
	output := object{
		"type":       "object",
		"properties": object{"type": object{"type": "string"}, "example": object{"type": "object"}},
		"required":   []string{"type"},
	}
	extension := object{
		"info": object{"input": b.Example, "output": object{"type": "json"}},
		"schema": object{
			"$schema":  "https://json-schema.org/draft/2020-12/schema",
			"type":     "object",
			"required": []string{"input"},
			"properties": object{
				"input":  object{"type": "object", "properties": b.shape, "required": b.required, "additionalProperties": false},
				"output": output,
			},
		},
	}
	if b.brief {
		delete(extension["info"].(object), "output")
		// As little as checkers of catalogues want to see of an answer.
		extension["schema"].(object)["properties"].(object)["output"] = object{"properties": object{"example": object{}}}
	}
	if b.RouteTemplate != "" {
		extension["routeTemplate"] = b.RouteTemplate
	}
	return json.Marshal(extension)
}
