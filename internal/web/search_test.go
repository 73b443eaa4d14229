package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"tocsin/internal/api"
	"tocsin/internal/store"
)

// TestAPageIsShownWithoutASearchThatHadNoTime, and not without one that failed.
func TestAPageIsShownWithoutASearchThatHadNoTime(t *testing.T) {
	for err, so := range map[error]bool{
		&api.Later{}: true, errSearchBusy: true, store.ErrSearchTooLong: true, errHead: false, errCrossSite: false,
	} {
		want(t, fmt.Sprint(err), unsearched(fmt.Errorf("x: %w", err)), so)
	}
	want(t, "one that was made", unsearched(nil), false)
}

// rowsOf are the titles and links of the reports on a page.
func rowsOf(p *response) (titles, ids []string) {
	for _, n := range p.class("entry") {
		a := below(n, "a")[0]
		titles, ids = append(titles, rawText(a)), append(ids, attr(a, "href"))
	}
	return titles, ids
}

func linkOf(t *testing.T, p *response, words string) string {
	t.Helper()
	for _, n := range below(p.all("main")[0], "a") {
		if strings.Contains(textOf(n), words) {
			return attr(n, "href")
		}
	}
	t.Fatalf("no link says %q: %s", words, p)
	return ""
}

func checkPaging(t *testing.T, s *service, _ map[string]int) {
	v := s.visitor()
	seen := map[string]bool{}
	path, pages := "/reports", 0
	for path != "" {
		p := v.get(path)
		titles, ids := rowsOf(p)
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

func checkHighlights(t *testing.T, s *service, _ map[string]int) {
	v := s.visitor()
	p := v.get("/reports?crimeType=phishing&q=" + url.QueryEscape(`"took an" APPROV* filler`))
	want(t, "what was typed", attr(p.id("rq"), "value"), `"took an" APPROV* filler`)
	p.says(`5 reports contain “"took an" APPROV* filler”, best match first.`)
	var marks []string
	for _, n := range below(p.class("entry")[0], "mark") {
		marks = append(marks, rawText(n))
	}
	want(t, "marks", marks, []string{"Filler", "took an", "approval"})
	want(t, "clear", linkOf(t, p, "Clear the search"), "/reports?crimeType=phishing")
	want(t, "another kind", linkOf(t, p, "Rug pull"),
		"/reports?crimeType=rug_pull&q="+url.QueryEscape(`"took an" APPROV* filler`))

	p = v.get("/reports?q=filler")
	p.says("30 reports contain “filler”")
	p = v.get(linkOf(t, p, "More results"))
	want(t, "the rest", []any{len(p.class("entry")), linkOf(t, p, "To the best matches")}, []any{10, "/reports?q=filler"})

	p = v.get("/reports?q=" + url.QueryEscape(`"display none" elsewhere`))
	story := below(p.class("entry")[0], "p")[0]
	if !strings.HasPrefix(textOf(story), "… ") || len(below(story, "mark")) != 3 {
		t.Errorf("what stands further down: %s", textOf(story))
	}
	for q, about := range map[string]string{"growing-gold.example": "growing-gold.example",
		strings.ToLower(nobody): nobody} {
		want(t, "who searches for a subject", linkOf(t, v.get("/reports?q="+q), "Look it up"), "/screen/"+about)
	}
	for q, said := range map[string]string{"ab*": "would match too many words", "!?": "There is no word in it.",
		strings.Repeat("w ", 13): "13 words; 12 are allowed", strings.Repeat("x", 401): "401 characters"} {
		p := v.get("/reports?q=" + url.QueryEscape(q))
		field := p.id("rq")
		want(t, q, []any{p.status, attr(field, "value"), attr(field, "aria-invalid"), attr(field, "aria-describedby"),
			len(p.class("entry"))}, []any{400, strings.TrimSpace(q), "true", "rq-e rq-h", 0})
		if why := textOf(p.id("rq-e")); !strings.Contains(why, said) {
			t.Errorf("%s: %s", q, why)
		}
	}
	for _, path := range []string{"/reports?crimeType=nonsense", "/reports?cursor=nonsense",
		"/reports?q=filler&cursor=AQ"} {
		p := v.get(path)
		want(t, path, p.status, 400)
		for _, word := range []string{"nextCursor", "crimeType", "pig_butchering"} {
			if strings.Contains(p.main(), word) {
				t.Errorf("%s tells people of %s", path, word)
			}
		}
	}
	p = v.get("/reports?q=nothinglikethis&crimeType=hack")
	p.says("No report contains “nothinglikethis”")
	v.get(linkOf(t, p, "Search in all kinds")).says("No report contains “nothinglikethis”")
}
