package main

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// screening is a machine that knows a site and an address.
func screening(t *testing.T) *machine {
	m := newMachine(t)
	m.must("import", "spmedia", "-from", m.write("list.txt", "evil-tocsin.com", "xn--80ajb5afbt3a5d.com"))
	m.must("import", "ndjson", "-from", m.write("own.ndjson", line("1", "Thief", address(1))))
	return m
}

func TestScreenTakesSubjectsFromArgumentsAFileOrStandardInput(t *testing.T) {
	m := screening(t)
	text := address(1) + "\nevil-tocsin.com"
	m.write("subjects", text)
	asOf := regexp.MustCompile(`"asOf":"[^"]*"`)
	same := func(about, got string) {
		want := m.must("screen", "-json", address(1), "evil-tocsin.com")
		m.want(about, asOf.ReplaceAllString(got, ""), asOf.ReplaceAllString(want, ""))
	}
	same("-f FILE", m.must("screen", "-f", "subjects", "-json"))
	same("-f -", m.feed(text, "screen", "-json", "-f", "-").out)
	same("standard input", m.feed(text, "screen", "-json").out)
	m.fails(exitUsage, "not both", "screen", "-f", "subjects", "evil-tocsin.com")
	m.fails(exitFailure, "no such file", "screen", "-f", "nosuch")
}

func TestScreenAnswersEachLineWithOneLineInOrder(t *testing.T) {
	m := screening(t)
	inputs := []string{address(1), "nobody-tocsin.com", "0x12", "", "https://www.EVIL-tocsin.com:8080/login?x=<1>",
		"not a domain", "sub.evil-tocsin.com.", "кошелёк.com",
		strings.ToUpper(address(1)[2:]), "0x098b716B8Aaf21512996dC57EB0615e2383E2f96", "  evil-tocsin.com\t"}
	wants := []string{"caution", "no_reports", "error", "error", "caution",
		"error", "caution", "no_reports",
		"caution", "error", "caution"}
	r := m.feed(strings.Join(inputs, "\r\n"), "screen", "-json", "-f", "-")
	m.want("status", r.status, exitFailure)
	m.want("complaints", r.err, "")
	lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	if len(lines) != len(inputs) {
		t.Fatalf("%d lines for %d:\n%s", len(lines), len(inputs), r.out)
	}
	for i, text := range lines {
		var got map[string]any
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		m.want("subject", got["subject"], inputs[i])
		if reason, faulty := got["error"].(string); faulty {
			got["result"] = "error"
			m.want("members of the fault "+text, len(got), 3)
			m.want("it tells a reason", reason != "", true)
		}
		m.want(text, got["result"], wants[i])
	}
	if !strings.Contains(lines[0], `"reportCount":1,`) ||
		!strings.Contains(lines[6], `"domain":"sub.evil-tocsin.com","riskScore":`) {
		t.Errorf("got %s", r.out)
	}
	m.want("status without faults", m.run("screen", "-json", address(1), "кошелёк.com").status, exitOK)
}

func TestScreenComparesWithContacts(t *testing.T) {
	m := screening(t)
	twin := "0x000000000000000000000000000000000abc9001"
	m.write("contacts", "", "0x28C6c06298d514Db089934071355E5743bf21d60", "0xabcd00000000000000000000000000000000dcba")
	imitation := "0xABCDef00000000000000000000000000000fdcba"
	alone := m.must("screen", "-json", strings.ToLower(imitation))
	compared := m.must("screen", "-json", "-context", "contacts", strings.ToLower(imitation), twin)
	m.want("alone", strings.Contains(alone, `"result":"no_reports"`) && strings.Contains(alone, `"poisoning":null`), true)
	m.want("compared", strings.Contains(compared, `"result":"suspicious"`) &&
		strings.Contains(compared, `"status":"contact"`) && strings.Contains(compared, `"poisoning":null`), true)
	m.want("in words", strings.Contains(m.must("screen", "-context", "contacts", strings.ToLower(imitation)),
		"Looks like another address (+25)"), true)
	m.write("bad", "0x28C6c06298d514Db089934071355E5743bf21d60", "0x12")
	m.fails(exitFailure, "bad, line 2: ", "screen", "-context", "bad", imitation)
	m.write("many", strings.Repeat("0x28C6c06298d514Db089934071355E5743bf21d60\n", 51))
	m.fails(exitFailure, "at most 50", "screen", "-context", "many", imitation)
}

// TestScreenSaysWhoseAddressIsMistyped: all characters but one are those of an address that is sanctioned.
func TestScreenSaysWhoseAddressIsMistyped(t *testing.T) {
	m := newMachine(t)
	m.afterFirstStart()
	const mistyped = "0x098b716b8aaf21512996dc57eb0615e2383e2f97"
	m.want("for programs", strings.Contains(m.must("screen", "-json", mistyped), `"detail":"all characters but one are `+
		`those of 0x098B716B8Aaf21512996dC57EB0615e2383E2f96, which is sanctioned: it is mistyped`), true)
	m.want("the row", regexp.MustCompile(` review +0  One character differs from an address of Lazarus Group, which is `+
		`sanctioned \(\+25\)\n`).MatchString(m.must("screen", mistyped)), true)
}

// noSanctions is the warning of a machine without a sanctions list.
const noSanctions = "Warning: no sanctions are on record, so none will be found: run `tocsin import ofac`\n"

func TestScreenPrintsATableForPeople(t *testing.T) {
	m := screening(t)
	r := m.run("screen", "evil-tocsin.com", "http://пример.com", "0x12", "bad\x1b[31m.com")
	m.want("status", r.status, exitFailure)
	m.want("a warning", r.err, noSanctions)
	rows := strings.Split(r.out, "\n")
	for i, pattern := range []string{
		`^SUBJECT +SCORE +LEVEL +DO +REPORTS +WHY$`,
		`^evil-tocsin\.com +\d\d +HIGH +block +0 +.*spmedia.* \(\+\d\d\)$`,
		`^http://пример\.com +0 +CLEAN +proceed +0 +Nothing on record`,
		`^0x12 +- +- +- +- +Do not send\. Copy it again from where you have it\. This has 2 digits after 0x; an address`,
		`^bad\[31m.com +- `, // what a terminal would obey is left out
		`^$`,
	} {
		if i >= len(rows) || !regexp.MustCompile(pattern).MatchString(rows[i]) {
			t.Errorf("row %d is not /%s/ in\n%s", i, pattern, r.out)
		}
	}
	m.must("import", "ofac", "-from", m.write("sanctioned-addresses.json", sdn(1, 2)))
	m.want("with sanctions no warning", m.run("screen", "evil-tocsin.com").err, "")
}

// TestATableSaysWhoWasSanctioned: an address that the sanctions list has dropped is not like one that nobody knows.
func TestATableSaysWhoWasSanctioned(t *testing.T) {
	m := newMachine(t)
	for days, addresses := range []int{3, 2} { // the newer edition lacks one of them
		m.must("import", "ofac", "-from", m.write("sanctioned-addresses.json", sdn(2-days, addresses)))
	}
	r := m.run("screen", "-csv", fmt.Sprintf("0x%040x", 1), fmt.Sprintf("0x%040x", 2), address(9))
	m.want("the summary", r.err, "3 screened, 0 without a subject; 1 critical (of these, sanctioned: 1), 0 high; "+
		"formerly sanctioned: 1\n")
	const until = "does not make it safe; on record here from OFAC SDN until 20"
	m.want("the reason", strings.Count(r.out, until), 1)
	was := fmt.Sprintf("0x%040x", 2)
	m.want("for people", strings.Count(m.must("screen", was), until), 1)
	m.want("for programs", strings.Count(m.must("screen", "-json", "-history", was), `"droppedAt":"20`), 1)
	m.want("which have to ask", strings.Contains(m.must("screen", "-json", was), "listHistory"), false)
	m.fails(exitUsage, "-history is for -json", "screen", "-history", was)
}

// TestATableIsComparedWithThatOfTheLastTime: only what has changed is printed, the status says whether anything has,
// and the whole table is there for the next time.
func TestATableIsComparedWithThatOfTheLastTime(t *testing.T) {
	m := newMachine(t)
	m.must("import", "ofac", "-from", m.write("sanctioned-addresses.json", sdn(2, 2)))
	hit, dropped := fmt.Sprintf("0x%040x", 2), fmt.Sprintf("0x%040x", 1)
	m.write("list", dropped, address(9), hit, "0x12")
	m.write("last.csv", m.run("screen", "-csv", "-f", "list").out)
	compare := []string{"screen", "-csv", "-f", "list", "-compare", "last.csv", "-save", "last.csv", "-versions", "used"}
	read := func(file string) []byte {
		text, err := os.ReadFile(m.at(file))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	sumOf := func(file string) string { return fmt.Sprintf("%x", sha256.Sum256(read(file))) }
	before := sumOf("last.csv") // of the file that is compared
	counts := func(critical int) string {
		return fmt.Sprintf("3 screened, 1 without a subject; %d critical (of these, sanctioned: %[1]d), 0 high\n",
			critical)
	}
	at := regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	sum := func(r result, status, critical int, kinds string) {
		t.Helper()
		m.want("the sum", []any{r.status, strings.ReplaceAll(at.ReplaceAllString(r.err, "…"), m.at("last.csv"), "last.csv")},
			[]any{status, counts(critical) + "compared 4 rows with those of …: " + kinds + "\nSHA-256 of last.csv as it was " +
				"compared: " + before + "\nSHA-256 of last.csv as it was saved: " + sumOf("last.csv") + "\n"})
		var used struct{ OutputSha256, ComparedSha256, SavedSha256 string }
		if err := json.Unmarshal(read("used"), &used); err != nil {
			t.Fatal(err)
		}
		same := []string{fmt.Sprintf("%x", sha256.Sum256([]byte(r.out))), before, sumOf("last.csv")}
		m.want("of the record", []string{used.OutputSha256, used.ComparedSha256, used.SavedSha256}, same)
		before = sumOf("last.csv")
	}
	sum(m.run(compare...), exitOK, 1, "new_sanction: 0")
	m.must("import", "ofac", "-from", m.write("sanctioned-addresses.json", sdn(1, 3)))
	r := m.run(compare...)
	sum(r, exitSanctioned, 2, "new_sanction: 1")
	lines := strings.Split(r.out, "\n")
	m.want("the one that has changed", []any{len(lines), strings.HasPrefix(lines[1], hit+","),
		strings.Contains(lines[1], ",new_sanction,newly sanctioned: A PARTY; newly listed: OFAC SDN; ")},
		[]any{3, true, true})
	sum(m.run(compare...), exitOK, 2, "new_sanction: 0")
	m.write("list", address(9), hit, "0x12", address(8))
	sum(m.run(compare...), exitChanged, 1, "new_sanction: 0, new: 1, gone: 1")
	m.write("list", hit, hit, "0x12", address(8))
	r = m.run(compare...)
	m.want("one more row of a sanctioned subject", []any{r.status,
		strings.Contains(r.out, ",new_sanction,new in this list; sanctioned"),
		strings.Contains(r.err, ": new_sanction: 1, gone: 1\n")}, []any{exitSanctioned, true, true})
	m.fails(exitFailure, `: is a directory\n$`, "screen", "-csv", "-f", "list", "-compare", ".") // not -db
	m.fails(exitFailure, "list: this is no table of answers", "screen", "-csv", "-f", "list", "-compare", "list")
	m.fails(exitFailure, "no such file", "screen", "-csv", "-f", "list", "-compare", "nosuch")
	m.fails(exitUsage, "-compare is for -csv", "screen", "-f", "list", "-compare", "last.csv")
	m.fails(exitUsage, "-save is for -compare", "screen", "-csv", "-f", "list", "-save", "last.csv")
}

// TestARemovedListIsNoChangeOfTheList: an address is not better because the operator has taken the list out.
func TestARemovedListIsNoChangeOfTheList(t *testing.T) {
	m := newMachine(t)
	m.must("import", "spmedia", "-from", m.write("list.txt", "one-tocsin.com", "two-tocsin.com"))
	m.write("list", "one-tocsin.com", "two-tocsin.com")
	m.write("last.csv", m.must("screen", "-csv", "-f", "list"))
	m.must("list", "remove", "spmedia", "-yes", "-operator", "ann", "-reason", "not maintained")
	r := m.run("screen", "-csv", "-f", "list", "-compare", "last.csv", "-versions", "used.json")
	used, err := os.ReadFile(filepath.Join(m.dir, "used.json"))
	m.want("who removed it, and when", []any{err, regexp.MustCompile(`"listsRemoved": \[\s*\{\s*"list": "spmedia",\s*` +
		`"removedAt": "20.*Z",\s*"files": \[\s*\{\s*"name": "[^"]+",\s*"sha256": "[0-9a-f]{64}"\s*\}\s*\],\s*` +
		`"removedBy": "ann"\s*\}`).Match(used)}, []any{nil, true})
	m.want("status, rows, sum, warning", []any{r.status, strings.Count(r.out, ",list_removed,spmedia crypto scam list is "+
		"no longer read here; whether it still names this is not known,"),
		strings.Contains(r.err, ": new_sanction: 0, list_removed: 2\n"),
		strings.Contains(r.err, "Warning: 2 rows changed because a list was removed: spmedia crypto scam list\n")},
		[]any{exitChanged, 2, true, true})
}

// TestAnOlderVersionIsNoChangeOfTheList: what it lacks is sanctioned in the newer one.
func TestAnOlderVersionIsNoChangeOfTheList(t *testing.T) {
	m := newMachine(t)
	m.must("import", "ofac", "-from", m.write("sanctioned-addresses.json", sdn(1, 3)))
	was := fmt.Sprintf("0x%040x", 2)
	m.write("list", was)
	m.write("last.csv", m.must("screen", "-csv", "-f", "list"))
	m.must("import", "ofac", "-older", "-from", m.write("sanctioned-addresses.json", sdn(5, 2)))
	r := m.run("screen", "-csv", "-f", "list", "-compare", "last.csv")
	m.want("status, row, advice, sum, warning", []any{r.status,
		strings.Contains(r.out, `,older_version,"an older version of OFAC SDN, of `),
		strings.Contains(r.out, "CLEAN,0,review,") && strings.Contains(r.out, "Do not lift a block"),
		strings.Contains(r.err, ": new_sanction: 0, older_version: 1\n"),
		strings.Contains(r.err, "Warning: 1 row changed because an older version of a list was read: OFAC SDN\n")},
		[]any{exitChanged, true, true, true, true})
}

func TestScreenWritesATableForSpreadsheets(t *testing.T) {
	m := screening(t)
	tron := "tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	m.write("subjects", address(1)+"\r\n0x12\n=1+1,\"a\"\n"+tron+"\nhttps://evil-tocsin.com/x")
	r := m.run("screen", "-csv", "-f", "subjects")
	m.want("status, complaints", []any{r.status, r.err},
		[]any{exitFailure, noSanctions + "3 screened, 2 without a subject; 0 critical (of these, sanctioned: 0), " +
			"2 high\n"})
	m.want("the help", strings.Contains(m.must("help", "screen"), "The exit status is 0 if every line names"), true)
	rows, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var told [][]string
	for _, row := range rows {
		told = append(told, []string{row[0], row[1], row[5]})
	}
	m.want("inputs, subjects, results", told, [][]string{{"input", "subject", "result"},
		{address(1), rows[1][1], "caution"}, {"0x12", "", "error"}, {"'=1+1", "", "error"},
		{tron, "tron:728126428" + tron[4:], "no_reports"},
		{"https://evil-tocsin.com/x", "evil-tocsin.com", "caution"}})
	m.want("the words of the site", []string{rows[5][6], rows[5][7], rows[4][7]},
		[]string{"spmedia crypto scam list: Investment scam (+68)", "High", "No reports"})
	at := regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	m.want("moments", len(at.FindAllString(r.out, -1)), 3)
	lines := slices.Delete(strings.SplitAfter(at.ReplaceAllString(r.out, ""), "\n"), 2, 4)
	m.want("arguments", at.ReplaceAllString(m.must("screen", "-csv", address(1), tron), ""), strings.Join(lines[:3], ""))
	m.fails(exitUsage, "not both", "screen", "-csv", "-json", address(1))
	m.write("table", "\ufeffcustomer;site;note\nC-1;evil-tocsin.com;=1\n\nC-2;0x12;\nC-3;;"+address(1))
	semicolons := func(args ...string) (rows [][]string, r result) {
		r = m.run(append([]string{"screen", "-csv", "-f", "table"}, args...)...)
		in := csv.NewReader(strings.NewReader(strings.TrimPrefix(r.out, "\ufeff")))
		in.Comma = ';'
		rows, err := in.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows, r
	}
	rows, r = semicolons()
	m.want("its own columns behind ours", []any{strings.Join(rows[0][20:], ","), rows[1][0],
		strings.Join(rows[1][21:], ","), rows[2][0], strings.Join(rows[2][21:], ","), rows[3][6]},
		[]any{"sanctionsRecordedSince,line,columnRead,customer,site,note", "evil-tocsin.com",
			"2,site,C-1,evil-tocsin.com,'=1",
			"0x12", "4,site,C-2,0x12,", "There is no address in this row."})
	m.want("the mark of its input", strings.HasPrefix(r.out, "\ufeffinput;"), true)
	m.want("what it does not screen", r.err, noSanctions+"Warning: 1 account in the same lines was not screened, by "+
		"column note (1): choose the columns with -columns \"site,note\"\n"+
		"1 screened, 2 without a subject; 0 critical (of these, sanctioned: 0), 1 high\n")
	rows, _ = semicolons("-columns", "note")
	m.want("another column", []string{rows[3][0], rows[3][5], rows[3][22]}, []string{address(1), "caution", "note"})
	m.fails(exitFailure, "there is no column \"nothing\"", "screen", "-csv", "-f", "table", "-columns", "nothing")
	m.fails(exitUsage, "-columns is for -csv", "screen", "-f", "table", "-columns", "note")
	m.write("solana", "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T")
	m.want("how to read it", strings.Contains(m.run("screen", "-csv", "-f", "solana").out, "With -solana such"), true)
	m.must("import", "ndjson", "-as", "partner", "-from", m.write("partner.ndjson", strings.Replace(line("1", "Drainer",
		address(2)), "{", `{"scammerAccounts":["solana:4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"],`, 1)))
	for _, args := range [][]string{{"-f", "solana"}, {"-csv", "-f", "solana"}, {"-csv", "-solana", "-f", "solana"}} {
		r := m.run(append([]string{"screen"}, args...)...)
		m.want(fmt.Sprintf("an address on record, with %q", args), r.status, exitOK)
	}
	m.write("book", "PK\x03\x04")
	m.fails(exitFailure, "save it as CSV", "screen", "-csv", "-f", "book")
}

// TestAColumnOfTheListNeverAnswersForTocsin: one with the name of one of ours gets a number, and is found by both. What
// the list says of a chain is used, and named where it contradicts an address.
func TestAColumnOfTheListNeverAnswersForTocsin(t *testing.T) {
	m := screening(t)
	const solana = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
	m.write("list.csv", "riskLevel,subject,Reason,network,line", "CLEAN,"+address(1)+",fine,Tron,7",
		"CLEAN,"+solana+",fine,SOL,8")
	for _, name := range []string{"subject", "subject (2)"} {
		r := m.run("screen", "-csv", "-f", "list.csv", "-columns", name)
		rows, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		m.want("names that each column has alone", strings.Join(rows[0][21:], ","),
			"line,columnRead,riskLevel (2),subject (2),Reason (2),network,line (2)")
		m.want("ours", []string{rows[1][2], rows[1][22], rows[2][1]},
			[]string{"HIGH", "subject (2)", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:" + solana})
		m.want("its own", strings.Join(rows[1][21:], ","), "2,subject (2),CLEAN,"+address(1)+",fine,Tron,7")
		m.want("what it says of the chain", strings.HasSuffix(rows[1][6], "; The column “network” says “Tron”, but this is "+
			"an address of Ethereum and other EVM chains."), true)
		m.want("a warning", strings.Contains(r.err, "Warning: addresses of another chain than their lines say: 1; "), true)
	}
}

// TestATableWithTabsKeepsItsColumns: an empty cell moves none of them, and what is sanctioned elsewhere is named.
func TestATableWithTabsKeepsItsColumns(t *testing.T) {
	m := screening(t)
	listed := strings.Replace(sdn(1, 2), "0x"+strings.Repeat("0", 39)+"1", strings.ToLower(address(9)), 1)
	m.must("import", "ofac", "-from", m.write("sanctioned-addresses.json", listed))
	m.write("x.tsv", "Vorgang\tNetz\tAdresse\tBetrag", "K1\tETH\t"+address(1)+"\t5", "K3\t\t"+address(2)+"\t7",
		"\tETH\t"+address(3)+"\tfrom "+address(9))
	r := m.run("screen", "-csv", "-f", "x.tsv")
	var told []string
	for line := range strings.Lines(r.out) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		told = append(told, cells[0]+" "+strings.Join(cells[len(cells)-5:], "|"))
	}
	m.want("each in its column", told, []string{"input columnRead|Vorgang|Netz|Adresse|Betrag",
		address(1) + " Adresse|K1|ETH|" + address(1) + "|5", address(2) + " Adresse|K3||" + address(2) + "|7",
		address(3) + " Adresse||ETH|" + address(3) + "|from " + address(9)})
	m.want("what it does not screen", r.err, "Warning: 1 account in the same lines was not screened, by column "+
		"Betrag (1): choose the columns with -columns \"Adresse,Betrag\"\n"+
		"Warning: of the accounts that were not screened, 1 sanctioned: 0x000000000000000000000000000000000bAd0009 "+
		"in line 4, column Betrag\n3 screened, 0 without a subject; 0 critical (of these, sanctioned: 0), 1 high\n")
}

// TestLettersInTheWrongCaseHideNoSanction, in any form of the answers.
func TestLettersInTheWrongCaseHideNoSanction(t *testing.T) {
	m := newMachine(t)
	hit := "0xabcdefabcdefabcdefabcdefabcdefabcdefabcd"
	m.must("import", "ofac", "-from", m.write("sanctioned-addresses.json", strings.Replace(sdn(0, 2), "0x"+
		strings.Repeat("0", 39)+"1", hit, 1)))
	wrong := "0xABcdefabcdefabcdefabcdefabcdefabcdefabcd"
	const says = " it is sanctioned: OFAC SDN: sanctioned"
	for _, args := range [][]string{{}, {"-json"}, {"-csv"}} {
		r := m.run(slices.Concat([]string{"screen"}, args, []string{wrong})...)
		m.want(fmt.Sprint(args), []any{r.status, strings.Count(r.out, says)}, []any{exitFailure, 1})
	}
	m.want("for programs", strings.Contains(m.run("screen", "-json", wrong).out, `,"sanctioned":true,"meantResult":"cau`),
		true)
	m.write("list", hit, wrong)
	r := m.run("screen", "-csv", "-f", "list")
	m.want("a warning", strings.Contains(r.err, "Warning: lines that mean a sanctioned account, with letters in the "+
		"wrong case: 1: 0x") && strings.Contains(r.err, " in line 2\n1 screened, 1 without"), true)
	m.want("a column", strings.Count(r.out, ",yes,"), 2)
}
