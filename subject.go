package tocsin

import (
	"cmp"
	"slices"
	"strings"
)

// Kind is the kind of thing that a report or a list can name.
type Kind string

// The kinds of subject. Readers of the API must accept kinds that they do not know: more will be added.
const (
	EVM Kind = "evm"    // an account or contract on any EVM chain
	DNS Kind = "domain" // a host name
)

// Subject is what a report or a list names: a kind and the one canonical spelling of the value within it, so that
// equal subjects are equal values.
type Subject struct {
	Kind  Kind
	Value string // EVM: 0x and 40 lower-case hex digits. DNS: lower-case ASCII, no trailing dot.
}

// rules are the differences between the kinds of subject.
type rules struct {
	kind      Kind
	namespace string                              // of the chains where it is an address (CAIP-2); "" if it is no address
	matches   func(text string) bool              // whether a text is meant as a subject of this kind
	parse     func(text string) (Subject, *Error) // reads what people type and what display returns
	display   func(value string) string           // the canonical value as people write it
	owner     func(value string) string           // the topmost parent whose evidence applies too, or the value itself
}

// chains are the kinds that are addresses on a chain. A new chain is a new entry here. Nothing outside of these
// functions may change the case of an address.
var chains = []rules{
	{kind: EVM, namespace: "eip155", matches: looksLikeAddress, parse: parseEVM, display: displayEVM, owner: itself},
}

// kinds are all kinds. The last entry matches any text.
var kinds = slices.Concat(chains, []rules{
	{kind: DNS, matches: func(string) bool { return true }, parse: parseDNS, display: itself, owner: ownerDNS},
})

func parseEVM(text string) (Subject, *Error) {
	a, err := ParseAddress(text)
	if err != nil {
		return Subject{}, err
	}
	return a.Subject(), nil
}

func displayEVM(value string) string {
	a, err := ParseAddress(value)
	if err != nil {
		return value
	}
	return a.String()
}

func parseDNS(text string) (Subject, *Error) {
	d, err := ParseDomain(text)
	if err != nil {
		return Subject{}, err
	}
	return d.Subject(), nil
}

// ownerDNS returns the registrable domain. The parents of a public suffix and of a hosting service say nothing
// about it, so it is its own.
func ownerDNS(name string) string {
	return cmp.Or(registrable(name), name)
}

func itself(value string) string { return value }

// rules returns the entry of the table for the kind of s.
func (s Subject) rules() *rules {
	for i := range kinds {
		if kinds[i].kind == s.Kind {
			return &kinds[i]
		}
	}
	return &rules{display: itself, owner: itself} // of a later version
}

// String returns the subject as people write it: an EVM address with its EIP-55 checksum, a domain in ASCII.
func (s Subject) String() string { return s.rules().display(s.Value) }

// IsAddress reports whether the subject is an address on a chain, rather than a domain.
func (s Subject) IsAddress() bool { return s.Namespace() != "" }

// Namespace returns the CAIP-2 namespace of the chains on which the subject is an address, such as "eip155", or ""
// if it is no address.
func (s Subject) Namespace() string { return s.rules().namespace }

// Owner returns the subject that those which share evidence have in common: the registrable domain of a domain, and
// every other subject itself. A change of evidence about a subject affects only subjects with the same owner.
func (s Subject) Owner() Subject { return Subject{s.Kind, s.rules().owner(s.Value)} }

// SelfAndParents returns the subjects whose evidence applies to s: itself, then its parents up to its owner,
// nearest first. Only domains have parents.
func (s Subject) SelfAndParents() []Subject { return upTo(s, s.Owner()) }

func upTo(s, owner Subject) []Subject {
	subjects := []Subject{s}
	for s != owner {
		_, s.Value, _ = strings.Cut(s.Value, ".")
		subjects = append(subjects, s)
	}
	return subjects
}

// ParseSubject parses an address or a domain, whichever the text looks like. Use it for what a person types into a
// single field.
func ParseSubject(text string) (Subject, *Error) { return parseAs(kinds, text) }

// parseAs parses a text by the first entry that matches it. If none does, the first entry says what is wrong.
func parseAs(table []rules, text string) (Subject, *Error) {
	for _, r := range table {
		if r.matches(text) {
			return r.parse(text)
		}
	}
	return table[0].parse(text)
}
