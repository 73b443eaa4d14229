package lookalike

import (
	"math"
	"slices"
	"time"

	"tocsin"
)

const (
	recentDays = 60 * 24 * time.Hour // what counts as recent
	minRecent  = 100                 // with fewer names a share says little
	clearly    = 0.05                // by how much a model finds less than another that is worse
)

// covered returns the last moment, at the cut-off or before, up to which the lists name what is new: in the 60 days
// before it they first named 100 frauds or more. Lists that nobody has updated end long before the day on which they
// are learnt. Without dates it is the cut-off.
func covered(samples []sample, cutoff time.Time) time.Time {
	var since []time.Time
	for i := range samples {
		if s := &samples[i]; s.Fraud && !s.Since.IsZero() {
			since = append(since, s.Since)
		}
	}
	slices.SortFunc(since, func(a, b time.Time) int { return b.Compare(a) })
	for i := range len(since) - minRecent + 1 {
		if since[i].Sub(since[i+minRecent-1]) < recentDays {
			return since[i]
		}
	}
	return cutoff
}

// recent reports whether a sample is one of the frauds that were first listed in the last 60 days that lists cover.
func (t *training) recent(s *sample) bool {
	age := t.covered.Sub(s.Since)
	return s.Fraud && !s.Since.IsZero() && age >= 0 && age < recentDays
}

// flags reports whether a model with such a margin for a sample would flag it.
func (m *Model) flags(s *sample, margin float64) bool {
	if s.hosted {
		return m.parents[parentOf(s)] && margin >= m.Tenants.Elevated
	}
	return margin >= m.Own.Elevated
}

// rates notes how the model does on names that it had not learnt.
func (t *training) rates(m *Model) {
	m.RecentUntil = t.covered
	sites, flagged := 0, 0
	for i := range t.samples {
		s := &t.samples[i]
		hit := m.flags(s, t.margins[i])
		switch {
		case t.recent(s):
			m.Recent++
			if hit {
				m.RecentRecall++
			}
		case !s.Fraud && s.Class == tocsin.TokenSite:
			sites++
			if hit {
				flagged++
			}
		}
	}
	m.RecentRecall /= float64(max(m.Recent, 1))
	m.TokenRate = float64(flagged) / float64(max(sites, 1))
}

// Comparison says how a model does beside the former one. The shares are those of Names that each flags or, if Names is
// 0, of what was recent when each was trained.
type Comparison struct {
	Names   int     // recent ones that neither had learnt; 0 if they were too few
	Is, Was float64 // the shares of the new model and of the former
	Worse   bool    // the new one finds clearly less, and by more than chance explains
}

// compare measures both models on the recent names that the former has not learnt, since they were listed after its
// cut-off. The margins of the new one are by folds, so it has not learnt them either. If there are fewer than 100 such
// names, the share that each model has noted of its own recent names is compared.
func (t *training) compare(m, former *Model) (c Comparison) {
	if former == nil || former.FeatureVersion != m.FeatureVersion || m.Recent < minRecent {
		return c
	}
	is, was, names := 0, 0, 0
	for i := range t.samples {
		s := &t.samples[i]
		if !t.recent(s) || !s.Since.After(former.Cutoff) {
			continue
		}
		names++
		if m.flags(s, t.margins[i]) {
			is++
		}
		if former.flags(s, margin(former.weights, t.set.of(i))) {
			was++
		}
	}
	of := names
	if c.Names = names; names < minRecent {
		if c.Names = 0; former.Recent < minRecent {
			return c
		}
		is, of = int(math.Round(m.RecentRecall*float64(m.Recent))), m.Recent
		c.Was = former.RecentRecall
	} else {
		c.Was = float64(was) / float64(names)
	}
	c.Is = float64(is) / float64(of)
	_, high := Wilson(is, of)
	c.Worse = high < c.Was-clearly
	return c
}
