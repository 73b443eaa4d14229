package web

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/sheet"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// sanctions imports a list of sanctions against subjects.
func (s *service) sanctions(t *testing.T, subjects ...tocsin.Subject) {
	t.Helper()
	im, err := s.db.Import(t.Context(), tocsin.List{Name: tocsin.SanctionsList, Family: "ofac"})
	tocsintest.Must(t, err)
	defer im.Close()
	for _, subject := range subjects {
		tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Sanction, Subject: subject,
			Name: "A PARTY", Program: "CYBER2", Category: "BSV"}}))
	}
	_, err = im.Finish(t.Context(), true, nil)
	tocsintest.Must(t, err)
}

// TestAPageSaysWhatAListHasDropped, and since when an entry in force is on record here. What was dropped has no points.
func TestAPageSaysWhatAListHasDropped(t *testing.T) {
	s := start(t)
	const address = "0x00000000000000000000000000000000000000AA"
	subject, fault := tocsin.ParseSubject(address)
	if fault != nil {
		t.Fatal(fault)
	}
	other, _ := tocsin.ParseSubject("0x00000000000000000000000000000000000000bb")
	today := s.db.Now().Std().Format("2 Jan 2006")
	s.sanctions(t, subject, other)
	p := s.visitor().get("/screen/" + address)
	p.says("date unknown on record here since "+today, "as an address of Bitcoin SV: the same key owns both")
	want(t, "nothing is earlier", strings.Contains(p.main(), "Earlier"), false)
	s.sanctions(t, other)
	p = s.visitor().get("/screen/" + address)
	p.says("Earlier", "For these times lists named it. This adds nothing to the score.", "OFAC SDN",
		"No safelist knows it either. On record here from OFAC SDN until "+today+".",
		"Sanctions (CYBER2): A PARTY", "from "+today+", 12:00:00 UTC until "+today, "Nothing on record warns of it now.")
	want(t, "nothing is in force", strings.Contains(p.main(), "date unknown on record here since"), false)
	p.says("OFAC SDN on record here since "+today, "What OFAC SDN dropped before "+today+" is not on record here.")

	row := s.visitor().table(address + "\nshop.example")[1]
	want(t, "in a table", row[6],
		"Nothing on record, which does not make it safe; on record here from OFAC SDN until 2026-03-04")
	p = s.visitor().post("/bulk", fields{bulkField: address + "\nshop.example", "do": "screen"})
	p.says("formerly sanctioned 1",
		"Nothing on record, which does not make it safe; on record here from OFAC SDN until "+today)
	want(t, "it is found", []int{strings.Count(p.html, `href="#formerly"`), strings.Count(p.html, `<tr id="formerly">`)},
		[]int{1, 1})

	parent, _ := tocsin.ParseSubject("parent.example")
	s.sanctions(t, other, parent)
	s.visitor().get("/screen/parent.example").says("date unknown on record here since " + today) // of a later edition
	s.sanctions(t, other)
	s.visitor().get("/screen/parent.example").says("Earlier")
	lacks(t, s.visitor().get("/screen/below.parent.example"), "Earlier")
}

// TestAnOlderVersionOfAListIsNoRemovalByTheList: the pages say so, and in which versions it was.
func TestAnOlderVersionOfAListIsNoRemovalByTheList(t *testing.T) {
	s := start(t)
	subject, _ := tocsin.ParseSubject(nobody)
	other, _ := tocsin.ParseSubject("0x00000000000000000000000000000000000000bb")
	imports := func(day string, subjects ...tocsin.Subject) {
		s.Sleep(24 * time.Hour)
		im, err := s.db.Import(t.Context(), tocsin.List{Name: tocsin.SanctionsList, Family: "ofac"})
		tocsintest.Must(t, err)
		defer im.Close()
		at, _, _ := tocsin.ParseDay(day)
		im.Version(tocsin.ListVersion{Date: &at, Entries: len(subjects),
			Files: []tocsin.ListFile{{Name: "sdn.xml", SHA256: sha256Of([]byte(day))}}})
		im.AllowOlder()
		for _, subject := range subjects {
			tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Sanction, Subject: subject,
				Name: "A PARTY", Program: "CYBER2"}}))
		}
		_, err = im.Finish(t.Context(), true, nil)
		tocsintest.Must(t, err)
	}
	v := s.visitor()
	imports("2026-02-20", subject, other)
	earlier := v.post("/bulk", fields{bulkField: nobody, "do": "csv"}).html
	imports("2025-12-30", other)
	today := s.db.Now().Std().Format("2 Jan 2006")
	const is = "That version is older than the one before: this is no removal by the list."
	for _, path := range []string{"/screen/" + nobody, "/object/case?subject=" + nobody} {
		v.get(path).says("in the list of 20 Feb 2026", "not in the list of 30 Dec 2025", is,
			"It was on OFAC SDN until an older version of that list, of 30 Dec 2025, was read here on "+today+".")
	}
	v.get("/object?subject=" + nobody).says("OFAC SDN named it until " + today + ", when an older version of that list " +
		"was read here. That is no removal by the list.")
	file := v.get("/object.json?subject=" + nobody).html
	want(t, "in the file", strings.Contains(file, `"olderVersion": true`) &&
		strings.Contains(file, `"droppedListDate": "2025-12-30T`), true)
	p := v.post("/bulk", fields{bulkField: nobody, "do": "screen"})
	p.says("was on OFAC SDN until an older version of that list, of 30 Dec 2025, was read here on " + today)
	lacks(t, p, "formerly sanctioned")
	const blocked = "It was sanctioned in a newer version of the list than the one that was read here. " +
		"Do not lift a block: check it at the authority."
	p.says("No reports, older version of a list", blocked)
	v.get("/screen/"+nobody).says("Check it elsewhere", blocked)
	v.get(findPath(nobody+" shop.example")).says("Check it elsewhere", blocked)
	read := func(do string) string {
		text, err := io.ReadAll(v.compare(do, nobody, earlier).Body)
		tocsintest.Must(t, err)
		return string(text)
	}
	rows, err := csv.NewReader(strings.NewReader(read("changes"))).ReadAll()
	tocsintest.Must(t, err)
	change := rows[1][len(sheet.Columns):]
	want(t, "the change", []string{rows[1][4], change[0], change[1]}, []string{"review", "older_version",
		"an older version of OFAC SDN, of 2025-12-30, was read here, which does not name this; that is no removal; " +
			"the sanctions list was of 2026-02-20 and is of 2025-12-30"})
	if html := read("compare"); !strings.Contains(html,
		"1 row changed because an older version of a list was read here: OFAC SDN.") ||
		strings.Contains(html, "No longer sanctioned") {
		t.Error(html)
	}
	had, lacked := sha256Of([]byte("2026-02-20")), sha256Of([]byte("2025-12-30"))
	v.get("/object/case?subject="+nobody).says("in the list of 20 Feb 2026 SHA-256 "+had+" sdn.xml until ",
		" SHA-256 "+lacked+" sdn.xml")
	lacks(t, v.get("/screen/"+nobody), "SHA-256")
	want(t, "the sums in the file", [...]int{strings.Count(file, had), strings.Count(file, lacked)}, [...]int{1, 2})
	imports("2026-02-20", subject, other)
	v.get("/screen/"+nobody).says("It is on record here from OFAC SDN, except from "+today+" until ", is)
	v.get("/object/case?subject="+nobody).says("on record here since "+s.db.Now().Std().Format("2 Jan 2006, 15:04")+
		" UTC in the list of 20 Feb 2026 SHA-256 "+had+" sdn.xml", "Date of the copy 20 Feb 2026 ")
	var current struct{ Lists []earlierList }
	tocsintest.Must(t, json.Unmarshal([]byte(v.get("/object.json?subject="+nobody).html), &current))
	if l := current.Lists[0]; l.RecordedIn == nil || len(l.RecordedFiles) != 1 || l.RecordedFiles[0].SHA256 != had {
		t.Errorf("in the file: %+v", l)
	}

	lease, err := s.db.LeaseImport(t.Context(), tocsin.SanctionsList)
	tocsintest.Must(t, err)
	_, err = s.db.RemoveList(t.Context(), store.Operator{Name: "ann"}, lease, nil)
	tocsintest.Must(t, err)
	s.Sleep(time.Hour) // longer than the numbers are kept
	var removed struct {
		Lists []store.ListRemoval `json:"listsRemoved"`
	}
	tocsintest.Must(t, json.Unmarshal([]byte(v.get("/lists.json").html), &removed))
	want(t, "the version that was removed", removed.Lists[0].Files, []tocsin.ListFile{{Name: "sdn.xml", SHA256: had}})
}

// TestAnEntryOfLessThanAMinuteHasItsSeconds: else it would seem to have ended when it began.
func TestAnEntryOfLessThanAMinuteHasItsSeconds(t *testing.T) {
	subject, _ := tocsin.ParseSubject(nobody)
	at := time.Date(2026, 3, 4, 12, 0, 5, 0, time.UTC)
	from := tocsin.TimeOf(at)
	for after, want := range map[time.Duration]string{
		20 * time.Second: "4 Mar 2026, 12:00:05 UTC until 4 Mar 2026, 12:00:25 UTC",
		time.Minute:      "4 Mar 2026, 12:00 UTC until 4 Mar 2026, 12:01 UTC",
	} {
		until := tocsin.TimeOf(at.Add(after))
		history := listHistory{{Listing: tocsin.Listing{Subject: subject}, Recorded: &from, Dropped: &until}}
		if row := history.earlier(english(), subject)[0]; row.From+" until "+row.Until != want {
			t.Errorf("after %s: from %s until %s", after, row.From, row.Until)
		}
	}
}

// TestAPageShowsEachTimeThatAListNamedIt: over imports that lack the entry and have it again. When the operator has
// removed the list, nobody says that the list dropped it.
func TestAPageShowsEachTimeThatAListNamedIt(t *testing.T) {
	s := start(t)
	subject, _ := tocsin.ParseSubject(nobody)
	other, _ := tocsin.ParseSubject("parent.example")
	day := func() string {
		s.Sleep(24 * time.Hour)
		return s.db.Now().Std().Format("2 Jan 2006")
	}
	s.sanctions(t, subject, other)
	first := s.db.Now().Std().Format("2 Jan 2006")
	dropped := day()
	s.sanctions(t, other)
	again := day()
	s.sanctions(t, subject, other)
	p := s.visitor().get("/screen/" + nobody)
	p.says("It was on record here from OFAC SDN until "+dropped+", and is again since "+again+".",
		"on record here since "+again,
		"Earlier", "from "+first+", 12:00 UTC until "+dropped+", ")
	s.visitor().get("/object/case?subject="+nobody).says("Earlier", "from "+first+", 12:00 UTC until "+dropped+", ")
	p = s.visitor().post("/bulk", fields{bulkField: nobody + "\nshop.example", "do": "screen"})
	p.says("; on record here from OFAC SDN until " + dropped + " and again since " + again)

	removed := day()
	lease, err := s.db.LeaseImport(t.Context(), tocsin.SanctionsList)
	tocsintest.Must(t, err)
	_, err = s.db.RemoveList(t.Context(), store.Operator{Name: "ann"}, lease, nil)
	tocsintest.Must(t, err)
	const unread = "The list that warned of it was removed here. Whether it still does is not known. " +
		"Check it elsewhere before you lift a block."
	p = s.visitor().get("/screen/" + nobody)
	p.says("Check it elsewhere", unread, "It was on OFAC SDN when the operator removed that list on "+removed+".",
		"from "+again+", ",
		" until "+removed+", ",
		" Then the operator removed this list here. Whether it still names it is not known.", "until "+dropped)
	p = s.visitor().get("/object?subject=" + nobody)
	p.says("OFAC SDN named it until " + removed + ", when the operator removed that list here. Whether the list still " +
		"names it is not known.")
	lacks(t, p, "no longer does")
	p = s.visitor().post("/bulk", fields{bulkField: nobody + "\nshop.example", "do": "screen"})
	const used = "Not used, because the operator removed them: OFAC SDN ("
	p.says("No reports, list removed", "was on OFAC SDN when the operator removed that list on "+removed,
		used+removed+", 12:00 UTC).", unread)
	lacks(t, p, "formerly sanctioned")
	table := s.visitor().post("/bulk", fields{bulkField: nobody, "do": "csv"}).html
	want(t, "what to do, in the table", strings.Contains(table, unread), true)
	s.visitor().get("/object/case?subject=" + nobody).says(used + removed)
	lacks(t, s.visitor().get("/object/case?subject=shop.example"), used) // it cannot name a site
	file := s.visitor().get("/lists.json").html
	want(t, "in the file, without who it was", []bool{strings.Contains(file, `"listsRemoved": [`),
		strings.Contains(file, "removedBy")}, []bool{true, false})
}

// TestWhatIsOnRecordOfAnEntryIsNotThatOfAnother: of the same list, but of another subject, chain or kind, or dropped.
func TestWhatIsOnRecordOfAnEntryIsNotThatOfAnother(t *testing.T) {
	subject, _ := tocsin.ParseSubject(nobody)
	other, _ := tocsin.ParseSubject("parent.example")
	at := tocsin.MicroTime(1)
	entry := tocsin.Listing{List: "scamsniffer", Subject: subject, Kind: tocsin.Risk, Chain: "eip155:1"}
	dated := tocsin.DatedListing{Listing: entry, Recorded: &at}
	want(t, "of itself", listHistory{dated}.entry(entry).Recorded, &at)
	for about, change := range map[string]func(d *tocsin.DatedListing){
		"list":    func(d *tocsin.DatedListing) { d.List = "polkadot" },
		"subject": func(d *tocsin.DatedListing) { d.Subject = other },
		"chain":   func(d *tocsin.DatedListing) { d.Chain = "eip155:56" },
		"kind":    func(d *tocsin.DatedListing) { d.Kind = tocsin.Safe },
		"dropped": func(d *tocsin.DatedListing) { d.Dropped = &at },
	} {
		d := dated
		change(&d)
		want(t, "another "+about, listHistory{d}.entry(entry).Recorded == nil, true)
	}
}
