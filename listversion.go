package tocsin

import (
	"cmp"
	"slices"
	"time"
)

// ListVersion is the version of a list that an import has read.
type ListVersion struct {
	// Date is the list's own: when its authors published it. It is nil if neither its files nor their server say.
	Date *Time `json:"date,omitempty"`
	// Served says that Date is what the server said of the files, their Last-Modified (RFC 9110, section 8.8.2).
	Served  bool           `json:"served,omitempty"`
	Entries int            `json:"entries"`           // taken; a story and what it names are entries of their own
	Refused map[string]int `json:"refused,omitempty"` // rows that were not taken, by the reason
	// Untaken are the rows that were not taken from a list of sanctions, at most [MaxUntaken]: somebody may have to
	// compare with them by hand. Behind each its currency and party are in parentheses, if the list says them.
	Untaken []string   `json:"untaken,omitempty"`
	Files   []ListFile `json:"files,omitempty"` // with entries, in the order in which they were read
}

// MaxUntaken is how many rows that were not taken a [ListVersion] names. These are all: the list of OFAC has about a
// thousand rows, and an import in which more than half of its entries are missing is refused.
const MaxUntaken = 500

// SanctionsList is the name of the list that sanctions come from, OFAC's.
const SanctionsList = "ofac"

// ListDates is how current the lists on record are.
type ListDates struct {
	Dates         map[string]*Time // by their names; a list without a date has none
	SanctionsRead Time             // when the list of sanctions was last read; zero if it never was
}

// SanctionsOutOfDate reports whether newer sanctions may be missing: their list is out of date, has no date of its own
// or is not on record.
func (l ListDates) SanctionsOutOfDate(now Time) bool {
	date := l.Dates[SanctionsList]
	return date == nil || OutOfDate(now, l.SanctionsRead, date)
}

// ListFile is a file of a list, as it was read.
type ListFile struct {
	Name   string `json:"name"`   // its path in the list
	SHA256 string `json:"sha256"` // hexadecimal
}

// The ages at which a public list is out of date: since it was read, and by its own date. The second is longer, because
// the newest version of a list may be some days old: that of OFAC is published when something changes.
const (
	MaxListRead = 3 * 24 * time.Hour
	MaxListDate = 14 * 24 * time.Hour
)

// OutOfDate reports whether a list is out of date, by when it was last read and by the date of its version, which is
// nil if it is not known.
func OutOfDate(now, read Time, date *Time) bool {
	return now.Std().Sub(read.Std()) > MaxListRead || date != nil && now.Std().Sub(date.Std()) > MaxListDate
}

// IsOlder reports whether a version is older than another one. Only dates within the files count: a date that a server
// gives depends on which server answers.
func (v ListVersion) IsOlder(than ListVersion) bool {
	return v.Date != nil && than.Date != nil && !v.Served && !than.Served && v.Date.Std().Before(than.Date.Std())
}

// Day is the date as a day in UTC, as in 2026-08-20; "" if it is not known.
func (v ListVersion) Day() string {
	if v.Date == nil {
		return ""
	}
	return v.Date.Std().UTC().Format(time.DateOnly)
}

// RefusedRows counts the rows of a list that were refused for one reason.
type RefusedRows struct {
	Reason string `json:"reason"` // in a few words, of package feed
	Rows   int    `json:"rows"`
}

// RefusedByReason returns how many rows were refused for each reason, the most frequent reason first.
func (v ListVersion) RefusedByReason() (all []RefusedRows) {
	for reason, rows := range v.Refused {
		all = append(all, RefusedRows{reason, rows})
	}
	slices.SortFunc(all, func(a, b RefusedRows) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// Rows returns how many rows the list has: those that were taken and those that were not.
func (v ListVersion) Rows() int { return v.Entries + v.NotTaken() }

// NotTaken returns how many rows were refused.
func (v ListVersion) NotTaken() (n int) {
	for _, rows := range v.Refused {
		n += rows
	}
	return n
}
