package web

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// brackets writes pieces with what was sought in brackets.
func brackets(pieces []segment) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.Hit {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestMarksAreWhereTheIndexFound(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"approval", "An Approval, APPROVALS and approval.", "An [Approval], APPROVALS and [approval]."},
		{"approv*", "approval, approve, disapprove", "[approval], [approve], disapprove"},
		{`"claim site"`, "a claim-site, a claim, a site", "a [claim-site], a claim, a site"},
		{"claim-site", "the claim site", "the [claim site]"},
		{"cafe", "Café, CAFÉ, cafeteria", "[Café], [CAFÉ], cafeteria"},
		{"café", "cafe\u0301 and cafe", "[cafe\u0301] and [cafe]"},
		{`"a b" "b c"`, "a b c d", "[a b c] d"},
		{"evil.com", "go to evil.com/x", "go to [evil.com]/x"},
		{"0x098B71*", "0x098B716B8Aaf and 0x098", "[0x098B716B8Aaf] and 0x098"},
		{"偽*", "", ""},
		{"b", "<b>b</b>", "<[b]>[b]</[b]>"},
	} {
		terms, fault := tocsin.ParseQuery(c.query)
		if fault != nil {
			terms = nil
		}
		if got := brackets(highlight(c.text, searchTerms(terms))); got != c.want {
			t.Errorf("%q in %q: %q, not %q", c.query, c.text, got, c.want)
		}
	}
}

// FuzzMarks looks for anything in anything: the text must come out whole, and an
// excerpt must be readable.
func FuzzMarks(f *testing.F) {
	f.Add("approv* \"a b\"", "An approval, a b c\u0301")
	f.Add("x", strings.Repeat("é", 300)+" x")
	f.Fuzz(func(t *testing.T, query, text string) {
		terms, fault := tocsin.ParseQuery(query)
		if text = tocsin.CleanText(text); fault != nil {
			return
		}
		whole := ""
		for _, p := range highlight(text, searchTerms(terms)) {
			whole += p.Text
		}
		if whole != text {
			t.Errorf("%q became %q", text, whole)
		}
		if cut := excerpt(text, searchTerms(terms)); !utf8.ValidString(cut) || len(cut) > 240 {
			t.Errorf("%q is cut to %q", text, cut)
		}
	})
}

// live lists the links in a page that lead elsewhere.
func live(page string) (links []string) {
	for _, m := range regexp.MustCompile(`<a href="(https?:[^"]*)"`).FindAllStringSubmatch(page, -1) {
		if link := html.UnescapeString(m[1]); !strings.HasPrefix(link, "http://tocsin.example") {
			links = append(links, link)
		}
	}
	return links
}

func TestOnlyPagesThatWeKnowOfAreLinked(t *testing.T) {
	site, db := empty(t)
	im, err := db.Import(t.Context(), tocsin.List{Name: "hosts", Family: "hosts", URL: "https://lists.example"})
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]tocsin.ListingKind{"many.example": tocsin.Shared, "bad.example": tocsin.Risk,
		"bad-six.example": tocsin.Risk, "fine.example": tocsin.Safe, "fine-six.example": tocsin.Safe} {
		if err := im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: kind, Category: "hosting",
			Subject: tocsin.Subject{Kind: tocsin.DNS, Value: name}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := im.Finish(t.Context(), false, nil); err != nil {
		t.Fatal(err)
	}
	tocsintest.List(t, db, "safe", "safe", tocsin.Safe, "site", "known.example")
	tocsintest.List(t, db, "warns", "warns", tocsin.Risk, "phishing", "known.example")
	const here = "Its site is reported here, so it is no link."
	const strangers = "Anyone can put a page on this site, so it is no link."
	const unknown, toomany = "We do not vouch for this site, so it is no link.",
		"We look up the first few sites only, so it is no link."
	const warned = "It is a well-known site, but lists or reports warn of it, so it is no link."
	links := []struct{ link, why string }{
		{"https://evil.example/", here}, {"https://mail.www2.evil.example/", here}, {"HTTPS://www2.evil.example/x", here},
		{"https://www3.evil.example/", here}, // child, parent, sibling
		{"https://thief.pages.dev/x", here}, {"https://pages.dev/x", strangers}, {"https://t.me/thief", strangers},
		{"https://many.example/thief", strangers}, {"https://a.m.many.example/thief", strangers},
		{"https://bad.example/", unknown},
		{"https://bad.example/again", unknown},
		{"https://fine.example/1", ""}, {"https://fine.example/2", ""}, {"https://known.example/", warned}, // five sites
		{"https://other.pages.dev/", toomany},
		{"https://bad-six.example/", toomany}, {"https://fine-six.example/", toomany}, {"https://fine.example/3", ""},
		{"https://t.me/other", strangers}, {"https://sub.evil.example/", here},
	}
	draft := tocsin.Draft{CrimeType: tocsin.Phishing, Title: "Links", Description: "To all sorts",
		ReportedDomains: []string{"www2.evil.example", "thief.pages.dev"}}
	var want []string
	for _, l := range links {
		draft.Evidence.URLs = append(draft.Evidence.URLs, l.link)
		if l.why == "" {
			want = append(want, l.link)
		}
	}
	if draft, err = draft.Parse(tocsintest.Noon); err != nil {
		t.Fatal(err)
	}
	filed, err := db.FileReport(t.Context(), store.Filing{Draft: draft, Network: netip.MustParsePrefix("203.0.113.0/24")})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := site.evidenceLinks(aRequest(), filed.Report.Evidence.URLs, filed.Report.Subjects())
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range shown {
		if l.URL != links[i].link || string(l.Reason) != links[i].why {
			t.Errorf("%s: %q, not %q", l.URL, l.Reason, links[i].why)
		}
	}
	w := httptest.NewRecorder()
	behindDoor(site).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/reports/"+filed.Report.ID, nil))
	if got := live(w.Body.String()); !slices.Equal(got, want) {
		t.Errorf("%q are links, not %q", got, want)
	}
	if !strings.Contains(w.Body.String(), "hxxps://www2.evil[.]example/x") {
		t.Error("a scheme in capitals stays live")
	}
}

func TestASecretIsNotSearchedForNorShown(t *testing.T) {
	site, _ := empty(t)
	for _, q := range []string{"legal winner thank year wave sausage worth useful legal winner thank yellow",
		"le\u200Bgal winner thank year wave sausage worth useful legal winner thank yellow",
		strings.Repeat("x ", 490) +
			"legal winner thank year wave sausage worth useful legal winner thank yellow", strings.Repeat("ab", 32)} {
		w := httptest.NewRecorder()
		behindDoor(site).ServeHTTP(w, httptest.NewRequest(http.MethodGet, reportsPath(tocsin.Phishing, "", q, ""), nil))
		page := w.Body.String()
		if w.Code != http.StatusBadRequest || !strings.Contains(page, "looks like a recovery phrase") ||
			strings.Contains(page, "winner") || strings.Contains(page, "abab") || !strings.Contains(page,
			`type="search" value=""`) {
			t.Errorf("%d:\n%s", w.Code, page)
		}
	}
}

func TestASearchSaysNoNumberThatItDoesNotKnow(t *testing.T) {
	for want, c := range map[string]struct {
		found   int
		partial bool
	}{
		"":                         {0, false},
		"1 report contains “x”.":   {1, false},
		"189 reports contain “x”,": {189, false},
		"At least 189 reports contain “x”, best match first. We looked at the last 20,000 reports": {189, true},
		"At least 1 report contains “x”. ":                                                         {1, true},
		"At least 2,000 reports contain “x”: ":                                                     {2000, false},
	} {
		got := reportsPage{lang: english(), Query: "x", Search: true, Partial: c.partial}.summary(c.found)
		long := reportsPage{lang: english(), Query: strings.Repeat("y", 61), Search: true, Partial: c.partial}
		same(t, "a long query", []string{long.summary(c.found)},
			strings.ReplaceAll(got, "“x”", "“"+strings.Repeat("y", 59)+"…”"))
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%d, %t: %q", c.found, c.partial, got)
		}
	}
}
