package tocsin

import (
	"fmt"
	"time"
)

// Signals are what services that the operator has named say about a domain beyond its name: its registry, a search of
// certificate logs, a DNS server. They are no evidence. A nil field is not known: nobody is asked, nobody has answered
// yet, or those who were asked do not know. Its fields are those of the schema Signals in
// internal/contract/openapi.yaml.
type Signals struct {
	RegisteredAt       *Time `json:"registeredAt"`       // of the registrable domain
	FirstCertificateAt *Time `json:"firstCertificateAt"` // of the registrable domain, as it was logged
	Resolves           *bool `json:"resolves"`           // the name has an IP address, with or without www.
}

// A domain is new for newFor. Clocks may differ: a date that is ahead of ours by less than clocksDiffer is today.
const (
	newFor       = 30 * 24 * time.Hour
	clocksDiffer = 24 * time.Hour
)

// since returns the date that the age of a domain is counted from, and the code of its factor: that of the
// registration or, only if that is not known, of the first certificate. Old names get their first certificate when they
// are put to use, so that it says less. The date is nil if neither is known.
func (s *Signals) since() (at *Time, code string) {
	if s.RegisteredAt != nil {
		return s.RegisteredAt, "registered"
	}
	return s.FirstCertificateAt, "first_certificate"
}

// newDomain is the factor of a domain that is new, nil if it is not, or its age is not known.
func (s *Signals) newDomain(now time.Time) *Factor {
	at, code := s.since()
	if at == nil {
		return nil
	}
	age := now.Sub(at.Std())
	if age >= newFor || age <= -clocksDiffer {
		return nil
	}
	when := "today"
	if days := int(age / (24 * time.Hour)); days > 0 {
		when = plural(days, "day") + " ago"
	}
	what := "registered " + when + " (%s)"
	if code == "first_certificate" {
		what = "first certificate logged " + when + " (%s), the day of registration is not known"
	}
	return &Factor{Code: code, Newest: *at, Detail: fmt.Sprintf(what, at.Std().Format(time.DateOnly)) +
		", and the name is near those of fraud; this is no report"}
}

// IsNew reports whether the name is near those of fraud and the domain is new, which together are suspicious though the
// name alone may not be. It is false for nil.
func (n *NameFindings) IsNew(now time.Time) bool {
	return n != nil && n.Near && n.Signals != nil && n.Signals.newDomain(now) != nil
}

// shown returns what is answered: of a new domain the brand that it resembles as well, though the name alone would not
// be suspicious.
func (n *NameFindings) shown(now time.Time) *NameFindings {
	if !n.IsNew(now) || n.Lookalike != nil {
		return n
	}
	with := *n
	with.Lookalike = n.Resembled
	return &with
}

// signs are what makes the name suspicious, as factors without points, the main one first; none if it is not.
func (n *NameFindings) signs(now time.Time) (signs []Factor) {
	if n.Suspicious() {
		signs = append(signs, n.factor())
	}
	if n.IsNew(now) {
		signs = append(signs, *n.Signals.newDomain(now))
	}
	if len(signs) > 0 && n.Signals != nil && n.Signals.Resolves != nil && !*n.Signals.Resolves {
		signs = append(signs, Factor{Code: "unresolved", Detail: "the name has no IP address at present"})
	}
	return signs
}
