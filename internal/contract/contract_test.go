package contract

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tocsin"
)

func read(t *testing.T) *Contract {
	t.Helper()
	c, err := Read(Options{Payments: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func want(t *testing.T, about string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", about, got, want)
	}
}

func TestTheContractExplainsEverything(t *testing.T) {
	var explained func(about string, fields []Field)
	explained = func(about string, fields []Field) {
		for _, f := range fields {
			at := about + " " + f.Name
			if f.Description == "" || f.Type == "" {
				t.Errorf("%s: description %q, type %q", at, f.Description, f.Type)
			}
			explained(at, f.Fields)
		}
	}
	ref := read(t)
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
	whole("", ref.document.Any())
	for _, op := range ref.Operations() {
		if op.Summary == "" || op.Description == "" || op.Success() == nil {
			t.Errorf("%s: summary %q, description %q, answer %v", op.ID, op.Summary, op.Description, op.Success())
		}
		explained(op.ID, op.Parameters)
		explained(op.ID, op.Credentials)
		explained(op.ID, op.Body.Fields)
		for _, a := range op.Responses {
			if a.Description == "" {
				t.Errorf("%s %s has no description", op.ID, a.Status)
			}
			explained(op.ID+" "+a.Status, a.Fields)
		}
	}
	// Those too that an operation answers only when it is asked to.
	for _, schema := range ref.document.resolve(ref.document).At("components", "schemas").Members {
		explained(schema.Name, field("", schema.Value).Fields)
	}
}

// A form that is answered on request is told apart by what it lacks.
func TestTheContractSaysWhatACompactViewLacks(t *testing.T) {
	c := read(t)
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
	schema := func(name string) any { return c.document.resolve(c.document).At("components", "schemas", name).Any() }
	for view, brief := range map[string]string{"ReportView": "BriefReport", "FiledReportView": "BriefFiledReport"} {
		choice := schema(view).(map[string]any)
		want(t, view+": the second form", choice["oneOf"].([]any)[1], schema(brief))
		names := lacking("", properties(choice["oneOf"].([]any)[0]), properties(choice["oneOf"].([]any)[1]))
		said := regexp.MustCompile("`[\\w.]+`").FindAllString(choice["description"].(string), -1)
		slices.Sort(said)
		want(t, view, said, names)
	}
}

func TestExamplesOfAnswersHaveTheirShape(t *testing.T) {
	for _, op := range read(t).Operations() {
		a := op.Success()
		if a.Example == nil {
			t.Errorf("%s has no example", op.ID)
			continue
		}
		schema, err := Compile(a.Value.Any())
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{0, 60} {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(a.Example.JSON(width)))
			if err != nil {
				t.Fatalf("%s: %v", op.ID, err)
			}
			if faults := schema.Check(value, ""); faults != nil {
				t.Errorf("%s: %v", op.ID, faults)
			}
		}
	}
}

func TestTheReferenceReadsTheContractInItsOrder(t *testing.T) {
	ref := read(t)
	var tags []string
	for _, tag := range ref.Tags {
		tags = append(tags, tag.Name)
	}
	want(t, "base path", ref.Base, "/api/v1")
	want(t, "tags", tags, []string{"screening", "reports", "keys", "service"})
	describe := func(fields []Field) (lines []string) {
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
	screen, file := ref.Operation("screenAddress"), ref.Operation("fileReport")
	want(t, "price", []any{screen.Price, screen.Open, file.Price, file.Open}, []any{"0.01", false, "", true})
	want(t, "parameters", describe(screen.Parameters), []string{
		"address: text, required",
		"context: text, at most 4,096 characters",
		"limit: whole number, 1–100, default 20",
		"cursor: text, 1–200 characters",
		"view: full, compact, default full",
		"history: true or false",
	})
	want(t, "credentials", describe(screen.Credentials), []string{
		"x-api-key: text", "Authorization: text", "SIGN-IN-WITH-X: text", "PAYMENT-SIGNATURE: text",
	})
	want(t, "body", describe(file.Body.Fields)[1:6], []string{
		"title: text, 1–200 characters, required",
		"description: text, 1–10,000 characters, required",
		"scammerAddresses[]: list of at most 100 texts or null",
		"reportedDomains[]: list of at most 100 texts or null",
		"scammerAccounts[]: list of at most 100 texts of at most 200 characters or null",
	})
	answer := screen.Success()
	find := func(name string) Field {
		return answer.Fields[slices.IndexFunc(answer.Fields, func(f Field) bool { return f.Name == name })]
	}
	want(t, "fields", describe(answer.Fields)[:4], []string{
		"address: text, required",
		"riskScore: whole number, 0–100, required",
		"riskLevel: CRITICAL, HIGH, MEDIUM, LOW, CLEAN, required",
		"result: caution, suspicious, no_reports, required",
	})
	want(t, "factors", describe(find("factors[]").Fields), []string{
		"code: text, required", "points: whole number, required", "detail: text, required",
	})
	reports := find("reports[]")
	want(t, "reports", []any{reports.Type, reports.Schema, reports.Description, len(reports.Fields) > 0},
		[]any{"list of objects", "Report", "Newest first by `publishedAt`, those without one last", true})
	want(t, "which report comes when", strings.Split(reports.Choice, ":")[0],
		"A Report, or with `view=compact` a BriefReport")
	filed := file.Success()
	want(t, "a filed one", []any{filed.Schema, strings.Split(filed.Choice, ":")[0]},
		[]any{"FiledReport", "A FiledReport, or with `view=compact` a BriefFiledReport"})
	want(t, "something or null is no choice", find("firstReportedAt").Choice, "")
	want(t, "a field with a reference and a description", describe(filed.Fields)[16:17],
		[]string{"publishedAt: time or null, required"})
	want(t, "an example", answer.Example.At("factors").JSON(62), `[
  {"code": "list", "points": 68, "detail": "named by starter"},
  {
    "code": "sanctioned",
    "points": 32,
    "detail": "sanctioned: ofac"
  }
]`)
}

// TestTheContractAndTheRulesHaveTheSameLimits compares numbers that stand in both.
func TestTheContractAndTheRulesHaveTheSameLimits(t *testing.T) {
	c := read(t)
	schemas := c.document.At("components", "schemas")
	for ref, limit := range map[string]int{
		"title/maxLength":                                tocsin.MaxTitle,
		"description/maxLength":                          tocsin.MaxDescription,
		"subjectProjectName/maxLength":                   tocsin.MaxProject,
		"scammerAddresses/maxItems":                      tocsin.MaxSubjects,
		"reportedDomains/maxItems":                       tocsin.MaxSubjects,
		"amountLost/maximum":                             int(tocsin.MaxUSD / 100),
		"evidence/properties/urls/maxItems":              tocsin.MaxEvidence,
		"evidence/properties/transactionHashes/maxItems": tocsin.MaxEvidence,
		"evidence/properties/urls/items/maxLength":       tocsin.MaxURL,
		"socialMedia/properties/telegram/maxLength":      tocsin.MaxHandle,
	} {
		want(t, ref, schemas.At("ReportDraft", "properties").At(strings.Split(ref, "/")...), limit)
	}
	want(t, "q", c.Operation("searchReports").Parameters[0].Value.At("maxLength"), tocsin.MaxQuery)
	want(t, "crime types", schemas.At("CrimeType", "enum").Items, tocsin.CrimeTypes())
}

func TestABriefReportIsAReportWithoutWords(t *testing.T) {
	c := read(t)
	fields := func(schema string) []string {
		return slices.Sorted(maps.Keys(c.document.At("components", "schemas", schema, "properties").Any().(map[string]any)))
	}
	left := fields("Report")
	for _, words := range []string{"title", "description", "subjectProjectName", "socialMedia", "reportedHandles"} {
		left = slices.DeleteFunc(left, func(name string) bool { return name == words })
	}
	want(t, "fields", fields("BriefReport"), slices.Sorted(slices.Values(append(left, "reportedDomainCount"))))
}

// A change of the contract raises its version, for those who follow it.
func TestTheVersionRisesWithTheContract(t *testing.T) {
	c := read(t)
	document := c.Document()
	document.At("info").Remove("version")
	now := fmt.Sprintf("%s %x\n", c.Version, sha256.Sum256([]byte(document.Line())))
	const golden = "testdata/version"
	known, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if now != string(known) {
		t.Errorf("the contract has changed: raise info.version in openapi.yaml, "+
			"say what changed in CHANGELOG.md, then write to internal/contract/%s: %s", golden, now)
	}
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(changes), "\n## API "+c.Version+",") {
		t.Errorf("CHANGELOG.md has no section for version %s of the API", c.Version)
	}
}

func TestAnOrdinaryNumberIsAcceptedWhateverItsSign(t *testing.T) {
	for number, ordinary := range map[json.Number]bool{
		"0": true, "12.5": true, "-12.5": true, "1e3": true, "-1e3": true, "1e-29": true, "-1e-29": true,
		"1e-31": false, "-1e-31": false, "1e400": false, "-1e400": false,
	} {
		if fault := TooComplex(number, "body"); (fault == nil) != ordinary {
			t.Errorf("%s: %v", number, fault)
		}
	}
}
