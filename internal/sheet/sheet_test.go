package sheet

import (
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"tocsin"
)

// TestNoCellIsAFormula: not of what was asked, and not of what others wrote about it.
func TestNoCellIsAFormula(t *testing.T) {
	for text, want := range map[string]string{
		`=cmd|' /C calc'!A0`: `'=cmd|' /C calc'!A0`, "+1": "'+1", "-2+3": "'-2+3", "@SUM(1)": "'@SUM(1)",
		"\t=1": "'=1", "\r=1": "'=1", " \n =1": "'=1", "\u200b=1": "'=1", "\x00=1": "'=1", "＝1": "'＝1", "\u22121": "'\u22121",
		`=HYPERLINK("https://evil.example","x")`: `'=HYPERLINK("https://evil.example","x")`,
		"a\r\n=1":                                "a =1",
		"":                                       "",
		"0x12":                                   "0x12",
		"evil.example":                           "evil.example",
		`"=1`:                                    `"=1`,
		`a;=1`:                                   `a;'=1`,
		`a; "@SUM(1);+1`:                         `a; "'@SUM(1);'+1`,
		`a;b; c=-1`:                              `a;b; c=-1`,
	} {
		var b strings.Builder
		if err := NewWriter(&b, []string{"a", text}).Failed(Line{Text: text, Cells: []string{text}}, text); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil || len(rows) != 2 ||
			rows[0][9] != want || rows[1][0] != want || rows[1][6] != want || rows[1][8] != want || rows[1][9] != "" {
			t.Errorf("%q: %q, %v", text, rows, err)
		}
		if lines := strings.Count(b.String(), "\n"); lines != 2 {
			t.Errorf("%q takes %d lines", text, lines)
		}
	}
}

func TestARowHasEveryColumn(t *testing.T) {
	subject, _ := tocsin.ParseSubject("evil.example")
	var b strings.Builder
	found := tocsin.Screening{RiskLevel: tocsin.High, RiskScore: 68, Recommendation: tocsin.Block, Result: tocsin.Caution}
	lines := []Line{{Number: 2, Text: "https://evil.example/a,b", Subject: subject, Cells: []string{"C-1", "x"}},
		{Number: 4, Text: "0x12"}}
	write := func(columns []string) error {
		w := NewWriter(&b, columns)
		return errors.Join(w.Screened(lines[0], found, "a list (+70); its age (-2)"), w.Failed(lines[1], "too short"),
			w.Skipped(lines[0], "no look-up left"))
	}
	err := write(nil)
	want := "input,subject,riskLevel,riskScore,recommendation,result,reason\n" +
		`"https://evil.example/a,b",evil.example,HIGH,68,block,caution,a list (+70); its age (-2)` + "\n" +
		"0x12,,,,,error,too short\n" +
		"\"https://evil.example/a,b\",evil.example,,,,not_looked_up,no look-up left\n"
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	err = write([]string{"customer", "note"})
	rows, faulty := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || faulty != nil || len(rows) != 4 || strings.Join(rows[0][7:], " ") != "line customer note" ||
		strings.Join(rows[1][7:], " ") != "2 C-1 x" || strings.Join(rows[2][7:], "|") != "4||" {
		t.Errorf("%v %v %q", err, faulty, rows)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestARowThatIsNotWrittenIsAnError(t *testing.T) {
	if NewWriter(full{}, nil).Failed(Line{}, "") == nil {
		t.Error("it is none")
	}
}
