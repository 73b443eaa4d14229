package sheet

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
)

// changeColumns follow [Columns] in a table of changes: the kind of the change, why, and what the earlier table says.
var changeColumns = []string{"change", "changeReason", "wasRiskLevel", "wasResult", "wasSanctioned", "wasLists",
	"wasScreenedAt"}

// ChangeKind is a kind of change. They are in the order in which a table of changes has them.
type ChangeKind string

// The kinds of change, the most urgent first.
const (
	NewSanction ChangeKind = "new_sanction" // it is sanctioned, and was not or was not in the earlier table
	Worse       ChangeKind = "worse"        // its level is higher
	Unanswered  ChangeKind = "not_screened" // it has no answer, and had one
	New         ChangeKind = "new"          // the earlier table lacks it
	Other       ChangeKind = "changed"      // its level is the same
	Better      ChangeKind = "better"       // its level is lower
	Gone        ChangeKind = "gone"         // this table lacks it
)

// ChangeKinds are all of them, in their order.
var ChangeKinds = []ChangeKind{NewSanction, Worse, Unanswered, New, Other, Better, Gone}

// Change is a row that differs from an earlier table.
type Change struct {
	Kind    ChangeKind
	Was, Is Standing // Was of a new row is empty, and so is Is of one that is gone
	Line    Line     // of one that is gone its text alone
	Score   int

	against *Comparison
	cells   []string
}

// Comparison writes the rows of a table that differ from an earlier one: new sanctions first.
type Comparison struct {
	*Writer
	Earlier *Earlier
	Changes []Change // complete after Finish
	Rows    int      // that were compared

	sanctionsListDate, scoreVersion string // of the first answer
	english                         *locale.Printer
	seen                            map[int]bool // rows of the earlier table
}

// Compare returns a writer of the rows that differ from an earlier table, with reasons in the language of p. Nothing is
// written before [Comparison.Finish].
func Compare(out io.Writer, f Form, e *Earlier, p *locale.Printer) *Comparison {
	c := &Comparison{Earlier: e, english: p, seen: map[int]bool{}}
	c.Writer = newWriter(out, f, changeColumns)
	c.Writer.take = c.compare
	return c
}

// compare keeps a row if it differs.
func (c *Comparison) compare(l Line, cells []string) error {
	now := standing(cells)
	c.Rows++
	if c.sanctionsListDate == "" && now.Level != "" {
		c.sanctionsListDate = cells[slices.Index(Columns, "sanctionsListDate")]
		c.scoreVersion = cells[slices.Index(Columns, "scoreVersion")]
	}
	change := Change{Is: now, Line: l, cells: cells, against: c, Kind: New}
	change.Score, _ = strconv.Atoi(cells[slices.Index(Columns, "riskScore")])
	if i := c.Earlier.find(now); i >= 0 {
		c.seen[i], change.Was = true, c.Earlier.rows[i]
		change.Kind = kindOf(change.Was, now)
	}
	if now.Sanctioned == "yes" && change.Was.Sanctioned != "yes" {
		change.Kind = NewSanction
	}
	if change.Kind != "" {
		c.Changes = append(c.Changes, change)
	}
	return nil
}

// standing is what the cells of a row say.
func standing(cells []string) Standing {
	at := func(name string) string { return cell(cells[slices.Index(Columns, name)]) }
	return Standing{Input: strings.TrimPrefix(at("input"), "'"), Subject: at("subject"), Level: at("riskLevel"),
		Result: at("result"), Sanctioned: at("sanctioned"), ScreenedAt: at("screenedAt"), Lists: listsOf(at("lists"))}
}

// kindOf is the kind of a change; "" for none.
func kindOf(was, now Standing) ChangeKind {
	rank := func(s Standing) int { return tocsin.Level(s.Level).Rank() }
	switch {
	case was.Level == now.Level && was.Result == now.Result && was.Sanctioned == now.Sanctioned &&
		len(without(was.Lists, now.Lists)) == 0 && len(without(now.Lists, was.Lists)) == 0:
		return ""
	case now.Level == "" && was.Level != "":
		return Unanswered
	case was.Level == "" || rank(was) == rank(now):
		return Other
	case rank(now) > rank(was):
		return Worse
	}
	return Better
}

// without are the elements of a that b lacks.
func without(a, b []string) (rest []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// Why says what has changed, in the language of p.
func (c Change) Why(p *locale.Printer) string {
	var all []string
	switch {
	case c.Kind == Gone:
		return p.Text("no longer in this list")
	case c.Was.Result == "":
		all = append(all, p.Text("new in this list"))
	case c.Is.Result == Fault && c.Kind != NewSanction:
		return p.Text("not an address or a site now")
	case c.Is.Result == Skipped:
		return p.Text("not looked up now")
	case c.Was.Result == Fault:
		all = append(all, p.Text("was not an address or a site"))
	case c.Was.Result == Skipped:
		all = append(all, p.Text("was not looked up"))
	}
	if c.Kind == NewSanction {
		all = append(all, p.Text("newly sanctioned"))
	} else if c.Was.Sanctioned == "yes" && c.Is.Sanctioned == "no" {
		all = append(all, p.Text("no longer sanctioned"))
	}
	if c.Was.Level != "" {
		for _, list := range without(c.Is.Lists, c.Was.Lists) {
			all = append(all, p.Text("newly listed: %s", list))
		}
		for _, list := range without(c.Was.Lists, c.Is.Lists) {
			all = append(all, p.Text("no longer listed: %s", list))
		}
	}
	then, now := c.against.Earlier.SanctionsListDate, c.against.sanctionsListDate
	if c.Was.Sanctioned != "" && c.Was.Sanctioned != c.Is.Sanctioned && then != now && then != "" {
		all = append(all, p.Text("the sanctions list was of %s and is of %s", then, now))
	}
	was, is := c.against.Earlier.ScoreVersion, c.against.scoreVersion
	if c.Was.Level != "" && was != is && was != "" {
		all = append(all, p.Text("the score had version %s and has %s", was, is))
	}
	if len(all) == 0 {
		return p.Text("other reports, older reports, or a list says something else of it")
	}
	return strings.Join(all, "; ")
}

// Finish adds the rows that are gone, puts all in their order, and writes them.
func (c *Comparison) Finish() error {
	own := len(Columns) + len(changeColumns) + 2
	for i, was := range c.Earlier.rows {
		if c.seen[i] || was.Subject == "" {
			continue
		}
		cells := make([]string, c.width())
		copy(cells, []string{was.Input, was.Subject})
		for j, name := range c.names {
			if k := slices.Index(c.Earlier.Names, cell(name)); k >= 0 && k < len(was.Own) {
				cells[own+j] = was.Own[k]
			}
		}
		c.Changes = append(c.Changes, Change{Kind: Gone, Was: was, Line: Line{Text: was.Input}, cells: cells, against: c})
	}
	slices.SortStableFunc(c.Changes, func(x, y Change) int {
		return cmp.Or(cmp.Compare(slices.Index(ChangeKinds, x.Kind), slices.Index(ChangeKinds, y.Kind)),
			cmp.Compare(y.Score, x.Score))
	})
	for _, change := range c.Changes {
		copy(change.cells[len(Columns):], []string{string(change.Kind), change.Why(c.english), change.Was.Level,
			change.Was.Result, change.Was.Sanctioned, strings.Join(change.Was.Lists, "; "), change.Was.ScreenedAt})
		if err := c.write(change.cells); err != nil {
			return err
		}
	}
	c.csv.Flush()
	return c.csv.Error()
}

// Count is how many changes are of a kind.
func (c *Comparison) Count(kind ChangeKind) (n int) {
	for _, change := range c.Changes {
		if change.Kind == kind {
			n++
		}
	}
	return n
}

// Sum says in one line how many rows have changed, and how.
func (c *Comparison) Sum() string {
	var kinds []string
	for _, kind := range ChangeKinds {
		if n := c.Count(kind); n > 0 || kind == NewSanction {
			kinds = append(kinds, string(kind)+": "+strconv.Itoa(n))
		}
	}
	at := c.Earlier.ScreenedAt
	if at == "" {
		at = unknown
	}
	return "compared " + strconv.Itoa(c.Rows) + " rows with those of " + at + ": " + strings.Join(kinds, ", ")
}
