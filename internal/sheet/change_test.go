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
		d := &tocsin.Dossier{Lists: tocsin.ListDates{tocsin.SanctionsList: &date}}
		for _, list := range strings.Fields(known[site]) {
			kind := tocsin.Risk
			if list == "ofac" {
				kind = tocsin.Sanction
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
	earlier, err := ReadEarlier(strings.NewReader(old))
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
		"off.example | no_longer_sanctioned | no longer sanctioned; no longer listed: OFAC SDN; " + dates +
			" | CRITICAL | caution | yes | OFAC SDN",
		"more.example | worse | newly listed: ScamSniffer | CLEAN | no_reports | no | ",
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
		"no_longer_sanctioned: 1, worse: 1, not_screened: 1, new: 2, changed: 2, better: 1, gone: 1" {
		t.Error(got)
	}
	spreadsheet := "\ufeffsep=;\r\n" + strings.ReplaceAll(strings.ReplaceAll(old, "; ", ", "), ",", ";")
	for _, text := range []string{old, spreadsheet} {
		if earlier, err = ReadEarlier(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		c = Compare(&out, form, earlier, english(t))
		standings(t, c, 1, map[string]string{"off.example": "ofac"}, "off.example", "more.example")
		if err := c.Finish(); err != nil || len(c.Changes)-c.Count(Gone) != 0 {
			t.Errorf("%v, with the same: %+v", err, c.Changes)
		}
	}
}

func TestOnlyAWholeTableIsAnEarlierOne(t *testing.T) {
	var changes bytes.Buffer
	earlier, err := ReadEarlier(strings.NewReader(strings.Join(Columns, ",") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Compare(&changes, Form{}, earlier, english(t)).Finish(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]error{"": ErrNoAnswers, "customer,site\nC-1,a.example\n": ErrNoAnswers,
		"PK\x03\x04": ErrWorkbook, changes.String(): ErrChangesAlone} {
		if _, err := ReadEarlier(strings.NewReader(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
