package manual

import (
	"cmp"
	_ "embed"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"tocsin/internal/contract"
)

// Program is an example that a reader can copy and run.
type Program struct {
	Label     string // of its tab
	Language  string // one of Languages, or sh or json
	Fragments []Fragment
}

// Text is the whole program.
func (p Program) Text() string {
	var b strings.Builder
	for _, f := range p.Fragments {
		b.WriteString(f.Text)
	}
	return b.String()
}

// Languages are those of the examples of an operation, as a reader may choose them. The last is JavaScript that pays
// for the call: only operations with a price have it, where payments are accepted.
var Languages = []string{"curl", "python", "js", "go", "x402"}

// Fragment is a part of a program. Class is its class in the stylesheet, "" for none.
type Fragment struct{ Class, Text string }

//go:embed examples.tmpl
var examplesText string

var examples = template.Must(template.New("").Parse(examplesText))

// call is the request that an example makes, with the examples of the contract.
type call struct {
	Method   string
	URL      string
	Variable string          // the environment variable with the end of the URL; "" for none
	Header   string          // that holds a credential, or the key of an idempotent call
	Secret   string          // the environment variable with it; "" for none
	Body     *contract.Value // nil for none
	File     string          // with the body, instead of Body; "" for none
}

// variables are the environment variables for what only the reader has.
var variables = map[string]string{"apiKey": "TOCSIN_KEY", "manageToken": "MANAGE_TOKEN", "id": "REPORT_ID",
	"Idempotency-Key": "IDEMPOTENCY_KEY"}

// lineWidth is how many characters of code fit on a line without scrolling.
const lineWidth = 60

// newCall returns the call of an operation's examples at the service's URL.
func newCall(op *contract.Operation, base string) (call, error) {
	c := call{Method: op.Method, Body: op.Body.Example}
	path, query := op.Path, ""
	for _, p := range op.Parameters {
		switch {
		case p.In == "path" && variables[p.Name] != "":
			var last bool
			if path, last = strings.CutSuffix(path, "{"+p.Name+"}"); !last {
				return c, fmt.Errorf("%s: %s is not at the end of the path", op.ID, p.Name)
			}
			c.Variable = variables[p.Name]
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(p.Example.String()))
		case p.In == "query" && p.Required: // what is optional is below the example, which is the shortest call
			query += strings.Repeat("&", min(len(query), 1)) + p.Name + "=" +
				strings.ReplaceAll(url.QueryEscape(p.Example.String()), "+", "%20")
		case p.In == "header" && variables[p.Name] != "":
			c.Header, c.Secret = p.Name, variables[p.Name]
		}
	}
	c.URL = base + path
	if query != "" {
		c.URL += "?" + query
	}
	for _, credential := range op.Credentials {
		// An optional key is left out, unless the answer is about its holder.
		if variable := variables[credential.Schema]; variable != "" && (!op.Open || op.Method == "GET") {
			c.Header, c.Secret = credential.Name, variable
		}
	}
	if op.ID == "signIn" { // the example of the contract has expired
		c.File, c.Body = "signed.json", nil
	}
	return c, nil
}

// programs are the examples of an operation, at the service with a base URL and the URL of
// its API. If the operation has a price and pays is set, the last one pays, on an EVM network.
func programs(op *contract.Operation, base, api string, pays bool) ([]Program, error) {
	c, err := newCall(op, base)
	if err != nil {
		return nil, err
	}
	script := c.program("JavaScript", "js", "JavaScript")
	if op.ID == "signIn" {
		script = signInProgram(api)
	}
	list := []Program{
		*c.program("curl", "curl", "curl"),
		*c.program("Python", "python", "Python"),
		*script,
		*c.program("Go", "go", "Go"),
	}
	if op.Price != "" && pays {
		c.Secret = ""
		list = append(list, *c.program("x402", "x402", "paying JavaScript"))
	}
	return list, nil
}

// setKey asks for the key and sets the environment variable that examples read. It has no placeholder, and the key does
// not get into the history of the shell.
var setKey = highlight("", "sh", `printf 'Your key: ' && read -r TOCSIN_KEY && export TOCSIN_KEY`)

// retryingProgram pays for a call, and repeats the request with the same payment
// while the answer has Retry-After.
func retryingProgram(op *contract.Operation, base string) (*Program, error) {
	c, err := newCall(op, base)
	return c.program("JavaScript", "x402", "retrying JavaScript"), err
}

// signInProgram signs in with the private key of an account, at the URL of an API.
func signInProgram(api string) *Program {
	return call{URL: api}.program("JavaScript", "js", "sign-in JavaScript")
}

// listProgram screens the lines of a file, at the URL of an API.
func listProgram(api string) *Program {
	return call{URL: api}.program("", "sh", "list")
}

// program executes a template of examples.tmpl.
func (c call) program(label, language, name string) *Program {
	var b strings.Builder
	if err := examples.ExecuteTemplate(&b, name, c); err != nil {
		panic(fmt.Errorf("example %q: %w", name, err)) // the templates are part of the program
	}
	return highlight(label, language, b.String())
}

// Needs are the environment variables that the call reads. A program ends if one is not set: the text undefined, or
// none, would be sent in its place.
func (c call) Needs() []string {
	return slices.DeleteFunc([]string{c.Variable, c.Secret}, func(name string) bool { return name == "" })
}

// Sends reports whether the call has a body.
func (c call) Sends() bool { return c.Body != nil || c.File != "" }

// Plain reports whether the call is a GET without a credential, which needs no options.
func (c call) Plain() bool { return c.Method == "GET" && c.Secret == "" }

// long reports whether the URL does not fit on one line.
func (c call) long() bool { return len(c.URL)+len(c.Variable) > lineWidth-4 }

// lines cuts a long URL in two, before its last segment or its query.
func (c call) lines() []string {
	if at := strings.LastIndexAny(c.URL, "/?") + 1; c.long() && at < len(c.URL) {
		return []string{c.URL[:at], c.URL[at:]}
	}
	return []string{c.URL}
}

// ShellURL is the URL as an argument on a command line.
func (c call) ShellURL() string {
	text := strings.Join(c.lines(), "\\\n")
	switch {
	case c.Variable != "" && c.long():
		return `"` + text + "\\\n${" + c.Variable + `:?}"`
	case c.Variable != "":
		return `"` + text + "${" + c.Variable + `:?}"`
	case strings.ContainsAny(c.URL, "?&%"):
		return `"` + text + `"`
	}
	return text
}

// JavaScriptURL is the URL as an expression.
func (c call) JavaScriptURL() string {
	return c.expression(" + ", " +\n  ", "process.env."+c.Variable)
}

// PythonURL is the URL as an argument on lines of its own. Python joins texts that follow each other.
func (c call) PythonURL() string {
	var parts []string
	for _, part := range c.lines() {
		parts = append(parts, strconv.Quote(part))
	}
	text := strings.Join(parts, "\n    ")
	if c.Variable == "" {
		return text
	}
	plus := " + "
	if c.long() {
		plus = "\n    + "
	}
	return text + plus + `os.environ["` + c.Variable + `"]`
}

// GoURL is the URL as an expression, formatted as by gofmt, which puts spaces
// around the + of an only argument.
func (c call) GoURL() string {
	variable := `os.Getenv("` + c.Variable + `")`
	if c.Plain() {
		return c.expression(" + ", " +\n\t\t", variable)
	}
	return c.expression("+", "+\n\t\t\t", variable)
}

// expression joins the parts of the URL with plus, or with newline if it is long.
func (c call) expression(plus, newline, variable string) string {
	var parts []string
	for _, part := range c.lines() {
		parts = append(parts, strconv.Quote(part))
	}
	if c.Variable != "" {
		parts = append(parts, variable)
	}
	if c.long() {
		return strings.Join(parts, newline)
	}
	return strings.Join(parts, plus)
}

// ShellJSON is the body as an argument on a command line.
func (c call) ShellJSON() string {
	return "'" + strings.ReplaceAll(c.Body.JSON(lineWidth), "'", `'\''`) + "'"
}

// IndentedJSON is the body as an argument in JavaScript.
func (c call) IndentedJSON() string { return strings.ReplaceAll(c.Body.JSON(lineWidth), "\n", "\n  ") }

// literals are the texts of JSON, and what Python writes otherwise.
var literals = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\b(?:null|true|false)\b`)

// PythonDict is the body as an argument in Python.
func (c call) PythonDict() string {
	python := map[string]string{"null": "None", "true": "True", "false": "False"}
	text := literals.ReplaceAllStringFunc(c.Body.JSON(lineWidth), func(found string) string {
		return cmp.Or(python[found], found)
	})
	return strings.ReplaceAll(text, "\n", "\n    ")
}

// GoBody is the body as an io.Reader.
func (c call) GoBody() string {
	switch {
	case c.Body != nil:
		return "strings.NewReader(`" + c.Body.JSON(lineWidth) + "`)"
	case c.File != "":
		return "body"
	}
	return "nil"
}

// tokens are what has a color in each language: comments (c), strings (s) and keywords (k).
var tokens = map[string]*regexp.Regexp{
	"curl": shellTokens,
	"sh":   shellTokens,
	"python": regexp.MustCompile("(?P<c>#[^\n]*)|(?P<s>\"(?:[^\"\\\\\n]|\\\\.)*\")|" +
		"(?P<k>\\b(?:from|import|with|as|try|except|raise|None|True|False)\\b)"),
	"js":   scriptTokens,
	"x402": scriptTokens,
	"go": regexp.MustCompile("(?P<c>//[^\n]*)|(?P<s>\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`)|" +
		"(?P<k>\\b(?:package|import|func|if|return|nil)\\b)"),
	"json": regexp.MustCompile(`(?P<k>"(?:[^"\\]|\\.)*":)|(?P<s>"(?:[^"\\]|\\.)*")`),
}

var (
	shellTokens  = regexp.MustCompile(`(?s)(?P<c>#[^\n]*)|(?P<s>"[^"]*"|'(?:[^']|'\\'')*')`)
	scriptTokens = regexp.MustCompile("(?P<c>//[^\n]*)|(?P<s>\"(?:[^\"\\\\\n]|\\\\.)*\")|" +
		"(?P<k>\\b(?:import|from|const|let|await|async|new|if|throw|while)\\b)")
)

// highlight cuts a program into fragments, which together are the whole text.
func highlight(label, language, text string) *Program {
	p := &Program{Label: label, Language: language}
	text = strings.TrimSuffix(text, "\n")
	from := 0
	add := func(class, part string) {
		if part != "" {
			p.Fragments = append(p.Fragments, Fragment{class, part})
		}
	}
	finder := tokens[language]
	for _, at := range finder.FindAllStringSubmatchIndex(text, -1) {
		for i, name := range finder.SubexpNames() {
			if i > 0 && at[2*i] >= 0 {
				add("", text[from:at[2*i]])
				add(name, text[at[2*i]:at[2*i+1]])
				from = at[2*i+1]
			}
		}
	}
	add("", text[from:])
	return p
}

// failed is what a screening of 0x12 answers.
const failed = `{
  "type": "urn:tocsin:problem:invalid_input",
  "title": "Bad Request",
  "status": 400,
  "code": "invalid_input",
  "detail": "The request has invalid input. Nothing was charged",
  "requestId": "hog4kwzw5h-5n",
  "errors": [
    {
      "field": "address",
      "reason": "an EVM address has 40 hexadecimal digits after 0x, this one has 2",
      "fix": "send 0x and 40 hexadecimal digits"
    }
  ]
}`
