package answer

import (
	"tocsin"
	"tocsin/internal/locale"
)

// PartyText says whom a list of sanctions names.
func PartyText(p *locale.Printer, party tocsin.Party) string {
	list := ListTitle(p, party.List)
	if party.Alias != "" {
		return p.Text("%s names %s (also %s) with %d accounts", list, party.Name, party.Alias, party.Count)
	}
	return p.Text("%s names %s with %d accounts", list, party.Name, party.Count)
}

// NamesakeTexts say which parties a list of sanctions names by this domain, and what that does not mean.
func (a Answer) NamesakeTexts() (texts []string) {
	for _, party := range a.Namesakes {
		texts = append(texts, a.Lang.Text("%s: accounts are compared with that list, websites are not",
			PartyText(a.Lang, party)))
	}
	return texts
}
