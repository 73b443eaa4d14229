package limits

import "net/netip"

// Each budget that is counted by network or by caller has a share of the memory of its own: who floods one with keys
// makes no other forget.

const (
	defaultBound = 2 << 20 // bytes
	// looks is how many keys are looked at for idle ones before a busy one is dropped: enough that idle ones are
	// found while they are many, and few enough that a flood of keys costs no scans.
	looks = 8
)

// bound divides memory, in bytes, among the budgets.
func (b *Budgets) bound(memory int) {
	bounds := []*int{&b.Filings.bound, &b.KeyedFilings.bound, &b.Subjects.bound, &b.KeyedSubjects.bound,
		&b.AgentSubjects.bound, &b.Withdrawals.bound, &b.SignIns.bound, &b.Guesses.bound, &b.Lookups.bound,
		&b.UncountedLookups.bound, &b.FreeSearches.bound, &b.Resolutions.bound, &b.Hints.bound}
	for _, window := range []*Window[netip.Prefix]{b.FiledBytes, b.Requests} {
		if window != nil {
			bounds = append(bounds, &window.bound)
		}
	}
	for _, shared := range []*Shared{b.TotalFilings, b.TotalFiledBytes, b.TotalResolutions} {
		if shared != nil {
			bounds = append(bounds, &shared.parts.bound)
		}
	}
	for _, counts := range []*PerDay[netip.Prefix]{b.NewAgents, b.NetworkCalls} {
		if counts != nil {
			bounds = append(bounds, &counts.bound)
		}
	}
	for _, bound := range bounds {
		*bound = memory / len(bounds)
	}
}

// churned is how many bytes a map takes for an entry of so many when keys come and go all the time: its tables are
// about a quarter full then.
func churned(entry uintptr) int { return int(entry+1) * 4 }
