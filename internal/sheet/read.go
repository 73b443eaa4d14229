package sheet

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"tocsin"
	"tocsin/internal/paste"
)

// Line is one line of a table that names a subject, or should.
type Line struct {
	Number  int    // from 1; 0 for what was not read from a table
	Text    string // the cell with the subject, or the one that was probably meant as one
	Subject tocsin.Subject
	Fault   *tocsin.Error // why no cell of the line is a subject; nil if one is
	Cells   []string      // of the columns of the table; nil if it has one
}

// Row is the line as it is written in a table with commas.
func (l Line) Row() string {
	if l.Cells == nil {
		return row([]string{l.Text})
	}
	return row(l.Cells)
}

// row writes cells with commas between them. A cell with a mark that separates cells, also in other tables, is in
// quotes.
func row(cells []string) string {
	quoted := make([]string, len(cells))
	for i, c := range cells {
		if quoted[i] = c; strings.ContainsAny(c, ",;\t\"") {
			quoted[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ",")
}

// Table is what was read of a table.
type Table struct {
	Head  *Line // the line with the names of the columns; nil for none
	Lines []Line
	Width int  // columns, as many as the first line has
	More  bool // there are more lines than were asked for
}

// Columns are the names of the columns; nil for a table of one column.
func (t Table) Columns() []string {
	if t.Head != nil {
		return names(t.Head.Cells, t.Width)
	}
	return names(nil, t.Width)
}

// names are the names of columns. Those that have none are numbered. One that another column has, or that a [Writer]
// gives to a column of its own, gets a number as well: programs that read columns by their names take the last one of
// a name, so a list of a stranger with a column "riskLevel" would answer for itself.
func names(given []string, width int) (all []string) {
	if width == 1 {
		return nil
	}
	taken := map[string]bool{lineColumn: true}
	for _, c := range Columns {
		taken[folded(c)] = true
	}
	for i := range width {
		name := fmt.Sprintf("column %d", i+1)
		if i < len(given) && given[i] != "" {
			name = given[i]
		}
		for once, n := name, 2; taken[folded(name)]; n++ {
			name = fmt.Sprintf("%s (%d)", once, n)
		}
		taken[folded(name)] = true
		all = append(all, name)
	}
	return all
}

// folded is a name of a column as it is compared, as it is written ([cell]) and without regard to case.
func folded(name string) string { return strings.ToLower(cell(name)) }

// Read returns the lines of a table, as a [Reader] does. It stops after limit lines, or [maxRows] times as many with
// the empty ones, and then there are more.
func Read(text string, limit int) (t Table) {
	r := NewReader(strings.NewReader(text))
	r.most = maxRows * limit
	for {
		l, err := r.Read()
		t.Head, t.Width = r.head, r.width
		if t.More = errors.Is(err, errMore) || err == nil && len(t.Lines) == limit; t.More || err != nil {
			return t
		}
		t.Lines = append(t.Lines, l)
	}
}

// Reader reads a text with subjects line by line: one a line or, in a table with commas, semicolons or tabs, the first
// cell of each line that is a subject. Empty lines are left out, and so is a first line of which no cell looks like a
// subject: the names of the columns. Quotes around cells and an apostrophe in front are removed. Of a line of which no
// cell is a subject, the one says why that was probably meant as one.
type Reader struct {
	in     *bufio.Reader
	number int  // of the last line
	most   int  // lines, also empty ones; 0 for no bound
	comma  rune // what separates the cells of the first line; 0 for nothing
	width  int  // cells of the first line; 0 before it was read
	column int  // of the last subject
	head   *Line
}

// NewReader returns a reader of a text.
func NewReader(in io.Reader) *Reader { return &Reader{in: bufio.NewReader(Text(in))} }

// Text reads a text as UTF-8. A byte order mark in front is left out, and one of UTF-16 says that the text is that:
// Excel writes both.
func Text(in io.Reader) io.Reader {
	return transform.NewReader(in, unicode.BOMOverride(transform.Nop))
}

// Columns are the names of the columns, once a line was read; nil for a table of one column.
func (r *Reader) Columns() []string { return Table{Head: r.head, Width: r.width}.Columns() }

// errMore is the error of a text with too many lines.
var errMore = errors.New("too many lines")

// Read returns the next line that is not empty. At the end the error is [io.EOF].
func (r *Reader) Read() (Line, error) {
	for {
		text, err := r.in.ReadString('\n')
		if text == "" || err != nil && !errors.Is(err, io.EOF) {
			return Line{}, err
		}
		if r.number++; r.most > 0 && r.number > r.most {
			return Line{}, errMore
		}
		text = strings.TrimRight(text, "\r\n")
		comma, first := r.comma, r.width == 0
		if comma == 0 {
			comma = commaOf(text)
		}
		cells := cellsOf(text, comma)
		if strings.Join(cells, "") == "" {
			continue
		}
		l := r.line(text, comma, cells)
		if first {
			r.width, r.comma = min(len(cells), maxColumns), comma
		}
		if r.width > 1 {
			l.Cells = r.columns(cells)
		}
		if first && l.Fault != nil && !looksLikeOne(cells) {
			r.head = &l
			continue
		}
		return l, nil
	}
}

// line finds the subject in the cells of a line or, since people write commas in tables with semicolons, between other
// separators.
func (r *Reader) line(text string, comma rune, cells []string) Line {
	l := Line{Number: r.number}
	for _, other := range []rune{comma, '\t', ';', ','} {
		split := cells
		if other != comma {
			if !strings.ContainsRune(text, other) {
				continue
			}
			split = cellsOf(text, other)
		}
		for i, c := range split {
			if subject, fault := paste.Cell(c); fault == nil {
				if other == comma {
					r.column = i
				}
				l.Text, l.Subject = c, subject
				return l
			}
		}
	}
	l.Text = r.meant(cells)
	_, l.Fault = paste.Cell(l.Text)
	return l
}

// meant returns the cell that was probably meant as a subject: that in the column of the last one, or else the longest
// that looks like one, or the first.
func (r *Reader) meant(cells []string) (text string) {
	if r.column < len(cells) && r.column > 0 && cells[r.column] != "" {
		return cells[r.column]
	}
	for _, c := range cells {
		if likely(c) && (len(c) > len(text) || !likely(text)) || text == "" {
			text = c
		}
	}
	return text
}

// columns are the cells in the columns of the table. What is beyond the last column is a part of it: a comma in a text
// without quotes.
func (r *Reader) columns(cells []string) []string {
	all := make([]string, r.width)
	copy(all, cells)
	if len(cells) > r.width {
		all[r.width-1] = strings.Join(cells[r.width-1:], ", ")
	}
	for i := range all {
		all[i] = tocsin.Shorten(all[i], maxCell)
	}
	return all
}

// Tables of strangers are read before anybody pays: 125,000 empty lines, or cells in one, would take a second.
const (
	maxRows    = 20  // lines, also empty ones, for each line that Read returns at most
	maxCells   = 100 // cells of a line that are looked at
	maxColumns = 30  // that are kept
	maxCell    = 500 // characters of a cell that is kept
)

// looksLikeOne reports whether a cell of the first line was probably meant as a subject, so that these are not the
// names of columns. "Risk 2026" may be one.
func looksLikeOne(cells []string) bool {
	for _, c := range cells {
		if likely(c) && (len(cells) == 1 || !strings.Contains(c, " ")) {
			return true
		}
	}
	return false
}

// likely reports whether a text was probably meant as a subject: it has a digit, a point or a colon.
func likely(text string) bool { return strings.ContainsAny(text, "0123456789.:") }

// commaOf returns what separates the cells of a line; 0 for nothing.
func commaOf(text string) rune {
	switch semicolons, commas := strings.Count(text, ";"), strings.Count(text, ","); {
	case strings.Contains(text, "\t"):
		return '\t'
	case semicolons > commas:
		return ';'
	case commas > 0:
		return ','
	}
	return 0
}

// cellsOf splits a line into its cells.
func cellsOf(text string, comma rune) []string {
	r := csv.NewReader(strings.NewReader(text))
	r.LazyQuotes, r.TrimLeadingSpace, r.FieldsPerRecord = true, true, -1
	if comma != 0 {
		r.Comma = comma
	}
	record, err := r.Read()
	if err != nil {
		record = []string{text}
	}
	cells := make([]string, min(len(record), maxCells))
	for i := range cells {
		cells[i] = strings.TrimPrefix(tocsin.CleanText(record[i]), "'")
		if strings.TrimSpace(cells[i]) == "" {
			cells[i] = ""
		}
	}
	return cells
}
