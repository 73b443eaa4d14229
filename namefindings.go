package tocsin

import (
	"fmt"
	"strings"
)

// NameFindings is what the name of a domain says by itself. It is no evidence: nobody has seen what is there. Its
// fields are those of the schema NameFindings in internal/contract/openapi.yaml; docs/detection.md says how they are
// found and how often they are wrong.
type NameFindings struct {
	Unicode      *string       `json:"unicode"`      // the name as people see it; nil if that is its ASCII form
	Lookalike    *Lookalike    `json:"lookalike"`    // nil unless the name is suspicious and imitates a brand
	Prediction   *Prediction   `json:"prediction"`   // nil if none was made
	NotPredicted *NotPredicted `json:"notPredicted"` // why not
	Signals      *Signals      `json:"signals"`      // nil unless the name is Near, and somebody is asked about such names

	// Near: the name is suspicious or not far from it. Its prediction is low at least or, without one, it imitates a brand
	// in a way that is not sure; and a registry has given it away, not a hosting platform.
	Near bool `json:"-"`
	// Resembled is the brand that a near name imitates, sure or not; nil for none. See [NameFindings.IsNew].
	Resembled *Lookalike `json:"-"`

	// Shared: it is a public suffix or a shared host, whose users are unrelated ([Domain.Shared]).
	Shared bool `json:"-"`
	// Registry: it is a public suffix that a registry or an authority gives names under ([Domain.Registry]).
	Registry bool `json:"-"`

	// Known is the main domain of a brand whose name this one has, which is no reason to suspect it; "" for none. Nearly
	// means that a letter is doubled or dropped. Called is the name that the brand shares with other banks.
	Known  string  `json:"-"`
	Nearly bool    `json:"-"`
	Use    SiteUse `json:"-"`
	Called string  `json:"-"`
	// SameWord is the main domain of a brand whose name is an ordinary word, or that others have too, and is the whole of
	// this one under another suffix; "" for none.
	SameWord string `json:"-"`

	Host string `json:"-"` // the hosting platform that has given the name to one of its users; "" for none
}

// SiteUse is what people do on the site of a brand.
type SiteUse uint8

// What people do there.
const (
	Connects  SiteUse = iota // a wallet
	SignsIn                  // or pay, and connect no wallet
	Authority                // as SignsIn; the site's name may be another than that of the authority
	Banks                    // as SignsIn; many banks with sites of their own have the name
)

// Lookalike says which brand a name imitates.
type Lookalike struct {
	Of       string            `json:"of"`       // the main domain of the brand
	Method   string            `json:"method"`   // such as "homoglyph" or "typo"
	Distance int               `json:"distance"` // characters that were changed
	Evidence LookalikeEvidence `json:"evidence"`

	Sure bool `json:"-"` // the method alone is a reason to warn
}

// LookalikeEvidence is what was found in the name.
type LookalikeEvidence struct {
	Part  string   `json:"part"`  // the part of the name that imitates, as people see it
	Brand string   `json:"brand"` // what it is to be taken for
	Lures []string `json:"lures"` // the words beside it that lure
}

// Prediction is what a model that has learnt from the lists says of a name.
type Prediction struct {
	Score        float64            `json:"score"` // above 0 and below 1; it ranks names, and is no probability
	Level        PredictionLevel    `json:"level"`
	Reasons      []PredictionReason `json:"reasons"` // the strongest first; empty at level none
	ModelVersion string             `json:"modelVersion"`
}

// PredictionReason is a part of what speaks against a name.
type PredictionReason struct {
	Kind  string  `json:"kind"`  // letters, subdomain, suffix, shape, brand or words
	Text  string  `json:"text"`  // the part of the name, the brand, or the words that lure; "" for shape
	Share float64 `json:"share"` // of all that speaks against it, 0 to 1
}

// PredictionLevel says how a prediction is to be taken.
type PredictionLevel string

// The levels of predictions.
const (
	NoPrediction  PredictionLevel = "none"     // as 99 of 100 popular sites
	LowPrediction PredictionLevel = "low"      // one popular site in 100 is there or above
	Elevated      PredictionLevel = "elevated" // one popular site in 1,000: the name is suspicious
)

// NotPredicted says why there is no prediction.
type NotPredicted string

// The reasons for which nothing is predicted.
const (
	NoModel       NotPredicted = "no_model"       // the operator has trained none
	KnownName     NotPredicted = "safelisted"     // a list knows the name or one above it as good
	BrandName     NotPredicted = "brand"          // it belongs to a brand
	NotRegistered NotPredicted = "not_registered" // a public suffix or a shared host, or under .arpa
	FewExamples   NotPredicted = "few_examples"   // the lists have too few names of the same platform
)

// Suspicious reports whether the name alone is a reason to look closer: a prediction is elevated, or a look-alike is
// sure. It is false for nil.
func (n *NameFindings) Suspicious() bool {
	return n != nil && (n.Lookalike != nil && n.Lookalike.Sure || n.Prediction != nil && n.Prediction.Level == Elevated)
}

// factor is why a suspicious name is.
func (n *NameFindings) factor() Factor {
	if l := n.Lookalike; l != nil && l.Sure {
		return Factor{Code: "lookalike",
			Detail: fmt.Sprintf("the name imitates %s (%s); this is no report", l.Of, l.Method)}
	}
	var b strings.Builder
	b.Grow(192) // all of it, as a rule
	b.WriteString("the name is composed like those of fraud")
	between := " ("
	for _, r := range n.Prediction.Reasons {
		b.WriteString(between)
		between = ", "
		b.WriteString(r.Kind)
		if r.Text != "" {
			b.WriteString(" ")
			b.WriteString(r.Text)
		}
	}
	if len(n.Prediction.Reasons) > 0 {
		b.WriteString(")")
	}
	b.WriteString("; this is no report")
	return Factor{Code: "prediction", Detail: b.String()}
}
