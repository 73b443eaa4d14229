package api

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"tocsin"
)

func reference(t *testing.T) *Reference {
	t.Helper()
	c, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	ref, err := readReference(c, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestTheContractExplainsEverything(t *testing.T) {
	var explained func(about string, fields []ReferenceField)
	explained = func(about string, fields []ReferenceField) {
		for _, f := range fields {
			at := about + " " + f.Name
			if f.Description == "" || f.Type == "" {
				t.Errorf("%s: description %q, type %q", at, f.Description, f.Type)
			}
			explained(at, f.Fields)
		}
	}
	c, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	ref := reference(t)
	want(t, "operations", len(ref.Operations()), len(c.operations))
	var whole func(at string, node any)
	whole = func(at string, node any) {
		switch v := node.(type) {
		case map[string]any:
			for name, inner := range v {
				if inner == nil && strings.Contains(name, " ") {
					t.Errorf("%s: a text has lost its end, %q: put it in quotes", at, name)
				}
				whole(at+"/"+name, inner)
			}
		case []any:
			for i, inner := range v {
				whole(fmt.Sprintf("%s/%d", at, i), inner)
			}
		}
	}
	whole("", c.document)
	for _, op := range ref.Operations() {
		if op.Summary == "" || op.Description == "" || op.Answer() == nil {
			t.Errorf("%s: summary %q, description %q, answer %v", op.ID, op.Summary, op.Description, op.Answer())
		}
		explained(op.ID, op.Parameters)
		explained(op.ID, op.Credentials)
		explained(op.ID, op.Body)
		for _, a := range op.Answers {
			if a.Description == "" {
				t.Errorf("%s %s has no description", op.ID, a.Status)
			}
			explained(op.ID+" "+a.Status, a.Fields)
		}
	}
	// Those too that an operation answers only when it is asked to.
	var doc yaml.Node
	if err := yaml.Unmarshal(contractText, &doc); err != nil {
		t.Fatal(err)
	}
	r := reader{root: doc.Content[0]}
	for _, schema := range r.read(r.root).At("components", "schemas").Fields {
		explained(schema.Name, field("", schema.Value).Fields)
	}
}

// A form that is answered on request is told apart by what it lacks.
func TestTheContractSaysWhatACompactViewLacks(t *testing.T) {
	c, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	properties := func(schema any) map[string]any { return schema.(map[string]any)["properties"].(map[string]any) }
	var lacking func(at string, whole, brief map[string]any) []string
	lacking = func(at string, whole, brief map[string]any) (names []string) {
		for _, name := range slices.Sorted(maps.Keys(whole)) {
			if inner, object := whole[name].(map[string]any)["properties"]; brief[name] == nil {
				names = append(names, "`"+at+name+"`")
			} else if object {
				names = append(names, lacking(at+name+".", inner.(map[string]any), properties(brief[name]))...)
			}
		}
		return names
	}
	for view, brief := range compactSchemas {
		choice := c.inline(c.lookup(view), nil).(map[string]any)
		want(t, view+": the second form", choice["oneOf"].([]any)[1], c.inline(c.lookup(brief), nil))
		names := lacking("", properties(choice["oneOf"].([]any)[0]), properties(choice["oneOf"].([]any)[1]))
		said := regexp.MustCompile("`[\\w.]+`").FindAllString(choice["description"].(string), -1)
		slices.Sort(said)
		want(t, view, said, names)
	}
}

// The codes of the contract are those of the program, each with its status.
func TestTheContractNamesEveryCode(t *testing.T) {
	ref := reference(t)
	named := map[tocsin.Code]bool{}
	for _, op := range ref.Operations() {
		for _, a := range op.Answers {
			if a.Status >= "400" && len(a.Codes) == 0 {
				t.Errorf("%s %s names no code", op.ID, a.Status)
			}
			for _, code := range a.Codes {
				named[tocsin.Code(code.Code)] = true
				if status := fmt.Sprint(code.Status); a.Status != "default" && a.Status != status || code.Status == 0 || code.ToDo == "" {
					t.Errorf("%s %s: %+v", op.ID, a.Status, code)
				}
			}
		}
	}
	for code := range statusOf {
		if !named[code] {
			t.Errorf("the contract does not name %s", code)
		}
	}
}

func TestExamplesOfAnswersHaveTheirShape(t *testing.T) {
	c, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range reference(t).Operations() {
		a := op.Answer()
		if a.Example == nil {
			t.Errorf("%s has no example", op.ID)
			continue
		}
		schema, err := c.compiler.Compile(contractURL + "#/components/schemas/" + a.Schema)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{0, 60} {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(a.Example.JSON(width)))
			if err != nil {
				t.Fatalf("%s: %v", op.ID, err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s: %v", op.ID, err)
			}
		}
	}
}

func TestTheReferenceReadsTheContractInItsOrder(t *testing.T) {
	ref := reference(t)
	var tags []string
	for _, tag := range ref.Tags {
		tags = append(tags, tag.Name)
	}
	want(t, "tags", tags, []string{"screening", "reports", "keys", "service"})
	find := func(id string) *ReferenceOperation {
		i := slices.IndexFunc(ref.Operations(), func(op *ReferenceOperation) bool { return op.ID == id })
		return ref.Operations()[i]
	}
	describe := func(fields []ReferenceField) (lines []string) {
		for _, f := range fields {
			line := f.Name + ": " + f.Type
			if f.Required {
				line += ", required"
			}
			if f.Default != "" {
				line += ", default " + f.Default
			}
			lines = append(lines, line)
		}
		return lines
	}
	screen, file := find("screenAddress"), find("fileReport")
	want(t, "price", []any{screen.Price, screen.Open, file.Price, file.Open}, []any{"0.01", false, "", true})
	want(t, "parameters", describe(screen.Parameters), []string{"address: text, required", "limit: whole number, 1–100, default 20", "cursor: text, 1–200 characters", "view: full, compact, default full"})
	want(t, "credentials", describe(screen.Credentials), []string{"x-api-key: text", "PAYMENT-SIGNATURE: text"})
	want(t, "body", describe(file.Body)[1:6], []string{"title: text, 1–200 characters, required", "description: text, 1–10,000 characters, required",
		"scammerAddresses[]: list of at most 100 texts or null", "reportedDomains[]: list of at most 100 texts or null", "amountLost: number, 0–1,000,000,000,000 or null"})
	answer := screen.Answer()
	want(t, "fields", describe(answer.Fields)[:4], []string{"address: text, required", "riskScore: whole number, 0–100, required", "riskLevel: CRITICAL, HIGH, MEDIUM, LOW, CLEAN, required", "result: caution, no_reports, required"})
	factors := answer.Fields[slices.IndexFunc(answer.Fields, func(f ReferenceField) bool { return f.Name == "factors[]" })]
	want(t, "factors", describe(factors.Fields), []string{"code: text, required", "points: whole number, required", "detail: text, required"})
	reports := answer.Fields[slices.IndexFunc(answer.Fields, func(f ReferenceField) bool { return f.Name == "reports[]" })]
	want(t, "reports", []any{reports.Type, reports.Schema, reports.Description, len(reports.Fields) > 0}, []any{"list of objects", "Report", "Newest first", true})
	want(t, "which report comes when", strings.Split(reports.Choice, ":")[0], "A Report, or with `view=compact` a BriefReport")
	want(t, "a filed one", []any{file.Answer().Schema, strings.Split(file.Answer().Choice, ":")[0]}, []any{"FiledReport", "A FiledReport, or with `view=compact` a BriefFiledReport"})
	want(t, "something or null is no choice", answer.Fields[slices.IndexFunc(answer.Fields, func(f ReferenceField) bool { return f.Name == "firstReportedAt" })].Choice, "")
	want(t, "a field that is referred to and described", describe(file.Answer().Fields)[16:17], []string{"publishedAt: time, required"})
	want(t, "an example", screen.Answer().Example.At("factors").JSON(62), "[\n  {\"code\": \"list\", \"points\": 68, \"detail\": \"named by starter\"},\n  {\n    \"code\": \"sanctioned\",\n    \"points\": 32,\n    \"detail\": \"sanctioned: ofac\"\n  }\n]")
}
