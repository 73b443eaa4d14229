package sheet

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
)

// changeColumns follow [Columns] in a table of changes: the kind of the change, why, and what the earlier table says.
var changeColumns = []string{"change", "changeReason", "wasRiskLevel", "wasResult", "wasSanctioned", "wasLists",
	"wasScreenedAt"}

// ChangeKind is a kind of change. They are in the order in which a table of changes has them, but [Change.urgent] ones
// come before all others.
type ChangeKind string

// The kinds of change, the most urgent first.
const (
	NewSanction ChangeKind = "new_sanction"         // it is sanctioned, and was not or the earlier table lacks the row
	Worse       ChangeKind = "worse"                // its level is higher
	Lifted      ChangeKind = "no_longer_sanctioned" // it was sanctioned, and is not
	Unread      ChangeKind = "list_removed"         // a list that named it was removed here, and may still name it
	Outdated    ChangeKind = "older_version"        // an older version of a list was read here, which lacks it
	Unanswered  ChangeKind = "not_screened"         // it has no answer, and had one
	Replaced    ChangeKind = "subject_changed"      // the row of the earlier table had another subject
	New         ChangeKind = "new"                  // the earlier table lacks the row
	Other       ChangeKind = "changed"              // its level is the same
	Better      ChangeKind = "better"               // its level is lower
	Gone        ChangeKind = "gone"                 // this table lacks the row
)

// ChangeKinds are all of them, in their order.
var ChangeKinds = []ChangeKind{NewSanction, Worse, Lifted, Unread, Outdated, Unanswered, Replaced, New, Other, Better,
	Gone}

// Change is a row that differs from an earlier table.
type Change struct {
	Kind    ChangeKind
	Was, Is Standing // Was of a new row is empty, and so is Is of one that is gone
	Line    Line     // of one that is gone its text alone
	Score   int

	against  *Comparison
	older    []tocsin.DatedListing // see [answer.Answer.Outdated]
	cells    []string
	removed  []string // lists that named it, and were removed here
	outdated []string // lists that named it, and of which an older version was read here
	listed   []string // those that warn of it and did not
	unlisted []string // those that warned of it and do not
	warning  []string // those that warn of it
	reported bool     // somebody has reported the subject here
	party    string   // who is sanctioned
	replaces bool     // Was is of the same row, with another subject
}

// Comparison writes the rows of a table that differ from an earlier one: new sanctions first, then the other
// [Change.urgent] ones.
type Comparison struct {
	*Writer
	Earlier *Earlier
	Changes []Change // complete after Finish
	Rows    int      // that were compared

	sanctionsListDate, scoreVersion string // of the first answer
	english                         *locale.Printer
	others                          []int    // see [Form.Others]
	safe                            []string // titles of the lists that never warn
	onRecord                        []string // titles of the lists on record
	known                           bool     // which lists are on record
	rows                            []Change
	key                             int // the column that identifies the rows; negative for none
}

// Compare returns a writer of the rows that differ from an earlier table, with reasons in the language of p. Nothing is
// written before [Comparison.Finish].
func Compare(out io.Writer, f Form, e *Earlier, p *locale.Printer) *Comparison {
	c := &Comparison{Earlier: e, english: p, others: f.Others, key: -1}
	c.known = f.Lists != nil
	c.safe, c.onRecord = plainly(answer.SafelistTitles(p)), plainly(answer.ListTitles(p, f.Lists))
	c.Writer = newWriter(out, f, changeColumns)
	c.Writer.take = c.keep
	return c
}

// keep keeps a row until all are there.
func (c *Comparison) keep(l Line, a *answer.Answer, cells []string) error {
	now := standing(cells)
	for _, own := range l.Cells {
		now.Own = append(now.Own, plain(own))
	}
	c.Rows++
	if c.sanctionsListDate == "" && now.Level != "" {
		c.sanctionsListDate = cells[slices.Index(Columns, "sanctionsListDate")]
		c.scoreVersion = cells[slices.Index(Columns, "scoreVersion")]
	}
	change := Change{Is: now, Line: l, cells: cells, against: c, party: cells[slices.Index(Columns, "sanctionsName")],
		reported: a != nil && len(a.Dossier.Reporters) > 0}
	if a == nil {
		change.warning = without(now.Lists, c.safe)
	} else {
		change.older = a.Outdated
		for _, l := range a.Dossier.Listings {
			if l.Kind == tocsin.Risk || l.Kind == tocsin.Sanction {
				title := []string{c.title(l.List)}
				change.warning = append(change.warning, without(title, change.warning)...)
			}
		}
	}
	change.Score, _ = strconv.Atoi(cells[slices.Index(Columns, "riskScore")])
	c.rows = append(c.rows, change)
	return nil
}

// title is the title of a list as a cell has it.
func (c *Comparison) title(list string) string { return plain(answer.ListTitle(c.english, list)) }

// Key is what a row has in the column that identifies it; "" for nothing.
func (c Change) Key() string { return cmp.Or(c.Is.own(c.against.key), c.Was.own(c.against.key)) }

// KeyName is the name of the column that identifies the rows, such as that of the customer; "" for none.
func (c *Comparison) KeyName() string {
	if c.key < 0 {
		return ""
	}
	return c.names[c.key]
}

// standing is what the cells of a row say, without the own columns.
func standing(cells []string) Standing {
	at := func(name string) string { return plain(cells[slices.Index(Columns, name)]) }
	return Standing{Input: at("input"), Subject: at("subject"), Level: at("riskLevel"), Result: at("result"),
		Reason: at("reason"), Sanctioned: at("sanctioned"), ScreenedAt: at("screenedAt"), Lists: listsOf(at("lists"))}
}

// plain is a cell as it is read again once it was written.
func plain(text string) string { return strings.TrimPrefix(cell(text), "'") }

// plainly are cells as [plain] has each.
func plainly(texts []string) (all []string) {
	for _, text := range texts {
		all = append(all, plain(text))
	}
	return all
}

// since compares the row with that of the earlier table. Lists that vouch are no change: an answer leaves them out
// while a list warns, so they come and go though nobody has changed them.
func (c *Change) since(was Standing) {
	c.Was = was
	c.listed = without(c.warning, was.Lists)
	for _, list := range without(without(was.Lists, c.Is.Lists), c.against.safe) {
		if slices.ContainsFunc(c.older, func(l tocsin.DatedListing) bool { return c.against.title(l.List) == list }) {
			c.outdated = append(c.outdated, list)
		} else if !c.against.known || slices.Contains(c.against.onRecord, list) {
			c.unlisted = append(c.unlisted, list)
		} else {
			c.removed = append(c.removed, list)
		}
	}
	c.Kind = c.kind()
}

// kind is the kind of the change; "" for none. What a list that was removed has changed, or an older version of one, is
// neither better nor a sanction that has ended.
func (c Change) kind() ChangeKind {
	was, now := c.Was, c.Is
	if c.replaces && now.Sanctioned != "yes" {
		return Replaced
	}
	rank := func(s Standing) int { return tocsin.Level(s.Level).Rank() }
	sanctions := c.against.title(tocsin.SanctionsList)
	switch {
	case now.Sanctioned == "yes" && (was.Sanctioned != "yes" || c.replaces):
		return NewSanction
	case now.Sanctioned == "no" && was.Sanctioned == "yes" &&
		!slices.Contains(c.removed, sanctions) && !slices.Contains(c.outdated, sanctions):
		return Lifted
	case was.Result == "":
		return New
	case was.Level == now.Level && was.Result == now.Result && was.Sanctioned == now.Sanctioned &&
		len(c.listed)+len(c.unlisted)+len(c.removed)+len(c.outdated) == 0:
		return ""
	case now.Level == "" && was.Level != "":
		return Unanswered
	case was.Level != "" && rank(now) > rank(was):
		return Worse
	case len(c.removed) > 0:
		return Unread
	case len(c.outdated) > 0:
		return Outdated
	case was.Level == "" || rank(was) == rank(now):
		return Other
	}
	return Better
}

// urgent reports whether the subject is High or Critical, and the earlier table says less of it, or nothing.
func (c Change) urgent() bool {
	switch c.Kind {
	case NewSanction, Worse, New, Replaced:
		return tocsin.Level(c.Is.Level).Rank() >= tocsin.High.Rank()
	}
	return false
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
	before := c.Was
	if c.replaces {
		text, was := locale.Key("site has changed, was %s"), c.Was.Subject
		if old, fault := tocsin.ParseSubject(was); fault == nil && old.IsAddress() {
			text, was = "wallet has changed, was %s", old.Plain()
			if chain := old.ChainName(); chain != "" {
				was = p.Text("%s (%s)", was, chain)
			}
		}
		all = append(all, p.Text(text, was))
		before = Standing{} // what lists said of that subject is no change of this one
	}
	switch {
	case c.Kind == Gone:
		return p.Text("no longer in this list")
	case before.Result == "" && !c.replaces:
		all = append(all, p.Text("new in this list"))
	case c.Is.Result == Fault && c.Kind != NewSanction:
		return p.Text("not an address or a site now")
	case c.Is.Result == Skipped:
		return p.Text("not looked up now")
	case before.Result == Fault:
		all = append(all, p.Text("was not an address or a site"))
	case before.Result == Skipped:
		all = append(all, p.Text("was not looked up"))
	}
	switch {
	case c.Kind == NewSanction && before.Level != "" && c.party != "":
		all = append(all, p.Text("newly sanctioned: %s", c.party))
	case c.Kind == NewSanction && before.Level != "":
		all = append(all, p.Text("newly sanctioned"))
	case c.Kind == NewSanction && c.party != "":
		all = append(all, p.Text("sanctioned: %s", c.party))
	case c.Kind == NewSanction:
		all = append(all, p.Text("sanctioned"))
	case c.Kind == Lifted:
		all = append(all, p.Text("no longer sanctioned"))
	}
	if before.Level != "" && before.Result != string(tocsin.Caution) && c.reported {
		all = append(all, p.Text("newly reported"))
	}
	if before.Level != "" {
		for _, list := range c.listed {
			all = append(all, p.Text("newly listed: %s", list))
		}
		for _, list := range c.unlisted {
			all = append(all, p.Text("no longer listed: %s", list))
		}
		for _, list := range c.removed {
			all = append(all, p.Text("%s is no longer read here; whether it still names this is not known", list))
		}
		for _, l := range c.older {
			if title := c.against.title(l.List); slices.Contains(c.outdated, title) {
				all = append(all, p.Text("an older version of %s, of %s, was read here, which does not name this; that is no "+
					"removal", title, day(l.DroppedIn)))
			}
		}
	}
	then, now := c.against.Earlier.SanctionsListDate, c.against.sanctionsListDate
	if c.Kind != Unread && before.Sanctioned != "" && before.Sanctioned != c.Is.Sanctioned && then != now && then != "" {
		all = append(all, p.Text("the sanctions list was of %s and is of %s", then, now))
	}
	was, is := c.against.Earlier.ScoreVersion, c.against.scoreVersion
	if before.Level != "" && was != is && was != "" {
		all = append(all, p.Text("the score had version %s and has %s", was, is))
	}
	switch {
	case len(all) > 0:
	case before.Result == string(tocsin.Caution) && c.Is.Result != before.Result:
		return p.Text("no longer reported")
	case before.Reason != c.Is.Reason && before.Reason != "":
		return p.Text("the reason was “%s” and is “%s”", before.Reason, c.Is.Reason)
	default:
		return p.Text("other reports, older reports, or a list says something else of it")
	}
	return strings.Join(all, "; ")
}

// Finish compares the rows, adds those that are gone, puts what has changed in its order, and writes it.
func (c *Comparison) Finish() error {
	own := len(Columns) + len(changeColumns) + 2
	now := make([]Standing, len(c.rows))
	for i, row := range c.rows {
		now[i] = row.Is
	}
	then, both := c.Earlier.under(c.names)
	c.key = keyColumn(c.others, then, now)
	pairs := matched(then, now, both, c.key)
	replaced := replacements(then, now, pairs, c.key)
	seen := make([]bool, len(then))
	for j, i := range pairs {
		change, was := c.rows[j], Standing{}
		if old, found := replaced[j]; found {
			i, change.replaces = old, true
		}
		if i >= 0 {
			seen[i], was = true, then[i]
		}
		if change.since(was); change.Kind != "" {
			c.Changes = append(c.Changes, change)
		}
	}
	for i, was := range then {
		if seen[i] || was.Subject == "" && was.own(c.key) == "" {
			continue
		}
		cells := make([]string, c.width())
		copy(cells, []string{was.Input, was.Subject})
		if len(c.names) > 0 {
			copy(cells[own:], was.Own)
		}
		c.Changes = append(c.Changes, Change{Kind: Gone, Was: was, Line: Line{Text: was.Input}, cells: cells, against: c})
	}
	calm := func(change Change) int {
		if change.urgent() {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(c.Changes, func(x, y Change) int {
		return cmp.Or(cmp.Compare(calm(x), calm(y)),
			cmp.Compare(slices.Index(ChangeKinds, x.Kind), slices.Index(ChangeKinds, y.Kind)), cmp.Compare(y.Score, x.Score))
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
