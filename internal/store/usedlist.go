package store

import "tocsin"

// UsedList is the version of a list that answers rest on, for an audit.
type UsedList struct {
	Name   string       `json:"list"`
	Date   *tocsin.Time `json:"listDate"` // its own; nil if it is not known
	ReadAt tocsin.Time  `json:"readAt"`
	// Recorded is since when what it says and drops is on record here; nil if that is not known.
	Recorded *tocsin.Time      `json:"recordedSince"`
	Files    []tocsin.ListFile `json:"files"` // as they were read; empty if that is not known
	// Rows is how many rows it has, Screened how many of them were taken, and NotScreened are those of a list of
	// sanctions that were not, at most [tocsin.MaxUntaken].
	Rows        int      `json:"rows"`
	Screened    int      `json:"screened"`
	NotScreened []string `json:"notScreened,omitempty"`
}

// UsedLists are the versions of all lists.
func (st Stats) UsedLists() []UsedList {
	lists := []UsedList{}
	for _, l := range st.Lists {
		lists = append(lists, UsedList{
			Name: l.Name, Date: l.Version.Date, ReadAt: l.Imported, Recorded: l.Recorded,
			Files: append([]tocsin.ListFile{}, l.Version.Files...),
			Rows:  l.Version.Rows(), Screened: l.Version.Entries, NotScreened: l.Version.Untaken,
		})
	}
	return lists
}
