package sheet

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/answer"
)

// answersTo writes the answers to a list, in which the sites named are sanctioned, and those with reports reported.
func answersTo(t *testing.T, list, sanctioned string, points int, writer func(Form) *Writer) {
	t.Helper()
	table := Read(list, 100, Options{})
	w := writer(table.Form())
	at := tocsin.TimeOf(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	for _, l := range table.Lines {
		if l.Fault != nil {
			if err := w.Failed(l, "no subject", nil); err != nil {
				t.Fatal(err)
			}
			continue
		}
		d := &tocsin.Dossier{}
		if strings.Contains(sanctioned, l.Subject.Value) {
			d.Listings = []tocsin.Listing{{List: "ofac", Family: "ofac", Kind: tocsin.Sanction, Subject: l.Subject,
				Name: "LAZARUS GROUP"}}
		}
		if strings.HasPrefix(l.Subject.Value, "reported") && points > 0 {
			d.ReportCount = points
			for i := range points {
				d.Reporters = append(d.Reporters, tocsin.ReporterGroup{Agent: strings.Repeat("a", i), Reports: 1, Oldest: at,
					Newest: at})
			}
		}
		if err := w.Screened(l, answer.New(english(t), l.Subject, d, at.Std()), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// changesOf are the changes from a list to another one: the kind, the line, what identifies the row, and why.
func changesOf(t *testing.T, before, after, sanctioned string, reports ...int) (all []string) {
	t.Helper()
	reports = append(reports, 0, 0)
	var old, out bytes.Buffer
	answersTo(t, before, sanctioned, reports[0], func(f Form) *Writer { return NewWriter(&old, f) })
	earlier, err := ReadEarlier(&old, 0)
	if err != nil {
		t.Fatal(err)
	}
	var c *Comparison
	answersTo(t, after, sanctioned, reports[1], func(f Form) *Writer {
		c = Compare(&out, f, earlier, english(t))
		return c.Writer
	})
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	for _, change := range c.Changes {
		all = append(all, fmt.Sprintf("%s %d %s: %s", change.Kind, change.Line.Number, change.Key(),
			change.Why(english(t))))
	}
	return all
}

// TestAWalletBeforeIsNamedAsPeopleWriteIt, with its chain.
func TestAWalletBeforeIsNamedAsPeopleWriteIt(t *testing.T) {
	const head, was = "customer;wallet\n", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
	const rest = "\nC2;a.example\nC3;b.example\nC4;c.example\n"
	got := changesOf(t, head+"C1;"+was+rest, head+"C1;0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"+rest, "hit.example")
	if want := []string{"subject_changed 2 C1: wallet has changed, was " + was + " (Bitcoin)"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestARowThatWasNotThereIsNewAlsoIfItsSubjectWas, and one that is gone is gone; amounts and notes do not matter.
func TestARowThatWasNotThereIsNewAlsoIfItsSubjectWas(t *testing.T) {
	const head, old = "customer;wallet;amount;note\n", "C1;hit.example;5,00;\nC2;a.example;6,00;x\nC3;b.example;7,00;\n" +
		"C4;hit.example;8,00;\nC5;0x12;9,00;\n"
	const hit, gone = "new in this list; sanctioned: LAZARUS GROUP", ": no longer in this list"
	const fixed = ": was not an address or a site"
	swap := func(was, is string) string { return strings.Replace(old, was, is, 1) }
	for name, c := range map[string]struct {
		after string
		want  []string
	}{
		"the same": {old, nil},
		"amounts and notes": {"C1;hit.example;1,00;y\nC2;a.example;2,00;\nC3;b.example;3,00;z\nC4;hit.example;4,00;\n" +
			"C5;0x12;1,00;\n", nil},
		"another order": {"C4;hit.example;1,00;\nC5;0x12;1,00;\nC1;hit.example;8,00;\nC3;b.example;7,00;\n" +
			"C2;a.example;1,00;\n", nil},
		"a row more":  {old + "C9;hit.example;5,00;new customer\n", []string{"new_sanction 7 C9: " + hit}},
		"clean, too":  {old + "C9;a.example;6,00;x\n", []string{"new 7 C9: new in this list"}},
		"another one": {swap("C4", "C9"), []string{"new_sanction 5 C9: " + hit, "gone 0 C4" + gone}},
		"another site": {swap("b.ex", "hit.ex"), []string{"new_sanction 4 C3: site has changed, was b.example; " +
			"sanctioned: LAZARUS GROUP"}},
		"no hit": {swap("hit.example;5", "c.example;5"), []string{
			"subject_changed 2 C1: site has changed, was hit.example"}},
		"two of one": {swap("C2;a.example", "C3;c.example"), []string{"new 3 C3: new in this list", "gone 0 C2" + gone}},
		"two of C1":  {swap("C2;a.example", "C1;c.example"), []string{"new 3 C1: new in this list", "gone 0 C2" + gone}},
		"a row less": {swap("C1;hit.example;5,00;\n", ""), []string{"gone 0 C1" + gone}},
		"a mistake":  {swap("0x12", "c.example"), []string{"changed 6 C5" + fixed}},
		"one unread": {swap("C5;0x12;9,00;\n", ""), []string{"gone 0 C5" + gone}},
		"to a hit":   {swap("0x12", "hit.example"), []string{"new_sanction 6 C5" + fixed + "; sanctioned: LAZARUS GROUP"}},
	} {
		if got := changesOf(t, head+old, head+c.after, "hit.example"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, c := range map[string][2]string{
		"a list, once more": {"hit.example\na.example\n", "hit.example\na.example\nhit.example\n"},
		"without a key": {"hit.example;1,00\na.example;2,00\n", "hit.example;3,00\na.example;4,00\n" +
			"hit.example;5,00\n"},
	} {
		if got := changesOf(t, c[0], c[1], "hit.example"); len(got) != 1 || !strings.HasPrefix(got[0], "new_sanction 3 ") {
			t.Errorf("%s: %q", name, got)
		}
		if got := changesOf(t, c[1], c[0], "hit.example"); len(got) != 1 || !strings.HasPrefix(got[0], "gone 0 ") {
			t.Errorf("%s, back: %q", name, got)
		}
	}
}

// TestOneOfSeveralEarlierRowsIsNotSaidToBeReplaced: which of them the new row is for is not known.
func TestOneOfSeveralEarlierRowsIsNotSaidToBeReplaced(t *testing.T) {
	const head, rest = "customer;wallet\n", "C2;a.example\nC3;b.example\nC4;c.example\nC5;d.example\n"
	const two, one = "C1;one.example\nC1;two.example\n", "C1;three.example\n"
	got := changesOf(t, head+two+rest, head+one+rest, "")
	const gone = "gone 0 C1: no longer in this list"
	want := []string{"new 2 C1: new in this list", gone, gone}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestTheColumnThatIdentifiesARowIsFound: not one of numbers from 1, of amounts, of dates, or with few values.
func TestTheColumnThatIdentifiesARowIsFound(t *testing.T) {
	for text, want := range map[string]string{
		"no,since,paid,kind,customer,site\n1,2026-01-01,\"1,50\",x,C1,a.example\n2,2026-01-02,\"2,50\",x,C2,b.example\n" +
			"3,2026-01-03,\"3,50\",y,C3,c.example\n": "customer",
		"customer,site\nC1,a.example\nC1,b.example\nC2,c.example\n": "customer",
		"site,chain,name\na.example,eth,Ann\nb.example,btc,Bo\n":    "name",
		"site,note\na.example,\nb.example,\nc.example,x\n":          "",
		"site,sum\na.example,\"1,00\"\nb.example,\"2,00\"\n":        "",
		"site,since\na.example,1.2.2026\nb.example,2/2/26 10:00\n":  "",
		"a.example\nb.example\n":                                    "",
		"kind,site\n" + "x,a.example\ny,b.example\nx,c.example\ny,d.example\nx,e.example\ny,f.example\n" +
			"x,g.example\ny,h.example\nx,i.example\n": "",
	} {
		table, got := Read(text, 100, Options{}), ""
		if key := table.KeyColumn(table.Lines); key >= 0 {
			got = table.Names[key]
		}
		if got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestTheReasonOfAChangeNamesWhatReportsDid.
func TestTheReasonOfAChangeNamesWhatReportsDid(t *testing.T) {
	const list = "reported.example\nother.example\n"
	for reports, want := range map[[2]int]string{
		{0, 1}: "worse 1 : newly reported", {1, 0}: "better 1 : no longer reported",
		{1, 5}: "worse 1 : the reason was “Anonymous reports (+8)” and is “Reports by accounts (+",
	} {
		got := changesOf(t, list, list, "", reports[0], reports[1])
		if len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%v: %q", reports, got)
		}
	}
}

// TestTheWorstOfAKindOfChangeComesFirst, wherever it is in the list.
func TestTheWorstOfAKindOfChangeComesFirst(t *testing.T) {
	got := changesOf(t, "old.example\n", "old.example\nother.example\nreported.example\n", "", 0, 3)
	if len(got) != 2 || !strings.HasPrefix(got[0], "new 3 ") || !strings.HasPrefix(got[1], "new 2 ") {
		t.Errorf("%q", got)
	}
}

// TestANewSanctionNamesItsParty.
func TestANewSanctionNamesItsParty(t *testing.T) {
	c := Change{Kind: NewSanction, Was: Standing{Level: "CLEAN", Result: "no_reports"}, party: "ISIL KHORASAN",
		against: &Comparison{Earlier: &Earlier{}}}
	if got := c.Why(english(t)); got != "newly sanctioned: ISIL KHORASAN" {
		t.Error(got)
	}
}
