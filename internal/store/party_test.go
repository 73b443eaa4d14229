package store

import (
	"fmt"
	"strings"
	"testing"

	"tocsin"
)

// sanction is an entry of a list of sanctions: the number of an address, whom it is on, and the program.
func sanction(n int, name, program string) tocsin.Entry {
	e := listing(addressOf(n), nil)
	e.Listing.Kind, e.Listing.Category, e.Listing.Name, e.Listing.Program = tocsin.Sanction, "", name, program
	return e
}

func addressOf(n int) tocsin.Subject {
	return tocsin.Subject{Kind: tocsin.EVM, Value: fmt.Sprintf("0x%040x", n)}
}

// inShort writes parties down, with the numbers of their accounts.
func inShort(parties []tocsin.Party) string {
	var all []string
	for _, p := range parties {
		var accounts []string
		for _, a := range p.Accounts {
			accounts = append(accounts, strings.TrimLeft(a.Value, "0x"))
		}
		all = append(all, fmt.Sprintf("%s, %s: %d [%s]", p.Name, p.Program, p.Count, strings.Join(accounts, " ")))
	}
	return strings.Join(all, "; ")
}

// TestASanctionedPartyIsFoundByItsName, in any order of its words, with or without accents.
func TestASanctionedPartyIsFoundByItsName(t *testing.T) {
	s := fresh(t)
	risk := sanction(9, "Cryptex", "")
	risk.Listing.Kind = tocsin.Risk
	s.imports(t, "ofac", sanction(1, "CRYPTEX", "CYBER2"), sanction(2, "CRYPTEX", "CYBER2"),
		sanction(3, "CRYPTEX", "CYBER2"), sanction(4, "Hyon Sop SIM", "NPWMD"),
		sanction(5, "José GÓMEZ", "TCO"), sanction(6, "", "TCO"), risk)
	named := func(q string) string {
		t.Helper()
		terms, fault := tocsin.ParseQuery(q)
		if fault != nil {
			t.Fatal(fault)
		}
		found, _, err := s.PartiesNamed(t.Context(), terms, 2)
		do(t, err)
		return inShort(found)
	}
	const cryptex = "CRYPTEX, CYBER2: 3 [1 2]"
	for q, want := range map[string]string{
		"Cryptex": cryptex, "crypt*": cryptex, "crypt": "", "cryptex exchange": "",
		"sim hyon sop": "Hyon Sop SIM, NPWMD: 1 [4]", `"hyon sop"`: "Hyon Sop SIM, NPWMD: 1 [4]", `"sop hyon"`: "",
		"Gomez": "José GÓMEZ, TCO: 1 [5]", "jose*": "José GÓMEZ, TCO: 1 [5]",
	} {
		equal(t, q, named(q), want)
	}
	handle, _, err := s.PartiesNamed(t.Context(), []tocsin.Term{{Text: "cryptex", Whole: true}}, 2)
	do(t, err)
	equal(t, "the handle @cryptex", inShort(handle), "")

	s.imports(t, "ofac", sanction(1, "CRYPTEX", "CYBER2"), sanction(4, "Hyon Sop SIM", "NPWMD"),
		sanction(5, "José GÓMEZ", "TCO"), sanction(6, "", "TCO"))
	equal(t, "after two were dropped", named("cryptex"), "CRYPTEX, CYBER2: 1 [1]")
}

// TestASanctionedPartyIsFoundByAnAlias, which is named then, and it is found once. An import that brings aliases
// changes an entry that has none.
func TestASanctionedPartyIsFoundByAnAlias(t *testing.T) {
	s := fresh(t)
	also := func(n int, aliases ...string) tocsin.Entry {
		e := sanction(n, "LAZARUS GROUP", "DPRK3")
		e.Listing.Aliases = aliases
		return e
	}
	named := func(q string) string {
		t.Helper()
		terms, _ := tocsin.ParseQuery(q)
		found, aliases, err := s.PartiesNamed(t.Context(), terms, 9)
		do(t, err)
		if len(found) == 0 {
			return fmt.Sprint("none ", aliases)
		}
		return inShort(found) + " " + found[0].Alias
	}
	s.imports(t, "ofac", also(1), also(2))
	equal(t, "without aliases", named("hidden cobra"), "none false")
	counts := s.imports(t, "ofac", also(1, "OFFICE 91", "HIDDEN COBRA"), also(2, "HIDDEN COBRA"))
	equal(t, "changed, unchanged", []int{counts.Added, counts.Unchanged}, []int{2, 0})
	const group = "LAZARUS GROUP, DPRK3: 2 [1 2] "
	equal(t, "by the alias", named("cobra hidden"), group+"HIDDEN COBRA")
	equal(t, "by the name", named("lazarus"), group)
	equal(t, "words of two aliases", named("office cobra"), "none true")
	s.imports(t, "ofac", also(1, "SITE OF LAZARUS", "LAZARUS", "LAZARUS.IO"), also(2, "LAZARUS"))
	equal(t, "by the alias that is all of it", named("lazarus"), group+"LAZARUS")
	site := func(name string) tocsin.Subject { return tocsin.Subject{Kind: tocsin.DNS, Value: name} }
	called, err := s.PartiesCalled(t.Context(), site("lazarus.io"), site("lazarus.example"), site("io"))
	do(t, err)
	equal(t, "by a domain", []int{len(called), len(called[site("lazarus.io")]), called[site("lazarus.io")][0].Count},
		[]int{1, 1, 2})
	s.imports(t, "ofac", also(1, "OFFICE 91", "HIDDEN COBRA"), also(2, "HIDDEN COBRA"))
	counts = s.imports(t, "ofac", also(1, "OFFICE 91", "HIDDEN COBRA"), also(2, "HIDDEN COBRA"))
	equal(t, "again", counts.Unchanged, 2)
}

// TestAPartyHasTheAliasesOfAllItsAccounts, whichever of them the list gives each.
func TestAPartyHasTheAliasesOfAllItsAccounts(t *testing.T) {
	s := fresh(t)
	also := func(n int, aliases ...string) tocsin.Entry {
		e := sanction(n, "LAZARUS GROUP", "DPRK3")
		e.Listing.Aliases = aliases
		return e
	}
	s.imports(t, "ofac", also(1, "APPLEWORM", "OFFICE 91"), also(2, "HIDDEN COBRA", "OFFICE 91"), also(3))
	parties, err := s.PartiesOf(t.Context(), dossier(t, s.DB, addressOf(1)).Listings)
	do(t, err)
	equal(t, "parties", len(parties), 1)
	equal(t, "aliases", parties[0].Aliases, []string{"APPLEWORM", "OFFICE 91", "HIDDEN COBRA"})
}

// TestTheNearestSpellingsAreOffered, each once, also behind many that are further off, of the name or an alias.
func TestTheNearestSpellingsAreOffered(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	for i := range MaxParties + 1 {
		entries = append(entries, sanction(i+1, fmt.Sprintf("A%c LAZARUSXX", 'A'+i), "TCO"))
	}
	alias := sanction(101, "SOMEBODY", "DPRK3")
	alias.Listing.Aliases = []string{"OFFICE 91", "LAZARUZZ"}
	entries = append(entries, alias, sanction(102, "LAZARUSX", "DPRK3"), sanction(103, "LAZARUSY", "DPRK3"),
		sanction(104, "LAZARUSX", "CYBER2"))
	s.imports(t, "ofac", entries...)
	near, err := s.PartiesNear(t.Context(), []tocsin.Term{{Text: "lazarusz"}})
	do(t, err)
	equal(t, "names", near, []string{"LAZARUSX", "LAZARUSY", "LAZARUZZ", "AA LAZARUSXX", "AB LAZARUSXX"})
}

// TestTheOtherAccountsOfASanctionedPartyAreFound, and neither those of somebody else with the same name nor those
// without a name.
func TestTheOtherAccountsOfASanctionedPartyAreFound(t *testing.T) {
	s := fresh(t)
	s.imports(t, "ofac", sanction(1, "LAZARUS GROUP", "DPRK3"), sanction(2, "LAZARUS GROUP", "DPRK3"),
		sanction(3, "LAZARUS GROUP", "CYBER2"), sanction(4, "A", "TCO"), sanction(5, "A; B", "TCO"),
		sanction(6, "B", "TCO"), sanction(7, "", "TCO"), sanction(8, "", "TCO"))
	s.imports(t, "another", sanction(10, "LAZARUS GROUP", "DPRK3"))
	for n, want := range map[int]string{
		1: "LAZARUS GROUP, DPRK3: 1 [2]", 3: "", 4: "A; B, TCO: 1 [5]",
		5: "A, TCO: 1 [4]; B, TCO: 1 [6]", 7: "", 10: "", 11: "",
	} {
		subject := addressOf(n)
		found, err := s.SameParty(t.Context(), subject, dossier(t, s.DB, subject).Listings, 5)
		do(t, err)
		equal(t, fmt.Sprint("of ", n), inShort(found), want)
	}
}

// TestASearchForAPartyIsBounded: in parties, in accounts and in statements.
func TestASearchForAPartyIsBounded(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	for i := range MaxParties + 1 {
		entries = append(entries, sanction(2*i+1, fmt.Sprintf("Wang %02d", i), "TCO"), sanction(2*i+2,
			fmt.Sprintf("Wang %02d", i), "TCO"))
	}
	s.imports(t, "ofac", entries...)
	n := s.statements(func() {
		found, _, err := s.PartiesNamed(t.Context(), []tocsin.Term{{Text: "wang"}}, 1)
		do(t, err)
		equal(t, "parties", len(found), MaxParties)
		equal(t, "the first", inShort(found[:1]), "Wang 00, TCO: 2 [1]")
	})
	equal(t, "statements", n, 2)
	plain := s.statements(func() {
		_, err := s.SameParty(t.Context(), evil, nil, 1)
		do(t, err)
	})
	equal(t, "statements for what is not sanctioned", plain, 0)
}
