package manual

import (
	"fmt"
	"go/format"
	"html/template"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"tocsin/internal/contract"
)

// pages are those of a service, with payments on Base or without payments.
func pages(t *testing.T, payments bool) map[string]Page {
	t.Helper()
	c, err := contract.Read(contract.Options{BaseURL: "https://tocsin.example", Payments: payments})
	if err != nil {
		t.Fatal(err)
	}
	service := Service{BaseURL: "https://tocsin.example", MCP: "/mcp", FreeCalls: 10}
	if payments {
		service.Networks = []Network{{Name: "Base", ID: "eip155:8453"}}
	}
	all, _, err := Pages(c, service)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range c.Operations() {
		if all[op.Name()].Operation == nil {
			t.Errorf("%s has no page", op.Name())
		}
	}
	return all
}

func TestEveryPageIsShownByTheTemplate(t *testing.T) {
	shown := template.Must(template.New("").Parse(Template))
	for _, payments := range []bool{true, false} {
		for name, p := range pages(t, payments) {
			if p.Title == "" || p.Description == "" {
				t.Errorf("%q: title %q, description %q", name, p.Title, p.Description)
			}
			if err := shown.ExecuteTemplate(io.Discard, "main", struct{ Body Page }{p}); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
}

func TestEveryOperationHasAProgramInEachLanguage(t *testing.T) {
	for name, p := range pages(t, true) {
		if p.Operation == nil {
			continue
		}
		var languages []string
		for _, program := range p.Operation.Programs {
			languages = append(languages, program.Language)
			code := program.Text()
			if program.Language != "go" {
				continue
			}
			formatted, err := format.Source([]byte(code))
			if err != nil || strings.TrimSpace(string(formatted)) != code {
				t.Errorf("%s is not formatted by gofmt: %v\n%s", name, err, code)
			}
		}
		want := "curl python js go"
		if p.Operation.Price != "" && name != "" {
			want += " x402"
		}
		if strings.Join(languages, " ") != want {
			t.Errorf("%s: %q", name, languages)
		}
	}
}

// TestAProgramEndsIfAVariableIsNotSet: JavaScript would send the text undefined in its place, the others nothing.
func TestAProgramEndsIfAVariableIsNotSet(t *testing.T) {
	ends := map[string]string{
		"curl": "${%s:?}", "python": `os.environ["%s"]`, "go": "if os.Getenv(%q) == \"\" {\n\t\tlog.Fatal(",
		"js": "if (!process.env.%s)\n  throw new Error(", "x402": "if (!process.env.%s)\n  throw new Error(",
	}
	variable := regexp.MustCompile(`TOCSIN_KEY|IDEMPOTENCY_KEY|MANAGE_TOKEN|REPORT_ID|WALLET`)
	found := map[string]bool{}
	for name, p := range pages(t, true) {
		programs := []*Program{p.Program}
		if p.Operation != nil {
			for i := range p.Operation.Programs {
				programs = append(programs, &p.Operation.Programs[i])
			}
		}
		for _, program := range programs {
			if program == nil || program.Language == "sh" {
				continue
			}
			code := program.Text()
			for _, read := range variable.FindAllString(code, -1) {
				found[read] = true
				if want := fmt.Sprintf(ends[program.Language], read); !strings.Contains(code, want) {
					t.Errorf("%s: there is no %s in\n%s", name, want, code)
				}
			}
		}
	}
	if len(found) != 5 {
		t.Errorf("only %v were found", found)
	}
}

// TestAShellSendsNothingWithoutTheVariable: it says which one is not set.
func TestAShellSendsNothingWithoutTheVariable(t *testing.T) {
	for name, variable := range map[string]string{"file-report": "IDEMPOTENCY_KEY", "get-report": "REPORT_ID"} {
		shell := exec.Command("sh", "-c", pages(t, false)[name].Operation.Programs[0].Text())
		shell.Env = []string{"PATH=/nowhere"}
		said, err := shell.CombinedOutput()
		if err == nil || !strings.Contains(string(said), variable) {
			t.Errorf("%s: %v, %s", name, err, said)
		}
	}
}

func TestProgramsPayOnlyWherePaymentsAreAccepted(t *testing.T) {
	for _, payments := range []bool{true, false} {
		list := pages(t, payments)["screen-address"].Operation.Programs
		last := list[len(list)-1]
		if pays := strings.Contains(last.Text(), "@x402/"); pays != payments || (last.Language == "x402") != payments {
			t.Errorf("payments %v: %s", payments, last.Text())
		}
	}
}

func TestAURLThatAShellWouldChangeIsQuoted(t *testing.T) {
	for url, want := range map[string]string{
		"https://tocsin.example/r":             "https://tocsin.example/r",
		"https://tocsin.example/r?q=drainer":   `"https://tocsin.example/r?q=drainer"`, // zsh reads ? as a pattern
		"https://tocsin.example/r/a%20b":       `"https://tocsin.example/r/a%20b"`,
		"https://tocsin.example/r?a=1&limit=2": `"https://tocsin.example/r?a=1&limit=2"`,
	} {
		if got := (call{Method: "GET", URL: url}).ShellURL(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestALongURLIsCutInTwo(t *testing.T) {
	c := call{Method: "GET", URL: "https://tocsin.example/api/v1/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}
	for got, want := range map[string]string{
		c.ShellURL():      "https://tocsin.example/api/v1/screen/\\\n0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
		c.JavaScriptURL(): "\"https://tocsin.example/api/v1/screen/\" +\n  \"0x098B716B8Aaf21512996dC57EB0615e2383E2f96\"",
		c.GoURL():         "\"https://tocsin.example/api/v1/screen/\" +\n\t\t\"0x098B716B8Aaf21512996dC57EB0615e2383E2f96\"",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	c = call{Method: "DELETE", URL: "https://tocsin.example/r/", Variable: "REPORT_ID", Header: "x", Secret: "S"}
	if got := c.ShellURL(); got != `"https://tocsin.example/r/${REPORT_ID:?}"` {
		t.Error(got)
	}
	if got := c.GoURL(); got != `"https://tocsin.example/r/"+os.Getenv("REPORT_ID")` {
		t.Error(got)
	}
}
