package manual

import (
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/contract"
)

func (b *builder) answer(a *contract.Response) Answer {
	answer := Answer{
		Status: a.Status,
		Text:   b.line(tocsin.Sentence(a.Description), tocsin.Sentence(a.Choice)),
		Fields: b.fields(a.Fields, "out"),
	}
	if a.Example != nil {
		answer.Example = highlight("", "json", a.Example.JSON(lineWidth))
	}
	return answer
}

// fieldID is the id of the element of a field that belongs to what another id names.
func fieldID(within, name string) string {
	return within + "-" + strings.ToLower(strings.TrimSuffix(name, "[]"))
}

// fields returns fields that belong to what an id names.
func (b *builder) fields(fields []contract.Field, within string) []Field {
	list := make([]Field, len(fields))
	for i, f := range fields {
		list[i] = Field{
			ID:       fieldID(within, f.Name),
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
		list[i].Fields = b.fields(f.Fields, list[i].ID)
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
		for _, f := range b.fields(a.Fields, "offer") {
			same := func(known contract.Field) bool { return known.Name == f.Name }
			if !slices.ContainsFunc(b.ref.Problem.Fields, same) {
				list = append(list, f)
			}
		}
	}
	return list
}
