package answer

import (
	"cmp"
	"slices"
	"strconv"

	"tocsin"
)

// Sums summarizes many reports about a subject.
type Sums struct {
	Of     int // reports that are summed up
	All    int // reports that there are
	Kinds  []Bar
	Years  []Bar
	Claims int    // reports that claim a loss
	Total  string // of what they claim
	Most   string // the largest claim
}

// Bar is a line of a small plot.
type Bar struct {
	Name  string
	N     int
	Width int // in percent of the longest
}

const (
	leastSummed = 5  // reports that are worth summing up
	mostYears   = 12 // lines of the plot by year
)

// Sums sums up the reports about the subject whose outlines were read; nil if they are few.
func (a Answer) Sums(reports []tocsin.Outline) *Sums {
	if len(reports) < leastSummed {
		return nil
	}
	s := &Sums{Of: len(reports), All: a.ReportCount}
	kinds, years := map[string]int{}, map[int]int{}
	var lost, most tocsin.USD
	for _, r := range reports {
		kinds[CrimeName(a.Lang, r.CrimeType)]++
		if r.PublishedAt != nil {
			years[r.PublishedAt.Std().Year()]++
		}
		if r.AmountLost != nil && *r.AmountLost > 0 {
			s.Claims++
			lost, most = lost+*r.AmountLost, max(most, *r.AmountLost)
		}
	}
	s.Total, s.Most = a.Lang.Dollars(int64(lost)), a.Lang.Dollars(int64(most))
	for name, n := range kinds {
		s.Kinds = append(s.Kinds, Bar{Name: name, N: n})
	}
	slices.SortFunc(s.Kinds, func(a, b Bar) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Name, b.Name)) })
	s.Years = yearBars(years)
	scale(s.Kinds)
	scale(s.Years)
	return s
}

// yearBars are the years from the first to the last with a report, those without one too. Of very many the oldest are
// left out.
func yearBars(years map[int]int) (bars []Bar) {
	first, last := 0, 0
	for year := range years {
		if first == 0 || year < first {
			first = year
		}
		last = max(last, year)
	}
	for year := max(first, last-mostYears+1); year <= last && last > 0; year++ {
		bars = append(bars, Bar{Name: strconv.Itoa(year), N: years[year]})
	}
	return bars
}

// scale sets the widths of bars.
func scale(bars []Bar) {
	longest := 1
	for _, b := range bars {
		longest = max(longest, b.N)
	}
	for i := range bars {
		bars[i].Width = bars[i].N * 100 / longest
		if bars[i].N > 0 {
			bars[i].Width = max(bars[i].Width, 1)
		}
	}
}
