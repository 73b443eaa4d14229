package web

import (
	"fmt"
	"strings"
	"time"

	"tocsin/internal/health"
	"tocsin/internal/locale"
)

// pastDay is what became of a part in the last day, a line of the status page.
type pastDay struct {
	Name  locale.Key
	Says  string
	Marks dayMarks
}

// dayMarks are the steps of a day as paths of an SVG that is 4 wide for each and 16 high: those in which all was well,
// and those in which something failed. Those that are not known have no mark.
type dayMarks struct{ Well, Failed string }

// dayNames name the parts of which the status page shows the last day.
var dayNames = map[health.Part]locale.Key{
	health.Database:    "Database",
	health.Events:      "Changes in the database",
	health.Writes:      "Writing to the database",
	health.Disk:        "Disk space",
	health.Clock:       "Clock",
	health.ReadModel:   "Look-ups from memory",
	health.Imports:     "Reading lists",
	health.Facilitator: "Facilitator",
	health.Load:        "Room for all requests",
	health.Log:         "Log",
	health.Mode:        "Recording, which the operator may switch off",
}

// shownIfFailed are the parts that have a line only if something failed: they mean little to most.
var shownIfFailed = map[health.Part]bool{health.Events: true, health.Clock: true, health.Log: true, health.Mode: true}

// lastDay returns the last day, and for how long this process has seen it; "" if that is all of the day.
func (s *Site) lastDay(p *locale.Printer) (lines []pastDay, seen string) {
	day, now := s.api.LastDay(), s.config.Now()
	if day.Since.After(day.Start) {
		seen = p.Span(now.Sub(day.Since))
	}
	for _, d := range day.Parts {
		if len(d.Steps) > 0 || !shownIfFailed[d.Part] {
			lines = append(lines, pastDay{Name: dayNames[d.Part], Says: daySays(p, d, now), Marks: marksOf(day, d)})
		}
	}
	return lines, seen
}

// daySays sums a day up.
func daySays(p *locale.Printer, d health.PartDay, now time.Time) string {
	ago := p.Span(now.Sub(d.Last))
	switch {
	case len(d.Steps) == 0 && d.Works:
		return p.Text("nothing failed")
	case d.Part == health.Mode && !d.Works:
		return p.Text("switched off for %s in all, and still so", p.Span(d.Failing))
	case d.Part == health.Mode:
		return p.Text("switched off for %s in all, last %s ago", p.Span(d.Failing), ago)
	case !d.Works:
		return p.Text("failed for %s in all, and still so", p.Span(d.Failing))
	case d.Failing > 0:
		return p.Text("failed for %s in all, last %s ago", p.Span(d.Failing), ago)
	}
	return p.Text("%d failures, last %s ago", d.Count, ago)
}

// marksOf draws the last day of a part.
func marksOf(day health.LastDay, d health.PartDay) dayMarks {
	failed := map[int]bool{}
	for _, step := range d.Steps {
		failed[int(step.Start.Sub(day.Start)/health.Step)] = true
	}
	var well, not strings.Builder
	for i := range health.Steps {
		switch {
		case failed[i]:
			fmt.Fprintf(&not, "M%d 0h3v16h-3z", 4*i)
		case day.Start.Add(time.Duration(i+1) * health.Step).After(day.Since):
			fmt.Fprintf(&well, "M%d 12h3v4h-3z", 4*i)
		}
	}
	return dayMarks{well.String(), not.String()}
}
