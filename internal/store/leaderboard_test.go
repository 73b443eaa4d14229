package store

import (
	"fmt"
	"testing"
	"time"

	"tocsin"
)

// board is what the leaderboard says: of each agent its id, its corroborated reports and all of them.
func (s *shelf) ranks(t *testing.T) string {
	t.Helper()
	s.sleep(time.Minute)
	board, err := s.Leaderboard(t.Context())
	do(t, err)
	text := ""
	for _, r := range board {
		text += fmt.Sprintln(r.ID, r.Corroborated, "of", r.Reports)
	}
	return text
}

// TestNewKeysCorroborateNobody: two of them report the same 200 sites three times each.
func TestNewKeysCorroborateNobody(t *testing.T) {
	s := fresh(t)
	a, b := s.agent(t), s.agent(t)
	var sites []string
	for i := range 50 {
		sites = append(sites, fmt.Sprintf("site%d.com", i))
	}
	for i := range 3 {
		for _, by := range []*Caller{a, b} {
			s.files(t, story(t, fmt.Sprint("Story ", i), sites...), by)
		}
	}
	equal(t, "new keys", s.ranks(t), "")
	s.sleep(tocsin.SettledAfter)
	// However many subjects a report has, and however often it is filed again, it is one report.
	equal(t, "settled keys", s.ranks(t), a.Agent.ID+" 1 of 3\n"+b.Agent.ID+" 1 of 3\n")
}

// TestAReportCountsOnceWhateverListsNameOfIt: nobody has more corroborated reports than reports.
func TestAReportCountsOnceWhateverListsNameOfIt(t *testing.T) {
	s := fresh(t)
	a, b := s.agent(t), s.agent(t)
	s.imports(t, "list", listing(tocsin.Subject{Kind: tocsin.DNS, Value: "other.com"}, nil))
	s.files(t, story(t, "Both", "evil.com", "worse.com"), a)
	s.files(t, story(t, "Both, once more", "evil.com", "worse.com"), a)
	s.files(t, story(t, "Both", "evil.com", "worse.com"), b)
	s.files(t, story(t, "A site that only one knows", "third.com"), b)
	s.sleep(time.Hour)
	s.imports(t, "list", listing(tocsin.Subject{Kind: tocsin.DNS, Value: "other.com"}, nil), listing(evil, nil),
		listing(worse, nil))
	equal(t, "ranks", s.ranks(t), a.Agent.ID+" 1 of 2\n"+b.Agent.ID+" 1 of 2\n")
	account, err := s.Account(t.Context(), a.Agent)
	equal(t, "account", []any{account.Corroborated, account.Reports, err}, []any{1, 2, nil})
}

// TestWhatCorroboratesIsNamedAfterTheFirstReportOfASubject, however often each agent reports it.
func TestWhatCorroboratesIsNamedAfterTheFirstReportOfASubject(t *testing.T) {
	s := fresh(t)
	a, b, c := s.agent(t), s.agent(t), s.agent(t)
	s.imports(t, "list", listing(tocsin.Subject{Kind: tocsin.DNS, Value: "other.com"}, nil))
	s.sleep(tocsin.SettledAfter)
	s.files(t, story(t, "First", "evil.com"), a)
	s.files(t, story(t, "Between", "evil.com"), b)
	s.files(t, story(t, "Last", "evil.com"), a)
	s.files(t, story(t, "Before the list", "worse.com"), c)
	s.sleep(time.Hour)
	s.imports(t, "list", listing(tocsin.Subject{Kind: tocsin.DNS, Value: "other.com"}, nil), listing(worse, nil))
	s.sleep(time.Hour)
	s.files(t, story(t, "After the list", "worse.com"), c)
	agents := b.Agent.ID + " 1 of 1\n" + a.Agent.ID + " 1 of 2\n"
	equal(t, "ranks", s.ranks(t), agents+c.Agent.ID+" 1 of 2\n")
	s.imports(t, "list", listing(tocsin.Subject{Kind: tocsin.DNS, Value: "other.com"}, nil), listing(worse, nil),
		told(story(t, "a", "worse.com"), "1"))
	id := s.mustFind(t, Selection{Source: "list"})
	do(t, s.Hide(t.Context(), Operator{}, id))
	equal(t, "ranks while the listing is hidden", s.ranks(t), agents)
	do(t, s.Restore(t.Context(), Operator{}, id))
	equal(t, "ranks after that", s.ranks(t), agents+c.Agent.ID+" 1 of 2\n")
	s.imports(t, "list", listing(tocsin.Subject{Kind: tocsin.DNS, Value: "other.com"}, nil),
		told(story(t, "a", "worse.com"), "1"))
	equal(t, "ranks when it is withdrawn", s.ranks(t), agents)
}
