package web

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"tocsin"
	"tocsin/docs"
	"tocsin/internal/api"
)

// chapter is one page of the documentation. All are made when the program
// starts: from the contract, and for what it does not say from docs.html.
type chapter struct {
	Name   string // "" for the first
	Groups []tocGroup
	Tags   []docTag

	Free     int // calls a day
	Networks []api.NetworkStatus

	Contract  template.HTML // the contract's own words
	Version   string
	Problem   docAnswer // what every failure is like
	Failures  []failure // all codes
	Offer     []docField
	Operation *docOperation
	Program   *program
	Client    program       // how a client of MCP is told of this service
	Text      template.HTML // of a document as it stands
}

// tocGroup is a part of the table of contents.
type tocGroup struct {
	Title string
	Links []tocLink
}

type tocLink struct{ Name, Title string }

// docTag is a group of operations.
type docTag struct {
	Title, Text string
	Operations  []*docOperation
}

// docOperation is an operation as its page shows it.
type docOperation struct {
	*api.ReferenceOperation
	Cost     string // in the words of this service
	Text     template.HTML
	Programs []program
	Answer   docAnswer
	Inputs   []docField // parameters and credentials
	BodyText template.HTML
	Body     []docField
	Failures []failure
}

// Uses reports whether a program of the operation reads something that only its reader has.
func (d *docOperation) Uses(name string) bool {
	for _, p := range d.Programs {
		for _, f := range p.Fragments {
			if strings.Contains(f.Text, name) {
				return true
			}
		}
	}
	return false
}

// docAnswer is what comes back.
type docAnswer struct {
	Status  string
	Text    template.HTML
	Fields  []docField
	Example *program
}

// docField is a parameter or a field.
type docField struct {
	Name, Type, Default string
	Required            bool
	Text                template.HTML
	Choice              bool     // Fields and SameAs are of the first of several forms; Text says which comes when
	SameAs              *tocLink // the operation that answers the same, and explains it
	Fields              []docField
}

// failure is a row of what can go wrong.
type failure struct {
	Status int
	Code   string
	ToDo   template.HTML
	Costs  string
}

// guides are the pages that are no operation's.
var guides = []tocLink{{"", "What Tocsin answers"}, {"keys", "Keys and free calls"}, {"paying", "Paying by the call"}, {"errors", "Errors"}, {"agents", "Agents and tools"}, {"risk", "How the score works"}}

// docs shows one page of the documentation.
func (s *Site) docs(v *visit) (*view, error) {
	shown, found := s.manual[v.PathValue("name")]
	if !found {
		return nil, &tocsin.Error{Code: tocsin.NotFound}
	}
	return &shown, nil
}

// manualMaker makes the pages of the documentation. After a fault it makes
// nothing more.
type manualMaker struct {
	base     string
	md       markdown
	ref      *api.Reference
	sold     bool               // payments are taken
	pays     bool               // and on an EVM network
	answered map[string]tocLink // the operation that answers a schema, by its name
	err      error
}

// readManual makes the documentation from the contract. An error is a fault of
// the contract or of docs/risk.md.
func (s *Site) readManual() (map[string]view, error) {
	ref, err := s.api.Reference()
	if err != nil {
		return nil, err
	}
	payments := s.api.Payments()
	m := &manualMaker{base: s.config.BaseURL, md: newMarkdown(), ref: ref, sold: payments.Enabled, answered: map[string]tocLink{}}
	m.pays = slices.ContainsFunc(payments.Networks, func(n api.NetworkStatus) bool { return strings.HasPrefix(n.Network, "eip155:") })
	all := chapter{Groups: []tocGroup{{"Start", guides}}, Free: s.api.FreeCalls(), Networks: payments.Networks, Version: ref.Version}
	for _, t := range ref.Tags {
		group := tocGroup{Title: heading(t.Name)}
		for _, op := range t.Operations {
			link := tocLink{op.Name(), op.Summary}
			group.Links = append(group.Links, link)
			if a := op.Answer(); a.Schema != "" {
				m.answered[a.Schema] = link
			}
		}
		all.Groups = append(all.Groups, group)
	}
	for _, t := range ref.Tags {
		tag := docTag{Title: heading(t.Name), Text: sentence(t.Description)}
		for _, op := range t.Operations {
			tag.Operations = append(tag.Operations, m.operation(op))
		}
		all.Tags = append(all.Tags, tag)
	}
	all.Problem = m.answer(&ref.Problem)
	all.Failures = m.failures(ref.Codes())
	all.Contract = m.html(ref.Description)
	priced := all.Tags[0].Operations[0] // a look-up: examples outside of its page are about it
	pages := map[string]view{}
	add := func(name, title, description string, c chapter) {
		c.Name = name
		pages[name] = view{Page: "docs", Title: title, Description: description, Body: c}
	}
	for _, g := range guides {
		c := all
		switch g.Name {
		case "":
			c.Operation = priced
			add(g.Name, "API", ref.Summary, c)
		case "keys":
			signIn := signInProgram(m.base)
			c.Program = &signIn
			add(g.Name, g.Title, fmt.Sprintf("A key is free and has %d calls a day. How to get one, with or without a browser.", c.Free), c)
		case "paying":
			c.Offer = m.offer(priced.ReferenceOperation)
			if m.pays {
				patient, err := patientProgram(priced.ReferenceOperation, m.base)
				if err != nil {
					return nil, err
				}
				c.Program = &patient
			}
			add(g.Name, g.Title, "Without a key, or without a free call left, a program pays for each call with x402.", c)
		case "errors":
			add(g.Name, g.Title, "What a failed call answers, every code, what to do about it and what it costs.", c)
		case "agents":
			c.Client = clientProgram(m.base + s.config.MCP)
			add(g.Name, g.Title, "What an agent reads to find this service and its prices, and how it calls it as tools (MCP).", c)
		case "risk":
			c.Text = m.html(docs.Risk)
			add(g.Name, g.Title, "The formula of the score, what an attacker can do, and how to object to a false alarm.", c)
		}
	}
	for _, tag := range all.Tags {
		for _, op := range tag.Operations {
			c := all
			c.Operation = op
			add(op.Name(), op.Summary, op.Method+" "+op.Path+": "+op.Summary+", with examples in curl, JavaScript and Go.", c)
		}
	}
	return pages, m.err
}

// clientProgram is what a client's list of servers says of this one.
func clientProgram(endpoint string) program {
	return paint("", "json", fmt.Sprintf(`{
  "mcpServers": {
    "tocsin": {
      "type": "http",
      "url": %q,
      "headers": {"x-api-key": "toc_…"}
    }
  }
}`, endpoint))
}

func heading(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

func (m *manualMaker) html(text string) template.HTML {
	html, err := m.md.html(text)
	m.err = cmp.Or(m.err, err)
	return html
}

func (m *manualMaker) line(text string) template.HTML {
	html, err := m.md.line(text)
	m.err = cmp.Or(m.err, err)
	return html
}

func (m *manualMaker) operation(op *api.ReferenceOperation) *docOperation {
	d := &docOperation{ReferenceOperation: op, Text: m.line(op.Description), BodyText: m.line(op.BodyText)}
	switch {
	case op.Price == "":
		d.Cost = "free"
	case m.sold:
		d.Cost = "$" + op.Price
	default: // nobody can buy what has a price in the contract
		d.Cost = "one free call"
	}
	var err error
	d.Programs, err = programs(op, m.base, m.pays)
	m.err = cmp.Or(m.err, err)
	d.Answer = m.answer(op.Answer())
	d.Inputs = m.fields(op.Parameters)
	for i, p := range op.Parameters {
		d.Inputs[i].Type = p.In + ", " + d.Inputs[i].Type
	}
	for _, c := range op.Credentials {
		f := docField{Name: c.Name, Type: c.In + ", " + c.Type, Text: m.line(sentence(c.Description)), Required: len(op.Credentials) == 1 && !op.Open}
		d.Inputs = append(d.Inputs, f)
	}
	d.Body = m.fields(op.Body)
	for _, a := range op.Answers {
		if a.Status >= "400" && a.Status != "default" {
			d.Failures = append(d.Failures, m.failures(a.Codes)...)
		}
	}
	return d
}

// answer shows what comes back.
func (m *manualMaker) answer(a *api.ReferenceAnswer) docAnswer {
	d := docAnswer{Status: a.Status, Text: m.line(strings.TrimSpace(sentence(a.Description) + " " + sentence(a.Choice))), Fields: m.fields(a.Fields)}
	if a.Example != nil {
		p := paint("", "json", a.Example.JSON(lineWidth))
		d.Example = &p
	}
	return d
}

func (m *manualMaker) fields(fields []api.ReferenceField) []docField {
	list := make([]docField, len(fields))
	for i, f := range fields {
		list[i] = docField{Name: f.Name, Type: f.Type, Default: f.Default, Required: f.Required, Choice: f.Choice != "",
			Text: m.line(strings.TrimSpace(sentence(f.Description) + " " + sentence(f.Choice)))}
		if link, found := m.answered[f.Schema]; found {
			list[i].SameAs = &link
			continue
		}
		list[i].Fields = m.fields(f.Fields)
	}
	return list
}

func (m *manualMaker) failures(codes []api.ReferenceCode) (list []failure) {
	for _, c := range codes {
		f := failure{c.Status, c.Code, m.line(sentence(c.ToDo)), "nothing"}
		if c.Retry {
			f.Costs = "nothing more"
		}
		list = append(list, f)
	}
	return list
}

// offer is what a 402 says beyond what every failure does.
func (m *manualMaker) offer(op *api.ReferenceOperation) (list []docField) {
	for _, a := range op.Answers {
		if a.Status != "402" {
			continue
		}
		for _, f := range m.fields(a.Fields) {
			if !slices.ContainsFunc(m.ref.Problem.Fields, func(known api.ReferenceField) bool { return known.Name == f.Name }) {
				list = append(list, f)
			}
		}
	}
	return list
}
