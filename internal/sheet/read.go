package sheet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"tocsin"
)

// Read returns the lines of a table, as a [Reader] does. It stops after limit lines, or [maxRows] times as many rows
// with the empty ones.
func Read(text string, limit int, o Options) (t Table) {
	r := NewReader(strings.NewReader(text), o)
	r.most = maxRows * limit
	for {
		lines, err := r.row()
		if t.Layout = r.Layout; err != nil {
			t.Workbook = errors.Is(err, ErrWorkbook)
			if errors.Is(err, errMore) {
				t.Rest = r.number
			}
			return t
		}
		if len(t.Lines)+len(lines) > limit {
			t.Rest = lines[0].Number
			return t
		}
		t.Rows++
		t.Lines = append(t.Lines, lines...)
	}
}

// Reader reads a text with subjects: one a line or, in a table with commas, semicolons or tabs, those in the columns
// that mostly hold subjects. The columns are chosen for the table as a whole, so that a cell of another one, such as
// the name of a firm that looks like a website, never takes the place of an account. Empty rows are left out, and so
// is a first row with the names of the columns. Quotes around cells and an apostrophe in front are removed.
type Reader struct {
	Layout
	options Options
	in      *Lines
	number  int      // of the last row
	most    int      // rows, also empty ones; 0 for no bound
	ahead   []record // that were read to choose the columns
	begun   bool
	fault   error       // behind the records that were read ahead
	width   int         // cells of the first row
	read    []int       // columns
	chains  map[int]int // the column with the chain, by one that is read
	queue   []Line      // of the row that [Reader.Read] has read
}

// record is a row of a table that is not empty.
type record struct {
	number int
	text   string
}

// NewReader returns a reader of a text.
func NewReader(in io.Reader, o Options) *Reader { return &Reader{in: NewLines(in), options: o} }

// errMore is the error of a text with too many lines.
var errMore = errors.New("too many lines")

// Read returns the next line. At the end the error is [io.EOF], and [ErrWorkbook] for a workbook of Excel.
func (r *Reader) Read() (Line, error) {
	if len(r.queue) == 0 {
		lines, err := r.row()
		if err != nil {
			return Line{}, err
		}
		r.queue = lines
	}
	l := r.queue[0]
	r.queue = r.queue[1:]
	return l, nil
}

// row returns the lines of the next row.
func (r *Reader) row() ([]Line, error) {
	if !r.begun {
		r.begun = true
		r.begin()
	}
	var next record
	if len(r.ahead) > 0 {
		next, r.ahead = r.ahead[0], r.ahead[1:]
	} else if r.fault != nil {
		return nil, r.fault
	} else if next, r.fault = r.next(); r.fault != nil {
		return nil, r.fault
	}
	if r.width == 1 {
		return []Line{r.ofList(next)}, nil
	}
	return r.ofTable(next), nil
}

// declared matches the first line by which Excel knows what separates the cells.
var declared = regexp.MustCompile(`(?i)^"?sep=([,;\t])"?[,;\t]*$`)

// next returns the next record that is not empty.
func (r *Reader) next() (record, error) {
	for {
		text, err := r.in.record()
		r.Marked = r.in.Marked()
		if err != nil {
			return record{}, err
		}
		if r.number++; r.most > 0 && r.number > r.most {
			return record{}, errMore
		}
		if m := declared.FindStringSubmatch(text); m != nil && r.number == 1 {
			if r.options.Comma == 0 {
				r.options.Comma = rune(m[1][0])
			}
			continue
		}
		if text == `""` || strings.Trim(text, " \t,;\"\u00a0") != "" {
			return record{r.number, text}, nil
		}
	}
}

// begin reads as many rows as are needed to know the form of the table.
func (r *Reader) begin() {
	for r.fault == nil && len(r.ahead) < sampled {
		next, err := r.next()
		if r.fault = err; err == nil {
			r.ahead = append(r.ahead, next)
		}
		if isList(r.ahead) {
			break // it is read as it comes
		}
	}
	r.ahead = r.ahead[titles(r.ahead):]
	if r.width = 1; len(r.ahead) == 0 {
		return
	}
	if r.Comma = r.options.Comma; r.Comma == 0 {
		texts := make([]string, min(len(r.ahead), maxCompared))
		for i := range texts {
			texts[i] = r.ahead[i].text
		}
		r.Comma = separatorOf(texts)
	}
	if r.Comma != 0 {
		r.width = len(cellsOf(r.ahead[0].text, r.Comma))
	}
	if r.width == 1 {
		r.Comma = 0
		r.headOfList()
		if names := r.options.Names; len(names) > 0 && (r.Head == nil || folded(r.Head.Text) != folded(names[0])) {
			r.ahead, r.fault = nil, fmt.Errorf("there is no column %q: the text has one column", names[0])
		}
		return
	}
	r.chooseColumns()
}

// headOfList sets aside the first row of a list if it is the name of its column.
func (r *Reader) headOfList() {
	first := cellsOf(r.ahead[0].text, 0)[0]
	if first != "" && !likely(first) && len(subjectsIn(r.ahead[0].text)) == 0 {
		r.Head = &Line{Number: r.ahead[0].number, Text: first}
		r.ahead = r.ahead[1:]
	}
}

// chooseColumns counts what the columns hold, chooses those that are read, and sets the names of the columns aside.
func (r *Reader) chooseColumns() {
	rows := make([][]string, len(r.ahead))
	for i, next := range r.ahead {
		rows[i] = cellsOf(next.text, r.Comma)
	}
	heading := len(rows) > 1 || !slices.ContainsFunc(rows[0], likely)
	for _, c := range rows[0] {
		h, _ := held(c)
		heading = heading && (h == words || h == empty)
	}
	counted := rows
	if heading {
		counted = rows[1:]
	}
	r.Columns = make([]Column, r.width)
	for i := range r.Columns {
		r.Columns[i].Index = i
		for _, cells := range counted {
			if i < len(cells) {
				h, _ := held(cells[i])
				r.Columns[i].add(h)
			}
		}
	}
	for _, i := range r.options.Columns {
		if i >= 0 && i < r.width && !slices.Contains(r.read, i) {
			r.read = append(r.read, i)
		}
	}
	if slices.Sort(r.read); len(r.read) == 0 {
		r.read = choose(r.Columns)
	}
	named := len(r.read) > 0 // a name over each column that is read tells names from cells with digits
	for _, i := range r.read {
		h, _ := held(rows[0][i])
		named = named && h == words
	}
	if heading && (named || !looksLikeOne(rows[0])) {
		r.Head = &Line{Number: r.ahead[0].number, Cells: r.columns(rows[0]), Comma: r.Comma}
		r.ahead = r.ahead[1:]
		r.Names = names(r.Head.Cells, r.width)
	} else {
		r.Names, counted = names(nil, r.width), rows
	}
	r.readNamed()
	for i := range r.Columns {
		c := &r.Columns[i]
		c.Name, c.Read, c.Rows = r.Names[i], slices.Contains(r.read, i), len(counted)
	}
	r.chooseChains(counted)
}

// readNamed chooses the columns that were asked for by their names.
func (r *Reader) readNamed() {
	if len(r.options.Names) > 0 {
		r.read = nil
	}
	for _, name := range r.options.Names {
		same := func(n string) bool { return folded(n) == folded(name) }
		i := slices.IndexFunc(r.Names, same)
		if i < 0 && r.Head != nil { // as it was, before it got a number because a column of ours has the name
			i = slices.IndexFunc(r.Head.Cells, same)
		}
		if i < 0 {
			r.ahead, r.fault = nil, fmt.Errorf("there is no column %q, but %q", name, r.Names)
		}
		r.read = append(r.read, i)
	}
}

// ofList reads a row of a list: the first subject of it, an account before a website.
func (r *Reader) ofList(next record) Line {
	texts := subjectsIn(next.text)
	if len(texts) == 0 {
		cells := cellsOf(next.text, 0)
		if all := separatorsIn(next.text); len(all) > 0 {
			cells = cellsOf(next.text, all[0])
		}
		texts = []string{meant(cells)}
	}
	for _, c := range texts[1:] {
		for _, subject := range accountsIn(c) {
			r.leave(Left{Number: next.number, Subject: subject})
		}
	}
	return r.line(next.number, texts[0])
}

// ofTable reads a row of a table.
func (r *Reader) ofTable(next record) (lines []Line) {
	cells := cellsOf(next.text, r.Comma)
	own, found, beside := r.columns(cells), 0, []Left(nil)
	add := func(l Line, column string) {
		l.Column, l.Cells, l.Comma, l.Again = column, own, r.Comma, len(lines) > 0
		for i := range lines {
			if lines[i].Fault == nil && l.Fault == nil && lines[i].Subject == l.Subject {
				lines[i].Column += ", " + column
				return
			}
		}
		if lines = append(lines, l); l.Fault == nil {
			found++
		}
	}
	for i, c := range cells {
		if i < r.width && slices.Contains(r.read, i) && !IsBlank(c) {
			for _, l := range r.cell(next.number, c, i, cells) {
				add(l, r.Names[i])
			}
			continue
		}
		for _, subject := range accountsIn(c) {
			beside = append(beside, Left{next.number, min(i, r.width-1), subject})
		}
	}
	if found == 0 && len(cells) > r.width { // a mark in a text without quotes has moved the columns
		if texts := preferred(cells); len(texts) > 0 {
			lines, beside = nil, nil
			for _, c := range texts {
				add(r.line(next.number, c), "")
			}
		}
	}
	for _, left := range beside {
		r.Columns[left.Column].Beside++
		r.leave(left)
	}
	if len(lines) == 0 {
		switch len(r.read) {
		case 0:
			add(r.line(next.number, meant(cells)), "")
		case 1:
			add(r.line(next.number, own[r.read[0]]), r.Names[r.read[0]])
		default:
			add(r.line(next.number, ""), "")
		}
	}
	return lines
}

// leave counts an account that is not screened.
func (r *Reader) leave(left Left) {
	if r.Beside++; r.options.Left != nil {
		r.options.Left(left)
	}
}

// line is the line of a text that names a subject, or was meant to.
func (r *Reader) line(number int, text string) Line {
	l := One(text, r.options)
	l.Number = number
	if _, bare := tocsin.BareSolana(text); bare && !l.Solana && l.Meant == (tocsin.Subject{}) {
		r.Solana++
	}
	return l
}

// columns are the cells in the columns of the table. What is beyond the last column is a part of it: a comma in a text
// without quotes.
func (r *Reader) columns(cells []string) []string {
	all := make([]string, r.width)
	copy(all, cells)
	if len(cells) > r.width {
		all[r.width-1] = strings.Join(cells[r.width-1:], string(r.Comma)+" ")
	}
	for i := range all {
		all[i] = tocsin.Shorten(all[i], maxCell)
	}
	return all
}

// Tables of strangers are read before anybody pays: 125,000 empty lines, or cells in one, would take a second.
const (
	maxRows  = 20   // rows, also empty ones, for each line that Read returns at most
	sampled  = 1000 // rows by which the columns are chosen
	maxCells = 100  // cells of a row that are read
	maxCell  = 500  // characters of a cell that is kept
)

// looksLikeOne reports whether a cell of the first row was probably meant as a subject, so that these are not the
// names of columns. "Risk 2026" may be one.
func looksLikeOne(cells []string) bool {
	return slices.ContainsFunc(cells, func(c string) bool { return likely(c) && !strings.Contains(c, " ") })
}

// likely reports whether a text was probably meant as a subject: it has a digit, a point or a colon.
func likely(text string) bool { return strings.ContainsAny(text, "0123456789.:") }

// indented matches the space in front of a cell of a table with tabs.
var indented = regexp.MustCompile(`(^|\t)[ \x{a0}]+`)

// cellsOf splits a line into its cells; 0 separates none.
func cellsOf(text string, comma rune) []string {
	if comma == '\t' { // TrimLeadingSpace would take an empty cell for space
		text = indented.ReplaceAllString(text, "$1")
	}
	r := csv.NewReader(strings.NewReader(text))
	r.LazyQuotes, r.TrimLeadingSpace, r.FieldsPerRecord = true, comma != '\t', -1
	if r.Comma = comma; comma == 0 {
		r.Comma = '\x1f' // which no line has: CleanText leaves it out
	}
	record, err := r.Read()
	if err != nil {
		record = []string{text}
	}
	cells := make([]string, min(len(record), maxCells))
	for i := range cells {
		cells[i] = strings.TrimSpace(strings.TrimPrefix(tocsin.CleanText(record[i]), "'"))
	}
	return cells
}
