package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
)

// identifierExtension tells clients of x402 that they may name a payment, to
// repeat it without fear (specs/extensions/payment_identifier.md).
var identifierExtension = json.RawMessage(`{"info":{"required":false},"schema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
	`"properties":{"required":{"type":"boolean"},"id":{"type":"string","minLength":16,"maxLength":128}},"required":["required"]}}`)

var templateParameter = regexp.MustCompile(`\{(\w+)\}`)

// bazaar tells catalogues of x402 how an operation is called: an example, and
// the schema of the example (specs/extensions/bazaar.md). Both are the contract's.
func (c *contract) bazaar(op *operation, path, method string) (json.RawMessage, error) {
	type object = map[string]any
	doc := c.whole(path, method, nil)
	input := object{"type": "http", "method": op.method}
	shape := object{"type": object{"const": "http"}, "method": object{"enum": []string{op.method}}}
	required := []string{"type", "method"}
	for _, place := range []struct{ in, name string }{{"path", "pathParams"}, {"query", "queryParams"}} {
		examples, schemas, needed := object{}, object{}, []string{}
		for _, p := range doc["parameters"].([]any) {
			p := p.(object)
			if p["in"] != place.in {
				continue
			}
			name, schema := p["name"].(string), maps.Clone(p["schema"].(object))
			schema["description"] = p["description"]
			schemas[name] = schema
			if p["required"] == true {
				needed = append(needed, name)
			}
			if example, ok := p["example"]; ok {
				examples[name] = example
			} else if usual, ok := schema["default"]; ok {
				examples[name] = usual
			}
		}
		if len(schemas) == 0 {
			continue
		}
		input[place.name] = examples
		shape[place.name] = object{"type": "object", "properties": schemas, "required": needed}
		if len(needed) > 0 {
			required = append(required, place.name)
		}
	}
	if op.method == http.MethodPost {
		body := doc["requestBody"].(object)["content"].(object)["application/json"].(object)
		input["bodyType"], input["body"] = "json", body["example"]
		shape["bodyType"], shape["body"] = object{"const": "json"}, body["schema"]
		required = append(required, "bodyType", "body")
	}
	extension := object{
		"info": object{"input": input, "output": object{"type": "json"}},
		"schema": object{
			"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": []string{"input"},
			"properties": object{
				"input":  object{"type": "object", "properties": shape, "required": required, "additionalProperties": false},
				"output": object{"type": "object", "properties": object{"type": object{"type": "string"}, "example": object{"type": "object"}}, "required": []string{"type"}},
			},
		},
	}
	if templateParameter.MatchString(op.path) {
		extension["routeTemplate"] = templateParameter.ReplaceAllString(op.path, ":$1")
	}
	return json.Marshal(extension)
}

// whole returns an operation without references, with the parameters that all operations of its path have.
func (c *contract) whole(path, method string, other map[string]string) map[string]any {
	item := c.lookup("#/paths").(map[string]any)[path].(map[string]any)
	op := c.inline(item[method], other).(map[string]any)
	shared, _ := c.inline(item["parameters"], other).([]any)
	own, _ := op["parameters"].([]any)
	op["parameters"] = append(shared, own...)
	return op
}

// inline returns a node of the contract with its local references replaced by
// what they name, or by what stands for that in other; what stands beside a reference wins.
func (c *contract) inline(node any, other map[string]string) any {
	switch v := node.(type) {
	case map[string]any:
		whole := map[string]any{}
		if ref, ok := v["$ref"].(string); ok {
			if instead, ok := other[ref]; ok {
				ref = instead
			}
			whole = c.inline(c.lookup(ref), other).(map[string]any)
		}
		for name, value := range v {
			if name != "$ref" {
				whole[name] = c.inline(value, other)
			}
		}
		return whole
	case []any:
		whole := make([]any, len(v))
		for i := range v {
			whole[i] = c.inline(v[i], other)
		}
		return whole
	}
	return node
}
