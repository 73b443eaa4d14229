package tocsin

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

// now is the moment of every test here: the score takes the clock as a value.
var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func ago(days float64) Time { return TimeOf(now.Add(-time.Duration(days * 24 * float64(time.Hour)))) }

// anyEvidence makes evidence as it may come, within the limits that the caller sets.
func anyEvidence(r *rand.Rand, keys, anonymous bool, kinds ...ListingKind) Evidence {
	var ev Evidence
	for range r.IntN(4) {
		if len(kinds) > 0 {
			family := fmt.Sprintf("family %d", r.IntN(4))
			ev.Listings = append(ev.Listings, Listing{List: fmt.Sprintf("%s, list %d", family, r.IntN(2)), Family: family,
				Kind: kinds[r.IntN(len(kinds))]})
		}
	}
	if keys {
		for i := range r.IntN(12) {
			ev.Reporters = append(ev.Reporters, anyOrigin(r, fmt.Sprintf("agent %d", i)))
		}
	}
	ev.Name = anyName(r)
	if anonymous && r.IntN(2) == 0 {
		o := anyOrigin(r, "")
		o.ProvenUntil = Time{}
		ev.Reporters = append(ev.Reporters, o)
	}
	return ev
}

func anyOrigin(r *rand.Rand, agent string) ReporterGroup {
	newest := r.Float64() * 2000
	oldest := newest
	reports := 1
	if r.IntN(3) == 0 {
		reports += r.IntN(50)
		oldest += r.Float64() * 500
	}
	return ReporterGroup{Agent: agent, Since: ago(r.Float64() * 400), ProvenUntil: provenIf(r.IntN(3) == 0),
		Network: r.IntN(4), Reports: reports, Oldest: ago(oldest), Newest: ago(newest)}
}

const cases = 5000

func forAll(t *testing.T, check func(r *rand.Rand) string) {
	t.Helper()
	for seed := range uint64(cases) {
		if fault := check(rand.New(rand.NewPCG(seed, 7))); fault != "" {
			t.Fatalf("case %d: %s", seed, fault)
		}
	}
}

var everyKind = []ListingKind{Risk, Sanction, Safe, Shared}

func TestTheFactorsSumToTheScore(t *testing.T) {
	forAll(t, func(r *rand.Rand) string {
		ev := anyEvidence(r, true, true, everyKind...)
		a := Assess(ev, now)
		sum := 0
		for _, f := range a.Factors {
			sum += f.Points
		}
		if sum != a.Score || a.Score < 0 || a.Score > 100 || a.Confidence < 0 || a.Confidence > 1 {
			return fmt.Sprintf("%+v gives %+v", ev, a)
		}
		return ""
	})
}

// TestAnAgelessScreeningIsTheSameAtAnyLaterMoment but for the moment itself: its JSON is kept until evidence changes.
func TestAnAgelessScreeningIsTheSameAtAnyLaterMoment(t *testing.T) {
	ageless, aged := 0, 0
	forAll(t, func(r *rand.Rand) string {
		filed := r.IntN(2) == 0
		d := &Dossier{Evidence: anyEvidence(r, filed, filed, everyKind...), First: ago(3000), Last: ago(1)}
		for i := range d.Listings {
			if since := ago(r.Float64() * 1000); r.IntN(2) == 0 {
				d.Listings[i].Since = &since
			}
		}
		if d.ReportCount = r.IntN(3); d.ReportCount > 0 {
			d.CrimeTypes = CrimeTypes()[:1+r.IntN(3)]
		}
		first, later := Screen(d, now), Screen(d, now.Add(time.Duration(r.Int64N(int64(5*halfLife)))))
		later.AsOf = first.AsOf
		same := reflect.DeepEqual(first, later)
		switch {
		case d.Ageless() && !same:
			return fmt.Sprintf("%+v: %+v, and later %+v", d, first, later)
		case d.Ageless():
			ageless++
		case !same:
			aged++
		}
		return ""
	})
	if ageless < cases/10 || aged < cases/10 {
		t.Errorf("%d of %d cases are ageless, %d aged", ageless, cases, aged)
	}
}

func TestTheSameEvidenceGivesTheSameAnswerInAnyOrder(t *testing.T) {
	forAll(t, func(r *rand.Rand) string {
		ev := anyEvidence(r, true, true, everyKind...)
		first := fmt.Sprint(Assess(ev, now))
		aged, fresh, _ := keyWeights(ev.Reporters, now)
		r.Shuffle(len(ev.Listings), func(i, j int) { ev.Listings[i], ev.Listings[j] = ev.Listings[j], ev.Listings[i] })
		r.Shuffle(len(ev.Reporters), func(i, j int) { ev.Reporters[i], ev.Reporters[j] = ev.Reporters[j], ev.Reporters[i] })
		if again := fmt.Sprint(Assess(ev, now)); again != first {
			return first + " became " + again
		}
		if a, f, _ := keyWeights(ev.Reporters, now); a != aged || f != fresh { // to the last bit
			return fmt.Sprintf("weights %v and %v became %v and %v", aged, fresh, a, f)
		}
		return ""
	})
}

// TestTheScoreDoesNotDependOnWhatAgentsAreCalled gives every key the id of another.
func TestTheScoreDoesNotDependOnWhatAgentsAreCalled(t *testing.T) {
	forAll(t, func(r *rand.Rand) string {
		ev := anyEvidence(r, true, false, Risk)
		for i := range ev.Reporters { // so young that those two thirds which are proven decide
			o := &ev.Reporters[i]
			o.Newest, o.ProvenUntil = ago(r.Float64()*6), provenIf(r.IntN(3) > 0)
			o.Oldest = TimeOf(o.Newest.Std().Add(-time.Duration(r.IntN(2)) * 30 * time.Hour))
		}
		first, names := Assess(ev, now), r.Perm(len(ev.Reporters))
		for i := range ev.Reporters {
			ev.Reporters[i].Agent = fmt.Sprintf("agent %d", names[i])
		}
		if again := Assess(ev, now); again.Score != first.Score || again.Confidence != first.Confidence {
			return fmt.Sprintf("%+v: %+v became %+v", ev.Reporters, first, again)
		}
		return ""
	})
}

// TestMoreEvidenceNeverLowersTheScore adds to evidence what may come: a report
// by a new origin or by one that is there, a confirmation, a listing.
func TestMoreEvidenceNeverLowersTheScore(t *testing.T) {
	forAll(t, func(r *rand.Rand) string {
		ev := anyEvidence(r, true, true, Risk, Sanction)
		more := ev
		more.Listings, more.Reporters = slices.Clone(ev.Listings), slices.Clone(ev.Reporters)
		switch r.IntN(6) {
		case 0:
			more.Reporters = append(more.Reporters, anyOrigin(r, "newcomer"))
		case 5:
			ev.Name = nil
		case 1:
			more.Listings = append(more.Listings, Listing{List: "another", Family: fmt.Sprintf("family %d", r.IntN(5)),
				Kind: Risk})
		case 2:
			more.Listings = append(more.Listings, Listing{List: "ofac", Kind: Sanction})
		default:
			if len(more.Reporters) == 0 {
				return ""
			}
			o := &more.Reporters[r.IntN(len(more.Reporters))]
			at := anyOrigin(r, "").Newest
			o.Reports++
			if at.Micro() > o.Newest.Micro() {
				o.Newest = at
			}
			if at.Micro() < o.Oldest.Micro() {
				o.Oldest = at
			}
			if r.IntN(3) == 0 && o.Agent != "" {
				o.ProvenUntil = provenIf(true)
			}
		}
		before, after := Assess(ev, now), Assess(more, now)
		if after.Score < before.Score || after.Confidence < before.Confidence {
			return fmt.Sprintf("%+v\ngives %+v\n%+v\ngives %+v", ev, before, more, after)
		}
		return ""
	})
}

func TestAnonymousReportsAloneStayWeak(t *testing.T) {
	forAll(t, func(r *rand.Rand) string {
		o := ReporterGroup{Reports: 1 + r.IntN(100_000), Oldest: ago(700), Newest: ago(r.Float64() * 700)}
		a := Assess(Evidence{Reporters: []ReporterGroup{o}}, now)
		if LevelOf(a.Score) != Low {
			return fmt.Sprintf("%d reports give %d", o.Reports, a.Score)
		}
		return ""
	})
}

func TestRepeatsAddHardlyAnything(t *testing.T) {
	for _, agent := range []string{"", "agent"} {
		for _, proven := range []bool{false, agent != ""} {
			for _, days := range []float64{0, 40} {
				once := ReporterGroup{Agent: agent, Since: ago(days), ProvenUntil: provenIf(proven), Reports: 1,
					Oldest: ago(0), Newest: ago(0)}
				often := once
				often.Reports = 10
				a := Assess(Evidence{Reporters: []ReporterGroup{once}}, now).Score
				b := Assess(Evidence{Reporters: []ReporterGroup{often}}, now).Score
				if b-a > 5 || b < a {
					t.Errorf("agent %q, proven %v: one report gives %d, ten give %d", agent, proven, a, b)
				}
			}
		}
	}
}

func listed(families ...string) (ls []Listing) {
	for _, f := range families {
		ls = append(ls, Listing{List: f + " list", Family: f, Kind: Risk})
	}
	return ls
}

func TestListsSayHighAndTwoIndependentOnesCritical(t *testing.T) {
	copies := append(listed("a"), Listing{List: "a copy", Family: "a", Kind: Risk})
	fresh := ReporterGroup{Agent: "agent", Since: ago(0), Reports: 1, Oldest: ago(0), Newest: ago(0)}
	for _, c := range []struct {
		about string
		ev    Evidence
		want  Level
	}{
		{"one list", Evidence{Listings: listed("a")}, High},
		{"a list and its copy", Evidence{Listings: copies}, High},
		{"two independent lists", Evidence{Listings: listed("a", "b")}, Critical},
		{"seven independent lists", Evidence{Listings: listed("a", "b", "c", "d", "e", "f", "g")}, Critical},
		{"a list and a report with a key", Evidence{Listings: listed("a"), Reporters: []ReporterGroup{fresh}}, Critical},
		{"nothing", Evidence{}, Clean},
	} {
		if a := Assess(c.ev, now); LevelOf(a.Score) != c.want || a.Score > 99 {
			t.Errorf("%s gives %+v", c.about, a)
		}
	}
}

func TestASanctionIsAHundredWhateverElseIsKnown(t *testing.T) {
	forAll(t, func(r *rand.Rand) string {
		ev := anyEvidence(r, true, true, everyKind...)
		ev.Listings = append(ev.Listings, Listing{List: "ofac", Kind: Sanction})
		if a := Assess(ev, now.AddDate(r.IntN(30), 0, 0)); a.Score != 100 || a.Confidence != 1 {
			return fmt.Sprintf("%+v", a)
		}
		return ""
	})
}

func TestASafelistedSubjectStaysLowUnlessSanctioned(t *testing.T) {
	forAll(t, func(r *rand.Rand) string {
		ev := anyEvidence(r, true, true, Risk, Safe, Shared)
		ev.Listings = append(ev.Listings, Listing{List: "tokens", Kind: Safe})
		if a := Assess(ev, now); a.Score > 24 || !a.Safelisted {
			return fmt.Sprintf("%+v", a)
		}
		return ""
	})
}

func TestAgeLowersReportsSlowlyAndNeverLists(t *testing.T) {
	forAll(t, func(r *rand.Rand) string {
		ev := anyEvidence(r, true, true, Risk)
		for i := range ev.Reporters { // a key that grows old gains weight of its own
			ev.Reporters[i].Since = ago(4000)
		}
		last := Assess(ev, now).Score
		base := Assess(Evidence{Listings: ev.Listings}, now).Score
		for week := 1; week < 300; week += 1 + r.IntN(30) {
			score := Assess(ev, now.AddDate(0, 0, 7*week)).Score
			if score > last || score < base {
				return fmt.Sprintf("%+v: %d became %d, lists alone give %d", ev, last, score, base)
			}
			last = score
		}
		return ""
	})
	one := Evidence{Reporters: keys(1, 1, 0)}
	young, month := Assess(one, now).Score, Assess(one, now.AddDate(0, 1, 0)).Score
	if young-month > 2 {
		t.Errorf("a month takes a report from %d to %d", young, month)
	}
}

// TestNoCrowdOfFreeKeysMakesASubjectHigh is the attack of docs/risk.md: keys
// cost nothing, so any number of them must not condemn anybody by itself.
func TestNoCrowdOfFreeKeysMakesASubjectHigh(t *testing.T) {
	var ev Evidence
	for i := range 5000 {
		ev.Reporters = append(ev.Reporters, ReporterGroup{Agent: fmt.Sprint(i), Since: ago(float64(i % 100)),
			ProvenUntil: provenIf(i == 0), Network: 1, Reports: 3, Oldest: ago(90), Newest: ago(0)})
	}
	ev.Reporters = append(ev.Reporters, ReporterGroup{Reports: 5000, Oldest: ago(9), Newest: ago(0)})
	if a := Assess(ev, now); a.Score > 49 {
		t.Errorf("5000 keys of which one is proven give %d", a.Score)
	}
	for i := range 5000 {
		ev.Reporters[i].ProvenUntil = provenIf(true)
	}
	if a := Assess(ev, now); a.Score > 49 {
		t.Errorf("5000 proven keys of one network give %d", a.Score)
	}
	ev.Reporters[1].Network = 2
	if a := Assess(ev, now); LevelOf(a.Score) != High {
		t.Errorf("with two proven keys of two networks they give %d", a.Score)
	}
}

func TestOneNetworkNeverExceedsMedium(t *testing.T) {
	forAll(t, func(r *rand.Rand) string {
		ev := anyEvidence(r, true, true)
		for i := range ev.Reporters {
			ev.Reporters[i].Network = []int{0, 7}[r.IntN(2)] // or it is not known
			ev.Reporters[i].ProvenUntil = provenIf(ev.Reporters[i].Agent != "")
		}
		if a := Assess(ev, now); a.Score > 49 || a.Confidence > 0.55 {
			return fmt.Sprintf("%+v gives %+v", ev, a)
		}
		return ""
	})
}

func TestOneOriginOfEachKindCountsOnce(t *testing.T) {
	one := ReporterGroup{Agent: "a", Since: ago(50), Reports: 1, Oldest: ago(3), Newest: ago(1)}
	two := one
	two.Agent = "b"
	a := Assess(Evidence{Reporters: []ReporterGroup{one}}, now).Score
	b := Assess(Evidence{Reporters: []ReporterGroup{one, two}}, now).Score
	if b <= a {
		t.Errorf("one key gives %d, two give %d", a, b)
	}
}

func TestLevelsAndRecommendationsFollowThePublishedRule(t *testing.T) {
	for score, want := range map[int]Level{0: Clean, 1: Low, 24: Low, 25: Medium, 49: Medium, 50: High, 79: High,
		80: Critical, 100: Critical} {
		if got := LevelOf(score); got != want {
			t.Errorf("%d is %s", score, got)
		}
	}
	for level, want := range map[Level]Recommendation{Clean: Review, Low: Review, Medium: Review, High: Block,
		Critical: Block} {
		if got := Recommend(level, Caution, false, false); got != want {
			t.Errorf("%s: %s", level, got)
		}
	}
	if Recommend(Clean, NoReports, false, false) != Proceed || Recommend(Low, Caution, true, false) != Proceed ||
		Recommend(Critical, Caution, true, false) != Block {
		t.Error("a safelisted subject is to be blocked when sanctioned, and else to be paid")
	}
}

func TestAParentSpeaksForThoseBelowUnlessItIsShared(t *testing.T) {
	at := func(name string, reports int, kinds ...ListingKind) Record {
		r := Record{Subject: Subject{DNS, name}, Reports: reports}
		for _, k := range kinds {
			r.Listings = append(r.Listings, Listing{Kind: k, Subject: r.Subject})
		}
		return r
	}
	leaf := Subject{DNS, "a.evil.example"}
	for _, c := range []struct {
		about   string
		records []Record
		score   func(a Assessment) bool
	}{
		{"a listed parent", []Record{at("evil.example", 0, Risk)}, func(a Assessment) bool { return a.Score >= 50 }},
		{"a shared parent", []Record{at("evil.example", 5, Risk, Shared)},
			func(a Assessment) bool { return a.Score == 0 && !a.Safelisted }},
		{"a safe parent", []Record{at("evil.example", 0, Safe)}, func(a Assessment) bool { return a.Safelisted }},
		{"a listed name below a safe parent", []Record{at("a.evil.example", 0, Risk), at("evil.example", 0, Safe)},
			func(a Assessment) bool { return a.Score <= 24 && a.Safelisted }},
		{"a reported name below a safe parent", []Record{at("a.evil.example", 9), at("evil.example", 0, Safe)},
			func(a Assessment) bool { return a.Safelisted }},
		{"a safe name below a listed parent", []Record{at("a.evil.example", 0, Safe), at("evil.example", 0, Risk)},
			func(a Assessment) bool { return a.Score <= 24 && a.Safelisted }},
		{"a shared name itself", []Record{at("a.evil.example", 0, Risk, Shared)},
			func(a Assessment) bool { return a.Score <= 24 && a.Safelisted }},
	} {
		var ev Evidence
		for _, r := range ApplicableRecords(leaf, c.records) {
			ev.Listings = append(ev.Listings, r.Listings...)
		}
		if a := Assess(ev, now); !c.score(a) {
			t.Errorf("%s gives %+v", c.about, a)
		}
	}
}
