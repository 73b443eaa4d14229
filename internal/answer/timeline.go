package answer

import (
	"fmt"
	"math/bits"
	"slices"
	"time"

	"tocsin"
)

// Timeline is a line of time about a subject: each report a tick, each list a flag, and today at its end.
type Timeline struct {
	Ticks   []Tick
	Flags   []Flag
	Labels  []YearLabel
	First   tocsin.Time // the oldest entry with a date
	Undated int         // reports that are not on it, because their date is not known
	Newest  int         // how many of the newest reports are on it; 0 for all
	Says    string      // all of it in words
}

// A Tick stands for one report, or for several that are too near to each other to be told apart: then it is higher.
type Tick struct {
	At     Percent
	Height int // in pixels
}

// Flag is where a list, or some lists, named the subject.
type Flag struct {
	At   Percent
	Left bool // it is too near to the end to point to the right
}

// YearLabel is a year below the line.
type YearLabel struct {
	At   Percent
	Text string
}

// Percent is a part of the width of the line, as SVG writes it.
type Percent float64

// String implements [fmt.Stringer].
func (p Percent) String() string { return fmt.Sprintf("%.4g%%", float64(p)) }

const (
	lineBegin, lineEnd = 1, 98 // percent of the width: of the first entry, and of today
	tickBin            = 0.5   // percent of the width within which reports share a tick
	shortestLine       = 30 * 24 * time.Hour
	labelRoom          = 11 // percent of the width that a year takes on a phone, and today as well
)

// Timeline returns the line of time of the subject, with the reports whose outlines were read; nil if it would show
// fewer than two marks.
func (a Answer) Timeline(reports []tocsin.Outline) *Timeline {
	now := a.AsOf.Std()
	line := &Timeline{First: a.AsOf}
	note := func(t tocsin.Time) {
		if t.Std().Before(line.First.Std()) {
			line.First = t
		}
	}
	if a.FirstReportedAt != nil {
		note(*a.FirstReportedAt)
	}
	var dated []time.Time
	for _, r := range reports {
		if r.PublishedAt == nil {
			line.Undated++
			continue
		}
		dated = append(dated, r.PublishedAt.Std())
		note(*r.PublishedAt)
	}
	var listed []tocsin.Listing
	for _, l := range a.Dossier.Listings {
		if l.Since != nil && (l.Kind == tocsin.Risk || l.Kind == tocsin.Sanction) && !l.Since.Std().After(now) {
			listed = append(listed, l)
			note(*l.Since)
		}
	}
	if len(dated)+len(listed) < 2 {
		return nil
	}
	if len(reports) < a.ReportCount {
		line.Newest = len(reports)
	}
	slices.SortStableFunc(listed, func(a, b tocsin.Listing) int { return a.Since.Std().Compare(b.Since.Std()) })
	from := line.First.Std()
	if now.Sub(from) < shortestLine {
		from = now.Add(-shortestLine)
	}
	at := func(t time.Time) Percent {
		part := float64(t.Sub(from)) / float64(now.Sub(from))
		return Percent(lineBegin + (lineEnd-lineBegin)*min(max(part, 0), 1))
	}
	line.setTicks(dated, at)
	for _, l := range listed {
		here := Flag{At: at(l.Since.Std())}
		here.Left = here.At > 90
		if n := len(line.Flags); n == 0 || here.At-line.Flags[n-1].At > tickBin {
			line.Flags = append(line.Flags, here)
		}
	}
	line.setLabels(from, now, at)
	line.Says = a.timelineText(from, now, len(dated), listed)
	return line
}

// setTicks puts the reports on the line.
func (line *Timeline) setTicks(dated []time.Time, at func(time.Time) Percent) {
	count := map[int]int{} // by bin
	for _, t := range dated {
		count[int(at(t)/tickBin)]++
	}
	for bin, n := range count {
		line.Ticks = append(line.Ticks, Tick{At: Percent(float64(bin) * tickBin), Height: min(5+3*bits.Len(uint(n)), 20)})
	}
	slices.SortFunc(line.Ticks, func(a, b Tick) int { return int(a.At/tickBin) - int(b.At/tickBin) })
}

// setLabels puts years below the line, as many as a phone has room for.
func (line *Timeline) setLabels(from, now time.Time, at func(time.Time) Percent) {
	if from.Year() == now.Year() {
		return
	}
	last := Percent(lineBegin)
	for year := from.Year() + 1; year <= now.Year(); year++ {
		here := at(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
		if here-last >= labelRoom && here <= lineEnd-1.5*labelRoom {
			line.Labels = append(line.Labels, YearLabel{here, fmt.Sprint(year)})
			last = here
		}
	}
}

// timelineText says what the line shows.
func (a Answer) timelineText(from, now time.Time, reports int, listed []tocsin.Listing) string {
	t, day := a.Lang.Text, a.Lang.Day
	text := []string{t("A line of time from %s to %s.", day(from), day(now))}
	if reports > 0 {
		text = append(text, t("%d reports are marked.", reports))
	}
	for _, l := range listed {
		text = append(text, t("%s: since %s.", ListTitle(a.Lang, l.List), day(l.Since.Std())))
	}
	return a.Lang.Sentences(slices.Compact(text)...)
}
