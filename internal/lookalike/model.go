package lookalike

import (
	"math"
	"time"
)

// Model scores names. It never changes after it was trained or read, so any number of goroutines may use it.
type Model struct {
	Info
	Against Comparison // with the former model, of one that [Train] has made; it is not in the file
	weights []float32  // by place; the last one is the bias
	parents map[string]bool
}

// Info is what is known of a model beside its weights.
type Info struct {
	FeatureVersion int       `json:"featureVersion"`
	Version        string    `json:"version"` // the cut-off and the beginning of the hash of what it learnt from
	Cutoff         time.Time `json:"cutoff"`  // nothing that was listed later was learnt
	Fraud          int       `json:"fraud"`   // names that were learnt, by what lists say of them
	Innocent       int       `json:"innocent"`
	Own            Limits    `json:"own"`         // for names under an ordinary suffix
	Tenants        Limits    `json:"tenants"`     // for names under a provider that gives them to its users
	TenantsFrom    float64   `json:"tenantsFrom"` // the margin of a tenant that ranks like Own.Elevated
	KnownTenants   int       `json:"knownTenants"`
	Scale          float64   `json:"scale"` // makes a score of a margin
	Offset         float64   `json:"offset"`
	Recent         int       `json:"recent"`       // fraudulent names first listed in the 60 days before RecentUntil
	RecentUntil    time.Time `json:"recentUntil"`  // up to which the lists named what was new; at most the cut-off
	RecentRecall   float64   `json:"recentRecall"` // the share of them that would be flagged, learnt from the others
	TokenRate      float64   `json:"tokenRate"`    // sites of tokens that would be flagged, 0 to 1
	Parents        []string  `json:"parents"`      // the providers about whose tenants something is predicted
}

// Limits are the margins that a share of innocent names exceeds, measured on names that the model had not learnt.
type Limits struct {
	Strict   float64 `json:"strict"`   // 0.05 %
	Elevated float64 `json:"elevated"` // 0.1 %
	Low      float64 `json:"low"`      // 1 %
}

// Level says how a prediction is to be taken.
type Level string

// The levels.
const (
	None     Level = "none"     // as 99 of 100 popular sites
	Low      Level = "low"      // look closer: one popular site in 100 is there
	Elevated Level = "elevated" // suspicious: one popular site in 1,000 is there
)

// Prediction is what a model says of a name that no list has.
type Prediction struct {
	Score        float64 // above 0 and below 1, for ranking; no probability
	Level        Level
	Reasons      []Reason // the largest first
	ModelVersion string
}

// covers reports whether the model says something about such a name: of tenants it does so where enough are listed.
func (m *Model) covers(n *name) bool { return !n.hosted || m.parents[n.suffix] }

// surplus returns how far a name is above the margin from which names of its own are elevated, or above the one that
// is its like for tenants. Names are ranked by it.
func (m *Model) surplus(n *name, f *features) float64 {
	return margin(m.weights, f.place[:f.n]) - m.from(n)
}

func (m *Model) from(n *name) float64 {
	if n.hosted {
		return m.TenantsFrom
	}
	return m.Own.Elevated
}

func (m *Model) limits(n *name) Limits {
	if n.hosted {
		return m.Tenants
	}
	return m.Own
}

// level returns the level of a surplus.
func (m *Model) level(n *name, surplus float64) Level {
	switch l, margin := m.limits(n), surplus+m.from(n); {
	case margin >= l.Elevated:
		return Elevated
	case margin >= l.Low:
		return Low
	}
	return None
}

// score makes a score of a surplus. It rises with it. Towards 0 and 1 it does so ever more slowly, so that six digits
// tell names apart; what is calibrated is from 0.02 to 0.98.
func (m *Model) score(surplus float64) float64 {
	const calibrated = 4
	x := m.Scale*surplus + m.Offset
	if over := math.Abs(x) - calibrated; over > 0 {
		x = math.Copysign(calibrated+math.Log1p(2*over)/2, x)
	}
	return 1 / (1 + math.Exp(-x))
}
