package web

import (
	"strings"

	"tocsin"
)

// objectedParty is a sanctioned party that the subject of a case file is an account of, as a program reads it.
type objectedParty struct {
	List     string   `json:"list"`
	Name     string   `json:"name"`
	Program  string   `json:"program"`
	Aliases  []string `json:"aliases"`
	Count    int      `json:"accountCount"`
	Accounts []string `json:"accounts"` // all that the list names for the program, at most 200
}

func objectedParties(parties []tocsin.Party) []objectedParty {
	all := []objectedParty{}
	for _, party := range parties {
		one := objectedParty{List: party.List, Name: party.Name, Program: party.Program,
			Aliases: append([]string{}, party.Aliases...), Count: party.Count}
		for _, account := range party.Accounts[:min(tocsin.SamePartyAccounts, party.Count)] {
			one.Accounts = append(one.Accounts, account.String())
		}
		all = append(all, one)
	}
	return all
}

// AliasesOf are the other names of the party that a list names the subject of a case file as; "" for none.
func (c objectCase) AliasesOf(o objection) string {
	for _, party := range c.Parties {
		if party.IsOf(tocsin.Listing{List: o.List, Kind: o.Kind, Name: o.Name, Program: o.Program}) {
			return strings.Join(party.Aliases, "; ")
		}
	}
	return ""
}
