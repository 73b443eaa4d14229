package tocsin

// Kind is the kind of thing that a report or a list can name.
type Kind string

// The kinds of subject. Other chains and social handles will come; readers must
// accept kinds that they do not know.
const (
	EVM Kind = "evm"    // an account or contract of any EVM chain
	DNS Kind = "domain" // a host name
)

// Subject is what a report or a list names: a kind and the one canonical
// spelling of the value within it, so that equal subjects are equal values.
type Subject struct {
	Kind  Kind
	Value string // EVM: 0x and 40 lower-case hex digits. DNS: lower-case ASCII, no trailing dot.
}

// String returns the subject as people write it: an address with its EIP-55
// checksum, a domain in ASCII.
func (s Subject) String() string {
	if s.Kind == EVM {
		if a, err := ParseAddress(s.Value); err == nil {
			return a.String()
		}
	}
	return s.Value
}

// Owner returns the subject under which everything stands that one change of
// evidence may speak of: an address is its own, a domain's is the registrable one.
func (s Subject) Owner() Subject {
	if s.Kind == DNS {
		if r := registrable(s.Value); r != "" {
			return Subject{DNS, r}
		}
	}
	return s
}

// ParseSubject parses an address or a domain, whichever the text looks like.
// It is what a person types into one box.
func ParseSubject(text string) (Subject, *Error) {
	if looksLikeAddress(text) {
		a, err := ParseAddress(text)
		if err != nil {
			return Subject{}, err
		}
		return a.Subject(), nil
	}
	d, err := ParseDomain(text)
	if err != nil {
		return Subject{}, err
	}
	return d.Subject(), nil
}
