package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// footprint says which rows act changes: of each table how many are gone and how many are new. A row that is updated is
// both.
func (s *shelf) footprint(t *testing.T, act func() error) string {
	t.Helper()
	rows := func() (found map[string]int) {
		found = map[string]int{}
		for line := range strings.Lines(s.contents(t)) {
			table, _, _ := strings.Cut(line, " ")
			if !strings.HasPrefix(table, "report_words") && table != "sqlite_sequence" && table != "caller_version" {
				found[line]++
			}
		}
		return found
	}
	before := rows()
	do(t, act())
	gone, fresh := map[string]int{}, map[string]int{}
	after := rows()
	for line, n := range before {
		table, _, _ := strings.Cut(line, " ")
		gone[table] += max(0, n-after[line])
	}
	var parts []string
	for line, n := range after {
		table, _, _ := strings.Cut(line, " ")
		fresh[table] += max(0, n-before[line])
		gone[table] += 0
	}
	for table, n := range gone {
		if n+fresh[table] > 0 {
			parts = append(parts, fmt.Sprintf("%s -%d +%d", table, n, fresh[table]))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// party is somebody who has one of everything.
type party struct {
	wallet       tocsin.Address
	key          NewKey
	by           *Caller
	token, nonce string
	filed        Filed
	tale         string // a list's story
	claim        *Claim
	list         tocsin.Subject
}

// party makes the party of a number.
func (s *shelf) party(t *testing.T, i int) *party {
	t.Helper()
	ctx := t.Context()
	p := &party{wallet: tocsin.Address{19: byte(i + 1)}}
	quota := 100 * (i + 1)
	var err error
	p.key, err = s.CreateKey(ctx, &p.wallet, fmt.Sprint("Agent ", i), &quota)
	do(t, err)
	p.by, err = s.Caller(ctx, p.key.Key)
	do(t, err)
	p.token, err = s.NewSession(ctx, p.wallet, 190*time.Hour)
	do(t, err)
	p.nonce, _, err = s.NewNonce(ctx, 190*time.Hour)
	do(t, err)
	name := fmt.Sprintf("n%d.com", i)
	p.filed = s.files(t, story(t, fmt.Sprint("Filed ", i), "evil.com", name), p.by)
	_, _, err = s.Spend(ctx, p.by, 10)
	do(t, err)
	p.list = tocsin.Subject{Kind: tocsin.DNS, Value: "listed-" + name}
	safe := listing(p.list, nil)
	safe.Listing.Kind = tocsin.Safe
	s.imports(t, fmt.Sprint("list ", i), listing(p.list, nil), listing(worse, nil), safe,
		told(story(t, fmt.Sprint("Tale ", i), p.list.Value), "1"))
	p.tale = dossier(t, s.DB, p.list).Reports[0].ID
	p.claim = claimOf(byte(i+1), 1)
	claims(t, s.DB, p.claim, Acquired)
	return p
}

// fewer imports the list of a party again, with less in it.
func (s *shelf) fewer(t *testing.T, p *party) {
	t.Helper()
	s.imports(t, fmt.Sprint("list ", int(p.wallet[19])-1), listing(p.list, nil),
		told(story(t, fmt.Sprint("Tale ", int(p.wallet[19])-1), p.list.Value), "1"))
}

// TestAWriteChangesItsOwnRowsAlone beside those of two others who have everything that it changes, too.
func TestAWriteChangesItsOwnRowsAlone(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	all := []*party{s.party(t, 0), s.party(t, 1), s.party(t, 2)}
	settle(t, s.DB, all[1].claim)
	settle(t, s.DB, all[2].claim)
	p, fails := all[1], func(err error) { t.Error(err) }
	settled := func(c *Claim) error { s.Settled(ctx, c, fails); return s.write(ctx, accounts, false, nothing) }
	for _, c := range []struct {
		about string
		act   func() error
		want  string
	}{
		{"hide", func() error { return s.Hide(ctx, warden, p.filed.Report.ID) },
			"act -0 +1, act_object -0 +1, event -0 +2, named -2 +2, report -1 +1, report_subject -2 +0"},
		{"restore", func() error { return s.Restore(ctx, warden, p.filed.Report.ID) },
			"act -0 +1, act_object -0 +1, event -0 +2, named -2 +2, report -1 +1, report_subject -0 +2"},
		{"hide a story", func() error { return s.Hide(ctx, warden, p.tale) },
			"act -0 +1, act_object -0 +1, event -0 +2, listing -1 +1, report -1 +1, report_subject -1 +0"},
		{"restore a story", func() error { return s.Restore(ctx, warden, p.tale) },
			"act -0 +1, act_object -0 +1, event -0 +2, listing -1 +1, report -1 +1, report_subject -0 +1"},
		{"an import without two", func() error { s.fewer(t, p); return nil },
			"event -0 +2, list -1 +1, listing -2 +2"},
		{"ban", func() error { return second(s.Ban(ctx, warden, p.by.Agent.ID)) },
			"act -0 +1, act_object -0 +2, agent -1 +1, event -0 +2, report -1 +1, report_subject -2 +0, session -1 +0"},
		{"unban", func() error { return second(s.Unban(ctx, warden, p.by.Agent.ID)) },
			"act -0 +1, act_object -0 +2, agent -1 +1, event -0 +2, report -1 +1, report_subject -0 +2"},
		{"renew", func() error { return second(s.RenewKey(ctx, p.wallet)) },
			"key -1 +2"},
		{"revoke", func() error { return second(s.RevokeKey(ctx, warden, string(all[2].key.Key))) },
			"act -0 +1, act_object -0 +1, key -1 +1"},
		{"sign out", func() error { return s.EndSession(ctx, all[2].token) },
			"session -1 +0"},
		{"revoke one's own", func() error { return s.Revoke(ctx, all[0].by, "") },
			"key -1 +1, session -1 +0"},
		{"use a nonce", func() error { return second(s.UseNonce(ctx, p.nonce)) },
			"nonce -1 +0"},
		{"spend", func() error { _, _, err := s.Spend(ctx, p.by, 10); return err },
			"usage -1 +1"},
		{"postpone", func() error { return s.Postpone(ctx, p.claim, time.Minute) },
			"claim -1 +1"},
		{"settle", func() error { return settled(all[2].claim) },
			"claim -1 +1"},
		{"release", func() error { return s.Release(ctx, all[0].claim) },
			"claim -1 +0"},
		{"withdraw", func() error { return s.Withdraw(ctx, p.filed.Report.ID, p.filed.ManageToken) },
			"event -0 +2, report -1 +1, report_subject -2 +0"},
		{"erase", func() error { _, _, err := s.Erase(ctx, warden, p.filed.Report.ID); return err },
			"act -0 +1, act_object -0 +1, event -0 +2, filing -1 +0, named -1 +0, report -1 +1, subject -1 +1"},
		{"an hour later", func() error { s.sleep(time.Hour); return s.PruneClaims(ctx) }, ""},
	} {
		if got := s.footprint(t, c.act); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.about, got, c.want)
		}
	}
	for _, p := range all {
		s.Unlock(p.claim)
	}
	acts, err := s.Acts(ctx, ActFilter{Operator: warden.Name, Limit: 100})
	var actions []Action
	for _, a := range acts {
		actions = append(actions, a.Action)
	}
	equal(t, "acts of the operator by name, with the reason", []any{actions, err}, []any{
		[]Action{"hide", "restore", "hide", "restore", "ban", "unban", "key revoke", "erase"}, nil})
}

func nothing(context.Context, *conn) error { return nil }

// TestMendingChangesWhatIsDatedInTheFutureAndNothingElse: everything that has a date, of two parties.
func TestMendingChangesWhatIsDatedInTheFutureAndNothingElse(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	right := s.party(t, 0)
	do(t, s.Hide(ctx, warden, right.filed.Report.ID))
	s.Unlock(right.claim)
	s.sleep(11 * time.Hour) // by a clock that is wrong
	wrong := s.party(t, 1)
	settle(t, s.DB, wrong.claim)
	s.Unlock(wrong.claim)
	do(t, s.Postpone(ctx, wrong.claim, 10*time.Hour))
	s.files(t, story(t, "Filed 1, again", "n1.com"), wrong.by)
	s.fewer(t, wrong)
	s.imports(t, "list 1", listing(wrong.list, nil), listing(evil, nil), told(story(t, "Tale 1", wrong.list.Value), "1"))
	do(t, s.Hide(ctx, warden, wrong.filed.Report.ID))
	_, err := s.RenewKey(ctx, wrong.wallet)
	do(t, err)
	s.sleep(-11 * time.Hour)
	s.sleep(time.Minute)
	got := s.footprint(t, func() error { return second(s.MendDates(ctx, warden, false)) })
	equal(t, "rows", got, "act -1 +2, agent -1 +1, claim -1 +1, event -12 +15, filing -2 +2, key -2 +2, list -1 +1, "+
		"listing -4 +4, meta -0 +1, named -2 +2, nonce -1 +0, report -3 +3, report_subject -1 +1, session -1 +0")
	for _, column := range []string{"report.created", "report.published", "report_subject.published", "listing.since",
		"listing.withdrawn", "listing.unseen", "named.first", "named.last", "list.imported", "act.at", "event.at",
		"agent.created", "key.created", "key.revoked", "filing.at", "claim.created", "claim.updated"} {
		table, _, _ := strings.Cut(column, ".")
		var future, other int
		do(t, s.read(ctx, primary, func(c *conn) error {
			return c.row(ctx, "SELECT coalesce(sum(CASE WHEN "+column+" > $1 THEN 1 ELSE 0 END), 0), count("+column+") FROM "+
				table, []any{s.Now().Micro()}, &future, &other)
		}))
		if future > 0 || other == 0 {
			t.Errorf("%s: %d in the future, %d not", column, future, other-future)
		}
	}
}
