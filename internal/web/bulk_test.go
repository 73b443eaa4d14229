package web

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/sheet"
	"tocsin/internal/tocsintest"
)

// numbered are lines with numbered sites.
func numbered(from, to int) string {
	var b strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&b, "site-%d.example\n", n)
	}
	return b.String()
}

// table is the CSV that the page answers with.
func (v *visitor) table(text string) [][]string {
	v.s.t.Helper()
	p := v.post("/bulk", fields{bulkField: text, "do": "csv"})
	want(v.s.t, "a file", []any{p.status, p.header.Get("Content-Type"), p.header.Get("Content-Disposition")},
		[]any{200, "text/csv; charset=utf-8", `attachment; filename="tocsin.csv"`})
	rows, err := csv.NewReader(strings.NewReader(p.html)).ReadAll()
	if err != nil {
		v.s.t.Fatal(err)
	}
	return rows
}

func TestManySubjectsTakeACallForEachFifty(t *testing.T) {
	s := start(t)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "site-7.example")
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	list := "address,note\n" + numbered(0, 101) + "site-7.example\n0x12\n" + thief + ",=1+1\n"
	p := v.post("/bulk", fields{bulkField: list})
	p.says("Subjects to look up: 102. Calls that they take: 3. Calls left today: 10.", "Line", "104", "0x12")
	want(t, "before it is confirmed", s.me(key).FreeCalls.Used, 0)
	text := ""
	for _, n := range p.all("input") {
		if attr(n, "name") == bulkField {
			text = attr(n, "value")
		}
	}
	p = v.post("/bulk", fields{bulkField: text, "do": "screen"})
	p.says("104 lines looked up", "7 calls left today", "High 2", "No subject 1")
	var order []string
	for _, row := range p.all("tr")[1:] {
		order = append(order, textOf(row))
	}
	want(t, "findings, what has no answer, and the rest", []any{strings.HasPrefix(order[0], "site-7[.]example 9 "),
		strings.HasPrefix(order[1], "site-7[.]example 103 "), strings.HasPrefix(order[2], "0x12 104 "),
		strings.HasPrefix(order[3], "site-0[.]example 2 ")}, []any{true, true, true, true})
	want(t, "used", s.me(key).FreeCalls.Used, 3)
	rows := v.table(text)
	want(t, "to download it", []any{len(rows), s.me(key).FreeCalls.Used}, []any{105, 3})
	want(t, "the same subject twice", []any{rows[8][1:6], rows[102][1:6]}, []any{rows[102][1:6], rows[8][1:6]})
	want(t, "an error keeps its line", []any{rows[103][0], rows[103][5], rows[104][1]}, []any{"0x12", "error", thief})
	want(t, "what was looked up is free", []any{v.get("/screen/site-3.example").status, s.me(key).FreeCalls.Used},
		[]any{200, 3})
	p = v.post("/bulk", fields{bulkField: text + "\nnew.example"})
	p.says("Subjects to look up: 1. Calls that they take: 1. Calls left today: 7.", "not charged again")
	p = v.post("/bulk", fields{bulkField: text, "do": "edit"})
	want(t, "to change it", len(strings.Fields(textOf(p.id(bulkField)))), 104)
}

func TestALineKeepsItsNumber(t *testing.T) {
	const text = "\n\none.example\n\ntwo.example\n0x12\n"
	lines, _ := sheet.Read(text, 10)
	var shown []bulkLine
	for _, l := range lines {
		shown = append(shown, bulkLine{Line: l})
	}
	want(t, "as they are shown again", column(shown), text)
}

func TestCallsThatAreMissingLeaveLinesWithoutAnAnswer(t *testing.T) {
	s := start(t, func(c *setup) { c.Quota = 1 })
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	v.post("/bulk", fields{bulkField: numbered(0, 60)}).says(
		"Subjects to look up: 60. Calls that they take: 2. Calls left today: 1.", "The first 50 of them are looked up")
	v.post("/bulk", fields{bulkField: numbered(0, 60), "do": "screen"}).says("10 lines have no answer.",
		"Not looked up 10")
	rows := v.table(numbered(0, 60))
	want(t, "the last with an answer, and the first without", []any{rows[50][5], rows[51][5], rows[51][6]},
		[]any{"no_reports", "error", "No call was left for it."})
	want(t, "used", s.me(key).FreeCalls.Used, 1)
}

func TestManySubjectsNeedAKey(t *testing.T) {
	s := start(t)
	v := s.visitor()
	p := v.get("/bulk")
	p.says("400 are 8 calls", "A key has 10 calls a day, free, which is 500 subjects.", "How to get a key")
	p = v.post("/bulk", fields{bulkField: "one.example\ntwo.example\n0x12", "do": "screen"})
	want(t, "without a key", []any{p.status, len(p.class("level"))}, []any{http.StatusForbidden, 0})
	p.says("Subjects: 2. Lines without one: 1.", "Looking them up needs a key.")
	want(t, "what was typed stays", strings.Contains(textOf(p.id(bulkField)), "two.example"), true)
	to, _ := url.Parse(attr(p.class("btn")[1], "href"))
	if back := to.Query().Get("next"); !strings.HasPrefix(back, "/bulk?subjects=one.example") {
		t.Errorf("signing in leads to %q", back)
	}
	many := v.get("/screen?q=" + url.QueryEscape("https://one.example/a and "+thief))
	at := many.header.Get("Location")
	want(t, "several in the box", []any{many.status, textOf(v.get(at).id(bulkField))},
		[]any{303, "https://one.example/a " + thief})
}

func TestAListThatCannotBeReadSaysWhy(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.signIn(tocsintest.NewAccount(t))
	for text, said := range map[string]string{
		"": "no line with an address or a site", "\n \n": "no line with an address", "words": "no line with an address",
		"0x12\n0x13":                       "No line has an address or a site in it.",
		numbered(0, 501):                   "There are more than 500 lines.",
		"one.example," + aPhrase + "\n0x1": "",
		aPhrase + "\n" + aPhrase:           "private key or a recovery phrase",
	} {
		p := v.post("/bulk", fields{bulkField: text})
		status := 400
		if said == "" {
			status = 200
		}
		want(t, tocsin.Shorten(text, 30), p.status, status)
		p.says(said)
		if strings.Contains(p.html, "winner") {
			t.Errorf("%q: the phrase is shown", text)
		}
	}
	want(t, "a link with a phrase", strings.Contains(v.get("/bulk?subjects="+url.QueryEscape(aPhrase)).html, "winner"),
		false)
}

func TestAFileIsReadInsteadOfTheField(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.signIn(tocsintest.NewAccount(t))
	send := func(file string) (int, string) {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		form.WriteField(bulkField, "typed.example")
		part, err := form.CreateFormFile(fileField, "list.csv")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(part, file)
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
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	for file, said := range map[string]string{
		"": "Subjects to look up: 1. Calls that they take: 1.",
		"\ufeffsite;note\r\none.example;a\r\ntwo.example;b\r\n": "Subjects to look up: 2. Calls that they take: 1.",
		"\x00\x01\xff": "no line with an address",
	} {
		if _, html := send(file); !strings.Contains(html, said) {
			t.Errorf("%q does not say %q", file, said)
		}
	}
	status, _ := send(strings.Repeat("a", maxForm))
	want(t, "a file that is too large", status, 413)
}
