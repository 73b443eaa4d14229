package web

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// feed reads a feed as a reader of feeds does: strictly.
func (s *service) feed(path string) (f atomFeed, text string) {
	s.t.Helper()
	w := s.card(path)
	text = w.Body.String()
	want(s.t, path, []any{w.Code, w.Header().Get("Content-Type"), w.Header().Get("Cache-Control")},
		[]any{200, "application/atom+xml; charset=utf-8", "public, max-age=600"})
	if err := xml.Unmarshal([]byte(text), &f); err != nil {
		s.t.Fatalf("%v in %s", err, text)
	}
	again := s.card(path, "If-None-Match", w.Header().Get("ETag"))
	want(s.t, path+" again", []int{again.Code, again.Body.Len()}, []int{304, 0})
	for _, at := range append([]string{f.Updated}, f.Entries[0].Updated, f.Entries[0].Published) {
		if _, err := time.Parse(time.RFC3339, at); err != nil {
			s.t.Errorf("%s: %v", path, err)
		}
	}
	if f.ID == "" || f.Author == "" || len(f.Links) != 2 || f.Links[0].Rel != "self" || f.Links[0].Href != s.base+path {
		s.t.Errorf("%s: %+v", path, f)
	}
	return f, text
}

// TestReportsCanBeFollowed: all, of a kind, and about a subject; newest first, each at its own page.
func TestReportsCanBeFollowed(t *testing.T) {
	s := start(t)
	first := s.file(draft{"reportedDomains": []string{"evil.example"}, "amountLost": 1200, "currency": "USD"})
	s.Sleep(time.Minute)
	second := s.file(draft{"scammerAddresses": []string{nobody}, "crimeType": "rug_pull",
		"description": "It is like evil.example, but another."})
	s.Sleep(time.Minute)
	of := func(path string) (ids []string) {
		f, _ := s.feed(path)
		for _, e := range f.Entries {
			ids = append(ids, strings.TrimPrefix(e.ID, s.base+"/reports/"))
			want(t, "the link", e.Link.Href, e.ID)
		}
		return ids
	}
	want(t, "all", of("/reports.atom"), []string{second.ID, first.ID})
	tag := s.card("/reports.atom").Header().Get("ETag")
	want(t, "of a kind", of("/reports.atom?crimeType=rug_pull"), []string{second.ID})
	want(t, "about a site", of("/reports.atom?subject=evil.example"), []string{first.ID})
	want(t, "about an address", of(feedOf("", nobody)), []string{second.ID})
	want(t, "of a kind about a site", of(feedOf("phishing", "evil.example")), []string{first.ID})
	none := s.card(feedOf("rug_pull", "evil.example"))
	want(t, "of another kind about it", []any{none.Code, strings.Contains(none.Body.String(), "<entry>")},
		[]any{200, false})
	f, _ := s.feed("/reports.atom?crimeType=phishing")
	e := f.Entries[0]
	want(t, "an entry", []string{e.Title, e.Summary, e.Author, e.Category.Term, f.Updated},
		[]string{"Phishing: evil[.]example", "Names evil[.]example. About 1,200 USD lost. Read it on the page.", "anonymous",
			"phishing", e.Updated})
	for path, status := range map[string]int{"/reports.atom?crimeType=x": 404, "/reports.atom?subject=@lena": 400,
		"/reports.atom?subject=unknown.example": 200} {
		want(t, path, s.card(path).Code, status)
	}
	v := s.visitor()
	for path, feed := range map[string]string{"/": "/reports.atom", "/reports": "/reports.atom",
		"/reports?crimeType=rug_pull": "/reports.atom?crimeType=rug_pull",
		"/screen/evil.example":        "/reports.atom?subject=evil.example"} {
		links := []string{}
		for _, n := range v.get(path).all("link") {
			if attr(n, "rel") == "alternate" {
				links = append(links, attr(n, "href"))
			}
		}
		want(t, path, links, []string{feed})
	}

	whole := everything()
	whole["reportedDomains"] = []string{"everything.example", "evil.example"}
	s.file(whole, "x-api-key: "+s.key(tocsin.Address{}, "Ada", nil))
	since := tocsin.MicroTime(1_700_000_000e6)
	told, fault := tocsin.Draft{CrimeType: tocsin.Hack, Title: "T", Description: "D",
		ReportedHandles: []string{"name:Lena"}, SourceDate: since}.Parse(now)
	tocsintest.Must(t, fault)
	s.Sleep(time.Minute)
	im, err := s.db.Import(t.Context(), tocsin.List{Name: "scamsniffer", Family: "scamsniffer"})
	tocsintest.Must(t, err)
	tocsintest.Must(t, im.Add(tocsin.Entry{Report: &told, Key: "1"}))
	_, err = im.Finish(t.Context(), true, nil)
	tocsintest.Must(t, err)
	var said strings.Builder
	numbers := map[string]string{}
	for _, path := range []string{"/reports.atom", "/reports.atom?crimeType=rug_pull",
		"/reports.atom?subject=evil.example", feedOf("rug_pull", "evil.example")} {
		fmt.Fprintf(&said, "=== %s\n%s\n", path, regexp.MustCompile(`rep_[a-z2-7]{16}`).ReplaceAllStringFunc(
			s.card(path).Body.String(), func(id string) string {
				if numbers[id] == "" {
					numbers[id] = fmt.Sprintf("rep_%d", len(numbers)+1)
				}
				return numbers[id]
			}))
	}
	tocsintest.Golden(t, "testdata/feeds.txt", said.String())
	im, err = s.db.Import(t.Context(), tocsin.List{Name: "partner", Family: "partner"})
	tocsintest.Must(t, err)
	for n := range perPage {
		tocsintest.Must(t, im.Add(tocsin.Entry{Report: &told, Key: fmt.Sprint(n)}))
	}
	_, err = im.Finish(t.Context(), true, nil)
	tocsintest.Must(t, err)
	w := s.card("/reports.atom")
	want(t, "of many", []any{strings.Count(w.Body.String(), "<entry>"), w.Header().Get("ETag") == tag}, []any{20, false})
}

// TestAFeedHasNoTextOfAReporter: readers keep it when the report is withdrawn, and show it as they like.
func TestAFeedHasNoTextOfAReporter(t *testing.T) {
	s := start(t)
	s.file(draft{"scammerAddresses": []string{nobody}, "title": "<b>TitleText</b>", "description": "StoryText",
		"subjectProjectName": "ProjectText", "socialMedia": draft{"telegram": "@handletext"},
		"evidence": draft{"urls": []string{"https://linktext.example/a"}}},
		"x-api-key: "+s.key(tocsin.Address{}, "NameText", nil))
	_, text := s.feed("/reports.atom")
	for _, told := range []string{"TitleText", "StoryText", "ProjectText", "handletext", "linktext", "NameText"} {
		if strings.Contains(text, told) {
			t.Errorf("%s is in %s", told, text)
		}
	}
	if !strings.Contains(text, "Evidence: 1 link.") {
		t.Error(text)
	}
}

// TestAFeedIsNoWayToScreenForFree: it shows no level, takes no look-up, and counts as the search that it is.
func TestAFeedIsNoWayToScreenForFree(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	for _, list := range []string{"scamsniffer", "polkadot"} {
		s.list(list, list, tocsin.Risk, "phishing", nobody)
	}
	s.file(draft{"scammerAddresses": []string{nobody}})
	at := feedOf("", nobody)
	_, text := s.feed(at)
	for _, told := range []string{"ritical", "CRITICAL", "core", "list"} {
		if strings.Contains(strings.ReplaceAll(text, "All of them say", ""), told) {
			t.Errorf("%q is in %s", told, text)
		}
	}
	statuses := []int{}
	for range 100 {
		statuses = append(statuses, s.card(at).Code)
	}
	want(t, "too many", slices.Contains(statuses, http.StatusTooManyRequests), true)
	want(t, "for another site", s.card(at, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "image").Code, 403)
	want(t, "the look-up that is left", s.visitor().get("/screen/"+url.PathEscape(nobody)).status, 200)
}
