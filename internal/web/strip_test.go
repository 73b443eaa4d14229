package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// outlines are reports of so many days before now; 0 has no date.
func outlines(days ...int) (list []tocsin.Outline) {
	for _, ago := range days {
		o := tocsin.Outline{CrimeType: tocsin.Phishing}
		if ago > 0 {
			at := tocsin.TimeOf(now.AddDate(0, 0, -ago))
			o.PublishedAt = &at
		}
		list = append(list, o)
	}
	return list
}

// TestALineOfTimeShowsEachReportAndEachList: where it belongs, with what could not be told apart in one mark.
func TestALineOfTimeShowsEachReportAndEachList(t *testing.T) {
	listed, future := sniffed, polkadot
	since, later := tocsin.TimeOf(now.AddDate(0, 0, -500)), tocsin.TimeOf(now.AddDate(0, 0, 5))
	listed.Since, future.Since = &since, &later
	sc := about(anAddress, []tocsin.Listing{listed, future, good}, tocsin.ReporterGroup{Reports: 7})
	line := sc.strip(outlines(1, 1, 1, 250, 0, 1000))
	if line == nil {
		t.Fatal("there is none")
	}
	var ticks, flags, labels []string
	for _, k := range line.Ticks {
		ticks = append(ticks, fmt.Sprintf("%v %d", k.At, k.Height))
	}
	for _, f := range line.Flags {
		flags = append(flags, fmt.Sprintf("%v %v", f.At, f.Left))
	}
	for _, l := range line.Labels {
		labels = append(labels, fmt.Sprintf("%v %s", l.At, l.Text))
	}
	same(t, "reports", ticks, "1% 8", "73.5% 8", "97.5% 11")
	same(t, "lists", flags, "49.5% false")
	same(t, "years", labels, "31.22% 2025", "66.62% 2026")
	want(t, "the rest", []any{line.First.String()[:10], line.Undated, line.Newest}, []any{"2024-02-24", 1, 6})
	want(t, "in words", line.Says, "A line of time from 24 Feb 2024 to 20 Nov 2026. 5 reports are marked. "+
		"ScamSniffer: since 8 Jul 2025.")
	if sc.strip(outlines(3)) == nil || about(anAddress, []tocsin.Listing{good}).strip(nil) != nil ||
		about(anAddress, nil, tocsin.ReporterGroup{Reports: 1}).strip(outlines(3)) != nil {
		t.Error("a line of time has two marks or more")
	}
}

func TestAYearIsShownWhileItLeavesRoomForToday(t *testing.T) {
	years := func(days int) (list []string) {
		for _, l := range about(anAddress, nil, tocsin.ReporterGroup{Reports: 2}).strip(outlines(days, 1)).Labels {
			list = append(list, l.Text)
		}
		return list
	}
	same(t, "four years and a half", years(1700), "2023", "2024", "2025", "2026")
	same(t, "too near to today", years(6000)[len(years(6000))-1:], "2023")
}

// TestManyReportsAreSummedUp: with what they claim, and the years in which nothing was reported.
func TestManyReportsAreSummedUp(t *testing.T) {
	list := outlines(1, 2, 3, 900, 0)
	list[0].CrimeType = tocsin.Hack
	for i, cents := range []tocsin.USD{100_000, 0, 250_000} {
		list[i].AmountLost = &cents
	}
	sum := sumsOf(english(), list, 5)
	want(t, "kinds", sum.Kinds, []bar{{"Phishing", 4, 100}, {"Hack", 1, 25}})
	want(t, "years", sum.Years, []bar{{"2024", 1, 33}, {"2025", 0, 0}, {"2026", 3, 100}})
	want(t, "losses", []any{sum.Claims, sum.Lost, sum.Most}, []any{2, "3,500 USD", "2,500 USD"})
	if sumsOf(english(), list[:4], 4) != nil {
		t.Error("few reports need no sum")
	}
	if bars := yearBars(map[int]int{1999: 1, 2026: 2}); len(bars) != mostYears || bars[0].Name != "2015" {
		t.Errorf("%v", bars)
	}
}

// TestAPageAboutManyReportsSaysOfHowMany: what is on the page is what was read, and the page says so.
func TestAPageAboutManyReportsSaysOfHowMany(t *testing.T) {
	s := start(t)
	for n := range 25 {
		s.file(draft{"reportedDomains": []string{"many.example", "other.example"}, "title": fmt.Sprint("Report ", n),
			"amountLost": 1000})
		s.Sleep(24 * time.Hour)
	}
	p := s.visitor().get("/screen/many.example")
	p.says("The reports at a glance", "25 reports claim a loss: 25,000 USD together, the largest 1,000 USD.",
		"We have not checked the claims.", "Named together with it")
	want(t, "related", textOf(below(p.class("tight")[0], "td")[0]), "25")
	want(t, "the line of time", []any{len(p.class("tick")), attr(below(p.class("time")[0], "svg")[0], "role")},
		[]any{25, "img"})
	v := s.visitor().get("/screen/unknown.example")
	want(t, "of an unknown one", len(v.class("time"))+len(v.class("plots")), 0)
}

// TestAnAnswerAboutTheLargestReportsIsCheap: nobody may make the page of a subject dear by filing about it.
func TestAnAnswerAboutTheLargestReportsIsCheap(t *testing.T) {
	if tocsintest.Race() {
		t.Skip("the race detector takes most of the time")
	}
	s, _ := alone(t, 120)
	filed := 120
	subject, fault := tocsin.ParseSubject(tocsintest.LargestAddress(3))
	if fault != nil {
		t.Fatal(fault)
	}
	read, err := s.db.Outlines(t.Context(), []tocsin.Subject{subject})
	want(t, "a megabyte of 48 KB each", []any{len(read), err}, []any{22, nil})
	path := screenPath(subject)
	cost := tocsintest.CPU(t, func() { s.fileLargest(filed); filed++ }, func() {
		if w := s.serves(httptest.NewRequest("GET", path, nil)); w.Code != http.StatusOK ||
			!strings.Contains(w.Body.String(), "reports at a glance") {
			t.Errorf("%d", w.Code)
		}
	})
	if t.Logf("%s: %v", path, cost); cost > 120*time.Millisecond {
		t.Errorf("%s takes %v of CPU", path, cost)
	}
}
