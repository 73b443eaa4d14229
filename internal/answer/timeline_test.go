package answer

import (
	"fmt"
	"testing"

	"tocsin"
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
	line := sc.Timeline(outlines(1, 1, 1, 250, 0, 1000))
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
	if line = sc.Timeline(outlines(3)); line == nil || line.First.String()[:10] != "2025-07-08" {
		t.Errorf("of a list and a younger report: %+v", line)
	}
	if about(anAddress, []tocsin.Listing{good}).Timeline(nil) != nil ||
		about(anAddress, nil, tocsin.ReporterGroup{Reports: 1}).Timeline(outlines(3)) != nil {
		t.Error("a line of time has two marks or more")
	}
}

func TestAYearIsShownWhileItLeavesRoomForToday(t *testing.T) {
	years := func(days int) (list []string) {
		for _, l := range about(anAddress, nil, tocsin.ReporterGroup{Reports: 2}).Timeline(outlines(days, 1)).Labels {
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
	sum := about(aSite, nil, tocsin.ReporterGroup{Reports: 5}).Sums(list)
	want(t, "kinds", sum.Kinds, []Bar{{"Phishing", 4, 100}, {"Hack", 1, 25}})
	want(t, "years", sum.Years, []Bar{{"2024", 1, 33}, {"2025", 0, 0}, {"2026", 3, 100}})
	want(t, "losses", []any{sum.Claims, sum.Total, sum.Most}, []any{2, "3,500 USD", "2,500 USD"})
	if about(aSite, nil).Sums(list[:4]) != nil {
		t.Error("few reports need no sum")
	}
	if bars := yearBars(map[int]int{1999: 1, 2026: 2}); len(bars) != mostYears || bars[0].Name != "2015" {
		t.Errorf("%v", bars)
	}
}
