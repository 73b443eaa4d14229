package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"tocsin/internal/tocsintest"
)

func TestTheLanguageOfExamplesIsKept(t *testing.T) {
	v := start(t).visitor()
	chosen := func(path string) (language string) {
		t.Helper()
		for _, n := range v.get(path).all("input") {
			if attr(n, "name") == "language" && has(n, "checked") {
				language += attr(n, "value")
			}
		}
		return language
	}
	want(t, "at first", chosen("/docs/file-report"), "curl")
	p := v.post("/docs/language", fields{"language": "python"}, "referer: "+v.s.base+"/docs/me")
	want(t, "back to the page", []any{p.status, p.header.Get("Location")}, []any{http.StatusSeeOther, "/docs/me"})
	want(t, "on two pages", chosen("/docs")+chosen("/docs/file-report"), "pythonpython")
	v.post("/docs/language", fields{"language": "x402"})
	want(t, "where no payments are taken", chosen("/docs/screen-address"), "curl")
	v.post("/docs/language", fields{"language": "go"})
	v.post("/docs/language", fields{"language": "cobol"})
	want(t, "one that there is not", chosen("/docs"), "curl")
}

// TestTheExampleOfAReportCanBeRepeated: without a key of its own a lost response would lose the token for good. That it
// files a real report is said above it.
func TestTheExampleOfAReportCanBeRepeated(t *testing.T) {
	p := start(t).visitor().get("/docs/file-report")
	p.says(`curl -H "Idempotency-Key: ${IDEMPOTENCY_KEY:?}"`, `os.environ["IDEMPOTENCY_KEY"]`,
		"withdraw it afterwards, or do it on a server of your own. Example in", "that gives the manageToken again")
}

// TestANewKeyIsInItsFirstCall: it is twice on the page that makes it, and in no other. Its beginning, which is no
// secret, is in the documentation.
func TestANewKeyIsInItsFirstCall(t *testing.T) {
	s := start(t)
	v := s.visitor()
	p := v.signIn(tocsintest.NewAccount(t))
	key := p.key()
	call := rawText(p.class("code")...)
	if !strings.HasPrefix(call, "export TOCSIN_KEY="+key+"\ncurl ") || strings.Count(p.html, key) != 2 {
		t.Errorf("the first call is %s", call)
	}
	for _, path := range []string{"/docs", "/docs/screen-address"} {
		p, other := v.get(path), s.visitor().get(path)
		if p.says(key[:8]); strings.Contains(p.html, key) || strings.Contains(other.html, key[:8]) {
			t.Errorf("%s shows the key", path)
		}
	}
}

func TestTheDocumentationIsSearched(t *testing.T) {
	v := start(t).visitor()
	find := func(query string) *response { return v.get("/docs/search?q=" + url.QueryEscape(query)) }
	for query, first := range map[string]string{
		"Free  CALLS":           "/docs/keys",                         // a page
		"riskscore":             "/docs/screen-address#out-riskscore", // a field
		"filing_closed":         "/docs/errors#code-filing_closed",    // an error
		"withdraw":              "/docs/withdraw-report",              // an operation
		"/auth/nonce":           "/docs/sign-in-nonce",                // its path
		"authentication":        "/docs/keys#use",                     // a word of a text
		"rate limits":           "/docs/keys#limits",                  // more than one
		"false positive":        "/docs/risk#false-alarms",
		"How can I use an SDK?": "/docs#client", // what developers say in other words
		"timeout":               "/docs/errors#retry",
		"CORS":                  "/docs#conventions",
		"watchlist":             "/docs/lists",
		"sandbox":               "/docs/keys#own",
		"sandwich attack":       "",
		"":                      "",
	} {
		p := find(query)
		var links []string
		for _, n := range p.class("entry") {
			links = append(links, attr(below(n, "a")[0], "href"))
		}
		want(t, query, append(links, "")[0], first)
		if len(links) > 20 {
			t.Errorf("%q finds %d parts", query, len(links))
		}
		for _, to := range links[:min(len(links), 3)] {
			if path, id, _ := strings.Cut(to, "#"); id != "" {
				v.get(path).id(id)
			}
		}
	}
	find("sandwich attack").says("No page has all of these words: sandwich attack")
	for _, hostile := range harmful {
		find(hostile)
	}
	for typed, kept := range map[string]string{strings.Repeat("a ", 2000): strings.Repeat("a ", 100),
		"a" + strings.Repeat("é", 300) + "\xff": "a" + strings.Repeat("é", 99)} { // 200 bytes, and no half of a letter
		holds(t, find(typed), ` value="`+kept+`"`)
	}
}

func TestTheChangelogIsAPage(t *testing.T) {
	s := start(t)
	pages := s.site.Pages()
	want(t, "what search engines should find", []any{pages[:9], slices.Contains(pages, "/docs/changelog"),
		slices.Contains(pages, "/docs/search"), slices.Contains(pages, "/docs/"), slices.IsSorted(pages[9:])},
		[]any{strings.Fields("/ /reports /bulk /leaderboard /status /docs /help /privacy /object"), true, false, false, true})
	p := s.visitor().get("/docs/changelog")
	p.says("Changelog", "This service runs version", "API 0.1.0, program 0.1.0", "New", "Fixed")
	for _, to := range p.links() {
		if strings.HasPrefix(to, "docs/") {
			t.Errorf("it links to %s, which the site does not have", to)
		}
	}
	if strings.Contains(p.html, "[FEATURE]") || strings.Contains(p.html, "<em>") {
		t.Error("a mark of CHANGELOG.md is shown as it is")
	}
}
