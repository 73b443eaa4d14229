package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
)

// english is the language of tables.
func english(t *testing.T) *locale.Printer {
	t.Helper()
	langs, err := locale.Load(locale.Shipped()[0])
	if err != nil {
		t.Fatal(err)
	}
	return langs.English()
}

// standings are tables of answers: each site with what is known about it, one a line.
func standings(t *testing.T, w interface {
	Screened(Line, answer.Answer, []tocsin.DatedListing) error
	Failed(Line, string, *answer.Answer) error
	Skipped(Line, string) error
}, sanctionsDay int, known map[string]string, sites ...string) {
	t.Helper()
	date := tocsin.TimeOf(time.Date(2026, 1, sanctionsDay, 0, 0, 0, 0, time.UTC))
	for i, site := range sites {
		subject, fault := tocsin.ParseSubject(site)
		l := Line{Number: i + 1, Text: site, Subject: subject, Cells: []string{"C-" + site, site}}
		d := &tocsin.Dossier{Lists: tocsin.ListDates{Dates: map[string]*tocsin.Time{tocsin.SanctionsList: &date}}}
		for _, list := range strings.Fields(known[site]) {
			kind := tocsin.Risk
			switch list {
			case "ofac":
				kind = tocsin.Sanction
			case "misp-warninglists":
				kind = tocsin.Safe
			}
			d.Listings = append(d.Listings, tocsin.Listing{List: list, Family: list, Kind: kind, Category: "phishing",
				Subject: subject})
		}
		var err error
		switch {
		case fault != nil:
			err = w.Failed(l, "no subject", nil)
		case known[site] == "unpaid":
			err = w.Skipped(l, "none left")
		default:
			err = w.Screened(l, answer.New(english(t), subject, d, date.Std()), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestATableIsComparedWithAnEarlierOne: what has changed and why, new sanctions first, and nothing that is the same.
func TestATableIsComparedWithAnEarlierOne(t *testing.T) {
	form := Form{Names: []string{"customer", "site"}}
	var whole bytes.Buffer
	standings(t, NewWriter(&whole, form), 1, map[string]string{"off.example": "ofac", "less.example": "scamsniffer",
		"other.example": "scamsniffer", "same.example": "polkadot", "unpaid.example": "unpaid", "now-unpaid.example": ""},
		"same.example", "off.example", "more.example", "less.example", "gone.example", "other.example", "0x12",
		"unpaid.example", "now-unpaid.example", "hit.example", "0x13", "0x14")
	old := whole.String()
	earlier, err := ReadEarlier(strings.NewReader(old), 0)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := Compare(&out, form, earlier, english(t))
	standings(t, c, 2, map[string]string{"more.example": "scamsniffer", "other.example": "polkadot",
		"same.example": "polkadot", "now-unpaid.example": "unpaid", "hit.example": "ofac", "new-hit.example": "ofac"},
		"same.example", "off.example", "more.example", "less.example", "other.example", "0x12", "unpaid.example",
		"now-unpaid.example", "hit.example", "new.example", "=1", "new-hit.example", "0x14")
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, row := range rows {
		told = append(told, strings.Join(append(row[:1:1], row[len(Columns):len(Columns)+6]...), " | "))
	}
	const dates = "the sanctions list was of 2026-01-01 and is of 2026-01-02"
	wants := []string{
		"input | change | changeReason | wasRiskLevel | wasResult | wasSanctioned | wasLists",
		"hit.example | new_sanction | newly sanctioned; newly listed: OFAC SDN; " + dates +
			" | CLEAN | no_reports | no | ",
		"new-hit.example | new_sanction | new in this list; sanctioned |  |  |  | ",
		"more.example | worse | newly listed: ScamSniffer | CLEAN | no_reports | no | ",
		"off.example | no_longer_sanctioned | no longer sanctioned; no longer listed: OFAC SDN; " + dates +
			" | CRITICAL | caution | yes | OFAC SDN",
		"now-unpaid.example | not_screened | not looked up now | CLEAN | no_reports | no | ",
		"new.example | new | new in this list |  |  |  | ",
		"'=1 | new | new in this list |  |  |  | ",
		"other.example | changed | newly listed: Polkadot phishing list; no longer listed: ScamSniffer | HIGH | caution | " +
			"no | ScamSniffer",
		"unpaid.example | changed | was not looked up |  | not_looked_up |  | ",
		"less.example | better | no longer listed: ScamSniffer | HIGH | caution | no | ScamSniffer",
		"gone.example | gone | no longer in this list | CLEAN | no_reports | no | ",
	}
	for i := range max(len(told), len(wants)) {
		if i >= len(told) || i >= len(wants) || told[i] != wants[i] {
			t.Fatalf("row %d of %q\nwant %q", i, told, wants)
		}
	}
	last := rows[len(rows)-1]
	if own := strings.Join(last[len(last)-4:], " "); own != "  C-gone.example gone.example" {
		t.Errorf("own columns of what is gone: %q", own)
	}
	if got := c.Sum(); got != "compared 13 rows with those of 2026-01-01T00:00:00Z: new_sanction: 2, "+
		"worse: 1, no_longer_sanctioned: 1, not_screened: 1, new: 2, changed: 2, better: 1, gone: 1" {
		t.Error(got)
	}
	spreadsheet := "\ufeffsep=;\r\n" + strings.ReplaceAll(strings.ReplaceAll(old, "; ", ", "), ",", ";")
	for _, text := range []string{old, spreadsheet} {
		if earlier, err = ReadEarlier(strings.NewReader(text), 0); err != nil {
			t.Fatal(err)
		}
		c = Compare(&out, form, earlier, english(t))
		standings(t, c, 1, map[string]string{"off.example": "ofac"}, "off.example", "more.example")
		if err := c.Finish(); err != nil || len(c.Changes)-c.Count(Gone) != 0 {
			t.Errorf("%v, with the same: %+v", err, c.Changes)
		}
	}
}

// TestWhatGotWorseComesFirst: what is High or Critical and was not, new rows too, then what is worse, then the rest.
func TestWhatGotWorseComesFirst(t *testing.T) {
	var whole, out bytes.Buffer
	standings(t, NewWriter(&whole, Form{}), 1, map[string]string{"lifted.example": "ofac", "better.example": "polkadot"},
		"better.example", "lifted.example", "low.example", "high.example", "critical.example", "hit.example")
	earlier, err := ReadEarlier(&whole, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := Compare(&out, Form{}, earlier, english(t))
	standings(t, c, 1, map[string]string{"low.example": "misp-warninglists polkadot", "high.example": "polkadot",
		"critical.example": "polkadot scamsniffer", "hit.example": "ofac", "new-high.example": "polkadot"},
		"better.example", "new.example", "lifted.example", "low.example", "new-high.example", "high.example",
		"critical.example", "hit.example")
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, change := range c.Changes {
		order = append(order, change.Line.Text)
	}
	if got := strings.Join(order, " "); got != "hit.example critical.example high.example new-high.example low.example "+
		"lifted.example new.example better.example" {
		t.Error(got)
	}
}

func TestOnlyAWholeTableIsAnEarlierOne(t *testing.T) {
	var changes bytes.Buffer
	earlier, err := ReadEarlier(strings.NewReader(strings.Join(Columns, ",")+"\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	c := Compare(&changes, Form{}, earlier, english(t))
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	if got := c.Sum(); got != "compared 0 rows with those of unknown: new_sanction: 0" {
		t.Error(got)
	}
	for text, want := range map[string]error{"": ErrNoAnswers, "customer,site\nC-1,a.example\n": ErrNoAnswers,
		"PK\x03\x04": ErrWorkbook, changes.String(): ErrChangesAlone,
		strings.Join(Columns, ",") + ",change\n": ErrChangesAlone} {
		if _, err := ReadEarlier(strings.NewReader(text), 0); !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAnEarlierTableMayHaveSoManyRows(t *testing.T) {
	table := strings.Join(Columns, ",") + "\n" + strings.Repeat(",x\n", 4)
	for most, want := range map[int]error{0: nil, 4: nil, 3: ErrManyAnswers} {
		if _, err := ReadEarlier(strings.NewReader(table), most); !errors.Is(err, want) {
			t.Errorf("%d: %v", most, err)
		}
	}
}

// TestAListThatWasRemovedHereIsNoChangeOfTheList: nothing is better because nobody reads the list any more, and what
// only vouches is no change, also where the earlier table left it out because a list warned.
func TestAListThatWasRemovedHereIsNoChangeOfTheList(t *testing.T) {
	var whole, out bytes.Buffer
	sites := []string{"removed.example", "dropped.example", "sanction.example", "vouched.example"}
	standings(t, NewWriter(&whole, Form{}), 1, map[string]string{"removed.example": "scamsniffer",
		"dropped.example": "polkadot", "sanction.example": "ofac"}, sites...)
	earlier, err := ReadEarlier(&whole, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := Compare(&out, Form{Lists: []string{"polkadot", "misp-warninglists"}}, earlier, english(t))
	standings(t, c, 1, map[string]string{"removed.example": "misp-warninglists",
		"vouched.example": "misp-warninglists"}, sites...)
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, change := range c.Changes {
		told = append(told, change.Line.Text+" "+string(change.Kind)+" "+change.Why(english(t)))
	}
	const unread = " is no longer read here; whether it still names this is not known"
	want := "removed.example list_removed ScamSniffer" + unread + "\nsanction.example list_removed OFAC SDN" + unread +
		"\ndropped.example better no longer listed: Polkadot phishing list"
	if got := strings.Join(told, "\n"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := strings.Join(c.Removed(), " "); got != "ScamSniffer OFAC SDN" || c.Count(Unread) != 2 {
		t.Errorf("removed: %s, %d", got, c.Count(Unread))
	}
}
