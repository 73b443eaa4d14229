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
	"tocsin/internal/tocsintest"
)

// TestOnlyALinkThatCanHarmNobodyIsOne holds which pages that back a report are
// linked: none on a site that is reported here, none on one against which
// anything is on record, and none of which it is not clear where they lead.
func TestOnlyALinkThatCanHarmNobodyIsOne(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "listed.example")
	s.file(draft{"reportedDomains": []string{"growing-gold.example"}})
	const here, record, unclear, linked = "Its site is reported here, so it is no link.", "There is something on record against this site, so it is no link.", "It is not clear where it leads, so it is no link.", ""
	const shared = "Anybody can have a page there, so it is no link."
	links := []struct{ url, why string }{
		{"https://named.example/claim", here}, {"https://www.named.example/a?b=https://fine.example", here}, {"https://deep.under.named.example", here}, {"http://NAMED.example:8080/", here}, {"https://named.example./x", here},
		{"https://аррӏе.example/claim", here}, {"https://sub.xn--80ak6aa92e.example/x", here}, {"https://XN--80AK6AA92E.example", here}, {"https://user.pages.dev/mine", here}, {"https://mail.named-below.example", here}, {"https://named-below.example/", here}, {"https://sub.www2.named-below.example", here},
		{"https://growing-gold.example/other", record}, {"https://mail.growing-gold.example", record}, {"http://listed.example", record}, {"https://a.b.listed.example/x?y#z", record},
		{"https://fine.example@named.example/", unclear}, {"https://user@fine.example/", unclear}, {"https://user:word@fine.example/", unclear}, {"http://192.0.2.1/x", unclear}, {"http://[2001:db8::1]/x", unclear},
		{"http://localhost/x", unclear}, {"http://3221225985/", unclear}, {"https://ｎａｍｅｄ.example/", here},
		{"https://fine.example/?next=https://named.example", linked}, {"https://notnamed.example/", linked}, {"https://named.example.fine.example/", linked}, {"http://fine.example/plain", linked},
		{"https://etherscan.io/tx/" + aHash, linked}, {"https://other.pages.dev/", linked}, {"https://pages.dev/", shared}, {"https://t.me/thief", shared}, {"https://bit.ly/x", shared}, {"https://bücher.example/", linked},
	}
	for _, link := range links { // each by itself, so that none hides behind another
		status, told := s.call(http.MethodPost, "/community-reports", draft{"crimeType": "phishing", "title": "One link", "description": "Text of " + link.url,
			"reportedDomains": []string{"аррӏе.example", "named.example", "user.pages.dev", "www2.named-below.example"}, "evidence": draft{"urls": []string{link.url}}})
		if status == http.StatusBadRequest {
			t.Errorf("%s cannot be filed, so it needs no test", link.url)
			continue
		}
		p := s.visitor().get("/reports/" + told.ID)
		section := p.class("evidence")[0]
		items := below(section, "li")
		anchors := below(section, "a")
		want(t, link.url, len(items), 1)
		small := textOf(below(items[0], "small")[0])
		stored := told.Evidence.URLs[0]
		if link.why == linked {
			if len(anchors) != 1 || attr(anchors[0], "href") != stored && !strings.Contains(stored, "ü") || attr(anchors[0], "rel") != "nofollow ugc noreferrer" || small == "" || strings.Contains(small, "no link") {
				t.Errorf("%s is no link: %s", link.url, textOf(items[0]))
			}
			continue
		}
		if shown := textOf(below(items[0], "code")[0]); len(anchors) > 0 || small != link.why || !strings.HasPrefix(shown, "hxxp") {
			t.Errorf("%s is shown as %q, %d links, because %q, and not because %q", link.url, shown, len(anchors), small, link.why)
		}
		for _, to := range p.links() { // nowhere else on the page either
			if u, err := url.Parse(to); err != nil || u.Host != "" {
				t.Errorf("%s: the page links to %s", link.url, to)
			}
		}
	}
}

// TestALinkIsReadAsBrowsersDo tries what cannot be filed any more, and might stand
// in a database of before.
func TestALinkIsReadAsBrowsersDo(t *testing.T) {
	s := start(t)
	for _, link := range []string{"https:/fine.example/x", "https:///fine.example/x", `https://fine.example\@named.example`, "https://fine.example:0x50/", "javascript://fine.example/%0aalert(1)", "//fine.example/x", "fine.example/x", "", "https://", "ftp://fine.example/"} {
		list, err := s.site.evidenceLinks(t.Context(), []string{link}, nil)
		if err != nil || list[0].Reason != "It is not clear where it leads, so it is no link." {
			t.Errorf("%q: %+v, %v", link, list, err)
		}
	}
}

// TestHarmfulTextIsText shows it on every page that shows what a stranger wrote,
// or typed, and reads it there as text. The harness finds what would run.
func TestHarmfulTextIsText(t *testing.T) {
	s := start(t)
	a := tocsintest.NewAccount(t)
	key := "x-api-key: " + s.key(a.Address, harmful[1], nil)
	whole := hostile()
	one := s.file(whole, key)
	s.file(draft{"title": "A second voice", "reportedDomains": []string{"hostile.example"}}, "x-api-key: "+s.key(tocsintest.NewAccount(t).Address, "Second", nil))
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "hostile.example")
	im, err := s.db.Import(t.Context(), tocsin.List{Name: "ofac", Family: "ofac", URL: "https://lists.example/?a=\"'<b>"})
	if err != nil {
		t.Fatal(err)
	}
	subject, _ := tocsin.ParseSubject("hostile.example")
	if err := im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Sanction, Subject: subject, Name: harmful[0], Program: harmful[1], URL: `https://lists.example/?a="'<b>`}}); err == nil {
		if _, err := im.Finish(t.Context(), true, nil); err != nil {
			t.Fatal(err)
		}
	}
	s.Sleep(time.Hour)
	v := s.visitor()
	v.signIn(a)
	title := whole["title"].(string)
	elements := map[string]int{} // of the same page without it
	for _, path := range []string{"/", "/reports", "/reports/" + one.ID, "/screen/hostile.example", "/account", "/leaderboard", "/report"} {
		p := v.get(path)
		elements[path] = len(p.all("*"))
		words := title
		switch path {
		case "/leaderboard", "/report":
			words = harmful[1]
		}
		if !strings.Contains(verbatim(p.all("main")...), words) {
			t.Errorf("%s does not show %q: %s", path, words, p.main())
		}
	}
	for path, fields := range map[string][]string{
		"/reports/" + one.ID: {title, harmful[1], harmful[2], harmful[0], harmful[3], "javascript:alert(1)", "https://evidence.example/#javascript:alert(1)"},
	} {
		p := v.get(path)
		shown := verbatim(p.all("main")...)
		for _, field := range append(fields, harmful...) {
			if !strings.Contains(shown, strings.TrimSpace(field)) {
				t.Errorf("%s does not show %q", path, field)
			}
		}
		want(t, "the title", p.title(), strings.Join(strings.Fields(title), " ")+" – Tocsin")
		want(t, "the h1", verbatim(p.all("h1")...), title)
		for _, n := range below(p.all("main")[0], "script", "base", "style", "form", "img") {
			if n.Data != "form" || !strings.HasPrefix(attr(n, "action"), "/reports/") {
				t.Errorf("%s: <%s>", path, n.Data)
			}
		}
	}
	for _, text := range harmful {
		for path, field := range map[string]string{"/reports?q=" + url.QueryEscape(text): "rq", "/screen?q=" + url.QueryEscape(text): "q"} {
			p := v.get(path)
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
		for _, b := range newForm(nil).Fields {
			form[b.Name] = text
		}
		p := v.post("/report", form)
		want(t, "the form", p.status, 422)
		for _, b := range newForm(nil).Fields {
			if b.Name != crimeField {
				want(t, b.Name, strings.TrimSpace(p.value(b.Name)), strings.TrimSpace(text))
			}
		}
		p = s.visitor().post("/account", fields{"address": text})
		want(t, "by hand", strings.TrimSpace(attr(p.id("address"), "value")), strings.TrimSpace(text))
		message := text + "\n" + nobody + "\n" + text
		p = s.visitor().post("/account/sign-in", fields{"by": "hand", "message": message, "signature": text})
		want(t, "what was signed", []any{strings.TrimSpace(verbatim(p.id("message"))), verbatim(p.id("signature"))}, []any{strings.TrimSpace(message), strings.TrimSpace(text)})
		p = v.post("/reports/"+one.ID+"/withdraw", fields{"token": text})
		want(t, "a token", []any{p.status, attr(p.id("token"), "value")}, []any{403, ""})
	}
	p := v.get("/reports?q=" + url.QueryEscape("script"))
	if marks := p.all("mark"); len(marks) == 0 || verbatim(marks[0]) != "script" {
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
	if !strings.HasPrefix(facts, "Happened 28 Feb 2026, 23:59 UTC Lost about 1,000,000,000,000 USD, in ETH Project Growing Gold Filed ") || !strings.HasSuffix(facts, "By anonymous") {
		t.Error(facts)
	}
	paragraphs := below(p.class("prose")[0], "p")
	want(t, "paragraphs", []any{len(paragraphs), verbatim(paragraphs[2])}, []any{3, "  - one\n  - two"})
	var named []string
	for _, n := range below(p.all("tbody")[0], "a") {
		named = append(named, attr(n, "href")+" "+verbatim(n))
	}
	want(t, "subjects", named, []string{"/screen/" + nobody + " " + nobody, "/screen/" + other + " " + other, "/screen/everything.example everything[.]example", "/screen/everything-else.example everything-else[.]example"})
	evidence := textOf(p.class("evidence")[0])
	for _, shown := range []string{"https://evidence.example/thread?id=1&page=2#last evidence.example", "hxxps://everything-else[.]example/claim Its site is reported here, so it is no link.", aHash, "WhatsApp +1 555 0100", "Telegram @growing_gold", "Facebook growing.gold", "Elsewhere https://handle.example/gold"} {
		if !strings.Contains(evidence, shown) {
			t.Errorf("the evidence does not show %q: %s", shown, evidence)
		}
	}
	want(t, "report the same", slices.Contains(p.links(), "/report?subject="+nobody), true)
	p.says("Someone will offer to get your money back.", "Is this your report?")
	for _, n := range p.all("meta") {
		if attr(n, "name") == "description" {
			want(t, "in short", attr(n, "content"), "Investment scam, 28 Feb 2026, 23:59 UTC, about 1,000,000,000,000 USD. Names 0x5aAeb605…1BeAed and 3 more.")
		}
	}
}

func TestAmountsAndDaysAreSaidInWords(t *testing.T) {
	s := start(t)
	for n, c := range []struct {
		draft draft
		said  string
	}{
		{draft{}, ""}, {draft{"amountLost": 0}, "Lost nothing"}, {draft{"amountLost": 12.5}, "Lost about 12.50 USD"}, {draft{"currency": "ETH"}, "Lost not told how much, in ETH"},
		{draft{"amountLost": 1250.4, "currency": "USD", "incidentDate": "2026-01-31"}, "Happened 31 January 2026 Lost about 1,250 USD"},
	} {
		c.draft["reportedDomains"] = []string{fmt.Sprintf("amount-%d.example", n)}
		p := s.visitor().get("/reports/" + s.file(c.draft).ID)
		if facts := textOf(p.class("facts")[0]); !strings.HasPrefix(facts, strings.TrimSpace(c.said+" Filed")) {
			t.Errorf("%v: %s", c.draft, facts)
		}
	}
}

func TestOfAReportThatNamesManyFiveAreJudged(t *testing.T) {
	s := start(t)
	many := manyNamed()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", many["scammerAddresses"].([]string)...)
	p := s.visitor().get("/reports/" + s.file(many).ID)
	table := p.all("tbody")[0]
	want(t, "judged", []any{len(below(table, "tr")), strings.Count(textOf(table), "High")}, []any{5, 5})
	p.says("125 more")
	want(t, "the others are links", []any{len(below(p.class("more")[0], "a")), len(p.class("level"))}, []any{125, 5})
}

func TestAReportIsThereGoneOrUnknown(t *testing.T) {
	s := start(t)
	v := s.visitor()
	one := s.file(draft{"reportedDomains": []string{"one.example"}})
	at := "/reports/" + one.ID
	want(t, "there", v.get(at).status, 200)
	for _, token := range []string{"", "man_wrong", "man_" + strings.Repeat("a", 38), one.ManageToken[:41], s.file(draft{"reportedDomains": []string{"two.example"}}).ManageToken} {
		p := v.post(at+"/withdraw", fields{"token": token})
		want(t, token, []any{p.status, strings.HasPrefix(p.title(), "Not withdrawn – "), has(p.class("noprint")[len(p.class("noprint"))-1], "open")}, []any{403, true, true})
		want(t, token, []any{attr(p.id("token"), "aria-invalid"), attr(p.id("token"), "value"), strings.Contains(textOf(p.id("token-e")), "not the token of this report")}, []any{"true", "", true})
		if token != "" && strings.Contains(p.html, token) {
			t.Error("what was typed is shown")
		}
	}
	want(t, "still there", v.get(at).status, 200)
	p := v.post(at+"/withdraw", fields{"token": "  " + one.ManageToken + "\n"})
	want(t, "withdrawn", []any{p.status, p.h1()}, []any{200, "Your report is withdrawn"})
	p = v.get(at)
	want(t, "gone", []any{p.status, p.h1(), strings.Contains(p.html, one.Title)}, []any{410, "This report was withdrawn", false})
	want(t, "not in the list", strings.Contains(v.get("/reports").html, one.ID), false)
	want(t, "sent twice", v.post(at+"/withdraw", fields{"token": one.ManageToken}).status, 200)
	back := v.get(at + "/withdraw")
	want(t, "come back to", []any{back.status, back.header.Get("Location")}, []any{303, at})
	want(t, "of a report that never was", v.post("/reports/rep_nowhere/withdraw", fields{"token": "x"}).status, 404)

	hidden := s.file(draft{"reportedDomains": []string{"hidden.example"}})
	if err := s.db.Hide(t.Context(), hidden.ID); err != nil {
		t.Fatal(err)
	}
	want(t, "hidden by the operator", v.get("/reports/"+hidden.ID).status, 404)
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

// entriesOf are the titles on a page, with their links.
func entriesOf(p *got) (titles, ids []string) {
	for _, n := range p.class("entry") {
		a := below(n, "a")[0]
		titles, ids = append(titles, verbatim(a)), append(ids, attr(a, "href"))
	}
	return titles, ids
}

func linkOf(t *testing.T, p *got, words string) string {
	t.Helper()
	for _, n := range below(p.all("main")[0], "a") {
		if strings.Contains(textOf(n), words) {
			return attr(n, "href")
		}
	}
	t.Fatalf("no link says %q: %s", words, p)
	return ""
}

func everyReportIsOnOnePage(t *testing.T, s *service, _ map[string]int) {
	v := s.visitor()
	seen := map[string]bool{}
	path, pages := "/reports", 0
	for path != "" {
		p := v.get(path)
		titles, ids := entriesOf(p)
		if pages++; len(ids) == 0 || len(ids) > perPage || titles[0] == "" {
			t.Fatal(p)
		}
		for _, id := range ids {
			if seen[id] {
				t.Errorf("%s is there twice", id)
			}
			seen[id] = true
		}
		if pages > 1 {
			want(t, "back", linkOf(t, p, "To the newest"), "/reports")
		}
		path = ""
		if strings.Contains(p.main(), "Older reports") {
			path = linkOf(t, p, "Older reports")
		}
	}
	st, err := s.db.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, "reports", []int{len(seen), pages}, []int{st.Reports, (st.Reports + perPage - 1) / perPage})

	kinds := v.get("/reports")
	sum, all := 0, 0
	for i, n := range below(kinds.class("types")[0], "a") {
		count := 0
		fmt.Sscan(strings.ReplaceAll(textOf(below(n, "span")...), ",", ""), &count)
		if i == 0 {
			all = count
			continue
		}
		sum += count
		p := v.get(attr(n, "href"))
		for _, tag := range p.class("tag") {
			want(t, "the kind", textOf(n), fmt.Sprintf("%s %d", textOf(tag), count))
		}
		if count <= perPage {
			want(t, "of a kind", len(p.class("entry")), count)
		}
	}
	want(t, "the kinds add up", []int{sum, all}, []int{st.Reports, st.Reports})
}

func aSearchMarksWhatItFound(t *testing.T, s *service, _ map[string]int) {
	v := s.visitor()
	p := v.get("/reports?crimeType=phishing&q=" + url.QueryEscape(`"took an" APPROV* filler`))
	want(t, "what was typed", attr(p.id("rq"), "value"), `"took an" APPROV* filler`)
	p.says(`5 phishing reports contain “"took an" APPROV* filler”, best match first.`)
	var marks []string
	for _, n := range below(p.class("entry")[0], "mark") {
		marks = append(marks, verbatim(n))
	}
	want(t, "marks", marks, []string{"Filler", "took an", "approval"})
	want(t, "clear", linkOf(t, p, "Clear the search"), "/reports?crimeType=phishing")
	want(t, "another kind", linkOf(t, p, "Rug pull"), "/reports?crimeType=rug_pull&q="+url.QueryEscape(`"took an" APPROV* filler`))

	p = v.get("/reports?q=filler")
	p.says("30 reports contain “filler”")
	p = v.get(linkOf(t, p, "More results"))
	want(t, "the rest", []any{len(p.class("entry")), linkOf(t, p, "To the best matches")}, []any{10, "/reports?q=filler"})

	p = v.get("/reports?q=" + url.QueryEscape(`"display none" elsewhere`))
	story := below(p.class("entry")[0], "p")[0]
	if !strings.HasPrefix(textOf(story), "… ") || len(below(story, "mark")) != 3 {
		t.Errorf("what stands further down: %s", textOf(story))
	}
	for q, about := range map[string]string{"growing-gold.example": "growing-gold.example", strings.ToLower(nobody): nobody} {
		want(t, "who searches for a subject", linkOf(t, v.get("/reports?q="+q), "Look it up"), "/screen/"+about)
	}
	for q, said := range map[string]string{"ab*": "would match too many words", "!?": "There is no word in it.", strings.Repeat("w ", 13): "13 words, 12 are allowed", strings.Repeat("x", 401): "401 characters"} {
		p := v.get("/reports?q=" + url.QueryEscape(q))
		field := p.id("rq")
		want(t, q, []any{p.status, attr(field, "value"), attr(field, "aria-invalid"), attr(field, "aria-describedby"), len(p.class("entry"))}, []any{400, strings.TrimSpace(q), "true", "rq-e rq-h", 0})
		if why := textOf(p.id("rq-e")); !strings.Contains(why, said) {
			t.Errorf("%s: %s", q, why)
		}
	}
	for _, path := range []string{"/reports?crimeType=nonsense", "/reports?cursor=nonsense", "/reports?q=filler&cursor=AQ"} {
		p := v.get(path)
		want(t, path, p.status, 400)
		for _, word := range []string{"nextCursor", "crimeType", "pig_butchering"} {
			if strings.Contains(p.main(), word) {
				t.Errorf("%s tells people of %s", path, word)
			}
		}
	}
	p = v.get("/reports?q=nothinglikethis&crimeType=hack")
	p.says("No hack report contains “nothinglikethis”")
	v.get(linkOf(t, p, "Search in all kinds")).says("No report contains “nothinglikethis”")
}

func TestAnEmptyServiceSaysSo(t *testing.T) {
	v := start(t).visitor()
	v.get("/reports").says("Nobody has filed a report here yet")
	v.get("/").says("Nobody has filed one here yet.", "never")
	v.get("/leaderboard").says("Nobody yet")
}
