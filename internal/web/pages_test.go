package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
)

const (
	thief  = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96" // of the Ronin bridge: in the starter set
	nobody = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	other  = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
)

// aPhrase is one that everybody knows, from the standard's own examples (BIP-39).
const aPhrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"

// harmful texts do harm if they are ever taken for more than text.
var harmful = []string{
	`<script>alert("script")</script>`, `<img src=x onerror=alert("image")>`, `"><svg onload=alert("svg")>`, `' onmouseover='alert("quote")`,
	`</title></textarea></script><script>alert("ends")</script>`, `{{.}} {{printf "%s" "template"}} ${alert("js")}`, `<a href="javascript:alert('link')">link</a>`,
	`<!-- `, `]]>`, `&lt;b&gt; &amp;amp;`, `<base href=//elsewhere.example><form action=//elsewhere.example><style>*{display:none}</style>`,
}

const story1 = "A new friend wrote to me, week after week, and then showed me a trading site where my money grew every day. " +
	"When I wanted it back, there was a tax to be paid first, and after the tax a fee. Then nobody answered any more."

// full starts a service with something of everything, and returns every page of
// it that can be had without signing in, with its status.
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
		s.file(draft{"crimeType": kinds[n%len(kinds)], "title": fmt.Sprintf("Filler %d: a site that took an approval", n), "description": fmt.Sprintf("%s (%d)", story1, n),
			"scammerAddresses": []string{fmt.Sprintf("0x%040d", n+1)}, "reportedDomains": []string{fmt.Sprintf("filler-%d.example", n)}}, keys[n%3])
	}
	for _, key := range keys {
		s.file(draft{"title": "The same site took my money too", "reportedDomains": []string{"growing-gold.example"}}, key)
	}
	everything := s.file(everything())
	long := s.file(draft{"title": "Support " + strings.Repeat("Unbreakable", 17), "description": strings.Repeat("w", 400) + "\n" + strings.Repeat(story1, 30), "reportedDomains": []string{strings.Repeat("long-name-", 6) + "of3." + strings.Repeat("under-", 9) + "it.example"},
		"subjectProjectName": strings.Repeat("P", 200), "evidence": draft{"urls": []string{"https://evidence.example/" + strings.Repeat("0123456789/", 160)}}})
	many := s.file(manyNamed())
	hostile := s.file(hostile())
	pages := map[string]int{
		"/": 200, "/screen/" + thief: 200, "/screen/" + nobody: 200, "/screen/growing-gold.example": 200, "/screen/unknown.example": 200, "/screen/github.io": 200, "/screen?q=0x12": 400, "/screen/0x12": 400,
		"/reports": 200, "/reports?q=filler&crimeType=phishing": 200, "/reports?q=nothinglikethis": 200, "/reports?q=ab*": 400, "/reports?crimeType=nonsense": 400, "/reports?cursor=nonsense": 400,
		"/reports/" + everything.ID: 200, "/reports/" + long.ID: 200, "/reports/" + many.ID: 200, "/reports/" + hostile.ID: 200, "/reports/rep_nowhere": 404,
		"/report": 200, "/report?subject=" + nobody: 200, "/account": 200, "/leaderboard": 200, "/status": 200, "/nowhere": 404, "/docs/nothing": 404, "/theme": 404,
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
	return draft{"crimeType": "investment_scam", "title": "Everything that a report can hold", "description": story1 + "\n\n" + story1 + "\n\n  - one\n  - two",
		"scammerAddresses": []string{nobody, other}, "reportedDomains": []string{"everything.example", "https://everything-else.example/claim"}, "amountLost": 999_999_999_999.99,
		"currency": "ETH", "incidentDate": "2026-02-28T23:59:59Z", "subjectProjectName": "Growing Gold",
		"socialMedia": draft{"whatsapp": "+1 555 0100", "telegram": "@growing_gold", "facebook": "growing.gold", "other": "https://handle.example/gold"},
		"evidence":    draft{"urls": []string{"https://evidence.example/thread?id=1&page=2#last", "http://evidence.example/plain"}, "transactionHashes": []string{aHash}}}
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
	return draft{"crimeType": "money_laundering", "title": "A hundred addresses and thirty sites", "description": story1, "scammerAddresses": addresses, "reportedDomains": sites}
}

func hostile() draft {
	return draft{"crimeType": "hack", "title": strings.Join(harmful[:4], " "), "description": strings.Join(harmful, "\n"), "reportedDomains": []string{"hostile.example"}, "subjectProjectName": harmful[1],
		"socialMedia": draft{"whatsapp": harmful[3], "telegram": harmful[2], "facebook": harmful[0], "other": "javascript:alert(1)"},
		"evidence":    draft{"urls": []string{"https://evidence.example/?q='onmouseover='alert(1)&amp;lt;", "https://evidence.example/#javascript:alert(1)"}}}
}

// TestAFullService holds what needs something of everything, which takes a while to file.
func TestAFullService(t *testing.T) {
	s, pages := full(t)
	for _, fact := range []struct {
		name  string
		holds func(t *testing.T, s *service, pages map[string]int)
	}{
		{"every page is whole, and light", everyPageIsWhole},
		{"every report is on one page", everyReportIsOnOnePage},
		{"a search marks what it found", aSearchMarksWhatItFound},
		{"a page says what the API says", aPageSaysWhatTheAPISays},
		{"a site is text", aSiteIsText},
	} {
		t.Run(fact.name, func(t *testing.T) {
			s.as(t)
			fact.holds(t, s, pages)
		})
	}
}

// everyPageIsWhole visits them all; the harness holds each against what is true
// of every answer: headers, policy, one title, no script in it, weight.
func everyPageIsWhole(t *testing.T, s *service, pages map[string]int) {
	want(t, "pages", len(pages), 48)
	heaviest, at := 0, ""
	for path, status := range pages {
		v := s.visitor()
		p := v.get(path)
		want(t, p.about, []any{p.status, has(p.all("html")[0], "data-theme")}, []any{status, false})
		if total := p.wire + s.weight(p); total > heaviest {
			heaviest, at = total, path
		}
		policy := p.header.Get("Content-Security-Policy")
		if wallets := path == "/account"; (policy == strict+" data:") != wallets || (policy == strict) == wallets { // whose icons are images of their own
			t.Errorf("%s: %s", path, policy)
		}
		if head := v.do(http.MethodHead, path, nil); path != "/reports?cursor=nonsense" { // which costs, and so is not looked at
			want(t, head.about, []any{head.status, head.header.Get("Content-Security-Policy")}, []any{status, policy})
		}
		if strings.HasPrefix(path, "/docs/") {
			continue
		}
		for theme, shown := range map[string]string{"dark": "dark", "light": "light", "purple": "", `"><b>`: ""} {
			p := v.get(path, "accept-encoding: identity", "cookie: theme="+theme)
			want(t, p.about, []any{p.status, p.header.Get("Content-Length"), attr(p.all("html")[0], "data-theme")}, []any{status, len(p.html), shown})
		}
	}
	t.Logf("%s is the heaviest: %d bytes", at, heaviest)
	if heaviest >= lightest || heaviest < lightest/4 {
		t.Errorf("%s weighs %d", at, heaviest)
	}
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)) // which is not compressed
	if total := key.wire + s.weight(key); total >= lightest {
		t.Errorf("the page of a new key weighs %d", total)
	}
	want(t, "signed in", v.get("/account").header.Get("Content-Security-Policy"), strict)
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	s := start(t)
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	stranger := tocsintest.NewAccount(t)
	message := v.message(stranger)
	signature := stranger.Sign(message)
	report := s.file(draft{"reportedDomains": []string{"withdrawn.example"}})
	for _, foreign := range [][]string{
		{"origin: https://evil.example", "sec-fetch-site: cross-site"}, {"origin: https://evil.example"}, {"sec-fetch-site: cross-site"}, {"sec-fetch-site: same-site"},
		{"origin: null"}, {"origin: http://tocsin.example.evil.example"}, {"origin: http://sub.tocsin.example"},
	} {
		for path, forms := range map[string][]fields{
			"/account":                            {{"do": "signout"}, {"do": "revoke", "confirm": "yes", "key": key[:12]}, {"do": "replace", "confirm": "yes", "key": key[:12]}, {"address": nobody}},
			"/account/message":                    {{"address": nobody}},
			"/account/sign-in":                    {{"message": message, "signature": signature}}, // which would sign the visitor in as somebody else
			"/theme":                              {{"theme": "dark"}},
			"/report":                             {aForm},
			"/reports/" + report.ID + "/withdraw": {{"token": report.ManageToken}},
		} {
			for _, form := range forms {
				p := v.post(path, form, foreign...)
				if p.status != http.StatusForbidden || len(p.cookies) > 0 || p.h1() != "This came from another site" {
					t.Errorf("%s %v %v: %d %v", path, form, foreign, p.status, p.cookies)
				}
			}
		}
	}
	want(t, "nothing has happened", []any{v.signedIn(), s.me(key).Authenticated, v.get("/reports/" + report.ID).status}, []any{true, true, 200})
	own := v.post("/theme", fields{"theme": "dark"}, "host: inside.example:8402", "origin: http://tocsin.example") // a proxy has changed the host
	want(t, "our own form behind a proxy", own.status, 303)
	own = v.post("/theme", fields{"theme": "dark"}, "origin: http://evil.example", "sec-fetch-site: same-origin", "host: tocsin.example")
	want(t, "what the browser says is believed first", own.status, 303)
	want(t, "the nonce was not used up", v.post("/account/sign-in", fields{"message": message, "signature": signature}).key() != "", true)
}

func TestTheThemeIsKeptAndTheVisitorStays(t *testing.T) {
	s := start(t)
	for from, to := range map[string]string{
		"http://tocsin.example/reports?q=a%20b&crimeType=hack": "/reports?q=a%20b&crimeType=hack", "http://tocsin.example/status#lists": "/status", "": "/", "https://evil.example/x": "/x",
		"https://tocsin.example//evil.example": "/", `https://tocsin.example/\evil.example`: "/%5Cevil.example", "evil.example": "/", "://": "/", "data:text/html,x": "/", "http://tocsin.example": "/",
	} {
		v := s.visitor()
		p := v.post("/theme", fields{"theme": "dark"}, "referer: "+from)
		want(t, from, []any{p.status, p.header.Get("Location")}, []any{303, to})
		want(t, from, p.header.Get("Set-Cookie"), "theme=dark; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax")
		want(t, "the next page", attr(v.get("/").all("html")[0], "data-theme"), "dark")
		for _, choice := range []string{"system", "purple", ""} {
			p = v.post("/theme", fields{"theme": choice})
			want(t, choice, p.header.Get("Set-Cookie"), "theme=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
		}
		want(t, "the system's", has(v.get("/").all("html")[0], "data-theme"), false)
	}
}

func TestAFailureOfOursIsAPageThatSaysSo(t *testing.T) {
	s := start(t)
	send := func(answer handler) *got {
		t.Helper()
		site := *s.site
		site.mux = http.NewServeMux()
		site.mux.Handle("/", site.serve(answer))
		server := httptest.NewServer(behindDoor(&site))
		defer server.Close()
		return s.visitorOf(server.Listener.Addr()).get("/screen/x")
	}
	for _, c := range []struct {
		about  string
		answer handler
		status int
		title  string
	}{
		{"a panic", func(*request) (*page, error) { panic("secret cause") }, 500, "Something failed on our side"},
		{"a template that is not there", func(*request) (*page, error) { return &page{Template: "mistyped", Body: 1}, nil }, 500, "Something failed on our side"},
		{"an error", func(*request) (*page, error) { return nil, errors.New("secret cause") }, 500, "Something failed on our side"},
		{"a caller who left", func(*request) (*page, error) { return nil, context.Canceled }, 503, "The page was given up before it was made"},
		{"too often", func(*request) (*page, error) {
			return nil, &api.Later{Fault: tocsin.Error{Detail: "Wait a little."}, Wait: 90 * time.Second}
		}, 429, "Not so fast, please"},
		{"a fault", func(*request) (*page, error) { return nil, &tocsin.Error{Code: tocsin.Invalid, Detail: "It is wrong"} }, 400, "That does not work"},
		{"a fault of a field", func(*request) (*page, error) {
			return nil, tocsin.Faults([]tocsin.Fault{{Field: "x", Reason: "it is wrong", Fix: "do better"}})
		}, 400, "That does not work"},
	} {
		p := send(c.answer)
		want(t, c.about, []any{p.status, p.h1()}, []any{c.status, c.title})
		if strings.Contains(p.html, "secret cause") {
			t.Errorf("%s: the page tells the cause", c.about)
		}
		if c.status == 500 {
			p.says(p.header.Get("X-Request-Id"))
			if log := s.log.String(); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "id="+p.header.Get("X-Request-Id")) {
				t.Errorf("%s: not in the log", c.about)
			}
		}
		if c.status == 429 {
			want(t, "Retry-After", p.header.Get("Retry-After"), 91)
			p.says("Wait a little.")
		}
	}
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/reports", "/screen/" + nobody, "/reports/rep_x"} {
		if p := s.visitor().get(path); p.status != 500 && p.status != 503 {
			t.Errorf("without a database: %s", p)
		}
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	v := start(t).visitor()
	for _, path := range []string{"/nowhere", "/docs/nothing", "/reports/rep_nowhere", "/reports/%3Cscript%3E", "/reports/rep_%00", "/reports/rep_x/y", "/theme", "/account/message", "/report/x", "/assets"} {
		p := v.get(path)
		want(t, path, []any{p.status, p.h1()}, []any{404, "There is nothing here"})
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPost, http.MethodOptions} {
		p := v.do(method, "/reports", nil)
		want(t, method, []any{p.status, p.header.Get("Allow")}, []any{405, "GET, HEAD"})
	}
	p := v.post("/report", fields{"description": strings.Repeat("x", maxForm)})
	want(t, "a form that is too large", p.status, 400)
	p.says("It may have at most 256 KB.")
}

func TestAnAssetIsKeptForEver(t *testing.T) {
	s := start(t)
	v := s.visitor()
	media := map[string]string{"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
	for name, file := range s.site.assets.files {
		p := v.get("/assets/" + name)
		ext := name[strings.LastIndexByte(name, '.')+1:]
		want(t, p.about, []any{p.status, p.header.Get("Content-Type"), p.header.Get("Cache-Control"), p.header.Get("X-Content-Type-Options"), p.header.Get("Vary"), p.header.Get("Content-Encoding")},
			[]any{200, media[ext], "public, max-age=31536000, immutable", "nosniff", "Accept-Encoding", "gzip"})
		want(t, p.about, []any{p.html == string(file.plain), p.wire}, []any{true, len(file.packed)})
		plain := v.get("/assets/"+name, "accept-encoding: identity")
		want(t, plain.about, []any{plain.html == string(file.plain), plain.header.Get("Content-Encoding")}, []any{true, ""})
		z, err := gzip.NewReader(bytes.NewReader(file.packed))
		if err != nil {
			t.Fatal(err)
		}
		if whole, err := io.ReadAll(z); err != nil || !bytes.Equal(whole, file.plain) {
			t.Errorf("%s: the packed one is another", name)
		}
	}
	for _, path := range []string{"/assets/tocsin.css", "/assets/..%2fweb.go", "/assets/tocsin.00000000.css"} {
		want(t, path, v.get(path).status, 404)
	}
	if _, err := s.site.assets.url("nothing.css"); err == nil {
		t.Error("an asset that is not there has a URL")
	}
}

func TestTheDocumentationIsWholeAndItsLinksLead(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	pages := map[string]*got{}
	for _, to := range v.get("/docs").links() {
		if path, _, _ := strings.Cut(to, "#"); strings.HasPrefix(path, "/docs") && pages[path] == nil {
			pages[path] = v.get(path)
		}
	}
	want(t, "pages", len(pages), 21)
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
		case pages[path] == nil:
			want(t, to, v.get(path).status, 200)
		case id != "":
			pages[path].id(id)
		}
	}
}

func TestTheLeaderboardTellsWhoWasConfirmed(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.get("/leaderboard").says("Nobody yet")
	a := tocsintest.NewAccount(t)
	own := "x-api-key: " + v.signIn(a).key()
	named := "x-api-key: " + s.key(tocsintest.NewAccount(t).Address, harmful[1], nil)
	s.file(draft{"reportedDomains": []string{"confirmed.example"}}, named)
	s.Sleep(time.Minute)
	s.file(draft{"reportedDomains": []string{"confirmed.example"}}, own)
	s.file(draft{"reportedDomains": []string{"alone.example"}}, own)
	s.Sleep(time.Hour)
	p := v.get("/leaderboard")
	rows := below(p.all("tbody")[0], "tr")
	want(t, "reporters", len(rows), 2)
	want(t, "the first", []any{strings.Contains(textOf(rows[0]), harmful[1]), attr(rows[0], "class")}, []any{true, ""})
	want(t, "oneself", []any{strings.Contains(textOf(rows[1]), "you"), attr(rows[1], "class")}, []any{true, "me"})
	if strings.Contains(p.html, a.Address.String()) || strings.Contains(strings.ToLower(p.html), strings.ToLower(a.Address.String())) {
		t.Error("a wallet is shown")
	}
	if p := s.visitor().get("/leaderboard"); len(p.class("me")) > 0 {
		t.Error("somebody else is oneself")
	}
}

func TestOldListsAreSaidToBeOld(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "listed.example")
	v := s.visitor()
	want(t, "status", v.get("/status").h1(), "Everything works.")
	if strings.Contains(v.get("/screen/listed.example").main(), "This answer is incomplete.") {
		t.Error("a fresh list is called old")
	}
	before := s.visitor().get("/").main()
	s.list("safelist", "safelist", tocsin.Safe, "own", "mine.example")
	want(t, "the operator's own list is no public one", s.visitor().get("/").main(), before)
	s.Sleep(4 * 24 * time.Hour)
	v.get("/status").says("2 lists are out of date.", "ScamSniffer", "4 days ago")
	v.get("/screen/listed.example").says("This answer is incomplete.", "ScamSniffer")
	v.get("/").says("4 days")
}

func TestTheStatusTellsOfPayments(t *testing.T) {
	v := start(t).visitor()
	v.get("/status").says("This service takes no payments.", "Tocsin 1.2.3")
	if p := v.get("/docs/paying"); len(p.all("pre")) > 0 || strings.Contains(v.get("/docs/screen-address").html, "@x402/") {
		t.Errorf("a program pays here: %s", p)
	}

	asked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}]}`)
	}))
	defer asked.Close()
	facilitator, err := x402.NewFacilitator(asked.URL+"/hidden-part", x402.Options{Timeout: tocsintest.Patience, Now: new(tocsintest.Clock).Now, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	network, err := x402.ParseNetwork(x402.Base, "")
	if err != nil {
		t.Fatal(err)
	}
	payee, err := network.Account(nobody)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *setup) {
		c.Payments = api.Payments{Accounts: []x402.Account{payee}, Facilitator: facilitator}
	})
	v = s.visitor()
	status := func(title string, words ...string) {
		t.Helper()
		p := v.get("/status")
		want(t, "the status", p.h1(), title)
		p.says(append(words, asked.URL, "Base eip155:8453", nobody)...)
		if strings.Contains(p.html, "hidden-part") {
			t.Error("the whole URL of the facilitator is shown")
		}
	}
	status("Everything works.", "was not asked yet")
	if trouble := facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	status("Everything works.", "answered when it was last asked")
	asked.Close()
	if trouble := facilitator.Ask(t.Context()); trouble == nil {
		t.Fatal("a facilitator that is closed answers")
	}
	status("Payments do not work at the moment.", "did not answer when it was last asked", "Calls with a key are not affected.")
	for _, path := range []string{"/docs/paying", "/docs/screen-address", "/docs/check-addresses"} {
		if p := v.get(path); !strings.Contains(verbatim(p.all("pre")...), "@x402/") {
			t.Errorf("%s has no program that pays", path)
		}
	}
	v.signIn(tocsintest.NewAccount(t))
	v.get("/account").says("Beyond them a program pays by the call, with x402.")
}

// aForm is one that is filed.
var aForm = fields{crimeField: "phishing", titleField: "A page took my approval", storyField: "I signed once.\n\nThen it was gone.", domainField: "claim-one.example"}
