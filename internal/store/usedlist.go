package store

import "tocsin"

// UsedList is the version of a list that answers rest on, for an audit.
type UsedList struct {
	Name   string            `json:"list"`
	Date   *tocsin.Time      `json:"listDate"` // its own; nil if it is not known
	ReadAt tocsin.Time       `json:"readAt"`
	Files  []tocsin.ListFile `json:"files"` // as they were read; empty if that is not known
}

// UsedLists are the versions of all lists.
func (st Stats) UsedLists() []UsedList {
	lists := []UsedList{}
	for _, l := range st.Lists {
		lists = append(lists, UsedList{l.Name, l.Version.Date, l.Imported, append([]tocsin.ListFile{}, l.Version.Files...)})
	}
	return lists
}
