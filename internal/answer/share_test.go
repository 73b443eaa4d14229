package answer

import (
	"testing"

	"tocsin"
)

// TestWithoutAReportTheNextOfItsReporterCounts: not one of another reporter, nor of a list.
func TestWithoutAReportTheNextOfItsReporterCounts(t *testing.T) {
	ago := func(years int) tocsin.Time { return tocsin.TimeOf(now.AddDate(-years, 0, 0)) }
	report := func(id, source, by string, years int) tocsin.Report {
		r := tocsin.Report{ID: id, Source: source, CreatedAt: ago(years)}
		if by != "" {
			r.Reporter = &tocsin.Reporter{ID: by}
		}
		return r
	}
	group := func(agent string, reports, newest int) tocsin.ReporterGroup {
		return tocsin.ReporterGroup{Agent: agent, Reports: reports, Since: ago(9), Oldest: ago(8), Newest: ago(newest),
			Network: len(agent)}
	}
	of := func(groups ...tocsin.ReporterGroup) tocsin.Evidence { return tocsin.Evidence{Reporters: groups} }
	a := about(anAddress, nil)
	a.Dossier.Evidence = of(group("a", 2, 0), group("bb", 1, 2), group("", 2, 1))
	a.Dossier.Reports = []tocsin.Report{report("1", tocsin.Community, "a", 0), report("2", tocsin.Community, "", 1),
		report("3", tocsin.Community, "bb", 2), report("4", "a list", "a", 3), report("5", tocsin.Community, "a", 6),
		report("6", tocsin.Community, "", 7)}
	a.Screening = tocsin.Screen(a.Dossier, now)
	for i, left := range []tocsin.Evidence{
		of(group("a", 1, 6), group("bb", 1, 2), group("", 2, 1)),
		of(group("a", 2, 0), group("bb", 1, 2), group("", 1, 7)),
		of(group("a", 2, 0), group("", 2, 1)),
		a.Dossier.Evidence,
		of(group("a", 1, 0), group("bb", 1, 2), group("", 2, 1)),
		of(group("a", 2, 0), group("bb", 1, 2), group("", 1, 1)),
	} {
		score := tocsin.Assess(left, now).Score
		want(t, a.Dossier.Reports[i].ID, a.WithoutReport(a.Dossier.Reports[i]),
			Share{Adds: a.RiskScore - score, Left: score, Level: tocsin.LevelOf(score)})
	}
	want(t, "of no reporter", a.WithoutReport(report("7", tocsin.Community, "unknown", 0)).Adds, 0)
	want(t, "all of them", a.WithoutReports(), Share{Adds: a.RiskScore, Left: 0, Level: tocsin.Clean})
}
