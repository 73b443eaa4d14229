// Package sheet writes answers about many subjects as a table (CSV, RFC 4180), and finds the subjects in a table.
package sheet

import (
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"tocsin"
)

// Columns are the names of the columns.
var Columns = []string{"input", "subject", "riskLevel", "riskScore", "recommendation", "result", "reason"}

const (
	// Fault is the result of an input that names no subject.
	Fault = "error"
	// Skipped is the result of a subject that was not screened.
	Skipped = "not_looked_up"
)

// Writer writes a table, one row at a time.
type Writer struct{ csv *csv.Writer }

// NewWriter returns a writer that has written the names of the columns. An error of out is returned by the first row.
func NewWriter(out io.Writer) *Writer {
	w := &Writer{csv.NewWriter(out)}
	w.csv.Write(Columns) // buffered; its error stays
	return w
}

// Screened writes what is known about the subject that an input names, and hands it on at once.
func (w *Writer) Screened(input string, subject tocsin.Subject, s tocsin.Screening) error {
	return w.row(input, subject.String(), string(s.RiskLevel), strconv.Itoa(s.RiskScore), string(s.Recommendation),
		string(s.Result), Why(s))
}

// Skipped writes why a subject was not screened.
func (w *Writer) Skipped(input string, subject tocsin.Subject, reason string) error {
	return w.row(input, subject.String(), "", "", "", Skipped, reason)
}

// Failed writes why an input names no subject.
func (w *Writer) Failed(input, reason string) error {
	return w.row(input, "", "", "", "", Fault, reason)
}

func (w *Writer) row(cells ...string) error {
	for i := range cells {
		cells[i] = cell(cells[i])
	}
	w.csv.Write(cells)
	w.csv.Flush()
	return w.csv.Error()
}

// formulas are the characters that a formula begins with, in full width too.
const formulas = "=+-@\u2212\uFF1D\uFF0B\uFF0D\uFF20"

// inside matches a formula behind a semicolon, which many spreadsheets of Europe take for the end of a cell.
var inside = regexp.MustCompile(`(;[ "']*)([` + regexp.QuoteMeta(formulas) + `])`)

// cell makes a text that others chose safe for a spreadsheet. A spreadsheet runs a cell as a formula if it begins
// with one of = + - @, also in full width, or with a tab or a carriage return before one; an apostrophe in front makes
// it text (OWASP, CSV Injection). Line breaks become spaces, so that each input stays one line for tools that do not
// know quotes. Characters that are invisible or that a terminal obeys are left out.
func cell(text string) string {
	text = strings.Join(strings.Fields(tocsin.CleanText(text)), " ")
	text = inside.ReplaceAllString(text, "$1'$2")
	if first, _ := utf8.DecodeRuneInString(text); text != "" && strings.ContainsRune(formulas, first) {
		return "'" + text
	}
	return text
}

// Why explains a score in a few words.
func Why(s tocsin.Screening) string {
	switch {
	case len(s.Factors) > 0:
	case s.Safelisted:
		return "on a safelist"
	case s.Result == tocsin.Caution:
		return "reports on record, which score nothing by themselves"
	default:
		return "nothing on record, which does not make it safe"
	}
	parts := make([]string, len(s.Factors))
	for i, f := range s.Factors {
		parts[i] = fmt.Sprintf("%s (%+d)", f.Detail, f.Points)
	}
	return strings.Join(parts, "; ")
}

// Reason explains why a text is not a subject.
func Reason(fault *tocsin.Error) string {
	if len(fault.Fields) == 0 {
		return fault.Detail
	}
	return fault.Fields[0].Reason + "; " + fault.Fields[0].Fix
}
