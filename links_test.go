package tocsin

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```")
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unslugged = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// anchorsOf are the parts of a document that a link can lead to, as sites that show Markdown name them.
func anchorsOf(text string) map[string]bool {
	anchors := map[string]bool{"": true}
	for _, found := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		plain := unslugged.ReplaceAllString(strings.ToLower(found[1]), "")
		anchors[strings.ReplaceAll(plain, " ", "-")] = true
	}
	return anchors
}

// TestLinksBetweenDocumentsLeadSomewhere: to a file, and to a heading in it.
func TestLinksBetweenDocumentsLeadSomewhere(t *testing.T) {
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "packaging/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	links := 0
	for _, name := range documents {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			to, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(to, ":") {
				continue // elsewhere
			}
			links++
			target := name
			if to != "" {
				target = path.Join(path.Dir(filepath.ToSlash(name)), to)
			}
			there, err := os.ReadFile(target)
			if is, fault := os.Stat(target); fault == nil && is.IsDir() {
				continue
			}
			if err != nil || strings.HasSuffix(target, ".md") && !anchorsOf(string(there))[anchor] {
				t.Errorf("%s: %s leads nowhere", name, found[1])
			}
		}
	}
	if len(documents) < 50 || links < 100 {
		t.Errorf("%d documents with %d links", len(documents), links)
	}
}
