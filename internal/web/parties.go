package web

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// partyRow is a party that a list of sanctions names.
type partyRow struct {
	tocsin.Party
	lang *locale.Printer
}

// Says is the headline of the party.
func (r partyRow) Says() string { return answer.PartyText(r.lang, r.Party) }

// UntakenSays says which of its accounts are not screened.
func (r partyRow) UntakenSays() string { return answer.UntakenText(r.lang, r.Untaken) }

// First are the accounts that are shown at once, and Others those after a click.
func (r partyRow) First() []tocsin.Subject {
	return r.Accounts[:min(tocsin.FoundPartyAccounts, len(r.Accounts))]
}
func (r partyRow) Others() []tocsin.Subject { return r.Accounts[len(r.First()):] }

// More is how many of its accounts are not among those.
func (r partyRow) More() int { return r.Count - len(r.Accounts) }

func partyRows(p *locale.Printer, parties []tocsin.Party) (rows []partyRow) {
	for _, party := range parties {
		rows = append(rows, partyRow{party, p})
	}
	return rows
}

// sameParty are the other accounts of the parties that sanctions against a subject are on.
type sameParty []partyRow

// Count is how many accounts they are.
func (s sameParty) Count() (n int) {
	for _, r := range s {
		n += r.Count
	}
	return n
}

func (s *Site) sameParty(req *request, a answer.Answer) (sameParty, error) {
	parties, err := s.db.SameParty(req.Context(), a.Subject, a.Dossier.Listings, tocsin.SamePartyAccounts)
	return partyRows(req.lang, parties), err
}

// addNamesakes adds the parties that a list of sanctions names by the domain of an answer.
func (s *Site) addNamesakes(req *request, a *answer.Answer) error {
	called, err := s.db.PartiesCalled(req.Context(), a.Subject)
	a.Namesakes = called[a.Subject]
	return err
}

// namesakesPath is the search for the parties that have the name of a domain.
func namesakesPath(a answer.Answer) string {
	return reportsPath("", "", cmp.Or(a.Namesakes[0].Alias, a.Namesakes[0].Name), "")
}

// addParties adds the parties that a search finds by their names. Neither a handle nor the number of a phone is such a
// name, nor what somebody says who was cheated or offers to get lost money back.
func (s *Site) addParties(req *request, c *reportsPage, terms []tocsin.Term, st store.Stats) error {
	if !c.Search || !c.First || c.Recovery || c.Cheated || c.LocalNumber() || wholeName(c.Query) != "" {
		return nil
	}
	parties, aliases, err := s.db.PartiesNamed(req.Context(), terms, tocsin.FoundPartyAccounts)
	c.Parties, c.Searched = partyRows(req.lang, parties), searchedNames(req.lang, st, aliases)
	handle := slices.ContainsFunc(terms, func(t tocsin.Term) bool { return t.Whole })
	c.compared = sanctionsListIn(st) >= 0 && !handle
	if err == nil && len(parties) == 0 { // also beside reports: anybody can file one with the name
		c.Near, err = s.db.PartiesNear(req.Context(), terms)
	}
	return err
}

// nothingNamed is the headline of a search that finds no sanctioned party. That none has the name is said only of those
// that are on record, if the list of sanctions is, and of what is not too long for a name.
func (c reportsPage) nothingNamed() string {
	if c.Found > 0 || c.Unnamed || !c.NamesSearched() {
		return c.Mentions()
	}
	return c.lang.Text("No report, and no party with crypto accounts on OFAC SDN, has the name “%s”",
		tocsin.Shorten(c.Query, 60))
}

// NamesSearched reports whether the query is shown as a search of the names on the list of sanctions, too. A text that
// is too long for a name is not, unless a party has it.
func (c reportsPage) NamesSearched() bool {
	return len(c.Parties) > 0 || c.compared && len(strings.Fields(c.Query)) <= 5
}

// OtherLetters reports whether the query is a name without a Latin letter, by which no party is found.
func (c reportsPage) OtherLetters() bool {
	latin := func(r rune) bool { return unicode.Is(unicode.Latin, r) }
	return len(c.Parties) == 0 && c.NamesSearched() && strings.ContainsFunc(c.Query, unicode.IsLetter) &&
		!strings.ContainsFunc(c.Query, latin)
}

// NearPath is the search for a near spelling of what was asked for.
func (c reportsPage) NearPath(name string) string { return reportsPath("", "", name, "") }

// sanctionsListIn is the index of the list of sanctions among the lists; -1 if it is not on record, or empty.
func sanctionsListIn(st store.Stats) int {
	return slices.IndexFunc(st.Lists, func(l store.ListStats) bool {
		return l.Name == tocsin.SanctionsList && l.Listings > 0
	})
}

// searchedNames says of which parties a search has looked through the names, also the aliases if any are on record, and
// of which it has not.
func searchedNames(p *locale.Printer, st store.Stats, aliases bool) string {
	i := sanctionsListIn(st)
	if i < 0 {
		return p.Sentences(p.Text("We searched the text of all reports."),
			p.Text("No sanctions list is on record here, so no sanction can be found."))
	}
	list := p.Text("We searched the text of all reports, and the names of the parties with crypto accounts on OFAC SDN.")
	if at := st.Lists[i].Version.Date; at != nil {
		list = p.Text("We searched the text of all reports, and the names of the parties with crypto accounts on OFAC SDN, "+
			"list of %s.", p.Day(at.Std()))
	}
	if aliases {
		return p.Sentences(list, p.Text("Their aliases were searched, too."),
			p.Text("Names are found as the list spells them."),
			p.Text("Parties without crypto accounts and other sanctions lists are not on record here."))
	}
	return p.Sentences(list, p.Text("Names are found as the list spells them."),
		p.Text("Their aliases, parties without crypto accounts and other sanctions lists are not on record here."))
}

// ofacPage says what a link to the page of OFAC opens: "entry" of the party, or its "search"; "" of another list.
func ofacPage(list, url string) string {
	switch {
	case list != tocsin.SanctionsList:
		return ""
	case strings.Contains(url, "Details.aspx?id="):
		return "entry"
	}
	return "search"
}

// MoreParties reports whether there may be more parties than are shown.
func (c reportsPage) MoreParties() bool { return len(c.Parties) == store.MaxParties }

// Called are the parties that the query may be the name of: the whole name or alias, or two words of it. One word, such
// as crypto, is in the names of many.
func (c reportsPage) Called() (called []partyRow) {
	words := func(text string) (words []string) {
		for _, w := range tocsin.Words(text) {
			words = append(words, w.Text)
		}
		return words
	}
	query := words(c.Query)
	for _, r := range c.Parties {
		if len(query) > 1 || slices.Equal(query, words(cmp.Or(r.Alias, r.Name))) {
			called = append(called, r)
		}
	}
	return called
}
