package tocsin

// ListSize is how many entries a list has had since it was last read whole, and how many it had before it lost any.
type ListSize struct {
	Entries int `json:"entries,omitempty"`
	Peak    int `json:"peak,omitempty"`
	// LostAt is when it was read last with an unusual loss that was new; nil without a loss, or if that is not known.
	LostAt *Time `json:"lostAt,omitempty"`
}

// Read returns the size of a list that was read whole at a time: of the entries on record before, so many are there
// now. An unusual loss is remembered until the entries have come back, or until the operator has forced an import.
func (s ListSize) Read(before, entries int, forced bool, now Time) ListSize {
	peak := max(before, entries)
	switch {
	case forced:
		peak = entries
	case s.UnusualLoss() > 0:
		peak = max(peak, s.Peak)
	}
	read := ListSize{Entries: entries, Peak: peak}
	switch {
	case read.UnusualLoss() == 0:
	case s.UnusualLoss() > 0 && (ListSize{Entries: entries, Peak: before}).UnusualLoss() == 0: // a usual one was added
		read.LostAt = s.LostAt
	default:
		read.LostAt = &now
	}
	return read
}

// Lost is how many of its entries the list has lost.
func (s ListSize) Lost() int { return s.Peak - s.Entries }

// maxUsualLoss is how many entries a list may lose, whatever part of it they are.
const maxUsualLoss = 10

// UnusualLoss returns how many percent of its entries a list has lost if that is unusual, and 0 if not: it is at least
// a tenth of them, and more than ten. A file that has broken off looks like that.
func (s ListSize) UnusualLoss() (percent int) {
	if s.Lost() <= maxUsualLoss || s.Lost()*10 < s.Peak {
		return 0
	}
	return s.Lost() * 100 / s.Peak
}
