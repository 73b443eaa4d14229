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
	FreeCalls int       // a day, with a key
	Networks  []Network // on which it accepts payments; without any it accepts none
}

// Calls is FreeCalls with commas between thousands.
func (s Service) Calls() string { return contract.Grouped(s.FreeCalls) }

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
	Contract template.HTML // the contract's description of the service
	Version  string        // of the contract
	Problem  Answer        // the form of every failure
	Failures []Failure     // every code

	Operation *Operation    // what the page describes; on the first page, an example
	Offer     []Field       // what a 402 has beyond Problem
	Program   *Program      // an example for the page as a whole
	Client    *Program      // the configuration of an MCP client
	Text      template.HTML // a document that is shown as it is
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
	for _, p := range o.Programs {
		for _, f := range p.Fragments {
			if strings.Contains(f.Text, text) {
				return true
			}
		}
	}
	return false
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
	{"", "What Tocsin answers"}, {"keys", "Keys and free calls"}, {"paying", "Paying per call"},
	{"errors", "Errors"}, {"agents", "Agents and tools"}, {"risk", "How the score works"},
}

// builder makes the pages. It keeps the first error.
type builder struct {
	service  Service
	markdown markdown
	ref      *contract.Contract
	paysEVM  bool            // payments are accepted on an EVM network
	answered map[string]Link // by the name of a schema: the operation that answers it
	err      error
}

// Pages makes the pages, by name. An error is a fault of the contract or of
// docs/risk.md.
func Pages(ref *contract.Contract, service Service) (map[string]Page, error) {
	b := &builder{service: service, markdown: newMarkdown(), ref: ref, answered: map[string]Link{}}
	b.paysEVM = slices.ContainsFunc(service.Networks, func(n Network) bool { return strings.HasPrefix(n.ID, "eip155:") })
	shared := Page{Service: service, Version: ref.Version, Contents: b.contents()}
	for _, t := range ref.Tags {
		group := Group{Title: capital(t.Name), Text: tocsin.Sentence(t.Description)}
		for _, op := range t.Operations {
			group.Operations = append(group.Operations, b.operation(op))
		}
		shared.Groups = append(shared.Groups, group)
	}
	shared.Problem = b.answer(&ref.Problem)
	shared.Failures = b.failures(ref.Codes())
	shared.Contract = b.html(ref.Description)

	pages := map[string]Page{}
	for _, g := range guides {
		pages[g.Name] = b.guide(shared, g)
	}
	for _, group := range shared.Groups {
		for _, op := range group.Operations {
			p := shared
			p.Name, p.Title, p.Operation = op.Name(), op.Summary, op
			p.Description = op.Method + " " + op.Path + ": " + op.Summary + ", with examples in curl, JavaScript and Go."
			pages[p.Name] = p
		}
	}
	return pages, b.err
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
		p.Title, p.Description, p.Operation = "API", b.ref.Summary, lookUp
	case "keys":
		p.Description = fmt.Sprintf("A key is free and has %s calls a day. How to get one, with or without a browser.",
			b.service.Calls())
		p.Program = signInProgram(b.service.BaseURL + b.ref.Base)
	case "paying":
		p.Description = "Without a key, or without a free call left, a program pays for each call with x402."
		p.Offer = b.offer(lookUp.Operation)
		if b.paysEVM {
			p.Program = b.program(retryingProgram(lookUp.Operation, b.service.BaseURL))
		}
	case "errors":
		p.Description = "What a failed call answers, every code, what to do about it and what it costs."
	case "agents":
		p.Description = "What an agent reads to find this service and its prices, and how it calls it as tools (MCP)."
		p.Client = clientProgram(b.service.BaseURL + b.service.MCP)
	case "risk":
		p.Description = "The formula of the score, what an attacker can do, and how to object to a false alarm."
		p.Text = b.html(docs.Risk)
	}
	return p
}

// clientProgram is the entry of this service in the configuration of an MCP client.
func clientProgram(endpoint string) *Program {
	return highlight("", "json", fmt.Sprintf(`{
  "mcpServers": {
    "tocsin": {
      "type": "http",
      "url": %q,
      "headers": {"x-api-key": "toc_…"}
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
	default: // the contract has a price, but this service accepts no payments
		o.Cost = "one free call"
	}
	var err error
	o.Programs, err = programs(op, b.service.BaseURL, b.service.BaseURL+b.ref.Base, b.paysEVM)
	b.err = cmp.Or(b.err, err)
	o.Answer = b.answer(op.Success())
	o.Inputs = b.fields(op.Parameters)
	for i, p := range op.Parameters {
		o.Inputs[i].Type = p.In + ", " + o.Inputs[i].Type
	}
	for _, c := range op.Credentials {
		o.Inputs = append(o.Inputs, Field{
			Name:     c.Name,
			Type:     c.In + ", " + c.Type,
			Text:     b.line(tocsin.Sentence(c.Description)),
			Required: len(op.Credentials) == 1 && !op.Open,
		})
	}
	o.Body = b.fields(op.Body.Fields)
	for _, a := range op.Responses {
		if a.Status >= "400" && a.Status != "default" {
			o.Failures = append(o.Failures, b.failures(a.Codes)...)
		}
	}
	return o
}

func (b *builder) answer(a *contract.Response) Answer {
	answer := Answer{
		Status: a.Status,
		Text:   b.line(tocsin.Sentence(a.Description), tocsin.Sentence(a.Choice)),
		Fields: b.fields(a.Fields),
	}
	if a.Example != nil {
		answer.Example = highlight("", "json", a.Example.JSON(lineWidth))
	}
	return answer
}

func (b *builder) fields(fields []contract.Field) []Field {
	list := make([]Field, len(fields))
	for i, f := range fields {
		list[i] = Field{
			Name:     f.Name,
			Type:     f.Type,
			Default:  f.Default,
			Required: f.Required,
			Text:     b.line(tocsin.Sentence(f.Description), tocsin.Sentence(f.Choice)),
			Choice:   f.Choice != "",
		}
		if link, found := b.answered[f.Schema]; found {
			list[i].SameAs = &link
			continue
		}
		list[i].Fields = b.fields(f.Fields)
	}
	return list
}

func (b *builder) failures(codes []contract.Code) (list []Failure) {
	for _, c := range codes {
		f := Failure{Status: c.Status, Code: c.Code, ToDo: b.line(tocsin.Sentence(c.ToDo)), Costs: "nothing"}
		if c.Retry {
			f.Costs = "nothing more"
		}
		list = append(list, f)
	}
	return list
}

// offer returns the fields of a 402 that other failures do not have.
func (b *builder) offer(op *contract.Operation) (list []Field) {
	for _, a := range op.Responses {
		if a.Status != "402" {
			continue
		}
		for _, f := range b.fields(a.Fields) {
			same := func(known contract.Field) bool { return known.Name == f.Name }
			if !slices.ContainsFunc(b.ref.Problem.Fields, same) {
				list = append(list, f)
			}
		}
	}
	return list
}
