package answer

import (
	"strings"

	"tocsin"
	"tocsin/internal/locale"
)

// PartyText says whom a list of sanctions names, and how many of its accounts are not screened.
func PartyText(p *locale.Printer, party tocsin.Party) string {
	list := ListTitle(p, party.List)
	text := p.Text("%s names %s with %d accounts", list, party.Name, party.Count)
	if party.Alias != "" {
		text = p.Text("%s names %s (also %s) with %d accounts", list, party.Name, party.Alias, party.Count)
	}
	if n := len(party.Untaken); n > 0 {
		return p.Text("%s and %d more that are not screened here", text, n)
	}
	return text
}

// UntakenText says which rows of a list are not screened.
func UntakenText(p *locale.Printer, rows []string) string {
	return p.Text("Not screened here: %s. Compare with these by hand.", strings.Join(rows, ", "))
}

// NamesakeTexts say which parties a list of sanctions names by this domain, and what that does not mean.
func (a Answer) NamesakeTexts() (texts []string) {
	for _, party := range a.Namesakes {
		texts = append(texts, a.Lang.Text("%s: accounts are compared with that list, websites are not",
			PartyText(a.Lang, party)))
	}
	return texts
}
