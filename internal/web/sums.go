package web

import (
	"cmp"
	"slices"
	"strconv"

	"tocsin"
	"tocsin/internal/locale"
)

// sums are what many reports about a subject come to.
type sums struct {
	Of     int // reports that are summed up
	All    int // reports that there are
	Kinds  []bar
	Years  []bar
	Claims int // reports that claim a loss
	Lost   string
	Most   string // the largest claim
}

// bar is a line of a small plot.
type bar struct {
	Name  string
	N     int
	Width int // in percent of the longest
}

const (
	leastSummed = 5  // reports that are worth summing up
	mostYears   = 12 // lines of the plot by year
)

// sumsOf sums up the reports about a subject; nil if they are few. All is how many there are.
func sumsOf(p *locale.Printer, reports []tocsin.Outline, all int) *sums {
	if len(reports) < leastSummed {
		return nil
	}
	s := &sums{Of: len(reports), All: all}
	kinds, years := map[string]int{}, map[int]int{}
	var lost, most tocsin.USD
	for _, r := range reports {
		kinds[crimeName(p, r.CrimeType)]++
		if r.PublishedAt != nil {
			years[r.PublishedAt.Std().Year()]++
		}
		if r.AmountLost != nil && *r.AmountLost > 0 {
			s.Claims++
			lost, most = lost+*r.AmountLost, max(most, *r.AmountLost)
		}
	}
	s.Lost, s.Most = money(p, lost), money(p, most)
	for name, n := range kinds {
		s.Kinds = append(s.Kinds, bar{Name: name, N: n})
	}
	slices.SortFunc(s.Kinds, func(a, b bar) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Name, b.Name)) })
	s.Years = yearBars(years)
	scale(s.Kinds)
	scale(s.Years)
	return s
}

// yearBars are the years from the first to the last with a report, those without one too. Of very many the oldest are
// left out.
func yearBars(years map[int]int) (bars []bar) {
	first, last := 0, 0
	for year := range years {
		if first == 0 || year < first {
			first = year
		}
		last = max(last, year)
	}
	for year := max(first, last-mostYears+1); year <= last && last > 0; year++ {
		bars = append(bars, bar{Name: strconv.Itoa(year), N: years[year]})
	}
	return bars
}

// scale sets the widths of bars.
func scale(bars []bar) {
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
