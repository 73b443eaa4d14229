package health

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTheOperatorsTableHasEachFailure holds the table of docs/operate.md to what the program says. TOCSIN_GOLDEN=write
// writes it anew.
func TestTheOperatorsTableHasEachFailure(t *testing.T) {
	const path, head = "../../docs/operate.md", "| part | reason | what it means | what to do |\n|---|---|---|---|\n"
	var rows []string
	for k, said := range words {
		if k.part == Load || k.part == Mode {
			continue // strangers can cause the one, and the operator means the other
		}
		if said[1] == "" {
			t.Errorf("nobody says what to do about %s: %s", k.part, k.reason)
		}
		meaning := strings.ReplaceAll(said[0], " (%d)", "")
		rows = append(rows, "| "+strings.Join([]string{string(k.part), string(k.reason), meaning, said[1]}, " | ")+" |\n")
	}
	slices.Sort(rows)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	got, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("%s has no table of failures", path)
	}
	want := strings.TrimSuffix(strings.Join(rows, ""), "\n")
	switch {
	case got == want:
	case os.Getenv("TOCSIN_GOLDEN") == "write":
		if err := os.WriteFile(path, []byte(before+head+want+"\n\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of %s is not\n%s\nTo write it anew: TOCSIN_GOLDEN=write go test -run '^%s$'",
			path, want, t.Name())
	}
}
