package sheet

import (
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
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
		"Akte 4; 12 Belege":                      "Akte 4; 12 Belege",
		"unknown; 2020-09-16; /a; .b":            "unknown; 2020-09-16; /a; .b",
		"a; -1;\uFF0D1":                          "a; '-1;'\uFF0D1",
	} {
		var b strings.Builder
		w := NewWriter(&b, Form{Names: []string{"a", text}})
		if err := w.Failed(Line{Text: text, Cells: []string{text}}, text, nil); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil || len(rows) != 2 ||
			rows[0][24] != want || rows[1][0] != want || rows[1][6] != want || rows[1][23] != want || rows[1][24] != "" {
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
	langs, err := locale.Load(locale.Shipped()[0])
	if err != nil {
		t.Fatal(err)
	}
	listed := &tocsin.Dossier{}
	since := tocsin.TimeOf(time.Date(2026, 1, 2, 23, 0, 0, 0, time.UTC))
	listed.Listings = []tocsin.Listing{{List: "scamsniffer", Family: "scamsniffer", Kind: tocsin.Risk,
		Category: "phishing", Subject: subject, Since: &since, URL: "https://list.example"}}
	listed.Lists = tocsin.ListDates{Dates: map[string]*tocsin.Time{tocsin.SanctionsList: &since}}
	sanctioned := &tocsin.Dossier{}
	for _, program := range []string{"DPRK3", "CYBER2", "DPRK3"} {
		sanctioned.Listings = append(sanctioned.Listings, tocsin.Listing{List: "ofac", Family: "ofac",
			Kind: tocsin.Sanction, Subject: subject, Name: "LAZARUS; GROUP", Program: program})
	}
	now := time.Date(2026, 3, 4, 23, 30, 0, 0, time.FixedZone("", -3600))
	found, nothing := answer.New(langs.English(), subject, listed, now),
		answer.New(langs.English(), subject, &tocsin.Dossier{}, now)
	lines := []Line{{Number: 2, Text: "https://evil.example/a,b", Subject: subject, Column: "site",
		Cells: []string{"C-1", "x"}},
		{Number: 4, Text: "0x12"}}
	history := []tocsin.DatedListing{
		{Listing: tocsin.Listing{List: "scamsniffer", Kind: tocsin.Risk, Subject: subject}, Recorded: &since},
		{Listing: tocsin.Listing{List: "ofac", Kind: tocsin.Sanction, Subject: subject}, Recorded: nil, Dropped: &since},
		{Listing: tocsin.Listing{List: "polkadot", Kind: tocsin.Risk}, Dropped: &since}, // of its parent
	}
	write := func(columns []string) error {
		w := NewWriter(&b, Form{Names: columns})
		return errors.Join(w.Screened(lines[0], found, history), w.Failed(lines[1], "too short", nil),
			w.Skipped(lines[0], "no look-up left"), w.Screened(lines[0], nothing, nil),
			w.Screened(lines[1], answer.New(langs.English(), subject, sanctioned, now), nil))
	}
	err = write(nil)
	want := "input,subject,riskLevel,riskScore,recommendation,result,reason,verdict,whatToDo,screenedAt," +
		"lists,since,url,scoreVersion,sanctionsListDate,sanctioned,sanctionsName,sanctionsProgram,recordedSince,earlier," +
		"sanctionsRecordedSince\n" +
		`"https://evil.example/a,b",evil.example,HIGH,68,block,caution,` +
		"ScamSniffer: Phishing (+68); on record here from OFAC SDN until 2026-01-02,High," +
		"Do not pay. Block it unless somebody who knows the case has read the reasons.,2026-03-05T00:30:00Z," +
		"ScamSniffer,2026-01-02,https://list.example," + tocsin.ScoreVersion + ",2026-01-02,no,,," +
		"ScamSniffer 2026-01-02,OFAC SDN unknown/2026-01-02 (sanction),unknown\n" +
		`0x12,,,,,error,too short,No subject,"Correct it, and send it again.",,,,,,,,,,,,` + "\n" +
		`"https://evil.example/a,b",evil.example,,,,not_looked_up,no look-up left,Not looked up,` +
		"Treat it as unknown until it is looked up.,,,,,,,,,,,,\n" +
		`"https://evil.example/a,b",evil.example,CLEAN,0,proceed,no_reports,` +
		`"Nothing on record, which does not make it safe",No reports,` +
		`"Nobody warns of it, which is not the same as safe. Your other checks go on.",2026-03-05T00:30:00Z,,,,` +
		tocsin.ScoreVersion + ",unknown,no,,,,,unknown\n"
	last := strings.LastIndex(strings.TrimSuffix(b.String(), "\n"), "\n") + 1
	if !strings.HasSuffix(b.String()[last:], ","+tocsin.ScoreVersion+`,unknown,yes,LAZARUS; GROUP,DPRK3; CYBER2,,,unknown`+
		"\n") {
		t.Errorf("of a sanction: %s", b.String()[last:])
	}
	if err != nil || b.String()[:last] != want {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	err = write([]string{"customer", "note"})
	rows, faulty := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || faulty != nil || len(rows) != 6 ||
		strings.Join(rows[0][21:], " ") != "line columnRead customer note" ||
		strings.Join(rows[1][21:], " ") != "2 site C-1 x" || strings.Join(rows[2][21:], "|") != "4|||" {
		t.Errorf("%v %v %q", err, faulty, rows)
	}
}

func TestTheListsOfAuthoritiesComeBeforeThoseThatWarnAndThoseThatVouch(t *testing.T) {
	langs, err := locale.Load(locale.Shipped()[0])
	if err != nil {
		t.Fatal(err)
	}
	subject, _ := tocsin.ParseSubject("evil.example")
	dossier := &tocsin.Dossier{}
	for _, kind := range []tocsin.ListingKind{tocsin.Safe, tocsin.Risk, tocsin.Sanction} {
		dossier.Listings = append(dossier.Listings, tocsin.Listing{List: string(kind), Family: string(kind), Kind: kind,
			Subject: subject, URL: "https://" + string(kind) + ".example"})
	}
	_, _, pages := sources(answer.New(langs.English(), subject, dossier, time.Unix(0, 0)))
	if pages != "https://sanction.example https://risk.example https://safe.example" {
		t.Error(pages)
	}
}

// TestListsAreInTheOrderOfTheReasonInEachColumn, in whichever order they are on record.
func TestListsAreInTheOrderOfTheReasonInEachColumn(t *testing.T) {
	langs, err := locale.Load(locale.Shipped()[0])
	if err != nil {
		t.Fatal(err)
	}
	subject, _ := tocsin.ParseSubject("evil.example")
	one := tocsin.Listing{List: "alpha", Family: "alpha", Kind: tocsin.Risk, Category: "scam", Subject: subject}
	two := tocsin.Listing{List: "beta", Family: "beta", Kind: tocsin.Risk, Category: "scam", Subject: subject}
	for _, listings := range [][]tocsin.Listing{{one, two}, {two, one}} {
		dossier := &tocsin.Dossier{}
		dossier.Listings = listings
		a := answer.New(langs.English(), subject, dossier, time.Unix(0, 0))
		lists, _, _ := sources(a)
		recorded, _ := dated(a, []tocsin.DatedListing{{Listing: listings[0]}, {Listing: listings[1]}})
		reason := a.Reasons(nil, iso)[0]
		if first, _, _ := strings.Cut(reason, ":"); !strings.HasPrefix(lists, first+"; ") ||
			!strings.HasPrefix(recorded, first+" unknown; ") {
			t.Errorf("%s\n%s\n%s", reason, lists, recorded)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestARowThatIsNotWrittenIsAnError(t *testing.T) {
	if NewWriter(full{}, Form{}).Failed(Line{}, "", nil) == nil {
		t.Error("it is none")
	}
}

// TestATableIsWrittenAsItsInputWas, with all that is said of a subject: each name, list and page once.
func TestATableIsWrittenAsItsInputWas(t *testing.T) {
	langs, err := locale.Load(locale.Shipped()[0])
	if err != nil {
		t.Fatal(err)
	}
	subject, _ := tocsin.ParseSubject(one)
	at := func(day int) *tocsin.Time {
		at := tocsin.TimeOf(time.Date(2026, 1, day, 12, 0, 0, 0, time.UTC))
		return &at
	}
	dossier := &tocsin.Dossier{}
	for _, l := range []tocsin.Listing{
		{List: "scamsniffer", Kind: tocsin.Risk, Since: at(3)}, {List: "scamsniffer", Kind: tocsin.Risk, Since: at(4),
			URL: "https://a.example"}, {List: "x", Kind: tocsin.Risk, URL: "https://a.example"},
		{List: "ofac", Kind: tocsin.Sanction, Name: "ONE", Program: "P1", URL: "https://b.example"},
		{List: "ofac", Kind: tocsin.Sanction, Name: "ONE", Program: "P2"},
		{List: "ofac", Kind: tocsin.Sanction, Name: "TWO", Program: "P2"},
	} {
		l.Subject, l.Family = subject, l.List
		dossier.Listings = append(dossier.Listings, l)
	}
	var history []tocsin.DatedListing
	for i, list := range []string{"a", "b", "a", "c", "d", "c"} {
		l := tocsin.DatedListing{Recorded: at(5)}
		l.List, l.Kind, l.Subject = list, tocsin.Risk, subject
		if i > 2 {
			l.Dropped = at(9)
		}
		history = append(history, l)
	}
	var b strings.Builder
	form := Layout{Names: []string{"a", "b"}, Comma: ';', Marked: true}.Form()
	form.Recorded = at(5)
	w := NewWriter(&b, form)
	line := Line{Number: 7, Text: one, Subject: subject, Column: "a", Chain: "TRON", ChainColumn: "b",
		Cells: []string{"1", "2"}}
	found := answer.New(langs.English(), subject, dossier, time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC))
	if err := w.Screened(line, found, history); err != nil {
		t.Fatal(err)
	}
	in := csv.NewReader(strings.NewReader(b.String()))
	in.Comma = ';'
	rows, err := in.ReadAll()
	if err != nil || len(rows) != 2 || rows[0][0] != "\ufeffinput" || rows[0][1] != "subject" {
		t.Fatal(err, rows)
	}
	want := map[int]string{0: one, 1: one, 9: "2026-01-02T03:04:05Z", 10: "OFAC SDN; ScamSniffer; x",
		11: "unknown; 2026-01-03; unknown", 12: "https://b.example https://a.example", 14: "unknown", 15: "yes",
		16: "ONE; TWO", 17: "P1; P2", 18: "a 2026-01-05; b 2026-01-05",
		19: "c 2026-01-05/2026-01-09; d 2026-01-05/2026-01-09", 20: "2026-01-05", 21: "7", 22: "a", 23: "1",
		24: "2"}
	for i, cell := range want {
		if rows[1][i] != cell {
			t.Errorf("%s: %q, not %q", rows[0][i], rows[1][i], cell)
		}
	}
	const note = "; The column “b” says “TRON”, but this is an address of Ethereum and other EVM chains."
	if !strings.HasSuffix(rows[1][6], note) || strings.Count(rows[1][6], "; ") < 3 {
		t.Errorf("reason: %q", rows[1][6])
	}
}

// TestWhatToDoWithALineWithoutASubject: an account that it means is not paid, and of a chain that is not screened
// nothing is to be corrected.
func TestWhatToDoWithALineWithoutASubject(t *testing.T) {
	langs, err := locale.Load(locale.Shipped()[0])
	if err != nil {
		t.Fatal(err)
	}
	subject := tocsin.Subject{Kind: tocsin.DNS, Value: "evil.example"}
	means := func(kind tocsin.ListingKind) *answer.Answer {
		d := &tocsin.Dossier{}
		d.Listings = []tocsin.Listing{{List: "ofac", Family: "ofac", Kind: kind, Subject: subject}}
		a := answer.New(langs.English(), subject, d, time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC))
		return &a
	}
	for _, c := range []struct {
		text  string
		meant *answer.Answer
		want  string
	}{
		{"0x12", means(tocsin.Sanction), "Do not pay. It most likely means a sanctioned account: check it first."},
		{"0x12", means(tocsin.Risk), "Do not pay. It most likely means an account that is warned of: check it first."},
		{"tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb", nil, "Its chain is not screened here. Check it elsewhere."},
		{"0x12", nil, "Correct it, and send it again."},
	} {
		var b strings.Builder
		if err := NewWriter(&b, Form{}).Failed(Line{Text: c.text}, "why", c.meant); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil || rows[1][slices.Index(Columns, "whatToDo")] != c.want {
			t.Errorf("%s: %v %q", c.text, err, rows)
		}
	}
}
