package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestHarmfulTextIsText shows it on every page that shows what a visitor wrote,
// or typed, and reads it there as text. The harness finds what would run.
func TestHarmfulTextIsText(t *testing.T) {
	s := start(t)
	a := tocsintest.NewAccount(t)
	key := "x-api-key: " + s.key(a.Address, harmful[1], nil)
	whole := hostile()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "another.example")
	one := s.file(whole, key)
	s.Sleep(time.Minute)
	s.file(draft{"title": "A second voice", "reportedDomains": []string{"hostile.example"}},
		"x-api-key: "+s.key(tocsintest.NewAccount(t).Address, "Second", nil))
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "hostile.example")
	im, err := s.db.Import(t.Context(), tocsin.List{Name: "ofac", Family: "ofac", URL: "https://lists.example/?a=\"'<b>"})
	if err != nil {
		t.Fatal(err)
	}
	subject, _ := tocsin.ParseSubject("hostile.example")
	if err := im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Sanction, Subject: subject, Name: harmful[0],
		Program: harmful[1], URL: `https://lists.example/?a="'<b>`}}); err == nil {
		if _, err := im.Finish(t.Context(), true, nil); err != nil {
			t.Fatal(err)
		}
	}
	s.Sleep(time.Hour)
	v := s.visitor()
	v.signIn(a)
	title := whole["title"].(string)
	elements := map[string]int{} // of the same page without it
	for _, path := range []string{"/", "/reports", "/reports/" + one.ID, "/screen/hostile.example", "/account",
		"/leaderboard", "/report"} {
		p := v.get(path)
		elements[path] = len(p.all("*"))
		words := title
		switch path {
		case "/leaderboard", "/report":
			words = harmful[1]
		}
		if !strings.Contains(rawText(p.all("main")...), words) {
			t.Errorf("%s does not show %q: %s", path, words, p.main())
		}
	}
	for path, fields := range map[string][]string{
		"/reports/" + one.ID: {title, harmful[1], harmful[2], harmful[0], harmful[3], "javascript:alert(1)",
			"hxxps://evidence[.]example/#javascript:alert(1)"},
	} {
		p := v.get(path)
		shown := rawText(p.all("main")...)
		for _, field := range append(fields, harmful...) {
			if !strings.Contains(shown, strings.TrimSpace(field)) {
				t.Errorf("%s does not show %q", path, field)
			}
		}
		want(t, "the title", p.title(), strings.Join(strings.Fields(title), " ")+" – Tocsin")
		want(t, "the h1", rawText(p.all("h1")...), title)
		for _, n := range below(p.all("main")[0], "script", "base", "style", "form", "img") {
			if n.Data != "form" || !strings.HasPrefix(attr(n, "action"), "/reports/") {
				t.Errorf("%s: <%s>", path, n.Data)
			}
		}
	}
	for _, text := range harmful {
		for path, field := range map[string]string{"/reports?q=" + url.QueryEscape(text): "rq", "/screen?q=" +
			url.QueryEscape(text): "q"} {
			p := v.get(path)
			if at := p.header.Get("Location"); strings.HasPrefix(at, "/reports?") { // words are searched for
				p, field = v.get(at), "rq"
			}
			if p.status == http.StatusNotFound || p.status == http.StatusSeeOther {
				t.Error(p.about)
				continue
			}
			want(t, p.about, strings.TrimSpace(attr(p.id(field), "value")), strings.TrimSpace(text))
		}
		for _, crime := range []string{text, "phishing"} {
			p := v.get("/reports?" + url.Values{"crimeType": {crime}, "q": {text}, "cursor": {text}}.Encode())
			want(t, "nonsense", p.status, 400)
		}
		form := fields{}
		for _, field := range newForm(english(), nil).Fields {
			form[field.Name] = text
		}
		p := v.post("/report", form)
		want(t, "the form", p.status, 422)
		for _, field := range newForm(english(), nil).Fields {
			if !slices.Contains(choices, field.Name) {
				want(t, field.Name, strings.TrimSpace(p.value(field.Name)), strings.TrimSpace(text))
			}
		}
		p = s.visitor().post("/account", fields{"address": text})
		want(t, "by hand", strings.TrimSpace(attr(p.id("address"), "value")), strings.TrimSpace(text))
		message := text + "\n" + nobody + "\n" + text
		p = s.visitor().post("/account/sign-in", fields{"by": "hand", "message": message, "signature": text})
		want(t, "what was signed", []any{strings.TrimSpace(rawText(p.id("message"))), rawText(p.id("signature"))},
			[]any{strings.TrimSpace(message), strings.TrimSpace(text)})
		p = v.post("/reports/"+one.ID+"/withdraw", fields{"token": text})
		want(t, "a token", []any{p.status, attr(p.id("token"), "value")}, []any{403, ""})
	}
	p := v.get("/reports?q=" + url.QueryEscape("script"))
	if marks := p.all("mark"); len(marks) == 0 || rawText(marks[0]) != "script" {
		t.Errorf("what was sought is not marked: %s", p)
	}
	p = v.get("/reports?q=" + url.QueryEscape("\u202Efiller\u0007"))
	if strings.ContainsAny(p.html, "\u202E\u0007") {
		t.Error("what cannot be seen is on the page")
	}
}

func TestAReportWithEverything(t *testing.T) {
	s := start(t)
	one := s.file(everything())
	p := s.visitor().get("/reports/" + one.ID)
	want(t, "the title", p.h1(), "Everything that a report can hold")
	facts := textOf(p.class("facts")[0])
	if !strings.HasPrefix(facts,
		"Happened 28 Feb 2026, 23:59 UTC Lost about 999,999,999,999.99 USD, in ETH Project Growing Gold Filed ") ||
		!strings.HasSuffix(facts, "By anonymous") {
		t.Error(facts)
	}
	paragraphs := below(p.class("prose")[0], "p")
	want(t, "paragraphs", []any{len(paragraphs), rawText(paragraphs[2])}, []any{3, "  - one\n  - two"})
	var named []string
	for _, n := range below(p.all("tbody")[0], "th") {
		n = below(n, "a")[0]
		named = append(named, attr(n, "href")+" "+rawText(n))
	}
	want(t, "subjects", named, []string{"/screen/" + nobody + " " + nobody, "/screen/" + other + " " + other,
		"/screen/everything.example everything[.]example", "/screen/everything-else.example everything-else[.]example"})
	evidence := textOf(p.class("evidence")[0])
	for _, shown := range []string{"hxxps://evidence[.]example/thread?id=1&page=2#last We do not vouch for this site",
		"hxxps://everything-else[.]example/claim Its site is reported here, so it is no link.", aHash,
		"WhatsApp +1 555 0100", "Telegram @growing_gold", "Facebook growing.gold", "Elsewhere https://handle.example/gold"} {
		if !strings.Contains(evidence, shown) {
			t.Errorf("the evidence does not show %q: %s", shown, evidence)
		}
	}
	want(t, "report the same", slices.Contains(p.links(), "/report?same="+one.ID), true)
	p.says("Someone offers to get your money back?", "Is this your report?")
	for _, n := range p.all("meta") {
		if attr(n, "name") == "description" {
			want(t, "in short", attr(n, "content"),
				"Investment scam, 28 Feb 2026, 23:59 UTC, about 1,000,000,000,000 USD. It names 0x5aAeb605…1BeAed and 3 more.")
		}
	}
}

func TestAmountsAndDaysAreSaidInWords(t *testing.T) {
	s := start(t)
	for n, c := range []struct {
		draft draft
		said  string
	}{
		{draft{}, ""}, {draft{"amountLost": 0}, "Lost nothing"}, {draft{"amountLost": 12.5}, "Lost about 12.50 USD"},
		{draft{"currency": "ETH"}, "Lost an unknown amount, in ETH"},
		{draft{"currency": "EUR", "description": "Gone.\n\nAmount lost: 5.000 Euro"}, "Lost 5.000 Euro"},
		{draft{"currency": "EUR", "description": "Ya no.\n\nImporte perdido: 5.000 Euro"}, "Lost 5.000 Euro"},
		{draft{"currency": "EUR", "description": "没了。\n\n损失金额：5.000 Euro"}, "Lost 5.000 Euro"},
		{draft{"currency": "EUR", "description": "Gone.\n\nPromised: 5.000 Euro"}, "Lost an unknown amount, in EUR"},
		{draft{"currency": "GBP", "description": "Gone.\n\nAmount lost: 5.000 Euro"}, "Lost an unknown amount, in GBP"},
		{draft{"currency": "EUR", "description": "Gone.\n\nAmount lost: 1" + strings.Repeat(" k", 22)},
			"Lost an unknown amount, in EUR"},
		{draft{"amountLost": 1250.4, "currency": "USD", "incidentDate": "2026-01-31"},
			"Happened 31 January 2026 Lost about 1,250.40 USD"},
	} {
		c.draft["reportedDomains"] = []string{fmt.Sprintf("amount-%d.example", n)}
		p := s.visitor().get("/reports/" + s.file(c.draft).ID)
		if facts := textOf(p.class("facts")[0]); !strings.HasPrefix(facts, strings.TrimSpace(c.said+" Filed")) {
			t.Errorf("%v: %s", c.draft, facts)
		}
		if n := strings.Count(p.main(), "5.000 Euro"); n > 1 {
			t.Errorf("%v: the amount is there %d times", c.draft, n)
		}
	}
}

func TestOfAReportThatNamesManyFiveAreJudged(t *testing.T) {
	s := start(t)
	many := manyNamed()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", many["scammerAddresses"].([]string)...)
	v := s.visitor()
	for _, address := range many["scammerAddresses"].([]string)[:10] {
		v.get("/screen/" + address)
	}
	id := s.file(many).ID
	want(t, "in the case file", strings.Count(v.get("/reports/"+id+"/case.json").html, `"screening": {`), 5)
	p := v.get("/reports/" + id)
	table := p.all("tbody")[0]
	want(t, "judged", []any{len(below(table, "tr")), strings.Count(textOf(table), "High")}, []any{5, 5})
	p.says("125 more")
	for _, n := range p.all("meta") {
		if attr(n, "name") == "description" {
			want(t, "in short", attr(n, "content"), "Money laundering. It names 0x00000000…001000 and 129 more.")
		}
	}
	want(t, "the others are links", []any{len(below(p.class("more")[0], "a")), len(p.class("level"))}, []any{125, 5})
}

func TestAReportIsThereGoneOrUnknown(t *testing.T) {
	s := start(t)
	v := s.visitor()
	one := s.file(draft{"reportedDomains": []string{"one.example"}})
	at := "/reports/" + one.ID
	want(t, "there", v.get(at).status, 200)
	for _, token := range []string{"", "man_wrong", "man_" + strings.Repeat("a", 38), one.ManageToken[:41],
		s.file(draft{"reportedDomains": []string{"two.example"}}).ManageToken} {
		p := v.post(at+"/withdraw", fields{"token": token})
		want(t, token, []any{p.status, strings.HasPrefix(p.title(), "Nothing was changed – "),
			has(p.class("noprint")[len(p.class("noprint"))-1], "open")}, []any{403, true, true})
		want(t, token, []any{attr(p.id("token"), "aria-invalid"), attr(p.id("token"), "value"),
			strings.Contains(textOf(p.id("token-e")), "not the code of this report")}, []any{"true", "", true})
		top := p.id("errors")
		want(t, token+", at the top", []any{textOf(below(top, "h2")[0]), attr(below(top, "a")[0], "href"),
			strings.Index(p.html, `id="errors"`) < strings.Index(p.html, "<h1"), has(top, "autofocus")},
			[]any{"Nothing was changed: that is not the code of this report.", "#token", true, true})
		if token != "" && strings.Contains(p.html, token) {
			t.Error("what was typed is shown")
		}
	}
	want(t, "still there", v.get(at).status, 200)
	first := v.get(at).id("token").Parent.Parent
	want(t, "Enter corrects", []any{attr(first, "action"), textOf(below(first, "button")[0]),
		attr(below(first, "button")[0], "formaction")}, []any{at + "/correct#main", "Correct this report", ""})
	asked := v.post(at+"/withdraw", fields{"token": "  " + one.ManageToken + "\n"})
	want(t, "asked once more", []any{asked.status, asked.h1(), v.get(at).status, asked.header.Get("Cache-Control")},
		[]any{200, "Withdraw for good?", 200, "no-store"})
	asked.says("Its case file goes too. Save it first.")
	p := v.post(at+"/withdraw", asked.sent().with(fields{sureField: "yes"}))
	want(t, "withdrawn", []any{p.status, p.h1()}, []any{200, "Your report is withdrawn"})
	p = v.get(at)
	want(t, "gone", []any{p.status, p.h1(), strings.Contains(p.html, one.Title)},
		[]any{410, "This report was withdrawn", false})
	want(t, "not in the list", strings.Contains(v.get("/reports").html, one.ID), false)
	want(t, "sent twice", v.post(at+"/withdraw", fields{"token": one.ManageToken, sureField: "yes"}).status, 200)
	back := v.get(at + "/withdraw")
	want(t, "come back to", []any{back.status, back.header.Get("Location")}, []any{303, at})
	want(t, "of a report that never was", v.post("/reports/rep_nowhere/withdraw", fields{"token": "x"}).status, 404)

	hidden := s.file(draft{"reportedDomains": []string{"hidden.example"}})
	if err := s.db.Hide(t.Context(), store.Operator{}, hidden.ID); err != nil {
		t.Fatal(err)
	}
	day := s.Now().UTC().Format("2 Jan 2006")
	p.says("Its reporter took it back on "+day+".", "It counts in no score any more.", "See what names your address")
	p = v.get("/reports/" + hidden.ID)
	want(t, "hidden by the operator", []any{p.status, p.h1(), strings.Contains(p.html, "hidden.example"),
		strings.Contains(p.html, hidden.Title)}, []any{410, "This report is hidden", false, false})
	p.says("The operator of this service hid it on "+day+".", "It counts in no score any more.")
	for _, at := range []string{"/card.png", "/case", "/case.json"} {
		want(t, at, v.get("/reports/"+hidden.ID+at).status, 410)
	}
	want(t, "asked for by its owner", v.get("/object?subject="+hidden.ID).status, 410)
}

func TestAStoryOfAListNamesItsSource(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	found := below(v.get("/reports?q=ronin").class("entry")[0], "a")
	p := v.get(attr(found[0], "href"))
	facts := textOf(p.class("facts")[0])
	if !strings.Contains(facts, "Published ") || !strings.HasSuffix(facts, "Source Tocsin starter set") {
		t.Error(facts)
	}
	if strings.Contains(p.main(), "Is this your report?") {
		t.Error("a list can withdraw nothing")
	}
}

func TestAnEmptyServiceSaysSo(t *testing.T) {
	v := start(t).visitor()
	v.get("/reports").says("Nobody has filed a report here yet")
	v.get("/").says("Nobody has filed one here yet.", "no public list read yet")
	v.get("/leaderboard").says("Nobody yet")
}
