package web

import (
	"slices"
	"strings"
	"testing"

	"tocsin"
)

// TestWhatListsKnowIsNotCalledUnknown: it has a page of its own, which says what to do and does not ask about a theft.
func TestWhatListsKnowIsNotCalledUnknown(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("misp-warninglists", "misp", tocsin.Safe, tocsin.TopSite, "popular.example")
	v := s.visitor()
	for path, says := range map[string][]string{
		"/screen/0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48": {
			"Do not send to this address: it is the contract of USD Coin, not a person.",
			"Do not send tokens to the contract itself", "No warning of fraud"},
		"/screen/popular.example": {"popular.example is a well-known site. Nobody has reported it.",
			"listed as a popular site (MISP warning lists)", "known, not that it is honest", "Known", "score 0 of 100",
			"Make sure the name in your address bar is exactly this one."},
		"/screen/app.popular.example": {"app.popular.example belongs to popular.example, a well-known site.", "Known",
			"score 0 of 100"},
	} {
		p := v.get(path)
		p.says(says...)
		for _, not := range []string{"Did it cheat you?", "No reports", "not the same as safe", "No points"} {
			if strings.Contains(p.main(), not) {
				t.Errorf("%s says %q", path, not)
			}
		}
		want(t, path+": green or dashed", len(p.class("known")), 1)
	}
}

// TestAnAnswerIsDrawnAsACut: each kind of evidence is a layer, and those that are missing are outlines.
func TestAnAnswerIsDrawnAsACut(t *testing.T) {
	s := start(t)
	s.starter()
	for path, layers := range map[string]int{"0x098B716B8Aaf21512996dC57EB0615e2383E2f96": 3, "nobody.example": 0} {
		p := s.visitor().get("/screen/" + path)
		want(t, path, []int{len(p.class("cut")), strings.Count(p.html, `<path class="on"`)}, []int{1, layers})
	}
}

// TestAnAnswerShowsWhatIsNamedTogetherWithIt: the five in most reports and then the others, without their levels.
func TestAnAnswerShowsWhatIsNamedTogetherWithIt(t *testing.T) {
	s := start(t)
	sites := []string{"one.example", "b.example", "c.example", "d.example", "e.example", "f.example", "g.example"}
	s.file(draft{"reportedDomains": sites})
	s.file(draft{"reportedDomains": []string{"one.example", "g.example"}})
	s.file(draft{"reportedDomains": []string{"one.example", "h.example"}})
	p := s.visitor().get("/screen/one.example")
	p.says("Named together with it", "2 more")
	var paths []string
	for _, to := range p.links() {
		if strings.HasPrefix(to, "/screen/") {
			paths = append(paths, to)
		}
	}
	want(t, "all, the one in two reports first", []any{len(paths), paths[0]}, []any{7, "/screen/g.example"})
	unfolded := p.class("more")
	want(t, "unfolded", len(unfolded) == 1 && strings.Contains(textOf(unfolded...), "h[.]example"), true)
	want(t, "no level but its own", len(p.class("level")), 0)
	if p := s.visitor().get("/screen/unknown.example"); strings.Contains(p.main(), "Named together") {
		t.Error("nothing is named together with what no report names")
	}
}

func TestAnAnswerLinksToItsExplorer(t *testing.T) {
	s := start(t)
	tron, fault := tocsin.ParseSubject("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
	if fault != nil {
		t.Fatal(fault)
	}
	p := s.visitor().get(screenPath(tron))
	p.says("Nobody has reported this Tron address.", "None of our lists has Tron addresses.")
	want(t, "a link", slices.Contains(p.links(), "https://tronscan.org/#/address/TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
		true)
}
