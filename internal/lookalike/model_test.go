package lookalike

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"tocsin"
)

var cutoff = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// made returns names of two kinds that can be told apart for the most part: lures under cheap suffixes, and words.
func made(fraud, innocent int) (examples []Example) {
	r := rand.New(rand.NewPCG(3, 4))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	syllables := func(n int) (s string) {
		for range n {
			s += pick("ba", "co", "di", "fe", "gu", "ha", "lo", "mi", "no", "pe", "ra", "so", "tu", "vi")
		}
		return s
	}
	for i := range fraud {
		since := cutoff.Add(-time.Duration(r.IntN(400*24)) * time.Hour)
		name := fmt.Sprintf("%s-%s%s.%s", pick("claim", "airdrop", "verify", "wallet"), syllables(2), pick("", "7"),
			pick("xyz", "top", "app", "com"))
		if i%10 == 0 {
			name = syllables(3) + "-claim." + pick("pages.dev", "vercel.app")
		}
		examples = append(examples, Example{Domain: domain(name), Fraud: true, Since: since})
	}
	for i := range innocent {
		name, class := syllables(2+r.IntN(3))+"."+pick("com", "org", "de", "co.uk"), tocsin.TopSite
		if i%10 == 0 {
			name, class = syllables(3)+"swap."+pick("com", "io", "finance"), tocsin.TokenSite
		}
		examples = append(examples, Example{Domain: domain(name), Class: class})
	}
	return examples
}

var example = sync.OnceValues(func() (*Model, error) {
	return Train(made(1500, 3000), Options{Brands: ShippedBrands(), Cutoff: cutoff, Workers: 2})
})

func trained(t testing.TB) *Model {
	t.Helper()
	m, err := example()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAModelIsTheSameForTheSameExamplesInAnyOrder(t *testing.T) {
	examples := made(1500, 3000)
	var files [2]bytes.Buffer
	for i := range files {
		m, err := Train(examples, Options{Brands: ShippedBrands(), Cutoff: cutoff, Workers: 1 + i})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.WriteTo(&files[i]); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(examples)
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("two trainings on the same examples differ")
	}
	m, err := ReadModel(bytes.NewReader(files[0].Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if _, err := m.WriteTo(&again); err != nil || !bytes.Equal(files[0].Bytes(), again.Bytes()) {
		t.Errorf("a model that was read is written otherwise: %v", err)
	}
	for _, at := range []int{0, 20, 200, files[0].Len() / 2, files[0].Len() - 1} {
		damaged := bytes.Clone(files[0].Bytes())
		damaged[at] ^= 1
		if _, err := ReadModel(bytes.NewReader(damaged)); !errors.Is(err, ErrNotModel) {
			t.Errorf("a model with byte %d changed: %v", at, err)
		}
	}
	if _, err := ReadModel(bytes.NewReader(files[0].Bytes()[:1000])); !errors.Is(err, ErrNotModel) {
		t.Errorf("a part of a model: %v", err)
	}
}

func TestAModelKnowsFraudThatItHasNotSeen(t *testing.T) {
	d := NewDetector(ShippedBrands(), nil)
	fraud, plain := domain("claim-gugunona.xyz"), domain("bahafemi.de")
	if v := d.Judge(fraud); v.Prediction != nil || v.Suspicious {
		t.Errorf("without a model: %+v", v)
	}
	d.Use(trained(t))
	v, w := d.Judge(fraud), d.Judge(plain)
	if v.Prediction == nil || !v.Suspicious || v.Prediction.Level != Elevated || w.Prediction == nil || w.Suspicious ||
		w.Prediction.Level != None || v.Prediction.Score <= w.Prediction.Score {
		t.Fatalf("%+v, %+v", v.Prediction, w.Prediction)
	}
	shares := 0.0
	for _, r := range v.Prediction.Reasons {
		shares += r.Share
	}
	if len(v.Prediction.Reasons) == 0 || shares > 1.0001 {
		t.Errorf("reasons %+v", v.Prediction.Reasons)
	}
	if w.Prediction.Reasons != nil {
		t.Errorf("reasons against an innocent name: %+v", w.Prediction.Reasons)
	}
}

func TestAboutSomeNamesNothingIsPredicted(t *testing.T) {
	d := NewDetector(ShippedBrands(), trained(t))
	for _, name := range []string{"pages.dev", "weebly.com", "4.3.2.1.in-addr.arpa", "claim-nono.netlify.app",
		"metamask.io", "claim-airdrop.metamask.io"} {
		if v := d.Judge(domain(name)); v.Prediction != nil || v.Suspicious {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := d.Judge(domain("nohami-claim.pages.dev")); v.Prediction == nil {
		t.Error("nothing is predicted of a tenant of a provider that the lists know")
	}
}

func TestASureLookalikeIsSuspiciousAndRanked(t *testing.T) {
	rules, both := NewDetector(ShippedBrands(), nil), NewDetector(ShippedBrands(), trained(t))
	last := 0.0
	for _, name := range []string{"xn--unswap-q9a.org", "uniswaap.org", "metamask-login.io",
		"claim-metamask-airdrop.xyz"} {
		if v := rules.Judge(domain(name)); !v.Suspicious || v.Prediction != nil || !v.Lookalike.Sure() {
			t.Errorf("%s by rules: %+v", name, v)
		}
		v := both.Judge(domain(name))
		if !v.Suspicious || v.Prediction.Level != Elevated || v.Prediction.Score >= 1 || v.Prediction.Score == last {
			t.Errorf("%s: %+v", name, v.Prediction)
		}
		last = v.Prediction.Score
	}
	if v := rules.Judge(domain("unsiwap.org")); v.Suspicious || v.Lookalike == nil {
		t.Errorf("a typo alone: %+v", v)
	}
	if got := domain("xn--unswap-q9a.org").Unicode(); got != "unıswap.org" {
		t.Errorf("people see %q", got)
	}
}

func TestScoresAreNeverTied(t *testing.T) {
	m := trained(t)
	last := ""
	for surplus := -25.0; surplus <= 25; surplus += 0.05 {
		if text := fmt.Sprintf("%.6f", m.score(surplus)); text <= last || text >= "1" {
			t.Fatalf("%.2f above the limit: %s after %s", surplus, text, last)
		} else {
			last = text
		}
	}
}

func TestTooFewNamesMakeNoModel(t *testing.T) {
	if _, err := Train(made(100, 3000), Options{Brands: ShippedBrands(), Cutoff: cutoff}); !errors.Is(err, ErrTooFew) {
		t.Error(err)
	}
}

func TestNothingThatWasListedLaterIsLearnt(t *testing.T) {
	examples := made(3000, 3000)
	then := Options{Brands: ShippedBrands(), Cutoff: cutoff.AddDate(0, -6, 0)}
	before, err := Train(examples, then)
	if err != nil {
		t.Fatal(err)
	}
	examples = slices.DeleteFunc(examples, func(e Example) bool { return e.Since.After(then.Cutoff) })
	without, err := Train(examples, then)
	if err != nil || before.Version != without.Version || before.Fraud >= 3000 {
		t.Errorf("%v: %s of %d, without the later ones %s", err, before.Version, before.Fraud, without.Version)
	}
}

func TestEvaluationJudgesNamesThatWereNotLearnt(t *testing.T) {
	examples := made(1500, 3000)
	var cases []Case
	for _, e := range examples[1500:] {
		group := Popular
		if e.Class == tocsin.TokenSite {
			group = e.Class
		}
		cases = append(cases, Case{Domain: e.Domain, Groups: []string{group}})
	}
	for _, e := range examples[:1500] {
		if e.Since.After(cutoff.AddDate(0, 0, -60)) {
			cases = append(cases, Case{Domain: e.Domain, Fraud: true, Groups: []string{"fraud"}})
		}
	}
	r, err := Evaluate(cases, examples, Options{Brands: ShippedBrands(), Cutoff: cutoff.AddDate(0, 0, -60), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	popular, fraud := r.Groups[Popular], r.Groups["fraud"]
	if len(r.Models) != 4 || popular == nil || fraud == nil {
		t.Fatalf("%d models, %+v", len(r.Models), r.Groups)
	}
	if got := popular.AtRates[1]; got != int(0.001*float64(popular.Of)) {
		t.Errorf("%d of %d popular sites are above the score of one in a thousand", got, popular.Of)
	}
	if fraud.AtRates[2]*2 < fraud.Of {
		t.Errorf("%d of %d are found", fraud.AtRates[2], fraud.Of)
	}
}

func TestTheIntervalOfWilson(t *testing.T) {
	low, high := Wilson(10, 100)
	if math.Abs(low-0.0552) > 0.0001 || math.Abs(high-0.1744) > 0.0001 {
		t.Errorf("%f to %f", low, high)
	}
	if low, high := Wilson(0, 0); low != 0 || high != 1 {
		t.Errorf("of nothing: %f to %f", low, high)
	}
}
