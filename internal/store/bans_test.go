package store

import (
	"fmt"
	"testing"
	"time"

	"tocsin"
)

var warden = Operator{Name: "warden", Reason: "it sprays"}

// TestABanTakesAllThatAnAgentFiledOutAndLiftingItBringsBackThat: what was hidden or
// withdrawn otherwise is as before.
func TestABanTakesAllThatAnAgentFiledOutAndLiftingItBringsBackThat(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path, s.ahead)
	settled := s.agent(t)
	s.sleep(tocsin.SettledAfter)
	wallet := tocsin.Address{19: 7}
	made, err := s.CreateKey(t.Context(), &wallet, "Sprayer", nil)
	do(t, err)
	by, err := s.Caller(t.Context(), made.Key)
	do(t, err)
	token, err := s.NewSession(t.Context(), wallet, time.Hour)
	do(t, err)
	var ids []string
	for i := range 2*moderationChunk + 3 {
		ids = append(ids, s.files(t, story(t, fmt.Sprint("Story ", i), "evil.com", fmt.Sprintf("n%d.com", i)), by).Report.ID)
	}
	hidden := ids[1]
	do(t, s.Hide(t.Context(), warden, hidden))
	withdrawn := s.files(t, story(t, "Withdrawn", "evil.com"), by)
	do(t, s.Withdraw(t.Context(), withdrawn.Report.ID, withdrawn.ManageToken))
	s.files(t, story(t, "By somebody else", "evil.com"), settled)
	before := fmt.Sprint(dossier(t, s.DB, evil).Reporters, dossier(t, s.DB, evil).ReportCount)
	boardBefore, err := s.Leaderboard(t.Context())
	do(t, err)
	dossier(t, other, evil) // another process remembers it

	n, err := s.Ban(t.Context(), warden, by.Agent.ID)
	do(t, err)
	equal(t, "reports that the ban took out", n, len(ids)-1)
	d := dossier(t, s.DB, evil)
	equal(t, "what counts meanwhile", []any{d.ReportCount, len(d.Reporters)}, []any{1, 1})
	eventually(t, "another process knows", func() bool { return dossier(t, other, evil).ReportCount == 1 })
	if _, err := s.Report(t.Context(), ids[0]); codeOf(err) != tocsin.ReportHidden {
		t.Errorf("its report is shown: %v", err)
	}
	s.sleep(time.Second)
	board, err := s.Leaderboard(t.Context())
	do(t, err)
	equal(t, "the leaderboard without it", len(board), len(boardBefore)-1)
	for about, err := range map[string]error{
		"its key":         second(s.Caller(t.Context(), made.Key)),
		"its filing":      second(s.FileReport(t.Context(), Filing{Draft: story(t, "More", "evil.com"), By: by})),
		"a new key":       second(s.RenewKey(t.Context(), wallet)),
		"a key by us":     second(s.CreateKey(t.Context(), &wallet, "Other name", nil)),
		"a new session":   second(s.NewSession(t.Context(), wallet, time.Hour)),
		"its wallet pays": s.RefuseWallet(t.Context(), wallet),
	} {
		equal(t, about, codeOf(err), tocsin.AgentBanned)
	}
	eventually(t, "another process refuses the key", func() bool {
		return codeOf(second(other.Caller(t.Context(), made.Key))) == tocsin.AgentBanned
	})
	if found, err := s.Session(t.Context(), token); err != nil || found != nil {
		t.Errorf("its session goes on: %v, %v", found, err)
	}
	equal(t, "restoring one by hand", codeOf(s.Restore(t.Context(), warden, hidden)), tocsin.Invalid)
	again, err := s.Ban(t.Context(), warden, by.Agent.ID)
	do(t, err)
	equal(t, "banned twice", again, 0)

	n, err = s.Unban(t.Context(), warden, by.Agent.ID)
	do(t, err)
	equal(t, "reports that count again", n, len(ids)-1)
	d = dossier(t, s.DB, evil)
	equal(t, "what counts after it", fmt.Sprint(d.Reporters, d.ReportCount), before)
	eventually(t, "another process takes the key", func() bool {
		c, err := other.Caller(t.Context(), made.Key)
		return err == nil && c != nil
	})
	for id, status := range map[string]tocsin.Status{
		ids[0]: tocsin.Published, hidden: tocsin.Hidden, withdrawn.Report.ID: tocsin.Withdrawn,
	} {
		r, err := s.AnyReport(t.Context(), id)
		do(t, err)
		equal(t, "status of "+r.Title, r.Status, status)
	}
	if c, err := s.Caller(t.Context(), made.Key); err != nil || c == nil || *c.Agent.Name != "Sprayer" {
		t.Errorf("its key: %v, %v", c, err)
	}
	acts, err := s.Acts(t.Context(), ActFilter{Object: by.Agent.ID, Limit: 10})
	do(t, err)
	var told []any
	for _, a := range acts {
		told = append(told, a.Operator, a.Action, a.Reason, len(a.Objects))
	}
	equal(t, "the log", told,
		[]any{"warden", BannedAgent, "it sprays", len(ids), "warden", UnbannedAgent, "it sprays", len(ids)})
}

func second[T any](_ T, err error) error { return err }

func TestTheListOfAgentsCountsLiveKeysAndPublishedReports(t *testing.T) {
	s := fresh(t)
	wallet, begun := tocsin.Address{19: 0xab}, s.Now()
	var made NewKey
	for range 2 { // the second key replaces the first
		var err error
		made, err = s.CreateKey(t.Context(), &wallet, "", nil)
		do(t, err)
	}
	by, err := s.Caller(t.Context(), made.Key)
	do(t, err)
	s.files(t, story(t, "Shown", "evil.com"), by)
	do(t, s.Hide(t.Context(), warden, s.files(t, story(t, "Hidden", "evil.com"), by).Report.ID))
	counts := func(banned bool) (list []string) {
		agents, err := s.Agents(t.Context(), banned, 10)
		do(t, err)
		for _, a := range agents {
			about := fmt.Sprintf("%s: %d key, %d of %d", a.ID, a.Keys, a.Published, a.Reports)
			if *a.Address != wallet.String() || a.Created != begun {
				about += fmt.Sprint(" of ", *a.Address, " since ", a.Created)
			}
			if a.Banned != nil {
				about += fmt.Sprint(", banned ", *a.Banned)
			}
			list = append(list, about)
		}
		return list
	}
	equal(t, "all agents", counts(false), []string{made.Agent.ID + ": 1 key, 1 of 2"})
	equal(t, "the banned ones", counts(true), []string(nil))
	s.sleep(time.Hour)
	do(t, second(s.Ban(t.Context(), warden, made.Agent.ID)))
	equal(t, "the banned ones, with it", counts(true),
		[]string{fmt.Sprint(made.Agent.ID, ": 1 key, 0 of 2, banned ", s.Now())})
}

// A report that its reporter withdraws during a ban does not come back with it.
func TestAReportThatIsWithdrawnDuringABanStaysWithdrawn(t *testing.T) {
	s := fresh(t)
	by := s.agent(t)
	f := s.files(t, story(t, "Withdrawn", "evil.com"), by)
	h := s.files(t, story(t, "Hidden", "evil.com"), by)
	second(s.Ban(t.Context(), warden, by.Agent.ID))
	do(t, s.Withdraw(t.Context(), f.Report.ID, f.ManageToken))
	do(t, s.Hide(t.Context(), warden, h.Report.ID))
	n, err := s.Unban(t.Context(), warden, by.Agent.ID)
	do(t, err)
	equal(t, "reports that came back", n, 0)
	equal(t, "reports that count", dossier(t, s.DB, evil).ReportCount, 0)
}

func TestFilingIsClosedForAllProcessesAtOnce(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path, s.ahead)
	by := s.agent(t)
	file := func(title string, by *Caller) tocsin.Code {
		_, err := other.FileReport(t.Context(), Filing{Draft: story(t, title, "evil.com"), By: by, Network: network})
		return codeOf(err)
	}
	equal(t, "at first", []any{file("a", nil), file("b", by)}, []any{"", ""})
	for _, c := range []struct {
		to               tocsin.FilingState
		anonymous, keyed tocsin.Code
	}{
		{tocsin.FilingKeysOnly, tocsin.FilingNeedsKey, ""},
		{tocsin.FilingShut, tocsin.FilingClosed, tocsin.FilingClosed},
		{tocsin.FilingOpen, "", ""},
	} {
		changed, err := s.SetFiling(t.Context(), warden, c.to)
		do(t, err)
		again, err := s.SetFiling(t.Context(), warden, c.to)
		do(t, err)
		is, err := other.FilingState(t.Context())
		do(t, err)
		equal(t, "how it is", []any{changed, again, is}, []any{true, false, c.to})
		equal(t, string(c.to), []any{file("c "+string(c.to), nil), file("d "+string(c.to), by)}, []any{c.anonymous, c.keyed})
	}
	_, err := s.SetFiling(t.Context(), warden, tocsin.FilingShut)
	do(t, err)
	equal(t, "what was filed before is answered all the same", file("a", nil), "")
	acts, err := s.Acts(t.Context(), ActFilter{Limit: 3})
	do(t, err)
	equal(t, "the newest acts, the last at the end", fmt.Sprint(acts[0].Objects, acts[1].Objects, acts[2].Objects),
		"[closed] [open] [closed]")
}

// TestABanThatIsLiftedTakesNoProof, although an import during the ban found none of the agent's reports confirmed.
func TestABanThatIsLiftedTakesNoProof(t *testing.T) {
	w := newWatch(t)
	by := w.proven(network, 1, 10)[0]
	equal(t, "before the ban", w.isProven(by), true)
	do(t, second(w.Ban(t.Context(), warden, by.Agent.ID)))
	w.days(1)
	do(t, second(w.Unban(t.Context(), warden, by.Agent.ID)))
	equal(t, "after it", w.isProven(by), true)
}
