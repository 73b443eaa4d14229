package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"tocsin"
)

// lineWidth is how many characters a line of text on a terminal has at most.
const lineWidth = 120

// table is text in columns. What does not fit into a line is taken from the
// column that is named to give way. Its cells are made for a terminal by [oneLine].
type table struct {
	rows [][]string // the first has the heads
	give int        // the index of the column that is shortened
	// whole says that nothing is shortened: the table is for a program or a file, not for a terminal.
	whole bool
}

// maxCell is how long a cell can be.
const maxCell = 1000

func newTable(give int, heads ...string) *table { return &table{rows: [][]string{heads}, give: give} }

func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = oneLine(cells[i], maxCell)
	}
	t.rows = append(t.rows, cells)
}

// print writes the table.
func (t *table) print(out io.Writer) error {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	used := 2 * (len(widths) - 1)
	for _, w := range widths {
		used += w
	}
	if over := used - lineWidth; over > 0 && !t.whole {
		widths[t.give] = max(utf8.RuneCountInString(t.rows[0][t.give]), widths[t.give]-over)
	}
	var b strings.Builder
	for _, row := range t.rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], tocsin.Shorten(cell, widths[i]))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// minutes formats an instant to the minute.
func minutes(t tocsin.Time) string { return t.String()[:16] + "Z" }

// oneLine makes untrusted text fit a column of a table, without line breaks and
// without control characters that a terminal would obey.
func oneLine(s string, width int) string {
	return tocsin.Shorten(strings.Join(strings.Fields(tocsin.CleanText(s)), " "), width)
}

// dash returns a text for a table, "-" for an empty one.
func dash(s *string) string {
	if s == nil || *s == "" {
		return "-"
	}
	return oneLine(*s, 60)
}
