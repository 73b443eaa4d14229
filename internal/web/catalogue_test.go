package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tocsin/internal/locale"
	"tocsin/internal/tocsintest"
)

// TestACatalogueKeepsItsEntries: what is translated keeps every byte when the catalogue is written again, so that a
// change of one text is a diff of one text.
func TestACatalogueKeepsItsEntries(t *testing.T) {
	const before = `name: x
texts:

# old.html
- en: Gone
  to: Weg
- en: >-
    Broken by hand
    early
  to: 'Von Hand'
- en: "%d things"
  one: "%d Ding"
  other: |-
    %d Dinge

# a.go
- en: Later
  to:   Später
`
	const after = `name: x
texts:

# new.html
- en: New
  to: ""
- en: >-
    Broken by hand
    early
  to: 'Von Hand'

# a.go
- en: Later
  to:   Später
- en: "%d things"
  one: "%d Ding"
  other: |-
    %d Dinge
- en: '%d more'
  one: ""
  other: ""
`
	c := catalogue(t, "de")
	known := map[locale.Key]locale.Entry{
		"Broken by hand early": {Text: "Von Hand"}, "Later": {Text: "Später"}, "Gone": {Text: "Weg"},
		"%d things": {One: "%d Ding", Other: "%d Dinge"},
	}
	used := []text{{"New", "new.html"}, {"Broken by hand early", "new.html"}, {"Later", "a.go"}, {"%d things", "a.go"},
		{"%d more", "a.go"}}
	plural := map[locale.Key]bool{"%d things": true, "%d more": true}
	want(t, "the catalogue", rewritten(t, before, c, known, used, plural), after)
	want(t, "and again", rewritten(t, after, c, known, used, plural), after)
}

// write writes the catalogue of a language anew.
func write(
	t *testing.T, c *locale.Catalogue, known map[locale.Key]locale.Entry, used []text, plural map[locale.Key]bool,
) {
	t.Helper()
	name := filepath.Join("..", "locale", c.Tag.String()+".yaml")
	old, err := os.ReadFile(name)
	tocsintest.Must(t, err)
	tocsintest.Must(t, os.WriteFile(name, []byte(rewritten(t, string(old), c, known, used, plural)), 0o644))
}

// rewritten is a catalogue with the texts that are used, in their order, and its head and its translations as they are.
func rewritten(
	t *testing.T, old string, c *locale.Catalogue, known map[locale.Key]locale.Entry, used []text,
	plural map[locale.Key]bool,
) string {
	t.Helper()
	head, texts, found := strings.Cut(old, "\ntexts:\n")
	if !found {
		t.Fatalf("%s has no line with texts:", c.Tag)
	}
	written := entriesOf(t, texts)
	var b strings.Builder
	b.WriteString(head + "\ntexts:\n")
	last := ""
	for _, one := range used {
		if one.file != last {
			fmt.Fprintf(&b, "\n# %s\n", one.file)
			last = one.file
		}
		e := known[one.key]
		forms := e.Forms()
		needsForms := len(forms) == 0 && e.Text == "" && plural[one.key]
		if entry, is := written[one.key]; is && !needsForms {
			b.WriteString(entry)
			continue
		}
		b.WriteString("- en: " + scalar(t, string(one.key)))
		if len(forms) == 0 && !needsForms {
			b.WriteString("  to: " + scalar(t, e.Text))
			continue
		}
		need := c.Plurals()
		for _, form := range append(need[1:], need[0]) { // other comes last
			b.WriteString("  " + locale.FormName(form) + ": " + scalar(t, forms[form]))
		}
	}
	return b.String()
}

// entriesOf returns the entries of a catalogue as they are written, by their text.
func entriesOf(t *testing.T, texts string) map[locale.Key]string {
	t.Helper()
	entries := map[locale.Key]string{}
	for _, entry := range strings.Split("\n"+texts, "\n- en:")[1:] {
		entry, _, _ = strings.Cut(entry, "\n\n#") // the file of the next one
		entry = "- en:" + strings.TrimRight(entry, "\n") + "\n"
		var read []locale.Entry
		tocsintest.Must(t, yaml.Unmarshal([]byte(entry), &read))
		entries[read[0].Key] = entry
	}
	return entries
}

// scalar writes a text as YAML, a long one in several lines.
func scalar(t *testing.T, s string) string {
	t.Helper()
	if len(s) <= 100 {
		line, err := yaml.Marshal(s)
		tocsintest.Must(t, err)
		return string(line)
	}
	var b strings.Builder
	b.WriteString(">-")
	width := 120
	for _, word := range strings.Split(s, " ") {
		if width += 1 + len([]rune(word)); width > 116 {
			b.WriteString("\n   ")
			width = 4 + len([]rune(word))
		}
		b.WriteString(" " + word)
	}
	return b.String() + "\n"
}
