package tocsin

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFilesAreShort holds every Go file, tests included, to 400 lines of 120 characters. A tab counts as one.
func TestFilesAreShort(t *testing.T) {
	const maxLines, maxWidth = 400, 120
	root := os.DirFS(".")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		wide := 0
		for _, line := range lines {
			if utf8.RuneCountInString(line) > maxWidth {
				wide++
			}
		}
		if len(lines) > maxLines || wide > 0 {
			t.Errorf("%s has %d lines, %d of them over %d characters", name, len(lines), wide, maxWidth)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestProseIsNarrow holds the lines of documents to 120 characters, except rows of tables, which are one line. What is
// sent to agents as it is written is not of this kind.
func TestProseIsNarrow(t *testing.T) {
	const maxWidth = 120
	others := []string{"node_modules", ".venv", "made", "skills"} // written by programs, and read by them
	root := os.DirFS(".")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && slices.Contains(others, d.Name()) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		for i, line := range strings.Split(string(text), "\n") {
			if utf8.RuneCountInString(line) > maxWidth && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d has over %d characters", name, i+1, maxWidth)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTheAttacksHaveTheirTests: each test exists that the documents about security and faults name, or that `make test`
// asks for.
func TestTheAttacksHaveTheirTests(t *testing.T) {
	root, exist := os.DirFS("."), map[string]bool{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllSubmatch(text, -1) {
			exist[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for document, least := range map[string]int{"docs/security.md": 50, "SECURITY.md": 40, "docs/reliability.md": 40,
		"test.sh": 4} {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`\b(Test|Fuzz)[A-Z]\w+`).FindAllString(string(text), -1)
		if len(named) < least {
			t.Errorf("%s names %d tests", document, len(named))
		}
		for _, test := range named {
			if !exist[test] {
				t.Errorf("%s names %s, which does not exist", document, test)
			}
		}
	}
}

// TestDecisionsHaveNumbersOfTheirOwn: they are cited by them.
func TestDecisionsHaveNumbersOfTheirOwn(t *testing.T) {
	files, err := os.ReadDir("docs/decisions")
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]string{}
	for _, file := range files {
		number, _, _ := strings.Cut(file.Name(), "-")
		if taken[number] != "" {
			t.Errorf("%s and %s have one number", taken[number], file.Name())
		}
		taken[number] = file.Name()
	}
}
