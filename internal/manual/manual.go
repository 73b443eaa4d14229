// Package manual makes the documentation pages of the site from the contract, as
// data for the template docs.html.
package manual

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"tocsin"
	"tocsin/docs"
	"tocsin/internal/contract"
)

// Template shows a [Page]. It defines "main" for a page whose data has the Page in
// the field Body.
//
//go:embed docs.html
var Template string

// Service is what the pages say about one deployment.
type Service struct {
	BaseURL   string    // under which callers reach it, without a slash at the end
	MCP       string    // path of the MCP endpoint
	API       string    // path of the API: /api/v1
	Local     bool      // BaseURL is on the machine of the service: pages of other machines may not send POST or DELETE
	FreeCalls int       // a UTC day, with a key
	Networks  []Network // on which it accepts payments; without any it accepts none

	NetworkCalls int // free calls a UTC day of all keys from one network together; 0 for no limit
	Rate         int // requests a second of one network; 0 for no limit
}

// Calls says how many free calls a key has: 10 free calls a day.
func (s Service) Calls() string {
	if s.FreeCalls == 1 {
		return "1 free call a day"
	}
	return contract.Grouped(s.FreeCalls) + " free calls a day"
}

// OneCall says what a call with a key takes: 1 of your 10 daily calls.
func (s Service) OneCall() string {
	if s.FreeCalls == 0 { // keys have a number of their own
		return "1 of your daily calls"
	}
	return "1 of your " + contract.Grouped(s.FreeCalls) + " daily calls"
}

// PerNetwork is NetworkCalls with commas between thousands; "" for no limit.
func (s Service) PerNetwork() string {
	if s.NetworkCalls == 0 {
		return ""
	}
	return contract.Grouped(s.NetworkCalls)
}

// PerSecond is Rate with commas between thousands; "" for no limit.
func (s Service) PerSecond() string {
	if s.Rate == 0 {
		return ""
	}
	return contract.Grouped(s.Rate)
}

// Network is a blockchain on which the service accepts payments.
type Network struct {
	Name string
	ID   string // CAIP-2, such as eip155:8453
}

// Page is one page of the documentation. The fields below Version are set on the
// pages that show them.
type Page struct {
	Name        string // the last part of its path; "" for the first page
	Title       string
	Description string

	Contents []Section
	Groups   []Group // all operations
	Service  Service
	Version  string    // of the contract
	Problem  Answer    // the form of every failure
	Failures []Failure // every code

	Operation *Operation    // what the page describes; on the first page, an example
	Offer     []Field       // what a 402 has beyond Problem
	Program   *Program      // an example for the page as a whole
	Client    *Program      // the configuration of an MCP client
	SetKey    *Program      // sets the environment variable that examples read the key from
	Text      template.HTML // a document that is shown as it is

	Query string  // what the reader searched for
	Found []Found // the parts of all pages that match Query

	// What is shown to one reader:
	Language string // of the examples, one of Languages
	Key      string // the beginning of the reader's own key; "" if the reader is not signed in, or has no key
}

// For returns the page for one reader: with examples in a language, if the page has them, and the beginning of the
// reader's own key. The whole key is not known: only its hash is stored.
func (p Page) For(language, key string) Page {
	p.Key, p.Language = key, Languages[0]
	inLanguage := func(e Program) bool { return e.Language == language }
	if p.Operation != nil && slices.ContainsFunc(p.Operation.Programs, inLanguage) {
		p.Language = language
	}
	return p
}

// Section is a part of the table of contents.
type Section struct {
	Title string
	Links []Link
}

// Link names a page.
type Link struct{ Name, Title string }

// Group holds the operations of one tag of the contract.
type Group struct {
	Title, Text string
	Operations  []*Operation
}

// Operation is an operation as its page shows it.
type Operation struct {
	*contract.Operation
	Cost     string // in words
	Text     template.HTML
	Programs []Program
	Answer   Answer
	Inputs   []Field // parameters and credentials
	BodyText template.HTML
	Body     []Field
	Failures []Failure
}

// Uses reports whether a program of the operation contains a text, such as the
// name of an environment variable.
func (o *Operation) Uses(text string) bool {
	return slices.ContainsFunc(o.Programs, func(p Program) bool { return strings.Contains(p.Text(), text) })
}

// Answer is a response of an operation.
type Answer struct {
	Status  string
	Text    template.HTML
	Fields  []Field
	Example *Program // nil for none
}

// Field is a parameter, or a field of a body.
type Field struct {
	ID                  string // of its element, unique on the page
	Name, Type, Default string
	Required            bool
	Text                template.HTML
	Choice              bool  // it has several forms: Fields and SameAs describe the first, Text says when each is used
	SameAs              *Link // the operation whose answer has this schema and describes it; nil for none
	Fields              []Field
}

// Failure is a code of a problem.
type Failure struct {
	Status int
	Code   string
	ToDo   template.HTML
	Costs  string
}

// guides are the pages that do not describe an operation.
var guides = []Link{
	{"", "Quick start"}, {"keys", "Keys and free calls"}, {"paying", "Paying per call"},
	{"lists", "Screen a list every week"}, {"errors", "Errors"}, {"agents", "Agents and tools"},
	{"risk", "How the score works"}, {"privacy", "Privacy"},
	{changelog, "Changelog"},
}

const changelog = "changelog"

// Search is the name of the page that shows what was searched for. It is not among the contents.
const Search = "search"

// builder makes the pages. It keeps the first error.
type builder struct {
	service  Service
	markdown markdown
	ref      *contract.Contract
	paysEVM  bool            // payments are accepted on an EVM network
	answered map[string]Link // by the name of a schema: the operation that answers it
	err      error
}

// Pages makes the pages, by name, and the index of their parts. An error is a fault of the contract, of docs/risk.md,
// of docs/privacy.md or of CHANGELOG.md.
func Pages(ref *contract.Contract, service Service) (map[string]Page, *Index, error) {
	service.API = ref.Base
	b := &builder{service: service, markdown: newMarkdown(), ref: ref, answered: map[string]Link{}}
	b.paysEVM = slices.ContainsFunc(service.Networks, func(n Network) bool { return strings.HasPrefix(n.ID, "eip155:") })
	shared := Page{Service: service, Version: ref.Version, Contents: b.contents(), Language: Languages[0]}
	for _, t := range ref.Tags {
		group := Group{Title: capital(t.Name), Text: tocsin.Sentence(t.Description)}
		for _, op := range t.Operations {
			group.Operations = append(group.Operations, b.operation(op))
		}
		shared.Groups = append(shared.Groups, group)
	}
	shared.Problem = b.answer(&ref.Problem)
	shared.Failures = b.failures(ref.Codes())

	pages := map[string]Page{}
	for _, g := range append(guides[:len(guides):len(guides)], Link{Search, "Search"}) {
		pages[g.Name] = b.guide(shared, g)
	}
	for _, group := range shared.Groups {
		for _, op := range group.Operations {
			p := shared
			p.Name, p.Title, p.Operation = op.Name(), op.Summary, op
			p.Description = op.Method + " " + op.Path + ": " + op.Summary + ", with examples in curl, Python, JavaScript and Go."
			pages[p.Name] = p
		}
	}
	if b.err != nil {
		return nil, nil, b.err
	}
	read := sync.OnceValue(func() []part { return readParts(pages, shared.Contents) })
	return pages, &Index{read}, nil
}

// contents makes the table of contents, and notes which operation answers which schema.
func (b *builder) contents() []Section {
	list := []Section{{"Start", guides}}
	for _, t := range b.ref.Tags {
		section := Section{Title: capital(t.Name)}
		for _, op := range t.Operations {
			link := Link{op.Name(), op.Summary}
			section.Links = append(section.Links, link)
			if a := op.Success(); a.Schema != "" {
				b.answered[a.Schema] = link
			}
		}
		list = append(list, section)
	}
	return list
}

// guide makes a page that does not describe an operation, from what all pages share.
func (b *builder) guide(p Page, link Link) Page {
	p.Name, p.Title = link.Name, link.Title
	lookUp := p.Groups[0].Operations[0] // the operation in examples
	switch p.Name {
	case "":
		p.Title, p.Description, p.SetKey = "API", b.ref.Summary, setKey
		p.Operation = b.keyed(lookUp)
	case "keys":
		p.Description = fmt.Sprintf("A key costs nothing and has %s. How to get one, with or without a browser.",
			b.service.Calls())
		p.SetKey = setKey
		p.Program = signInProgram(b.service.BaseURL + b.ref.Base)
	case "paying":
		p.Description = "Without a key, or without a free call left, a program pays for each call with x402."
		p.Offer = b.offer(lookUp.Operation)
		if b.paysEVM {
			p.Program = b.program(retryingProgram(lookUp.Operation, b.service.BaseURL))
		}
	case "lists":
		p.Description = "A script for cron that screens a list of addresses and domains with a key, and the same on a " +
			"server of your own."
		p.Program = listProgram(b.service.BaseURL + b.ref.Base)
	case "errors":
		p.Description = "What a failed call answers, every code, what to do about it and what it costs."
		p.Program = highlight("", "json", failed)
	case "agents":
		p.Description = "What an agent reads to find this service and its prices, and how it calls it as tools (MCP)."
		p.Client = clientProgram(b.service.BaseURL + b.service.MCP)
	case changelog:
		p.Description = "What changed in each version of the API and of the program."
		_, versions, _ := strings.Cut(tocsin.Changelog, "\n## ")
		p.Text = template.HTML(changes.Replace(string(b.html("## " + versions))))
	case Search:
		p.Description = "Search the documentation: pages, operations, fields and errors."
	case "risk":
		p.Description = "The formula of the score, what an attacker can do, and how to object to a false alarm."
		p.Text = b.html(docs.Risk)
	case "privacy":
		p.Description = "What this service keeps about visitors, callers, reporters and those whom reports name, how long, " +
			"and why."
		p.Text = b.html(docs.Privacy)
	}
	return p
}

// changes replaces the marks of CHANGELOG.md by labels.
var changes = strings.NewReplacer(
	"[FEATURE] ", `<span class="tag">New</span> `,
	"[CHANGE] ", `<span class="tag">Changed</span> `,
	"[BUGFIX] ", `<span class="tag">Fixed</span> `,
)

// keyed returns an operation without the example that pays.
func (b *builder) keyed(o *Operation) *Operation {
	same := *o
	same.Programs = slices.DeleteFunc(slices.Clone(o.Programs), func(p Program) bool { return p.Language == "x402" })
	return &same
}

// clientProgram is the entry of this service in the configuration of an MCP client.
func clientProgram(endpoint string) *Program {
	return highlight("", "json", fmt.Sprintf(`{
  "mcpServers": {
    "tocsin": {
      "type": "http",
      "url": %q,
      "headers": {"x-api-key": "YOUR_KEY"}
    }
  }
}`, endpoint))
}

// capital returns a name with a capital first letter.
func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// html returns Markdown as HTML.
func (b *builder) html(text string) template.HTML {
	html, err := b.markdown.html(text)
	b.err = cmp.Or(b.err, err)
	return html
}

// line returns sentences in Markdown as HTML without a paragraph.
func (b *builder) line(sentences ...string) template.HTML {
	html, err := b.markdown.line(strings.TrimSpace(strings.Join(sentences, " ")))
	b.err = cmp.Or(b.err, err)
	return html
}

func (b *builder) program(p *Program, err error) *Program {
	b.err = cmp.Or(b.err, err)
	return p
}

func (b *builder) operation(op *contract.Operation) *Operation {
	o := &Operation{Operation: op, Text: b.line(op.Description), BodyText: b.line(op.Body.Description)}
	switch {
	case op.Price == "":
		o.Cost = "free"
	case len(b.service.Networks) > 0:
		o.Cost = "$" + op.Price
		if b.service.FreeCalls > 0 {
			o.Cost += " or " + b.service.OneCall()
		}
	default: // the contract has a price, but this service accepts no payments
		o.Cost = b.service.OneCall()
	}
	var err error
	o.Programs, err = programs(op, b.service.BaseURL, b.service.BaseURL+b.ref.Base, b.paysEVM)
	b.err = cmp.Or(b.err, err)
	o.Answer = b.answer(op.Success())
	o.Inputs = b.fields(op.Parameters, "in")
	for i, p := range op.Parameters {
		o.Inputs[i].Type = p.In + ", " + o.Inputs[i].Type
	}
	for _, c := range op.Credentials {
		o.Inputs = append(o.Inputs, Field{
			ID:       fieldID("in", c.Name),
			Name:     c.Name,
			Type:     c.In + ", " + c.Type,
			Text:     b.line(tocsin.Sentence(c.Description)),
			Required: len(op.Credentials) == 1 && !op.Open,
		})
	}
	o.Body = b.fields(op.Body.Fields, "body")
	for _, a := range op.Responses {
		if a.Status >= "400" && a.Status != "default" {
			o.Failures = append(o.Failures, b.failures(a.Codes)...)
		}
	}
	return o
}
