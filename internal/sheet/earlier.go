package sheet

import (
	"errors"
	"io"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
)

// Standing is what a row of a table of answers says of its subject, in the words of the table. Of a row without a
// subject or without an answer the level is "".
type Standing struct {
	Input, Subject, Level, Result, Reason, Sanctioned, ScreenedAt string

	Lists []string // titles
	Own   []string // the columns of the list that was screened
}

// Word is what the row comes to, in a word or two.
func (s Standing) Word() locale.Key {
	return answer.WordOf(tocsin.Level(s.Level), tocsin.Result(s.Result))
}

// Earlier is a table of answers that was written before, by which a new one is compared.
type Earlier struct {
	ScreenedAt        string // of its first answer; "" for none
	SanctionsListDate string // the same
	ScoreVersion      string // the same
	Names             []string

	rows []Standing
}

// Errors of a table that is no earlier one.
var (
	ErrNoAnswers = errors.New("this is no table of answers: it lacks columns such as subject, riskLevel, sanctioned and " +
		"lists; take a whole file that tocsin screen -csv or the page of many has written")
	ErrManyAnswers  = errors.New("this table has more rows than one that is compared may have")
	ErrChangesAlone = errors.New("this table has only what had changed; take the whole table that was made with it")
)

// compared are the columns that an earlier table needs.
var compared = []string{"input", "subject", "riskLevel", "result", "sanctioned", "lists"}

// ReadEarlier reads a table that a [Writer] has written, also after a spreadsheet has saved it: with another mark
// between the cells, in another encoding, or with its columns in another order. A table of more than so many rows is
// [ErrManyAnswers]; 0 is for any number.
func ReadEarlier(in io.Reader, most int) (*Earlier, error) {
	lines, e := NewLines(in), &Earlier{}
	head, comma, err := headOf(lines)
	if err != nil {
		return nil, err
	}
	if slices.Contains(head, changeColumns[0]) {
		return nil, ErrChangesAlone
	}
	own := len(head)
	if i := slices.Index(head, readColumn); i >= 0 {
		own = i + 1
	}
	e.Names = head[own:]
	for {
		text, err := lines.record()
		if errors.Is(err, io.EOF) {
			return e, nil
		}
		if err != nil {
			return nil, err
		}
		if strings.Trim(text, " \t,;\"") != "" {
			if most > 0 && len(e.rows) == most {
				return nil, ErrManyAnswers
			}
			e.add(head, cellsOf(text, comma), own)
		}
	}
}

// headOf reads the names of the columns, and what separates them.
func headOf(lines *Lines) (head []string, comma rune, err error) {
	for range maxTitles { // a line such as sep=; may come first
		text, err := lines.record()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		for _, comma := range separatorsIn(text) {
			head = cellsOf(text, comma)
			if !slices.ContainsFunc(compared, func(name string) bool { return !slices.Contains(head, name) }) {
				return head, comma, nil
			}
		}
	}
	return nil, 0, ErrNoAnswers
}

// add adds a row.
func (e *Earlier) add(head, cells []string, own int) {
	cell := func(name string) string {
		if i := slices.Index(head, name); i >= 0 && i < len(cells) {
			return cells[i]
		}
		return ""
	}
	s := Standing{Input: cell("input"), Subject: cell("subject"), Level: cell("riskLevel"), Result: cell("result"),
		Reason: cell("reason"), Sanctioned: cell("sanctioned"), ScreenedAt: cell("screenedAt"),
		Lists: listsOf(cell("lists"))}
	if own < len(cells) {
		s.Own = cells[own:]
	}
	if e.ScreenedAt == "" && s.Level != "" {
		e.ScreenedAt, e.ScoreVersion = s.ScreenedAt, cell("scoreVersion")
		e.SanctionsListDate = cell("sanctionsListDate")
	}
	e.rows = append(e.rows, s)
}

// under puts the own columns of the rows under the names of another table, and returns those that both have.
func (e *Earlier) under(names []string) (rows []Standing, both []int) {
	rows = slices.Clone(e.rows)
	for i := range rows {
		rows[i].Own = make([]string, len(names))
	}
	for j, name := range names {
		k := slices.Index(e.Names, cell(name))
		if k < 0 {
			continue
		}
		both = append(both, j)
		for i, was := range e.rows {
			rows[i].Own[j] = was.own(k)
		}
	}
	return rows, both
}

// listsOf are the titles in a cell.
func listsOf(cell string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(cell, "; ", ";"), func(r rune) bool { return r == ';' })
}
