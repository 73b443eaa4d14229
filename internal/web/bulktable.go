package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
)

// levelCount is how many lines have a level, or are known as the same.
type levelCount struct {
	Answer *answer.Answer // of one of them
	Count  int
}

// groupOf is the part of the table that an answer is in: those of its level or known as the same, with the same advice.
func groupOf(a *answer.Answer) string { return a.Word() + string(a.KnownAs()) + a.ToDo() }

// rank orders the counts: the loudest level first, what is known as good last, of that first what nobody should pay.
func (c levelCount) rank() int {
	switch {
	case c.Answer.Misplaced():
		return 8
	case c.Answer.KnownGood():
		return 9
	case c.Answer.NamedOnly() && c.Answer.Safelisted:
		return 6
	case c.Answer.Result == tocsin.NoReports:
		return 7
	}
	return tocsin.Critical.Rank() - c.Answer.RiskLevel.Rank()
}

// bulkSection is the part of the table with one level, or known as the same.
type bulkSection struct {
	ID     string
	Answer *answer.Answer // of one of its rows; nil of those that were not looked up
	Rows   []bulkRow
}

// Count is how many lines it has.
func (s bulkSection) Count() (n int) {
	for _, row := range s.Rows {
		n += len(row.Same)
	}
	return n
}

// maxKnown is how many rows of the known a heavy page shows.
const maxKnown = 50

// Loud reports whether its rows are shown however heavy the page is: somebody warns of them, nobody should pay them,
// they have no answer, or they are a few that are known.
func (s bulkSection) Loud() bool {
	return s.Answer == nil || s.Answer.Result != tocsin.NoReports || s.Answer.Misplaced() ||
		s.Answer.KnownGood() && len(s.Rows) <= maxKnown
}

// Shown are its rows that a page shows: of a quiet section of a brief one those with a past alone.
func (s bulkSection) Shown(brief bool) (rows []bulkRow) {
	if !brief || s.Loud() {
		return s.Rows
	}
	return slices.DeleteFunc(slices.Clone(s.Rows), func(row bulkRow) bool { return !row.Past })
}

// Numbers are its lines without a past, as in "2–14, 16".
func (s bulkSection) Numbers() string {
	var numbers []int
	for _, row := range s.Rows {
		if row.Past {
			continue
		}
		for _, l := range row.Same {
			numbers = append(numbers, l.Number)
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	var spans []string
	for len(numbers) > 0 {
		n := 1
		for n < len(numbers) && numbers[n] == numbers[0]+n {
			n++
		}
		span := strconv.Itoa(numbers[0])
		if n > 1 {
			span += "–" + strconv.Itoa(numbers[n-1])
		}
		spans, numbers = append(spans, span), numbers[n:]
	}
	return strings.Join(spans, ", ")
}

// sections are the parts of the table, the loudest level first, and those that were not looked up before those that
// nobody warns of. Lines without a subject are in none.
func (b bulkPage) sections() (all []bulkSection) {
	at := map[string]int{}
	for _, row := range groupBySubject(b.Lines) {
		group := ""
		if row.Answer != nil {
			group = groupOf(row.Answer)
		}
		i, known := at[group]
		if !known {
			i = len(all)
			at[group], all = i, append(all, bulkSection{Answer: row.Answer})
		}
		all[i].Rows = append(all[i].Rows, row)
	}
	rank := func(s bulkSection) int {
		if s.Answer == nil {
			return tocsin.Critical.Rank()*2 - 1
		}
		return levelCount{Answer: s.Answer}.rank() * 2
	}
	slices.SortStableFunc(all, func(x, y bulkSection) int { return cmp.Compare(rank(x), rank(y)) })
	marked := false
	for i := range all {
		all[i].ID = "level-" + strconv.Itoa(i+1)
		for j := range all[i].Rows {
			row := &all[i].Rows[j]
			row.First = row.Formerly && !marked
			marked = marked || row.First
		}
	}
	return all
}

// Section is the identifier of the part of the table with the level of an answer; nil for what was not looked up.
func (b bulkPage) Section(a *answer.Answer) string {
	for _, s := range b.Sections {
		if s.Answer == nil && a == nil || s.Answer != nil && a != nil && groupOf(s.Answer) == groupOf(a) {
			return s.ID
		}
	}
	return ""
}

// bulkRow is a row of the table: all lines with the same subject.
type bulkRow struct {
	bulkLine
	Same  []bulkLine // the lines, this one included
	First bool       // it is the first that is formerly sanctioned
}

// groupBySubject are the rows of the table of some lines, the highest score first, then those with a past. Lines
// without a subject have none.
func groupBySubject(lines []bulkLine) (rows []bulkRow) {
	at := map[tocsin.Subject]int{}
	for _, l := range lines {
		if l.Fault != nil {
			continue
		}
		if i, ok := at[l.Subject]; ok {
			rows[i].Same = append(rows[i].Same, l)
			continue
		}
		at[l.Subject] = len(rows)
		rows = append(rows, bulkRow{bulkLine: l, Same: []bulkLine{l}})
	}
	past := func(row bulkRow) int {
		switch {
		case row.Formerly:
			return 2
		case row.Past:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(rows, func(x, y bulkRow) int {
		return cmp.Or(cmp.Compare(y.weight(), x.weight()), cmp.Compare(past(y), past(x)))
	})
	return rows
}

// listsFile is which lists are on record, with the SHA-256 of their files, for an audit.
type listsFile struct {
	MadeAt tocsin.Time `json:"madeAt"`
	madeWith
}

// listsDownload is which lists are on record.
func (s *Site) listsDownload(req *request) (*page, error) {
	st, err := s.db.Stats(req.Context())
	if err != nil {
		return nil, err
	}
	text, err := indented(listsFile{s.db.Now(), s.madeWith(st)})
	return &page{Text: text, Download: "tocsin-lists-" + st.AsOf.Std().UTC().Format("2006-01-02") + ".json"}, err
}
