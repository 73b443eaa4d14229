package web

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"tocsin"
)

// strip is a line of time about a subject: each report a tick, each list a flag, and today at its end.
type strip struct {
	Ticks   []tick
	Flags   []flag
	Labels  []label
	First   tocsin.Time // the oldest entry with a date
	Undated int         // reports that are not on it, because their date is not known
	Newest  int         // how many of the newest reports are on it; 0 for all
	Says    string      // all of it in words
}

// A tick stands for one report, or for several that are too near to each other to be told apart: then it is higher.
type tick struct {
	At     percent
	Height int // in pixels
}

// flag is where a list, or some lists, named the subject.
type flag struct {
	At   percent
	Left bool // it is too near to the end to point to the right
}

// label is a year below the line.
type label struct {
	At   percent
	Text string
}

// percent is a part of the width of the line, as SVG writes it.
type percent float64

// String implements [fmt.Stringer].
func (p percent) String() string { return fmt.Sprintf("%.4g%%", float64(p)) }

const (
	stripBegin, stripEnd = 1, 98 // percent of the width: of the first entry, and of today
	stripBin             = 0.5   // percent of the width within which reports share a tick
	shortestStrip        = 30 * 24 * time.Hour
	labelRoom            = 11 // percent of the width that a year takes on a phone, and today as well
)

// strip returns the line of time of the subject, with the reports whose outlines were read; nil if it would show
// fewer than two marks.
func (sc screening) strip(reports []tocsin.Outline) *strip {
	now := sc.AsOf.Std()
	st := &strip{First: sc.AsOf}
	note := func(t tocsin.Time) {
		if t.Std().Before(st.First.Std()) {
			st.First = t
		}
	}
	if sc.FirstReportedAt != nil {
		note(*sc.FirstReportedAt)
	}
	var dated []time.Time
	for _, r := range reports {
		if r.PublishedAt == nil {
			st.Undated++
			continue
		}
		dated = append(dated, r.PublishedAt.Std())
		note(*r.PublishedAt)
	}
	var listed []tocsin.Listing
	for _, l := range sc.dossier.Listings {
		if l.Since != nil && (l.Kind == tocsin.Risk || l.Kind == tocsin.Sanction) && !l.Since.Std().After(now) {
			listed = append(listed, l)
			note(*l.Since)
		}
	}
	if len(dated)+len(listed) < 2 {
		return nil
	}
	if len(reports) < sc.ReportCount {
		st.Newest = len(reports)
	}
	slices.SortStableFunc(listed, func(a, b tocsin.Listing) int { return a.Since.Std().Compare(b.Since.Std()) })
	from := st.First.Std()
	if now.Sub(from) < shortestStrip {
		from = now.Add(-shortestStrip)
	}
	at := func(t time.Time) percent {
		part := float64(t.Sub(from)) / float64(now.Sub(from))
		return percent(stripBegin + (stripEnd-stripBegin)*min(max(part, 0), 1))
	}
	st.setTicks(dated, at)
	for _, l := range listed {
		here := flag{At: at(l.Since.Std())}
		here.Left = here.At > 90
		if n := len(st.Flags); n == 0 || here.At-st.Flags[n-1].At > stripBin {
			st.Flags = append(st.Flags, here)
		}
	}
	st.setLabels(from, now, at)
	st.Says = sc.stripText(from, now, len(dated), listed)
	return st
}

// setTicks puts the reports on the line.
func (st *strip) setTicks(dated []time.Time, at func(time.Time) percent) {
	count := map[int]int{} // by bin
	for _, t := range dated {
		count[int(at(t)/stripBin)]++
	}
	for bin, n := range count {
		st.Ticks = append(st.Ticks, tick{At: percent(float64(bin) * stripBin), Height: min(5+3*bits.Len(uint(n)), 20)})
	}
	slices.SortFunc(st.Ticks, func(a, b tick) int { return int(a.At/stripBin) - int(b.At/stripBin) })
}

// setLabels puts years below the line, as many as a phone has room for.
func (st *strip) setLabels(from, now time.Time, at func(time.Time) percent) {
	if from.Year() == now.Year() {
		return
	}
	last := percent(stripBegin)
	for year := from.Year() + 1; year <= now.Year(); year++ {
		here := at(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
		if here-last >= labelRoom && here <= stripEnd-1.5*labelRoom {
			st.Labels = append(st.Labels, label{here, fmt.Sprint(year)})
			last = here
		}
	}
}

// stripText says what the line shows.
func (sc screening) stripText(from, now time.Time, reports int, listed []tocsin.Listing) string {
	t, day := sc.lang.Text, sc.lang.Day
	text := []string{t("A line of time from %s to %s.", day(from), day(now))}
	if reports > 0 {
		text = append(text, t("%d reports are marked.", reports))
	}
	for _, l := range listed {
		text = append(text, t("%s: since %s.", listTitle(l.List), day(l.Since.Std())))
	}
	return strings.Join(slices.Compact(text), " ")
}
