package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"tocsin"
)

// node returns JSON as a value, with its members in order.
func node(text string) *Value { return ValueOf(json.RawMessage(text)) }

// asked is an operation with parameters and a body of each kind.
func asked(t *testing.T, method string) *Operation {
	t.Helper()
	c := &Contract{Base: "/v1", statuses: map[tocsin.Code]int{"bad": 400, "late": 503}}
	op, err := c.operation(method, "/things/{name}", node(`{"operationId": "lookUpThing", "tags": ["things"],
		"summary": "Look up", "description": "A thing", "x-payment-info": {"price": {"amount": "0.02"}},
		"x-mcp-tool": {"name": "look_up", "note": "n", "readOnly": true},
		"parameters": [
			{"name": "name", "in": "path", "required": true, "x-rest-of-path": true,
				"description": "its name", "example": "x", "schema": {"type": "string"}},
			{"name": "limit", "in": "query", "description": "how many", "example": 5,
				"schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}},
			{"name": "view", "in": "query", "required": true, "description": "form",
				"schema": {"type": "string", "enum": ["full", "brief"], "default": "full"}},
			{"name": "deep", "in": "query", "schema": {"type": "boolean"}},
			{"name": "trace-id", "in": "header", "schema": {"type": "string", "maxLength": 3}}],
		"security": [{"apiKey": []}, {}],
		"requestBody": {"content": {"application/json": {"example": {"a": 1}, "schema": {"type": "object",
			"additionalProperties": false, "required": ["a"], "properties": {"a": {"type": "integer"}}}}}},
		"responses": {"200": {"description": "found"}, "503": {"description": "later",
			"headers": {"Retry-After": {}}, "x-codes": {"late": "wait"}}}}`),
		node(`{"apiKey": {"name": "x-api-key", "in": "header", "description": "the key"}}`))
	if err != nil {
		t.Fatal(err)
	}
	return op
}

func TestAnOperationIsReadWhole(t *testing.T) {
	op := asked(t, "get")
	want(t, "operation", []any{op.ID, op.Name(), op.Tag, op.Method, op.Path, op.CatchAll, op.Summary, op.Description,
		op.Price, op.Open, *op.Tool, op.TakesBody(), op.Body.Example},
		[]any{"lookUpThing", "look-up-thing", "things", "GET", "/v1/things/{name}", true, "Look up", "A thing", "0.02",
			true, ToolNote{Name: "look_up", Note: "n", ReadOnly: true}, true, node(`{"a": 1}`)})
	for _, f := range append(op.Parameters, op.Credentials...) {
		got := fmt.Sprintf("%s %s %s %s %t %s %s %s", f.Name, f.In, f.Type, f.Description, f.Required, f.Default, f.Example,
			f.Schema)
		want(t, f.Name, got, map[string]string{
			"name":      "name path text its name true  x ",
			"limit":     "limit query whole number, 1–100 how many false 20 5 ",
			"view":      "view query full, brief form true full  ",
			"deep":      "deep query true or false  false   ",
			"trace-id":  "trace-id header text, at most 3 characters  false   ",
			"x-api-key": "x-api-key header text the key false   apiKey",
		}[f.Name])
	}
	want(t, "responses", op.Responses, []Response{{Status: "200", Description: "found"}, {Status: "503",
		Description: "later", Retry: true, Codes: []Code{{Code: "late", Status: 503, ToDo: "wait", Retry: true}}}})
	want(t, "success", op.Success(), &op.Responses[0])
	want(t, "none", (&Operation{Responses: []Response{{Status: "300"}}}).Success() == nil, true)
}

func TestTheQueryAndTheHeadersAreChecked(t *testing.T) {
	op := asked(t, "get")
	long := strings.Repeat("z", 61)
	const known = ": the parameters are limit, view, deep"
	for _, c := range []struct{ query, header, want string }{
		{"view=full", "", "limit=20 view=full trace="},
		{"view=brief&limit=1", "abc", "limit=1 view=brief trace=abc"},
		{"view=full&deep=true", "", "limit=20 view=full trace= deep"},
		{"view=full&deep=false", "", "limit=20 view=full trace="},
		{"view=full&deep=1", "", "deep: it is neither true nor false; send true or false"},
		{"view=full&deep", "", "deep: it is neither true nor false; send true or false"},
		{"view=%zz", "", "query: it is not well encoded; percent-encode its values"},
		{"", "", "view: it is missing; send view"},
		{"view=full&view=full", "", "view: it is given more than once; send it once"},
		{"view=x", "", "view: it is not one of the allowed values; send one of full, brief"},
		{"view=full&limit=1.5", "", "limit: it is not a whole number; send a number such as 20"},
		{"view=full&limit=0", "", "limit: it is less than 1; send 1 or more"},
		{"view=full&limit=101", "", "limit: it is more than 100; send 100 or less"},
		{"view=full", "abcd", "trace-id: it has 4 characters, 3 are allowed; shorten it"},
		{"view=full&name=a", "", "name: there is no such parameter; percent-encode it if it belongs to the URL in the " +
			"path; else remove it, or correct its spelling" + known},
		{"view=full&" + long + "&a", "", "a: there is no such parameter; percent-encode it if it belongs to the URL in " +
			"the path; else remove it, or correct its spelling" + known + " | " + tocsin.Clip(long, 60) +
			": there is no such parameter; " +
			"percent-encode it if it belongs to the URL in the path; else remove it, or correct its spelling" + known},
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/things/x?"+c.query, nil)
		if c.header != "" {
			r.Header.Set("Trace-Id", c.header) // whatever the case of its name in the contract
		}
		in, err := op.Read(r)
		got := fmt.Sprintf("limit=%d view=%s trace=%s", in.Number("limit"), in.Text("view"), in.Text("trace-id"))
		if in.Is("deep") {
			got += " deep"
		}
		if err != nil {
			got = said(t, err)
		}
		want(t, c.query, got, c.want)
	}
	op.CatchAll = false
	_, err := op.Read(httptest.NewRequest(http.MethodGet, "/?view=full&a", nil))
	want(t, "a parameter too many", said(t, err),
		"a: there is no such parameter; remove it, or correct its spelling"+known)
	op.Credentials = []Field{{Name: "x-api-key"}, {Name: "Authorization"}}
	for name, where := range map[string]string{"api_key": "x-api-key", "apiKey": "x-api-key", "key": "x-api-key",
		"authorization": "Authorization"} {
		_, err = op.Read(httptest.NewRequest(http.MethodGet, "/?view=full&"+name+"=toc_a", nil))
		want(t, name, said(t, err), name+": there is no such parameter; send it in the header "+where+", never in a URL")
	}
}

// said returns the faults of an error.
func said(t *testing.T, err error) string {
	t.Helper()
	refused, ok := err.(*tocsin.Error)
	if !ok || refused.Code != tocsin.Invalid {
		t.Fatalf("the error is %v", err)
	}
	return faultsText(refused.Fields)
}

func faultsText(faults []tocsin.Fault) string {
	var all []string
	for _, f := range faults {
		all = append(all, f.Field+": "+f.Reason+"; "+f.Fix)
	}
	return strings.Join(all, " | ")
}

func TestABodyIsChecked(t *testing.T) {
	op := asked(t, "post")
	for body, want := range map[string][2]string{
		`{"a": 1}`:         {"", ""},
		`{"a": "x"}`:       {"", "a: it is of type string; send a whole number"},
		`[]`:               {"", "body: it is of type array; send an object"},
		`{}`:               {"", "a: it is missing; send a"},
		`{"a": 1e9999999}`: {"a: the number is out of all bounds; send an ordinary number", ""},
		`1e9999999`:        {"body: the number is out of all bounds; send an ordinary number", ""},

		` `:                 {"body: it is empty; send one JSON object", ""},
		`{"a"`:              {`body: it ends too early; close what is open, with ", ] and }`, ""},
		`{"ä": 1,}`:         {`body: "}" cannot be there: character 9; remove the comma before it`, ""},
		`{'a': 1}`:          {`body: "'" cannot be there: character 2; write names and texts in double quotes (")`, ""},
		`{"a": ä}`:          {`body: "ä" cannot be there: character 7; send one JSON object`, ""},
		"{\"a\": \"b\nc\"}": {`body: "\n" cannot be there: character 9; send one JSON object`, ""},
		`{"a": 1} {"a": 1}`: {"body: more follows behind its end: character 10; send one JSON object", ""},

		`{"a": 1, "a": 1}`:                        {"a: it is given more than once; send it once", ""},
		`{"a": "x", "\u0061": 1}`:                 {"a: it is given more than once; send it once", ""},
		`{"b": [0, {"c": {"d/e": 1, "d/e": 2}}]}`: {"b[1].c.d/e: it is given more than once; send it once", ""},
		`{"a": 1, "b": {"a": 1}}`:                 {"", "b: there is no such field; remove it, or correct its spelling"},
		"{\"a\": \"\xff\"}":                       {"", "a: it is of type string; send a whole number"},
	} {
		_, malformed, invalid := op.CheckBody([]byte(body))
		for i, err := range []error{malformed, invalid} {
			if err == nil != (want[i] == "") || err != nil && said(t, err) != want[i] {
				t.Errorf("%s: %v, want %s", body, err, want[i])
			}
		}
	}
}

func TestEachFaultOfAValueIsNamed(t *testing.T) {
	schema, err := Compile(node(`{"type": "object", "additionalProperties": false, "properties": {
		"name": {"type": "string", "minLength": 2, "pattern": "^[a-z]*$"},
		"list": {"type": ["array", "null"], "minItems": 1, "maxItems": 2, "items": {"type": "boolean"}},
		"inner": {"type": "object", "required": ["x", "y"], "additionalProperties": false,
			"properties": {"x": {}, "y": {}, "theItem": {}}}, "sum": {"type": "number"}}}`).Any())
	if err != nil {
		t.Fatal(err)
	}
	for value, fault := range map[string]string{
		`{"name": "ab", "list": [true], "inner": {"x": 1, "y": 1}, "sum": 1.5}`: "",
		`{"name": "a"}`: "in.name: it is empty; send a text",
		`{"name": "A2"}`: "in.name: it does not have the documented form; " +
			"see the schema of this field in the documentation",
		`{"list": []}`:        "in.list: it is empty; send at least 1",
		`{"list": [true, 1]}`: "in.list[1]: it is of type number; send true or false",
		`{"list": [true,true,0]}`: "in.list: it has 3 entries, 2 are allowed; split the call | " +
			"in.list[2]: it is of type number; send true or false",
		`{"list": 1}`:   "in.list: it is of type number; send a list, in brackets",
		`{"sum": null}`: "in.sum: it is of type null; send a number",
		`{"inner": {}}`: "in.inner.x: it is missing; send x | in.inner.y: it is missing; send y",
		`{"no": 1}`:     "in.no: there is no such field; remove it, or correct its spelling",
		`{"lists": []}`: "in.lists: there is no such field; send list in its place, or remove it",
		`{"in-ner": 1}`: "in.in-ner: there is no such field; send inner in its place, or remove it",
		`{"inner": {"x": 1, "y": 1, "the_item": 1}}`: "in.inner.the_item: there is no such field; " +
			"send theItem in its place, or remove it",
		`7`: "in: it is of type number; send an object",
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
		if err != nil {
			t.Fatal(err)
		}
		got := faultsText(schema.Check(v, "in"))
		if parts := strings.Split(got, " | "); len(parts) == 2 && parts[0] > parts[1] {
			got = parts[1] + " | " + parts[0]
		}
		want(t, value, got, fault)
	}
	if _, err := Compile(node(`{"type": "nothing"}`).Any()); err == nil {
		t.Error("a schema of an unknown type compiles")
	}
}

func TestWhatIsTooComplexIsRefusedWithItsPlace(t *testing.T) {
	deep := func(n int, leaf any) any {
		var v any = []any{leaf}
		for range n {
			v = []any{v}
		}
		return v
	}
	object := func(name string, v any) any { return map[string]any{name: v} }
	huge := json.Number("1e999")
	many := map[string]any{}
	for i := range maxEntries + 1 {
		many[fmt.Sprint(i)] = nil
	}
	const number = ": the number is out of all bounds; send an ordinary number"
	for _, c := range []struct {
		value any
		want  string
	}{
		{make([]any, maxEntries), ""},
		{make([]any, maxEntries+1), "in: it has 501 entries, more than anything here may have; split the call"},
		{many, "in: it has 501 entries, more than anything here may have; split the call"},
		{deep(maxDepth, json.Number("1")), ""},
		{deep(maxDepth, "a text"), ""},
		{deep(maxDepth+1, "a text"),
			strings.Repeat("[0]", 11) + ": it is nested too deep; see the fields in the documentation"},
		{json.Number(strings.Repeat("1", maxDigits)), ""},
		{json.Number(strings.Repeat("1", maxDigits+1)), "in" + number},
		{json.Number("0.00000000000000000000000000000000001"), ""},
		{json.Number("1E-31"), "in" + number},
		{json.Number("1e-30"), ""},
		{object("a", object("b", []any{nil, huge})), "a.b[1]" + number},
		{[]any{nil, object("b", huge)}, "[1].b" + number},
		{object(strings.Repeat("n", 61), huge), tocsin.Clip(strings.Repeat("n", 61), 60) + number},
		{"a text", ""},
	} {
		got := ""
		if fault := TooComplex(c.value, "in"); fault != nil {
			got = faultsText([]tocsin.Fault{*fault})
		}
		want(t, fmt.Sprintf("%.60v", c.value), got, c.want)
	}
}

func TestTypesAreSaidInWords(t *testing.T) {
	for schema, words := range map[string]string{
		`{"type": "string"}`:                                           "text",
		`{"type": "string", "maxLength": 10000}`:                       "text, at most 10,000 characters",
		`{"type": "string", "minLength": 1, "maxLength": 1000000}`:     "text, 1–1,000,000 characters",
		`{"type": "string", "minLength": 1}`:                           "text",
		`{"type": "string", "format": "date-time"}`:                    "time",
		`{"type": ["string", "null"], "format": "uri"}`:                "URL or null",
		`{"type": "string", "enum": ["a", "b"]}`:                       "a, b",
		`{"const": true}`:                                              "always true",
		`{"type": "integer"}`:                                          "whole number",
		`{"type": ["integer", "null"], "minimum": 0}`:                  "whole number, from 0 or null",
		`{"type": "number", "minimum": 1, "maximum": 100}`:             "number, 1–100",
		`{"type": "number", "maximum": 100}`:                           "number",
		`{"type": "boolean"}`:                                          "true or false",
		`{"type": ["boolean", "null"]}`:                                "true or false or null",
		`{"type": "object"}`:                                           "object",
		`{"type": ["object", "null"]}`:                                 "object or null",
		`{"oneOf": [{"type": "string"}, {"type": "null"}]}`:            "text or null",
		`{"type": "array", "items": {"type": "object"}}`:               "list of objects",
		`{"type": "array", "items": {"type": ["object", "null"]}}`:     "list of objects and nulls",
		`{"type": "array", "items": {"allOf": []}}`:                    "list of objects",
		`{"type": "array", "items": {"oneOf": [{"properties": {}}]}}`:  "list of objects",
		`{"type": "array", "items": {"type": "integer"}}`:              "list of whole numbers",
		`{"type": "array", "maxItems": 3, "items": {"enum": ["a"]}}`:   "list of at most 3 a",
		`{"type": "array", "minItems": 1, "maxItems": 3, "items": {}}`: "list of 1–3 texts",
		`{"type": "array", "items": {"maxLength": 1000}}`:              "list of texts of at most 1,000 characters",
		`{"type": ["array", "null"], "minItems": 1, "items": {}}`:      "list of texts or null",
	} {
		want(t, schema, typeOf(node(schema)), words)
	}
}

func TestACallIsDescribedForCatalogues(t *testing.T) {
	get, post := asked(t, "get"), asked(t, "post")
	view := `{"default":"full","description":"form","enum":["full","brief"],"type":"string"}`
	limit := `{"default":20,"description":"how many","maximum":100,"minimum":1,"type":"integer"}`
	parts := `"pathParams":{"properties":{"name":{"description":"its name","type":"string"}},"required":["name"],` +
		`"type":"object"},"queryParams":{"properties":{"deep":{"description":"","type":"boolean"},"limit":` + limit +
		`,"view":` + view + `},"required":["view"],"type":"object"}`
	rest := `"type":{"const":"http"}},"required":["type","method","pathParams","queryParams"`
	output := `],"type":"object"},"output":{"properties":{"example":{"type":"object"},"type":{"type":"string"}},` +
		`"required":["type"],"type":"object"}},"required":["input"],"type":"object"}}`
	params := `"pathParams":{"name":"x"},"queryParams":{"limit":5,"view":"full"},"type":"http"},` +
		`"output":{"type":"json"}},"routeTemplate":"/v1/things/:name",` +
		`"schema":{"$schema":"https://json-schema.org/draft/2020-12/schema",` +
		`"properties":{"input":{"additionalProperties":false,"properties":{`
	body := `{"additionalProperties":false,"properties":{"a":{"type":"integer"}},"required":["a"],"type":"object"}`
	for op, text := range map[*Operation]string{
		get: `{"info":{"input":{"method":"GET",` + params + `"method":{"enum":["GET"]},` + parts + `,` + rest + output,
		post: `{"info":{"input":{"body":{"a":1},"bodyType":"json","method":"POST",` + params + `"body":` + body +
			`,"bodyType":{"const":"json"},"method":{"enum":["POST"]},` + parts + `,` + rest + `,"bodyType","body"` + output,
		{Method: "GET", Path: "/v1"}: `{"info":{"input":{"method":"GET","type":"http"},"output":{"type":"json"}},` +
			`"schema":{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"input":{` +
			`"additionalProperties":false,"properties":{"method":{"enum":["GET"]},"type":{"const":"http"}},` +
			`"required":["type","method"` + output,
	} {
		got, err := json.Marshal(op.Bazaar())
		if err != nil || string(got) != text {
			t.Errorf("%s %s: %v\ngot  %s\nwant %s", op.Method, op.Path, err, got, text)
		}
	}
}

// TestTheFirstOfTwoMergedMembersCounts, and one beside the merge more than both (yaml.org/type/merge).
func TestTheFirstOfTwoMergedMembersCounts(t *testing.T) {
	var document yaml.Node
	text := "a: &a {x: 1, y: 1, z: 1}\nb: &b {y: 2, z: 2, w: 2}\nc: {<<: [*a, *b], z: 3}\n"
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	c := readYAML(document.Content[0], nil).At("c")
	want(t, "merged", []any{c.text("x"), c.text("y"), c.text("z"), c.text("w")}, []any{"1", "1", "3", "2"})
}

// TestAKeyInAURLInThePathIsNotTakenForOurs: the URL that is checked may have a parameter of that name.
func TestAKeyInAURLInThePathIsNotTakenForOurs(t *testing.T) {
	op := asked(t, "get") // which takes all that follows
	op.Credentials = []Field{{Name: "x-api-key"}}
	_, err := op.Read(httptest.NewRequest(http.MethodGet, "/v1/things/https://evil.example/?view=full&key=1", nil))
	want(t, "fix", strings.Contains(said(t, err), "percent-encode it if it belongs to the URL"), true)
}
