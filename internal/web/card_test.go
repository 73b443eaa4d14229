package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/locale"
	"tocsin/internal/picture"
	"tocsin/internal/tocsintest"
)

// meta is what a page says of itself to those who show a link to it.
func (p *response) meta(name string) string {
	for _, n := range p.all("meta") {
		if attr(n, "property") == name || attr(n, "name") == name {
			return attr(n, "content")
		}
	}
	return ""
}

// card fetches the card of a page as a crawler does, with headers as name and value.
func (s *service) card(at string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest("GET", strings.TrimPrefix(at, s.base), nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.serves(r)
}

// isCard checks that a response is a card.
func (s *service) isCard(about string, w *httptest.ResponseRecorder) {
	s.t.Helper()
	is, err := png.DecodeConfig(w.Body)
	want(s.t, about, []any{w.Code, w.Header().Get("Content-Type"), is.Width, is.Height, err},
		[]any{200, "image/png", 1200, 630, error(nil)})
	if keeps := w.Header().Get("Cache-Control"); !strings.HasPrefix(keeps, "public, max-age=") {
		s.t.Errorf("%s: %s", about, keeps)
	}
}

// TestNoHeaderMakesACardEmpty: shared caches keep what they are sent with a 200.
func TestNoHeaderMakesACardEmpty(t *testing.T) {
	s := start(t)
	tag := s.card("/card.png").Header().Get("ETag")
	for _, header := range [][]string{{"If-None-Match", "x, " + tag}, {"If-None-Match", `"a` + tag},
		{"If-None-Match", tag, "If-Match", `"another"`}, {"If-None-Match", "x" + tag, "Range", "bytes=0-9"}} {
		if w := s.card("/card.png", header...); w.Code == 200 && w.Body.Len() == 0 {
			t.Errorf("%q: an empty card", header)
		}
	}
}

// TestALinkToAnAnswerUnfolds: with what the page says first, and the picture of it.
func TestALinkToAnAnswerUnfolds(t *testing.T) {
	s := start(t)
	s.starter()
	filed := s.file(draft{"scammerAddresses": []string{nobody}, "reportedDomains": []string{"evil.example"}})
	foot := [2]string{"", "4 Mar 2026"}
	cards := map[string]picture.Card{
		"/": {Arcs: 4, Score: 100, Head: "Has the bell rung?", Title: "Look before you send, or connect a wallet.",
			Subject: "an address, a website, a handle"},
		"/screen/" + thief: {Class: "critical", Score: 100, Head: "Critical", Note: "score 100 of 100",
			Title: "Do not send anything to this address.", Subject: "0x098B716B…3E2f96", Foot: foot},
		"/screen/evil.example": {Class: "low", Score: 8, Head: "Low, one warning", Note: "score 8 of 100", Foot: foot,
			Title: "One person warns of this site. Nobody has confirmed it.", Subject: "evil[.]example"},
		"/screen/unknown.example": {Class: "clean", Head: "No reports", Subject: "unknown[.]example", Foot: foot,
			Title: "Nobody has reported this site. That is not the same as safe."},
		"/reports/" + filed.ID: {Head: "Phishing", Note: "one person’s report", Title: "A page took my approval",
			Subject: "0x5aAeb605…1BeAed and 1 more", Foot: foot},
	}
	cards["/reports?q=drainer&a=%22"] = cards["/"]
	for path, says := range map[string]string{
		"/":                        "Tocsin: has the bell rung for this address?",
		"/screen/" + thief:         "0x098B716B…3E2f96: Critical",
		"/screen/evil.example":     "evil[.]example: Low, one warning",
		"/screen/unknown.example":  "unknown[.]example: No reports",
		"/reports/" + filed.ID:     "A page took my approval",
		"/reports?q=drainer&a=%22": "Reports with “drainer”",
	} {
		p := s.visitor().get(path)
		want(t, path, []string{p.meta("og:title"), p.meta("twitter:card")}, []string{says, "summary_large_image"})
		if p.meta("og:description") == "" || !strings.HasPrefix(p.meta("og:image"), s.base+"/") {
			t.Errorf("%s: %q, %q", path, p.meta("og:description"), p.meta("og:image"))
		}
		w := s.card(p.meta("og:image"))
		s.isCard(path, w)
		url := ""
		if strings.HasPrefix(path, "/screen/") || strings.HasPrefix(path, "/reports/") {
			url = s.base + path
		}
		want(t, path+": its own address", p.meta("og:url"), url)
		noindex := ""
		if strings.HasPrefix(path, "/screen/") {
			noindex = "noindex"
		}
		want(t, path+": for search engines", p.meta("robots"), noindex)
		again := s.card(p.meta("og:image"), "If-None-Match", w.Header().Get("ETag"))
		want(t, path+" again", []int{again.Code, again.Body.Len()}, []int{304, 0})
		robots, keeps := "", "public, max-age=86400"
		switch {
		case noindex != "":
			robots, keeps = "noindex", "public, max-age=3600"
		case url != "":
			keeps = "public, max-age=3600"
		}
		want(t, path+": its card", []string{w.Header().Get("ETag"), w.Header().Get("Cache-Control"),
			w.Header().Get("X-Robots-Tag"), w.Header().Get("Vary")}, []string{drawnOf(cards[path]), keeps, robots,
			"Accept-Encoding"})
	}
	s.visitor().get("/screen/" + thief).says("Share")
	site := cards["/"]
	site.Foot[0] = "tocsin.example"
	want(t, "the picture of the site", bytes.Equal(s.card("/card.png").Body.Bytes(), s.site.artist.Card(site)), true)
}

// TestTheTagOfAFileIsOfEachOfItsTexts, in their order.
func TestTheTagOfAFileIsOfEachOfItsTexts(t *testing.T) {
	tags := []string{tagOf("ab", "c"), tagOf("a", "bc"), tagOf("bc", "a"), tagOf("abc")}
	slices.Sort(tags)
	want(t, "different ones", len(slices.Compact(tags)), 4)
	want(t, "the media of what is saved", []string{mediaOf("a.json"), mediaOf("code.txt"), mediaOf("a.csv")},
		[]string{"application/json", "text/plain; charset=utf-8", "text/csv; charset=utf-8"})
}

// drawnOf is the ETag of a card: it is made of all that the card says.
func drawnOf(c picture.Card) string {
	return tagOf("1.2.3", c.Class, fmt.Sprint(c.Score), c.Head, c.Note, c.Title, c.Subject, "tocsin.example", c.Foot[1])
}

// TestAPageSaysWhatItIsToThoseWhoShareIt: its own URL, its picture, its description, and the language of all.
func TestAPageSaysWhatItIsToThoseWhoShareIt(t *testing.T) {
	site := &front.Deployment{BaseURL: "https://tocsin.example"}
	in := func(tag string) *locale.Printer { return allLanguages().Choose(tag, "") }
	for about, c := range map[string]struct {
		page layout
		says []string // Canonical, Picture, About, Unfurled, Locale, Lettered
	}{
		"the home page": {layout{page: &page{Template: "home", Title: "Home", Description: "D"}, Path: "/"},
			[]string{"", "https://tocsin.example/card.png", "D", "Home", "en_US", "true"}},
		"one without a description, in Spanish": {layout{page: &page{Title: "T"}, Path: "/x", Lang: in("es"), CardLang: "es"},
			[]string{"", "https://tocsin.example/card.png?lang=es", in("es").Text(tagline), "T", "es_ES", "true"}},
		"what is spent": {layout{page: &page{Template: "spent", Status: 429, Title: "T", Secret: true}, Path: "/x"},
			[]string{"", "https://tocsin.example/card.png", string(tagline), "Has the bell rung for it?", "en_US", "false"}},
		"an answer": {layout{page: &page{Title: "T", Card: "/screen.png?lang=en&a=b"}, Path: "/screen/a b"},
			[]string{"https://tocsin.example/screen/a%20b", "https://tocsin.example/screen.png?lang=en&a=b", string(tagline),
				"T", "en_US", "true"}},
		"one by a link in French": {layout{page: &page{Title: "T", Card: "/x.png", Heavy: true}, Path: "/reports/r",
			Lang: in("fr"), CardLang: "fr", Linked: true}, []string{"https://tocsin.example/reports/r?lang=fr",
			"https://tocsin.example/x.png?lang=fr", in("fr").Text(tagline), "T", "fr_FR", "false"}},
		"one in Chinese": {layout{page: &page{Title: "T"}, Path: "/docs/changelog", Lang: in("zh-Hans")},
			[]string{"", "https://tocsin.example/card.png", in("zh-Hans").Text(tagline), "T", "zh_CN", "false"}},
	} {
		l := c.page
		if l.Site = site; l.Lang == nil {
			l.Lang = in("en")
		}
		l.CardLang = cmp.Or(l.CardLang, "en")
		want(t, about, []string{l.Canonical(), l.Picture(), l.About(), l.Unfurled(), l.Locale(), fmt.Sprint(l.Lettered())},
			c.says)
	}
}

// TestACardIsInTheLanguageOfItsPage, where the font has its letters. A shared link names the language, for those
// that show it. What a visitor has chosen comes first.
func TestACardIsInTheLanguageOfItsPage(t *testing.T) {
	s := start(t)
	s.starter()
	filed := s.file(draft{"reportedDomains": []string{"evil.example"}})
	for path, says := range map[string]string{
		"/":                    "og:image /card.png?lang=es",
		"/screen/evil.example": "evil[.]example: Bajo",
		"/reports/" + filed.ID: "og:image /reports/" + filed.ID + "/card.png?lang=es",
	} {
		p := s.visitor().get(path + "?lang=es")
		image := strings.TrimPrefix(p.meta("og:image"), s.base)
		want(t, path, []any{p.meta("og:locale"), strings.Contains(p.meta("og:title")+" og:image "+image, says)},
			[]any{"es_ES", true})
		s.isCard(path, s.card(image))
		english := s.card(strings.ReplaceAll(image, "lang=es", "lang=en"))
		if path != "/screen/evil.example" && bytes.Equal(english.Body.Bytes(), s.card(image).Body.Bytes()) {
			t.Errorf("%s: the card is in English", path)
		}
	}
	v := s.visitor()
	p := v.get("/screen/"+thief, "accept-language: fr")
	want(t, "what is shared", attr(p.class("copy")[1], "data-share"), s.base+"/screen/"+thief+"?lang=fr")
	if at := p.meta("og:image"); !strings.Contains(at, "lang=fr") || !strings.Contains(at, "Critique") {
		t.Error(at)
	}
	want(t, "its address", p.meta("og:url"), s.base+"/screen/"+thief)
	p = v.get("/screen/" + thief + "?lang=fr")
	want(t, "that of a link in French", p.meta("og:url"), s.base+"/screen/"+thief+"?lang=fr")
	p = v.get("/reports/" + filed.ID + "?lang=zh-Hans")
	want(t, "letters that the font lacks", []string{p.meta("og:locale"), p.meta("og:image")},
		[]string{"zh_CN", s.base + "/reports/" + filed.ID + "/card.png"})
	v.post("/language", fields{"language": "de"})
	want(t, "who has chosen", attr(v.get("/status?lang=fr").all("html")[0], "lang"), "de")
	want(t, "nonsense", attr(s.visitor().get("/status?lang=xx").all("html")[0], "lang"), "en")
}

// TestTheFontHasTheLettersOfTheLanguagesItDraws, of all that a card can say.
func TestTheFontHasTheLettersOfTheLanguagesItDraws(t *testing.T) {
	s := start(t)
	drawn := 0
	for _, p := range s.site.langs.All() {
		if !slices.Contains(locale.Shipped(), p.Tag) || s.site.cardLang(p) != p {
			continue
		}
		drawn++
		for _, e := range catalogue(t, p.Tag).Texts {
			if text := e.Text + strings.Join(slices.Collect(maps.Values(e.Forms())), ""); !s.site.artist.Has(text) {
				t.Errorf("%s: %q", p.Tag, text)
			}
		}
	}
	want(t, "languages", drawn, len(locale.Shipped())-1)
}

// TestACardIsNoWayToScreenForFree: it is that of an answer that somebody has looked up, whatever is changed in its URL;
// and it is gone after two days.
func TestACardIsNoWayToScreenForFree(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	s.starter()
	at := strings.TrimPrefix(s.visitor().get("/screen/"+nobody).meta("og:image"), s.base)
	s.isCard("as it was given", s.card(at))
	for _, change := range [][2]string{{"score=0", "score=1"}, {"CLEAN", "CRITICAL"}, {"title=", "title=x"},
		{"subject=", "subject=1"}, {"&seal=", "&seal=A"}, {"&seal=", "&a=b&seal="}, {"level=", "level=HIGH&level="},
		{"lang=en", "lang=es"}} {
		changed := strings.Replace(at, change[0], change[1], 1)
		if w := s.card(changed); changed == at || w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", changed, w.Code)
		}
	}
	want(t, "without a seal", s.card("/screen.png?subject="+other).Code, 404)

	s.file(draft{"scammerAddresses": []string{other}})
	p := s.visitor().get("/screen/" + other) // one too many
	want(t, "spent", []any{p.status, p.meta("og:title"), p.meta("og:image")},
		[]any{429, "Has the bell rung for it?", s.base + "/card.png"})
	for _, told := range []string{"Low", "person warns", "wallet"} {
		if meta := p.meta("og:title") + p.meta("og:description"); strings.Contains(meta, told) {
			t.Errorf("a page that is not answered says %q", meta)
		}
	}
	before := s.card(at)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", nobody)
	after := s.card(at)
	want(t, "once the level has changed", []any{after.Code, after.Header().Get("Cache-Control"),
		before.Header().Get("ETag") != after.Header().Get("ETag")}, []any{200, "public, max-age=300", true})
	s.Sleep(48 * time.Hour)
	want(t, "after two days", s.card(at).Code, 404)
}

// TestTheCardOfAReportShowsNoLevel, and is gone with the report.
func TestTheCardOfAReportShowsNoLevel(t *testing.T) {
	s := start(t)
	one := s.file(draft{"scammerAddresses": []string{nobody}, "title": "骗局"})
	s.isCard("in letters that the font lacks", s.card("/reports/"+one.ID+"/card.png"))
	before := s.card("/reports/" + one.ID + "/card.png").Body.Bytes()
	for _, list := range []string{"scamsniffer", "polkadot"} {
		s.list(list, list, tocsin.Risk, "phishing", nobody)
	}
	if !bytes.Equal(before, s.card("/reports/"+one.ID+"/card.png").Body.Bytes()) {
		t.Error("the card shows what else is known of the subject")
	}
	want(t, "unknown", s.card("/reports/rep_aaaaaaaaaaaaaaaa/card.png").Code, 404)
	s.visitor().post("/reports/"+one.ID+"/withdraw", fields{"token": one.ManageToken, sureField: "yes"})
	want(t, "withdrawn", s.card("/reports/"+one.ID+"/card.png").Code, 410)
}

func TestTheCardOfAReportSaysWhatItsPageShowsFirst(t *testing.T) {
	s := start(t)
	r := tocsin.Report{Source: tocsin.Community, Draft: tocsin.Draft{CrimeType: tocsin.RugPull, Title: "Gone",
		ReportedDomains: []string{"evil.example"}}}
	says := func() string {
		c := s.site.cardOf(s.site.langs.English(), r)
		return strings.Join([]string{c.Class, c.Head, c.Note, c.Title, c.Subject, c.Foot[1]}, "|")
	}
	want(t, "one subject", says(), "|Rug pull|one person’s report|Gone|evil[.]example|")
	r.ReportedDomains = append(r.ReportedDomains, "worse.example", "worst.example")
	r.Source, r.Title = "scamsniffer", "骗局"
	at := tocsin.TimeOf(tocsintest.Noon)
	r.PublishedAt = &at
	want(t, "three", says(), "|Rug pull|from ScamSniffer|Somebody warns of this.|evil[.]example and 2 more|4 Mar 2026")
}

// TestWhatAPageTellsOthersIsEscaped: a title is the text of a stranger.
func TestWhatAPageTellsOthersIsEscaped(t *testing.T) {
	s := start(t)
	const title = `"><script>alert(1)</script>`
	p := s.visitor().get("/reports/" + s.file(draft{"scammerAddresses": []string{nobody}, "title": title}).ID)
	want(t, "the title", p.meta("og:title"), title)
	if strings.Contains(p.html, title) || !strings.Contains(p.html, html.EscapeString("<script>alert")) {
		t.Error(p)
	}
}

// TestCardsWaitForTheirTurn: one network draws one at a time, all of them two.
func TestCardsWaitForTheirTurn(t *testing.T) {
	s := start(t)
	s.site.cardWait = 0
	var leaves []func()
	for i := range 2 {
		network := netip.MustParsePrefix(fmt.Sprintf("198.51.%d.0/24", i))
		leave, err := s.api.Budgets().Pictures.Wait(context.Background(), network)
		tocsintest.Must(t, err)
		leaves = append(leaves, leave)
	}
	w := s.card("/card.png")
	want(t, "busy", []any{w.Code, w.Header().Get("Retry-After")}, []any{503, "5"})
	s.site.cardWait = tocsintest.Patience
	for _, leave := range leaves {
		leave()
	}
	s.isCard("then", s.card("/card.png"))
}

// TestACardIsCheap: anybody may ask for one.
func TestACardIsCheap(t *testing.T) {
	if tocsintest.Race() {
		t.Skip("the race detector takes most of the time")
	}
	s, ids := alone(t, 1)
	forget := func() { s.site.cards = &drawnCards{} }
	card := tocsintest.CPU(t, forget, func() {
		want(t, "status", s.card("/reports/"+ids[0]+"/card.png").Code, 200)
	})
	v := s.visitor()
	page := tocsintest.CPU(t, func() {}, func() { want(t, "status", v.get("/reports/"+ids[0]).status, 200) })
	again := tocsintest.CPU(t, func() {}, func() { want(t, "again", s.card("/reports/"+ids[0]+"/card.png").Code, 200) })
	t.Logf("a card: %v, one that was drawn: %v, a page: %v", card, again, page)
	if card > 30*page || again > card/2 {
		t.Errorf("a card takes %v of CPU, one that was drawn lately %v, a page %v", card, again, page)
	}
}

// TestOnlyTheLastCardsAreKept, so that nobody can fill the memory with them.
func TestOnlyTheLastCardsAreKept(t *testing.T) {
	var d drawnCards
	for n := range 3 * keptCards {
		d.put(fmt.Sprint(n/2), []byte{byte(n)}) // each is drawn twice at once
	}
	want(t, "kept", []any{len(d.images), len(d.order), d.get("0"), d.get(fmt.Sprint(3*keptCards/2 - 1))},
		[]any{keptCards, keptCards, []byte(nil), []byte{3*keptCards - 1}})
}
