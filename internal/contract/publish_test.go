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
	plain, err := json.Marshal(node(`{"type": ["string", "null"], "maxLength": 3, "description": "d"}`).Plain())
	want := `{"anyOf":[{"maxLength":3,"type":"string"},{"type":"null"}],"description":"d"}`
	if err != nil || string(plain) != want {
		t.Errorf("%v, got %s, want %s", err, plain, want)
	}
}
