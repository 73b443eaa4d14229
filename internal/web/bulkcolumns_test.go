package web

import (
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// ticked are the columns that are read as a page says.
func (p *response) ticked() string {
	var all []string
	for _, n := range p.all("input") {
		if attr(n, "name") != columnField {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "checked" || a.Key == "type" && a.Val == "hidden" {
				all = append(all, attr(n, "value"))
			}
		}
	}
	return strings.Join(all, " ")
}

// TestATableSaysWhichOfItsColumnsAreRead before the charge, offers the others, and counts what it leaves.
func TestATableSaysWhichOfItsColumnsAreRead(t *testing.T) {
	s := start(t)
	s.list("ofac", "ofac", tocsin.Sanction, "", thief)
	v := s.visitor()
	const other, third = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
	list := "name;mail;from;to;note\nGamma.io;ceo@alpha.example;" + other + ";" + thief + ";\n" +
		"Beta;;" + third + ";N/A;like " + thief + "\n"
	p := v.post("/bulk", fields{bulkField: list})
	p.says("Columns read from addresses in 2 of 2 lines to addresses in 1 of 2 lines", "Lines 2", "Different subjects 3",
		"1 address elsewhere in these lines is not screened. By column: note (1). An address within",
		"name websites in 1 of 2 lines")
	text, shown := p.carried(), p.hidden(shownField)
	want(t, "the columns that are ticked", p.ticked(), "2 3")
	var answers []string
	for _, row := range v.table(text)[1:] {
		answers = append(answers, strings.Join([]string{row[21], row[22], row[1], row[5], row[4]}, " "))
	}
	want(t, "an answer for each account", answers, []string{"2 from " + other + " no_reports proceed",
		"2 to " + thief + " caution block", "3 from " + third + " no_reports proceed"})
	p = v.post("/bulk", fields{bulkField: text, columnField: "3", shownField: shown, "do": "csv"})
	p.says("Column read to addresses in 1 of 2 lines", "tick their columns below",
		"Read it this way") // it had said what other columns cost
	want(t, "the column that is ticked", p.ticked(), "3")
	p = v.post("/bulk", fields{bulkField: text, columnField: "3", shownField: p.hidden(shownField), "do": "screen"})
	p.says("CLEAN and proceed mean that nothing is on record", "Sanctions are those of one list, OFAC SDN",
		"1 of 2 lines looked up", "Critical 1", "3 addresses elsewhere in these lines are not screened.",
		"from (2), note (1)", "send the list again, and tick",
		"a cell that says there is none 1 3: N/A There is no address in this row: the cell says “N/A”.")
	want(t, "in the table too", p.ticked(), "3")
	want(t, "what separates the cells", p.hidden(separatorField), ";")
	p = v.post("/bulk", fields{bulkField: text, "do": "csv"})
	want(t, "in the CSV too", strings.HasPrefix(p.html, "input;subject;riskLevel;"), true)
}

// TestASanctionedAddressThatIsNotScreenedIsNamed: once, before the charge and in the table, unless another line has it.
func TestASanctionedAddressThatIsNotScreenedIsNamed(t *testing.T) {
	s := start(t)
	const other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	s.list("ofac", "ofac", tocsin.Sanction, "", thief, other)
	v := s.visitor()
	list := "wallet\tnet\tnote\n" + thief + "\tETH\t\n" + nobody + "\t\tfrom " + other + "\n" +
		nobody + "\tETH\tfrom " + thief + ", " + other + "\n"
	const said = "1 of the addresses that are not screened is sanctioned. " + other + " Line 3 note"
	p := v.post("/bulk", fields{bulkField: list})
	p.says("Column read wallet", "3 addresses elsewhere in these lines are not screened.", said)
	v.post("/bulk", fields{bulkField: p.carried(), "do": "screen"}).says(said, "3 lines looked up", "Critical 1")
	p = v.post("/bulk", fields{bulkField: nobody + " " + other + "\n" + nobody + "," + other})
	p.says("put each on a line of its own", "1 of the addresses that are not screened is sanctioned. "+other+" Line 2")
}

// TestAddressesOfSolanaAreReadWhenTheyAreKnown: those that a list names at once, the others if somebody says so.
func TestAddressesOfSolanaAreReadWhenTheyAreKnown(t *testing.T) {
	s := start(t)
	const known, other = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T", "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
	s.list("ofac", "ofac", tocsin.Sanction, "", "solana:"+known)
	v := s.visitor()
	p := v.post("/bulk", fields{bulkField: known + "\n" + other})
	p.says("1 address without a prefix is on record as an address of Solana", "Read 1 more as an address of Solana",
		"Different subjects 1")
	p = v.post("/bulk", fields{bulkField: p.carried(), solanaField: "yes", "do": "read"})
	p.says("Different subjects 2", "Addresses without a checksum are read as Solana")
	p = v.post("/bulk", fields{bulkField: p.carried(), solanaField: "yes", shownField: p.hidden(shownField),
		"do": "screen"})
	p.says("2 lines looked up", "Critical 1", "No reports 1")
	want(t, "for the CSV", p.hidden(solanaField), "yes")
	v.post("/bulk", fields{bulkField: other}).says("Read 1 more as an address of Solana", "Different subjects 0")
}

// TestAColumnWithTheChainIsUsed: it makes an address of Solana one, it is named before the charge, what contradicts it
// is said in the row, and it comes along where other columns are too long to.
func TestAColumnWithTheChainIsUsed(t *testing.T) {
	s := start(t)
	v := s.visitor()
	const solana, contrary = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM", "The column “chain” says “TRC20”, but this " +
		"is an address of Ethereum and other EVM chains."
	list := "chain,address,note\nSOL," + solana + ",a\nTRC20," + thief + ",b\n"
	p := v.post("/bulk", fields{bulkField: list})
	p.says("Chain of the addresses chain", "1 address is read as of the chain that its line says.",
		"1 address is of another chain than its line says.",
		"Its reason in the table says so. Lines 3", "Different subjects 2")
	v.post("/bulk", fields{bulkField: p.carried(), "do": "screen"}).says("2 lines looked up", contrary)
	rows := v.table(list)
	want(t, "in the CSV", []any{rows[1][1], rows[1][6], strings.HasSuffix(rows[2][6], "; "+contrary)},
		[]any{"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:" + solana, "Nothing on record, which does not make it safe", true})
	long := "chain,address,note\n" + strings.Repeat("SOL,"+solana+","+strings.Repeat("x", 400)+"\n", 190)
	p = v.post("/bulk", fields{bulkField: long})
	want(t, "without the others", strings.Contains(p.carried(), "xxx"), false)
	v.post("/bulk", fields{bulkField: p.carried(), columnField: p.hidden(columnField), "do": "screen"}).says(
		"190 lines looked up")
}

// TestTheRestOfALongListIsNamed: the first 500 are looked up.
func TestTheRestOfALongListIsNamed(t *testing.T) {
	v := start(t).visitor()
	p := v.post("/bulk", fields{bulkField: "site\n" + numbered(0, 600)})
	p.says("This is more than 500 addresses and sites, the most at a time. Line 502 and all below it", "Lines 500")
	p = v.post("/bulk", fields{bulkField: p.carried(), restField: p.hidden(restField), "do": "screen"})
	p.says("Line 502 and all below it are not in this table.")
}

// TestACSVIsReadAsExcelWritesIt: its letters come back, with the mark by which Excel knows them.
func TestACSVIsReadAsExcelWritesIt(t *testing.T) {
	v := start(t).visitor()
	p := v.post("/bulk", fields{bulkField: "Kunde;Seite\r\nM\xfcller;one.example\r\n\"B\r\nC\";two.example", "do": "csv"})
	lines := strings.Split(p.html, "\n")
	want(t, "its lines", []any{len(lines), strings.HasPrefix(lines[0], "\ufeffinput;"),
		strings.HasSuffix(lines[1], ";2;Seite;Müller;one.example"), strings.HasSuffix(lines[2], ";3;Seite;B C;two.example")},
		[]any{4, true, true, true})
	p = v.post("/bulk", fields{bulkField: "one.example", "do": "csv"})
	want(t, "a mark that nothing needs", strings.HasPrefix(p.html, "input,"), true)
}

// TestManyAnswersSayByWhichListsTheyAre, which of them are sanctioned, and that newer sanctions are missing.
func TestManyAnswersSayByWhichListsTheyAre(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.post("/bulk", fields{bulkField: thief}).says("No sanctions list is on record here, so no sanction can be found.")
	s.starter()
	s.Sleep(time.Minute)
	v.get("/bulk").says("The sanctions list has no date. Newer sanctions may not be found.")
	s.Sleep(20 * 24 * time.Hour)
	const old = "Newer sanctions are not found. One of our lists is out of date: OFAC SDN."
	v.get("/bulk").says(old)
	p := v.post("/bulk", fields{bulkField: thief + "\nfine.example"})
	p.says(old)
	p = v.post("/bulk", fields{bulkField: p.carried(), "do": "screen"})
	p.says(old, "Critical 1", "of these, sanctioned 1 In many countries", "Lists used", "OFAC SDN", ", 12:00 UTC")
	p = v.post("/bulk", fields{bulkField: thief, "do": "csv"})
	want(t, "in the CSV", strings.Contains(p.html,
		",unknown,yes,LAZARUS GROUP,DPRK3,OFAC SDN 2026-03-04 (sanction); Tocsin starter set 2026-03-04,"+
			",2026-03-04\n"), true)
}

// TestAnAddressWithTwoSanctionsIsOneSanctionedLine: each chain has an entry of its own.
func TestAnAddressWithTwoSanctionsIsOneSanctionedLine(t *testing.T) {
	s := start(t)
	subject, _ := tocsin.ParseSubject(thief)
	im, err := s.db.Import(t.Context(), tocsin.List{Name: tocsin.SanctionsList, Family: "ofac"})
	tocsintest.Must(t, err)
	defer im.Close()
	for _, chain := range []string{"eip155:1", "eip155:56"} {
		tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Sanction, Subject: subject,
			Name: "A PARTY", Program: "CYBER2", Chain: chain}}))
	}
	_, err = im.Finish(t.Context(), true, nil)
	tocsintest.Must(t, err)
	v := s.visitor()
	p := v.post("/bulk", fields{bulkField: thief + "\nfine.example"})
	v.post("/bulk", fields{bulkField: p.carried(), "do": "screen"}).says("Critical 1", "of these, sanctioned 1")
}
