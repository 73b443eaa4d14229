package web

import (
	"bytes"
	"encoding/csv"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tocsin"
	"tocsin/internal/sheet"
)

// compare sends a list with the file of an earlier table.
func (v *visitor) compare(do, list, earlier string) *http.Response {
	t := v.s.t
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField(bulkField, list)
	form.WriteField("do", do)
	part, err := form.CreateFormFile(earlierField, "old.csv")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(part, earlier)
	form.Close()
	r, err := http.NewRequest(http.MethodPost, v.s.base+"/bulk", &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	res, err := v.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// TestATableSaysWhatHasChangedSinceAnEarlierDownload: on the page and as CSV, new sanctions first; a file that is none
// of ours is refused.
func TestATableSaysWhatHasChangedSinceAnEarlierDownload(t *testing.T) {
	s := start(t)
	v := s.visitor()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "off.example")
	const list = "same.example\nnew-hit.example\noff.example\n0x12\n"
	old := v.post("/bulk", fields{bulkField: list + "gone.example\n", "do": "csv"}).html
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "worse.example", "new.example")
	s.list("ofac", "ofac", tocsin.Sanction, "", "new-hit.example")
	send := func(do, earlier string) *http.Response { return v.compare(do, list+"new.example\n", earlier) }
	page := func(earlier string) string {
		text, err := io.ReadAll(send("compare", earlier).Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	html := page(old)
	at := -1
	for _, said := range []string{"Changes since 4 Mar 2026, 12:00 UTC", "Newly sanctioned, or new and sanctioned: 1.",
		"Changes: 4.", "new-hit[.]example",
		"newly sanctioned: Somebody; newly listed: OFAC SDN", "new[.]example", "new in this list", "off[.]example",
		"no longer listed: ScamSniffer", "gone[.]example", "no longer in this list"} {
		next := strings.Index(html, said)
		if next < at {
			t.Fatalf("%q is at %d, behind %d:\n%s", said, next, at, html)
		}
		at = next
	}
	for _, said := range []string{"1 row changed because a list was removed: Lost list.",
		"Lost list is no longer read here; whether it still names this is not known"} {
		if html := page(strings.ReplaceAll(old, "ScamSniffer", "Lost list")); !strings.Contains(html, said) {
			t.Errorf("no %q: %s", said, html)
		}
	}
	res := send("changes", old)
	rows, err := csv.NewReader(res.Body).ReadAll()
	want(t, "the CSV", []any{err, res.Header.Get("Content-Disposition"), len(rows), rows[1][0],
		rows[1][len(sheet.Columns)]},
		[]any{nil, `attachment; filename="tocsin-changes-2026-03-04.csv"`, 5, "new-hit.example", "new_sanction"})
	for earlier, said := range map[string]string{"": "That is not a CSV that was downloaded here",
		"a,b\n1,2\n":                          "That is not",
		old + strings.Repeat(",x\n", maxBulk): "That file has more than 500 rows",
		"PK\x03\x04":                          "Excel workbooks are not read"} {
		if html := page(earlier); !strings.Contains(html, said) || !strings.Contains(html, "5 lines looked up") &&
			!strings.Contains(html, "4 of 5 lines looked up") {
			t.Errorf("%q: %s", earlier, html)
		}
	}
	v.post("/bulk", fields{bulkField: list, "do": "compare"}).says("Choose the file that you downloaded then.")
}

// TestAChangeShowsWhoseRowItIs: the customer beside the line, also of a row that is gone, and sanctions first, then
// those that have ended.
func TestAChangeShowsWhoseRowItIs(t *testing.T) {
	s := start(t)
	v := s.visitor()
	s.list("ofac", "ofac", tocsin.Sanction, "", "hit.example")
	const list = "customer;site;amount\nC1;hit.example;1,00\nC2;b.example;2,00\nC3;c.example;3,00\n"
	old := v.post("/bulk", fields{bulkField: list, "do": "csv"}).html
	s.list("ofac", "ofac", tocsin.Sanction, "", "b.example")
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "c.example")
	res := v.compare("compare", strings.ReplaceAll(list, "C3", "C9")+"C10;b.example;2,00\nC11;"+thief+
		";1\nC12;0x12;1\n", old)
	p := &response{t: t, about: "the changes"}
	var err error
	if p.root, err = html.Parse(res.Body); err != nil {
		t.Fatal(err)
	}
	p.says("Newly sanctioned, or new and sanctioned: 2. No longer sanctioned: 1. Changes: 7.",
		"Subject Line, customer Before", thief+" 6 C11", "0x12 7 C12",
		"b[.]example 3 C2 No reports Critical newly sanctioned",
		"b[.]example 5 C10 – Critical new in this list; sanctioned", "hit[.]example 2 C1 Critical No reports no longer",
		"c[.]example 4 C9 – High new in this list", "c[.]example – C3 No reports – no longer in this list",
		"Subject Line, customer Level", "b[.]example 3 C2, 5 C10 Critical")
}

// TestAnEarlierTableIsNotWrittenToADisk, which a container may lack.
func TestAnEarlierTableIsNotWrittenToADisk(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere")
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile(earlierField, "old.csv")
	if err != nil {
		t.Fatal(err)
	}
	part.Write(make([]byte, 304<<10))
	form.Close()
	r := httptest.NewRequest(http.MethodPost, "/bulk", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	want(t, "the form", (&request{Request: r}).parseForm(), nil)
}
