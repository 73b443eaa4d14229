package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"tocsin"
)

func TestAContractOfADeploymentNamesItsHostAndNoPayments(t *testing.T) {
	c, err := Read(Options{BaseURL: "https://api.b.example", PaymentCodes: map[tocsin.Code]bool{"payment_required": true}})
	if err != nil {
		t.Fatal(err)
	}
	text := c.Document().Line()
	if strings.Contains(text, "tocsin.example") || !strings.Contains(text, "https://api.b.example") {
		t.Error("the host of the examples is not replaced")
	}
	if !strings.HasPrefix(c.Description, noPayments) || len(c.Description) < len(noPayments)+100 {
		t.Errorf("the description is %.200q", c.Description)
	}
	if c.document.At("components", "securitySchemes", "x402") != nil || strings.Contains(text, adviceToPay) ||
		c.Tags[0].Description == "" {
		t.Error("a way to pay is left")
	}
}

func TestAValueIsTheSameInYAMLAndForClientsThatKnowFewKeywords(t *testing.T) {
	v := node(`{"a": ["0x1f", 1, {"b": null}], "c": {}}`)
	if got, want := string(v.YAML()), "a:\n  - \"0x1f\"\n  - 1\n  - b: null\nc: {}\n"; got != want {
		t.Errorf("got\n%s", got)
	}
	for schema, want := range map[string]string{
		`{"type": ["string", "null"], "maxLength": 3, "description": "d"}`: `{"anyOf":[{"maxLength":3,"type":"string"},` +
			`{"type":"null"}],"description":"d"}`,
		`{"type": ["string", "null"]}`: `{"anyOf":[{"type":"string"},{"type":"null"}]}`,
		`{"oneOf": [{"type": "number", "format": "double", "example": 1}, {"type": "null"}]}`: `{"oneOf":` +
			`[{"type":"number"},{"type":"null"}]}`,
	} {
		plain, err := json.Marshal(node(schema).Plain())
		if err != nil || string(plain) != want {
			t.Errorf("%v, got %s, want %s", err, plain, want)
		}
	}
	if (*Value)(nil).Any() != nil {
		t.Error("nothing is something")
	}
}

// TestPatternsAreForCallers: input is parsed by endpoints, which forgive more. A field may have that name.
func TestPatternsAreForCallers(t *testing.T) {
	schema := node(`{"type": "object", "properties": {"a": {"type": "string", "pattern": "^x$"},
		"pattern": {"type": "string", "maxLength": 3}, "b": {"anyOf": [{"type": "string", "pattern": "^x$"}]}}}`).Any()
	for field, refused := range map[string]bool{"a": false, "b": false, "pattern": true} {
		input, err := CompileInput(schema)
		if err != nil {
			t.Fatal(err)
		}
		if faults := input.Check(map[string]any{field: "a text"}, "in"); (len(faults) > 0) != refused {
			t.Errorf("%s: %v", field, faults)
		}
		whole, err := Compile(schema)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole.Check(map[string]any{field: "a text"}, "in")) == 0 {
			t.Errorf("%s is not checked", field)
		}
	}
}
