package web

import (
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestAnAnswerSaysWhichVersionOfAListItRestsOn, also where it looked if it is an alarm, and on the page of the status
// what was not taken from the list.
func TestAnAnswerSaysWhichVersionOfAListItRestsOn(t *testing.T) {
	s := start(t)
	const sanctioned, unknown = "0x00000000000000000000000000000000000000AA", "0x00000000000000000000000000000000000000bb"
	at, _, _ := tocsin.ParseDay("2026-02-20")
	subject, fault := tocsin.ParseSubject(sanctioned)
	if fault != nil {
		t.Fatal(fault)
	}
	im, err := s.db.Import(t.Context(), tocsin.List{Name: tocsin.SanctionsList, Family: "ofac"})
	tocsintest.Must(t, err)
	defer im.Close()
	im.Version(tocsin.ListVersion{Date: &at, Entries: 1,
		Refused: map[string]int{"of a chain that Tocsin does not know (Zcash)": 9, "wrong checksum": 2},
		Untaken: []string{"zs1example"}})
	tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Sanction, Subject: subject}}))
	_, err = im.Finish(t.Context(), false, nil)
	tocsintest.Must(t, err)

	v := s.visitor()
	p := v.get("/screen/" + sanctioned)
	p.says("OFAC SDN list of 20 Feb 2026", "Where we looked", "1 list, of 20 Feb 2026")
	want(t, "of the listing, of the answer and where it looked", strings.Count(p.main(), "list of 20 Feb 2026"), 3)
	v.get("/screen/"+unknown).says("OFAC SDN list of 20 Feb 2026", "Where we looked")
	want(t, "a note above a list", strings.Contains(v.get("/bulk").main(), "Newer sanctions"), false)
	v.get("/status").says("The list of 20 Feb 2026. Rows that were not taken: 11 of 12 "+
		"(of a chain that Tocsin does not know, Zcash: 9; wrong checksum: 2).", "zs1example")
	v.post("/bulk", fields{bulkField: sanctioned, "do": "screen"}).says("Screened: 1 of 12. Which are not",
		"Not screened here: zs1example. Compare with these by hand.") // on paper
	want(t, "in the file", strings.Contains(v.get("/lists.json").html, `"screened": 1,
      "notScreened": [`), true)
}
