package tocsin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

// record makes a record of as many confirmed subjects and misses, all named that many days ago. Two families confirm
// each subject.
func record(confirmed, missed int, days float64) (names []Naming) {
	for i := range confirmed + missed {
		n := Naming{At: ago(days)}
		if i < confirmed {
			n.Families = []string{"a", "b"}
		}
		names = append(names, n)
	}
	return names
}

// provenIf is until when a key is proven that is, or is not.
func provenIf(is bool) Time {
	if !is {
		return Time{}
	}
	return ago(-10_000)
}

func proves(record []Naming) bool { return ProvenUntil(record, now) != (Time{}) }

func TestThePublishedProof(t *testing.T) {
	p := published(t, `record: what it named within the last (\d+) days`)
	if ProofWindow != time.Duration(p[0])*day {
		t.Errorf("the record is %v", ProofWindow)
	}
	p = published(t, `first of them did so at least (\d+) hours \*\*after\*\* the report. `+
		`The report names at most (\d+)`)
	if ProvenAfter != time.Duration(p[0])*time.Hour || ProofSubjects != int(p[1]) {
		t.Errorf("%v, %d subjects", ProvenAfter, ProofSubjects)
	}
	p = published(t, `if at least (\d+) subjects are confirmed, at least (\d+) of them remain when .* is at least `+
		`([\d.]+) with a certainty of 95 %\. This is the lower bound of Wilson's interval with z = ([\d.]+)`)
	fewest, others, bound, z := int(p[0]), int(p[1]), p[2], p[3]
	if proves(record(fewest-1, 0, 1)) || !proves(record(fewest, 0, 1)) {
		t.Errorf("%d subjects prove nothing, or fewer prove something", fewest)
	}
	for confirmed := 1; confirmed < 150; confirmed++ {
		for missed := range 150 {
			c, n := float64(confirmed), float64(confirmed+missed)
			wilson := (c/n + z*z/(2*n) - z*math.Sqrt(c*(n-c)/(n*n*n)+z*z/(4*n*n))) / (1 + z*z/n)
			if want := confirmed >= fewest && wilson >= bound; ProvesStill(confirmed, missed) != want {
				t.Fatalf("%d confirmed, %d missed: not %v", confirmed, missed, want)
			}
		}
	}
	for alone := range 30 { // confirmed by one family only
		names := record(fewest+20, 0, 1)
		for i := range alone {
			names[i].Families = []string{"a"}
		}
		if want := fewest+20-alone >= others; proves(names) != want {
			t.Errorf("%d of %d subjects are confirmed by one family alone: %v", alone, fewest+20, !want)
		}
	}
}

func TestThePublishedMissesThatAProofBears(t *testing.T) {
	for _, row := range table(t, "confirmed") {
		confirmed, _ := strconv.Atoi(row[0])
		misses, err := strconv.Atoi(row[1])
		if err != nil || !ProvesStill(confirmed, misses) || ProvesStill(confirmed, misses+1) {
			t.Errorf("%d confirmed subjects do not bear %d misses, or bear more", confirmed, misses)
		}
	}
}

// TestThePublishedPriceOfAnAttack holds the price list against the formula.
func TestThePublishedPriceOfAnAttack(t *testing.T) {
	for _, row := range table(t, "to make an innocent") {
		var n [5]int // keys, networks, domains, days, innocents
		for i := range n {
			n[i], _ = strconv.Atoi(row[1+i]) // "any number" is 0
		}
		reach := func(keysOf, networks, domains int) Level {
			each := domains / keysOf
			groups := keys(keysOf, 0, day)
			for i := range groups {
				groups[i].ProvenUntil = ProvenUntil(record(each, n[4], 1), now)
				groups[i].Network, groups[i].Oldest = i%networks+1, ago(float64(n[3]))
			}
			return LevelOf(assess(groups).Score)
		}
		want := High
		if row[0] == string(Medium) {
			want = Medium
		}
		if got := reach(n[0], n[1], n[2]); got != want {
			t.Errorf("%s: %s", row[0], got)
		}
		cheaper := map[string]bool{"fewer keys": n[0] > 1 && reach(n[0]-1, n[1], n[2]) == want,
			"fewer networks": n[1] > 1 && reach(n[0], n[1]-1, n[2]) == want,
			"fewer domains":  n[2] > 0 && reach(n[0], n[1], n[2]-2) == want}
		for about, is := range cheaper {
			if is {
				t.Errorf("%s: with %s too", row[0], about)
			}
		}
		if more := record(n[2]/2, n[4]+1, 1); n[2] > 0 && proves(more) {
			t.Errorf("%s: with more innocents too", row[0])
		}
	}
}

// TestGuessingProvesNobody is the spray of two keys over 24,000 new domains, of which lists name a few.
func TestGuessingProvesNobody(t *testing.T) {
	for _, hits := range []int{1, 10, 100, 1000, 10_000} {
		if proves(record(hits, 24_000-hits, 1)) {
			t.Errorf("%d of 24,000 prove a key", hits)
		}
	}
}

// TestAProofEndsWhenItsRecordDoes: at every moment before the answer the record proves the key, and not at it.
func TestAProofEndsWhenItsRecordDoes(t *testing.T) {
	forAll(t, func(r *rand.Rand) string {
		var names []Naming
		for range 10 + r.IntN(30) {
			n := Naming{At: ago(r.Float64() * 200)}
			for _, family := range []string{"a", "b"} {
				if r.IntN(4) > 0 {
					n.Families = append(n.Families, family)
				}
			}
			names = append(names, n)
		}
		until := ProvenUntil(names, now)
		if until == (Time{}) {
			return ""
		}
		for i := range 20 {
			at := now.Add(time.Duration(i) * until.Std().Sub(now) / 20)
			if ProvenUntil(names, at) != until {
				return fmt.Sprintf("%v: at %v it is over, not at %v", names, at, until)
			}
		}
		if ProvenUntil(names, until.Std()) != (Time{}) {
			return fmt.Sprintf("%v: at %v it is not over", names, until)
		}
		return ""
	})
}

func TestAProofCoversTheReportsOfItsRecordOnly(t *testing.T) {
	g := keys(1, 1, 0)[0]
	for days, want := range map[float64]bool{0: true, 179.9: true, 180: false, 900: false} {
		if g.Newest = ago(days); g.Proven(now) != want {
			t.Errorf("a report of %v days ago is proven: %v", days, !want)
		}
	}
	g.Newest, g.ProvenUntil = ago(0), TimeOf(now)
	if g.Proven(now) || !g.Proven(now.Add(-time.Microsecond)) {
		t.Error("a proof is over when it ends, and not before")
	}
}

func TestWhatCostsNothingConfirmsNothing(t *testing.T) {
	for name, want := range map[string]bool{
		"evil.com": true, "evil.co.uk": true, "xn--e1aybc.com": true,
		"www2.evil.com": false, "a.evil.co.uk": false, "com": false, "co.uk": false,
		"me.github.io": false, "me.vercel.app": false, "evil.pages.dev": false, "github.io": false,
		"0x000000000000000000000000000000000000dEaD": true,
	} {
		s := Subject{DNS, name}
		if a, err := ParseAddress(name); err == nil {
			s = a.Subject()
		}
		if s.Confirmable() != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	for host := range sharedHosts {
		if (Subject{DNS, host}).Confirmable() || (Subject{DNS, "me." + host}).Confirmable() {
			t.Errorf("%s gives names away", host)
		}
	}
}
