package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestTablesFormsAndAccountsAreTheSameWordByWord compares what pages that answer a form say, and where they lead, with
// testdata/tables.txt.
func TestTablesFormsAndAccountsAreTheSameWordByWord(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.NetworkCalls = 30 })
	ids := s.town()
	tr := newTranscript()
	v := s.visitor()
	const spanish = "Accept-Language: es"
	get := func(path string, headers ...string) {
		t.Helper()
		tr.add(strings.Join(append([]string{path}, headers...), ", "), v.get(path, headers...), false)
	}
	post := func(path string, form fields, headers ...string) *response {
		t.Helper()
		p := v.post(path, form, headers...)
		about := fmt.Sprintf("POST %s %q", path, tocsin.Shorten(fmt.Sprint(form), 200))
		tr.add(strings.Join(append([]string{about}, headers...), ", "), p, false)
		return p
	}
	for _, path := range []string{"/help", "/help?country=GB", "/help?country=DE", "/bulk",
		"/bulk?subjects=a.example%0A0x12", "/report", "/report?subject=evil.example&handle=telegram:lena_1&typed=Lena+Gold"} {
		get(path)
	}
	get("/bulk", spanish)
	list := "who;site;note\nA;evil.example;\nB;fine.example;see " + thief + "\nC;gone.example;x\nD;unknown.example;y\n" +
		"E;0x12;z\nF;" + nobody + ";\nG;evil.example;again\nH;a@evil.example;\nI;" + thief + ";\n"
	p := post("/bulk", fields{bulkField: list})
	shown := p.sent()
	post("/bulk", fields{bulkField: list}, spanish)
	post("/bulk", shown.with(fields{"do": "screen"}))
	post("/bulk", shown.with(fields{"do": "csv"}))
	post("/bulk", shown.with(fields{"do": "csv"}), spanish) // which is in English all the same
	post("/bulk", shown.with(fields{"do": "edit"}))
	post("/bulk", shown.with(fields{"do": "screen"}), spanish)
	post("/bulk", shown.with(fields{shownField: "false 0", "do": "screen"}))
	post("/bulk", fields{bulkField: exchange + "\n" + imitator + "\n" + nobody[:41], keyField: "toc_wrong"})
	for _, text := range []string{"", "0x12\n0x123", "PK\x03\x04"} {
		post("/bulk", fields{bulkField: text})
	}
	for _, form := range []fields{
		{}, aForm.with(fields{titleField: "", amountField: "1.234", dateField: "x", thingsField: "0x12\n0x13\n@lena"}),
		aForm.with(fields{storyField: "", currencyField: "much money", thingsField: hashOf(1)[2:]}),
	} {
		post("/report", form.with(fields{onceField: "0123456789abcdef"}))
	}
	hash := regexp.MustCompile(`[0-9a-f]{64}`)
	for _, path := range []string{"/case", "/case.json"} {
		p := v.get("/reports/" + ids[0] + path)
		if path == "/case.json" {
			p.html = hash.ReplaceAllString(p.html, "…")
			tr.add(path, p, false)
			continue
		}
		tr.text("=== " + path + "\n" + hash.ReplaceAllString(outlineOf(p.all("main")...), "…"))
	}
	v.get("/docs/keys").says("All keys of one network together have 30 free calls a day.")
	account := tocsintest.NewAccount(t)
	key := v.signIn(account).key()
	s.file(draft{"reportedDomains": []string{"own.example"}, "title": "My own"}, "x-api-key: "+key)
	get("/account")
	get("/account", spanish)
	get("/bulk")
	for _, form := range []fields{{"do": "replace"}, {"do": "revoke"}} {
		form["key"] = key[:12]
		tr.add("POST /account "+form["do"], v.post("/account", form), false)
		tr.add("POST /account "+form["do"]+", "+spanish, v.post("/account", form, spanish), false)
	}
	tr.add("replaced", v.post("/account", fields{"do": "replace", "key": key[:12], "confirm": "yes"}), false)
	post("/account", fields{"do": "signout"})
	post("/account", fields{"do": "signout"})
	text := regexp.MustCompile(`(toc_|name=once value=)[\w-]+`).ReplaceAllString(tr.String(), "$1…")
	tocsintest.Golden(t, "testdata/tables.txt", strings.ReplaceAll(text, account.Address.String(), "0xaccount"))
}
