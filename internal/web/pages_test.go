package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tocsin/internal/tocsintest"
)

const (
	thief  = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96" // of the Ronin bridge: in the starter set
	nobody = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	other  = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
)

// aPhrase is a recovery phrase from the test vectors of BIP-39.
const aPhrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"

// harmful are texts that do harm if a page does not escape them.
var harmful = []string{
	`<script>alert("script")</script>`, `<img src=x onerror=alert("image")>`, `"><svg onload=alert("svg")>`,
	`' onmouseover='alert("quote")`,
	`</title></textarea></script><script>alert("ends")</script>`, `{{.}} {{printf "%s" "template"}} ${alert("js")}`,
	`<a href="javascript:alert('link')">link</a>`,
	`<!-- `, `]]>`, `&lt;b&gt; &amp;amp;`,
	`<base href=//elsewhere.example><form action=//elsewhere.example><style>*{display:none}</style>`,
}

const story1 = "A new friend wrote to me, week after week, and then showed me a trading site where my money grew " +
	"every day. " +
	"When I wanted it back, there was a tax to be paid first, and after the tax a fee. Then nobody answered any more."

// full starts a service with data of every kind, and returns the path and status of every
// page that needs no sign-in.
func full(t *testing.T, change ...func(*setup)) (*service, map[string]int) {
	t.Helper()
	s := start(t, change...)
	s.starter()
	var keys []string
	for _, name := range []string{"night watch", harmful[1], strings.Repeat("N", 100)} {
		keys = append(keys, "x-api-key: "+s.key(tocsintest.NewAccount(t).Address, name, nil))
	}
	kinds := []string{"phishing", "scam", "rug_pull", "address_poison", "ransomware", "other"}
	for n := range 30 {
		s.file(draft{"crimeType": kinds[n%len(kinds)], "title": fmt.Sprintf("Filler %d: a site that took an approval", n),
			"description":      fmt.Sprintf("%s (%d)", story1, n),
			"scammerAddresses": []string{fmt.Sprintf("0x%040d", n+1)}, "reportedDomains": []string{
				fmt.Sprintf("filler-%d.example", n)}}, keys[n%3])
	}
	for _, key := range keys {
		s.file(draft{"title": "The same site took my money too", "reportedDomains": []string{"growing-gold.example"}}, key)
	}
	everything := s.file(everything())
	long := s.file(draft{"title": "Support " + strings.Repeat("Unbreakable", 17),
		"description":        strings.Repeat("w", 400) + "\n" + strings.Repeat(story1, 30),
		"reportedDomains":    []string{strings.Repeat("long-name-", 6) + "of3." + strings.Repeat("under-", 9) + "it.example"},
		"subjectProjectName": strings.Repeat("P", 200), "evidence": draft{"urls": []string{"https://evidence.example/" +
			strings.Repeat("0123456789/", 160)}}})
	many := s.file(manyNamed())
	hostile := s.file(hostile())
	pages := map[string]int{
		"/": 200, "/screen/" + thief: 200, "/screen/" + nobody: 200, "/screen/growing-gold.example": 200,
		"/screen/unknown.example": 200, "/screen/github.io": 200, "/screen?q=0x12": 400, "/screen/0x12": 400,
		"/screen?q=vitalik.eth": 200, "/screen?q=" + hashOf(1): 200, "/reports?q=%40lena&asked=1": 200,
		"/reports": 200, "/reports?q=filler&crimeType=phishing": 200, "/reports?q=nothinglikethis": 200,
		"/reports?q=ab*": 400, "/reports?crimeType=nonsense": 400, "/reports?cursor=nonsense": 400,
		"/reports/" + everything.ID: 200, "/reports/" + everything.ID + "/case": 200, "/reports/" + many.ID + "/case": 200,
		"/reports/" + hostile.ID + "/case": 200, "/reports/" + long.ID: 200, "/reports/" + many.ID: 200, "/reports/" +
			hostile.ID: 200, "/reports/rep_nowhere": 404,
		"/report": 200, "/report?subject=" + nobody: 200, "/help": 200, "/help?country=DE": 200, "/privacy": 200,
		"/account": 200, "/leaderboard": 200, "/status": 200, "/bulk": 200, "/compare": 200,
		"/screen/metamask-login.io": 200, "/object?subject=metamask-login.io": 200,
		"/bulk?subjects=a.example%0Ab.example": 200,
		"/nowhere":                             404, "/docs/nothing": 404, "/theme": 404,
	}
	docs := s.visitor().get("/docs")
	for _, to := range append(docs.links(), "/docs") {
		if strings.HasPrefix(to, "/docs") && !strings.Contains(to, "#") {
			pages[to] = 200
		}
	}
	return s, pages
}

func everything() draft {
	return draft{"crimeType": "investment_scam", "title": "Everything that a report can hold", "description": story1 +
		"\n\n" + story1 + "\n\n  - one\n  - two",
		"scammerAddresses": []string{nobody, other}, "reportedDomains": []string{"everything.example",
			"https://everything-else.example/claim"}, "amountLost": 999_999_999_999.99,
		"currency": "ETH", "incidentDate": "2026-02-28T23:59:59Z", "subjectProjectName": "Growing Gold",
		"socialMedia": draft{"whatsapp": "+1 555 0100", "telegram": "@growing_gold", "facebook": "growing.gold",
			"other": "https://handle.example/gold"},
		"evidence": draft{"urls": []string{"https://evidence.example/thread?id=1&page=2#last",
			"http://evidence.example/plain"}, "transactionHashes": []string{aHash}}}
}

var aHash = "0x" + strings.Repeat("88df0164", 8)

func manyNamed() draft {
	var addresses, sites []string
	for n := range 100 {
		addresses = append(addresses, fmt.Sprintf("0x%040d", n+1000))
	}
	for n := range 30 {
		sites = append(sites, fmt.Sprintf("mirror-%d.example", n))
	}
	return draft{"crimeType": "money_laundering", "title": "A hundred addresses and thirty sites", "description": story1,
		"scammerAddresses": addresses, "reportedDomains": sites}
}

func hostile() draft {
	return draft{"crimeType": "hack", "title": strings.Join(harmful[:4], " "), "description": strings.Join(harmful, "\n"),
		"reportedDomains": []string{"hostile.example"}, "subjectProjectName": harmful[1],
		"socialMedia": draft{"whatsapp": harmful[3], "telegram": harmful[2], "facebook": harmful[0],
			"other": "javascript:alert(1)"},
		"evidence": draft{"urls": []string{"https://evidence.example/?q='onmouseover='alert(1)&amp;lt;",
			"https://evidence.example/#javascript:alert(1)"}}}
}

// TestAFullService runs the tests that need data of every kind, which takes a while to file.
func TestAFullService(t *testing.T) {
	s, pages := full(t)
	for _, fact := range []struct {
		name  string
		holds func(t *testing.T, s *service, pages map[string]int)
	}{
		{"every page is whole, and light", checkEveryPage},
		{"every report is on one page", checkPaging},
		{"a search marks what it found", checkHighlights},
		{"a page says what the API says", aPageSaysWhatTheAPISays},
		{"a site is text", aSiteIsText},
	} {
		t.Run(fact.name, func(t *testing.T) {
			s.run(t)
			fact.holds(t, s, pages)
		})
	}
}

// checkEveryPage visits all pages. The harness checks each response.
func checkEveryPage(t *testing.T, s *service, pages map[string]int) {
	want(t, "pages", len(pages), 70)
	heaviest, at := 0, ""
	for path, status := range pages {
		v := s.visitor()
		p := v.get(path)
		want(t, p.about, []any{p.status, has(p.all("html")[0], "data-theme")}, []any{status, false})
		if total := p.wire + s.assetSize(p); total > heaviest {
			heaviest, at = total, path
		}
		policy := p.header.Get("Content-Security-Policy")
		if wallets := path == "/account"; (policy == pagePolicy+" data:") != wallets ||
			(policy == pagePolicy) == wallets { // whose icons are images of their own
			t.Errorf("%s: %s", path, policy)
		}
		if head := v.do(http.MethodHead, path, nil); path != "/reports?cursor=nonsense" {
			// which costs, and so is not looked at
			want(t, head.about, []any{head.status, head.header.Get("Content-Security-Policy")}, []any{status, policy})
		}
		if strings.HasPrefix(path, "/docs/") {
			continue
		}
		for theme, shown := range map[string]string{"dark": "dark", "light": "light", "purple": "", `"><b>`: ""} {
			p := v.get(path, "accept-encoding: identity", "cookie: theme="+theme)
			want(t, p.about, []any{p.status, p.header.Get("Content-Length"), attr(p.all("html")[0], "data-theme")},
				[]any{status, len(p.html), shown})
		}
	}
	t.Logf("%s is the heaviest: %d bytes", at, heaviest)
	if heaviest >= maxPageSize || heaviest < maxPageSize/4 {
		t.Errorf("%s weighs %d", at, heaviest)
	}
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)) // which is not compressed
	if total := key.wire + s.assetSize(key); total >= maxPageSize {
		t.Errorf("the page of a new key weighs %d", total)
	}
	want(t, "signed in", v.get("/account").header.Get("Content-Security-Policy"), pagePolicy)
}

func TestTheDocumentationIsWholeAndItsLinksLead(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	pages := map[string]*response{}
	for _, to := range v.get("/docs").links() {
		if path, _, _ := strings.Cut(to, "#"); strings.HasPrefix(path, "/docs") && pages[path] == nil {
			pages[path] = v.get(path)
		}
	}
	want(t, "pages", len(pages), 29)
	links := []string{"/docs/risk#false-alarms"}
	for path, p := range pages {
		want(t, p.about, p.status, 200)
		current := ""
		for _, n := range p.class("toc") {
			for _, a := range below(n, "a") {
				if attr(a, "aria-current") == "page" {
					current += attr(a, "href")
				}
			}
		}
		want(t, "the page that is open", current, path)
		for _, to := range p.links() {
			if strings.HasPrefix(to, "#") {
				to = path + to
			}
			links = append(links, to)
		}
	}
	for _, to := range links {
		path, id, _ := strings.Cut(to, "#")
		switch {
		case strings.HasPrefix(to, "https://"):
		case strings.HasSuffix(path, ".atom"): // no page
			want(t, to, s.card(path).Code, 200)
		case pages[path] == nil:
			want(t, to, v.get(path).status, 200)
		case id != "":
			pages[path].id(id)
		}
	}
}

// aForm is a form that can be filed.
var aForm = fields{publishField: "yes", crimeField: "phishing", titleField: "A page took my approval",
	storyField: "I signed once.\n\nThen it was gone.", thingsField: "claim-one.example"}
