package answer

import (
	"slices"
	"time"

	"tocsin"
)

// Share is the part of one item, such as a list or a report, in the score of a subject.
type Share struct {
	Adds  int          `json:"adds"`  // points that the score would lose without the item
	Left  int          `json:"left"`  // the score without it, from 0 to 100
	Level tocsin.Level `json:"level"` // of that score
}

// Some reports whether the item adds anything by itself.
func (s Share) Some() bool { return s.Adds > 0 }

// Now is the score with the item.
func (s Share) Now() int { return s.Left + s.Adds }

// without screens the subject again with other evidence. Of a name below a safelisted one the score may fall further:
// the protection of the parent, which lists have ended, then begins again.
func (a Answer) without(ev tocsin.Evidence) Share {
	left := tocsin.Assess(ev, a.AsOf.Std()).Score
	return Share{Adds: a.RiskScore - left, Left: left, Level: tocsin.LevelOf(left)}
}

// WithoutLists is the share of all that some lists say against the subject, together. What safelists say stays.
func (a Answer) WithoutLists(names ...string) Share {
	ev := a.Dossier.Evidence
	ev.Listings = slices.DeleteFunc(slices.Clone(ev.Listings), func(l tocsin.Listing) bool {
		return slices.Contains(names, l.List) && (l.Kind == tocsin.Risk || l.Kind == tocsin.Sanction)
	})
	return a.without(ev)
}

// WithoutReports is the share of all reports that were filed here.
func (a Answer) WithoutReports() Share {
	ev := a.Dossier.Evidence
	ev.Reporters = nil
	return a.without(ev)
}

// WithoutReport is the share of one report about the subject. It is nothing for a report of a list, which counts by its
// listing. The other reports of the same reporter keep the date of the newest of them that the dossier holds.
func (a Answer) WithoutReport(r tocsin.Report) Share {
	ev := a.Dossier.Evidence
	if r.Source != tocsin.Community {
		return a.without(ev)
	}
	ev.Reporters = slices.Clone(ev.Reporters)
	by := reporterOf(r)
	i := slices.IndexFunc(ev.Reporters, func(g tocsin.ReporterGroup) bool { return g.Agent == by })
	switch {
	case i < 0:
	case ev.Reporters[i].Reports == 1:
		ev.Reporters = slices.Delete(ev.Reporters, i, i+1)
	default:
		group := &ev.Reporters[i]
		group.Reports--
		if r.CreatedAt == group.Newest {
			for _, other := range a.Dossier.Reports { // newest first
				if other.ID != r.ID && other.Source == tocsin.Community && reporterOf(other) == by {
					group.Newest = other.CreatedAt
					break
				}
			}
		}
	}
	return a.without(ev)
}

// reporterOf is the public id of who filed a report; "" if it is anonymous.
func reporterOf(r tocsin.Report) string {
	if r.Reporter == nil {
		return ""
	}
	return r.Reporter.ID
}

// Worth is what a report that is filed today adds to the score of a subject without other evidence, in points.
type Worth struct {
	Anonymous int // the first anonymous report
	Crowd     int // any number of them
	New       int // a report of a new account
	Settled   int // of an account that is not new any more: see [tocsin.SettledAfter]
	Proven    int // of an account whose earlier reports lists have confirmed
}

// ReportWorth computes the [Worth] of a report by the formula of the score.
func ReportWorth(now time.Time) Worth {
	at := tocsin.TimeOf(now)
	points := func(g tocsin.ReporterGroup) int {
		g.Oldest, g.Newest, g.Reports = at, at, max(g.Reports, 1)
		return tocsin.Assess(tocsin.Evidence{Reporters: []tocsin.ReporterGroup{g}}, now).Score
	}
	settled, later := tocsin.TimeOf(now.Add(-tocsin.SettledAfter)), tocsin.TimeOf(now.Add(time.Hour))
	return Worth{
		Anonymous: points(tocsin.ReporterGroup{}),
		Crowd:     points(tocsin.ReporterGroup{Reports: 1000}),
		New:       points(tocsin.ReporterGroup{Agent: "agt_", Since: at}),
		Settled:   points(tocsin.ReporterGroup{Agent: "agt_", Since: settled}),
		Proven:    points(tocsin.ReporterGroup{Agent: "agt_", Since: settled, ProvenUntil: later}),
	}
}
