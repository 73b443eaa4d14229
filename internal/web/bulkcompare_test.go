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

	"tocsin"
	"tocsin/internal/sheet"
)

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
	send := func(do, earlier string) *http.Response {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		form.WriteField(bulkField, list+"new.example\n")
		form.WriteField("do", do)
		part, err := form.CreateFormFile(earlierField, "old.csv")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(part, earlier)
		form.Close()
		r, err := http.NewRequest(http.MethodPost, s.base+"/bulk", &body)
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
	page := func(earlier string) string {
		text, err := io.ReadAll(send("compare", earlier).Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	html := page(old)
	at := -1
	for _, said := range []string{"Changes since 4 Mar 2026", "New sanctions: 1.", "Changes: 4.", "new-hit[.]example",
		"newly sanctioned; newly listed: OFAC SDN", "new[.]example", "new in this list", "off[.]example",
		"no longer listed: ScamSniffer", "gone[.]example", "no longer in this list"} {
		next := strings.Index(html, said)
		if next < at {
			t.Fatalf("%q is at %d, behind %d:\n%s", said, next, at, html)
		}
		at = next
	}
	res := send("changes", old)
	rows, err := csv.NewReader(res.Body).ReadAll()
	want(t, "the CSV", []any{err, res.Header.Get("Content-Disposition"), len(rows), rows[1][0],
		rows[1][len(sheet.Columns)]},
		[]any{nil, `attachment; filename="tocsin-changes-2026-03-04.csv"`, 5, "new-hit.example", "new_sanction"})
	for earlier, said := range map[string]string{"": "That is not a CSV that was downloaded here",
		"a,b\n1,2\n": "That is not",
		"PK\x03\x04": "Excel workbooks are not read"} {
		if html := page(earlier); !strings.Contains(html, said) || !strings.Contains(html, "5 lines looked up") &&
			!strings.Contains(html, "4 of 5 lines looked up") {
			t.Errorf("%q: %s", earlier, html)
		}
	}
	v.post("/bulk", fields{bulkField: list, "do": "compare"}).says("Choose the file that you downloaded then.")
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
