package sheet

import (
	"encoding/csv"
	"strings"

	"tocsin"
)

// Line is one line of a table that names a subject, or should.
type Line struct {
	Number  int    // from 1
	Text    string // the cell with the subject, or the first cell
	Subject tocsin.Subject
	Fault   *tocsin.Error // why no cell of the line is a subject; nil if one is
}

// Read returns the lines of a text with subjects: one a line or, in a table with commas, semicolons or tabs, the first
// cell of each line that is a subject. Empty lines are left out, and so is a first line of which no cell looks like
// one: the names of the columns. Quotes around cells and an apostrophe in front are removed. Of a line of which no cell
// is a subject, the first cell that looks like one says why. Read stops after limit lines, or [maxRows] times as many
// with the empty ones, and then more is true.
func Read(text string, limit int) (lines []Line, more bool) {
	text = strings.TrimPrefix(text, "\ufeff") // as Excel writes
	number := 0
	for row := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if number++; number > maxRows*limit {
			return lines, true
		}
		cells := cellsOf(row)
		if len(cells) == 0 {
			continue
		}
		l := Line{Number: number, Text: cells[0]}
		looks := false
		for i, c := range cells {
			subject, fault := tocsin.ParseSubject(c)
			if fault == nil {
				l.Text, l.Subject, l.Fault = c, subject, nil
				looks = true
				break
			}
			if i == 0 || !looks && likely(c) {
				l.Text, l.Fault = c, fault
			}
			looks = looks || likely(c)
		}
		if !looks && number == 1 {
			continue
		}
		if len(lines) == limit {
			return lines, true
		}
		lines = append(lines, l)
	}
	return lines, false
}

// Tables of strangers are read before anybody pays: 125,000 empty lines, or cells in one, would take a second.
const (
	maxRows  = 20  // lines, also empty ones, for each line that Read returns at most
	maxCells = 100 // cells of a line that are looked at
)

// likely reports whether a text was probably meant as a subject: it has a digit, a point or a colon.
func likely(text string) bool { return strings.ContainsAny(text, "0123456789.:") }

// cellsOf splits a line into its cells, without those that are empty.
func cellsOf(row string) (cells []string) {
	r := csv.NewReader(strings.NewReader(row))
	r.LazyQuotes, r.TrimLeadingSpace, r.FieldsPerRecord = true, true, -1
	switch {
	case strings.Contains(row, "\t"):
		r.Comma = '\t'
	case strings.Contains(row, ";") && !strings.Contains(row, ","):
		r.Comma = ';'
	}
	record, err := r.Read()
	if err != nil {
		record = []string{row}
	}
	for _, c := range record[:min(len(record), maxCells)] {
		if c = strings.TrimPrefix(tocsin.CleanText(c), "'"); strings.TrimSpace(c) != "" {
			cells = append(cells, c)
		}
	}
	return cells
}
