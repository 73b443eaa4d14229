package store

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"tocsin"
)

// heardOf are the methods whose statements fail in other tests.
var heardOf = []string{"About", "AboutAll", "AboutDomain", "AboutSubject", "Account", "BeginSettlement", "Caller",
	"CallerOf", "Changes", "Claim", "CreateKey", "DueClaims", "EndSession", "FileReport", "FiledBefore", "Hide", "Import",
	"Imported", "IssueKey", "Keys", "Leaderboard", "NewNonce", "NewSession", "Payments", "Postpone", "PruneClaims",
	"Release", "RenewKey", "Replace", "Report", "Reports", "Restore", "Revoke", "RevokeKey", "Search", "Session",
	"Settled", "Spend", "Stats", "Unban", "UseNonce", "Withdraw"}

// unheard are the methods of which no statement can fail as in these tests, and why.
var unheard = map[string]string{
	"Backup":       "copies the file and opens the copy",
	"KnowsWallet":  "one statement, without a transaction",
	"LeaseImport":  "renews its lease beside the test",
	"Ledger":       "on PostgreSQL alone",
	"MoveTo":       "writes to another database",
	"OnRecord":     "calls AboutAll",
	"Readable":     "calls Stats",
	"RefuseWallet": "one statement, without a transaction",
	"RemoveList":   "needs a lease, which is renewed beside the test",
	"SearchWithin": "what Search calls",
}

// TestNoCallHidesThatAStatementFailed: neither a read, which would pass for one that found nothing, nor a write, of
// which nothing is left. Every call of the database that takes a context and can fail is in one of the tables.
func TestNoCallHidesThatAStatementFailed(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	a := s.agent(t)
	by := Operator{Name: "eve", Reason: "as asked"}
	lookalike := tocsin.Subject{Kind: tocsin.EVM, Value: badOne}
	number := 0
	filed := func() Filed {
		number++
		d := story(t, fmt.Sprint("Filed ", number), "evil.com", "worse.com")
		d.ScammerAddresses = []string{filedOne}
		return s.files(t, d, a)
	}
	first, anonymous := filed(), s.files(t, story(t, "Anonymous", "evil.com"), nil)
	s.imports(t, "list", listing(evil, nil), listing(lookalike, nil), told(story(t, "Told", "evil.com"), "1"))
	subjects := []tocsin.Subject{{Kind: tocsin.EVM, Value: twin}}
	dossiers, err := s.AboutAll(ctx, subjects)
	do(t, err)
	made, err := s.CreateKey(ctx, &tocsin.Address{19: 2}, "", nil)
	do(t, err)
	seal, err := s.Seal(ctx, "a text")
	do(t, err)
	lease, err := s.LeaseImport(ctx, "list")
	do(t, err)
	do(t, lease.Begin(ctx, ImportTry{List: "list"}, nil))
	do(t, lease.Release(ctx))
	do(t, s.NoteTraining(ctx, Training{Result: Trained}))
	tomorrow := tocsin.TimeOf(s.Now().Std().AddDate(0, 0, 1))
	restarted := func() { s.salts.keys[0], s.networkSecret.key = nil, nil }
	reads := map[string]func() error{
		"Acts":            func() error { return second(s.Acts(ctx, ActFilter{Subject: &evil, Operator: "eve", Limit: 5})) },
		"AddressFindings": func() error { return second(s.AddressFindings(ctx, subjects, dossiers, nil)) },
		"Agents":          func() error { return second(s.Agents(ctx, false, 5)) },
		"AgentRecord":     func() error { return second(s.AgentRecord(ctx, a.Agent.ID)) },
		"AnyReport":       func() error { return second(s.AnyReport(ctx, first.Report.ID)) },
		"Check":           func() error { return second(s.Check(ctx, nil)) },
		"CheckDraft":      func() error { return s.CheckDraft(ctx, &tocsin.Draft{ReportedDomains: []string{"evil.com"}}) },
		"Correction":      func() error { return second(s.Correction(ctx, first.Report.ID)) },
		"DroppedReports":  func() error { return second(s.DroppedReports(ctx, evil)) },
		"EndedReports":    func() error { _, _, err := s.EndedReports(ctx, evil); return err },
		"HiddenWith":      func() error { return second(s.HiddenWith(ctx, "rep_unknown")) },
		"HiddenEntries":   func() error { return second(s.HiddenEntries(ctx, evil)) },
		"Entries":         func() error { return second(s.Entries(ctx, "list")) },
		"FilingState":     func() error { return second(s.FilingState(ctx)) },
		"FindAgent":       func() error { return second(s.FindAgent(ctx, a.Agent.ID)) },
		"Formers":         func() error { return second(s.Formers(ctx, first.Report.ID)) },
		"ImportTries":     func() error { return second(s.ImportTries(ctx)) },
		"ImportTry":       func() error { return second(s.ImportTry(ctx, "list")) },
		"IsManagedBy":     func() error { return second(s.IsManagedBy(ctx, first.Report.ID, first.ManageToken)) },
		"IsSeal":          func() error { restarted(); return second(s.IsSeal(ctx, seal, "a text")) },
		"KnownToken":      func() error { return second(s.KnownToken(ctx, evil, "eip155:1")) },
		"LastTraining":    func() error { return second(s.LastTraining(ctx)) },
		"ListHistories":   func() error { return second(s.ListHistories(ctx, []tocsin.Subject{evil, worse})) },
		"ListHistory":     func() error { return second(s.ListHistory(ctx, evil)) },
		"ListRead":        func() error { return second(s.ListRead(ctx, "list")) },
		"ListedSites":     func() error { return s.ListedSites(ctx, func(ListedSite) {}) },
		"NetworkTags":     func() error { restarted(); return second(s.NetworkTags(ctx)) },
		"OnRecord":        func() error { return second(s.OnRecord(ctx, evil, worse)) },
		"OpenPayments":    func() error { return second(s.OpenPayments(ctx)) },
		"Outlines":        func() error { return second(s.Outlines(ctx, []tocsin.Subject{evil})) },
		"PartiesCalled":   func() error { return second(s.PartiesCalled(ctx, evil)) },
		"PartiesNear": func() error {
			_, err := s.PartiesNear(ctx, []tocsin.Term{{Text: "evil"}})
			return err
		},
		"PartiesNamed": func() error {
			_, _, err := s.PartiesNamed(ctx, []tocsin.Term{{Text: "evil"}}, 5)
			return err
		},
		"Probe":    func() error { return s.Probe(ctx) },
		"ReadOnly": func() error { return second(s.ReadOnly(ctx)) },
		"RelatedTo": func() error {
			_, _, err := s.RelatedTo(ctx, evil, 5, 5)
			return err
		},
		"PartiesOf": func() error {
			return second(s.PartiesOf(ctx, []tocsin.Listing{{Kind: tocsin.Sanction}}))
		},
		"SameParty": func() error {
			return second(s.SameParty(ctx, evil, []tocsin.Listing{{Kind: tocsin.Sanction}}, 5))
		},
		"Respelled": func() error {
			return second(s.Respelled(ctx, "tj9ghep177x5nvchfkiu5neqv14nfyyx6n"))
		},
		"Reports": func() error { // after a moment that may have been corrected
			return second(s.Reports(ctx, Filter{Since: &tomorrow, Source: tocsin.Community, Page: Page{Limit: 5}}))
		},
		"Seal":          func() error { restarted(); return second(s.Seal(ctx, "a text")) },
		"SealedNonce":   func() error { restarted(); _, _, err := s.SealedNonce(ctx); return err },
		"SafelistEntry": func() error { return second(s.SafelistEntry(ctx, "list", evil)) },
		"Safelisted":    func() error { return second(s.Safelisted(ctx, []string{"evil.com"})) },
		"Select": func() error {
			return second(s.Select(ctx, Selection{SameSource: anonymous.Report.ID, Subject: &evil}, 5))
		},
		"Validators": func() error { return second(s.Validators(ctx, "list")) },
	}
	for about, read := range reads {
		s.hearsOf(t, about, true, func(int) func() error { return read })
	}
	writes := map[string]func(n int) func() error{
		"Ban": func(int) func() error {
			is := s.agent(t)
			s.files(t, story(t, fmt.Sprint("Of ", is.Agent.ID), "evil.com"), is)
			return func() error { return second(s.Ban(ctx, by, is.Agent.ID)) }
		},
		"EraseAgent": func(int) func() error {
			id := s.agent(t).Agent.ID
			return func() error { return s.EraseAgent(ctx, by, id) }
		},
		"Erase": func(int) func() error {
			id := filed().Report.ID
			return func() error { _, _, err := s.Erase(ctx, by, id); return err }
		},
		"ClosePayment": func(n int) func() error {
			c := claims(t, s.DB, claimOf(byte(200+n), 1), Acquired)
			do(t, s.Return(ctx, c))
			s.Unlock(c)
			return func() error { return second(s.ClosePayment(ctx, by, paymentName(c.ID[:]), "0x1")) }
		},
		"KeepAnswer": func(n int) func() error {
			c := claims(t, s.DB, claimOf(byte(100+n), 1), Acquired)
			settle(t, s.DB, c)
			s.Unlock(c)
			c.Answer = []byte("{}")
			return func() error { return s.KeepAnswer(ctx, c) }
		},
		"MendDates": func(int) func() error {
			return func() error { return second(s.MendDates(ctx, by, false)) }
		},
		"NewKeySession": func(int) func() error {
			return func() error { return second(s.NewKeySession(ctx, made.Key, time.Hour)) }
		},
		"NoteBackup":   func(int) func() error { return func() error { return s.NoteBackup(ctx) } },
		"NoteTraining": func(int) func() error { return func() error { return s.NoteTraining(ctx, Training{}) } },
		"Return": func(n int) func() error {
			c := claims(t, s.DB, claimOf(byte(150+n), 1), Acquired)
			s.Unlock(c)
			return func() error { return s.Return(ctx, c) }
		},
		"SetFiling": func(int) func() error {
			do(t, second(s.SetFiling(ctx, by, tocsin.FilingOpen)))
			return func() error { return second(s.SetFiling(ctx, by, tocsin.FilingShut)) }
		},
		"SetReadOnly": func(int) func() error {
			do(t, second(s.SetReadOnly(ctx, by, false)))
			return func() error { return second(s.SetReadOnly(ctx, by, true)) }
		},
		"UseSealedNonce": func(int) func() error {
			nonce, _, err := s.SealedNonce(ctx)
			do(t, err)
			return func() error { return second(s.UseSealedNonce(ctx, nonce, time.Hour)) }
		},
	}
	for about, prepare := range writes {
		several := slices.Contains([]string{"Erase", "EraseAgent", "Ban"}, about)
		s.hearsOf(t, about, !several, prepare)
		do(t, second(s.SetReadOnly(ctx, by, false)))
		do(t, second(s.SetFiling(ctx, by, tocsin.FilingOpen)))
	}
	context := reflect.TypeFor[context.Context]()
	for m := range reflect.TypeFor[*DB]().Methods() {
		f := m.Type
		if f.NumIn() < 2 || f.In(1) != context || f.NumOut() == 0 || f.Out(f.NumOut()-1) != reflect.TypeFor[error]() {
			continue
		}
		_, isRead := reads[m.Name]
		_, isWrite := writes[m.Name]
		if unheard[m.Name] == "" && !isRead && !isWrite && !slices.Contains(heardOf, m.Name) {
			t.Errorf("nothing holds what %s says when a statement fails", m.Name)
		}
	}
}
