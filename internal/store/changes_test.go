package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
)

// catchUp makes a process look at the log now, not with its next tick.
func catchUp(t *testing.T, db *DB) {
	t.Helper()
	if err := db.write(t.Context(), evidence, false, func(context.Context, *conn) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestAChangeDropsFromMemoryWhatHasItsOwnerAndNothingElse(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path, s.ahead)
	below := tocsin.Subject{Kind: tocsin.DNS, Value: "www.evil.com"}
	for _, side := range []*DB{s.DB, other} {
		catchUp(t, side) // what is read while a change is followed is not kept
		changed, same := dossier(t, side, below), dossier(t, side, worse)
		s.files(t, story(t, fmt.Sprint("a ", side == other), "evil.com"), nil)
		catchUp(t, side)
		if dossier(t, side, below) == changed {
			t.Error("what was changed is remembered")
		}
		if dossier(t, side, worse) != same {
			t.Error("what has nothing to do with the change is forgotten")
		}
	}
}

func TestWhatChangesNoEvidenceIsFollowedByNothing(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path, s.ahead)
	a := s.agent(t)
	entries := []tocsin.Entry{listing(worse, nil), told(story(t, "b", "worse.com"), "1")}
	s.imports(t, "list", entries...)
	f := s.files(t, story(t, "a", "evil.com"), nil)
	if err := s.Hide(t.Context(), Operator{}, f.Report.ID); err != nil {
		t.Fatal(err)
	}
	log := s.events(t)
	catchUp(t, other)
	remembered := []*tocsin.Dossier{dossier(t, s.DB, evil), dossier(t, s.DB, worse), dossier(t, other, evil)}
	s.files(t, story(t, "a", "evil.com"), nil) // a duplicate, though hidden
	s.imports(t, "list", entries...)
	_, _, spent := s.Spend(t.Context(), a, 10)
	if err := errors.Join(s.Hide(t.Context(), Operator{}, f.Report.ID), spent); err != nil {
		t.Fatal(err)
	}
	if s.Hide(t.Context(), Operator{}, "rep_none") == nil || s.Withdraw(t.Context(), f.Report.ID, "man_none") == nil {
		t.Error("it was done")
	}
	s.agent(t)
	catchUp(t, other)
	equal(t, "events", s.events(t), log)
	for i, d := range []*tocsin.Dossier{dossier(t, s.DB, evil), dossier(t, s.DB, worse), dossier(t, other, evil)} {
		if d != remembered[i] {
			t.Errorf("dossier %d is forgotten", i)
		}
	}
}

func TestADossierReadBeforeAChangeIsNotKeptAfterIt(t *testing.T) {
	s := fresh(t)
	_, generation := s.dossiers.get(evil, FirstPage)
	old := dossier(t, s.DB, evil)
	s.files(t, story(t, "a", "evil.com"), nil)
	s.dossiers.put(evil, &keptDossier{Dossier: Dossier{Dossier: *old}}, generation) // the reader that was slow
	equal(t, "reports", dossier(t, s.DB, evil).ReportCount, 1)
}

func TestALargeImportClearsTheMemory(t *testing.T) {
	s := fresh(t)
	dossier(t, s.DB, evil)
	entries := []tocsin.Entry{listing(evil, nil)}
	for i := range maxFollowed {
		entries = append(entries, listing(tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("n%d.com", i)}, nil))
	}
	s.imports(t, "list", entries...)
	equal(t, "listings", len(dossier(t, s.DB, evil).Listings), 1)
}

func TestTheLogIsReadFromWhereItWasLeft(t *testing.T) {
	s := fresh(t)
	s.imports(t, "list", listing(evil, nil), told(story(t, "a", "evil.com"), "1"))
	here := listing(worse, nil)
	here.Listing.Chain = "eip155:1"
	if err := s.Hide(t.Context(), Operator{}, dossier(t, s.DB, evil).Reports[0].ID); err != nil {
		t.Fatal(err)
	}
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "others"})
	if err != nil {
		t.Fatal(err)
	}
	_ = im.Add(listing(evil, nil))
	_ = im.Add(here)
	if _, err := im.Finish(t.Context(), true, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for after := int64(0); ; {
		page, err := s.Changes(t.Context(), after, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page {
			if after = c.Seq; c.At.Std().Before(noon) {
				t.Errorf("%+v", c)
			}
			got = append(got, fmt.Sprintf("%s %s %t %s %s%s %s>%s",
				c.Op, c.Subject, c.Report != "", c.List, c.Kind, c.Chain, c.OldFamily, c.Family))
		}
		if len(page) == 0 {
			break
		}
	}
	// The listing is hidden when its list moves, which changes nothing about it.
	equal(t, "log", strings.Join(got, "\n"), `listed evil.com false list risk >
filed evil.com true list  >
hidden evil.com true list  >
listing_hidden evil.com true list risk >
listed worse.com false list riskeip155:1 >
gone evil.com true list  >`)
}

func TestTheOldLogIsKept(t *testing.T) {
	onlySQLite(t)
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"1", "2", "3", "4"} {
		text, err := schema.ReadFile("schema/sqlite/" + version + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := old.Exec(string(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := old.Exec(`PRAGMA application_id = 1414480723; PRAGMA user_version = 4;
		INSERT INTO subject (id, kind, value) VALUES
			(1, 'evm', '0x52908400098527886e0f7030069857d2e4169ee7'), (2, 'domain', 'evil.com');
		INSERT INTO list (id, name, family, url, imported, reports) VALUES (1, 'list', 'list', '', 1, 0);
		INSERT INTO report (seq, id, created, published, list, status, crime_type, body) VALUES
			(1, 'rep_a', 1, 1, 1, 'published', 'scam',
			'{"title": "Old B\u00e4ckerei", "scammerAddresses": ["0x52908400098527886E0F7030069857D2E4169EE7"],
			"reportedDomains": ["evil.com"]}');
		INSERT INTO event (at, op, report, subject, list) VALUES (5, 'filed', 1, NULL, NULL),
			(6, 'listed', NULL, 2, 1)`); err != nil {
		t.Fatal(err)
	}
	old.Close()
	s := &shelf{DB: open(t, path, new(atomic.Int64))}
	changes, err := s.Changes(t.Context(), 0, 10)
	if err != nil || len(changes) != 3 {
		t.Fatal(changes, err)
	}
	equal(t, "first", changes[0], Change{Seq: 1, At: tocsin.MicroTime(5), Op: ReportFiled, Report: "rep_a", List: "list",
		Subject: tocsin.Subject{Kind: tocsin.EVM, Value: "0x52908400098527886e0f7030069857d2e4169ee7"}})
	equal(t, "second", changes[1].Subject, evil)
	equal(t, "third", []any{changes[2].Op, changes[2].Subject, changes[2].List}, []any{ListingAdded, evil, "list"})
	found, err := s.Search(t.Context(), []tocsin.Term{{Text: "backer", Prefix: true}}, "", Page{Limit: 10})
	equal(t, "found", []any{found.Found, err}, []any{1, nil})
	st, err := s.Stats(t.Context())
	equal(t, "stories", []any{st.Lists[0].Reports, err}, []any{1, nil})
}

func TestStoriesThatAreHiddenAreNotCounted(t *testing.T) {
	s := fresh(t)
	s.imports(t, "list", told(story(t, "a", "evil.com"), "1"), told(story(t, "b", "worse.com"), "2"))
	s.files(t, story(t, "c", "evil.com"), nil)
	counts := func(about string, reports, filed, told int) {
		t.Helper()
		s.sleep(2 * time.Second)
		st, err := s.Stats(t.Context())
		equal(t, about, []any{st.Reports, st.Filed, st.Lists[0].Reports, err}, []any{reports, filed, told, nil})
	}
	counts("imported", 3, 1, 2)
	id := dossier(t, s.DB, worse).Reports[0].ID
	if err := s.Hide(t.Context(), Operator{}, id); err != nil {
		t.Fatal(err)
	}
	counts("hidden", 2, 1, 1)
	if err := s.Restore(t.Context(), Operator{}, id); err != nil {
		t.Fatal(err)
	}
	counts("restored", 3, 1, 2)
}

func TestAWriteSeesWhatAnotherProcessHasChangedBefore(t *testing.T) {
	s := fresh(t)
	other := &shelf{DB: open(t, s.path, s.ahead)}
	for i := range 3 {
		equal(t, "before", dossier(t, s.DB, evil).ReportCount, i)
		other.files(t, story(t, fmt.Sprint("a ", i), "evil.com"), nil)
		s.files(t, story(t, fmt.Sprint("b ", i), "worse.com"), nil)
		equal(t, "after", dossier(t, s.DB, evil).ReportCount, i+1)
	}
}

// TestSelectedEventsAreFollowedToo: events that a statement has selected count
// beside those that were written one by one.
func TestSelectedEventsAreFollowedToo(t *testing.T) {
	s := fresh(t)
	s.imports(t, "list", listing(worse, nil))
	remembered := dossier(t, s.DB, worse)
	err := s.write(t.Context(), evidence, false, func(ctx context.Context, c *conn) error {
		r := row{id: "rep_a", draft: story(t, "a", "evil.com"), body: []byte("{}"), manage: []byte{1}}
		return errors.Join(insertReports(ctx, c, []*row{&r}, s.Now()),
			logFamily(ctx, c, s.Now(), tocsin.List{Name: "list", Family: "another"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	if dossier(t, s.DB, worse) == remembered {
		t.Error("only the first event is followed")
	}
}

func TestANewNameIsAnEventOfTheAgentsOwnSubjects(t *testing.T) {
	s := fresh(t)
	wallet := tocsin.Address{19: 7}
	made, err := s.CreateKey(t.Context(), &wallet, "One", nil)
	do(t, err)
	by, err := s.Caller(t.Context(), made.Key)
	do(t, err)
	s.files(t, story(t, "a", "evil.com"), by)
	s.files(t, story(t, "b", "evil.com"), by)
	s.files(t, story(t, "c", "worse.com"), s.agent(t))
	for _, name := range []string{"One", "Two", "Two"} {
		_, err := s.CreateKey(t.Context(), &wallet, name, nil)
		do(t, err)
	}
	changes, err := s.Changes(t.Context(), 3, 10)
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	equal(t, "event", []any{changes[0].Op, changes[0].Subject, changes[0].Agent, changes[0].At},
		[]any{AgentRenamed, evil, by.Agent.ID, s.Now()})
}

// TestNumbersFollowAChangeWithinHalfASecond of this process.
func TestNumbersFollowAChangeWithinHalfASecond(t *testing.T) {
	s := fresh(t)
	by, other := s.agent(t), s.agent(t)
	s.sleep(tocsin.SettledAfter)
	s.files(t, story(t, "The first", "evil.com"), by)
	s.files(t, story(t, "The same", "evil.com"), other)
	s.sleep(staleAfter)
	for n := range 3 {
		st, err := s.Stats(t.Context())
		do(t, err)
		board, err := s.Leaderboard(t.Context())
		do(t, err)
		equal(t, "reports, agents, reports of the first", []int{st.Reports, len(board), board[0].Reports},
			[]int{2 + n, 1, 1 + n})
		s.files(t, story(t, fmt.Sprint("Filed ", n), "worse.com"), by)
		s.sleep(staleAfter)
	}
}

// whole is all of a dossier, as text. The order of the types of crime means nothing.
func whole(t *testing.T, d *tocsin.Dossier) string {
	t.Helper()
	all := *d
	all.CrimeTypes = slices.Sorted(slices.Values(d.CrimeTypes))
	text, err := json.Marshal(all)
	do(t, err)
	hidden := []any{}
	for _, l := range d.Listings {
		hidden = append(hidden, l.Family, l.Name, l.Program, l.Subject)
	}
	return fmt.Sprint(string(text), hidden)
}
