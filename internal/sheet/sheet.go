// Package sheet writes answers about many subjects as a table (CSV, RFC 4180), and finds the subjects in a table.
package sheet

import (
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tocsin"
	"tocsin/internal/answer"
)

// Columns are the names of the first columns of every table. Programs read the first seven by their place, so those do
// not change. The verdict and what to do are in the words of the site: the level CLEAN alone would read as safe. If the
// input was a table with more than one column, the number of the line and all columns of the input follow.
var Columns = []string{"input", "subject", "riskLevel", "riskScore", "recommendation", "result", "reason",
	"verdict", "whatToDo", "screenedAt"}

// lineColumn is the name of the column with the number of the line.
const lineColumn = "line"

const (
	// Fault is the result of an input that names no subject.
	Fault = "error"
	// Skipped is the result of a subject that was not screened.
	Skipped = "not_looked_up"
)

// Writer writes a table, one row at a time.
type Writer struct {
	csv *csv.Writer
	own int // columns of the input that it writes
}

// NewWriter returns a writer that has written the names of the columns: of its own and then those of the input, nil if
// it was a table of one column. An error of out is returned by the first row.
func NewWriter(out io.Writer, input []string) *Writer {
	w := &Writer{csv.NewWriter(out), len(input)}
	head := slices.Clone(Columns)
	if w.own > 0 {
		head = slices.Concat(head, []string{lineColumn}, input)
	}
	w.write(head) // buffered; its error stays
	return w
}

// Screened writes what is known about the subject of a line, in the language of the answer, and hands it on at once.
func (w *Writer) Screened(l Line, a answer.Answer) error {
	return w.row(l, string(a.RiskLevel), strconv.Itoa(a.RiskScore), string(a.Recommendation), string(a.Result),
		a.Because(), a.Word(), a.Lang.Text(answer.WhatToDo(a.RiskLevel)), a.AsOf.Std().UTC().Format(time.RFC3339))
}

// Skipped writes why the subject of a line was not screened.
func (w *Writer) Skipped(l Line, why string) error {
	return w.row(l, "", "", "", Skipped, why, "Not looked up", "Treat it as unknown until it is looked up.", "")
}

// Failed writes why a line names no subject.
func (w *Writer) Failed(l Line, why string) error {
	return w.row(l, "", "", "", Fault, why, "No subject", "Correct it, and send it again.", "")
}

func (w *Writer) row(l Line, said ...string) error {
	cells := slices.Concat([]string{l.Text, l.Subject.String()}, said)
	if w.own > 0 {
		own := make([]string, w.own)
		copy(own, l.Cells)
		cells = slices.Concat(cells, []string{strconv.Itoa(l.Number)}, own)
	}
	w.write(cells)
	w.csv.Flush()
	return w.csv.Error()
}

func (w *Writer) write(cells []string) {
	for i := range cells {
		cells[i] = cell(cells[i])
	}
	w.csv.Write(cells)
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
