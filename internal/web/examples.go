package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"tocsin/internal/api"
)

// program is an example that a reader can paste and run, in fragments of which some have a colour.
type program struct {
	Label, Language string
	Fragments       []fragment
}

type fragment struct{ Class, Text string }

// variables are what programs read from the environment: what only their reader has.
var variables = map[string]string{"apiKey": "TOCSIN_KEY", "manageToken": "MANAGE_TOKEN", "id": "REPORT_ID"}

// sample is the call that an example makes: the contract's examples, and the
// names of variables for what only the reader has.
type sample struct {
	method, url, variable string // the variable, if any, is the end of the URL
	header, secret        string // the header that a credential stands in, and its variable
	body                  *api.Value
	file                  string // that the body is read from, instead
}

// sampleOf returns the call of an operation's examples at the service's URL.
func sampleOf(op *api.ReferenceOperation, base string) (sample, error) {
	s := sample{method: op.Method, body: op.BodyExample}
	path, query := op.Path, ""
	for _, p := range op.Parameters {
		switch {
		case p.In == "path" && variables[p.Name] != "": // what only the reader has
			var last bool
			if path, last = strings.CutSuffix(path, "{"+p.Name+"}"); !last {
				return s, fmt.Errorf("%s: %s is not at the end of the path", op.ID, p.Name)
			}
			s.variable = variables[p.Name]
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(p.Example))
		case p.In == "query" && p.Example != "":
			query += strings.Repeat("&", min(len(query), 1)) + p.Name + "=" + strings.ReplaceAll(url.QueryEscape(p.Example), "+", "%20")
		}
	}
	s.url = base + path
	if query != "" {
		s.url += "?" + query
	}
	for _, c := range op.Credentials {
		// Who may call without a key is shown so, unless the answer is about the key's holder.
		if variable := variables[c.Schema]; variable != "" && (!op.Open || op.Method == http.MethodGet) {
			s.header, s.secret = c.Name, variable
		}
	}
	if op.ID == "signIn" { // what is sent must have been signed just now
		s.file, s.body = "signed.json", nil
	}
	return s, nil
}

// programs are the examples of an operation. Where it has a price and the
// service takes payments on EVM networks, JavaScript pays.
func programs(op *api.ReferenceOperation, base string, pays bool) ([]program, error) {
	s, err := sampleOf(op, base)
	if err != nil {
		return nil, err
	}
	list := []program{paint("curl", "curl", s.curl())}
	switch {
	case op.ID == "signIn":
		list = append(list, signInProgram(base))
	case op.Price != "" && pays:
		list = append(list, paint("JavaScript, paying", "js", s.payingJavaScript()))
	default:
		list = append(list, paint("JavaScript", "js", s.javaScript()))
	}
	return append(list, paint("Go", "go", s.golang())), nil
}

// long reports whether the URL would not stand on one line.
func (s sample) long() bool { return len(s.url)+len(s.variable) > lineWidth-4 }

// lines cuts a long URL in two, where its path or its query begins to be the caller's.
func (s sample) lines() []string {
	if at := strings.LastIndexAny(s.url, "/?") + 1; s.long() && at < len(s.url) {
		return []string{s.url[:at], s.url[at:]}
	}
	return []string{s.url}
}

// quoted is the URL in JavaScript and in Go: its parts, joined by plus on one
// line and by turn over two. The variable stands between open and close.
func (s sample) quoted(plus, turn, open, close string) string {
	var parts []string
	for _, part := range s.lines() {
		parts = append(parts, strconv.Quote(part))
	}
	if s.variable != "" {
		parts = append(parts, open+s.variable+close)
	}
	if s.long() {
		return strings.Join(parts, turn)
	}
	return strings.Join(parts, plus)
}

func (s sample) curl() string {
	words := "curl"
	if s.method == http.MethodDelete {
		words += " -X DELETE"
	}
	if s.secret != "" {
		words += ` -H "` + s.header + ": $" + s.secret + `"`
	}
	end := ""
	if s.body != nil || s.file != "" {
		words += ` -H "Content-Type: application/json"`
		end = " -d @" + s.file
		if s.body != nil {
			end = " -d '" + strings.ReplaceAll(s.body.JSON(lineWidth), "'", `'\''`) + "'"
		}
	}
	at := strings.Join(s.lines(), "\\\n")
	if s.variable != "" {
		if s.long() {
			at += "\\\n"
		}
		at = `"` + at + "$" + s.variable + `"`
	} else if strings.ContainsAny(s.url, "?&%") {
		at = `"` + at + `"`
	}
	if words == "curl" {
		return words + " " + at + end
	}
	return words + " \\\n  " + at + end
}

// lineWidth is how many characters of code stand beside each other without scrolling.
const lineWidth = 60

func (s sample) javaScript() string {
	text := ""
	if s.file != "" {
		text = `import { readFileSync } from "node:fs";` + "\n\n"
	}
	return text + "const answer = await fetch(" + s.javaScriptCall() + ");\n" + javaScriptEnd
}

const javaScriptEnd = `if (!answer.ok) throw new Error(await answer.text());
console.log(await answer.json());
`

// javaScriptCall is what stands between the brackets of fetch.
func (s sample) javaScriptCall() string {
	at := s.quoted(" + ", " +\n  ", "process.env.", "")
	var options, headers []string
	if s.method != http.MethodGet {
		options = append(options, `method: "`+s.method+`"`)
	}
	if s.secret != "" {
		headers = append(headers, strconv.Quote(s.header)+": process.env."+s.secret)
	}
	if s.body != nil || s.file != "" {
		headers = append(headers, `"Content-Type": "application/json"`)
	}
	if len(headers) > 0 {
		options = append(options, "headers: { "+strings.Join(headers, ", ")+" }")
	}
	if s.body != nil {
		options = append(options, "body: JSON.stringify("+strings.ReplaceAll(s.body.JSON(lineWidth), "\n", "\n  ")+")")
	}
	if s.file != "" {
		options = append(options, `body: readFileSync("`+s.file+`")`)
	}
	if len(options) == 0 {
		return at
	}
	return at + ", {\n  " + strings.Join(options, ",\n  ") + ",\n}"
}

const payingStart = `// npm install @x402/fetch @x402/evm viem
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { privateKeyToAccount } from "viem/accounts";

const account = privateKeyToAccount(process.env.WALLET);
const client = new x402Client()
  .register("eip155:*", new ExactEvmScheme(account));
`

func (s sample) payingJavaScript() string {
	s.secret = ""
	return payingStart + `const pay = wrapFetchWithPayment(fetch, client);

// No key: the call is paid for, and comes back.
const answer = await pay(` + s.javaScriptCall() + ");\n" + javaScriptEnd
}

// patientProgram pays for a call and keeps the payment, so that an answer which is late costs nothing more.
func patientProgram(op *api.ReferenceOperation, base string) (program, error) {
	s, err := sampleOf(op, base)
	if err != nil {
		return program{}, err
	}
	return paint("JavaScript, paying", "js", payingStart+`
let payment;
client.onAfterPaymentCreation(async ({ paymentPayload }) => {
  payment = paymentPayload;
});

const url = `+s.quoted(" + ", " +\n  ", "", "")+`;
let answer = await wrapFetchWithPayment(fetch, client)(url);

// Later is not no: the same request with the same payment, again.
while (payment && answer.headers.has("Retry-After")) {
  const seconds = Number(answer.headers.get("Retry-After"));
  await new Promise(done => setTimeout(done, 1000 * seconds));
  answer = await fetch(url, {
    headers: { "PAYMENT-SIGNATURE": btoa(JSON.stringify(payment)) },
  });
}
`+javaScriptEnd), nil
}

// signInProgram gets a key for an account, without a browser.
func signInProgram(base string) program {
	return paint("JavaScript", "js", `// npm install viem
import { privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";

const api = `+strconv.Quote(base+"/api/v1")+`;
const account = privateKeyToAccount(process.env.WALLET);

// 1. Ask for a nonce, and for what belongs into the message.
const begun = await fetch(api + "/auth/nonce");
if (!begun.ok) throw new Error(await begun.text());
const { nonce, domain, uri, chainIds } = await begun.json();

// 2. Write the message and sign it. That moves no funds.
const message = createSiweMessage({
  address: account.address, domain, uri, nonce,
  chainId: chainIds[0], version: "1", issuedAt: new Date(),
  statement: "Get an API key. This moves no funds.",
});
const signature = await account.signMessage({ message });

// 3. Send both. The key is answered once: keep it.
const answer = await fetch(api + "/auth/verify", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ message, signature }),
});
`+javaScriptEnd)
}

func (s sample) golang() string {
	imports := []string{"io", "log", "net/http", "os"}
	simple := s.method == http.MethodGet && s.secret == ""
	at := s.quoted("+", "+\n\t\t\t", `os.Getenv("`, `")`)
	if simple { // gofmt leaves room around the + of a single argument
		at = s.quoted(" + ", " +\n\t\t", `os.Getenv("`, `")`)
	}
	begin, body := "", "nil"
	switch {
	case s.body != nil:
		body = "strings.NewReader(`" + s.body.JSON(lineWidth) + "`)"
		imports = append(imports, "strings")
	case s.file != "":
		begin, body = "\tbody, err := os.Open(\""+s.file+"\")\n"+goFailure, "body"
	}
	call := ""
	switch {
	case simple:
		call = "\tres, err := http.Get(" + at + ")\n"
	case s.method == http.MethodPost && s.secret == "":
		call = "\tres, err := http.Post(" + at + ",\n\t\t\"application/json\", " + body + ")\n"
	default:
		call = "\treq, err := http.NewRequest(\"" + s.method + "\",\n\t\t" + at + ", " + body + ")\n" + goFailure
		call += "\treq.Header.Set(\"" + s.header + "\", os.Getenv(\"" + s.secret + "\"))\n"
		if s.body != nil {
			call += "\treq.Header.Set(\"Content-Type\", \"application/json\")\n"
		}
		call += "\tres, err := http.DefaultClient.Do(req)\n"
	}
	return "package main\n\nimport (\n\t\"" + strings.Join(imports, "\"\n\t\"") + "\"\n)\n\nfunc main() {\n" + begin + call + goFailure + `	if _, err := io.Copy(os.Stdout, res.Body); err != nil {
		log.Fatal(err)
	}
	if res.StatusCode >= 400 {
		log.Fatal(res.Status) // the body said why
	}
}
`
}

const goFailure = "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n"

// tokens are what has a colour in each language: comments, texts, names.
var tokens = map[string]*regexp.Regexp{
	"curl": regexp.MustCompile(`(?s)(?P<c>#[^\n]*)|(?P<s>"[^"]*"|'(?:[^']|'\\'')*')`),
	"js":   regexp.MustCompile("(?P<c>//[^\n]*)|(?P<s>\"(?:[^\"\\\\\n]|\\\\.)*\")|(?P<k>\\b(?:import|from|const|let|await|async|new|if|throw|while)\\b)"),
	"go":   regexp.MustCompile("(?P<c>//[^\n]*)|(?P<s>\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`)|(?P<k>\\b(?:package|import|func|if|return|nil)\\b)"),
	"json": regexp.MustCompile(`(?P<k>"(?:[^"\\]|\\.)*":)|(?P<s>"(?:[^"\\]|\\.)*")`),
}

// paint cuts a program into fragments. Whatever they are, together they are the program.
func paint(label, language, text string) program {
	p := program{Label: label, Language: language}
	text = strings.TrimSuffix(text, "\n")
	from := 0
	add := func(class, part string) {
		if part != "" {
			p.Fragments = append(p.Fragments, fragment{class, part})
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
