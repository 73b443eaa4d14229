package manual

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"testing"

	"tocsin/internal/contract"
	"tocsin/internal/tocsintest"
)

// small is a contract with one operation of each kind.
func small() *contract.Contract {
	key := contract.Field{Name: "x-api-key", In: "header", Type: "text", Description: "the key", Schema: "apiKey"}
	payment := contract.Field{Name: "PAYMENT-SIGNATURE", In: "header", Type: "text", Description: "a payment",
		Schema: "x402"}
	token := contract.Field{Name: "X-Manage-Token", In: "header", Type: "text", Description: "the token",
		Schema: "manageToken"}
	value := contract.ValueOf
	thing := []contract.Field{
		{Name: "name", Type: "text", Description: "its name", Required: true},
		{Name: "parts[]", Type: "list of objects", Description: "its parts", Choice: "A Part, or a word",
			Fields: []contract.Field{{Name: "size", Type: "number", Default: "7", Description: "in *mm*"}}},
	}
	problem := []contract.Field{{Name: "code", Type: "text", Description: "what went wrong", Required: true}}
	look := &contract.Operation{
		ID: "lookUp", Method: "GET", Path: "/api/v1/things/{name}", Summary: "A thing", Description: "Returns `a` thing.",
		Price: "0.01", Credentials: []contract.Field{key, payment},
		Parameters: []contract.Field{
			{Name: "name", In: "path", Type: "text", Required: true, Description: "its name", Example: value("a b/c")},
			{Name: "near", In: "query", Required: true, Type: "text", Description: "what is near", Example: value("x+y z")},
			{Name: "limit", In: "query", Type: "number", Default: "20", Description: "how many", Example: value(3)},
			{Name: "view", In: "query", Type: "text", Description: "the form"},
			{Name: "Trace", In: "header", Type: "text", Description: "a trace", Example: value("t")},
		},
		Responses: []contract.Response{
			{Status: "200", Description: "the thing", Choice: "it has two forms", Schema: "Thing", Fields: thing,
				Example: value(map[string]any{"name": "a", "parts": []any{map[string]any{"size": 1}}})},
			{Status: "400", Codes: []contract.Code{{Code: "bad", Status: 400, ToDo: "mend it"}}},
			{Status: "402", Fields: append(problem[:1:1], contract.Field{Name: "accepts", Type: "list", Description: "offers"}),
				Codes: []contract.Code{{Code: "pay", Status: 402, ToDo: "pay", Retry: true}}},
			{Status: "default", Codes: []contract.Code{{Code: "other", Status: 500, ToDo: "wait"}}},
		},
	}
	file := &contract.Operation{
		ID: "fileThing", Method: "POST", Path: "/api/v1/things", Summary: "File a thing", Open: true,
		Credentials: []contract.Field{key},
		Body: contract.Field{Description: "what it is", Fields: thing,
			Example: value(map[string]any{"name": "it's a thing whose name is so long that it needs a line", "size": 2,
				"new": true, "after": nil})},
		Responses: []contract.Response{{Status: "201", Description: "the thing as filed", Fields: []contract.Field{
			{Name: "thing", Type: "object", Description: "the thing", Schema: "Thing", Fields: thing}}}},
	}
	drop := &contract.Operation{
		ID: "dropThing", Method: "DELETE", Path: "/api/v1/things/{id}", Summary: "Drop it",
		Parameters:  []contract.Field{{Name: "id", In: "path", Type: "text", Required: true, Description: "its id"}},
		Credentials: []contract.Field{token},
		Responses:   []contract.Response{{Status: "200", Description: "done"}},
	}
	mine := &contract.Operation{
		ID: "mine", Method: "GET", Path: "/api/v1/mine", Summary: "What is mine", Open: true,
		Credentials: []contract.Field{key}, Responses: []contract.Response{{Status: "200", Description: "all"}},
	}
	signIn := &contract.Operation{
		ID: "signIn", Method: "POST", Path: "/api/v1/auth/verify", Summary: "Sign in",
		Body:      contract.Field{Example: value(map[string]any{"message": "m"})},
		Responses: []contract.Response{{Status: "200", Description: "a key"}},
	}
	return &contract.Contract{
		Version: "1.2.3", Summary: "Says what is known.", Description: "One.\n\nTwo, see docs/risk.md.", Base: "/api/v1",
		Problem: contract.Response{Status: "default", Description: "a problem", Fields: problem},
		Tags: []contract.Tag{
			{Name: "things", Description: "what there is", Operations: []*contract.Operation{look, file, drop}},
			{Name: "keys", Description: "who you are", Operations: []*contract.Operation{mine, signIn}},
		},
	}
}

// marked writes a program with the classes of its fragments.
func marked(p *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s (%s)\n", p.Label, p.Language)
	for _, f := range p.Fragments {
		if f.Class != "" {
			f.Text = "‹" + f.Class + " " + f.Text + "›"
		}
		b.WriteString(f.Text)
	}
	return b.String() + "\n"
}

// dump writes what a page says.
func dump(t *testing.T, p Page) string {
	t.Helper()
	var b strings.Builder
	line := func(about string, v any) {
		var text strings.Builder
		e := json.NewEncoder(&text)
		if e.SetEscapeHTML(false); e.Encode(v) != nil {
			t.Fatal(about)
		}
		fmt.Fprintf(&b, "%s: %s", about, text.String())
	}
	fmt.Fprintf(&b, "=== %q: %q, %q\n", p.Name, p.Title, p.Description)
	if o := p.Operation; o != nil {
		fmt.Fprintf(&b, "%s costs %s\n", o.ID, o.Cost)
		line("text", []template.HTML{o.Text, o.BodyText})
		line("inputs", o.Inputs)
		line("body", o.Body)
		line("failures", o.Failures)
		example := o.Answer.Example
		o.Answer.Example = nil
		line("answer", o.Answer)
		if o.Answer.Example = example; example != nil {
			b.WriteString(marked(example))
		}
		for _, program := range o.Programs {
			b.WriteString(marked(&program))
		}
	}
	if p.Offer != nil {
		line("offer", p.Offer)
	}
	for _, program := range []*Program{p.Program, p.Client, p.SetKey} {
		if program != nil {
			b.WriteString(marked(program))
		}
	}
	return b.String()
}

// TestThePagesOfASmallContract holds everything that the pages say of it.
func TestThePagesOfASmallContract(t *testing.T) {
	service := Service{BaseURL: "https://tocsin.example", MCP: "/mcp", FreeCalls: 10,
		Networks: []Network{{Name: "Base", ID: "eip155:8453"}}}
	all, _, err := Pages(small(), service)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, name := range []string{"", "keys", "paying", "lists", "errors", "agents", "look-up", "file-thing", "drop-thing",
		"mine", "sign-in"} {
		p := all[name]
		if name == "" { // an example, which has a page of its own
			if p.Operation.ID != "lookUp" {
				t.Errorf("the first page shows %s", p.Operation.ID)
			}
			p.Operation = nil
		}
		got.WriteString(dump(t, p))
	}
	p := all["errors"]
	fmt.Fprintf(&got, "=== all: %+v\n%+v\n%s %+v\n%+v\n", p.Contents, p.Failures, p.Version, p.Problem, p.Service)
	for _, g := range p.Groups {
		fmt.Fprintf(&got, "%s: %s %d\n", g.Title, g.Text, len(g.Operations))
	}
	tocsintest.Golden(t, "testdata/pages.txt", got.String())
	tocsintest.Want(t, "pages", len(all), 15)
	if text := string(all["risk"].Text); !strings.Contains(text, "<h2") || !strings.Contains(text, `<table class="tbl">`) {
		t.Errorf("the page of the score is %.200s", text)
	}
	privacy := string(all["privacy"].Text)
	for _, part := range []string{`<h2 id="reporters-and-those-whom-reports-name">`, `<a href="#payments">`,
		"a collector:"} {
		if !strings.Contains(privacy, part) {
			t.Errorf("the page of privacy has no %s", part)
		}
	}
	if strings.Contains(privacy, ".md") {
		t.Error("the page of privacy links to a file")
	}
	if o := all["drop-thing"].Operation; !o.Uses("REPORT_ID") || o.Uses("TOCSIN_KEY") {
		t.Error("what a program uses is not found")
	}
}

func TestAServiceThatAcceptsNoPaymentsSaysSo(t *testing.T) {
	all, _, err := Pages(small(), Service{BaseURL: "https://tocsin.example"})
	if err != nil {
		t.Fatal(err)
	}
	if o := all["look-up"].Operation; o.Cost != "1 of your daily calls" || len(o.Programs) != 4 ||
		all["paying"].Program != nil {
		t.Errorf("%s, %d, %v", o.Cost, len(o.Programs), all["paying"].Program)
	}
}

func TestAnIDIsAtTheEndOfItsPath(t *testing.T) {
	c := small()
	c.Tags[0].Operations[2].Path = "/api/v1/things/{id}/parts"
	if _, _, err := Pages(c, Service{}); err == nil || err.Error() != "dropThing: id is not at the end of the path" {
		t.Error(err)
	}
}

func TestATableNamesItsColumnsInEachCell(t *testing.T) {
	m := newMarkdown()
	got, err := m.html("| *One* | Two | Three |\n|---|--:|---|\n| a | b | c |\n| d | e | f |\n\n" +
		"| X | Y |\n|---|---|\n| 1 | 2 |")
	want := `<table class="tbl">
<thead>
<tr>
<th scope="col">One</th>
<th align="right" scope="col">Two</th>
<th scope="col">Three</th>
</tr>
</thead>
<tbody>
<tr>
<td>a</td>
<td align="right" data-l="Two">b</td>
<td data-l="Three">c</td>
</tr>
<tr>
<td>d</td>
<td align="right" data-l="Two">e</td>
<td data-l="Three">f</td>
</tr>
</tbody>
</table>
<table class="tbl">
<thead>
<tr>
<th scope="col">X</th>
<th scope="col">Y</th>
</tr>
</thead>
<tbody>
<tr>
<td>1</td>
<td data-l="Y">2</td>
</tr>
</tbody>
</table>
`
	if err != nil || strings.Replace(string(got), "<em>One</em>", "One", 1) != want {
		t.Errorf("%v, got\n%s", err, got)
	}
	for text, want := range map[string]template.HTML{
		"one *line*": "one <em>line</em>", "- a": "<ul>\n<li>a</li>\n</ul>\n", "a\n\nb": "<p>a</p>\n<p>b</p>\n",
		"see docs/risk.md": `see <a href="/docs/risk">docs/risk.md</a>`,
	} {
		if got, err := m.line(text); err != nil || got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
