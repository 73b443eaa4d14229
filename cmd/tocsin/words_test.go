package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

func TestFiftyHeldEntriesAreNamed(t *testing.T) {
	for n, last := range map[int]string{
		1:  "    0.example: on the safelist a, the safelist b\n",
		50: "    49.example: on the safelist a, the safelist b\n",
		51: "    and 1 more\n", 70: "    and 20 more\n",
	} {
		var held []store.Held
		for i := range n {
			d, _ := tocsin.ParseDomain(fmt.Sprint(i, ".example"))
			held = append(held, store.Held{Subject: d.Subject(), By: []string{"a", "b"}})
		}
		var out, examples bytes.Buffer
		printHeld(env{stdout: &out, stderr: &examples}, held)
		tocsintest.Want(t, "how many", out.String(), fmt.Sprintf("  held %d: on a safelist, so at most LOW\n", n))
		tocsintest.Want(t, fmt.Sprint(n, " are named"), []any{strings.Count(examples.String(), " on the safelist "),
			strings.HasSuffix(examples.String(), last)}, []any{min(n, 50), true})
	}
	var nothing bytes.Buffer
	printHeld(env{stdout: &nothing, stderr: &nothing}, nil)
	tocsintest.Want(t, "without any", nothing.String(), "")
}

func TestATextIsBrokenBetweenWords(t *testing.T) {
	for text, lines := range map[string][]string{
		"": {""}, "ab": {"ab"}, "ab cd e": {"ab cd", "e"}, "ab cde": {"ab", "cde"}, "abcdefgh  i\n": {"abcdefgh", "i"},
		"a b c d": {"a b c", "d"},
	} {
		tocsintest.Want(t, text, fmt.Sprintf("%q", wrap(text, 5)), fmt.Sprintf("%q", lines))
	}
}

func TestAnActSaysInShortWhatItWasAbout(t *testing.T) {
	for said, objects := range map[string][]string{
		"rep_a": {"rep_a"}, "2 reports": {"rep_a", "rep_b"}, "agt_a": {"agt_a"}, "agt_a, 1 report": {"agt_a", "rep_a"},
		"agt_a, 3 reports": {"agt_a", "rep_a", "rep_b", "rep_c"}, "": nil,
	} {
		before := slices.Clone(objects)
		tocsintest.Want(t, "about", about(store.Act{Objects: objects}), said)
		tocsintest.Want(t, "the act is left as it is", fmt.Sprint(objects), fmt.Sprint(before))
	}
	tocsintest.Want(t, "numbers", []string{counted(0, "report"), counted(1, "report"), counted(2, "report")},
		[]string{"0 reports", "1 report", "2 reports"})
}

// TestALongActLeavesRoomForItsReason: the name has 20 characters, and what it is about 44.
func TestALongActLeavesRoomForItsReason(t *testing.T) {
	var out strings.Builder
	act := store.Act{Operator: strings.Repeat("o", 30), Action: store.ForcedImport,
		Objects: []string{strings.Repeat("l", 50)}, Reason: "it was wrong twice"}
	tocsintest.Must(t, actTable([]store.Act{act, {Action: store.HidReports}}, false).print(&out))
	name, list, reason := strings.Repeat("o", 19), strings.Repeat("l", 43), "it was wrong"
	tocsintest.Want(t, "log", out.String(),
		"AT                    OPERATOR              ACT           ON"+strings.Repeat(" ", 44)+"REASON\n"+
			"0001-01-01T00:00:00Z  "+name+"…  import force  "+list+"…  "+reason+"\n"+strings.Repeat(" ", 104)+"twice\n"+
			"0001-01-01T00:00:00Z                        hide"+strings.Repeat(" ", 56)+"-\n")
	act.Objects = []string{"misp", "misp of 2026-01-02: added 1" + "; SHA-256 " + strings.Repeat("0", 64) + " a.json"}
	tocsintest.Want(t, "about an import", about(act), "misp of 2026-01-02: added 1")
	out.Reset()
	tocsintest.Must(t, actTable([]store.Act{act, {Action: store.HidReports}}, true).print(&out))
	tocsintest.Want(t, "whole", strings.Contains(out.String(), act.Operator+"  import force  misp of 2026-01-02: "+
		"added 1  it was wrong twice\n0001-01-01T00:00:00Z"+strings.Repeat(" ", 34)+"hide"+
		strings.Repeat(" ", 39)+"-\n"), true)
}

func TestAnOperatorIsNamedByTheFlagOrBySystem(t *testing.T) {
	lookup := func(name string) (string, bool) { return strings.Repeat("d", 70), name == "SUDO_USER" }
	f := operatorFlags{operator: strings.Repeat("é", 60), reason: strings.Repeat("é", 500)}
	by, err := f.by(env{lookup: lookup})
	tocsintest.Want(t, "the longest that are taken", []any{by.Name, by.Reason, err}, []any{f.operator, f.reason, nil})
	by, err = (&operatorFlags{}).by(env{lookup: lookup})
	tocsintest.Want(t, "with sudo", []any{len([]rune(by.Name)), strings.HasPrefix(by.Name, "ddd"), by.Reason, err},
		[]any{60, true, "", nil})
	by, err = (&operatorFlags{}).by(env{lookup: func(string) (string, bool) { return "", true }})
	tocsintest.Want(t, "without", []any{by.Name != "", err}, []any{true, nil})
}

func TestTheNameOfAListOfOnesOwn(t *testing.T) {
	for name, taken := range map[string]bool{
		strings.Repeat("a", 50): true, strings.Repeat("a", 51): false, "a": true, "9-a": true, "-a": false, "a_b": false,
		"A": false, "ndjson": false, "csv": false, "starter": false, "ofac": false, "community": false, "safelist": false,
	} {
		f := importFlags{commandLine: &commandLine{args: []string{"csv"}}, from: "x", as: name}
		source, err := f.source()
		tocsintest.Want(t, name, err == nil, taken)
		if taken && (source.Name != name || source.Family != name) { // of its own, so that it counts for itself
			t.Errorf("%s: the list is %q of the family %q", name, source.Name, source.Family)
		}
	}
	for _, list := range []string{"starter", "ofac"} { // which need no file
		f := importFlags{commandLine: &commandLine{args: []string{list}}}
		source, err := f.source()
		tocsintest.Want(t, list, []any{source.Name, err}, []any{list, nil})
	}
	f := importFlags{commandLine: &commandLine{args: []string{"starter"}}, as: "mine"}
	if _, err := f.source(); err == nil {
		t.Error("the starter set can have another name")
	}
}

func TestATroubleIsLoggedWithItsRemedyAndItsEnd(t *testing.T) {
	trouble := health.Trouble{Part: health.Writes, Reason: health.Full, Count: 3}
	for begun, says := range map[bool][]string{
		true:  {"level=ERROR", "part=writes", fmt.Sprintf("remedy=%q", trouble.Remedy()), trouble.String()},
		false: {"level=INFO", "part=writes", "over: " + trouble.String()},
	} {
		var log bytes.Buffer
		logTrouble(slog.New(slog.NewTextHandler(&log, nil)), trouble, begun)
		for _, words := range says {
			if !strings.Contains(log.String(), words) {
				t.Errorf("begun %v: %q is not in %s", begun, words, &log)
			}
		}
	}
}

// TestTheHelpOfACommandHasAllThatIsSaidOfIt: its arguments, what it does, its flags and its notes.
func TestTheHelpOfACommandHasAllThatIsSaidOfIt(t *testing.T) {
	for _, c := range commands() {
		var out bytes.Buffer
		tocsintest.Want(t, c.name+" is found", printHelp(&out, c.name), true)
		line := newCommandLine(&c)
		c.setUp(line)
		says := []string{"Usage: tocsin " + c.name + " [FLAGS] " + c.args, c.about + ".\n", c.notes}
		line.VisitAll(func(f *flag.Flag) { says = append(says, "  -"+f.Name) })
		for _, text := range says {
			if !strings.Contains(out.String(), strings.TrimSpace(text)) {
				t.Errorf("the help of %s lacks %q", c.name, text)
			}
		}
	}
	tocsintest.Want(t, "of no command", printHelp(io.Discard, "nonsense"), false)
}

func TestACompletionIsForOneOfThreeShells(t *testing.T) {
	for args, taken := range map[string]bool{"bash": true, "zsh": true, "fish": true, "": false, "tcsh": false,
		"bash zsh": false} {
		var out bytes.Buffer
		err := newCompletion(&commandLine{args: strings.Fields(args)})(t.Context(), env{stdout: &out})
		tocsintest.Want(t, args, []bool{err == nil, out.Len() > 0}, []bool{taken, taken})
		if !taken && !strings.Contains(fmt.Sprint(err), "name the shell: bash, fish, zsh") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestAFirstKeyThatCannotBeMadeIsAnError, rather than a start without one.
func TestAFirstKeyThatCannotBeMadeIsAnError(t *testing.T) {
	db := tocsintest.Open(t, &tocsintest.Clock{})
	for _, says := range []string{"Your API key, shown this once:", "It has API keys already (1)"} {
		text, err := firstKey(t.Context(), db, "eve", "http://tocsin.example/api/v1", 10)
		tocsintest.Want(t, says, []any{strings.HasPrefix(text, says), err}, []any{true, nil})
	}
	tocsintest.Must(t, db.Close())
	text, err := firstKey(t.Context(), db, "eve", "", 10)
	tocsintest.Want(t, "without a database", []any{text, err != nil}, []any{"", true})
}
