package lookalike

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tocsin"
)

// Case is a name of which it is known what it is, and which no model may have learnt.
type Case struct {
	Domain tocsin.Domain
	Fraud  bool
	Groups []string // what it is counted under

	Signals *tocsin.Signals // what services said of it; nil if they were not asked
	At      time.Time       // the moment by which the signals are judged
}

// Popular is the group of cases that rates of false alarms are fixed on.
const Popular = "popular sites"

// Rates are the shares of popular sites at which recall is measured.
var Rates = [3]float64{0.0005, 0.001, 0.01}

// Count is how many of the names of a group are found.
type Count struct {
	Of       int
	AtLimits [3]int // at the model's own limits: strict, elevated, low
	AtRates  [3]int // at the scores that exactly such shares of popular sites exceed

	Dated      int // those whose age is known by a signal
	ByName     int // suspicious by the name alone
	BySignals  int // suspicious by the name or with the signals
	Unresolved int // of BySignals, those without an IP address
}

// Report is what [Evaluate] measured.
type Report struct {
	Models  []Info // one, or those of the four parts
	Groups  map[string]*Count
	LeftOut int // cases that lists had before the cut-off, or that nothing can be said of
	judged  []judged
}

type judged struct {
	*Case
	score float64
	level [3]bool

	byName, bySignals bool
}

// parts is in how many parts names are rotated that are both to be measured and to be learnt.
const parts = 4

// Evaluate trains on the examples up to the cut-off and measures with the cases. Fraudulent cases are never learnt. If
// most innocent cases are among the examples, they are rotated: each is judged by one of four models that has not
// learnt its owner. If few are, these are left out, and one model judges all others. No limit is set on the cases that
// it is measured with.
func Evaluate(cases []Case, examples []Example, o Options) (*Report, error) {
	fraud, learnt := map[string]bool{}, map[string]bool{}
	for i := range cases {
		if cases[i].Fraud {
			fraud[cases[i].Domain.String()] = true
		}
	}
	var train []Example
	for _, e := range examples {
		if e.Fraud && (fraud[e.Domain.String()] && e.Since.IsZero() || e.Since.After(o.Cutoff)) {
			continue
		}
		train = append(train, e)
		learnt[e.Domain.String()] = true
		if !e.Fraud {
			learnt[e.Domain.Registrable()] = true
		}
	}
	innocent, known := 0, 0
	for i := range cases {
		if c := &cases[i]; !c.Fraud && !c.Domain.Shared() {
			innocent++
			if learnt[c.Domain.Registrable()] {
				known++
			}
		}
	}
	r := &Report{Groups: map[string]*Count{}}
	if 2*known < innocent {
		m, err := Train(train, o)
		if err != nil {
			return nil, err
		}
		r.Models = append(r.Models, m.Info)
		r.judge(NewDetector(o.Brands, m), cases, func(c *Case) bool {
			return !learnt[c.Domain.String()] && !learnt[c.Domain.Registrable()]
		})
		r.count()
		return r, nil
	}
	for part := range parts {
		inPart := func(d tocsin.Domain) bool { return int(textHash(d.Registrable())>>20%parts) == part }
		rest := slices.DeleteFunc(slices.Clone(train), func(e Example) bool { return !e.Fraud && inPart(e.Domain) })
		m, err := Train(rest, o)
		if err != nil {
			return nil, err
		}
		r.Models = append(r.Models, m.Info)
		here := slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return !inPart(c.Domain) })
		r.judge(NewDetector(o.Brands, m), here, func(c *Case) bool { return !c.Fraud || !learnt[c.Domain.String()] })
	}
	r.count()
	return r, nil
}

// EvaluateModel measures a model as it is. The caller answers for the cases being unknown to it.
func EvaluateModel(cases []Case, d *Detector) *Report {
	r := &Report{Groups: map[string]*Count{}, Models: []Info{d.Model().Info}}
	r.judge(d, cases, func(*Case) bool { return true })
	r.count()
	return r
}

func (r *Report) judge(d *Detector, cases []Case, use func(c *Case) bool) {
	m := d.Model()
	for i := range cases {
		c := &cases[i]
		if !use(c) {
			r.LeftOut++
			continue
		}
		v := d.Judge(c.Domain)
		j := judged{Case: c, byName: v.Suspicious}
		f := tocsin.NameFindings{Near: v.Near, Signals: c.Signals}
		j.bySignals = v.Suspicious || f.IsNew(c.At)
		if p := v.Prediction; p != nil {
			j.score = p.Score
			n, _ := parse(c.Domain)
			l := m.limits(&n)
			j.level = [3]bool{
				p.Score >= m.score(l.Strict-m.from(&n)), p.Level == Elevated, p.Level != None,
			}
		}
		r.judged = append(r.judged, j)
	}
}

func (r *Report) count() {
	var popular []float64
	for _, j := range r.judged {
		if !j.Fraud && slices.Contains(j.Groups, Popular) {
			popular = append(popular, j.score)
		}
	}
	slices.SortFunc(popular, func(a, b float64) int { return cmp.Compare(b, a) })
	var at [3]float64
	for i, rate := range Rates {
		at[i] = math.Inf(1)
		if len(popular) > 0 {
			at[i] = popular[min(int(rate*float64(len(popular))), len(popular)-1)]
		}
	}
	for _, j := range r.judged {
		for _, group := range j.Groups {
			c := r.Groups[group]
			if c == nil {
				c = &Count{}
				r.Groups[group] = c
			}
			c.Of++
			c.countSignals(&j)
			for i := range Rates {
				if j.level[i] {
					c.AtLimits[i]++
				}
				if j.score > at[i] {
					c.AtRates[i]++
				}
			}
		}
	}
}

func (c *Count) countSignals(j *judged) {
	if s := j.Signals; s != nil {
		if s.RegisteredAt != nil || s.FirstCertificateAt != nil {
			c.Dated++
		}
		if j.bySignals && s.Resolves != nil && !*s.Resolves {
			c.Unresolved++
		}
	}
	if j.byName {
		c.ByName++
	}
	if j.bySignals {
		c.BySignals++
	}
}

// Highest returns the innocent cases with the highest scores, at most n, and their scores.
func (r *Report) Highest(n int) (cases []Case, scores []float64) {
	var innocent []judged
	for _, j := range r.judged {
		if !j.Fraud && j.score > 0 {
			innocent = append(innocent, j)
		}
	}
	slices.SortStableFunc(innocent, func(a, b judged) int { return cmp.Compare(b.score, a.score) })
	for _, j := range innocent[:min(n, len(innocent))] {
		cases, scores = append(cases, *j.Case), append(scores, j.score)
	}
	return cases, scores
}

// Wilson returns the interval that holds a share with 95 % confidence, when so many of all were counted.
func Wilson(count, of int) (low, high float64) {
	if of == 0 {
		return 0, 1
	}
	const z = 1.959964
	n := float64(of)
	p := float64(count) / n
	middle, width := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (middle-width)/(1+z*z/n)), min(1, (middle+width)/(1+z*z/n))
}
