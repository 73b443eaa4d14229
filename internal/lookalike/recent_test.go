package lookalike

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// retrained trains on examples as of a day, after the former model.
func retrained(t *testing.T, examples []Example, at time.Time, former *Model) *Model {
	t.Helper()
	m, err := Train(examples, Options{Brands: ShippedBrands(), Cutoff: at, Former: former, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestListsThatHaveStoppedMakeNoModelWorse: what is recent is counted from the day up to which they name what is new.
func TestListsThatHaveStoppedMakeNoModelWorse(t *testing.T) {
	examples := made(1500, 3000)
	for i := range 5 { // of a list that goes on, hardly
		name := []string{"bafe", "cogu", "diha", "fenomi", "gupe"}[i] + ".com"
		examples = append(examples, Example{Domain: domain(name), Fraud: true, Since: cutoff.AddDate(0, 6, i)})
	}
	former := retrained(t, examples, cutoff, nil)
	if former.Against != (Comparison{}) || former.Recent < minRecent || former.RecentRecall < 0.5 {
		t.Fatalf("the first model: %+v", former.Info)
	}
	m := retrained(t, examples, cutoff.AddDate(0, 7, 0), former)
	if m.Against.Worse || m.Against.Names != 0 || m.Recent != former.Recent || m.RecentUntil.After(cutoff) {
		t.Errorf("seven months later, with the same lists: %+v, of %d until %s", m.Against, m.Recent, m.RecentUntil)
	}
	if got, want := m.RecentRecall, former.RecentRecall; got < want-0.02 || got > want+0.02 {
		t.Errorf("it finds %.2f, and found %.2f", got, want)
	}
	for i := range examples {
		examples[i].Since = time.Time{}
	}
	undated := retrained(t, examples, cutoff, former)
	if undated.Recent != 0 || undated.Against != (Comparison{}) || !undated.RecentUntil.Equal(cutoff) {
		t.Errorf("without dates: %+v, %+v", undated.Against, undated.Info)
	}
}

// TestAModelIsComparedOnWhatNeitherHasLearnt, if that is enough, and refused if it finds clearly less of it.
func TestAModelIsComparedOnWhatNeitherHasLearnt(t *testing.T) {
	examples := made(3000, 3000)
	before := cutoff.AddDate(0, -2, 0)
	former := retrained(t, examples, before, nil)
	m := retrained(t, examples, cutoff, former)
	if a := m.Against; a.Worse || a.Names < minRecent || a.Names > m.Recent || a.Is < 0.5 || a.Was < 0.5 {
		t.Errorf("with two months more: %+v", a)
	}
	broken, last := examples, ""
	for _, e := range examples { // a list of popular sites that has fraud
		if lure, rest, found := strings.Cut(e.Domain.String(), "-"); found && e.Fraud {
			if last != "" {
				broken = append(broken, Example{Domain: domain(lure + "-" + last), Class: tocsin.TopSite})
			}
			last = rest
		}
	}
	if m := retrained(t, broken, cutoff, former); !m.Against.Worse || m.Against.Names == 0 {
		t.Errorf("with lists that are broken: %+v", m.Against)
	}
	if a := retrained(t, broken, cutoff, m).Against; !a.Worse || a.Names != 0 {
		t.Errorf("against a model of the same day: %+v", a)
	}
	other := *former
	other.FeatureVersion--
	if a := retrained(t, broken, cutoff, &other).Against; a != (Comparison{}) {
		t.Errorf("against a model of another version: %+v", a)
	}
}

// TestTheRatesOfAModelAreSharesOfTheNamesThatCount: what was listed lately, and the sites of tokens.
func TestTheRatesOfAModelAreSharesOfTheNamesThatCount(t *testing.T) {
	tr := training{covered: cutoff}
	add := func(margin float64, n int, e Example) {
		for range n {
			tr.samples, tr.margins = append(tr.samples, sample{Example: e}), append(tr.margins, margin)
		}
	}
	listed := func(age time.Duration) Example {
		return Example{Domain: domain("a.example"), Fraud: true, Since: cutoff.Add(-age)}
	}
	token := Example{Domain: domain("b.example"), Class: tocsin.TokenSite}
	add(5, 3, listed(0))
	add(4.9, 1, listed(recentDays-1))
	add(9, 7, listed(recentDays))
	add(9, 7, listed(-1))
	add(9, 7, Example{Domain: domain("a.example"), Fraud: true})
	add(5, 1, token)
	add(4.9, 4, token)
	add(9, 7, Example{Domain: domain("c.example"), Class: tocsin.TopSite})
	for i, host := range []string{"a.pages.dev", "b.pages.dev", "c.pages.dev", "d.vercel.app"} {
		add(float64(7+i), 1, Example{Domain: domain(host), Fraud: true, Since: cutoff})
		tr.samples[len(tr.samples)-1].hosted = true
	}
	m := Model{parents: map[string]bool{"pages.dev": true}} // it flags no tenant of another host
	m.Own.Elevated, m.Tenants.Elevated = 5, 7
	tr.rates(&m)
	if got := fmt.Sprint(m.Recent, m.RecentRecall, m.TokenRate, m.RecentUntil.Equal(cutoff)); got != "8 0.75 0.2 true" {
		t.Error(got)
	}
	var none Model
	(&training{covered: cutoff}).rates(&none)
	if none.RecentRecall != 0 || none.TokenRate != 0 {
		t.Errorf("of no names: %v, %v", none.RecentRecall, none.TokenRate)
	}
}
