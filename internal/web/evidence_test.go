package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tocsin"
)

// TestOnlyALinkThatCanHarmNobodyIsOne holds which pages that back a report are
// linked: those on block explorers and on safelists, and of these none that is reported here,
// that has anything on record against it, that strangers share, or that is unclear.
func TestOnlyALinkThatCanHarmNobodyIsOne(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "listed.example")
	s.file(draft{"reportedDomains": []string{"growing-gold.example"}})
	s.list("safe names", "safe names", tocsin.Safe, "site", "fine.org", "listed-too.org")
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "listed-too.org")
	s.list("hosters", "hosters", tocsin.Shared, "hosting", "blogs.fine.org")
	const here, unclear, linked = "Its site is reported here, so it is no link.",
		"It is not clear where it leads, so it is no link.", ""
	const unknown = "We do not vouch for this site, so it is no link."
	const strangers = "Anyone can put a page on this site, so it is no link."
	const warned = "It is a well-known site, but lists or reports warn of it, so it is no link."
	links := []struct{ url, why string }{
		{"https://named.example/claim", here}, {"https://www.named.example/a?b=https://fine.example", here},
		{"https://deep.under.named.example", here}, {"http://NAMED.example:8080/", here}, {"https://named.example./x", here},
		{"https://аррӏе.example/claim", here}, {"https://sub.xn--80ak6aa92e.example/x", here},
		{"https://XN--80AK6AA92E.example", here}, {"https://user.pages.dev/mine", here},
		{"https://mail.named-below.example", here}, {"https://named-below.example/", here},
		{"https://sub.www2.named-below.example", here},
		{"https://growing-gold.example/other", unknown}, {"https://mail.growing-gold.example", unknown},
		{"http://listed.example", unknown}, {"https://a.b.listed.example/x?y#z", unknown},
		{"https://fine.example@named.example/", unclear}, {"https://user@fine.example/", unclear},
		{"https://user:word@fine.example/", unclear}, {"http://192.0.2.1/x", unclear}, {"http://[2001:db8::1]/x", unclear},
		{"http://localhost/x", unclear}, {"http://3221225985/", unclear}, {"https://ｎａｍｅｄ.example/", here},
		{"https://fine.example/?next=https://named.example", unknown}, {"https://notnamed.example/", unknown},
		{"https://named.example.fine.example/", unknown}, {"http://fine.example/plain", unknown},
		{"https://etherscan.io/tx/" + aHash, linked}, {"https://basescan.org/tx/" + aHash, linked},
		{"https://etherscan.io.fine.example/tx/", unknown}, {"https://news.fine.org/?next=https://named.example", linked},
		{"http://fine.org/plain", linked}, {"https://a.b.c.d.e.fine.org/x", linked},
		{"https://blogs.fine.org/a", strangers}, {"https://a.blogs.fine.org/", strangers},
		{"https://listed-too.org/x", warned}, {"https://refund-claims-portal.com/start", unknown},
		{"https://other.pages.dev/", unknown}, {"https://pages.dev/", strangers},
		{"https://t.me/thief", strangers}, {"https://bit.ly/x", strangers}, {"https://bücher.example/", unknown},
	}
	for _, link := range links { // each by itself, so that none hides behind another
		status, told := s.call(http.MethodPost, "/community-reports", draft{"crimeType": "phishing", "title": "One link",
			"description": "Text of " + link.url,
			"reportedDomains": []string{"аррӏе.example", "named.example", "user.pages.dev",
				"www2.named-below.example"}, "evidence": draft{"urls": []string{link.url}}})
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
			if len(anchors) != 1 || attr(anchors[0], "href") != stored && !strings.Contains(stored, "ü") ||
				attr(anchors[0], "rel") != "nofollow ugc noreferrer" || small == "" || strings.Contains(small, "no link") {
				t.Errorf("%s is no link: %s", link.url, textOf(items[0]))
			}
			continue
		}
		if shown := textOf(below(items[0], "code")[0]); len(anchors) > 0 || small != link.why ||
			!strings.HasPrefix(shown, "hxxp") {
			t.Errorf("%s is shown as %q, %d links, because %q, and not because %q", link.url, shown, len(anchors), small,
				link.why)
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
	for _, link := range []string{"https:/fine.example/x", "https:///fine.example/x",
		`https://fine.example\@named.example`, "https://fine.example:0x50/", "javascript://fine.example/%0aalert(1)",
		"//fine.example/x", "fine.example/x", "", "https://", "ftp://fine.example/"} {
		list, err := s.site.evidenceLinks(aRequest(), []string{link}, nil)
		if err != nil || list[0].Reason != "It is not clear where it leads, so it is no link." {
			t.Errorf("%q: %+v, %v", link, list, err)
		}
	}
}

// TestAPageThatAnybodyCanMakeIsNoLink in what strangers file. A list that cites one is linked.
func TestAPageThatAnybodyCanMakeIsNoLink(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("spmedia", "spmedia", tocsin.Risk, "phishing", "x.com") // by mistake
	filed := s.file(draft{"reportedDomains": []string{"named.example"}, "evidence": draft{"urls": []string{
		"https://github.com/thief/claim", "https://x.com/thief", "https://en.bing.com/a"}}})
	items := below(s.visitor().get("/reports/" + filed.ID).class("evidence")[0], "li")
	for i, text := range []string{"hxxps://github[.]com/thief/claim " + ofStrangers,
		"hxxps://x[.]com/thief " + ofStrangers, "https://en.bing.com/a en.bing.com"} {
		if got := textOf(items[i]); strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(text), "") {
			t.Errorf("%q, not %q", got, text)
		}
	}
	v := s.visitor()
	told := v.get(attr(below(v.get("/reports?q=parity").class("entry")[0], "a")[0], "href"))
	want(t, "of a list", len(below(told.class("evidence")[0], "a")) > 1, true)
}
