package lookalike

import (
	"math"
	"slices"
	"strings"

	"tocsin"
)

// About returns the dossier of a domain with what its name says, in a copy. That of an account is returned as it is.
func (d *Detector) About(subject tocsin.Subject, dossier *tocsin.Dossier) *tocsin.Dossier {
	if subject.Kind != tocsin.DNS {
		return dossier
	}
	domain, fault := tocsin.ParseDomain(subject.Value)
	if fault != nil {
		return dossier
	}
	judged := *dossier
	judged.Name = d.Findings(domain, dossier.Listings)
	return &judged
}

// Findings returns what the name of a domain says, as it is answered. The listings are those that apply to the domain,
// of itself and of its parents ([tocsin.ApplicableRecords]): about a name that a list knows as good nothing is said. A
// nil detector says nothing about any name.
func (d *Detector) Findings(domain tocsin.Domain, listings []tocsin.Listing) *tocsin.NameFindings {
	f := d.findings(domain, listings)
	f.Shared, f.Registry = domain.Shared(), domain.Registry()
	return f
}

func (d *Detector) findings(domain tocsin.Domain, listings []tocsin.Listing) *tocsin.NameFindings {
	if slices.ContainsFunc(listings, knownGood) {
		return found(domain.Unicode(), nil, nil, tocsin.KnownName)
	}
	if d == nil {
		return found(domain.Unicode(), nil, nil, tocsin.NoModel)
	}
	v := d.Judge(domain)
	why := tocsin.NotPredicted("")
	switch {
	case v.Prediction != nil:
	case v.Owner != "":
		why = tocsin.BrandName
	case !v.Registered:
		why = tocsin.NotRegistered
	case d.Model() == nil:
		why = tocsin.NoModel
	default:
		why = tocsin.FewExamples
	}
	shown := v.Lookalike
	if !v.Suspicious {
		shown = nil
	}
	f := found(v.Unicode, shown, v.Prediction, why)
	f.Host = v.Host
	if f.Near = v.Near; f.Near {
		f.Resembled = answered(v.Lookalike)
	}
	if shown == nil {
		f.SameWord = v.SameWord
	}
	if l := v.Lookalike; l != nil && (shown != nil || l.known) {
		f.Use = l.use
	}
	if l := v.Lookalike; l != nil && l.known && shown == nil {
		f.Known, f.Nearly = l.Of, l.Method == Typo
		if l.use == tocsin.Banks {
			f.Called = strings.ToUpper(l.Brand[:1]) + l.Brand[1:]
		}
	}
	return f
}

func knownGood(l tocsin.Listing) bool { return l.Kind == tocsin.Safe || l.Kind == tocsin.Shared }

// found makes the answer of a verdict.
func found(unicode string, l *Lookalike, p *Prediction, why tocsin.NotPredicted) *tocsin.NameFindings {
	f := &tocsin.NameFindings{}
	if unicode != "" {
		f.Unicode = new(unicode)
	}
	if why != "" {
		f.NotPredicted = new(why)
	}
	f.Lookalike = answered(l)
	if p != nil {
		f.Prediction = &tocsin.Prediction{
			Score:        rounded(p.Score, 9),
			Level:        tocsin.PredictionLevel(p.Level),
			Reasons:      make([]tocsin.PredictionReason, len(p.Reasons)),
			ModelVersion: p.ModelVersion,
		}
		for i, r := range p.Reasons {
			f.Prediction.Reasons[i] = tocsin.PredictionReason{Kind: r.Kind, Text: r.Text, Share: rounded(r.Share, 2)}
		}
	}
	return f
}

// answered makes the answer of a look-alike; nil of nil.
func answered(l *Lookalike) *tocsin.Lookalike {
	if l == nil {
		return nil
	}
	return &tocsin.Lookalike{
		Of:       l.Of,
		Method:   string(l.Method),
		Distance: l.Distance,
		Evidence: tocsin.LookalikeEvidence{Part: l.Part, Brand: l.Brand, Lures: append([]string{}, l.Lures...)},
		Sure:     l.Sure(),
	}
}

// rounded rounds a number to so many decimal places.
func rounded(x float64, places int) float64 {
	unit := math.Pow10(places)
	return math.Round(x*unit) / unit
}
