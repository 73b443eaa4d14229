package discovery

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// each visits every object of a document, with its path.
func each(at string, v any, visit func(at string, object map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(at, v)
		for name, inner := range v {
			if name != "example" && name != "examples" {
				each(at+"/"+name, inner, visit)
			}
		}
	case []any:
		for i, inner := range v {
			each(fmt.Sprintf("%s/%d", at, i), inner, visit)
		}
	}
}

// TestGeneratorsOfClientsCanReadTheContract holds what generators stumbled over; interop/ runs some of them.
func TestGeneratorsOfClientsCanReadTheContract(t *testing.T) {
	s := start(t, everything)
	document := s.json("/openapi.json")
	schemas := document.at("components", "schemas").fields()
	text := string(s.get("/openapi.json").text)
	for name := range schemas {
		if !strings.Contains(text, `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing refers to %s", name)
		}
		if schemas["New"+name] != nil {
			t.Errorf("New%s is also the constructor of %s", name, name)
		}
	}
	for path, item := range document.at("paths").fields() {
		if item.(map[string]any)["parameters"] != nil {
			t.Errorf("%s has parameters of its own, which some readers take for an operation", path)
		}
	}
	each("", document.any, func(at string, schema map[string]any) {
		kind := fmt.Sprint(schema["type"])
		for _, one := range (value{schema["oneOf"]}).items() {
			if (value{one}).at("type").text() == "null" {
				t.Errorf("%s: something or null is an array of types", at)
			}
		}
		if schema["format"] == "date-time" && schema["pattern"] != nil {
			t.Errorf("%s: a time has no pattern", at)
		}
		if strings.Contains(kind, "number") && schema["format"] != "double" {
			t.Errorf("%s: a number is a double", at)
		}
		if items, ok := schema["items"].(map[string]any); ok && items["properties"] != nil {
			t.Errorf("%s: the objects of a list have a schema with a name", at)
		}
		if schema["enum"] != nil && strings.HasPrefix(at, "/components/schemas/") && strings.Count(at, "/") > 3 {
			t.Errorf("%s: the values have a schema with a name", at)
		}
	})
}

// TestWhatTheWordsPromiseThePatternsSay: the patterns let through what is taken, and nothing that is certainly not.
func TestWhatTheWordsPromiseThePatternsSay(t *testing.T) {
	s := start(t, everything)
	document := s.json("/openapi.json")
	parameter := func(operation, name string) value {
		_, operations := s.operations()
		for _, op := range operations {
			if op.at("operationId").text() != operation {
				continue
			}
			for _, p := range op.at("parameters").items() {
				if p := (value{p}).deref(document); p.at("name").text() == name {
					return p.at("schema")
				}
			}
		}
		return value{}
	}
	draft := document.at("components", "schemas", "ReportDraft", "properties")
	hash := "0x" + strings.Repeat("0a", 32)
	for about, c := range map[string]struct {
		schema      value
		good, wrong []string
	}{
		"address": {parameter("screenAddress", "address"), []string{payTo, strings.ToLower(payTo), "0X" + payTo[2:]},
			[]string{"", "0x12", payTo[2:], payTo + "0", "0x" + strings.Repeat("g", 40)}},
		"addresses": {document.at("components", "schemas", "Batch", "properties", "addresses", "items"), []string{payTo},
			[]string{"", payTo + "0"}},
		"scammerAddresses": {draft.at("scammerAddresses", "items"), []string{payTo}, []string{"", payTo + "0"}},
		"transactionHashes": {draft.at("evidence", "properties", "transactionHashes", "items"), []string{hash, hash[2:]},
			[]string{"", "0x" + hash[3:], hash + "0"}},
		"currency": {draft.at("currency"), []string{"USD", "usdt", "1INCH", ""},
			[]string{"$", "U", "US DOLLAR", "ABCDEFGHIJK"}},
		"incidentDate": {draft.at("incidentDate"),
			[]string{"2026-01-31", "2026-01-31T23:59:59Z", "2026-01-31T23:59:59.5+01:00"},
			[]string{"", "yesterday", "2026-1-31", "2026-01-31T23:59Z"}},
		"since": {parameter("listReports", "since"), []string{"2026-01-31T23:59:59Z", "2026-01-31T23:59:59.123456Z",
			"2026-01-31t23:59:59-01:00", "2026-01-31"},
			[]string{"", "0", "2026-1-31", "2026-01-31T23:59:59", "2026-01-31 23:59:59Z"}},
		"cursor": {parameter("listReports", "cursor"), []string{"AQE", "a-_9"}, []string{"", " ", "a=", "a/b"}},
		"signature": {document.at("components", "schemas", "SignIn", "properties", "signature"), []string{hash + hash[2:]},
			[]string{"", "0x", "0x0", hash[2:]}},
	} {
		pattern := c.schema.at("pattern").text()
		if pattern == "" {
			t.Errorf("%s has no pattern", about)
			continue
		}
		for _, text := range c.good {
			s.same(about+" "+text, regexp.MustCompile(pattern).MatchString(text), true)
		}
		for _, text := range c.wrong {
			s.same(about+" "+text, regexp.MustCompile(pattern).MatchString(text), false)
		}
	}
}
