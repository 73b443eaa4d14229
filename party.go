package tocsin

import (
	"slices"
	"strings"
)

// Party is whom a list of sanctions names, such as a person or a company, with accounts of it.
type Party struct {
	List     string
	Name     string // as the list writes it; of accounts of several parties together their names, with "; " between
	Alias    string // that a search has found it by; "" if its name was
	Aliases  []string
	Program  string // the legal program
	URL      string // its page on the list, or the page of the list
	ListDate *Time  // of the version of the list
	Count    int    // of its accounts that are screened
	Accounts []Subject
	Untaken  []string // its accounts that are not, as [ListVersion] has them, without its name
}

// UntakenOf returns the rows of a party among those that were not taken from its list, without its name.
func (p Party) UntakenOf(rows []string) (own []string) {
	for _, row := range rows {
		account, of, _ := strings.Cut(strings.TrimSuffix(row, ")"), " (")
		currency, named := strings.CutSuffix(of, ", "+p.Name)
		switch {
		case p.Name == "":
		case named:
			own = append(own, account+" ("+currency+")")
		case of == p.Name:
			own = append(own, account)
		}
	}
	return own
}

// So many accounts of a party are named: in a search, and beside an account of it, where all are wanted.
const (
	FoundPartyAccounts = 10
	SamePartyAccounts  = 200
)

// IsOf reports whether a listing is a sanction on the party, or on one of several parties that are named together.
func (p Party) IsOf(l Listing) bool {
	if l.Kind != Sanction || l.List != p.List || l.Program != p.Program {
		return false
	}
	names := strings.Split(p.Name, "; ")
	return slices.ContainsFunc(strings.Split(l.Name, "; "), func(name string) bool {
		return name != "" && slices.Contains(names, name)
	})
}
