package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tocsin/internal/tocsintest"
)

// score screens a subject on the command line.
func (m *machine) score(subject string) string {
	m.Helper()
	return strings.Fields(strings.Split(m.must("screen", subject), "\n")[1])[1]
}

// Of reports of one's own, the stories and what they name count alike.

// counts is the output of an import that refuses nothing.
func counts(list string, added, unchanged, withdrawn int) string {
	return fmt.Sprintf("%s: added %d, unchanged %d, withdrawn %d, refused 0\n", list, added, unchanged, withdrawn)
}

func TestASecondImportChangesNothing(t *testing.T) {
	m := newMachine(t)
	m.write("spmedia.txt", "one-tocsin.com", "two-tocsin.com", "two-tocsin.com", "https://three-tocsin.com/")
	m.write("own.ndjson", line("1", "First", address(1)), line("2", "Second", address(2), "two-tocsin.com"))
	for _, c := range []struct {
		list, from string
		n          int
	}{{"spmedia", "spmedia.txt", 3}, {"ndjson", "own.ndjson", 5}} {
		m.want("first", m.must("import", c.list, "-from", c.from), strings.Replace(counts(c.list, c.n, 0, 0),
			"added 5", "added 5 (2 reports, 3 listings)", 1))
		m.want("second", m.must("import", "-from", c.from, c.list), counts(c.list, 0, c.n, 0))
	}
	m.want("reports", strings.Count(m.must("report", "list"), "\n"), 3)
}

func TestAnEntryThatHasLeftItsListIsWithdrawn(t *testing.T) {
	m := newMachine(t)
	m.must("import", "spmedia", "-from", m.write("list.txt", "one-tocsin.com", "two-tocsin.com", "three-tocsin.com"))
	before := m.score("three-tocsin.com")
	m.write("list.txt", "one-tocsin.com", "two-tocsin.com")
	m.want("counts", m.must("import", "spmedia", "-from", "list.txt"), counts("spmedia", 0, 2, 1))
	m.want("score of what has left", m.score("three-tocsin.com"), 0)
	m.want("score of what has stayed", m.score("two-tocsin.com"), before)
	m.write("list.txt", "one-tocsin.com", "two-tocsin.com", "three-tocsin.com")
	m.want("counts when it comes back", m.must("import", "spmedia", "-from", "list.txt"), counts("spmedia", 1, 2, 0))
	m.want("score of what has come back", m.score("three-tocsin.com"), before)
}

// TestAListThatBreaksOffWithdrawsNothing where that can be seen, and where it cannot, the import warns.
func TestAListThatBreaksOffWithdrawsNothing(t *testing.T) {
	m := newMachine(t)
	var list strings.Builder
	for n := range 100 {
		fmt.Fprintf(&list, "- url: \"site%d-tocsin.com\"\n", n)
	}
	whole := list.String()
	tocsintest.Must(t, os.Mkdir(filepath.Join(m.dir, "clone"), 0o700))
	m.write("clone/whitelist.yaml", "- url: good-tocsin.com\n")
	m.write("clone/eth-blocklist.yaml", "- url: evil-tocsin.com\n")
	read := func(text string, more ...string) result {
		m.write("clone/blocklist.yaml", text)
		return m.run(append([]string{"import", "phantom", "-from", "clone"}, more...)...)
	}
	m.want("the whole list", read(whole).out, counts("phantom", 102, 0, 0))
	r := read(whole[:2*len(whole)/3])
	m.want("in the middle of an entry", []any{r.status, strings.Contains(r.err, "the file breaks off in its last entry"),
		strings.Contains(r.err, "; what the list said last is kept\n")}, []any{exitFailure, true, true})
	const status = `(?m)^phantom +102 +0 +\d+s ago +- +failed \d+s ago \(read\), 1 time in a row$`
	m.want("its status", regexp.MustCompile(status).MatchString(m.must("list", "status")), true)
	tocsintest.Must(t, os.WriteFile(m.at("cut.yaml"), []byte(whole[:len(whole)-1]), 0o600))
	m.fails(exitFailure, "cut.yaml: the file does not end with a line break, so it may be cut off in line 100; ",
		"import", "phantom", "-from", "cut.yaml", "-force")
	part := whole[:strings.Index(whole, "- url: \"site66")]
	r = read(part)
	m.want("between two entries", []any{r.out, strings.Contains(r.err, "Warning: 33 % of the list was withdrawn.")},
		[]any{counts("phantom", 0, 68, 34), true})
	m.want("its status then", strings.Contains(m.must("list", "status"), "withdrew 33 %"), true)
	const earlier = `Warning: 33 % of the list was withdrawn by an earlier import, of 20\S+Z\. `
	m.want("once more", regexp.MustCompile(earlier).MatchString(read(part).err), true)
	tocsintest.Must(t, os.Remove(m.at("clone/eth-blocklist.yaml")))
	m.want("only a part", regexp.MustCompile(earlier+`(?s).* Nothing was withdrawn`).MatchString(read(part).err), true)
	m.write("clone/eth-blocklist.yaml", "- url: evil-tocsin.com\n")
	m.want("it is right", strings.Contains(read(part, "-force").err, "Warning"), false)
	m.want("its status at last", strings.Contains(m.must("list", "status"), "added 0, withdrew 0"), true)
	part = whole[:strings.Index(whole, "- url: \"site20")]
	m.want("a loss that is right", strings.Contains(read(part, "-force").err, "Warning"), false)
	m.want("its status after that", strings.Contains(m.must("list", "status"), "added 0, withdrew 46"), true)
}

func TestAFileThatIsMissingLeavesSubjectsOfItsKindUnchanged(t *testing.T) {
	m := newMachine(t)
	if err := os.Mkdir(filepath.Join(m.dir, "clone"), 0o700); err != nil {
		t.Fatal(err)
	}
	m.write("clone/domains.json", `["one-tocsin.com","two-tocsin.com"]`)
	m.write("clone/address.json", `["`+address(1)+`"]`)
	m.want("both files", m.must("import", "scamsniffer", "-from", "clone"), counts("scamsniffer", 3, 0, 0))
	if err := os.Remove(filepath.Join(m.dir, "clone/address.json")); err != nil {
		t.Fatal(err)
	}
	r := m.run("import", "scamsniffer", "-from", "clone")
	m.want("one file", []any{r.status, r.out}, []any{exitFailure, counts("scamsniffer", 0, 2, 0)})
	if !strings.Contains(r.err, "Only part of the list was read: no file matches address.json. "+
		"Nothing was withdrawn, and the list is as old as before.") {
		t.Error(r.err)
	}
	m.want("what it named is on record", m.score(address(1)) != "0", true)
	m.write("clone/domains.json", `["one-tocsin.com","tw`)
	m.fails(exitFailure, "domains.json: the file is not the JSON of this list", "import", "scamsniffer", "-from", "clone")
	m.write("clone/domains.json", `["one-tocsin.com","two-tocsin.com"]`)
	m.want("a part that was named", m.must("import", "scamsniffer", "-from", "clone/domains.json"),
		counts("scamsniffer", 0, 2, 0))
}

func TestBadRowsAreRefusedOneByOneAndCountedWithTheirReasons(t *testing.T) {
	m := newMachine(t)
	m.write("list.txt", "10.0.0.1", "10.0.0.2", "pages.dev", "https://t.me/thief", "localhost", "good-tocsin.com")
	out := m.must("import", "spmedia", "-from", "list.txt")
	m.want("a list", out, `spmedia: added 1, unchanged 0, withdrawn 0, refused 5
  refused 2: an IP address
  refused 1: a page, not a site
  refused 1: a single label
  refused 1: public suffix or hosting parent
`)
	m.write("own.ndjson",
		"{", line("1", "Good", address(1)), line("2", "Nobody is named"), line("3", "Typing error", "0x12"))
	out = m.must("import", "ndjson", "-from", "own.ndjson")
	m.want("reports", out, `ndjson: added 2 (1 report, 1 listing), unchanged 0, withdrawn 0, refused 3
  refused 2: not a valid report
  refused 1: malformed row
`)
	m.fails(exitFailure, "no entry could be read", "import", "spmedia", "-from", m.write("list.txt", "10.0.0.1"))
	m.fails(exitFailure, "safelist: wrong.json: the file has no CSV header", "import", "safelist", "-from",
		m.write("wrong.json", `["a.com"]`))
	if r := m.run("import", "spmedia", "-from", m.write("list.txt", "evil-tocsin.com", "t.me")); !strings.Contains(r.err,
		"    t.me: a public suffix or a host of many strangers\n") {
		t.Errorf("it says %s", r.err)
	}
}

func TestAnImportTellsWhichEntriesASafelistHolds(t *testing.T) {
	m := newMachine(t)
	m.must("import", "safelist", "-from", m.write("good.csv", "subject,category", "shop-tocsin.com,shop"))
	m.write("list.txt", "shop-tocsin.com", "pay.shop-tocsin.com", "evil-tocsin.com")
	r := m.run("import", "spmedia", "-from", "list.txt")
	m.want("counts", r.out, counts("spmedia", 3, 0, 0)+"  held 2: on a safelist, so at most LOW\n")
	for _, want := range []string{"shop-tocsin.com: on your own safelist", "pay.shop-tocsin.com: on your own safelist"} {
		if !strings.Contains(r.err, want) {
			t.Errorf("%q is not in %s", want, r.err)
		}
	}
	m.want("a name that a list names below a safelisted one", m.score("pay.shop-tocsin.com"), "24")
}

func TestASafelistTellsWhichEntriesItHolds(t *testing.T) {
	m := newMachine(t)
	m.must("import", "spmedia", "-from", m.write("list.txt", "shop-tocsin.com", "evil-tocsin.com"))
	r := m.run("import", "safelist", "-from", m.write("good.csv", "subject,category", "shop-tocsin.com,shop"))
	m.want("counts", r.out, counts("safelist", 1, 0, 0)+"  held 1: on a safelist, so at most LOW\n")
	m.want("which", strings.Contains(r.err, "shop-tocsin.com: on your own safelist"), true)
}

func TestWrongJSONIsSaidInWords(t *testing.T) {
	m := newMachine(t)
	if err := os.Mkdir(filepath.Join(m.dir, "clone"), 0o700); err != nil {
		t.Fatal(err)
	}
	m.write("clone/domains.json", `["one-tocsin.com",7,{"a":1},["x"]]`)
	r := m.run("import", "scamsniffer", "-from", "clone/domains.json")
	for _, says := range []string{"element 1: it is a number, not a text", "element 2: it is an object, not a text",
		"element 3: it is a list, not a text"} {
		if !strings.Contains(r.err, says) {
			t.Errorf("%q is not in %s", says, r.err)
		}
	}
	for _, text := range []string{"[]", "7", `"x"`, "true"} {
		file := m.write("etherscan.combinedAllLabels.json", text)
		m.fails(exitFailure, "it is .*, not an object", "import", "etherscan-labels", "-from", file)
	}
	r = m.run("import", "ndjson", "-from", m.write("own.ndjson", `{"title":7}`, `{"evidence":{"urls":"x"}}`))
	for _, says := range []string{"title is a number, not a text", "evidence.urls is a text, not a list"} {
		if !strings.Contains(r.err, says) {
			t.Errorf("%q is not in %s", says, r.err)
		}
	}
}

func TestAListThatHasLostMoreThanHalfIsBelievedOnlyWhenForced(t *testing.T) {
	m := newMachine(t)
	m.write("list.txt", "one-tocsin.com", "two-tocsin.com", "three-tocsin.com", "four-tocsin.com")
	m.must("import", "spmedia", "-from", "list.txt")
	before := m.score("one-tocsin.com")
	m.write("list.txt", "five-tocsin.com")
	m.fails(exitFailure, "from 4 entries to 1.*-force", "import", "spmedia", "-from", "list.txt")
	m.want("score of what has left", m.score("one-tocsin.com"), before)
	m.want("score of what has come", m.score("five-tocsin.com"), 0)
	m.want("forced", m.must("import", "-force", "spmedia", "-from", "list.txt"), counts("spmedia", 1, 0, 4))
	m.want("score of what has left", m.score("one-tocsin.com"), 0)
	m.want("score of what has come", m.score("five-tocsin.com"), before)
	m.must("import", "spmedia", "-from", m.write("list.txt", "five-tocsin.com", "six-tocsin.com"))
	m.must("import", "spmedia", "-from", m.write("list.txt", "six-tocsin.com")) // half is not more than half

	// It is not wanted any more.
	m.want("first", m.must("list", "remove", "spmedia"), "Of spmedia would be withdrawn: 1 listing, 0 reports. "+
		"Nothing of it would count any more.\n\nNothing was changed. Add -yes to do it.\n")
	r := m.run("list", "remove", "spmedia", "-yes", "-operator", "ann", "-reason", "not maintained")
	m.want("what it says", regexp.MustCompile(`^removed spmedia: withdrawn 1, took `).MatchString(r.out) &&
		strings.HasPrefix(r.err, "Take it out of -lists"), true)
	m.want("score", m.score("six-tocsin.com"), 0)
	m.want("the log", regexp.MustCompile(`ann +list remove +spmedia: withdrawn 1 +not maintained\n`).
		MatchString(m.must("log")), true)
	m.fails(exitFailure, `no list "spmedia" on record`, "list", "remove", "spmedia")
	m.fails(exitFailure, `no list "nothing" on record`, "list", "remove", "nothing", "-yes")
	m.fails(exitUsage, "comes with the program", "list", "remove", "starter")

	// A list that nobody meant was never read.
	m.run("import", "ndjson", "-from", m.write("cut.ndjson", "{"), "-operator", "ann")
	m.want("it has failed", strings.Contains(m.must("list", "status"), "ndjson  0"), true)
	m.want("first", m.must("list", "remove", "ndjson"), "Nothing of ndjson is on record. Its failed imports would be "+
		"forgotten.\n\nNothing was changed. Add -yes to do it.\n")
	m.want("what it says", m.must("list", "remove", "ndjson", "-yes"),
		"forgot the failed imports of ndjson; nothing of it was on record\n")
	m.want("it has failed", strings.Contains(m.must("list", "status"), "ndjson"), false)
	m.fails(exitFailure, `no list "ndjson" on record`, "list", "remove", "ndjson", "-yes")
	m.fails(exitUsage, "name one list", "list", "remove")
}

func TestReportsOfOnesOwnAreKeptUnderTheirName(t *testing.T) {
	m := newMachine(t)
	m.write("first.ndjson", line("1", "Of the first", address(1)))
	m.write("second.ndjson", line("1", "Of the second", address(1)))
	m.must("import", "ndjson", "-as", "first", "-from", "first.ndjson")
	out := m.must("import", "ndjson", "-as", "second", "-from", "second.ndjson")
	m.want("another name", out, "second: added 2 (1 report, 1 listing), unchanged 0, withdrawn 0, refused 0\n")
	m.must("import", "ndjson", "-db", "one.db", "-as", "first", "-from", "first.ndjson")
	one := strings.Fields(strings.Split(m.must("screen", "-db", "one.db", address(1)), "\n")[1])[1]
	m.want("they are two origins", m.score(address(1)) != one, true)
	table := m.must("report", "list")
	if !strings.Contains(table, " first ") || !strings.Contains(table, " second ") {
		t.Errorf("the list is %s", table)
	}
	m.fails(exitUsage, "that no other source has", "import", "ndjson", "-as", "ofac", "-from", "first.ndjson")
	m.fails(exitUsage, "that no other source has", "import", "csv", "-as", "community", "-from", "first.ndjson")
	m.fails(exitUsage, "small letters", "import", "csv", "-as", "Bad Name!", "-from", "first.ndjson")
	m.fails(exitUsage, "-as is for", "import", "spmedia", "-as", "mine", "-from", "first.ndjson")
}

// TestAColumnThatIsNotReadIsNamed: it may be mistyped, and its dates would be missed by nobody.
func TestAColumnThatIsNotReadIsNamed(t *testing.T) {
	m := newMachine(t)
	const row = "phishing,A title of it,A description that is long enough.,"
	m.write("one.csv", "crimeType,title,description,reportedDomains,published\n"+row+"a-claim.com,2026-01-31\n")
	m.write("two.csv", "crimeType,title,description,reportedDomains,published,by \x1b[31mwhom\n"+row+"a-claim.com,,\n")
	m.write("all.csv", "crimeType,title,description,reportedDomains,publishedAt\n"+row+"a-claim.com,2026-01-31\n")
	m.write("safe.csv", "subject,category,since\nshop.example.com,shop,2026-01-31\n")
	for file, want := range map[string]string{ // each under a name of its own
		"one.csv": "Warning: the column “published” is not read. Columns that are read: amountLost, createdAt, crimeType, ",
		"two.csv": "Warning: these columns are not read: “published”, “by [31mwhom”. Columns that are read: ",
	} {
		name, _, _ := strings.Cut(file, ".")
		r := m.process("", "import", "csv", "-as", name, "-from", file)
		m.want("imported from "+file, []any{r.status, strings.HasPrefix(r.out, name+": added 2 ")}, []any{0, true})
		if !strings.Contains(r.err, want) {
			t.Errorf("%s: %s", file, r.err)
		}
	}
	m.want("all are read", strings.Contains(m.process("", "import", "csv", "-as", "all", "-from", "all.csv").err,
		"Warning"), false)
	r := m.process("", "import", "safelist", "-from", "safe.csv")
	m.want("of a safelist", strings.Contains(r.err, "the column “since” is not read. Columns that are read: subject, "+
		"category, name, kind, chain.\n"), true)
}

func TestGeneratedReportsCanBeImportedAndDependOnTheirSeed(t *testing.T) {
	m := newMachine(t)
	text := m.must("generate", "-reports", "50", "-seed", "7")
	m.want("lines", strings.Count(text, "\n"), 50)
	m.want("the same seed gives the same", m.must("generate", "-reports", "50", "-seed", "7") == text, true)
	m.want("another seed gives the same", m.must("generate", "-reports", "50", "-seed", "8") == text, false)
	out := m.process(text, "import", "ndjson", "-from", "/dev/stdin").out
	if !strings.HasPrefix(out, "ndjson: added ") || !strings.HasSuffix(out, ", unchanged 0, withdrawn 0, refused 0\n") {
		t.Errorf("through a pipe: %s", out)
	}
	m.want("reports", strings.Count(m.must("report", "list", "-source", "ndjson", "-json"), "\n"), 50)
	m.fails(exitUsage, "reports", "generate", "-reports", "-1")
	m.fails(exitUsage, "seed", "generate", "-seed", "x")
	m.fails(exitUsage, "-db", "generate", "-db", "x.db") // it writes reports, and opens no database
}

func TestTheTableOfListsFitsATerminal(t *testing.T) {
	for line := range strings.Lines(newMachine(t).must("import", "-list")) {
		if n := len([]rune(strings.TrimSpace(line))); n > 120 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

func TestImportKnowsItsLists(t *testing.T) {
	m := newMachine(t)
	table := m.must("import", "-list")
	for _, name := range strings.Fields(`scamsniffer eth-phishing-detect polkadot phantom cryptoscamdb
		mew-ethereum-lists forta spmedia ofac revoke-approval-exploits eth-labels
		etherscan-labels uniswap-default-list misp-warninglists ndjson csv`) {
		if !strings.Contains("\n"+table, "\n"+name+" ") {
			t.Errorf("%s is not in %s", name, table)
		}
	}
	m.fails(exitUsage, "too many", "import", "-list", "ofac")
	m.fails(exitUsage, "no list .nosuch.*-list", "import", "nosuch")
	m.fails(exitUsage, `no list "oafc"; did you mean ofac\?`, "import", "oafc")
	m.fails(exitUsage, "name one list", "import")
	m.fails(exitUsage, "name one list", "import", "ofac", "spmedia")
	m.fails(exitUsage, "no upstream.*-from", "import", "ndjson")
	if files, _ := os.ReadDir(m.dir); len(files) > 0 {
		t.Errorf("wrong use has left %v", files)
	}
	m.fails(exitFailure, "there is no file or folder nosuch.txt", "import", "spmedia", "-from", "nosuch.txt")
	m.fails(exitFailure, "no file of this list", "import", "spmedia", "-from", ".")
	m.fails(exitFailure, "web page", "import", "spmedia", "-from", m.write("page.txt", "<html>"))
	if err := os.Mkdir(filepath.Join(m.dir, "clone"), 0o700); err != nil {
		t.Fatal(err)
	}
	m.write("clone/detected_urls.txt", "one-tocsin.com")
	m.want("a directory", m.must("import", "spmedia", "-from", "clone"), counts("spmedia", 1, 0, 0))
}
