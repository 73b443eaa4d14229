package lookalike

import (
	"math"
	"sync/atomic"

	"tocsin"
)

// Detector judges names by the rules and, if it has one, by a model. Any number of goroutines may use it.
type Detector struct {
	brands  *Brands
	model   atomic.Pointer[Model]
	changes atomic.Uint64 // of the model
}

// NewDetector returns a detector. The model may be nil: then only the rules answer.
func NewDetector(brands *Brands, model *Model) *Detector {
	d := &Detector{brands: brands}
	d.model.Store(model)
	return d
}

// Use exchanges the model. Judgements under way finish with the one that they began with.
func (d *Detector) Use(model *Model) {
	d.model.Store(model)
	d.changes.Add(1)
}

// Changes counts how often the model was exchanged. What was judged after a count is at least as new as the count.
func (d *Detector) Changes() uint64 {
	if d == nil {
		return 0
	}
	return d.changes.Load()
}

// Model returns the model in use, or nil.
func (d *Detector) Model() *Model {
	if d == nil {
		return nil
	}
	return d.model.Load()
}

// Brands returns how many brands are looked for.
func (d *Detector) Brands() int {
	if d == nil {
		return 0
	}
	return d.brands.Len()
}

// Verdict is what can be said of a name that nobody has reported. It is no evidence: nobody has seen what is there.
type Verdict struct {
	Unicode    string      // the name as people see it, "" if it is ASCII
	Owner      string      // the main domain of the brand that the name belongs to; then nothing else is set
	Host       string      // the suffix, if it is a provider's that gives names to its users; "" if not
	Registered bool        // somebody owns the name; if not, nothing else is set: a public suffix, a shared host
	SameWord   string      // see [tocsin.NameFindings]
	Lookalike  *Lookalike  // the brand that it is nearest to; nil for none. Show it as a reason only if Suspicious.
	Prediction *Prediction // nil without a model, and where none is made
	Suspicious bool        // the prediction is elevated, or the look-alike is sure
	Near       bool        // see [tocsin.NameFindings]
}

// sureSurplus is how far above the limit a look-alike is that is sure.
const sureSurplus = 0.3

// Judge says whether a name looks like those of fraud. Do not ask about names that a safelist vouches for, or whose
// parent it does: innocent sites may have names like those of fraud, and somebody has looked at these. Nothing is
// predicted of public suffixes and shared hosts, of tenants of providers that the lists hardly know, and of the domains
// of brands.
func (d *Detector) Judge(domain tocsin.Domain) Verdict {
	v := Verdict{Unicode: domain.Unicode()}
	if v.Owner = d.brands.Owner(domain); v.Owner != "" {
		return v
	}
	n, ok := parse(domain)
	if v.Registered = ok; !ok {
		return v
	}
	if n.hosted {
		v.Host = n.suffix
	}
	v.SameWord = d.brands.sameWord(&n)
	found := d.brands.find(&n)
	resembled := d.brands.lookalike(&n, found)
	v.Lookalike = d.brands.surest(&n, resembled)
	sure := v.Lookalike != nil && v.Lookalike.Sure()
	v.Suspicious = sure
	v.Near = v.Lookalike != nil && !n.hosted
	m := d.model.Load()
	if m == nil || !sure && !m.covers(&n) {
		return v
	}
	var f features
	f.extract(&n, d.brands, found)
	surplus := m.surplus(&n, &f)
	if sure { // above the limit in any case, and in the order of the model
		surplus = math.Max(surplus, sureSurplus) + math.Log1p(math.Exp(-math.Abs(surplus-sureSurplus)))
	}
	p := &Prediction{Score: m.score(surplus), Level: m.level(&n, surplus), ModelVersion: m.Version}
	if sure {
		p.Level = Elevated
	}
	v.Near = p.Level != None && !n.hosted
	if v.Prediction = p; p.Level != None {
		v.Suspicious = p.Level == Elevated
		brand := ""
		if resembled != nil {
			brand = resembled.Of
		}
		p.Reasons = m.reasons(&n, &f, found, brand)
	}
	return v
}
