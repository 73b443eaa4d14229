package sheet

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"tocsin"
)

const (
	one    = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	two    = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	tron   = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	solana = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
)

// said is what was read of a table: the columns, and each line with its row and what it names.
func said(table Table) string {
	var all []string
	for _, l := range table.Lines {
		subject := l.Subject.Plain()
		if l.Fault != nil {
			subject = "!" + l.Text
		}
		all = append(all, fmt.Sprintf("%d %s=%s", l.Number, l.Column, subject))
	}
	return strings.Join(all, " / ")
}

// TestTheColumnsAreChosenForTheTableAsAWhole: those of accounts before those of websites, and never a cell of another
// column because that of a row is empty.
func TestTheColumnsAreChosenForTheTableAsAWhole(t *testing.T) {
	for text, want := range map[string]string{
		"name;mail;web;from;to\nAlpha Ltd;ceo@alpha-corp.com;alpha-corp.com;" + two + ";" + one + "\n" +
			"Beta;;beta-corp.com;" + one + ";" + tron + "\n": "2 from=" + two + " / 2 to=" + one + " / 3 from=" + one +
			" / 3 to=" + tron,
		"name,wallet\nGamma.io," + one + "\nDelta," + two + "\n": "2 wallet=" + one + " / 3 wallet=" + two,
		"wallet,since\n" + one + ",18.11.2026\n,19.11.2026\nN/A,20.11.2026\n-,x.example": "2 wallet=" + one +
			" / 3 wallet=! / 4 wallet=!N/A / 5 wallet=!-",
		"Alpha.io;" + one + ";" + one:                                 "1 column 2, column 3=" + one,
		"addr1;addr2\n" + one + ";" + two:                             "2 addr1=" + one + " / 2 addr2=" + two,
		"id,site,other\n1,a.example,\n2,b.example,c.example":          "2 site=a.example / 3 site=b.example",
		"name,wallet,note\nLee, Ann," + one + ",x\nBob," + two + ",y": "2 =" + one + " / 3 wallet=" + two,
		"Gamma.io, " + one + "\n":                                     "1 column 2=" + one,
		"wallets\nGamma.io, " + one:                                   "2 =" + one,
		"from;to\n" + one + ";" + two + "\n" + two + ";0x12\n" + one + ";0x34": "2 from=" + one + " / 2 to=" + two +
			" / 3 from=" + two + " / 3 to=!0x12 / 4 from=" + one + " / 4 to=!0x34",
		"wallet;n\n" + one + ";\n0x12;1":                   "2 wallet=" + one + " / 3 wallet=!0x12",
		"note\twallet\n\"a\nb\"\t" + one + "\n\"c\t" + two: "2 wallet=" + one + " / 3 wallet=!",
		"id,iban,web\n1,DE89370400440532013000,a.example\n2,MT84MALT011000012345MTLCAST001S,b.example": "2 web=a.example / " +
			"3 web=b.example",
	} {
		if got := said(Read(text, 10, Options{})); got != want {
			t.Errorf("%q:\n%q, not\n%q", text, got, want)
		}
	}
}

// TestAnEmptyCellKeepsItsPlace: first, in the middle and last, whatever separates the cells.
func TestAnEmptyCellKeepsItsPlace(t *testing.T) {
	for _, comma := range []string{"\t", ",", ";"} {
		text := strings.ReplaceAll("case|net|wallet|sum|from\nK1|ETH|"+one+"|5|a\n|ETH|"+two+"|6|b\nK3||"+tron+"|7|c\n"+
			"K4|| |8|"+one+"\n||"+one+"||\n| \"x\"|"+two+"|9|\n", "|", comma)
		table := Read(text, 10, Options{})
		want := "2 wallet=" + one + " / 3 wallet=" + two + " / 4 wallet=" + tron + " / 5 wallet=! / 6 wallet=" + one +
			" / 7 wallet=" + two
		if got := said(table); got != want || table.Beside != 1 {
			t.Errorf("%q: %d beside\n%q, not\n%q", comma, table.Beside, got, want)
		}
		var rows []string
		for _, l := range table.Lines {
			rows = append(rows, strings.Join(l.Cells, "|"))
		}
		want = "K1|ETH|" + one + "|5|a, |ETH|" + two + "|6|b, K3||" + tron + "|7|c, K4|||8|" + one + ", ||" + one +
			"||, |x|" + two + "|9|"
		if got := strings.Join(rows, ", "); got != want {
			t.Errorf("%q: %q, not\n%q", comma, got, want)
		}
	}
}

func TestAColumnIsChosenByHand(t *testing.T) {
	text := "from;to;web\n" + one + ";" + two + ";a.example\n" + two + ";;b.example\n"
	table := Read(text, 10, Options{Columns: []int{1, 2, 7, -1}})
	want := "2 to=" + two + " / 2 web=a.example / 3 web=b.example"
	if got := said(table); got != want || table.Beside != 2 || table.Rows != 2 {
		t.Errorf("%q, %d beside, %d rows", got, table.Beside, table.Rows)
	}
	var held []string
	for _, c := range table.Columns {
		held = append(held, fmt.Sprint(c.Name, c.Filled, c.Accounts, c.Sites, c.Read))
	}
	want = "from2 2 0 false, to1 1 0 true, web2 0 2 true"
	if strings.Join(held, ", ") != want || table.Columns[0].Rows != 2 {
		t.Errorf("%q", held)
	}
}

// TestAccountsBesideTheColumnsAreCounted: also within a text.
func TestAccountsBesideTheColumnsAreCounted(t *testing.T) {
	text := "wallet,note\n" + one + ",paid to " + two + " and " + tron + "\n" + two + ",\n" + one + "," + two
	var left []string
	table := Read(text, 10, Options{Left: func(l Left) {
		left = append(left, fmt.Sprint(l.Number, l.Column, " ", l.Subject.Plain()))
	}})
	if table.Beside != 3 || len(table.Lines) != 3 {
		t.Errorf("%d beside %q", table.Beside, said(table))
	}
	if want := "2 1 " + two + ", 2 1 " + tron + ", 4 1 " + two; strings.Join(left, ", ") != want {
		t.Errorf("%q, not %q", left, want)
	}
}

func TestAnAddressOfSolanaIsReadIfThatWasSaid(t *testing.T) {
	text := "name,wallet\nA.io," + solana + "\nB," + one
	table := Read(text, 10, Options{})
	if got, want := said(table), "2 wallet=!"+solana+" / 3 wallet="+one; got != want || table.Solana != 1 {
		t.Errorf("%q, %d", got, table.Solana)
	}
	table = Read(text, 10, Options{Solana: func(s tocsin.Subject) bool { return s.ChainName() == "Solana" }})
	got, want := said(table), "2 wallet="+solana+" / 3 wallet="+one
	if got != want || table.Solana != 0 || !table.Lines[0].Solana {
		t.Errorf("%q, %d", got, table.Solana)
	}
}

// TestATableOfExcelIsRead: in Windows-1252, with semicolons, and not a workbook.
func TestATableOfExcelIsRead(t *testing.T) {
	table := Read("Kunde;Wallet\r\nM\xfcller \x80;"+one+"\r\n", 10, Options{})
	if !table.Marked || table.Comma != ';' || table.Lines[0].Row() != "Müller €;"+one {
		t.Errorf("%v", table)
	}
	for text, marked := range map[string]bool{"Kunde;Wallet\nMüller;" + one: false, "\ufeffa\n" + one: true,
		"\xff\xfea\x00.\x00d\x00e\x00": true} {
		if table := Read(text, 10, Options{}); table.Marked != marked || len(table.Lines) != 1 {
			t.Errorf("%q: %v", text, table)
		}
	}
	if table := Read("PK\x03\x04\x14", 10, Options{}); !table.Workbook {
		t.Error("a workbook is read")
	}
}

// TestALongTableIsRead row by row, with the columns of its beginning.
func TestALongTableIsRead(t *testing.T) {
	text := "name,wallet\n" + strings.Repeat("A.io,"+one+"\n", 2*sampled) + "B.io,\n"
	r, n := NewReader(strings.NewReader(text), Options{}), 0
	for {
		l, err := r.Read()
		if err == io.EOF {
			break
		}
		if n++; l.Column != "wallet" || l.Number != n+1 || (l.Fault == nil) != (n <= 2*sampled) {
			t.Fatalf("%v", l)
		}
	}
	if n != 2*sampled+1 {
		t.Errorf("%d lines", n)
	}
}

// TestARowIsNotDivided: the rows that are read have all their lines.
func TestARowIsNotDivided(t *testing.T) {
	table := Read("from,to\n"+strings.Repeat(one+","+two+"\n", 3), 5, Options{})
	if len(table.Lines) != 4 || table.Rows != 2 || table.Rest != 4 || !table.Lines[1].Again {
		t.Errorf("%q, the rest from %d", said(table), table.Rest)
	}
}

// TestATitleAboveATableIsNoPartOfIt: as spreadsheets export it, with and without marks for the other cells.
func TestATitleAboveATableIsNoPartOfIt(t *testing.T) {
	const table = "name,wallet,note\nAlice," + one + ",x\nBob," + two + ",y\n"
	for title, want := range map[string]string{
		"":                                    "2 wallet=" + one + " / 3 wallet=" + two,
		"Payees 2026\n":                       "3 wallet=" + one + " / 4 wallet=" + two,
		"Payees 2026,,\n":                     "3 wallet=" + one + " / 4 wallet=" + two,
		"Payees\n\nExported on 3 Nov, 2026\n": "5 wallet=" + one + " / 6 wallet=" + two,
		"Payees 2026,,\n,,\n\"Lee, Ann\",,\n": "5 wallet=" + one + " / 6 wallet=" + two,
		strings.Repeat("Payees,,\n", 4):       "6 wallet=" + one + " / 7 wallet=" + two,
		strings.Repeat("Payees,,a\n", 5): "2 column 2=! / 3 column 2=! / 4 column 2=! / 5 column 2=! / " +
			"6 column 2=!wallet / 7 column 2=" + one + " / 8 column 2=" + two,
		"1\n2\n3\n4\n5\n6\n": "1 =!1 / 2 =!2 / 3 =!3 / 4 =!4 / 5 =!5 / 6 =!6 / 7 =!name / 8 =" + one +
			" / 9 =" + two,
		one + "\n": "1 =" + one + " / 2 =!name / 3 =" + one + " / 4 =" + two,
	} {
		if got := said(Read(title+table, 20, Options{})); got != want {
			t.Errorf("%q:\n%q, not\n%q", title, got, want)
		}
	}
	again := Read("Payees 2026\n"+table, 20, Options{})
	if again.Head == nil || again.Head.Number != 2 || again.Names[1] != "wallet" {
		t.Errorf("%v, %q", again.Head, again.Names)
	}
}
