package discovery

import (
	"slices"
	"strings"

	"tocsin/internal/contract"
)

// openAPI is the contract as this deployment publishes it. Without payments it names no way to pay. x-payment-info and
// x-guidance are for catalogues of x402; they come from the OpenAPI profile of agentcash
// (https://github.com/Merit-Systems/agentcash-discovery, docs/SPECIFICATION.md).
func (f *facts) openAPI() (*contract.Value, error) {
	doc := f.Contract.Document()
	info := doc.At("info")
	doc.Set("servers", contract.ValueOf([]map[string]string{{"url": f.BaseURL}}))
	doc.Set("externalDocs", contract.ValueOf(map[string]string{
		"url": f.BaseURL + "/docs", "description": "The documentation, with examples",
	}))
	doc.Set("x-agentcash-guidance", contract.ValueOf(map[string]string{"llmsTxtUrl": f.BaseURL + "/llms.txt"}))
	guidance, err := f.render("guidance.txt")
	if err != nil {
		return nil, err
	}
	info.Set("x-guidance", contract.ValueOf(strings.TrimSpace(string(guidance))))
	if f.Contact != "" {
		info.Set("contact", contract.ValueOf(openAPIContact(f.Contact)))
	}
	// The paths include the base, because some readers of x-payment-info ignore a path in servers.
	paths := doc.At("paths")
	var names []string
	for i, path := range paths.Members {
		names = append(names, "`"+path.Name+"`", "`"+f.Contract.Base+path.Name+"`")
		paths.Members[i].Name = f.Contract.Base + path.Name
	}
	whole := strings.NewReplacer(names...)
	rewrite := func(at *contract.Value) {
		if text := at.At("description"); text != nil {
			at.Set("description", contract.ValueOf(whole.Replace(text.String())))
		}
	}
	rewrite(info)
	for _, path := range paths.Members {
		for _, method := range path.Value.Members {
			f.publish(method.Value)
			rewrite(method.Value)
		}
	}
	// Generators of clients make a type of times, which has no pattern.
	for _, s := range doc.At("components", "schemas").Members {
		if s.Value.At("format").String() == "date-time" {
			s.Value.Remove("pattern")
		}
	}
	sent := sentSchemas(doc)
	for i, s := range doc.At("components", "schemas").Members {
		if !sent[s.Name] {
			doc.At("components", "schemas").Members[i].Value = s.Value.Open()
		}
	}
	// A schema that nothing refers to is only for this program.
	text, schemas := doc.JSON(0), doc.At("components", "schemas")
	for _, s := range slices.Clone(schemas.Members) {
		if !strings.Contains(text, `"#/components/schemas/`+s.Name+`"`) {
			schemas.Remove(s.Name)
		}
	}
	return doc, nil
}

// sentSchemas are the names of the schemas of what callers send, and of those that they refer to. A field that these do
// not describe is refused.
func sentSchemas(doc *contract.Value) map[string]bool {
	const at = "#/components/schemas/"
	sent := map[string]bool{}
	var add func(*contract.Value)
	add = func(v *contract.Value) {
		name, refers := strings.CutPrefix(v.At("$ref").String(), at)
		if refers && !sent[name] {
			sent[name] = true
			add(doc.At("components", "schemas", name))
		}
		for _, m := range v.Members {
			add(m.Value)
		}
		for _, item := range v.Items {
			add(item)
		}
	}
	for _, path := range doc.At("paths").Members {
		for _, method := range path.Value.Members {
			if body := method.Value.At("requestBody"); body != nil {
				add(body)
			}
		}
	}
	return sent
}

// publish removes from an operation what is only for this program, and what this deployment does not have.
func (f *facts) publish(op *contract.Value) {
	if tool := op.At("x-mcp-tool"); tool != nil {
		tool.Remove("note") // it is in the tool
		tool.Remove("arguments")
	}
	if parameters := op.At("parameters"); parameters != nil {
		for _, p := range parameters.Items {
			p.Remove("x-rest-of-path") // how the path is matched
		}
	}
	named := func(way *contract.Value) bool { return len(way.Members) > 0 }
	if security := op.At("security"); security != nil && !slices.ContainsFunc(security.Items, named) {
		security.Items = nil // the same as [{}], which some readers do not know
	}
	if !f.Pays {
		op.Remove("x-payment-info")
	}
}

// openAPIContact is the contact object of an OpenAPI document for a mailto: or https: URL.
func openAPIContact(at string) map[string]string {
	if mail, ok := strings.CutPrefix(at, "mailto:"); ok {
		return map[string]string{"email": mail}
	}
	return map[string]string{"url": at}
}
