package tocsin

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tests of this file take their numbers from docs/risk.md, so that neither the document nor the code can change
// alone.

// paper is docs/risk.md with every run of white space as one space.
func paper(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("docs/risk.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// published returns the numbers that the groups of a pattern match in docs/risk.md.
func published(t *testing.T, pattern string) []float64 {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(paper(t))
	if found == nil {
		t.Fatalf("docs/risk.md does not say %s: this test must learn its new words", pattern)
	}
	numbers := make([]float64, 0, len(found))
	for _, text := range found[1:] {
		words := map[string]string{"one": "1", "two": "2", "Two": "2", "three": "3", "tenth": "0.1"}
		if digits, ok := words[text]; ok {
			text = digits
		}
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

// table returns the cells of the table of docs/risk.md whose first row begins with these words.
func table(t *testing.T, header string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("docs/risk.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n| "+header+" |")
	if !found {
		t.Fatalf("docs/risk.md has no table %q", header)
	}
	for line := range strings.Lines(rest) {
		if len(rows) > 0 && !strings.HasPrefix(line, "|") {
			break
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "| \n"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		rows = append(rows, cells)
	}
	if len(rows) < 3 {
		t.Fatalf("the table %q is empty", header)
	}
	return rows[2:] // without the header and the line under it
}

// points returns the points of a factor, and 0 if there is none of that code.
func points(a Assessment, code string) (sum int) {
	for _, f := range a.Factors {
		if f.Code == code {
			sum += f.Points
		}
	}
	return sum
}

// keys makes n groups of one fresh report each, by keys as young as this, the first of which are proven, each in
// another network.
func keys(n, proven int, age time.Duration) (groups []ReporterGroup) {
	for i := range n {
		groups = append(groups, ReporterGroup{Agent: fmt.Sprintf("key %d", i), Since: TimeOf(now.Add(-age)),
			ProvenUntil: provenIf(i < proven), Network: i%256 + 1, Reports: 1, Oldest: ago(0), Newest: ago(0)})
	}
	return groups
}

func anonymous(reports int, days float64) ReporterGroup {
	return ReporterGroup{Reports: reports, Oldest: ago(days), Newest: ago(days)}
}

func assess(groups []ReporterGroup, listings ...Listing) Assessment {
	return Assess(Evidence{Listings: listings, Reporters: groups}, now)
}

func round(x float64) int { return int(math.Round(x)) }

const day = 24 * time.Hour

// formula returns the published formula of keyed reports: points from weight.
func formula(t *testing.T) func(weight float64) int {
	t.Helper()
	n := published(t, `W the sum of the weights, > points = round\( (\d+) × \(1 − 2\^\(−W / ([\d.]+)\)\) \)`)
	return func(weight float64) int { return round(n[0] * (1 - math.Pow(2, -weight/n[1]))) }
}

// decay returns the published factor of age.
func decay(t *testing.T) func(days float64) float64 {
	t.Helper()
	n := published(t, `Reports do not age within (\d+) hours. After that the weight of each key is multiplied by `+
		`2\^\(−\(age − (\d+) hours\) / (\d+) years\), not below ([\d.]+), where age`)
	if n[0] != n[1] {
		t.Fatalf("%v hours are not %v", n[0], n[1])
	}
	return func(days float64) float64 { return max(n[3], math.Pow(2, -max(0, days-n[0]/24)/(n[2]*365))) }
}

func TestThePublishedLevels(t *testing.T) {
	next := 0
	for _, row := range table(t, "level") {
		low, high, isRange := strings.Cut(row[1], "–")
		if !isRange {
			high = low
		}
		from, err := strconv.Atoi(low)
		if err != nil || from != next {
			t.Fatalf("%s begins at %q, not at %d", row[0], low, next)
		}
		to, err := strconv.Atoi(high)
		if err != nil {
			t.Fatal(err)
		}
		for score := from; score <= to; score++ {
			if got := LevelOf(score); string(got) != row[0] {
				t.Errorf("%d is %s, not %s", score, got, row[0])
			}
		}
		words := regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(row[2], -1)
		want := words[len(words)-1][1]
		if string(Recommend(Level(row[0]), Caution, false, false)) != want {
			t.Errorf("%s is not recommended at %s", want, row[0])
		}
		next = to + 1
	}
	if next != 101 {
		t.Errorf("the levels end at %d", next-1)
	}
	if Recommend(Low, Caution, true, false) != Proceed || Recommend(High, Caution, true, false) != Block ||
		Recommend(Clean, NoReports, false, false) != Proceed {
		t.Error("the recommendations of safelisted subjects and of unknown ones are others than published")
	}
}

func TestThePublishedWeights(t *testing.T) {
	rows := table(t, "key")
	weights := make([]float64, len(rows))
	for i, row := range rows {
		var err error
		if weights[i], err = strconv.ParseFloat(row[1], 64); err != nil {
			t.Fatal(err)
		}
	}
	days := published(t, `new: younger than (\d+) days`)[0]
	settles := time.Duration(days) * day
	formula := formula(t)
	for n := 1; n <= 9; n++ {
		for about, c := range map[string]struct {
			groups []ReporterGroup
			weight float64
		}{
			"new":                 {keys(n, 0, 0), weights[0]},
			"new, to the second":  {keys(n, 0, settles-time.Second), weights[0]},
			"settled, just now":   {keys(n, 0, settles), weights[1]},
			"settled, long since": {keys(n, 0, 3000*day), weights[1]},
			"proven":              {keys(n, n, 3000*day), weights[2]},
			"new and proven":      {keys(n, n, 0), weights[2]},
		} {
			if got, want := points(assess(c.groups), "reports"), formula(c.weight*float64(n)); got != want {
				t.Errorf("%d keys, %s: %d points, not %d", n, about, got, want)
			}
		}
	}
}

func TestThePublishedShareOfRepeats(t *testing.T) {
	share := published(t, `repeats of one key together add at most a (tenth): `+
		`with \*n\* reports its weight is multiplied by 1 \+ ([\d.]+) × \(1 − 2\^−\(n−1\)\)`)
	if share[0] != share[1] {
		t.Fatalf("a tenth is %v", share[1])
	}
	formula := formula(t)
	for _, n := range []int{1, 2, 3, 4, 10, 1000} {
		groups := keys(5, 5, 0) // five, since one alone moves the rounded points little
		for i := range groups {
			groups[i].Reports = n
		}
		weight := 5 * (1 + share[1]*(1-math.Pow(2, -float64(n-1))))
		if got, want := points(assess(groups), "reports"), formula(weight); got != want {
			t.Errorf("five proven keys with %d reports each: %d points, not %d", n, got, want)
		}
	}
}

func TestThePublishedAges(t *testing.T) {
	formula, decay, p := formula(t), decay(t), anonymousNumbers(t)
	for _, days := range []float64{0, 0.5, 1, 2, 90, 365, 730, 1000, 1459, 1460, 1461, 5000} {
		groups := keys(12, 0, 8000*day)
		for i := range groups { // the newest report of a key is what ages, whatever came before
			groups[i].Reports, groups[i].Oldest, groups[i].Newest = 2, ago(days+300), ago(days)
		}
		weight := 12 * 0.5 * 1.05
		a := assess(groups)
		if got, want := points(a, "reports")+points(a, "reports_age"), formula(weight*decay(days)); got != want {
			t.Errorf("settled keys, %v days ago: %d points, not %d", days, got, want)
		}
		if got, want := points(a, "reports"), formula(weight); got != want {
			t.Errorf("settled keys, %v days ago: %d points before their age, not %d", days, got, want)
		}
		a = assess([]ReporterGroup{anonymous(20, days)})
		if got, want := a.Score, round(decay(days)*(p[0]+p[1]*(1-math.Pow(2, -19/p[2])))); got != want {
			t.Errorf("anonymous reports, %v days ago: %d points, not %d", days, got, want)
		}
	}
	for hours, want := range map[time.Duration]float64{24: 1, 24 + 2*365*24: 0.5, 24 + 4*365*24: 0.25} {
		if got := decayOf(hours * time.Hour); got != want {
			t.Errorf("after %v hours: %v, not %v", int(hours), got, want)
		}
	}
	future := keys(2, 2, 0)
	future[0].Newest, future[1].Newest = ago(-1), ago(-1000)
	if a := assess(future); points(a, "reports_age") != 0 || points(a, "reports") != formula(2) {
		t.Errorf("reports dated ahead of the clock give %+v", a.Factors)
	}
}

// anonymousNumbers returns the points of the first anonymous report, the most that others add, the number of reports
// that halves what is left, and the limit of them all.
func anonymousNumbers(t *testing.T) []float64 {
	t.Helper()
	return published(t, `points = round\( (\d+) \+ (\d+) × \(1 − 2\^\(−\(n−1\) / (\d+)\)\) \), at most (\d+)`)
}

func TestThePublishedAnonymousPoints(t *testing.T) {
	p := anonymousNumbers(t)
	for n := 1; n < 60; n++ {
		want := round(p[0] + p[1]*(1-math.Pow(2, -float64(n-1)/p[2])))
		if a := assess([]ReporterGroup{anonymous(n, 0)}); a.Score != want || a.Score > int(p[3]) || len(a.Factors) != 1 {
			t.Errorf("%d anonymous reports give %d, not %d", n, a.Score, want)
		}
	}
	if a := assess([]ReporterGroup{anonymous(1_000_000, 0)}); a.Score != int(p[3]) || LevelOf(a.Score) != Low {
		t.Errorf("a million anonymous reports give %d", a.Score)
	}
}

func TestThePublishedCapsOnReports(t *testing.T) {
	p := published(t, `Reports alone stay at (\d+) \(.reports_unproven.\) until (two) proven keys of different `+
		`networks have filed and (\d+) hours lie between the first and the last `+
		`report of proven keys, and at (\d+) \(.reports_cap.\) in any case`)
	unproven, needed, hours, most := int(p[0]), int(p[1]), time.Duration(p[2])*time.Hour, int(p[3])
	for _, c := range []struct {
		proven int
		span   time.Duration
		want   int
	}{
		{0, hours, unproven},
		{needed - 1, hours, unproven},
		{needed, hours - time.Microsecond, unproven},
		{needed, 0, unproven},
		{needed, hours, most},
		{needed + 1, hours + day, most},
	} {
		groups := keys(40, c.proven, 90*day)
		groups[0].Oldest = TimeOf(now.Add(-c.span)) // a proven key filed before all the others, and only then
		groups[0].Newest = groups[0].Oldest
		groups[7].Oldest = ago(800)                 // one that is not proven
		groups = append(groups, anonymous(50, 800)) // they neither prove nor span anything
		a := assess(groups)
		if a.Score != c.want {
			t.Errorf("%d proven keys over %v: %d, not %d: %+v", c.proven, c.span, a.Score, c.want, a.Factors)
		}
		isUnproven, isCapped := points(a, "reports_unproven") < 0, points(a, "reports_cap") < 0
		if isUnproven != (c.want == unproven) || isCapped != (c.want == most) {
			t.Errorf("%d proven keys over %v: %+v", c.proven, c.span, a.Factors)
		}
		for about, network := range map[string]int{"one network": 7, "no network that is known": 0} {
			for i := range groups {
				groups[i].Network = network
			}
			if a := assess(groups); a.Score != unproven {
				t.Errorf("%d proven keys of %s over %v: %d", c.proven, about, c.span, a.Score)
			}
		}
	}
}

func TestThePublishedPointsOfLists(t *testing.T) {
	p := published(t, `first independent family adds (\d+) \(.list.\), the second (\d+), the third (\d+), `+
		`the fourth (\d+) \(.list_again.\)`)
	most := int(published(t, `Without a sanction the score stays at (\d+) \(.cap.\)`)[0])
	var names []string
	sum := 0
	for i := range 6 {
		names = append(names, fmt.Sprintf("family %d", i))
		want := 0
		if i < len(p) {
			want = int(p[i])
		}
		sum += want
		a := assess(nil, listed(names...)...)
		code := "list_again"
		if i == 0 {
			code = "list"
		}
		if f := a.Factors[i]; f.Points != want || f.Code != code {
			t.Errorf("family %d adds %+v, not %d", i+1, f, want)
		}
		if a.Score != min(sum, most) || points(a, "cap") != min(0, most-sum) {
			t.Errorf("%d families give %d: %+v", i+1, a.Score, a.Factors)
		}
	}
	if a := assess(keys(60, 60, 0), listed(names...)...); a.Score != most {
		t.Errorf("all lists and sixty keys give %d, not %d", a.Score, most)
	}
}

func TestThePublishedCapsOfSafelistsAndSanctions(t *testing.T) {
	safe := int(published(t, `a safelisted subject that is not sanctioned stays at (\d+)`)[0])
	sanctioned := int(published(t, `A sanction\*\* brings the score to (\d+)`)[0])
	bad := listed("a", "b", "c")
	for _, kind := range []ListingKind{Safe, Shared} {
		good := Listing{List: "good", Family: "good", Kind: kind}
		a := assess(keys(9, 9, 0), append(bad, good)...)
		if a.Score != safe || points(a, "safelisted") >= 0 || !a.Safelisted {
			t.Errorf("%s: %+v", kind, a)
		}
		if a := assess(nil, good); a.Score != 0 || !a.Safelisted || a.Shared != (kind == Shared) {
			t.Errorf("%s alone: %+v", kind, a)
		}
		a = assess(keys(9, 9, 0), append(bad, good, Listing{List: "ofac", Kind: Sanction})...)
		if a.Score != sanctioned || points(a, "safelisted") != 0 || points(a, "sanctioned") != 1 {
			t.Errorf("%s and sanctioned: %+v", kind, a)
		}
	}
	a := assess(nil, Listing{List: "ofac", Kind: Sanction})
	if a.Score != sanctioned || points(a, "sanctioned") != sanctioned {
		t.Errorf("a sanction alone: %+v", a)
	}
}

func TestThePublishedConfidence(t *testing.T) {
	p := published(t, `a family of lists is mistaken with ([\d.]+), the anonymous with ([\d.]+), `+
		`and keys of aged weight W with (2)\^−W, but with at least ([\d.]+) until step 4 lets reports above \d+\. `+
		`It is (0) when nothing is on record, at least ([\d.]+) for a safelisted subject and (1) for a sanction`)
	list, nobody, unproven, nothing, good, sanction := p[0], p[1], p[3], p[4], p[5], p[6]
	keyed := func(weight float64) float64 { return math.Pow(p[2], -weight) }
	group := func(kind ListingKind) Listing { return Listing{List: string(kind), Family: string(kind), Kind: kind} }
	old, two, same := keys(3, 0, 9000*day), keys(2, 2, 0), keys(2, 2, 0)
	for i := range old {
		old[i].Oldest, old[i].Newest = ago(731), ago(731)
	}
	two[0].Oldest, same[0].Oldest, same[0].Network = ago(2), ago(2), same[1].Network
	both := append(keys(1, 1, 0), anonymous(1, 0))
	safe, ofac := group(Safe), group(Sanction)
	for about, c := range map[string]struct {
		got  Assessment
		want float64
	}{
		"nothing":                     {assess(nil), nothing},
		"one family":                  {assess(nil, listed("a")...), 1 - list},
		"two families":                {assess(nil, listed("a", "b")...), 1 - list*list},
		"anonymous, any number":       {assess([]ReporterGroup{anonymous(900, 0)}), 1 - nobody},
		"anonymous, old":              {assess([]ReporterGroup{anonymous(1, 9000)}), 1 - nobody},
		"a new key":                   {assess(keys(1, 0, 0)), 1 - keyed(0.25)},
		"two proven keys":             {assess(two), 1 - keyed(2)},
		"two proven keys at once":     {assess(keys(2, 2, 0)), 1 - unproven},
		"of one network":              {assess(same), 1 - unproven},
		"a thousand new keys":         {assess(keys(1000, 0, 0)), 1 - unproven},
		"three settled keys, aged":    {assess(old), 1 - keyed(0.75)},
		"a list and reports":          {assess(both, listed("a")...), 1 - list*nobody*keyed(1)},
		"safelisted":                  {assess(nil, safe), good},
		"safelisted, little evidence": {assess([]ReporterGroup{anonymous(1, 0)}, safe), good},
		"safelisted, much evidence":   {assess(nil, append(listed("a", "b"), safe)...), 1 - list*list},
		"sanctioned":                  {assess(nil, ofac), sanction},
		"sanctioned and safelisted":   {assess(nil, safe, ofac), sanction},
	} {
		if want := math.Round(c.want*100) / 100; c.got.Confidence != want {
			t.Errorf("%s: %v, not %v", about, c.got.Confidence, want)
		}
	}
}
