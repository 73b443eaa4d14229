package lookalike

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"tocsin"
)

// Example is a name of which it is known what it is.
type Example struct {
	Domain tocsin.Domain
	Fraud  bool
	Since  time.Time // of fraud: when a list first named it; zero if that is unknown
	Class  string    // of an innocent name: the category of the safelist that has it; see the classes
}

// Classes of innocent names that count in their own way. Any other class counts like an ordinary site.
const (
	ClassBrand   = "brand"   // a domain of the list of brands
	ClassCleared = "cleared" // innocent, though its name is like those of fraud
	ClassTenant  = "tenant"  // one of many users of a provider; set by Train
	ClassHost    = "host"    // a host under which others have names: nobody vouches for it, and names are like its own
)

// Options are the settings of [Train].
type Options struct {
	Brands   *Brands
	Cutoff   time.Time             // examples count by their age at this moment; later ones are left out
	Former   *Model                // to compare the new one with; may be nil
	Workers  int                   // how many fits run at once; their number does not change the result
	Progress func(done, total int) // fits; may be nil
}

// ErrTooFew is the error of a training with too few names.
var ErrTooFew = errors.New("there are too few names to learn from")

// Minimal numbers of names that a model is made of.
const (
	minFraud   = 1_000
	minPopular = 1_000
	minTenants = 200 // innocent ones; with fewer, their limits are those of other names and a surcharge
	minListed  = 30  // fraudulent tenants of a provider about whose tenants something is predicted
)

const (
	folds          = 5
	perRegistrable = 30                   // hosts of one owner
	halfLife       = 200 * 24 * time.Hour // after which a fraudulent name counts half
	newest, oldest = 0.4, 0.03            // how much fraudulent names count

	// What is added to the limits of other names for tenants, where innocent tenants are not known: for ranking, and for
	// the limits, which are to spare the innocent. Measured on 4,700 innocent tenants (docs/detection.md).
	tenantRank, tenantSurcharge = 1.5, 3.5

	maxTokenRate = 0.01
)

// sample is an example that is learnt from.
type sample struct {
	Example
	hosted bool
	fold   int
}

// training is what [Train] works with.
type training struct {
	samples []sample
	set     set
	margins []float64 // by a model that has not learnt the owner of the name
	parents []string
	covered time.Time // see there
	inputs  string    // hash
}

// Train makes a model. The same examples, in any order, give the same model, byte by byte. It measures the limits on
// names of owners that were held out: five further models each leave out one fifth of the owners.
func Train(examples []Example, o Options) (*Model, error) {
	t := prepare(examples, o)
	fraud, innocent, popular := 0, 0, 0
	for i := range t.samples {
		switch s := &t.samples[i]; {
		case s.Fraud:
			fraud++
		case s.Class == tocsin.TopSite:
			popular++
			innocent++
		default:
			innocent++
		}
	}
	if fraud < minFraud || popular < minPopular {
		return nil, fmt.Errorf("%w: %d fraudulent names and %d popular sites, at least %d and %d are needed; "+
			"import lists of both", ErrTooFew, fraud, popular, minFraud, minPopular)
	}
	m := &Model{Info: Info{
		FeatureVersion: featureVersion, Cutoff: o.Cutoff.UTC(), Fraud: fraud, Innocent: innocent,
		Version: o.Cutoff.UTC().Format("2006-01-02") + "-" + t.inputs[:8], Parents: t.parents,
	}}
	m.parents = stringSet(m.Parents)
	m.weights = t.fit(o)
	t.limits(m)
	t.calibrate(m)
	t.rates(m)
	m.Against = t.compare(m, o.Former)
	return m, nil
}

func stringSet(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

// prepare chooses what is learnt from, in an order that depends on the names alone.
func prepare(examples []Example, o Options) *training {
	examples = slices.Clone(examples)
	for _, text := range o.Brands.Domains() {
		if d, fault := tocsin.ParseDomain(text); fault == nil {
			examples = append(examples, Example{Domain: d, Class: ClassBrand})
		}
	}
	slices.SortFunc(examples, func(a, b Example) int {
		return cmp.Or(strings.Compare(a.Domain.String(), b.Domain.String()), compareBool(a.Fraud, b.Fraud),
			cmp.Compare(classRank(b.Class), classRank(a.Class)), strings.Compare(a.Class, b.Class),
			older(a.Since, b.Since))
	})
	t := &training{}
	hash := sha256.New()
	var previous string
	var fs features
	tenants := map[string]int{}
	hosts := map[string]int{} // fraudulent ones by owner
	for _, e := range examples {
		if e.Fraud && e.Since.After(o.Cutoff) || e.Domain.String() == previous {
			continue // what is called both is innocent: innocent ones are sorted first
		}
		previous = e.Domain.String()
		n, ok := parse(e.Domain)
		if !ok {
			continue
		}
		if e.Fraud {
			if o.Brands.Owner(e.Domain) != "" {
				continue
			}
			if hosts[e.Domain.Registrable()]++; hosts[e.Domain.Registrable()] > perRegistrable {
				continue
			}
			if n.hosted {
				tenants[n.suffix]++
			}
		} else if n.hosted && e.Class != ClassBrand {
			e.Class = ClassTenant
		}
		fmt.Fprintf(hash, "%s %t %s %d\n", previous, e.Fraud, e.Class, e.Since.Unix())
		fs.extract(&n, o.Brands, o.Brands.find(&n))
		t.set.add(fs.place[:fs.n], e.Fraud)
		t.samples = append(t.samples, sample{e, n.hosted, foldOf(e.Domain)})
	}
	t.covered = covered(t.samples, o.Cutoff)
	for _, s := range t.samples {
		t.set.weight = append(t.set.weight, weightOf(s.Example, t.covered))
	}
	for parent, count := range tenants {
		if count >= minListed {
			t.parents = append(t.parents, parent)
		}
	}
	slices.Sort(t.parents)
	t.inputs = hex.EncodeToString(hash.Sum(nil))
	return t
}

// classRank orders the classes of a name that several lists know: the one that says most about it counts.
func classRank(class string) int {
	return slices.Index([]string{ClassHost, "", tocsin.TopSite, tocsin.TokenSite, ClassCleared, ClassBrand}, class)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// older compares dates, of which the earliest counts and none comes last.
func older(a, b time.Time) int { return cmp.Or(compareBool(a.IsZero(), b.IsZero()), a.Compare(b)) }

// foldOf says to which part of the names an owner belongs.
func foldOf(d tocsin.Domain) int { return int(textHash(d.Registrable()) >> 33 % folds) }

func (s *set) add(places []uint32, fraud bool) {
	s.places = append(s.places, places...)
	s.ends = append(s.ends, len(s.places))
	s.labels = append(s.labels, fraud)
}

// weightOf says how much an example counts. Fraud changes its names: what is half a year old says less about the next.
func weightOf(e Example, now time.Time) float32 {
	switch {
	case e.Fraud && e.Since.IsZero():
		return oldest
	case e.Fraud:
		age := max(0, now.Sub(e.Since))
		return float32(max(oldest, newest*math.Exp2(-float64(age)/float64(halfLife))))
	}
	switch e.Class {
	case ClassBrand, ClassCleared:
		return 3
	case ClassHost:
		return 0.5
	case ClassTenant:
		return 0.3
	}
	return 1
}

// fit learns the model of all examples, and the margin of each example from a model that has not seen its owner.
func (t *training) fit(o Options) (weights []float32) {
	t.margins = make([]float64, len(t.samples))
	var group sync.WaitGroup
	var lock sync.Mutex
	done := 0
	places := make(chan struct{}, max(o.Workers, 1))
	for fold := range folds + 1 { // the last one leaves out nobody
		places <- struct{}{}
		group.Go(func() {
			fitted := learn(&t.set, func(i int) bool { return t.samples[i].fold != fold })
			if fold == folds {
				weights = fitted
			}
			for i := range t.samples {
				if t.samples[i].fold == fold {
					t.margins[i] = margin(fitted, t.set.of(i))
				}
			}
			lock.Lock()
			if done++; o.Progress != nil {
				o.Progress(done, folds+1)
			}
			lock.Unlock()
			<-places
		})
	}
	group.Wait()
	return weights
}

// limits sets the limits of names of their own by popular sites, and those of tenants by innocent tenants.
func (t *training) limits(m *Model) {
	own := t.marginsOf(func(s *sample) bool { return s.Class == tocsin.TopSite })
	m.Own = Limits{Strict: exceeded(own, 0.0005), Elevated: exceeded(own, 0.001), Low: exceeded(own, 0.01)}
	if sites := t.marginsOf(func(s *sample) bool { return s.Class == tocsin.TokenSite }); len(sites) > 0 {
		m.Own.Elevated = max(m.Own.Elevated, exceeded(sites, maxTokenRate))
		m.Own.Strict = max(m.Own.Strict, m.Own.Elevated)
	}
	m.TenantsFrom = m.Own.Elevated + tenantRank
	m.Tenants = Limits{
		Strict: m.Own.Strict + tenantSurcharge, Elevated: m.Own.Elevated + tenantSurcharge, Low: m.Own.Low + tenantSurcharge,
	}
	tenants := t.marginsOf(func(s *sample) bool { return s.Class == ClassTenant && m.parents[parentOf(s)] })
	if m.KnownTenants = len(tenants); len(tenants) >= minTenants {
		m.Tenants = Limits{
			Strict: exceeded(tenants, 0.015), Elevated: exceeded(tenants, 0.03), Low: exceeded(tenants, 0.06),
		}
		m.TenantsFrom = m.Tenants.Elevated
	}
}

func parentOf(s *sample) string {
	_, parent, _ := strings.Cut(s.Domain.Registrable(), ".")
	return parent
}

// marginsOf returns the margins of innocent samples, the largest first.
func (t *training) marginsOf(of func(s *sample) bool) (margins []float64) {
	for i := range t.samples {
		if s := &t.samples[i]; !s.Fraud && of(s) {
			margins = append(margins, t.margins[i])
		}
	}
	slices.SortFunc(margins, func(a, b float64) int { return cmp.Compare(b, a) })
	return margins
}

// exceeded returns the margin that a share of the margins exceeds.
func exceeded(margins []float64, share float64) float64 {
	at := min(int(share*float64(len(margins))), len(margins)-1)
	return math.Nextafter(margins[at], math.Inf(1))
}

// baseRate is the share of fraud among screened names that scores are calibrated to. It is an assumption.
const baseRate = 0.01

// calibrate sets what makes a score of a surplus: a logistic regression of two parameters on recent fraud and popular
// sites (Platt 1999), by Newton's method.
func (t *training) calibrate(m *Model) {
	type point struct {
		x, w  float64
		fraud bool
	}
	var points []point
	var sums [2]float64
	for i := range t.samples {
		s := &t.samples[i]
		if s.hosted || !s.Fraud && s.Class != tocsin.TopSite {
			continue
		}
		w := 1.0
		side := 0
		if s.Fraud {
			w, side = float64(t.set.weight[i]), 1
		}
		sums[side] += w
		points = append(points, point{t.margins[i] - m.Own.Elevated, w, s.Fraud})
	}
	a, b := 1.0, 0.0
	for range 30 {
		var ga, gb, haa, hab, hbb float64
		for _, p := range points {
			w := p.w * (1 - baseRate) / sums[0]
			if p.fraud {
				w = p.w * baseRate / sums[1]
			}
			q := 1 / (1 + math.Exp(-(a*p.x + b)))
			r := q
			if p.fraud {
				r--
			}
			h := w * q * (1 - q)
			ga, gb = ga+w*r*p.x, gb+w*r
			haa, hab, hbb = haa+h*p.x*p.x, hab+h*p.x, hbb+h
		}
		det := haa*hbb - hab*hab
		if det < 1e-15 {
			break
		}
		a, b = a-(hbb*ga-hab*gb)/det, b-(haa*gb-hab*ga)/det
	}
	m.Scale, m.Offset = a, b
	if !(a > 0.05 && a < 20) || math.IsNaN(b) {
		m.Scale, m.Offset = 1, -2 // the names were too few to calibrate on; the order is the same
	}
}

var _ io.WriterTo = (*Model)(nil)
