package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestTheOperatorClearsAFalseAlarmAndTakesThatBack(t *testing.T) {
	m := newMachine(t)
	for _, list := range []string{"spmedia", "polkadot"} {
		from := m.write("list.txt", "good-tocsin.com\nother-tocsin.com\n")
		if list == "polkadot" {
			from = m.write("all.json", `{"deny":["good-tocsin.com","other-tocsin.com"],"allow":[]}`)
		}
		m.must("import", list, "-from", from)
	}
	s := m.serve()
	key := m.newKey("-quota", "1000")
	level := func(domain string) any { return s.call("/domains/check/"+domain, key, nil).body["riskLevel"] }
	m.want("before", level("good-tocsin.com") != "LOW", true)

	m.want("added", m.must("safelist", "add", "https://good-tocsin.com/shop", "-name", "Good Ltd", "-operator", "anna",
		"-reason", "objection 7"), "good-tocsin.com: on the safelist\n  held 1: on a safelist, so at most LOW\n")
	m.soon("the server follows", func() bool { return level("good-tocsin.com") == "LOW" })
	m.must("safelist", "add", "other-tocsin.com", "-category", "shop")
	m.soon("the other one too", func() bool { return level("other-tocsin.com") == "LOW" })
	m.want("the first one stays", level("good-tocsin.com"), "LOW")
	m.want("again", strings.HasPrefix(m.must("safelist", "add", "other-tocsin.com", "-category", "shop"),
		"other-tocsin.com: on the safelist already\n"), true)
	said := func(args ...string) string {
		line, _, _ := strings.Cut(m.must(append([]string{"safelist", "add"}, args...)...), "\n")
		return line
	}
	m.want("what is not named stays", said("other-tocsin.com"), "other-tocsin.com: on the safelist already")
	m.want("and for each", []string{said("-name", "Other", "other-tocsin.com"), said("other-tocsin.com"),
		said("-name", "Other Ltd", "other-tocsin.com", "good-tocsin.com")},
		[]string{"other-tocsin.com: changed: shop, Other (before: shop, -)", "other-tocsin.com: on the safelist already",
			"other-tocsin.com: changed: shop, Other Ltd (before: shop, Other)"})
	m.must("safelist", "add", "-name", "Good Ltd", "good-tocsin.com")
	table := m.must("safelist", "list")
	if !regexp.MustCompile(`(?m)^good-tocsin\.com +checked +Good Ltd +\d{4}-\d\d-\d\d$`).MatchString(table) ||
		!regexp.MustCompile(`(?m)^other-tocsin\.com +shop +Other Ltd +\d{4}-\d\d-\d\d$`).MatchString(table) {
		m.Errorf("the list is %s", table)
	}

	m.want("removed", m.must("safelist", "remove", "good-tocsin.com", "-reason", "it was one"),
		"good-tocsin.com: no longer on the safelist\n")
	m.soon("the server follows", func() bool { return level("good-tocsin.com") != "LOW" })
	m.want("only that", level("other-tocsin.com"), "LOW")
	m.fails(exitFailure, "not on your safelist: good-tocsin.com; nothing was changed",
		"safelist", "remove", "other-tocsin.com", "good-tocsin.com")
	m.want("nothing was", strings.Count(m.must("safelist", "list", "-json"), "\n"), 1)

	log := m.must("log", "-subject", "good-tocsin.com")
	m.want("the log", []any{strings.Count(log, "\n"), strings.Contains(log, "objection 7"),
		strings.Contains(log, "it was one")}, []any{5, true, true})
	m.want("acts", strings.Count(m.must("log", "-json"), `"act":"safelist `), 6)

	m.fails(exitUsage, "name at least one", "safelist", "add")
	m.fails(exitUsage, "-category top-site says that a site is known",
		"safelist", "add", "a-tocsin.com", "-category", "top-site")
	m.fails(exitUsage, "this one has 39", "safelist", "add", example[:41])
	m.fails(exitFailure, `(?s)github\.io: a public suffix or a host of many strangers; it cannot be on the safelist\. `+
		`Name the site below it, such as NAME\.github\.io\nt\.me: a [^;]*; it cannot be on the safelist\n$`,
		"safelist", "add", "good.com", "github.io", "t.me")
}

// TestASiteThatIsOnlyKnownIsCheckedOnceItIsAdded: its category says no longer that nobody has.
func TestASiteThatIsOnlyKnownIsCheckedOnceItIsAdded(t *testing.T) {
	m := newMachine(t)
	m.must("import", "safelist", "-from", m.write("top.csv", "subject,category,name", "top-tocsin.com,top-site,Top"))
	m.want("added", m.must("safelist", "add", "top-tocsin.com"), "top-tocsin.com: on the safelist\n")
	m.want("again", m.must("safelist", "add", "top-tocsin.com"), "top-tocsin.com: on the safelist already\n")
}

// TestASafelistDoesNotOutweighASanction: who tries it learns so at once, also after a name that is not sanctioned, and
// that the level stays.
func TestASafelistDoesNotOutweighASanction(t *testing.T) {
	m := newMachine(t)
	m.serve() // which loads the starter set
	const thief = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	r := m.run("safelist", "add", "good-tocsin.com", thief, "-operator", "anna")
	m.want("added", []any{r.status, r.out}, []any{0, "good-tocsin.com: on the safelist\n" + thief + ": on the safelist\n"})
	m.want("the warning", r.err, "Warning: "+thief+" stays CRITICAL: OFAC SDN names it as LAZARUS GROUP, and no safelist "+
		"outweighs a sanction. Only the authority that imposed it can end it. To take the entry off again: "+
		"tocsin safelist remove "+thief+"\n")
	m.want("its level", m.score(thief), "100")
	m.want("removed", m.run("safelist", "remove", thief, "-operator", "anna").err, "")
}

// TestTheFirstImportOfASafelistIsDated: the operator has put each entry on it now. Of another list nobody knows.
func TestTheFirstImportOfASafelistIsDated(t *testing.T) {
	m := newMachine(t)
	m.must("import", "safelist", "-from", m.write("good.csv", "subject,category\ngood-tocsin.com,shop\n"))
	if table := m.must("safelist", "list"); !regexp.MustCompile(`(?m)^good-tocsin\.com +shop +- +\d{4}-\d\d-\d\d$`).
		MatchString(table) {
		m.Errorf("the list is %s", table)
	}
}

// TestAFileDoesNotEndAHoldUnseen: what safelist add made is not taken off by a file that lacks it, unless that is
// forced. What is taken off is named, also in the log of acts.
func TestAFileDoesNotEndAHoldUnseen(t *testing.T) {
	m := newMachine(t)
	file := func(name string, sites ...string) string {
		return m.write(name, "subject,category\n"+strings.Join(sites, ",shop\n")+",shop\n")
	}
	good := file("good.csv", "a-tocsin.com", "b-tocsin.com", "c-tocsin.com")
	m.must("import", "safelist", "-from", good)
	m.must("safelist", "add", "held-tocsin.com", "-category", "under-review")
	m.fails(exitFailure, `entries that safelist add made, so nothing was changed: held-tocsin\.com \(under-review since `+
		`\d{4}-\d\d-\d\d\)\. Add them to the file, or import it with -force`, "import", "safelist", "-from", good)
	m.want("it is still held", strings.Count(m.must("safelist", "list"), "held-tocsin.com"), 1)
	m.must("import", "safelist", "-from", file("held.csv", "a-tocsin.com", "b-tocsin.com", "held-tocsin.com"))

	r := m.run("import", "safelist", "-from", good, "-force")
	m.want("forced", []any{r.status, r.out, strings.Contains(r.err, "    held-tocsin.com\n")}, []any{0,
		"safelist: added 1, unchanged 2, withdrawn 1, refused 0\n" +
			"  taken off 1: no longer on your safelist, since the file lacks them\n", true})
	log := m.must("log", "-subject", "held-tocsin.com")
	m.want("the log", []any{strings.Contains(log, "held-tocsin.com: under-review"), strings.Contains(log,
		"withdrawn 1, refused 0; taken off: held-tocsin.com ")}, []any{true, true})
	m.must("import", "safelist", "-from", file("again.csv", "a-tocsin.com", "b-tocsin.com", "held-tocsin.com"))
	m.must("import", "safelist", "-from", good) // what a file put there, a file takes off

	m.fails(exitFailure, "the file lacks 2 of 3 entries", "import", "safelist", "-from",
		file("other.csv", "a-tocsin.com", "d-tocsin.com", "e-tocsin.com"))
	m.must("safelist", "add", "a-tocsin.com", "-category", "exchange", "-name", "A Ltd")
	m.want("what an entry is", strings.Contains(m.must("log", "-subject", "a-tocsin.com"),
		"a-tocsin.com: shop → exchange, A Ltd "), true)
}
