package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/pgtest"
)

// traces returns which of the words are in the bytes of the database's files, in any
// case.
func (s *shelf) traces(t *testing.T, words ...string) (found []string) {
	t.Helper()
	for _, ending := range []string{"", "-wal", "-shm"} {
		var raw []byte
		if pgtest.On() { // what its files still have is up to the server
			raw = []byte(s.contents(t))
		} else {
			var err error
			raw, err = os.ReadFile(s.path + ending)
			do(t, err)
		}
		for _, w := range words {
			if bytes.Contains(bytes.ToLower(raw), []byte(w)) {
				found = append(found, ending+" "+w)
			}
		}
	}
	return found
}

func TestOfAnErasedReportNoWordIsLeftInAnyByteOfTheDatabase(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path, s.ahead) // a server that goes on
	words := []string{"quixotictitle", "zanzibarstory", "wombatproject", "gazpachohandle", "kumquatevidence",
		"persimmonsite", "cloudberryowner", "deadbeefcafe4242", "rutabagaanswer"}
	handle, project := "@GazpachoHandle", "WombatProject"
	d, err := tocsin.Draft{
		CrimeType:          tocsin.Phishing,
		Title:              "QuixoticTitle",
		Description:        strings.Repeat("ZanzibarStory of woe. ", 300), // over several pages
		ReportedDomains:    []string{"persimmonsite.com", "www.a.cloudberryowner.com", "evil.com"},
		SubjectProjectName: &project,
		SocialMedia:        tocsin.SocialMedia{Telegram: &handle},
		Evidence: tocsin.Attachments{URLs: []string{"https://example.com/KumquatEvidence"},
			TransactionHashes: []string{"0x" + strings.Repeat("deadbeefcafe4242", 4)}},
	}.Parse(noon)
	do(t, err)
	f, err := s.FileReport(t.Context(), Filing{Draft: d, Network: network, IdempotencyKey: "1"})
	do(t, err)
	id := f.Report.ID
	kept := s.files(t, story(t, "Another story that stays", "evil.com"), nil)
	for i := range volume(400, 100) { // so that the index has several segments and the tables several pages
		s.files(t, story(t, fmt.Sprint("Filler ", i), fmt.Sprintf("filler%d.com", i)), nil)
	}
	paid := claims(t, s.DB, claimOf(1, 1), Acquired)
	paid.Answer = []byte(`{"id":"` + id + `","title":"RutabagaAnswer"}`)
	equal(t, "a payment is sent with its answer", settle(t, s.DB, paid), true)
	do(t, s.Hide(t.Context(), warden, id))
	do(t, s.Restore(t.Context(), warden, id))
	dossier(t, other, evil) // it has the words in memory
	if len(s.traces(t, words...)) < len(words) {
		t.Fatalf("before it, only %v is found", s.traces(t, words...))
	}

	erased, _, err := s.Erase(t.Context(), warden, id)
	do(t, err)
	equal(t, "erased", erased, []string{id})
	if found := s.traces(t, words...); found != nil {
		t.Errorf("traces are left: %q", found)
	}
	if s.traces(t, "another story") == nil {
		t.Error("the search for traces finds nothing at all")
	}
	if _, err := s.Report(t.Context(), id); codeOf(err) != tocsin.NotFound {
		t.Errorf("it is answered as %v", err)
	}
	equal(t, "to withdraw it", codeOf(s.Withdraw(t.Context(), id, f.ManageToken)), tocsin.NotFound)
	for about, err := range map[string]error{
		"to restore it": s.Restore(t.Context(), warden, id), "to hide it": s.Hide(t.Context(), warden, id),
	} {
		equal(t, about, codeOf(err), tocsin.Invalid)
	}
	for about, db := range map[string]*DB{"this process": s.DB, "another process": other} {
		eventually(t, about+" forgets it", func() bool {
			d := dossier(t, db, evil)
			return d.ReportCount == 1 && d.Reports[0].ID == kept.Report.ID
		})
		found, err := db.Search(t.Context(), []tocsin.Term{{Text: "story"}}, "", Page{Limit: 10})
		do(t, err)
		equal(t, about+" still finds the others", len(found.Reports), 1)
		found, err = db.Search(t.Context(), []tocsin.Term{{Text: "zanzibarstory"}}, "", Page{Limit: 10})
		do(t, err)
		equal(t, about+" searches for it", len(found.Reports), 0)
	}
	_, err = s.FileReport(t.Context(), Filing{Draft: story(t, "After it", "persimmonsite.com"), Network: network})
	do(t, err) // its subjects can be named again
	again, _, err := s.Erase(t.Context(), warden, id)
	do(t, err)
	equal(t, "once more does no harm", again, []string{id})
}

// An import must not bring back what was erased, and the story that the erased one
// had replaced is erased with it.
func TestAnErasedStoryDoesNotComeBackWithItsList(t *testing.T) {
	s := fresh(t)
	entry := func(title string) []tocsin.Entry {
		return []tocsin.Entry{listing(evil, nil), told(story(t, title, "evil.com"), "row 1")}
	}
	s.imports(t, "list", entry("Marmaladefirst")...)
	s.imports(t, "list", entry("Marmaladesecond")...)
	id := s.mustFind(t, Selection{Source: "list"})
	erased, _, err := s.Erase(t.Context(), warden, id)
	do(t, err)
	equal(t, "both versions", len(erased), 2)
	if found := s.traces(t, "marmalade"); found != nil {
		t.Errorf("traces are left: %q", found)
	}
	equal(t, "its listing is hidden with it", len(dossier(t, s.DB, evil).Listings), 0)
	s.imports(t, "list", entry("Marmaladethird")...)
	equal(t, "reports after the next import", s.selects(t, Selection{Status: tocsin.Published}), "")
	if found := s.traces(t, "marmalade"); found != nil {
		t.Errorf("the import has brought back %q", found)
	}
}

func TestNothingIsErasedIfOneOfTheReportsIsUnknown(t *testing.T) {
	s := fresh(t)
	f := s.files(t, story(t, "a", "evil.com"), nil)
	_, _, err := s.Erase(t.Context(), warden, f.Report.ID, "rep_unknown")
	equal(t, "an error", codeOf(err), tocsin.NotFound)
	equal(t, "what counts", dossier(t, s.DB, evil).ReportCount, 1)
}

// TestOnlyWhatIsErasedIsSaidToBe, whichever statement fails, the commit among them.
func TestOnlyWhatIsErasedIsSaidToBe(t *testing.T) {
	s := fresh(t)
	for n, failed := 1, true; failed; n++ {
		id := s.files(t, story(t, fmt.Sprint("Number ", n), "evil.com"), nil).Report.ID
		var said []string
		var err error
		failed = s.sabotage(t, n, func() { said, _, err = s.Erase(t.Context(), warden, id) })
		r, fault := s.AnyReport(t.Context(), id)
		do(t, fault)
		is := r.Status == tocsin.Erased
		equal(t, fmt.Sprintf("statement %d: erased, said to be", n), []any{is, is}, []any{len(said) == 1, err == nil ||
			strings.Contains(err.Error(), "the reports are erased, but traces")})
	}
}

// TestErasingCountsTheOpenPaymentsThatNameWhatIsErased: they need the URL that they are for until they end.
func TestErasingCountsTheOpenPaymentsThatNameWhatIsErased(t *testing.T) {
	s := fresh(t)
	gone := s.files(t, story(t, "Goes", "persimmonsite.com", "evil.com"), nil)
	s.files(t, story(t, "Stays", "evil.com"), nil)
	for i, of := range []string{"PersimmonSite.com", "evil.com", "persimmonsite.com"} {
		c := claimOf(byte(i+1), byte(i+1))
		c.Payment = []byte(`{"resource":{"url":"https://x.example/domains/check/` + of + `"}}`)
		c = claims(t, s.DB, c, Acquired)
		if i == 2 {
			c.Answer = []byte("answer")
			equal(t, "a payment is settled", settle(t, s.DB, c), true)
			s.Settled(t.Context(), c, func(err error) { t.Error(err) })
			s.Unlock(c)
			claims(t, s.DB, claimOf(3, 3), Replayed) // behind what nobody waited for
		}
	}
	_, open, err := s.Erase(t.Context(), warden, gone.Report.ID)
	do(t, err)
	equal(t, "open payments", open, 1)
}

// TestWhatAnotherProcessErasesIsForgotten, although its events do not say any more which subject they are about.
func TestWhatAnotherProcessErasesIsForgotten(t *testing.T) {
	s := fresh(t)
	id := s.files(t, story(t, "a", "evil.com"), nil).Report.ID
	events := func() (n newEvents) {
		t.Helper()
		do(t, s.read(t.Context(), primary, func(c *conn) (err error) {
			n, err = new(DB).readEvents(t.Context(), c)
			return err
		}))
		return n
	}
	equal(t, "all is forgotten for a filing", events().all, false)
	others := []*DB{open(t, s.path, s.ahead), openWith(t, s.path, s.ahead, modelMemory)}
	upToDate(t, others[1])
	for _, other := range others {
		equal(t, "reports", dossier(t, other, evil).ReportCount, 1)
	}
	_, _, err := s.Erase(t.Context(), Operator{}, id)
	do(t, err)
	for _, other := range others {
		eventually(t, "it is forgotten", func() bool { return dossier(t, other, evil).ReportCount == 0 })
	}
	s.files(t, story(t, "b", "worse.com"), nil)
	equal(t, "all is forgotten for an erasure and a filing", events().all, true)
}

// TestOfAnErasedAgentNothingSaysWhoItWas: its reports count as before, under its id. A ban needs the wallet.
func TestOfAnErasedAgentNothingSaysWhoItWas(t *testing.T) {
	s := fresh(t)
	ctx, wallet := t.Context(), tocsin.Address{1: 0xde, 2: 0xad, 19: 9}
	words := []string{wallet.Subject().Value, "quincename"}
	for range 2 { // the first key is replaced
		do(t, second(s.CreateKey(ctx, &wallet, "QuinceName", nil)))
	}
	made, err := s.RenewKey(ctx, wallet)
	do(t, err)
	by, err := s.Caller(ctx, made.Key)
	do(t, err)
	do(t, second(s.NewSession(ctx, wallet, time.Hour)))
	_, _, err = s.Spend(ctx, by, 5)
	do(t, err)
	id := s.files(t, story(t, "Stays", "evil.com"), by).Report.ID
	c := claimOf(1, 1)
	c.Caller = by
	settle(t, s.DB, claims(t, s.DB, c, Acquired))
	s.Settled(ctx, c, func(err error) { t.Error(err) })
	other := openWith(t, s.path, s.ahead, modelMemory)
	upToDate(t, other)
	name := func(db *DB) string {
		reporter := dossier(t, db, evil).Reports[0].Reporter
		if reporter.Name == nil {
			return reporter.ID
		}
		return *reporter.Name
	}
	equal(t, "another process shows", name(other), "QuinceName")
	r, err := s.AgentRecord(ctx, wallet.String())
	do(t, err)
	equal(t, "keys, days of calls, sessions, reports, payments", []any{len(r.OfKeys), len(r.OfDays), r.Sessions,
		fmt.Sprint(r.OfReports), len(r.Payments)}, []any{3, 1, 1, fmt.Sprint([]string{id}), 1})
	if len(s.traces(t, words...)) < len(words) {
		t.Fatalf("before it, only %v is found", s.traces(t, words...))
	}

	do(t, second(s.Ban(ctx, warden, by.Agent.ID)))
	equal(t, "while it is banned", codeOf(s.EraseAgent(ctx, warden, by.Agent.ID)), tocsin.Invalid)
	do(t, second(s.Unban(ctx, warden, by.Agent.ID)))
	do(t, s.EraseAgent(ctx, warden, by.Agent.ID))
	if found := s.traces(t, words...); found != nil {
		t.Errorf("traces are left: %q", found)
	}
	eventually(t, "another process has forgotten the name", func() bool { return name(other) == by.Agent.ID })
	equal(t, "reports that count", dossier(t, s.DB, evil).ReportCount, 1)
	equal(t, "keys, sessions, calls, payments of it", []int{count(t, s.DB, "key"), count(t, s.DB, "session"),
		count(t, s.DB, "usage"), count(t, s.DB, "claim", "agent IS NOT NULL")}, []int{0, 0, 0, 0})
	gone, err := s.Caller(ctx, made.Key)
	equal(t, "its key", []any{gone == nil, err}, []any{true, nil})
	equal(t, "an unknown one", codeOf(s.EraseAgent(ctx, warden, "agt_x")), tocsin.NotFound)
	again, err := s.CreateKey(ctx, &wallet, "", nil)
	do(t, err)
	equal(t, "its owner is another agent", again.Agent.ID == by.Agent.ID, false)
}

// TestAnErasureThatLeavesTracesIsRepeatedByTheIdOfTheAgent: its wallet, by which it was named before, is gone.
func TestAnErasureThatLeavesTracesIsRepeatedByTheIdOfTheAgent(t *testing.T) {
	s := fresh(t)
	id := s.agent(t).Agent.ID
	ctx, ends := context.WithCancel(t.Context())
	defer ends()
	do(t, s.await(&job{ctx: t.Context(), lane: evidence, do: func(_ context.Context, c *conn) error {
		c.ran = func(query string) error { // by the writer: what is written is written, and its files are not rewritten
			if strings.HasPrefix(query, "UPDATE agent SET address = NULL") {
				ends()
			}
			return nil
		}
		return nil
	}}))
	err := s.EraseAgent(ctx, warden, id)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "`tocsin agent erase -yes "+id+"` again") {
		t.Errorf("it says %v", err)
	}
	do(t, s.EraseAgent(t.Context(), warden, id))
}

func TestTheRecordOfAnAgentHasWhatItsWalletPaidWithoutAKey(t *testing.T) {
	s := fresh(t)
	wallet := tocsin.Address{1: 0xde, 2: 0xad, 19: 9}
	do(t, second(s.CreateKey(t.Context(), &wallet, "", nil)))
	c := claimOf(1, 1)
	c.Payer = wallet.String() // with its checksum, as x402 has it
	settle(t, s.DB, claims(t, s.DB, c, Acquired))
	r, err := s.AgentRecord(t.Context(), wallet.String())
	do(t, err)
	equal(t, "payments", len(r.Payments), 1)
}
