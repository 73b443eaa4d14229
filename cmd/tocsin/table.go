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
	wraps bool // the column that gives way, which is the last one, goes on in further lines instead of being shortened
}

// maxCell is how long a cell can be, and wideCell how long one that makes its column wider in a table that is whole.
const (
	maxCell  = 1000
	wideCell = 44
)

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
			if n := utf8.RuneCountInString(cell); !t.whole || n <= wideCell { // a line with a wider one is out of line
				widths[i] = max(widths[i], n)
			}
		}
	}
	if t.whole {
		t.wraps = false
		return t.write(out, widths, maxCell)
	}
	used := 2 * (len(widths) - 1)
	for _, w := range widths {
		used += w
	}
	if over := used - lineWidth; over > 0 {
		widths[t.give] = max(utf8.RuneCountInString(t.rows[0][t.give]), widths[t.give]-over)
	}
	return t.write(out, widths, 0)
}

// write writes the rows, of which each cell is shortened to the width of its column, or to the least width if that is
// more.
func (t *table) write(out io.Writer, widths []int, least int) error {
	var b strings.Builder
	for _, row := range t.rows {
		line, indent, more := "", "", []string(nil)
		for i, cell := range row {
			if i == t.give && t.wraps {
				lines := wrap(cell, widths[i])
				cell, more, indent = lines[0], lines[1:], strings.Repeat(" ", utf8.RuneCountInString(line))
			} else {
				cell = tocsin.Shorten(cell, max(widths[i], least))
			}
			line += fmt.Sprintf("%-*s  ", widths[i], cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		for _, line := range more {
			b.WriteString(indent + line + "\n")
		}
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
