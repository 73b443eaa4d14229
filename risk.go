package tocsin

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// ScoreVersion is the version of the formula in docs/risk.md. It changes whenever the formula does.
const ScoreVersion = "3"

// Level is the risk class of a score.
type Level string

// The levels and their scores.
const (
	Clean    Level = "CLEAN"    // 0
	Low      Level = "LOW"      // 1–24
	Medium   Level = "MEDIUM"   // 25–49
	High     Level = "HIGH"     // 50–79
	Critical Level = "CRITICAL" // 80–100
)

// levels in their order.
var levels = []Level{Clean, Low, Medium, High, Critical}

// Rank orders levels, from 0 for CLEAN to 4 for CRITICAL. It is -1 for what is no level.
func (l Level) Rank() int { return slices.Index(levels, l) }

// LevelOf returns the level of a score.
func LevelOf(score int) Level {
	switch {
	case score >= 80:
		return Critical
	case score >= 50:
		return High
	case score >= 25:
		return Medium
	case score >= 1:
		return Low
	}
	return Clean
}

// ReporterGroup groups the reports about a subject that count as one voice: all reports of one key, or all
// anonymous reports.
type ReporterGroup struct {
	Agent       string // public id; "" for the anonymous reports
	Since       Time   // when the agent registered
	ProvenUntil Time   // see [ReporterGroup.Proven]; zero if the agent is not proven
	Network     int    // two agents whose numbers differ filed from different networks; 0: not known
	Reports     int    // number of visible reports about the subject
	Oldest      Time   // date of the first one
	Newest      Time   // date of the last one
}

// Evidence is what the score of a subject is computed from.
type Evidence struct {
	Listings  []Listing        // in force
	Reporters []ReporterGroup  // of visible reports filed here, not of those that lists published
	Name      *NameFindings    // of a domain: no evidence, but it may warn; nil if nobody looked
	Address   *AddressFindings // of an account, likewise
}

// signs are what speaks against a subject though nobody has reported it, as factors without points, the main one first;
// none if it is not suspicious. They are no evidence. A subject is a domain or an account.
func (ev Evidence) signs(now time.Time) []Factor {
	if ev.Address.Suspicious() {
		return []Factor{ev.Address.factor()}
	}
	return ev.Name.signs(now)
}

// shared reports whether the subject is a host whose pages and names belong to unrelated people, by its name or by a
// list: what is known of it says nothing about whose page is meant. Such listings of parents do not apply to a subject
// ([ApplicableRecords]).
func (ev Evidence) shared() bool {
	return ev.Name != nil && ev.Name.Shared ||
		slices.ContainsFunc(ev.Listings, func(l Listing) bool { return l.Kind == Shared && !l.Subject.IsAddress() })
}

// Ageless reports whether [Assess] gives the same result at any later time. It does for listings. It does not for
// reports that were filed here, which age with their reporters, and for a domain whose age counts.
func (ev Evidence) Ageless() bool {
	return len(ev.Reporters) == 0 && (ev.Name == nil || ev.Name.Signals == nil)
}

// Factor is one step of a score: its points and the reason.
type Factor struct {
	Code   string `json:"code"`
	Points int    `json:"points"`
	Detail string `json:"detail"`
	// What Detail says in English, for words in other languages: the names of the lists that the factor is about, and
	// when the newest of the reports was published whose age it is about; of a new domain, since when there is one.
	Lists  []string `json:"-"`
	Newest Time     `json:"-"`
}

// Assessment is a score with everything that is needed to compute it by hand.
type Assessment struct {
	Score      int
	Confidence float64
	Factors    []Factor // their points sum to Score
	Safelisted bool
	Held       bool   // a risk list names the subject, and the score stays LOW because a safelist knows it
	Suspicious bool   // a sign speaks against the subject, and no list knows it as good
	Unpayable  string // TokenContract or BurnAddress: what is sent there is lost; "" for all others
	Shared     bool   // a host that unrelated people share
}

// SettledAfter is how long after its agent registered a key is settled.
const SettledAfter = 30 * 24 * time.Hour

// listPoints are the points of the first independent family of lists, the second, and so on. docs/risk.md gives the
// reasons for these and all other numbers of the formula.
var listPoints = []int{68, 17, 8, 4}

const (
	reportsCeiling  = 79.0 // the limit of keyed reports
	reportsHalf     = 1.05 // the weight that scores half of it
	weightFresh     = 0.25 // of a key younger than SettledAfter
	weightSettled   = 0.5
	weightProven    = 1.0
	repeatShare     = 0.1 // the most that repeats add to the weight of a key
	anonymousFirst  = 8.0
	anonymousMore   = 3.0
	freshFor        = 24 * time.Hour // before reports begin to age
	halfLife        = 2 * 365 * 24 * time.Hour
	ageFloor        = 0.25
	unprovenCap     = 49
	unprovenDoubt   = 0.5
	provenNeeded    = 2
	spanNeeded      = 48 * time.Hour
	withoutSanction = 99
	safeCap         = 24
	heldUntil       = 2  // families that name a subject which is known, or below one that is vouched for
	suspicious      = 25 // the first point of MEDIUM
	sanctioned      = 100
)

// Assess computes the score of docs/risk.md. It is pure: the same evidence at the same time gives the same answer.
// More or stronger evidence never lowers the score.
func Assess(ev Evidence, now time.Time) Assessment {
	var a Assessment
	add := func(f Factor) {
		a.Score += f.Points
		a.Factors = append(a.Factors, f)
	}
	above := func(limit int) (points int) { return min(0, limit-a.Score) }

	families, safe, known, sanctions := partitionListings(ev.Listings)
	if a.Unpayable = unpayable(ev.Listings); a.Unpayable != "" {
		add(unpayableFactors[a.Unpayable])
	}
	if a.Shared = ev.shared(); a.Shared {
		f := sharedFactor
		if ev.Name != nil && ev.Name.Registry {
			f = registryFactor
		}
		add(f)
	}
	doubt := 1.0 // the chance that all evidence is mistaken

	keyed, fresh, stats := keyWeights(ev.Reporters, now)
	if stats.keys > 0 {
		points := reportPoints(fresh)
		add(Factor{Code: "reports", Points: points, Detail: fmt.Sprintf("%s by %s (%d proven, %d settled, %d new)",
			plural(stats.keyedReports, "report"), plural(stats.keys, "independent key"), stats.proven, stats.settled,
			stats.keys-stats.proven-stats.settled)})
		if aged := reportPoints(keyed); aged < points {
			add(Factor{Code: "reports_age", Points: aged - points, Newest: stats.newest,
				Detail: "these reports are old; the newest is from " + stats.newest.Std().Format(time.DateOnly)})
		}
		if mistaken := math.Exp2(-keyed); stats.independent() {
			doubt *= mistaken
		} else {
			doubt *= max(mistaken, unprovenDoubt) // they may all be one person's
		}
	}
	if stats.anonymous > 0 {
		full, aged := anonymousPoints(stats.anonymous, 1), anonymousPoints(stats.anonymous, stats.anonymousAge)
		add(Factor{Code: "anonymous_reports", Points: full,
			Detail: plural(stats.anonymous, "report") + " without a key, counted together as one weak source"})
		if aged < full {
			add(Factor{Code: "anonymous_age", Points: aged - full, Newest: stats.anonymousNewest,
				Detail: "the newest is from " + stats.anonymousNewest.Std().Format(time.DateOnly)})
		}
		doubt *= 0.9
	}
	if points := above(unprovenCap); points < 0 && !stats.independent() {
		add(Factor{Code: "reports_unproven", Points: points, Detail: fmt.Sprintf("reports alone score at most %d until %d "+
			"proven keys of different networks have filed and the first and the last of their reports are 48 hours apart",
			unprovenCap, provenNeeded)})
	}
	if points := above(int(reportsCeiling)); points < 0 {
		add(Factor{Code: "reports_cap", Points: points, Detail: "reports alone stay below CRITICAL"})
	}
	for i, names := range families {
		f := Factor{Code: "list", Detail: "named by " + strings.Join(names, ", "), Lists: names}
		if i > 0 {
			f.Code, f.Detail = "list_again", "also named, independently, by "+strings.Join(names, ", ")
		}
		if i < len(listPoints) {
			f.Points = listPoints[i]
		}
		add(f)
		doubt *= 0.2
	}
	if points := above(withoutSanction); points < 0 {
		add(Factor{Code: "cap", Points: points, Detail: "only a sanction reaches 100"})
	}
	a.Safelisted = len(safe) > 0 || len(known) > 0 && len(families) == 0
	switch {
	case len(sanctions) > 0:
	case a.Safelisted:
		if points := above(safeCap); points < 0 {
			names := slices.Concat(safe, known)
			add(Factor{Code: "safelisted", Points: points, Lists: names,
				Detail: "on the safelist " + strings.Join(names, ", ")})
		}
		a.Held = len(families) > 0
		doubt = min(doubt, 0.1)
	case len(known) > 0 && len(families) < heldUntil:
		if points := above(safeCap); points < 0 {
			add(Factor{Code: "known_site", Points: points, Lists: known,
				Detail: "a well-known site, by " + strings.Join(known, ", ") +
					": held until a second independent list agrees"})
		}
		a.Held = true // not safelisted, so a family names it
	}
	if signs := ev.signs(now); len(signs) > 0 && len(safe)+len(known) == 0 {
		a.Suspicious = true
		if points := suspicious - a.Score; points > 0 && len(sanctions) == 0 {
			signs[0].Points = points // the others are named, and add nothing
			for _, f := range signs {
				add(f)
			}
		}
	}
	if len(sanctions) > 0 {
		add(Factor{Code: "sanctioned", Points: sanctioned - a.Score, Detail: "sanctioned: " + strings.Join(sanctions, ", "),
			Lists: sanctions})
		doubt = 0
	}
	a.Confidence = math.Round((1-doubt)*100) / 100
	return a
}

// partitionListings returns the families of lists that name the subject as fraudulent, each as the names of its
// lists; the safelists that vouch for it; those by which it is only known; and the sanctions lists.
func partitionListings(listings []Listing) (families [][]string, safe, known, sanctions []string) {
	bad := map[string][]string{}
	for _, l := range listings {
		switch {
		case l.Kind == Risk:
			bad[l.Family] = append(bad[l.Family], l.List)
		case l.Vouches():
			safe = append(safe, l.List)
		case l.Kind == Safe:
			known = append(known, l.List)
		case l.Kind == Sanction:
			sanctions = append(sanctions, l.List)
		}
	}
	for _, names := range bad {
		slices.Sort(names)
		families = append(families, slices.Compact(names))
	}
	slices.SortFunc(families, slices.Compare[[]string])
	known = slices.DeleteFunc(known, func(name string) bool { return slices.Contains(safe, name) })
	for _, names := range []*[]string{&safe, &known, &sanctions} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	return families, safe, known, sanctions
}

type groupStats struct {
	keys, proven, settled, keyedReports int
	networks                            int           // of the proven keys, as far as they are known
	span                                time.Duration // between the first and the last report by a proven key
	newest                              Time
	anonymous                           int
	anonymousNewest                     Time
	anonymousAge                        float64
}

// independent reports whether the reports are known to be by more than one person, over more than a moment.
func (st groupStats) independent() bool { return st.networks >= provenNeeded && st.span >= spanNeeded }

// keyWeights sums the weights of the keys, once lowered by the age of their reports and once as if all were new.
func keyWeights(groups []ReporterGroup, now time.Time) (aged, fresh float64, st groupStats) {
	byAgent := func(a, b ReporterGroup) int { return cmp.Compare(a.Agent, b.Agent) }
	groups = slices.SortedFunc(slices.Values(groups), byAgent) // floating-point sums depend on the order
	var oldest, newest Time                                    // of the proven keys
	networks := map[int]bool{}
	for _, o := range groups {
		if o.Reports <= 0 {
			continue
		}
		decay := decayOf(now.Sub(o.Newest.Std()))
		if o.Agent == "" {
			st.anonymous += o.Reports
			if st.anonymousAge < decay {
				st.anonymousAge, st.anonymousNewest = decay, o.Newest
			}
			continue
		}
		w := weightFresh
		switch {
		case o.Proven(now):
			w = weightProven
			if st.proven == 0 || o.Oldest.Std().Before(oldest.Std()) {
				oldest = o.Oldest
			}
			if o.Newest.Std().After(newest.Std()) {
				newest = o.Newest
			}
			st.proven++
			if o.Network != 0 {
				networks[o.Network] = true
			}
		case now.Sub(o.Since.Std()) >= SettledAfter:
			w = weightSettled
			st.settled++
		}
		w *= 1 + repeatShare*(1-math.Exp2(-float64(o.Reports-1)))
		fresh += w
		aged += w * decay
		if o.Newest.Std().After(st.newest.Std()) {
			st.newest = o.Newest
		}
		st.keys++
		st.keyedReports += o.Reports
	}
	st.networks = len(networks)
	st.span = newest.Std().Sub(oldest.Std())
	return aged, fresh, st
}

// reportPoints converts the weight of the keys into points. Each further key adds less, and reportsCeiling is the
// limit.
func reportPoints(weight float64) int {
	return int(math.Round(reportsCeiling * (1 - math.Exp2(-weight/reportsHalf))))
}

func anonymousPoints(n int, age float64) int {
	return int(math.Round(age * (anonymousFirst + anonymousMore*(1-math.Exp2(-float64(n-1)/4)))))
}

// decayOf returns the factor by which age lowers the weight of a report: 1 in the first day, at least ageFloor.
func decayOf(age time.Duration) float64 {
	if age -= freshFor; age <= 0 {
		return 1
	}
	return max(ageFloor, math.Exp2(-age.Hours()/halfLife.Hours()))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
