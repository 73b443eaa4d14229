package web

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/health"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
)

func TestTheLeaderboardTellsWhoWasConfirmed(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.get("/leaderboard").says("Nobody yet")
	a := tocsintest.NewAccount(t)
	own := "x-api-key: " + v.signIn(a).key()
	named := "x-api-key: " + s.key(tocsintest.NewAccount(t).Address, harmful[1], nil)
	s.Sleep(30 * 24 * time.Hour) // until then their words confirm nothing
	v.signIn(a)
	s.file(draft{"reportedDomains": []string{"confirmed.example"}}, named)
	s.Sleep(time.Minute)
	s.file(draft{"reportedDomains": []string{"confirmed.example"}}, own)
	s.file(draft{"reportedDomains": []string{"alone.example"}}, own)
	s.Sleep(time.Hour)
	p := v.get("/leaderboard")
	rows := below(p.all("tbody")[0], "tr")
	want(t, "reporters", len(rows), 1) // nobody confirms what the visitor has filed
	want(t, "the first", []any{strings.Contains(textOf(rows[0]), harmful[1]), attr(rows[0], "class")}, []any{true, ""})
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "other.example")
	s.Sleep(time.Minute)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "other.example", "alone.example")
	s.Sleep(time.Minute)
	p = v.get("/leaderboard")
	rows = below(p.all("tbody")[0], "tr")
	want(t, "reporters", len(rows), 2)
	want(t, "oneself", []any{strings.Contains(textOf(rows[1]), "you"), attr(rows[1], "class")}, []any{true, "me"})
	if strings.Contains(p.html, a.Address.String()) || strings.Contains(strings.ToLower(p.html),
		strings.ToLower(a.Address.String())) {
		t.Error("a wallet is shown")
	}
	if p := s.visitor().get("/leaderboard"); len(p.class("me")) > 0 {
		t.Error("somebody else is oneself")
	}
}

// TestAnOldListOfKnownSitesMakesNoOtherAnswerIncomplete: it hides no warning.
func TestAnOldListOfKnownSitesMakesNoOtherAnswerIncomplete(t *testing.T) {
	s := start(t)
	s.list("misp-warninglists", "misp", tocsin.Safe, tocsin.TopSite, "known.example")
	s.Sleep(100 * 24 * time.Hour)
	v := s.visitor()
	v.get("/screen/known.example").says("This answer is incomplete.")
	lacks(t, v.get("/screen/other.example"), "This answer is incomplete.")
}

func TestOldListsAreSaidToBeOld(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "listed.example")
	v := s.visitor()
	want(t, "status", v.get("/status").h1(), "Everything works.")
	if strings.Contains(v.get("/screen/listed.example").main(), "This answer is incomplete.") {
		t.Error("a fresh list is called old")
	}
	before := s.visitor().get("/").main()
	own, err := s.db.Import(t.Context(), tocsin.List{Name: "partner", Family: "partner"})
	tocsintest.Must(t, err)
	_, err = own.Finish(t.Context(), true, nil)
	own.Close()
	tocsintest.Must(t, err)
	want(t, "the operator's own list is no public one", s.visitor().get("/").main(), before)
	s.Sleep(4 * 24 * time.Hour)
	v.get("/status").says("2 lists are out of date.", "ScamSniffer", "4 days ago")
	v.get("/screen/listed.example").says("This answer is incomplete.", "ScamSniffer")
	v.get("/").says("the oldest of 4 Mar 2026")
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "another.example")
	s.Sleep(time.Hour)
	want(t, "marked", strings.Count(v.get("/status").main(), "out of date"), 1+2)
	v.get("/").says("1 of 3", "the oldest of 4 Mar 2026") // of OFAC SDN and ScamSniffer
	footer := textOf(v.get("/docs").all("footer")...)
	if !strings.Contains(footer, "Public lists that are up to date: 1 of 3. The oldest is of 4 Mar 2026.") {
		t.Error(footer)
	}
}

func TestTheFreshnessIsThatOfAllPublicLists(t *testing.T) {
	list := func(name string, days int64) store.ListStats {
		return store.ListStats{Name: name, URL: "https://" + name, Imported: tocsin.MicroTime(days * 86_400e6)}
	}
	own, older, newer := list("safelist", 9), list("scamsniffer", 3), list("polkadot", 5)
	own.URL = ""
	now := tocsin.MicroTime(7 * 86_400e6)
	for _, lists := range [][]store.ListStats{{own, older, newer}, {newer, older, own}} {
		f := freshnessOf(store.Stats{Lists: lists}, now)
		want(t, "fresh, all, oldest", []any{f.Fresh, f.All, f.Oldest.AsOf()}, []any{1, 2, older.Imported})
	}
	want(t, "without a public list", freshnessOf(store.Stats{Lists: []store.ListStats{own}}, now), freshness{})
}

func TestTheStatusTellsOfPayments(t *testing.T) {
	v := start(t).visitor()
	v.get("/status").says("This service takes no payments.", "Tocsin 1.2.3")
	if p := v.get("/docs/paying"); len(p.all("pre")) > 0 || strings.Contains(v.get("/docs/screen-address").html,
		"@x402/") {
		t.Errorf("a program pays here: %s", p)
	}

	asked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}]}`)
	}))
	defer asked.Close()
	facilitator, err := x402.NewFacilitator(asked.URL+"/hidden-part", x402.Options{Timeout: tocsintest.Patience,
		Now: new(tocsintest.Clock).Now, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	network, err := x402.ParseNetwork(x402.Base, "")
	if err != nil {
		t.Fatal(err)
	}
	payee, err := network.Account(nobody)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *setup) {
		c.Payments = api.Payments{Accounts: []x402.Account{payee}, Facilitator: facilitator}
	})
	v = s.visitor()
	status := func(title string, words ...string) {
		t.Helper()
		p := v.get("/status")
		want(t, "the status", p.h1(), title)
		p.says(append(words, asked.URL, "Base eip155:8453", nobody)...)
		if strings.Contains(p.html, "hidden-part") {
			t.Error("the whole URL of the facilitator is shown")
		}
	}
	status("Everything works.", "was not asked yet")
	if trouble := facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	status("Everything works.", "answered when it was last asked")
	asked.Close()
	if trouble := facilitator.Ask(t.Context()); trouble == nil {
		t.Fatal("a facilitator that is closed answers")
	}
	status("Payments do not work at the moment.", "did not answer when it was last asked",
		"Calls with a key are not affected.", "The facilitator, which carries out payments, did not answer.")
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "another.example")
	s.Sleep(4 * 24 * time.Hour)
	status("Payments do not work at the moment.",
		"Lists in which newer entries and removals are missing: Polkadot phishing list.")
	for _, path := range []string{"/docs/paying", "/docs/screen-address", "/docs/check-addresses"} {
		if p := v.get(path); !strings.Contains(rawText(p.all("pre")...), "@x402/") {
			t.Errorf("%s has no program that pays", path)
		}
	}
	v.signIn(tocsintest.NewAccount(t))
	v.get("/account").says("Beyond them a program pays by the call, with x402.")
}

// TestTheStatusSaysWhatFails: each failure of the last minutes has its words, and what keeps people from filing is the
// title.
func TestTheStatusSaysWhatFails(t *testing.T) {
	var board *health.Board
	s := start(t, func(c *setup) {
		board = health.New(c.Now, nil)
		c.Health = board
	})
	v := s.visitor()
	v.get("/status").says("Nothing.")
	for _, c := range []struct {
		part         health.Part
		reason       health.Reason
		title, words string
		lasting      bool
	}{
		{health.Log, "dropped", "It works, with a warning.", "Lines of the log were dropped (7)", false},
		{health.Disk, "low", "It works, with a warning.", "Less than 256 MB are free for the database.", true},
		{health.Writes, "full", "Filing does not work at the moment.", "Writes failed (7): the disk is full.", false},
		{health.Clock, "jumped ahead", "Filing does not work at the moment.", "was set ahead while the server ran.", true},
		{health.Database, "missing", "The database does not work at the moment.",
			"The database file was moved or deleted.", true},
	} {
		if c.lasting {
			board.Set(c.part, c.reason)
		} else {
			board.Count(c.part, c.reason, 7)
		}
		s.Sleep(2 * time.Minute)
		p := v.get("/status")
		want(t, string(c.part), p.h1(), c.title)
		p.says(c.words)
	}
	v.get("/status").says("10 min ago", "for 2 min, and still so")
	board.Set(health.Database, "")
	board.Set(health.Clock, "")
	board.Works(health.Writes)
	p := v.get("/status")
	want(t, "the status when writes work again", p.h1(), "It works, with a warning.")
	p.says("6 min ago; it works again")
	s.Sleep(9 * time.Minute)
	for _, part := range []health.Part{health.Clock, health.Database, health.Disk} {
		board.Set(part, "")
	}
	want(t, "the status after all that", v.get("/status").h1(), "Everything works.")
}

func TestTheStatusSaysWhenTheLastBackupWas(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.get("/status").says("No backup of the database is on record.")
	tocsintest.Must(t, s.db.NoteBackup(t.Context()))
	s.Sleep(2 * time.Hour)
	v.get("/status").says("The last backup was made 2 h ago.")
}

func TestTheStatusSaysWhetherSomebodyCanBeAsked(t *testing.T) {
	for named, says := range map[string]string{contact: "Write to the operator of this service.",
		"": "The operator has given no contact."} {
		p := start(t, func(c *setup) { c.Contact = named }).visitor().get("/status")
		p.says(says)
		want(t, "a link to "+named, slices.Contains(p.links(), contact), named != "")
	}
}

// TestEveryPageSaysThatFilingIsClosed: none says that everybody may file.
func TestEveryPageSaysThatFilingIsClosed(t *testing.T) {
	s := start(t)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "listed.example")
	const none, keys = "The operator takes no reports at the moment.", "Reports are taken with a key only at the moment."
	for state, says := range map[tocsin.FilingState]string{tocsin.FilingShut: none, tocsin.FilingKeysOnly: keys,
		tocsin.FilingOpen: ""} {
		_, err := s.db.SetFiling(t.Context(), store.Operator{}, state)
		tocsintest.Must(t, err)
		s.Sleep(time.Minute)
		v := s.visitor()
		title := map[tocsin.FilingState]string{tocsin.FilingShut: "Filing is closed."}[state]
		if title == "" {
			title = "Everything works."
		}
		want(t, string(state), v.get("/status").h1(), title)
		for path, open := range map[string]string{"/": "No account is needed", "/report": "No account, no wallet, no fee.",
			"/status": "Look-ups and filing work.", "/screen/listed.example": "no account",
			"/llms.txt": "and needs no key"} {
			r, err := s.http.Client().Get(s.http.URL + path)
			tocsintest.Must(t, err)
			body, err := io.ReadAll(r.Body)
			r.Body.Close()
			tocsintest.Must(t, err)
			text := string(body)
			if strings.Contains(text, open) != (state == tocsin.FilingOpen) ||
				!strings.Contains(text, strings.TrimSuffix(says, ".")) {
				t.Errorf("%s, %s: %s", state, path, text)
			}
			if state == tocsin.FilingOpen && (strings.Contains(text, none) || strings.Contains(text, keys)) {
				t.Errorf("%s: %s", path, text)
			}
		}
	}
}

// TestRefusalsThatStrangersCauseAreNotOnThePublicStatus: they are in the log.
func TestRefusalsThatStrangersCauseAreNotOnThePublicStatus(t *testing.T) {
	var board *health.Board
	s := start(t, func(c *setup) {
		board = health.New(c.Now, nil)
		c.Health = board
	})
	board.Count(health.Load, health.Bodies, 3)
	board.Count(health.Load, health.Connections, 3)
	p := s.visitor().get("/status")
	want(t, "the status", p.h1(), "Everything works.")
	p.says("6 failures, last under a minute ago") // of the last day
}

// TestTheStatusShowsTheLastDay: a mark for each half an hour that this process has seen.
func TestTheStatusShowsTheLastDay(t *testing.T) {
	var board *health.Board
	s := start(t, func(c *setup) {
		board = health.New(c.Now, nil)
		c.Health = board
	})
	rows := func() (said []string) {
		p := s.visitor().get("/status")
		for _, row := range below(below(p.class("hours")[0], "tbody")[0], "tr") {
			paths := below(row, "path")
			said = append(said, fmt.Sprintf("%s (%d, %d)", textOf(row),
				strings.Count(attr(paths[0], "d"), "M"), strings.Count(attr(paths[1], "d"), "M")))
		}
		return said
	}
	want(t, "at the beginning", rows(), []string{"Database nothing failed (1, 0)",
		"Writing to the database nothing failed (1, 0)", "Disk space nothing failed (1, 0)",
		"Look-ups from memory nothing failed (1, 0)", "Reading lists nothing failed (1, 0)",
		"Room for all requests nothing failed (1, 0)"})
	s.Sleep(3 * time.Hour)
	board.Set(health.Database, health.Unreachable)
	s.Sleep(40 * time.Minute)
	board.Set(health.Database, "")
	board.Count(health.Log, health.Dropped, 2)
	s.Sleep(time.Hour)
	after := rows()
	want(t, "of them", len(after), 7)
	want(t, "after an outage", []string{after[0], after[1], after[6]}, []string{
		"Database failed for 40 min in all, last 1 h ago (8, 2)", "Writing to the database nothing failed (10, 0)",
		"Log 2 failures, last 1 h ago (9, 1)"})
	failed := below(below(s.visitor().get("/status").class("hours")[0], "tbody")[0], "path")[1]
	want(t, "where its marks are", attr(failed, "d"), "M176 0h3v16h-3zM180 0h3v16h-3z")
	want(t, "a try that said no reason", tried{Last: &store.ImportTry{Running: true}}.Failed() == nil, true)
	s.visitor().get("/status").says("It began 4 h 40 min ago")
	board.Set(health.Mode, health.Halted)
	s.Sleep(2 * time.Minute)
	want(t, "the operator's own doing", rows()[7:], []string{
		"Recording, which the operator may switch off switched off for 2 min in all, and still so (9, 1)"})
	board.Set(health.Mode, "")
	want(t, "and its end", strings.Contains(rows()[7], " switched off for 2 min in all, last "), true)
	s.Sleep(20 * time.Hour)
	if p := s.visitor().get("/status"); strings.Contains(p.main(), "It began") {
		t.Error(p.main())
	}
}

// TestAServiceThatIsReadOnlySaysSo before anybody types, and that look-ups work.
func TestAServiceThatIsReadOnlySaysSo(t *testing.T) {
	s := start(t)
	_, err := s.db.SetReadOnly(t.Context(), store.Operator{}, true)
	tocsintest.Must(t, err)
	v := s.visitor()
	status := v.get("/status")
	want(t, "the status", status.h1(), "The service is read-only at the moment.")
	status.says("Look-ups work. Reports, new keys, sign-ins and payments are refused until")
	lacks(t, status, "Look-ups and filing work.")
	form := v.get("/report")
	form.says("Nothing is recorded at the moment")
	lacks(t, form, "What happened")
	want(t, "a look-up", v.get("/screen/one.example").status, 200)
}

// TestTheStatusSaysHowGoodTheModelOfNamesIs, if that was measured.
func TestTheStatusSaysHowGoodTheModelOfNamesIs(t *testing.T) {
	for recent, says := range map[int]bool{0: false, 1: true, 200: true} {
		v := start(t, func(c *setup) {
			c.Names = lookalike.NewDetector(tocsintest.Brands(), &lookalike.Model{Info: lookalike.Info{
				Cutoff: tocsintest.Noon, RecentUntil: tocsintest.Noon, Recent: recent, RecentRecall: 0.994}})
		}).visitor()
		p := v.get("/status")
		p.says("by a model that has learnt from the lists until 4 Mar 2026.")
		flagged := fmt.Sprintf("Of %d names that these lists first had in the 60 days before 4 Mar 2026, it would have "+
			"flagged %d beforehand.", recent, recent-recent/200)
		want(t, fmt.Sprint(recent), strings.Contains(p.main(), flagged), says)
	}
}
