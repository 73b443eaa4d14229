package sheet

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"tocsin"
)

// TestARecordEndsWhereItsQuotesDo: at the next line, and at most so many lines and bytes later.
func TestARecordEndsWhereItsQuotesDo(t *testing.T) {
	breaks := func(n int) string { return "\"" + strings.Repeat("x\n", n) + "y\",1" }
	long := func(n int) string { return "\"" + strings.Repeat("x", n-2) + "\nz\nzz\"\n" }
	for text, want := range map[string]string{
		"a\nb":                "a|b",
		"\"a\nb\",c\nd":       "\"a b\",c|d",
		"x,\"a\r\nb\"\r\nc":   "x,\"a b\"|c",
		"x;  \"a\nb\"  \nc":   "x;  \"a b\"  |c",
		"x\t\"a\"\"\nb\"\nc":  "x\t\"a\"\" b\"|c",
		"x\"a\nb\"":           "x\"a|b\"", // a quote in a word
		"x \"a\nb\"":          "x \"a|b\"",
		"\"a\" b\nc\"":        "\"a\" b c\"", // it does not end there
		"\"a\";\"b\nc\"":      "\"a\";\"b c\"",
		"\"a\"\"\nb":          "\"a\"\"|b", // never closed
		"\"a\nb\nc":           "\"a|b|c",
		"\"\"\nb":             "\"\"|b",
		breaks(maxBreaks):     strings.ReplaceAll(breaks(maxBreaks), "\n", " "),
		breaks(maxBreaks + 1): strings.ReplaceAll(breaks(maxBreaks+1), "\n", "|"),
		long(maxRecord - 2):   strings.TrimSpace(strings.ReplaceAll(long(maxRecord-2), "\n", " ")),
		long(maxRecord - 1):   strings.Trim(strings.ReplaceAll(long(maxRecord-1), "\n", "|"), "|"),
		strings.Repeat("\"a\n", maxOpen) + strings.Repeat("b\n", maxBreaks) + "\"c\nd\"": strings.Repeat("\"a|", maxOpen) +
			strings.Repeat("b|", maxBreaks) + "\"c|d\"", // too many were never closed
		"\"a\nb\n\"c\nd\"\ne,\"f\ng": "\"a b \"c d\"|e,\"f|g",
	} {
		l, got := NewLines(strings.NewReader(text)), []string(nil)
		for {
			record, err := l.record()
			if err != nil {
				if err != io.EOF || record != "" {
					t.Errorf("%.40q: %q, %v", text, record, err)
				}
				break
			}
			got = append(got, record)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%.40q: %.80q, not %.80q", text, strings.Join(got, "|"), want)
		}
	}
}

func TestEachEncodingOfSpreadsheetsIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"\xef\xbb\xbfaé": "true aé", "\xff\xfea\x00\xe9\x00": "true aé", "\xfe\xff\x00a\x00\xe9": "true aé", "aé": "false aé",
		"a\xe9 \x80\x81": "true aé €\ufffd", "": "false ", "PK\x03": "false PK\x03", "\xd0\xcf\x11": "true ÐÏ\x11",
		"xPK\x03\x04": "false xPK\x03\x04",
	} {
		l := NewLines(strings.NewReader(text))
		line, err := l.Next()
		if got := fmt.Sprint(l.Marked(), " ", line); got != want || (err == nil) != (text != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, begin := range []string{"PK\x03\x04 and more", "\xd0\xcf\x11\xe0 and more"} {
		if line, err := NewLines(strings.NewReader(begin)).Next(); line != "" || !errors.Is(err, ErrWorkbook) {
			t.Errorf("%q: %q, %v", begin, line, err)
		}
	}
}

// TestAColumnIsOneOfAccountsByItsCells: a quarter of its subjects, and more than half of its cells.
func TestAColumnIsOneOfAccountsByItsCells(t *testing.T) {
	for c, want := range map[Column]bool{
		{Filled: 4, Accounts: 1, Sites: 3}: true, {Filled: 5, Accounts: 1, Sites: 4}: false, {Filled: 1, Sites: 1}: false,
		{Filled: 2, Accounts: 1}: false, {Filled: 3, Accounts: 2}: true, {Filled: 3, Accounts: 1, nearly: 1}: true,
		{Filled: 4, Accounts: 1, nearly: 1}: false, {}: false, {Filled: 2, nearly: 2}: false,
	} {
		if c.isOfAccounts() != want {
			t.Errorf("%+v: %t", c, !want)
		}
	}
	for want, columns := range map[string][]Column{
		"[]":    {{Filled: 9}, {Index: 1}},
		"[0 2]": {{Filled: 1, Accounts: 1}, {Index: 1, Filled: 9, Sites: 9}, {Index: 2, Filled: 1, Accounts: 1}},
		"[1]":   {{Filled: 9, Sites: 4}, {Index: 1, Filled: 1, Sites: 1}, {Index: 2, Filled: 1, Sites: 1}},
		"[2]":   {{Filled: 9, nearly: 3}, {Index: 1, Filled: 9, Sites: 2}, {Index: 2, Filled: 9, Sites: 3}},
		"[3]":   {{Filled: 2, Sites: 1}, {Index: 3, Filled: 9, Sites: 1, Accounts: 1}, {Index: 5, Filled: 9, nearly: 9}},
		"[4]":   {{Filled: 9, nearly: 3}, {Index: 4, Filled: 9, nearly: 4}},
	} {
		if got := fmt.Sprint(choose(columns)); got != want {
			t.Errorf("%+v: %s", columns, got)
		}
	}
}

func TestTheMarkBetweenCellsIsThatWithTheMostSubjects(t *testing.T) {
	for text, want := range map[string]string{
		"a": "", "a,b": ",", "a;b": ";", "a\tb": "\t", "a,b;c": ",", "a;b;c,d": ";", "a,b;c,d;e": ",", "\ta,b": "\t",
		"a,b;c\nd;e\nf;g":              ";",
		"a,b;c\nd;e\nf;g\nh,a.example": ",",
		"a;b,c\n" + strings.Repeat("d;e\n", maxCompared-2) + "d,e\nd,a.example": ";",
		"a;b,c\n" + strings.Repeat("d;e\n", maxCompared-2) + "d,a.example":      ",",
	} {
		got := string(separatorOf(strings.Split(text, "\n")))
		if strings.Trim(got, "\x00") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"a.example,b.example": "[a.example]", one + ";" + two + ",x": "[" + one + "]",
		"x," + one + "," + two: "[" + one + " " + two + "]", "a.example," + one: "[" + one + "]", "x;y,z": "[]", "": "[]",
		one: "[" + one + "]", "x," + one + ";" + two + ";" + tron: "[" + two + " " + tron + "]",
	} {
		if got := fmt.Sprint(subjectsIn(text)); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
	for want, cells := range map[string][]string{"a": {"a", "b"}, "b1": {"a", "b1", "c2"}, "c22": {"b1", "c22", "longer"},
		"": {}, "d.": {"long word", "d."}, "x:": {"", "x:"}} {
		if got := meant(cells); got != want {
			t.Errorf("%q: %q", cells, got)
		}
	}
}

// TestWhatIsNotReadIsSaid: a column that is not there, rows beyond the most, accounts beside others.
func TestWhatIsNotReadIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		"wallet\n" + one:                    `there is no column "from": the text has one column`,
		one:                                 `there is no column "from": the text has one column`,
		"wallet,x\n" + one + ",\n":          `there is no column "from", but ["wallet" "x"]`,
		one + ",7\n":                        `there is no column "from", but ["column 1" "column 2"]`,
		"From\n" + one:                      "",
		"x, FROM\n" + one + "," + two:       "",
		"from\n":                            "EOF",
		"PK\x03\x04":                        ErrWorkbook.Error(),
		"from,x\n" + strings.Repeat(",", 3): "EOF",
	} {
		l, err := NewReader(strings.NewReader(text), Options{Names: []string{"from"}}).Read()
		if got := fmt.Sprint(err); got != want && (want != "" || err != nil || l.Subject.Kind != tocsin.EVM) {
			t.Errorf("%q: %q", text, got)
		}
	}
	var left []string
	o := Options{Left: func(l Left) { left = append(left, fmt.Sprint(l.Number, " ", l.Column, " ", l.Subject.Plain())) }}
	table := Read(one+"\n\n"+two+","+tron+","+one+"\n", 10, o)
	if got := strings.Join(left, "|"); got != "3 0 "+tron+"|3 0 "+one || table.Beside != 2 || table.Comma != 0 {
		t.Errorf("beside those of a list: %q, %+v", got, table)
	}
	left = nil
	table = Read("wallet,x\n"+one+",a,"+two+"\n", 10, o)
	if got := strings.Join(left, "|"); got != "2 1 "+two || table.Columns[1].Beside != 1 || len(table.Lines) != 1 {
		t.Errorf("beyond the last column: %q, %+v", got, table)
	}
	for rows, rest := range map[int]int{maxRows*2 - 1: 0, maxRows * 2: 0, maxRows*2 + 1: maxRows*2 + 1} {
		got := Read(strings.Repeat("\n", rows-1)+one+"\n", 2, Options{})
		if got.Rest != rest || (len(got.Lines) == 1) != (rest == 0) {
			t.Errorf("%d rows: %+v", rows, got)
		}
	}
	for _, empty := range []string{"", " ", "\t", ",", ";", "\u00a0", ` ,; "" `, `"","",""`} {
		if table := Read(empty+"\n"+one+"\n", 9, Options{}); len(table.Lines) != 1 || table.Lines[0].Number != 2 {
			t.Errorf("%q: %+v", empty, table)
		}
	}
}

func TestARowWithoutASubjectIsALineThatSaysSo(t *testing.T) {
	for text, want := range map[string]string{
		"id,name\n1,Ann\n2,Bob":   "2 =!1 / 3 =!2",
		"name,note\nAnn,x\nBob,y": "2 =!Ann / 3 =!Bob",
		"from,to\n" + one + "," + two + "\n,\n" + two + ",x\n" + one + "," + two + "\n-,-": "2 from=" + one +
			" / 2 to=" + two + " / 4 from=" + two +
			" / 4 to=!x / 5 from=" + one + " / 5 to=" + two + " / 6 =!",
		"name":      "",
		"name\nAnn": "2 =!Ann",
		"7\nAnn":    "1 =!7 / 2 =!Ann",
		"Ann,Lee":   "",
		"Ann,Lee 7": "1 =!Lee 7",
	} {
		if got := said(Read(text, 10, Options{})); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
