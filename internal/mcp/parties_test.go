package mcp_test

import (
	"testing"

	"tocsin/internal/tocsintest"
)

// TestAToolNamesSanctionedParties in the brief answer: their names are those of an official list, and no stranger's
// words.
func TestAToolNamesSanctionedParties(t *testing.T) {
	s := start(t)
	accounts := tocsintest.Sanction(t, s.db, "CRYPTEX", "CYBER2", 3)
	c := s.connect("", string(tocsintest.Key(t, s.db, nil)))
	found := c.call("search_reports", args{"q": "cryptex"})
	s.want("found", []any{found.in("sanctionedParties.0.name"), found.in("sanctionedParties.0.accounts.2"),
		len(found.Content)}, []any{"CRYPTEX", accounts[2], 1})
	related := c.call("related_subjects", args{"subject": accounts[0]})
	s.want("related", []any{related.in("sanctionedParties.0.name"), related.in("sanctionedParties.0.accounts")},
		[]any{"CRYPTEX", []any{accounts[1], accounts[2]}})
}
