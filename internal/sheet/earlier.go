package sheet

import (
	"errors"
	"io"
	"slices"
	"strings"
)

// Standing is what a row of a table of answers says of its subject, in the words of the table. Of a row without a
// subject or without an answer the level is "".
type Standing struct {
	Input, Subject, Level, Result, Sanctioned, ScreenedAt string

	Lists []string // titles
	Own   []string // the columns of the list that was screened
}

// Earlier is a table of answers that was written before, by which a new one is compared.
type Earlier struct {
	ScreenedAt        string // of its first answer; "" for none
	SanctionsListDate string // the same
	ScoreVersion      string // the same
	Names             []string

	rows []Standing
	at   map[string]int // by the subject or, of a row without one, by its text
	of   map[string]int // rows with a subject, by their text
}

// Errors of a table that is no earlier one.
var (
	ErrNoAnswers = errors.New("this is no table of answers: it lacks columns such as subject, riskLevel, sanctioned and " +
		"lists; take a whole file that tocsin screen -csv or the page of many has written")
	ErrChangesAlone = errors.New("this table has only what had changed; take the whole table that was made with it")
)

// compared are the columns that an earlier table needs.
var compared = []string{"input", "subject", "riskLevel", "result", "sanctioned", "lists"}

// ReadEarlier reads a table that a [Writer] has written, also after a spreadsheet has saved it: with another mark
// between the cells, in another encoding, or with its columns in another order.
func ReadEarlier(in io.Reader) (*Earlier, error) {
	lines, e := NewLines(in), &Earlier{at: map[string]int{}, of: map[string]int{}}
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

// add adds a row. Of several with the same subject one that has an answer counts.
func (e *Earlier) add(head, cells []string, own int) {
	cell := func(name string) string {
		if i := slices.Index(head, name); i >= 0 && i < len(cells) {
			return cells[i]
		}
		return ""
	}
	s := Standing{Input: cell("input"), Subject: cell("subject"), Level: cell("riskLevel"), Result: cell("result"),
		Sanctioned: cell("sanctioned"), ScreenedAt: cell("screenedAt"), Lists: listsOf(cell("lists"))}
	if own < len(cells) {
		s.Own = cells[own:]
	}
	if e.ScreenedAt == "" && s.Level != "" {
		e.ScreenedAt, e.ScoreVersion = s.ScreenedAt, cell("scoreVersion")
		e.SanctionsListDate = cell("sanctionsListDate")
	}
	i, known := e.at[s.key()]
	switch {
	case !known:
		if s.Subject != "" && s.Input != "" {
			e.of[s.Input] = len(e.rows)
		}
		e.at[s.key()], e.rows = len(e.rows), append(e.rows, s)
	case e.rows[i].Level == "" && s.Level != "":
		e.rows[i] = s
	}
}

// listsOf are the titles in a cell.
func listsOf(cell string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(cell, "; ", ";"), func(r rune) bool { return r == ';' })
}

// key is by what a row is found in an earlier table. The case of an EVM address is only its checksum.
func (s Standing) key() string {
	switch {
	case s.Subject == "":
		return "input " + s.Input
	case strings.HasPrefix(s.Subject, "0x"):
		return strings.ToLower(s.Subject)
	}
	return s.Subject
}

// find returns the number of the row about the same subject, or about the same text if one of both was not read as a
// subject; negative for none.
func (e *Earlier) find(now Standing) int {
	if i, ok := e.at[now.key()]; ok {
		return i
	}
	if i, ok := e.at[Standing{Input: now.Input}.key()]; ok {
		return i
	}
	if i, ok := e.of[now.Input]; ok && now.Subject == "" {
		return i
	}
	return -1
}
