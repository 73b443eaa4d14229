package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

// TestTheHomePageShowsAnAnswerThatItsPageGivesToo: that of the thief, if he is on record.
func TestTheHomePageShowsAnAnswerThatItsPageGivesToo(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	v := s.visitor()
	v.get("/").says("Five answers")
	s.starter()
	want(t, "look-ups", v.statuses(nil, "/screen/one.example", "/screen/two.example"), []int{200, 429})
	p := v.get("/")
	plate := textOf(p.class("brief")[0])
	want(t, "the legend", strings.Contains(p.main(), "Five answers"), false)
	answer := v.get(linkOf(t, p, "See the whole answer"))
	want(t, "its page, for a visitor without a look-up", answer.status, 200)
	for _, words := range []string{answer.h1(), textOf(answer.class("lead")[0]), textOf(answer.class("state")[0])} {
		if !strings.Contains(plate, words) {
			t.Errorf("%q is not in %q", words, plate)
		}
	}
}

func TestReportsStandUnderTheirDays(t *testing.T) {
	at := func(day int64, minute int64) *tocsin.Time {
		m := tocsin.MicroTime(day*86_400e6 + minute*60e6)
		return &m
	}
	var rows []reportRow
	for _, published := range []*tocsin.Time{at(9, 1439), at(9, 0), at(8, 1439), nil, nil} {
		rows = append(rows, reportRow{Report: tocsin.Report{PublishedAt: published}})
	}
	var got []string
	for _, d := range reportDays(rows) {
		when := "none"
		if d.At != nil {
			when = d.At.Std().UTC().Format(time.DateOnly)
		}
		var clocks []string
		for _, r := range d.Reports {
			clocks = append(clocks, r.Clock())
		}
		got = append(got, fmt.Sprintf("%s %q %v", when, clocks, d.Reports[0].InDay))
	}
	same(t, "days", got, `1970-01-10 ["23:59 UTC" ""] true`, `1970-01-09 ["23:59 UTC"] true`, `none ["" ""] true`)
	want(t, "of nothing", len(reportDays(nil)), 0)
}

// TestReportsAreFilteredBySource, as the API filters them, and by kind with it.
func TestReportsAreFilteredBySource(t *testing.T) {
	s := start(t)
	v := s.visitor()
	s.file(draft{"crimeType": "phishing", "title": "Filed in this place", "reportedDomains": []string{"one.example"}})
	want(t, "of one source there is no choice", strings.Contains(v.get("/reports").main(), "Filed here"), false)
	s.starter()
	s.Sleep(time.Minute) // until the numbers are read anew
	p := v.get("/reports")
	here := v.get(linkOf(t, p, "Filed here"))
	titles, _ := rowsOf(here)
	same(t, "filed here", titles, "Filed in this place")
	want(t, "the day", textOf(below(here.class("day")[0], "h2")...), "Today")
	list := v.get(linkOf(t, p, "Tocsin starter set"))
	titles, _ = rowsOf(list)
	want(t, "of a list", []any{len(titles), slices.Contains(titles, "Filed in this place")}, []any{perPage, false})
	older, err := url.Parse(linkOf(t, list, "Older reports"))
	want(t, "its next page", []any{err, older.Query().Get("source")}, []any{nil, "starter"})
	v.get("/reports?source=community&crimeType=hack").says("There are no such reports of this source",
		"Browse all reports")
	want(t, "a source that is none", v.get("/reports?source=nonsense").status, 400)
	found := v.get("/reports?source=community&q=ronin") // the API has no search of one source
	if titles, _ := rowsOf(found); len(titles) == 0 || strings.Contains(found.html, "source=") {
		t.Error(found)
	}
}

// TestTheStatusNamesTheOldestListFirst, and what brings it up to date.
func TestTheStatusNamesTheOldestListFirst(t *testing.T) {
	s := start(t)
	s.list("own", "own", tocsin.Risk, "phishing", "own.example")
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "a.example")
	s.Sleep(4 * 24 * time.Hour)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "b.example")
	p := s.visitor().get("/status")
	stale := p.class("stale")
	want(t, "stale", []any{len(stale), strings.Contains(textOf(stale...), "tocsin import scamsniffer")}, []any{2, true})
	st, err := s.db.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range (stats{st}).ByAge() {
		names = append(names, l.Name)
	}
	same(t, "by age", names, "own", "scamsniffer", "polkadot")
	own := store.ListStats{Name: "starter", Imported: tocsin.MicroTime(1)}
	st.Lists = append([]store.ListStats{own}, st.Lists...)
	want(t, "one that nobody publishes", (stats{st}).ByAge()[len(st.Lists)-1].Name, "starter")
}

func TestTheStatusSaysWhyNoNewModelIsInUse(t *testing.T) {
	refused := ""
	s := start(t, func(c *setup) { c.Refused = func() string { return refused } })
	v := s.visitor()
	for why, said := range refusedModels {
		refused = why
		v.get("/status").says(string(said))
	}
	for why, said := range trainings {
		if err := s.db.NoteTraining(t.Context(), store.Training{Result: store.TrainingFailed, Reason: why}); err != nil {
			t.Fatal(err)
		}
		s.Sleep(2 * time.Hour)
		v.get("/status").says(fmt.Sprintf(string(said), "2 h"))
	}
}
