package discovery

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func TestSecurityOfOperations(t *testing.T) {
	s := start(t, everything)
	_, operations := s.operations()
	for _, op := range operations {
		var ways []string
		for _, way := range op.at("security").items() {
			for name := range (value{way}).fields() {
				ways = append(ways, name)
			}
			if len((value{way}).fields()) == 0 {
				ways = append(ways, "nothing")
			}
		}
		want, ok := map[string]string{
			"fileReport":     "[nothing apiKey]",
			"me":             "[nothing apiKey]",
			"withdrawReport": "[manageToken]",
			"revokeKey":      "[apiKey]",
			"getReport":      "[]",
			"signInNonce":    "[]",
			"signIn":         "[]",
			"leaderboard":    "[]",
			"paymentStatus":  "[]",
			"stats":          "[]",
		}[op.at("operationId").text()]
		if !ok {
			want = "[apiKey x402]"
		}
		s.same(op.at("operationId").text(), fmt.Sprint(ways), want)
	}
}

func TestOpenAPIIsThePublishedContract(t *testing.T) {
	s := start(t, everything)
	document := s.json("/openapi.json")
	s.same("version", document.at("openapi"), "3.1.0")
	s.same("servers", document.at("servers"), []any{map[string]any{"url": s.base}})
	s.same("contact", document.at("info", "contact"), map[string]any{"email": "security@tocsin.example"})
	s.same("guide", document.at("x-agentcash-guidance", "llmsTxtUrl"), s.base+"/llms.txt")
	if n := len(document.at("info", "x-guidance").text()); n < 200 || n > 4000 { // readers ignore over 1,000 tokens
		t.Errorf("x-guidance has %d characters", n)
	}
	text := s.get("/openapi.json").text
	s.lacks("openapi.json", text, "x-rest-of-path", "https://tocsin.example", `"<<"`)
	s.has("openapi.json", text, "x-codes")
	var asYAML any
	must(t, yaml.Unmarshal(s.get("/openapi.yaml").text, &asYAML))
	s.same("openapi.yaml", asYAML, document)

	// Every schema can be compiled, and every example has the form of its schema.
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	must(t, c.AddResource("openapi.json", raw))
	_, operations := s.operations()
	for _, op := range operations {
		at := "openapi.json#/paths/" + strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(op.path) +
			"/" + strings.ToLower(op.method)
		for status := range op.at("responses").fields() {
			if status >= "300" { // of which 304 has no body
				continue
			}
			example := op.at("responses", status, "content", "application/json", "example")
			if example.any == nil && !(op.at("operationId").text() == "fileReport" && status == "200") {
				t.Errorf("%s %s has no example", op.at("operationId").text(), status)
			}
			schema, err := c.Compile(at + "/responses/" + status + "/content/application~1json/schema")
			must(t, err)
			if example.any != nil {
				must(t, schema.Validate(example.any))
			}
		}
	}
}
