package tocsintest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Golden compares a text with a file that holds it, such as testdata/responses.txt, line by line. A line that begins
// with === is the head of a part, which the failure names. If a change of the text is meant, look at it, and write the
// file anew with TOCSIN_GOLDEN=write.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	if os.Getenv("TOCSIN_GOLDEN") == "write" {
		Must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		Must(t, os.WriteFile(name, []byte(got), 0o644))
	}
	text, err := os.ReadFile(name)
	Must(t, err)
	lines, part := strings.Split(string(text), "\n"), ""
	for i, line := range strings.Split(got, "\n") {
		if strings.HasPrefix(line, "=== ") {
			part = line
		}
		if i >= len(lines) || lines[i] != line {
			t.Fatalf("%s\nline %d of %s is not\n%s\nTo write the file anew: TOCSIN_GOLDEN=write go test -run '^%s$'",
				part, i+1, name, line, t.Name())
		}
	}
	if len(got) != len(text) {
		t.Errorf("%s has %d bytes more", name, len(text)-len(got))
	}
}
