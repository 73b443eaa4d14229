package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// nasty is text that a terminal would obey, were it printed as it is.
const nasty = "Refund\x1b]0;pwned\a \x1b[31m \u202Elive\u009b now"

// tidy checks that what is printed is safe for a terminal and fits into it.
func (m *machine) tidy(about, out string) {
	m.Helper()
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\n"), "\n") {
		if n := utf8.RuneCountInString(line); n > lineWidth {
			m.Errorf("%s: a line has %d characters: %s", about, n, line)
		}
	}
	m.harmless(about, out)
}

// harmless checks that what is printed is safe for a terminal.
func (m *machine) harmless(about, out string) {
	m.Helper()
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\n"), "\n") {
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202E' }) {
			m.Errorf("%s: a line has control characters: %q", about, line)
		}
	}
}

func TestABanIsFeltByARunningServerWithinASecondAndLiftedAgain(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	key := m.newKey("-address", example, "-name", "Sprayer", "-quota", "100000")
	agent := s.call("/me", key, nil).body["agent"].(map[string]any)["id"].(string)
	id := s.file(key, "Sprayed", address(1))
	other := m.newKey("-quota", "100000")
	reports := func() any { return s.screen(address(1), other).body["reportCount"] }
	m.want("before it", reports(), 1)
	out := m.must("agent", "ban", strings.ToLower(example), "-reason", "sprays guesses\x1b[31m", "-operator", "alice")
	m.want("what it says", out, "banned "+agent+": 1 report taken out of every score\n")
	m.want("once more", m.must("agent", "ban", agent), agent+" was banned already\n")
	m.soon("its key is refused", func() bool {
		a := s.screen(address(1), key)
		return a.status == http.StatusForbidden && a.body["code"] == "banned"
	})
	m.soon("its report does not count", func() bool { return reports() == 0.0 })
	m.want("its filing", s.call("/community-reports", key, story("More", address(2))).status, http.StatusForbidden)
	m.fails(exitFailure, "banned the agent "+agent, "key", "create", "-address", example)
	table := m.must("agent", "list", "-banned")
	m.tidy("agents", table)
	if !regexp.MustCompile(agent + `  Sprayer  ` + example + ` .*  1 +0 of 1 +\d{4}-\d\d-\d\d\n$`).MatchString(table) {
		m.Errorf("the list is %s", table)
	}
	m.fails(exitFailure, "is banned, and the ban needs its wallet", "agent", "erase", agent) // before it says what goes
	m.fails(exitFailure, "lift the ban", "report", "restore", "-status", "banned", "-yes")
	out = m.must("agent", "unban", agent, "-operator", "bob")
	m.want("what it says", out, "unbanned "+agent+": 1 report published again\n")
	m.want("once more", m.must("agent", "unban", agent), agent+" was not banned\n")
	m.soon("its key is taken", func() bool { return s.screen(address(1), key).status == http.StatusOK })
	m.soon("its report counts", func() bool { return reports() == 1.0 })
	m.want("nobody is banned", strings.Count(m.must("agent", "list", "-banned"), "\n"), 1)

	log := m.must("log", "-subject", address(1))
	m.tidy("log", log)
	rows := `alice +ban +` + agent + `, 1 report +sprays guesses\[31m\n.* bob +unban +` + agent + `, 1 report +-\n$`
	if !regexp.MustCompile(rows).MatchString(log) {
		m.Errorf("the log is %s", log)
	}
	m.want("of one operator", strings.Count(m.must("log", "-operator", "alice"), "\n"), 2)
	m.want("of a report", strings.Count(m.must("log", "-subject", id), "\n"), 3)
	m.want("of nothing", strings.Count(m.must("log", "-subject", "evil.com"), "\n"), 1)

	// The owner of the wallet asks what is kept, and wants it to be gone.
	m.want("what is kept", regexp.MustCompile(`"name": "Sprayer",(?s:.*)"apiKeys": \[\s+{\s+"prefix": "`+key[:12]+
		`"(?s:.*)`+
		`"callsByDay": \[\s+{(?s:.*)"reportIds": \[\s+"`+id+`"\s+\],\s+"payments": \[\],(?s:.*)"act": "unban"`).
		MatchString(m.must("agent", "show", example)), true)
	goes := agent + ": its wallet " + example + ", its name Sprayer, 1 key, 0 sessions, its calls of 1 day\n"
	stays := "Stays: 1 report, under " + agent + " without a name, counting as before; -reports erases them as well.\n"
	m.want("first", m.must("agent", "erase", example), "Would be erased for good of "+
		goes+stays+"\nNothing was changed. Add -yes to do it.\n")
	r := m.run("agent", "erase", example, "-yes", "-reason", "their request of 3 March")
	m.want("what it says", r.out, "erased of "+goes)
	m.want("what it cannot reach", strings.HasPrefix(r.err, stays+"What this program cannot reach"), true)
	m.soon("its key is unknown", func() bool { // by a call that is not counted: until then the server counts others
		return s.call("/me", key, nil).body["authenticated"] == false
	})
	m.want("its look-ups", s.screen(address(1), key).body["code"], "unknown_key")
	m.want("its report counts", reports(), 1.0)
	m.fails(exitFailure, "no agent", "agent", "show", example)
	r = m.run("agent", "erase", "-yes", "-reports", agent, "-reason", "their request")
	m.want("once more", r.out, "erased "+id+"\nerased of "+agent+
		": 0 keys, 0 sessions, its calls of 0 days, 1 report\n")
	m.soon("its report is gone", func() bool { return reports() == 0.0 })
	for _, verb := range []string{"ban", "unban", "show", "erase"} {
		m.fails(exitFailure, "no agent", "agent", verb, "agt_unknown")
		m.fails(exitFailure, "no agent.*its wallet", "agent", verb, "nobody")
		m.fails(exitUsage, "name one agent", "agent", verb)
	}
}

func TestReportsOfAFloodAreHiddenAndRestoredTogetherAfterADryRun(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	key := m.newKey("-quota", "100000")
	agent := s.call("/me", key, nil).body["agent"].(map[string]any)["id"].(string)
	s.file(key, "By a key", "one.com")
	var flood []string
	for i := range 23 {
		flood = append(flood, s.file("", fmt.Sprintf("%s %d", nasty, i), fmt.Sprintf("flood%d.com", i), "one.com"))
	}
	dry := m.must("report", "hide", "-same-source", flood[7], "-reason", "a flood")
	m.tidy("the dry run", dry)
	for _, say := range []string{"23 reports would be hidden", "and 13 more\n", "Nothing was changed. Add -yes"} {
		if !strings.Contains(dry, say) {
			m.Errorf("the dry run does not say %q: %s", say, dry)
		}
	}
	m.want("nothing was changed", strings.Count(m.must("report", "list", "-status", "hidden"), "\n"), 1)
	m.want("hide", m.must("report", "hide", "-same-source", flood[7], "-reason", "a flood", "-yes"), "hidden 23 reports\n")
	m.soon("they count no more", func() bool { return s.screen("one.com", key).body["reportCount"] == 1.0 })
	m.want("once more", m.must("report", "hide", "-same-source", flood[7], "-yes"), "No report is selected.\n")
	list := m.must("report", "list", "-text", "LIVE NOW", "-subject", "flood3.com", "-since", "1h", "-limit", "5")
	m.tidy("the list", list)
	m.want("one of them", regexp.MustCompile(`rep_\w+`).FindAllString(list, -1), []string{flood[3]})
	m.want("by the key", strings.Count(m.must("report", "list", "-agent", agent), "\n"), 2)
	m.want("none before", strings.Count(m.must("report", "list", "-until", "1h"), "\n"), 1)
	out := m.must("report", "restore", "-text", "refund", "-yes", "-operator", "carol")
	m.want("restore", out, "restored 23 reports\n")
	m.soon("they count again", func() bool { return s.screen("one.com", key).body["reportCount"] == 24.0 })
	m.want("one act, not 23", m.must("log", "-operator", "carol", "-json"), m.must("log", "-limit", "1", "-json"))

	m.fails(exitFailure, "source of .* is not known.*by the agent "+agent+".*such as -agent",
		"report", "hide", "-same-source", m.first("report", "list", "-agent", agent))
	m.fails(exitUsage, "not both", "report", "hide", flood[0], "-agent", agent)
	for status, lines := range map[tocsin.Status]int{tocsin.Published: 25, tocsin.Hidden: 1, tocsin.Withdrawn: 1,
		tocsin.Banned: 1, tocsin.Erased: 1, tocsin.Removed: 1} {
		m.want("of status "+string(status), strings.Count(m.must("report", "list", "-source", "community", "-status",
			string(status)), "\n"), lines)
	}
	m.fails(exitUsage, "-status", "report", "list", "-status", "removed")
	m.fails(exitUsage, "-since .*neither", "report", "list", "-since", "soon")
	m.fails(exitUsage, "-until .*neither", "report", "hide", "-until", "soon")
	m.fails(exitUsage, "-subject", "report", "list", "-subject", "0x12")
	m.fails(exitUsage, "-same-source", "report", "list", "-same-source", "x")
	m.fails(exitFailure, "no agent", "report", "list", "-agent", "agt_none")
}

// first returns the first id of a report that a command prints.
func (m *machine) first(args ...string) string {
	m.Helper()
	return regexp.MustCompile(`rep_\w+`).FindString(m.must(args...))
}

func TestAReportIsErasedBesideARunningServer(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	key := m.newKey("-quota", "100000")
	id := s.file(key, "Quixoticerasure of somebody", "quixoticerasure.com", address(1))
	kept := s.file(key, "Kept", address(1))
	s.screen(address(1), key)
	r := m.run("report", "erase", id, "-reason", "a court order")
	for _, say := range []string{"1 report would be erased for good:\n", "Quixoticerasure", "Add -yes"} {
		m.want("without -yes it says "+say, strings.Contains(r.out, say), true)
	}
	m.want("the report", s.call("/community-reports/"+id, "", nil).status, http.StatusOK)
	r = m.run("report", "erase", id, "-reason", "a court order", "-yes")
	m.want("what it says", []any{r.status, r.out}, []any{exitOK, "erased " + id + "\n"})
	for _, say := range []string{"backups", "replicas", "downloaded"} {
		if !strings.Contains(r.err, say) {
			m.Errorf("it does not name %s: %s", say, r.err)
		}
	}
	for _, ending := range []string{"", "-wal", "-shm"} {
		raw, err := os.ReadFile(filepath.Join(m.dir, "tocsin.db"+ending))
		if err != nil || strings.Contains(strings.ToLower(string(raw)), "quixoticerasure") {
			m.Errorf("tocsin.db%s has traces, or cannot be read: %v", ending, err)
		}
	}
	m.want("the report", s.call("/community-reports/"+id, "", nil).status, http.StatusNotFound)
	m.soon("the server answers without it", func() bool {
		a := s.screen(address(1), key)
		return a.body["reportCount"] == 1.0 && a.body["reports"].([]any)[0].(map[string]any)["id"] == kept
	})
	m.want("it goes on", len(s.file(key, "After it", address(1))) > 0, true)
	if table := m.must("report", "list", "-status", "erased"); !strings.Contains(table, id) {
		m.Errorf("its id is gone: %s", table)
	}
	m.want("once more", m.must("report", "erase", id, "-yes", "-reason", "a court order"), "was erased already: "+id+"\n")
	m.fails(exitFailure, "no report", "report", "erase", "rep_unknown")
	m.fails(exitFailure, "no report", "report", "erase", "rep_unknown", "-yes", "-reason", "a court order")
	m.fails(exitUsage, "say why with -reason", "report", "erase", id, "-yes")
	m.fails(exitUsage, "say why with -reason", "agent", "erase", example, "-yes")
	m.fails(exitUsage, "name at least one", "report", "erase")
}

// TestAPreviewSaysHowManyReportsItDoesNotShow, and shows all that were named.
func TestAPreviewSaysHowManyReportsItDoesNotShow(t *testing.T) {
	for _, c := range []struct {
		shown, all int
		more       string
	}{{shownOfSelection, 12, "2 more"}, {12, 12, ""}} {
		var out strings.Builder
		reports := make([]tocsin.Report, c.shown)
		found := store.Selected{First: reports, IDs: make([]string, c.all)}
		tocsintest.Must(t, preview(env{stdout: &out}, "erased for good", found))
		_, more, _ := strings.Cut(out.String(), "and ")
		more, _, _ = strings.Cut(more, "\n\n")
		tocsintest.Want(t, fmt.Sprint(c.shown, " of ", c.all), more, c.more)
	}
}

// TestAPreviewSaysHowManyReportsAreOfLists: a selection by time alone means them, too.
func TestAPreviewSaysHowManyReportsAreOfLists(t *testing.T) {
	m := newMachine(t)
	m.must("import", "csv", "-from", m.write("own.csv", "crimeType,title,description,reportedDomains\n"+
		"phishing,It took all,It took all of it,one-tocsin.com\nphishing,It took more,It took more of it,two-tocsin.com\n"))
	m.want("alone", strings.HasPrefix(m.must("report", "hide", "-since", "1d"),
		"2 reports would be hidden (of lists, with their entries):\n"), true)
	m.want("of a list that was named", strings.HasPrefix(m.must("report", "hide", "-source", "csv"),
		"2 reports would be hidden:\n"), true)
	m.serve().file("", "By somebody", "three-tocsin.com")
	m.want("beside another", strings.Contains(m.must("report", "hide", "-since", "1d"),
		" of lists, with their entries; -source community leaves those out):\n"), true)
}

func TestFilingIsClosedAndOpenedWhileServing(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	key := m.newKey("-quota", "100000")
	n := 0
	files := func(key string) any {
		n++
		a := s.call("/community-reports", key, story(fmt.Sprint("Story ", n), address(1)))
		return fmt.Sprint(a.status, " ", a.body["code"])
	}
	m.want("how it is", m.must("filing"), "Filing is open: reports are taken from everybody.\n")
	m.want("at first", files(""), "201 <nil>")
	m.want("keys only", m.must("filing", "keys-only", "-reason", "a flood", "-operator", "alice"),
		"Filing is open for callers with a key only.\n")
	m.want("then", []any{files(""), files(key)}, []any{"403 filing_needs_key", "201 <nil>"})
	m.want("closed", m.must("filing", "closed"), "Filing is closed: no report is taken.\n")
	m.want("then", []any{files(""), files(key)}, []any{"403 filing_closed", "403 filing_closed"})
	m.want("how it is", m.must("filing"), "Filing is closed: no report is taken.\n")
	m.must("filing", "open")
	m.want("open again", files(""), "201 <nil>")
	m.want("the log", len(regexp.MustCompile(`(?m) filing +(keys-only +a flood|closed +-|open +-)$`).
		FindAllString(m.must("log"), -1)), 3)
	m.fails(exitUsage, "open, keys-only or closed", "filing", "shut")
}

func TestTheLogNamesWhoDidWhatWhenAndWhy(t *testing.T) {
	m := newMachine(t)
	m.write("own.ndjson", line("a", "First", address(1)), line("b", "Second", address(2)), line("c", "Third", address(3)))
	m.must("import", "ndjson", "-as", "partner", "-from", "own.ndjson", "-operator", "carol")
	key := m.newKey("-operator", "alice", "-reason", "for a partner")
	sudo := m.with("SUDO_USER=dave")
	sudo.must("key", "revoke", key)
	m.write("own.ndjson", line("a", "First", address(1)))
	m.fails(exitFailure, "shrunk", "import", "ndjson", "-as", "partner", "-from", "own.ndjson")
	m.must("import", "ndjson", "-as", "partner", "-from", "own.ndjson", "-force", "-operator", "bob\x1b[31m")
	m.with("TOCSIN_OPERATOR=erin").must("report", "hide", m.first("report", "list"))
	var got []string
	for text := range strings.SplitSeq(strings.TrimSpace(m.must("log", "-json")), "\n") {
		var act struct {
			Operator, Act, Reason, At string
			Objects                   []string
		}
		if err := json.Unmarshal([]byte(text), &act); err != nil || act.At == "" || len(act.Objects) == 0 {
			m.Fatalf("%v in %s", err, text)
		}
		got = append(got, fmt.Sprintf("%s %s %s", act.Operator, act.Act, act.Reason))
	}
	m.want("acts", strings.Join(got, "; "),
		"carol import ; alice key create for a partner; dave key revoke ; bob[31m import force ; erin hide ")
	log := m.must("log")
	m.harmless("the log", log)
	sums := regexp.MustCompile(`SHA-256 [0-9a-f]{64} own\.ndjson`)
	m.want("checksums", []bool{sums.MatchString(log), sums.MatchString(m.must("log", "-json"))}, []bool{false, true})
	m.want("a key", strings.Count(m.must("log", "-subject", key[:12]), "\n"), 3)
	m.want("a list", strings.Count(m.must("log", "-subject", "partner"), "\n"), 3)
	m.want("in a minute", strings.Count(m.must("log", "-since", "2999-01-01"), "\n"), 1)
	m.fails(exitUsage, "60 characters", "key", "create", "-operator", strings.Repeat("x", 61))
	m.fails(exitUsage, "500 characters", "key", "create", "-reason", strings.Repeat("x", 501))
	m.fails(exitUsage, "limit", "log", "-limit", "0")
}

func TestABackupIsWrittenBesideAServerForItsOwnerOnly(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	key := m.newKey("-quota", "100000")
	s.file(key, "Filed", address(1))
	s.file("", "Filed by nobody", address(1)) // for which there are salts
	loose := exec.Command("sh", "-c", `umask 000; exec "$0" backup copy.db`, program)
	loose.Dir, loose.Env = m.dir, m.env
	out, err := loose.CombinedOutput()
	form := regexp.MustCompile(`^copy\.db: \d+ reports, \d+ listings, 1 agent, 1 key, 0 payments; \d+\.\d MB, checked, ` +
		`took \S+\n$`)
	if err != nil || !form.Match(out) {
		m.Fatalf("%v: %s", err, out)
	}
	info, err := os.Stat(filepath.Join(m.dir, "copy.db"))
	if err != nil {
		m.Fatal(err)
	}
	m.want("its mode", info.Mode().Perm(), os.FileMode(0o600))
	m.fails(exitFailure, "copy.db exists already", "backup", "copy.db")
	m.fails(exitFailure, "exists already", "backup", "tocsin.db")
	m.fails(exitUsage, "name the new file", "backup")
	restored := m.serve("-db", "copy.db")
	m.want("reports after a restore", restored.screen(address(1), key).body["reportCount"], 2)
	m.want("the server goes on", s.screen(address(1), key).status, http.StatusOK)
}

// TestAnErasureWithoutItsEndFails: the report is erased, but a snapshot that somebody reads keeps its text in the log
// of the database, until the command is interrupted.
func TestAnErasureWithoutItsEndFails(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	id := s.file(m.newKey(), "Quixoticerasure of somebody", address(1))
	s.end(os.Interrupt)
	db, err := sql.Open("sqlite", filepath.Join(m.dir, "tocsin.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	status := func(in interface {
		QueryRow(string, ...any) *sql.Row
	}) (is string) {
		if err := in.QueryRow("SELECT status FROM report WHERE id = ?", id).Scan(&is); err != nil {
			t.Error(err)
		}
		return is
	}
	snapshot, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Rollback()
	m.want("before", status(snapshot), "published")
	erase := m.start(m.command("report", "erase", id, "-reason", "a court order", "-yes"))
	m.soon("it is erased", func() bool { return status(db) == "erased" })
	m.want("status", erase.end(os.Interrupt), exitFailure)
	m.want("what it prints", erase.out.String(), "erased "+id+"\n")
	if text := erase.err.String(); !strings.Contains(text, "traces of them may be left") ||
		strings.Contains(text, "Their text is gone") {
		t.Errorf("it says %s", text)
	}
}
