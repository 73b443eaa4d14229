package tocsin

import (
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Naming is one subject that a key has named, as far as it is part of the key's record.
type Naming struct {
	At       Time     // of a confirmed subject when the key first named it, of any other when it last did
	Families []string // of the lists that confirm it; none: a miss
}

const (
	// ProvenAfter is how long after a report lists must name its subject to confirm it.
	ProvenAfter = 24 * time.Hour
	// ProofWindow is how long what a key has named is part of its record, and how long its reports count as proven.
	ProofWindow = 180 * 24 * time.Hour
	// PrunedAfter is how long a list must have named a subject so that it may withdraw it without making it a miss of
	// those who named it before: a list that withdraws an entry sooner has corrected a mistake.
	PrunedAfter = 30 * 24 * time.Hour
	// ProofSubjects is how many subjects a report may name so that they can be confirmed.
	ProofSubjects = 5

	proofConfirmed = 10    // the fewest confirmed subjects
	proofOthers    = 3     // of them without the family that confirms most alone
	proofPrecision = 0.5   // that the key reaches or exceeds with the certainty of proofZ
	proofZ         = 1.645 // quantile of the normal distribution: 95 %, one-sided
)

// ProvenUntil returns until when a key is proven for one kind of subject, by its record of that kind: at every moment
// before, the part of the record that is younger than [ProofWindow] proves it. The zero time means that it is not
// proven now. What the key names later, and what is confirmed later, change the answer.
func ProvenUntil(record []Naming, now time.Time) Time {
	record = slices.DeleteFunc(slices.Clone(record), func(n Naming) bool { return now.Sub(n.At.Std()) >= ProofWindow })
	slices.SortFunc(record, func(a, b Naming) int { return a.At.Std().Compare(b.At.Std()) })
	confirmed, missed, alone := 0, 0, map[string]int{} // alone: subjects that one family alone confirms
	count := func(n Naming, by int) {
		switch len(n.Families) {
		case 0:
			missed += by
			return
		case 1:
			alone[n.Families[0]] += by
		}
		confirmed += by
	}
	for _, n := range record {
		count(n, 1)
	}
	proven := func() bool {
		most := 0
		for _, n := range alone {
			most = max(most, n)
		}
		return confirmed-most >= proofOthers && ProvesStill(confirmed, missed)
	}
	if !proven() {
		return Time{}
	}
	var until Time
	for _, n := range record { // what is named first fades first
		until = TimeOf(n.At.Std().Add(ProofWindow))
		if count(n, -1); !proven() {
			break
		}
	}
	return until
}

// ProvesStill reports whether the numbers of confirmed subjects and of misses are enough to prove a key: at least ten
// confirmed, and a precision of one half with a confidence of 95 %.
func ProvesStill(confirmed, missed int) bool {
	return confirmed >= proofConfirmed && precision(confirmed, missed) >= proofPrecision
}

// precision returns the lower bound of the confirmed share in what a key names (one subject at least): that of the
// score interval of E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).
func precision(confirmed, missed int) float64 {
	n := float64(confirmed + missed)
	p, z2 := float64(confirmed)/n, proofZ*proofZ
	return (p + z2/(2*n) - proofZ*math.Sqrt(p*(1-p)/n+z2/(4*n*n))) / (1 + z2/n)
}

// Confirmable reports whether a list that names the subject can confirm the report of a key: an address, or a domain
// that was registered. Names below a registered domain and names that a hosting service gives away cost nothing.
func (s Subject) Confirmable() bool {
	if s.Kind != DNS {
		return true
	}
	_, parent, _ := strings.Cut(s.Value, ".")
	suffix, registry := publicsuffix.PublicSuffix(s.Value)
	_, shared := sharedHosts[s.Value]
	return registry && parent == suffix && !shared
}

// Proven reports whether the key's reports about the subject count as proven: its proof is not over, and the newest of
// them is part of the record that the proof rests on.
func (g ReporterGroup) Proven(now time.Time) bool {
	return g.ProvenUntil.Std().After(now) && now.Sub(g.Newest.Std()) < ProofWindow
}
