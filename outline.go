package tocsin

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Outline is what a summary of many reports needs of one.
type Outline struct {
	CrimeType   CrimeType
	PublishedAt *Time // the date of the source; nil: not known
	AmountLost  *USD  // as the reporter claims; nil: no claim
	Subjects    []Subject
	Handles     []string // as [Handle.String] returns them
}

// Outline returns the outline of a report.
func (r *Report) Outline() Outline {
	return Outline{
		CrimeType:   r.CrimeType,
		PublishedAt: r.PublishedAt,
		AmountLost:  r.AmountLost,
		Subjects:    r.Subjects(),
		Handles:     r.ReportedHandles,
	}
}

// Related is a subject that reports name together with another.
type Related struct {
	Subject
	Reports int // that name both
}

// NamedTogether returns the subjects that reports name beside those that were asked for, those in most reports first.
func NamedTogether(reports []Outline, asked ...Subject) []Related {
	count := map[Subject]int{}
	for _, r := range reports {
		for _, s := range r.Subjects {
			count[s]++
		}
	}
	for _, s := range asked {
		delete(count, s)
	}
	related := make([]Related, 0, len(count))
	for s, n := range count {
		related = append(related, Related{s, n})
	}
	slices.SortFunc(related, func(a, b Related) int {
		return cmp.Or(b.Reports-a.Reports, strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Value, b.Value))
	})
	return related
}

// HandlesNamed returns the handles that reports name, each once, those in most reports first.
func HandlesNamed(reports []Outline) []string {
	count := map[string]int{}
	for _, r := range reports {
		for _, h := range r.Handles {
			count[h]++
		}
	}
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
}
