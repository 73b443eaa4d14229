package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestToFileAReportIsNoWayToScreenForFree: without a key and with one. No page tells the level of what a stranger has
// filed, but to those who have looked it up. Who files by the form is shown what they name, for the case file.
func TestToFileAReportIsNoWayToScreenForFree(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	s.starter() // the thief is sanctioned
	listed := []string{"listed.example", "listed-too.example"}
	for _, list := range []string{"scamsniffer", "polkadot"} {
		s.list(list, list, tocsin.Risk, "phishing", append(listed, nobody, other)...)
	}
	levels := func(about string, p *response, want int) {
		t.Helper()
		main, n := p.main(), len(p.class("level"))
		if n != want || want == 0 && strings.Contains(main, "1 list") || want == 0 && strings.Contains(main, "2 list") {
			t.Errorf("%s: %d levels are shown, not %d: %s", about, n, want, main)
		}
	}
	named := draft{"scammerAddresses": []string{thief, nobody, other}, "reportedDomains": listed,
		"evidence": draft{"urls": []string{"https://unknown.example/a", "https://listed.example/b"}}}
	a := tocsintest.NewAccount(t)
	key := "x-api-key: " + s.key(a.Address, "", nil)
	for about, headers := range map[string][]string{"without a key": nil, "with a key": {key}} {
		named["title"] = "Zebra " + about
		one := s.file(named, headers...)
		v := s.visitor()
		levels(about, v.get("/reports/"+one.ID), 0)
		levels(about+", in the search", v.get("/reports?q=zebra"), 0)
		v.get("/reports").says("Zebra " + about)
		levels(about+", a wrong token", v.post("/reports/"+one.ID+"/withdraw", fields{"token": "man_x"}), 0)
		v.get("/reports/" + one.ID).says("Look it up")
		for _, n := range v.get("/").class("entry") {
			if strings.Contains(textOf(n), "Zebra") && len(below(n, "svg")) > 0 {
				t.Errorf("the home page: %s", textOf(n))
			}
		}
	}
	v := s.visitor()
	sent := v.do(http.MethodPost, "/report", aForm.with(fields{thingsField: thief + "\n" + listed[0],
		onceField: v.get("/report").value(onceField)}))
	at := sent.header.Get("Location")
	levels("the receipt", v.get(at), 0)
	report := strings.TrimSuffix(at, "/receipt")
	// That is counted as what is read by following links is: within a budget of the network.
	levels("the report of who filed it", v.get(report), 2)
	v.get(report+"/case").says("Critical", "1 sanctions entry", "2 lists")
	want(t, "another", v.statuses(nil, "/screen/unlisted.example", "/screen/unlisted-too.example"), []int{200, 429})
}

// TestTheReportOfAListShowsLevels: nobody can choose what it names.
func TestTheReportOfAListShowsLevels(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	found := v.get("/reports?q=ronin").class("entry")[0]
	want(t, "in a list", strings.Contains(textOf(found), "Critical"), true)
	p := v.get(attr(below(found, "a")[0], "href"))
	p.says("Level now", "Critical", "1 sanctions entry, 1 list, this report")
	want(t, "nothing to look up", slices.Contains(strings.Fields(p.main()), "Look"), false)
}
