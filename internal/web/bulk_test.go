package web

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
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

// carried is the list that a page sends along.
func (p *response) carried() string {
	for _, n := range p.all("input") {
		if attr(n, "name") == bulkField {
			return attr(n, "value")
		}
	}
	return ""
}

// table is the CSV that the page answers with.
func (v *visitor) table(text string) [][]string {
	v.s.t.Helper()
	p := v.post("/bulk", fields{bulkField: text, "do": "csv"})
	want(v.s.t, "a file", []any{p.status, p.header.Get("Content-Type"), p.header.Get("Content-Disposition")},
		[]any{200, "text/csv; charset=utf-8", `attachment; filename="tocsin-2026-03-04.csv"`})
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(p.html, "\ufeff")))
	if head, _, _ := strings.Cut(p.html, "\n"); strings.Count(head, ";") > strings.Count(head, ",") {
		r.Comma = ';'
	}
	rows, err := r.ReadAll()
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
	list := "address\n" + numbered(0, 101) + "site-7.example\n0x12\n" + thief + "\n"
	p := v.post("/bulk", fields{bulkField: list})
	p.says("Subjects to look up: 102. Calls that they take: 3. Calls left today: 10.", "Line", "104", "0x12")
	want(t, "before it is confirmed", s.me(key).FreeCalls.Used, 0)
	text := p.carried()
	p = v.post("/bulk", fields{bulkField: text, "do": "screen"})
	p.says("104 lines looked up", "tocsin.example/bulk, 4 Mar 2026, 12:00 UTC",
		"7 calls left today", "High 2 Do not pay.", "No subject 1 See why Correct them")
	var order []string
	for _, row := range below(p.class("bulk")[0], "tr")[1:] {
		if len(below(row, "td")) > 0 { // no heading of a level
			order = append(order, textOf(row))
		}
	}
	want(t, "findings and the rest; a row for each subject", []any{len(order),
		strings.HasPrefix(order[0], "site-7[.]example 9, 103 High"), strings.HasPrefix(order[1], "site-0[.]example 2 ")},
		[]any{102, true, true})
	p.says("1 line without a subject", "2 digits, not 40 1 104: 0x12 Do not send. Copy it again from where "+
		"you have it. This has 2 digits after 0x; an address has 40.")
	var kept []string
	for _, n := range p.all("input") {
		if attr(n, "name") == rowField {
			kept = append(kept, attr(n, "value"))
		}
	}
	want(t, "the list, from the rows of the table", typedRows(kept), strings.TrimSuffix(text, "\n"))
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
	want(t, "to change it", len(strings.Fields(textOf(p.id(bulkField)))), 105) // with the name of the column
}

func TestALineKeepsItsNumber(t *testing.T) {
	for _, text := range []string{"\n\none.example\n\ntwo.example\n0x12\n", "\nsite,note\n\none.example,\"a, b\"\n"} {
		table := sheet.Read(text, 10, sheet.Options{})
		shown := bulkPage{Layout: table.Layout}
		for _, l := range table.Lines {
			shown.Lines = append(shown.Lines, bulkLine{Line: l})
		}
		want(t, "as they are shown again", shown.text(), text)
	}
}

func TestCallsThatAreMissingLeaveLinesWithoutAnAnswer(t *testing.T) {
	s := start(t, func(c *setup) { c.Quota, c.Limits.Lookups = 1, 3 })
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	v.post("/bulk", fields{bulkField: numbered(0, 60)}).says(
		"Subjects to look up: 60. Calls that they take: 2. Calls left today: 1.",
		"Beyond them each subject takes a look-up of your network, which has 3 left today.",
		"At least 53 of them are looked up; the others stay in the table as not looked up.")
	v.post("/bulk", fields{bulkField: numbered(0, 60), "do": "screen"}).says("53 of 60 lines looked up",
		"7 lines were not looked up. The calls of your key and the look-ups of your network are used up for today.",
		"Not looked up 7", "0 calls left today.")
	rows := v.table(numbered(0, 60))
	want(t, "the last with an answer, and the first without", []any{rows[53][5], rows[54][1:]},
		[]any{"no_reports", []string{"site-53.example", "", "", "", "not_looked_up",
			"No look-up was left for it. We looked for warnings: it is not Medium, High or Critical.",
			"Not looked up", "Treat it as unknown until it is looked up.", "", "", "", "", "", "", "", "", "", "", "", ""}})
	want(t, "used", s.me(key).FreeCalls.Used, 1)
	want(t, "the look-ups of the network", s.visitor().statuses(nil, paths("site", 50, 54)...),
		[]int{200, 200, 200, 429})
}

// TestWithoutAKeyATableTakesTheLookUpsOfTheNetwork: one for each subject in the order of the list, none for an alarm.
// What they cannot pay for is read for alarms, in fifties, and no more than that once those are used up but for
// sanctions.
func TestWithoutAKeyATableTakesTheLookUpsOfTheNetwork(t *testing.T) {
	s := alarms(t, 3)
	v := s.visitor()
	v.get("/bulk").says("Your network has 3 look-ups a day, one for each subject, and 3 left today.",
		"A key, which is free, has 10 calls a day of 50 subjects each: 500 subjects.")
	list := "bad-0.example\nsite-0.example\n0x12\nbad-1.example\nsite-1.example\nsite-0.example\nsite-2.example\n" +
		"bad-2.example\nsite-3.example\n" + thief + "\n"
	s.list("ofac", "ofac", tocsin.Sanction, "", thief)
	p := v.post("/bulk", fields{bulkField: list})
	p.says("Subjects to look up: 8. Look-ups that your network has left today: 3.", "Medium, High or Critical takes none",
		"At least 3 of them are looked up; the others stay in the table as not looked up.", "Sign in and keep the list",
		"midnight UTC", "tocsin screen -csv")
	for range 2 { // what was answered is not charged again
		p = v.post("/bulk", fields{bulkField: list, "do": "screen"})
		p.says("8 of 10 lines looked up", "1 line was not looked up. The look-ups of your network are used up for today.",
			"Critical 4", "of these, sanctioned 1", "No subject 1", "Not looked up 1 Treat them as unknown", "left today: 0.",
			"We looked for warnings, too: none of the rest is Medium", "site-3[.]example 9 not looked up – No "+
				"look-up was left for it. We looked for warnings: it is not Medium, High or Critical.")
	}
	v.post("/bulk", fields{bulkField: list}).says("5 can be shown now. 3 need a look-up, and none is left. An answer "+
		"that is Medium, High or Critical takes none.",
		"Look them up")
	rows := v.table(list)
	var results []string
	for _, row := range rows[1:] {
		results = append(results, row[0]+" "+row[5])
	}
	want(t, "in the order of the list", results, []string{"bad-0.example caution", "site-0.example no_reports",
		"0x12 error", "bad-1.example caution", "site-1.example no_reports", "site-0.example no_reports",
		"site-2.example no_reports", "bad-2.example caution", "site-3.example not_looked_up",
		thief + " caution"})
	want(t, "the page of one of them", v.statuses(nil, paths("site", 3, 4)...), []int{429})
	for n := range 12 - 2 - 1 - 1 { // two alarms, a read in vain, and the rest of the table
		want(t, "what the network has beside its look-ups", v.get(fmt.Sprintf("/screen/linked-%d.example", n),
			"sec-fetch-site: same-origin").status, 200)
	}
	want(t, "is used up", v.get("/screen/linked-9.example", "sec-fetch-site: same-origin").status, 429)
	list = "site-4.example\nbad-3.example\n" + thief + "\ntron:TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n"
	s.list("ofac2", "ofac2", tocsin.Sanction, "", "tron:TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n")
	rows = v.table(list)
	want(t, "then only sanctions are found", []string{rows[1][5], rows[2][5], rows[3][5], rows[4][5]},
		[]string{"not_looked_up", "not_looked_up", "caution", "caution"})
	const may = "We looked for sanctions alone, and found none: it may be High or Critical."
	want(t, "and the table says so", strings.HasSuffix(rows[2][6], may), true)
	v.post("/bulk", fields{bulkField: list, "do": "screen"}).says("2 of 4 lines looked up", "Nothing is left for today "+
		"to look for warnings, either: 2 lines were compared with the sanctions list alone. They may be High or Critical.",
		may)
}

func TestWhereLookUpsNeedAKeyATableDoesToo(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 0 })
	v := s.visitor()
	v.get("/bulk").says("The operator gives look-ups to those who have a key.")
	p := v.post("/bulk", fields{bulkField: "one.example\n0x12"})
	p.says("None of them can be looked up now.", "Sign in and keep the list")
	want(t, "nothing to look up", strings.Contains(p.html, `value="screen"`), false)
	v.post("/bulk", fields{bulkField: "one.example", "do": "screen"}).says("1 line was not looked up.", "have a key")
	v.signIn(tocsintest.NewAccount(t))
	v.post("/bulk", fields{bulkField: "one.example", "do": "screen"}).says("1 line looked up", "9 calls left")
}

func TestMoreThanFiveSubjectsInTheBoxOpenThePageOfMany(t *testing.T) {
	v := start(t).visitor()
	list := "a.example\nb.example\nc.example\nd.example\ne.example\n" + thief
	many := v.get("/screen?q=" + url.QueryEscape(list))
	at := many.header.Get("Location")
	want(t, "six in the box", []any{many.status, strings.Fields(textOf(v.get(at).id(bulkField)))},
		[]any{303, strings.Fields(list)})
}

func TestAListThatCannotBeReadSaysWhy(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.signIn(tocsintest.NewAccount(t))
	for text, said := range map[string]string{
		"": "no line with an address or a site", "\n \n": "no line with an address", "words": "no line with an address",
		"0x12\n0x13":                       "No line has an address or a site in it.",
		"PK\x03\x04":                       "This is an Excel workbook",
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
	status, html := send(strings.Repeat("a", maxForm))
	want(t, "a file that is too large", []any{status, strings.Contains(html, "a file may have at most 250 KB")},
		[]any{413, true})
}

// TestTheColumnsOfAListComeBackInTheCSV: after ours, which stay as they are, with the number of the line.
func TestTheColumnsOfAListComeBackInTheCSV(t *testing.T) {
	s := alarms(t, 5)
	v := s.visitor()
	list := "customer;site;note\nC-1;bad-0.example;\"=1+1; \"\"paid\"\"\"\n\nC-2;fine.example\nC-3;0x12;new\n"
	p := v.post("/bulk", fields{bulkField: list})
	text := p.carried()
	rows := v.table(text)
	want(t, "its head", strings.Join(rows[0], ","),
		strings.Join(sheet.Columns, ",")+",line,columnRead,customer,site,note")
	for i, own := range []string{`2|site|C-1|bad-0.example|'=1+1; "paid"`, "4|site|C-2|fine.example|",
		"5|site|C-3|0x12|new"} {
		want(t, "own columns", strings.Join(rows[i+1][len(sheet.Columns):], "|"), own)
	}
	want(t, "the reason", []any{rows[1][6], rows[3][6]}, []any{
		"Polkadot phishing list: Phishing, Somebody (+68); ScamSniffer: Phishing, Somebody (+17)",
		"Do not send. Copy it again from where you have it. This has 2 digits after 0x; an address has 40."})
	v.post("/bulk", fields{bulkField: text, "do": "screen"}).says(rows[1][6], rows[3][6])

	list = "site,note\none.example," + aPhrase + "\n" + aPhrase + ",x\n"
	p = v.post("/bulk", fields{bulkField: list, "do": "screen"})
	want(t, "a phrase in another column", strings.Contains(p.html, "winner"), false)
	want(t, "and in the table", v.table(list)[1][len(sheet.Columns):], []string{"2", "site", "one.example", "…"})
	s.addSecrets(aPhrase)

	var long strings.Builder
	for n := range 400 {
		fmt.Fprintf(&long, "bad-%d.example,%s\n", n%10, strings.Repeat("x", 210))
	}
	p = v.post("/bulk", fields{bulkField: long.String(), "do": "screen"})
	p.says("400 lines looked up", "Your other columns would make this page too heavy")
	want(t, "a form that fits", v.table(long.String())[0], sheet.Columns)
}

// TestTheListComesAlongWhenSomebodySignsIn: with a wallet, by hand, for a new key and for one that is there, and also
// from the table.
func TestTheListComesAlongWhenSomebodySignsIn(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	a := tocsintest.NewAccount(t)
	v := s.visitor()
	const list = "site,note\none.example,a\ntwo.example,b\n"
	p := v.post("/bulk", fields{bulkField: list, "do": "screen"})
	want(t, "the way", strings.Contains(p.html, `formaction="/account" name="do" value="connect"`), true)
	p = v.post("/account", fields{rowField: "2 one.example,a", "next": "/bulk", "do": "connect"})
	want(t, "from the table", strings.TrimSpace(p.carried()), "one.example,a")
	p = v.post("/account", fields{bulkField: list, "next": "/bulk", "do": "connect"})
	p.says("Connect a wallet, get a key", "Your list comes along")
	want(t, "in each form", strings.Count(p.html, "two.example,b"), 3)
	p = v.post("/account", fields{bulkField: p.carried(), "next": "/bulk", "address": a.Address.String()})
	message := textOf(p.id("message"))
	p = v.post("/account/sign-in", fields{bulkField: p.carried(), "by": "hand", "message": message, "signature": "0x"})
	want(t, "after a mistake", []any{p.status, p.carried()}, []any{http.StatusBadRequest, list})
	send := func() *response {
		message := v.message(a)
		return v.post("/account/sign-in", fields{bulkField: list, "next": "/bulk", "message": message,
			"signature": a.Sign(message)})
	}
	p = send()
	p.says("Your new key. Copy it now.", "I have saved it. Go on with the list")
	p = v.post("/bulk", fields{bulkField: p.carried()})
	p.says("Subjects to look up: 1. Calls that they take: 1. Calls left today: 10.")
	p = send()
	p.says("Subjects to look up: 1. Calls that they take: 1. Calls left today: 10.")
	want(t, "with a key that is there", p.carried(), list)
	v.post("/account", fields{bulkField: list, "do": "connect"}).says("Calls left today: 10.")
	const wallets = "from;to\n" + thief + ";" + nobody + "\n"
	ticked := func(p *response) []string { return []string{p.hidden(columnField), p.hidden(separatorField)} }
	v.post("/account", fields{"do": "signout"})
	p = v.post("/account", fields{bulkField: wallets, columnField: "1", "next": "/bulk", "do": "connect"})
	want(t, "what was ticked", ticked(p), []string{"1", ";"})
	message = v.message(a)
	p = v.post("/account/sign-in", fields{bulkField: p.carried(), columnField: "1", separatorField: ";",
		"message": message, "signature": a.Sign(message)})
	want(t, "what is ticked then", p.ticked(), "1")
	none := s.visitor().post("/account", fields{"next": "/bulk", "do": "connect"})
	want(t, "without a list", []any{none.status, strings.Contains(none.html, `name="subjects"`)}, []any{200, false})
}

// TestAListSaysWhatItHoldsBeforeTheCharge: counts of lines, and those without a subject by reason.
func TestAListSaysWhatItHoldsBeforeTheCharge(t *testing.T) {
	s := start(t)
	s.list("safe", "safe", tocsin.Safe, "exchange", "known.example")
	v := s.visitor()
	v.signIn(tocsintest.NewAccount(t))
	list := "one.example\nONE.example\nknown.example\n" + strings.ToLower(thief) + "\na@mail-1.example\n" +
		"b@mail-2.example\nc@mail-3.example\nd@mail-4.example\n@lena_trades\n+44 20 7946 0958\ntelegram: lena_t\n" +
		"vitalik.eth\n-\n"
	p := v.post("/bulk", fields{bulkField: list})
	p.says("Lines 13", "Different subjects 3", "Repeated 1", "Handles, phone numbers and e-mail addresses 7",
		"Not recognised 2", "Charged calls: 1 of the 10 left today", "an e-mail address 4 5: a@mail-1.example",
		"1 more 8: d@mail-4.example", "a handle 2", "a phone number 1", "Paste the 0x address that it points to",
		"a cell that says there is none 1 13: - There is no address in this row: the cell says “-”.")
	if !slices.Contains(p.links(), "/screen/mail-4.example") {
		t.Error("no link to the domain of an e-mail address")
	}
	p = v.post("/bulk", fields{bulkField: p.carried(), "do": "screen"})
	p.says("Known the site of an exchange 1 A list knows it", "known[.]example 3 Known")
	var kept []string
	for _, n := range p.all("input") {
		if attr(n, "name") == rowField {
			kept = append(kept, attr(n, "value"))
		}
	}
	want(t, "the list, in its own spelling", typedRows(kept)+"\n", list)
	p = v.post("/bulk", fields{bulkField: "one.example"})
	p.says("You have looked up all of them today, so the table is free.", "Charged nothing")
	want(t, "an offer of nothing", strings.Contains(p.html, "look up: 0"), false)
}

// TestASubjectOnManyLinesIsChargedOnce: fifty-one lines of it are one call.
func TestASubjectOnManyLinesIsChargedOnce(t *testing.T) {
	s := start(t)
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	v.post("/bulk", fields{bulkField: strings.Repeat("one.example\n", perCall+1), "do": "screen"}).
		says(fmt.Sprintf("%d lines looked up", perCall+1))
	want(t, "used", s.me(key).FreeCalls.Used, 1)
}
