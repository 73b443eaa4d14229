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
// not change. The verdict and what to do are in the words of the site: the level CLEAN alone would read as safe. The
// others are for those who must show later what an answer rested on: the lists that name the subject, since when each
// has done so, their pages, the version of the score, the date of the sanctions list, whether that names the subject
// (yes or no), as whom and under which program, since when each entry is on record here, what lists have said and
// dropped, and from which day on it is known what the sanctions list has. If the input was a table with more than one
// column, the number of the row, the name of the column that was read and all columns of the input follow.
var Columns = []string{"input", "subject", "riskLevel", "riskScore", "recommendation", "result", "reason",
	"verdict", "whatToDo", "screenedAt", "lists", "since", "url", "scoreVersion", "sanctionsListDate", "sanctioned",
	"sanctionsName", "sanctionsProgram", "recordedSince", "earlier", "sanctionsRecordedSince"}

// lineColumn is the name of the column with the number of the row, readColumn that of the column with the name of the
// column that was read.
const lineColumn, readColumn = "line", "columnRead"

const (
	// Fault is the result of an input that names no subject.
	Fault = "error"
	// Skipped is the result of a subject that was not screened.
	Skipped = "not_looked_up"
)

// Form is the form of a table that is written: that of the table that was read.
type Form struct {
	Names []string // of the columns of the input; nil if it was a table of one
	// Others are the columns of the input that may identify a row: those with neither the subjects nor their chains.
	Others []int
	Comma  rune // what separates the cells; 0 for a comma
	Mark   bool // a byte order mark in front, by which Excel knows UTF-8
	// Recorded is since when what the list of sanctions says and drops is on record; nil if that is not known.
	Recorded *tocsin.Time
	// Lists are the names of the lists on record, by which [Compare] knows what a list that was removed has changed; nil
	// if they are not known.
	Lists []string
}

// Form is the form of the answers about a table.
func (l Layout) Form() Form {
	f := Form{Names: l.Names, Comma: l.Comma, Mark: l.Marked}
	for i, c := range l.Columns {
		if !c.Read && !c.Chain {
			f.Others = append(f.Others, i)
		}
	}
	return f
}

// Writer writes a table, one row at a time.
type Writer struct {
	csv   *csv.Writer
	names []string // of the columns of the input, which follow
	more  int      // columns between ours and those
	since string   // the day of [Form.Recorded]
	// take writes the row of a line, or keeps it. The answer is nil of a line without one.
	take func(l Line, a *answer.Answer, cells []string) error
}

// NewWriter returns a writer that has written the names of the columns: of its own and then those of the input. An
// error of out is returned by the first row.
func NewWriter(out io.Writer, f Form) *Writer { return newWriter(out, f, nil) }

// newWriter returns a writer with more columns behind ours.
func newWriter(out io.Writer, f Form, more []string) *Writer {
	w := &Writer{csv: csv.NewWriter(out), names: f.Names, more: len(more), since: day(f.Recorded)}
	w.take = func(_ Line, _ *answer.Answer, cells []string) error {
		if err := w.write(cells); err != nil {
			return err
		}
		w.csv.Flush()
		return w.csv.Error()
	}
	if f.Comma != 0 {
		w.csv.Comma = f.Comma
	}
	head := slices.Concat(Columns, more)
	if len(f.Names) > 0 {
		head = slices.Concat(head, []string{lineColumn, readColumn}, f.Names)
	}
	clean(head)
	if f.Mark {
		head[0] = "\ufeff" + head[0]
	}
	w.csv.Write(head) // buffered; its error stays
	return w
}

// Screened writes what is known about the subject of a line, in the language of the answer, and what lists say and have
// said of it, and hands it on at once.
func (w *Writer) Screened(l Line, a answer.Answer, history []tocsin.DatedListing) error {
	lists, since, pages := sources(a)
	recorded, earlier := dated(a, history)
	sanctioned, names, programs := sanctions(a)
	reasons := a.Reasons(history, iso)
	a.AddHistory(history)
	recommended := a.Recommendation
	if a.Unsettled() {
		recommended = tocsin.Review // a program that reads the table lifts no block
	}
	if note := l.Note(a.Lang); note != "" {
		reasons = append(reasons, note)
	}
	return w.row(l, &a, string(a.RiskLevel), strconv.Itoa(a.RiskScore), string(recommended), string(a.Result),
		strings.Join(reasons, "; "), a.Word(), a.ToDo(),
		a.AsOf.Std().UTC().Format(time.RFC3339),
		lists, since, pages, a.ScoreVersion, day(a.SanctionsListDate), sanctioned, names, programs, recorded,
		earlier, w.since)
}

// unknown is the day of a list that has no date.
const unknown = "unknown"

// day is a day in UTC, or "unknown".
func day(at *tocsin.Time) string {
	if at == nil {
		return unknown
	}
	return iso(at.Std())
}

func iso(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// dated says since when what lists of risk and sanctions say of the subject of an answer is on record, and what they
// have said of the subject itself and dropped: the list, and the days on which imports found the entry and missed it,
// or the operator removed the list.
func dated(a answer.Answer, history []tocsin.DatedListing) (recorded, earlier string) {
	var is, was []string
	add := func(all []string, l tocsin.DatedListing, text string) []string {
		if l.Kind == tocsin.Sanction {
			text += " (sanction)"
		}
		if text = answer.ListTitle(a.Lang, l.List) + " " + text; slices.Contains(all, text) {
			return all
		}
		return append(all, text)
	}
	inForce := slices.DeleteFunc(slices.Clone(history), func(l tocsin.DatedListing) bool { return l.Dropped != nil })
	slices.SortStableFunc(inForce, func(x, y tocsin.DatedListing) int { return a.CompareListings(x.Listing, y.Listing) })
	for _, l := range inForce {
		is = add(is, l, day(l.Recorded))
	}
	for _, l := range history {
		if l.Dropped != nil && l.Subject == a.Subject {
			text := day(l.Recorded) + "/" + day(l.Dropped)
			switch {
			case l.Removed:
				text += " (list removed here)"
			case l.Older:
				text += " (older version of " + day(l.DroppedIn) + ")"
			}
			was = add(was, l, text)
		}
	}
	return strings.Join(is, "; "), strings.Join(was, "; ")
}

// sanctions says whether the subject of an answer is sanctioned, as whom and under which programs.
func sanctions(a answer.Answer) (sanctioned, names, programs string) {
	var parties, laws []string
	for _, hit := range a.Sanctions {
		if !slices.Contains(parties, hit.Name) {
			parties = append(parties, hit.Name)
		}
		if !slices.Contains(laws, hit.Program) {
			laws = append(laws, hit.Program)
		}
	}
	if sanctioned = "no"; len(a.Sanctions) > 0 {
		sanctioned = "yes"
	}
	return sanctioned, strings.Join(parties, "; "), strings.Join(laws, "; ")
}

// sources are the titles of the lists that name the subject of an answer, also safelists, in the order of
// [answer.Answer.CompareListings]; since when each has named it, as days in UTC or "unknown"; and the pages about it.
func sources(a answer.Answer) (lists, since, pages string) {
	var titles, days, urls []string
	listings := slices.Clone(a.Dossier.Listings)
	slices.SortStableFunc(listings, a.CompareListings)
	for _, l := range listings {
		title := answer.ListTitle(a.Lang, l.List)
		if !slices.Contains(titles, title) {
			titles, days = append(titles, title), append(days, day(l.Since))
		}
		if l.URL != "" && !slices.Contains(urls, l.URL) {
			urls = append(urls, l.URL)
		}
	}
	return strings.Join(titles, "; "), strings.Join(days, "; "), strings.Join(urls, " ")
}

// Skipped writes why the subject of a line was not screened.
func (w *Writer) Skipped(l Line, why string) error {
	return w.row(l, nil, "", "", "", Skipped, why, "Not looked up", "Treat it as unknown until it is looked up.")
}

// Failed writes why a line names no subject, and what is known of the account that it means, if it is known: an alarm
// is not withheld because the line is wrong.
func (w *Writer) Failed(l Line, why string, meant *answer.Answer) error {
	said := []string{"", "", "", Fault, why, "No subject", failedToDo(l, meant)}
	if meant == nil {
		return w.row(l, nil, said...)
	}
	lists, since, pages := sources(*meant)
	sanctioned, names, programs := sanctions(*meant)
	said = append(said, "", lists, since, pages, "", day(meant.SanctionsListDate), sanctioned, names, programs)
	return w.row(l, nil, said...)
}

// failedToDo is what to do with a line that names no subject.
func failedToDo(l Line, meant *answer.Answer) string {
	switch {
	case meant != nil && len(meant.Sanctions) > 0:
		return "Do not pay. It most likely means a sanctioned account: check it first."
	case meant != nil:
		return "Do not pay. It most likely means an account that is warned of: check it first."
	case tocsin.OtherChain(l.Text) != "":
		return "Its chain is not screened here. Check it elsewhere."
	}
	return "Correct it, and send it again."
}

func (w *Writer) row(l Line, a *answer.Answer, said ...string) error {
	cells := make([]string, w.width())
	copy(cells, append([]string{l.Text, l.Subject.String()}, said...))
	if len(w.names) > 0 {
		own := cells[len(Columns)+w.more:]
		own[0], own[1] = strconv.Itoa(l.Number), l.Column
		copy(own[2:], l.Cells)
	}
	return w.take(l, a, cells)
}

// width is how many cells a row has.
func (w *Writer) width() int {
	if len(w.names) == 0 {
		return len(Columns) + w.more
	}
	return len(Columns) + w.more + 2 + len(w.names)
}

// write writes a row without handing it on.
func (w *Writer) write(cells []string) error {
	clean(cells)
	return w.csv.Write(cells)
}

// clean makes cells safe for a spreadsheet.
func clean(cells []string) {
	for i := range cells {
		cells[i] = cell(cells[i])
	}
}

// formulas are the characters that a formula begins with, in full width too. The hyphen is the last one: elsewhere in a
// class of [inside] it would make a range, with the digits in it.
const formulas = "=+@\u2212\uFF1D\uFF0B\uFF0D\uFF20-"

// inside matches a formula behind a semicolon, which many spreadsheets of Europe take for the end of a cell.
var inside = regexp.MustCompile(`(;[ "']*)([` + regexp.QuoteMeta(formulas) + `])`)

// cell makes a text that others chose safe for a spreadsheet. A spreadsheet runs a cell as a formula if it begins with
// one of = + - @, also in full width, or with a tab or a carriage return before one; an apostrophe in front makes it
// text (OWASP, CSV Injection). Line breaks become spaces, so that each input stays one line for tools that do not know
// quotes. Characters that are invisible or that a terminal obeys are left out.
func cell(text string) string {
	text = strings.Join(strings.Fields(tocsin.CleanText(text)), " ")
	text = inside.ReplaceAllString(text, "$1'$2")
	if first, _ := utf8.DecodeRuneInString(text); text != "" && strings.ContainsRune(formulas, first) {
		return "'" + text
	}
	return text
}
