package sheet

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestTheFirstCellThatIsASubjectIsRead(t *testing.T) {
	const a, tron = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	for text, want := range map[string][]string{
		"":                                  nil,
		" \n\r\n\t\n":                       nil,
		a + "\nevil.example\r\n":            {"1 " + a, "2 evil.example"},
		"\ufeffaddress,note\n" + a + ",x\n": {"2 " + a},
		"note;site\nmine;evil.example":      {"2 evil.example"},
		"id\tsite\n7\tevil.example":         {"2 evil.example"},
		"Lee; Ann,evil.example":             {"1 evil.example"},
		"a,b;c\nmine, his;evil.example":     {"2 evil.example"},
		"say \"hi\" there,evil.example":     {"1 evil.example"},
		"a site\n\"evil.example":            {"2 evil.example"},
		`"Lee, Ann",` + a:                   {"1 " + a},
		"'" + a:                             {"1 " + a},
		"evil.example,other.example":        {"1 evil.example"},
		"words\nmore words":                 {"2! more words"},
		"name," + a[:41]:                    {"1! " + a[:41]},
		a + "\n\n0x12":                      {"1 " + a, "3! 0x12"},
		`"` + a:                             {"1 " + a},
		"https://etherscan.io/address/" + a: {"1 " + a},
		"ETH: " + a + "\nETH:" + a:          {"1 " + a, "2 " + a},
		"chain,to\nTron,USDT (TRC20): " + tron + " (Kunde)\nTron,TRX-" + tron: {
			"2 tron:728126428:" + tron, "3 tron:728126428:" + tron},
		a + " to " + a[:41] + "7":                {"1! " + a + " to " + a[:41] + "7"}, // which of them?
		"hash of " + a:                           {"1 " + a},
		"0x" + strings.Repeat("1", 64) + " " + a: {"1 " + a}, // beside a hash
	} {
		table := Read(text, 10, Options{})
		var got []string
		for _, l := range table.Lines {
			mark, name := "", l.Text
			if l.Fault != nil {
				mark = "!"
			} else if name = l.Subject.String(); name == "" {
				t.Errorf("%q: line %d has neither a subject nor a fault", text, l.Number)
			}
			got = append(got, fmt.Sprintf("%d%s %s", l.Number, mark, name))
		}
		if !slices.Equal(got, want) || table.Rest > 0 {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// TestAByteOrderMarkIsNoPartOfATable: in UTF-8 or UTF-16, as spreadsheets write it.
func TestAByteOrderMarkIsNoPartOfATable(t *testing.T) {
	for _, text := range []string{"\ufeffs,n\na.de,x", "\ufeff\"s\",n\na.de,x",
		"\xff\xfes\x00,\x00n\x00\n\x00a\x00.\x00d\x00e\x00,\x00x\x00",
		"\xfe\xff\x00s\x00,\x00n\x00\n\x00a\x00.\x00d\x00e\x00,\x00x"} {
		table := Read(text, 10, Options{})
		if !slices.Equal(table.Names, []string{"s", "n"}) || len(table.Lines) != 1 ||
			!slices.Equal(table.Lines[0].Cells, []string{"a.de", "x"}) {
			t.Errorf("%q: %q, %v", text, table.Names, table.Lines)
		}
	}
}

// TestALineIsWrittenAsItWasRead: of one column it is its text.
func TestALineIsWrittenAsItWasRead(t *testing.T) {
	for text, row := range map[string]string{"evil.example": "evil.example", "evil.example,a": "evil.example,a",
		"evil.example;  ;b": "evil.example;;b"} {
		if got := strings.TrimSpace(Read(text, 1, Options{}).Lines[0].Row()); got != row {
			t.Errorf("%q is written as %q", text, got)
		}
	}
}

func TestATableThatIsTooLongSaysSo(t *testing.T) {
	for lines, more := range map[int]bool{4: true, 3: false} {
		table := Read(strings.Repeat("evil.example\n", lines), 3, Options{})
		if len(table.Lines) != 3 || table.Rest > 0 != more {
			t.Errorf("%d lines: %d, %v", lines, len(table.Lines), table.Rest > 0)
		}
	}
}

func TestATableIsNotReadForLong(t *testing.T) {
	if table := Read(strings.Repeat(",\n", maxRows*3-1), 3, Options{}); len(table.Lines) != 0 || table.Rest > 0 {
		t.Errorf("empty lines: %v", table)
	}
	table := Read(strings.Repeat(",\n", maxRows*3+1)+"evil.example", 3, Options{})
	if len(table.Lines) != 0 || table.Rest == 0 {
		t.Errorf("too many empty lines: %v", table)
	}
	lines := Read(strings.Repeat("a,", maxCells-1)+"evil.example", 3, Options{}).Lines
	if len(lines) != 1 || lines[0].Fault != nil {
		t.Errorf("the last cell: %v", lines)
	}
	far := "1," + strings.Repeat("a,", maxCells-1) + "evil.example"
	if lines := Read(far, 3, Options{}).Lines; len(lines) != 1 || lines[0].Fault == nil {
		t.Errorf("one cell more: %v", lines)
	}
}

// TestATableKeepsItsColumns: the names, where there are any, and the cells in their columns.
func TestATableKeepsItsColumns(t *testing.T) {
	const a, tron = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	for text, want := range map[string]string{
		"customer,address,note\nC-1," + a + ",x\n":    "customer|address|note / 2 C-1|" + a + "|x",
		"Risk 2026;site\nmine, or not;evil.example\n": "Risk 2026|site / 2 mine, or not|evil.example",
		"site,note\nevil.example,Lee, Ann\n":          "site|note / 2 evil.example|Lee, Ann",
		"site,,note\nevil.example\n":                  "site|column 2|note / 2 evil.example||",
		"evil.example,7\nother.example,8\n":           "column 1|column 2 / 1 evil.example|7 / 2 other.example|8",
		"site\tnote\n\n\"a \"\"b\"\"\"\tevil.example": "site|note / 3 a \"b\"|evil.example",
		"site\tnote\nevil.example\t\"a\tb\"":          "site|note / 2 evil.example|a\tb",
		"evil.example\nother.example,8\n":             " / 1  / 2 ",
		"site,riskLevel, LINE,a,A,\nevil.example":     "site|riskLevel (2)|LINE (2)|a|A (2)|column 6 / 2 evil.example|||||",
	} {
		table := Read(text, 10, Options{})
		got := []string{strings.Join(table.Names, "|")}
		for _, l := range table.Lines {
			got = append(got, fmt.Sprintf("%d %s", l.Number, strings.Join(l.Cells, "|")))
		}
		if strings.Join(got, " / ") != want {
			t.Errorf("%q: %q, not %q", text, strings.Join(got, " / "), want)
		}
		if table.Head == nil {
			continue
		}
		again := Read(table.Head.Row()+"\n"+table.Lines[0].Row(), 10, Options{})
		if !slices.Equal(again.Names, table.Names) || !slices.Equal(again.Lines[0].Cells, table.Lines[0].Cells) {
			t.Errorf("%q: read again it is %q", text, again.Lines[0].Cells)
		}
	}
}

// TestWhatIsKeptOfATableIsBounded: columns, and characters of a cell.
func TestWhatIsKeptOfATableIsBounded(t *testing.T) {
	table := Read("evil.example,"+strings.Repeat("a", 2*maxCell)+strings.Repeat(",b", 2*maxCells), 10, Options{})
	cells := table.Lines[0].Cells
	if len(cells) != maxCells || len([]rune(cells[1])) > maxCell || len(table.Names) != maxCells {
		t.Errorf("%d columns, %d characters", len(cells), len(cells[1]))
	}
}

func TestOfALineWithoutASubjectTheLikeliestCellSaysWhy(t *testing.T) {
	const a = "0x098B716B8Aaf21512996dC57EB0615e2383E2f9"
	for text, want := range map[string]string{
		"id,address\nC-1," + a:                         a, // the longest one that looks like it
		"id,site\n1,evil.example\nC-1000,not a site\n": "not a site",
		"id,site\n1,evil.example\nnothing":             "", // its cell is empty
		"id,a,b\n0x1,0x123,a long name\n":              "0x123",
		"id,a,b\na long name,0x123,0x1\n":              "0x123",
		"site,note\nevil.example,x\nnot,a,site\n":      "not", // a row with more cells than the others, and no subject
	} {
		lines := Read(text, 10, Options{}).Lines
		if l := lines[len(lines)-1]; l.Text != want || l.Fault == nil {
			t.Errorf("%q: %q", text, l.Text)
		}
	}
}

// slowly is a reader that returns one line at a time, and counts them.
type slowly struct {
	lines []string
	given int
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.given == len(s.lines) {
		return 0, io.EOF
	}
	s.given++
	return copy(p, s.lines[s.given-1]), nil
}

// TestAListIsReadAsItComes: no line is waited for before the first is answered. The columns of a table are known from
// several rows.
func TestAListIsReadAsItComes(t *testing.T) {
	for row, want := range map[string]int{one + "\n": 1, "Ann," + one + "\n": 4} {
		in := &slowly{lines: []string{row, row, row, row}}
		line, err := NewReader(in, Options{}).Read()
		if err != nil || line.Subject.Plain() != one || in.given != want {
			t.Errorf("%q: %+v, %v, %d lines were read", row, line, err, in.given)
		}
	}
}
