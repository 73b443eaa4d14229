package discovery

import (
	"slices"
	"strings"

	"tocsin/internal/api"
)

// openAPI is the contract as this deployment keeps it. Where no payments are
// taken it names no way to pay. What agentcash's profile of OpenAPI adds
// (https://github.com/Merit-Systems/agentcash-discovery, docs/SPECIFICATION.md),
// x-payment-info and x-guidance, is what catalogues of x402 read.
func (f *facts) openAPI() (*api.Value, error) {
	doc, err := f.api.Contract() // a copy of its own
	if err != nil {
		return nil, err
	}
	info := doc.At("info")
	doc.Set("servers", api.ValueOf([]map[string]string{{"url": f.BaseURL}}))
	doc.Set("externalDocs", api.ValueOf(map[string]string{"url": f.BaseURL + "/docs", "description": "The documentation, with examples"}))
	doc.Set("x-agentcash-guidance", api.ValueOf(map[string]string{"llmsTxtUrl": f.BaseURL + "/llms.txt"}))
	guidance, err := f.write("guidance.txt")
	if err != nil {
		return nil, err
	}
	info.Set("x-guidance", api.ValueOf(strings.TrimSpace(string(guidance))))
	if f.Contact != "" {
		info.Set("contact", api.ValueOf(contact(f.Contact)))
	}
	// Whole paths, since some readers of x-payment-info take no notice of a path in servers.
	paths := doc.At("paths")
	var names []string
	for i, path := range paths.Fields {
		names = append(names, "`"+path.Name+"`", "`"+f.Ref.Base+path.Name+"`")
		paths.Fields[i].Name = f.Ref.Base + path.Name
	}
	whole := strings.NewReplacer(names...)
	rewrite := func(at *api.Value) {
		if text := at.At("description"); text != nil {
			at.Set("description", api.ValueOf(whole.Replace(text.String())))
		}
	}
	rewrite(info)
	for _, path := range paths.Fields {
		for _, method := range path.Value.Fields {
			f.publish(method.Value)
			rewrite(method.Value)
		}
	}
	// What nothing refers to is of use to the program alone.
	text, schemas := doc.JSON(0), doc.At("components", "schemas")
	for _, s := range slices.Clone(schemas.Fields) {
		if !strings.Contains(text, `"#/components/schemas/`+s.Name+`"`) {
			schemas.Remove(s.Name)
		}
	}
	return doc, nil
}

// publish turns an operation of the contract into one of this deployment.
func (f *facts) publish(op *api.Value) {
	if tool := op.At("x-mcp-tool"); tool != nil {
		tool.Remove("note") // it is in the tool
		tool.Remove("arguments")
	}
	if parameters := op.At("parameters"); parameters != nil {
		for _, p := range parameters.Items {
			p.Remove("x-rest-of-path") // how the path is matched
		}
	}
	if security := op.At("security"); security != nil && !slices.ContainsFunc(security.Items, func(way *api.Value) bool { return len(way.Fields) > 0 }) {
		security.Items = nil // [] and [{}] mean the same, and some readers know only the former
	}
	if !f.Pays {
		op.Remove("x-payment-info")
	}
}

// contact is the contact of an OpenAPI document.
func contact(at string) map[string]string {
	if mail, ok := strings.CutPrefix(at, "mailto:"); ok {
		return map[string]string{"email": mail}
	}
	return map[string]string{"url": at}
}
