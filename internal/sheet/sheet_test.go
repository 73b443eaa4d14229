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
		if err := NewWriter(&b).Failed(text, text); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil || len(rows) != 2 || rows[1][0] != want || rows[1][6] != want {
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
	w := NewWriter(&b)
	err := errors.Join(w.Screened("https://evil.example/a,b", subject, tocsin.Screening{RiskLevel: tocsin.High,
		RiskScore: 68, Recommendation: tocsin.Block, Result: tocsin.Caution,
		Factors: []tocsin.Factor{{Detail: "a list", Points: 70}, {Detail: "its age", Points: -2}}}),
		w.Failed("0x12", "too short"))
	want := "input,subject,riskLevel,riskScore,recommendation,result,reason\n" +
		`"https://evil.example/a,b",evil.example,HIGH,68,block,caution,a list (+70); its age (-2)` + "\n" +
		"0x12,,,,,error,too short\n"
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestARowThatIsNotWrittenIsAnError(t *testing.T) {
	if NewWriter(full{}).Failed("", "") == nil {
		t.Error("it is none")
	}
}

func TestAScoreIsExplained(t *testing.T) {
	for said, s := range map[string]tocsin.Screening{
		"on a safelist": {Safelisted: true, Result: tocsin.Caution},
		"reports on record, which score nothing by themselves": {Result: tocsin.Caution},
		"nothing on record, which does not make it safe":       {Result: tocsin.NoReports},
		"on a list (+68); it is old (-8)": {Safelisted: true,
			Factors: []tocsin.Factor{{Points: 68, Detail: "on a list"}, {Points: -8, Detail: "it is old"}}},
	} {
		if got := Why(s); got != said {
			t.Errorf("%q, not %q", got, said)
		}
	}
}
