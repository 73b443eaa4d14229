package sheet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTheFirstCellThatIsASubjectIsRead(t *testing.T) {
	const a = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	for text, want := range map[string][]string{
		"":                                  nil,
		" \n\r\n\t\n":                       nil,
		a + "\nevil.example\r\n":            {"1 " + a, "2 evil.example"},
		"\ufeffaddress,note\n" + a + ",x\n": {"2 " + a},
		"note;site\nmine;evil.example":      {"2 evil.example"},
		"id\tsite\n7\tevil.example":         {"2 evil.example"},
		"Lee; Ann,evil.example":             {"1 evil.example"},
		`"Lee, Ann",` + a:                   {"1 " + a},
		"'" + a:                             {"1 " + a},
		"evil.example,other.example":        {"1 evil.example"},
		"words\nmore words":                 {"2! more words"},
		"name," + a[:41]:                    {"1! " + a[:41]},
		a + "\n\n0x12":                      {"1 " + a, "3! 0x12"},
		`"` + a:                             {"1 " + a},
	} {
		lines, more := Read(text, 10)
		var got []string
		for _, l := range lines {
			mark, name := "", l.Text
			if l.Fault != nil {
				mark = "!"
			} else if name = l.Subject.String(); name == "" {
				t.Errorf("%q: line %d has neither a subject nor a fault", text, l.Number)
			}
			got = append(got, fmt.Sprintf("%d%s %s", l.Number, mark, name))
		}
		if !slices.Equal(got, want) || more {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestATableThatIsTooLongSaysSo(t *testing.T) {
	lines, more := Read(strings.Repeat("evil.example\n", 4), 3)
	if len(lines) != 3 || !more {
		t.Errorf("%d lines, %v", len(lines), more)
	}
	if lines, more = Read(strings.Repeat("evil.example\n", 3), 3); len(lines) != 3 || more {
		t.Errorf("%d lines, %v", len(lines), more)
	}
}

func TestATableIsNotReadForLong(t *testing.T) {
	if lines, more := Read(strings.Repeat(",\n", maxRows*3-1), 3); len(lines) != 0 || more {
		t.Errorf("empty lines: %v, %v", lines, more)
	}
	if lines, more := Read(strings.Repeat(",\n", maxRows*3+1)+"evil.example", 3); len(lines) != 0 || !more {
		t.Errorf("too many empty lines: %v, %v", lines, more)
	}
	if lines, _ := Read(strings.Repeat("a,", maxCells-1)+"evil.example", 3); len(lines) != 1 || lines[0].Fault != nil {
		t.Errorf("the last cell: %v", lines)
	}
	far := "1," + strings.Repeat("a,", maxCells-1) + "evil.example"
	if lines, _ := Read(far, 3); len(lines) != 1 || lines[0].Fault == nil {
		t.Errorf("one cell more: %v", lines)
	}
}
