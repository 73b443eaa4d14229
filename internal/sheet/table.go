package sheet

import (
	"fmt"
	"strings"

	"tocsin"
	"tocsin/internal/paste"
)

// Line is one subject of a table, or a row of it that names none. A row has a line for each of the columns that are
// read, so it may have several, one behind another.
type Line struct {
	Number  int    // of the row, from 1; 0 for what was not read from a table
	Text    string // the cell with the subject, or the one that was meant as one; "" if there is nothing in it
	Subject tocsin.Subject
	Fault   *tocsin.Error // why Text is no subject; nil if it is one
	Column  string        // the name of the column of Text; "" in a list, and where the row does not keep its columns
	Solana  bool          // Text is an address of Solana without a prefix, and was read as one
	ByChain bool          // Text is an account of that chain because the row says so
	// Meant is the account on record of which Text has the characters, but with other capital letters; then there is a
	// Fault. It is the zero value for none.
	Meant tocsin.Subject
	// Chain is what the row says of the chain in the column ChainColumn, if Subject is not of it, or if Text was not read
	// and has the form of an address of Solana; "" if nothing does.
	Chain, ChainColumn string

	Again bool     // an earlier line is of the same row
	Cells []string // of the row, in the columns of the table; nil if it has one
	Comma rune     // what separates the cells; 0 for a comma
}

// Row is the row of the line as it is written in a table.
func (l Line) Row() string {
	if l.Cells == nil {
		if l.Text == "" {
			return `""` // an empty line is no row
		}
		return row([]string{l.Text}, ',')
	}
	return row(l.Cells, l.Comma)
}

// row writes cells with a mark between them. A cell with a mark that separates cells, also in other tables, is in
// quotes.
func row(cells []string, comma rune) string {
	quoted := make([]string, len(cells))
	for i, c := range cells {
		if quoted[i] = c; strings.ContainsAny(c, ",;\t\"") {
			quoted[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
	}
	if comma == 0 {
		comma = ','
	}
	return strings.Join(quoted, string(comma))
}

// Options say how a table is read.
type Options struct {
	Columns []int    // indices of those that name the subjects; nil to choose by what they hold
	Names   []string // their names, in place of the indices; a table without one of them is not read
	Comma   rune     // what separates the cells; 0 to find out
	// Solana reports whether an address of Solana without a prefix, which may be something else, is read as one; nil
	// for never.
	Solana func(tocsin.Subject) bool
	// Token reports whether the token of a payment request is known as one, so that who gets the money is screened; nil
	// for never.
	Token func(paste.Transfer) bool
	// Respelled returns the account on record that a text is but for the case of its letters, and the zero value for none;
	// nil to look for none.
	Respelled func(text string) tocsin.Subject
	// Left is called with each account that is not screened, before the line of its row is returned; it may be nil.
	Left func(Left)
}

// Left is an account in the rows of a table that is not screened, because its column is not read.
type Left struct {
	Number  int // of the row
	Column  int // its index; 0 of a list
	Subject tocsin.Subject
}

// Table is what was read of a table.
type Table struct {
	Layout
	Lines    []Line
	Rows     int  // that the lines are of
	Rest     int  // the first row that was not read, because there are more lines than were asked for; 0 for none
	Workbook bool // it is a workbook of Excel, and was not read
}

// Layout is the form of a table, and what was found beside its subjects.
type Layout struct {
	Head     *Line    // the row with the names of the columns; nil for none
	Names    []string // of the columns; nil for a table of one
	Comma    rune     // what separates the cells; 0 for a list
	Columns  []Column // nil for a table of one
	Beside   int      // accounts in other columns of the rows, and in other words of a list, which are not screened
	Solana   int      // cells that may be an address of Solana, and were not read as one
	ByChain  int      // lines that are of a chain because their rows say so
	Contrary int      // lines of which the row says another chain than their address
	Marked   bool     // see [Lines.Marked]
}

// names are the names of columns. Those that have none are numbered. One that another column has, or that a [Writer]
// gives to a column of its own, gets a number as well: programs that read columns by their names take the last one of
// a name, so a list of a stranger with a column "riskLevel" would answer for itself.
func names(given []string, width int) (all []string) {
	if width == 1 {
		return nil
	}
	taken := map[string]bool{lineColumn: true, folded(readColumn): true}
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
