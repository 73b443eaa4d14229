package api

import (
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestASanctionedPartyIsFoundByItsNameAndByAnyOfItsAccounts, whatever the reports say. One call is charged for each.
func TestASanctionedPartyIsFoundByItsNameAndByAnyOfItsAccounts(t *testing.T) {
	s := start(t)
	accounts := tocsintest.Sanction(t, s.db, "CRYPTEX", "CYBER2", 12)
	key := "x-api-key: " + s.key(100)
	for _, view := range []string{"", "&view=compact"} {
		a := s.get("/community-reports/search?q=Cryptex"+view, key)
		want(t, "search", []any{a.in("count"), a.text("sanctionedParties.0.name"), a.text("sanctionedParties.0.program"),
			a.text("sanctionedParties.0.url"), a.number("sanctionedParties.0.accountCount"),
			a.text("sanctionedParties.0.accounts.0"), a.count("sanctionedParties.0.accounts")},
			[]any{0.0, "CRYPTEX", "CYBER2", "https://lists.example", 12, accounts[0], tocsin.FoundPartyAccounts})
	}
	for _, title := range []string{"Cryptex one", "Cryptex two"} {
		s.file(filing("title", title))
	}
	a := s.get("/community-reports/search?limit=1&q=Cryptex", key)
	want(t, "the first page", []int{a.count("reports"), a.count("sanctionedParties")}, []int{1, 1})
	a = s.get("/community-reports/search?limit=1&q=Cryptex&cursor="+a.text("nextCursor"), key)
	want(t, "the second page", []int{a.count("reports"), a.count("sanctionedParties")}, []int{1, 0})
	a = s.get("/subjects/"+accounts[11]+"/related?limit=1", key)
	want(t, "related", []any{a.in("count"), a.text("sanctionedParties.0.name"),
		a.number("sanctionedParties.0.accountCount"), a.text("sanctionedParties.0.accounts.10"),
		a.count("sanctionedParties.0.accounts")},
		[]any{0.0, "CRYPTEX", 11, accounts[10], 11})
	want(t, "charged", a.header.Get("X-Ratelimit-Remaining-Day"), "95")
	want(t, "of what is not sanctioned", s.get("/subjects/"+thief+"/related", key).count("sanctionedParties"), 0)
}

// TestOfAPartyWithVeryManyAccountsTheFirstAreNamed, with how many there are.
func TestOfAPartyWithVeryManyAccountsTheFirstAreNamed(t *testing.T) {
	s := start(t)
	accounts := tocsintest.Sanction(t, s.db, "HYDRA MARKET", "CYBER2", tocsin.SamePartyAccounts+5)
	a := s.get("/subjects/"+accounts[0]+"/related", "x-api-key: "+s.key(1))
	want(t, "accounts", []any{a.number("sanctionedParties.0.accountCount"),
		a.count("sanctionedParties.0.accounts")}, []any{tocsin.SamePartyAccounts + 4, tocsin.SamePartyAccounts})
}
